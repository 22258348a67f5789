"""The one place that calls RE2: many patterns at once, in time that grows with the text alone."""

from collections.abc import Iterable
from typing import Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs] # It brings none; the protocols below say what we use.

from footfall.values.errors import FootfallError

STATES_BYTES_MAX = 32 << 20  # for states of the automaton, which are made when a text first leads there


class BadPattern(FootfallError):
    """A pattern is none that RE2 can read."""


class _Set(Protocol):
    def Add(self, pattern: str, /) -> int: ...  # noqa: N802 - RE2's name.
    def Compile(self) -> None: ...  # noqa: N802 - RE2's name.
    def Match(self, text: str, /) -> list[int] | None: ...  # noqa: N802 - RE2's name.


class _Sets(Protocol):
    def SearchSet(self, options: object, /) -> _Set: ...  # noqa: N802 - RE2's name.


class _Options(Protocol):
    max_mem: int
    log_errors: bool


class _Library(Protocol):
    Set: _Sets
    error: type[Exception]

    def Options(self) -> _Options: ...  # noqa: N802 - RE2's name.


_LIBRARY = cast(_Library, re2)


class Patterns:
    """Patterns that are looked for together."""

    def __init__(self, patterns: Iterable[str]) -> None:
        options = _LIBRARY.Options()
        options.max_mem = STATES_BYTES_MAX
        options.log_errors = False
        self._set = _LIBRARY.Set.SearchSet(options)
        for pattern in patterns:
            try:
                self._set.Add(pattern)
            except _LIBRARY.error as error:
                raise BadPattern(f"{pattern!r} is no pattern that RE2 reads ({error}); leave it out") from error
        self._set.Compile()

    def found_in(self, text: str) -> list[int]:
        """Return the places of the patterns that are found in the text, in their order."""
        return sorted(self._set.Match(text) or ())
