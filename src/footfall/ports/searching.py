"""Searching: texts that are found by words, each within spaces that whoever asks may see."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

SPACES_MAX = 10
RESULTS_MAX = 100
QUERY_CHARACTERS_MAX = 500


@dataclass(frozen=True, slots=True)
class Text:
    """A text that can be found."""

    id: str
    spaces: Sequence[str]
    at_us: int
    address: str
    title: str
    body: str
    keywords: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that was found; the excerpt has \\x02 and \\x03 around each word that was asked for."""

    id: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Results:
    """Some of what was found, the best first; `after` continues, None ends."""

    hits: Sequence[Hit]
    after: str | None


class Searching(Protocol):
    """The promises that every search keeps: nothing is found in a space that was not asked for."""

    def add(self, text: Text) -> None:
        """Let a text be found, in the place of what was there under its id."""
        ...

    def remove(self, id: str) -> None:
        """Let a text be found no more; nothing happens when there is none."""
        ...

    def search(self, query: str, *, spaces: Sequence[str], limit: int = 20, after: str | None = None) -> Results:
        """Return texts of these spaces that have all words of the query."""
        ...
