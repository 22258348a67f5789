"""Which verdict a hit is covered by, for whoever has to name it: the verdicts that apply, by their subjects."""

from collections.abc import Iterable

import msgspec

from footfall.screening.findings import SubjectKind
from footfall.screening.hit_columns import NOTHING, visitor_bytes, visitor_code
from footfall.screening.labels import Reason
from footfall.screening.verdicts import Change, Verdict, is_applying, is_meant, reason_of


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
        self.has_agents = any(one.agents for one in applying)

    def __bool__(self) -> bool:
        return bool(self._visitors or self._assets)

    def of_hit(self, *, visitor: bytes, asset: str, at_ms: int, agent: int = NOTHING) -> Verdict | None:
        """Return the verdict on a hit: a person's decision before what is held, a visitor's before an asset's."""
        named = self._visitors.get(visitor) if visitor else None
        about = self._assets.get(asset)
        if named is None and about is None:
            return None
        code = visitor_code(visitor)
        found = [
            one
            for one in (*(named or ()), *(about or ()))
            if one.from_ms <= at_ms < one.to_ms and is_meant(one, visitor=code, agent=agent)
        ]
        decided = (one for one in found if reason_of(one) is Reason.VERDICT_CONFIRMED)
        return next(decided, found[0] if found else None)


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
