"""Which verdict a hit is covered by, for whoever has to name it: the verdicts that apply, by their subjects."""

from collections.abc import Iterable, Sequence

import msgspec

from footfall.screening.findings import SubjectKind
from footfall.screening.hit_columns import visitor_bytes
from footfall.screening.verdicts import Change, Verdict, is_applying


class Covering:
    """The verdicts that apply, where a hit finds its own by two looks into a dict."""

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        applying = sorted((one for one in verdicts if is_applying(one)), key=lambda one: (one.from_ms, one.id))
        self._visitors: dict[bytes, list[Verdict]] = {}
        self._assets: dict[str, list[Verdict]] = {}
        for one in applying:
            if one.kind is SubjectKind.VISITOR:
                self._visitors.setdefault(visitor_bytes(one.code), []).append(one)
            else:
                self._assets.setdefault(one.subject, []).append(one)

    def __bool__(self) -> bool:
        return bool(self._visitors or self._assets)

    def of_hit(self, *, visitor: bytes, asset: str, at_ms: int) -> Verdict | None:
        """Return the first verdict on a hit, a visitor's before an asset's."""
        named = self._visitors.get(visitor) if visitor else None
        found = None if named is None else _first(named, at_ms)
        if found is None and (named := self._assets.get(asset)) is not None:
            found = _first(named, at_ms)
        return found


class Standing:
    """The verdicts of a brand as they stood at a moment that only moves on, without their explanations."""

    def __init__(self) -> None:
        self.version = 0  # of the last change that was taken in
        self._verdicts: dict[str, Verdict] = {}
        self._later: list[Change] = []

    def take(self, changes: Iterable[Change]) -> None:
        """Take in changes that follow those before."""
        for change in changes:
            brief = tuple(msgspec.structs.replace(one, notes=(), words="") for one in change.verdicts)
            self._later.append(msgspec.structs.replace(change, verdicts=brief))
            self.version = change.version

    def at(self, moment_ms: int) -> Covering:
        """Return the verdicts that applied at a moment."""
        later: list[Change] = []
        for change in self._later:
            # In the order of versions: a clock that was set back puts no change before the one that it follows.
            if later or change.at_ms > moment_ms:
                later.append(change)
                continue
            self._verdicts.update({one.id: one for one in change.verdicts})
        self._later = later
        return Covering(self._verdicts.values())


def _first(verdicts: Sequence[Verdict], at_ms: int) -> Verdict | None:
    return next((one for one in verdicts if one.from_ms <= at_ms < one.to_ms), None)
