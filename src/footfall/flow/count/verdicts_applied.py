"""Verdicts while hits are counted: which of a record's hits have another label because of their visitor or their asset.

A brand without verdicts costs a look into a dict for each record, and one whose verdicts are of other times a search in
their ranges. Whoever counts goes by what it has read of the verdicts at the beginning of a tally; what it had counted
before it read of a change is put right by counting again (verdict_recounts.py).
"""

from collections.abc import Callable, Container, Mapping
from operator import itemgetter
from typing import Any, Final, Protocol

import msgspec
import numpy as np

from footfall.accounts.verdict_store import VerdictStore
from footfall.flow.count.timing import COUNTED
from footfall.flow.store.checkpoints import LINES
from footfall.flow.stream.records import Counted, Kinds, Pack, Visited
from footfall.screening.hit_columns import codes, visitor_code
from footfall.screening.labels import Label, Reason, label_of
from footfall.screening.verdicts import Applying, Verdict, is_applying

NOTHING: Final[Mapping[int, str]] = {}

_asset_of = itemgetter(0)


class Verdicts(Protocol):
    """What counting knows of verdicts."""

    def of(self, brand: str) -> Applying | None:
        """Return the verdicts that label a brand's hits; None when there are none."""
        ...

    def refresh(self, before: Callable[[], None] = lambda: None) -> frozenset[str]:
        """Take verdicts as they are stored now, after `before` where any differ; return the brands of those."""
        ...

    def version(self, brand: str) -> int:
        """Return the version of a brand's verdicts that hits are counted by."""
        ...

    def versions(self) -> Mapping[str, int]:
        """Return the version of each brand that has any."""
        ...


class KnownVerdicts:
    """The verdicts of all brands as they were when they were last read."""

    def __init__(self, opened: Callable[[], VerdictStore | None]) -> None:
        self._opened = opened  # None while there is no place where verdicts could lie
        self._store: VerdictStore | None = None
        self._versions: dict[str, int] = {}
        self._standing: dict[str, dict[str, Verdict]] = {}
        self._applying: dict[str, Applying] = {}

    def of(self, brand: str) -> Applying | None:
        """Return the verdicts that label a brand's hits; None when there are none."""
        return self._applying.get(brand)

    def version(self, brand: str) -> int:
        """Return the version of a brand's verdicts that hits are counted by; 0: there are none."""
        return self._versions.get(brand, 0)

    def versions(self) -> Mapping[str, int]:
        """Return the version of each brand that has any."""
        return self._versions

    def refresh(self, before: Callable[[], None] = lambda: None) -> frozenset[str]:
        """Take verdicts as they are stored now, after `before` where any differ; return the brands of those."""
        self._store = self._store or self._opened()
        if self._store is None:
            return frozenset()
        versions = self._store.versions()
        changed = {brand: number for brand, number in versions.items() if number != self._versions.get(brand)}
        if not changed:
            return frozenset()
        found = {brand: self._changed(self._store, brand) for brand in changed}
        before()
        for brand, standing in found.items():
            self._standing[brand] = standing
            self._applying.pop(brand, None)
            if standing:
                self._applying[brand] = Applying(standing.values())
        self._versions |= changed
        return frozenset(changed)

    def _changed(self, store: VerdictStore, brand: str) -> dict[str, Verdict]:
        """Return a brand's verdicts that label anything; the store may be ahead of the version, which does no harm."""
        if brand not in self._versions:
            return {one.id: _bare(one) for one in store.standing(brand) if is_applying(one)}
        standing = dict(self._standing[brand])
        for change in store.changes(brand, after_version=self._versions[brand]):
            for verdict in change.verdicts:
                standing.pop(verdict.id, None)
                if is_applying(verdict):
                    standing[verdict.id] = _bare(verdict)
        return standing


def found_in(pack: Counted, applying: Applying | None) -> Mapping[int, str]:
    """Return which hits of a pack verdicts speak of, by their places, with the reason for their label."""
    if applying is None:
        return NOTHING
    moments, arrived_at_ms = pack.at_ms, pack.arrived_at_ms
    first_ms, last_ms = (min(moments), max(moments)) if moments else (arrived_at_ms, arrived_at_ms)
    if not applying.touches(first_ms, last_ms + 1):
        return NOTHING
    visitors = pack.visitors if isinstance(pack, Visited) else None
    assets, named = applying.assets, applying.visitors
    if assets.isdisjoint(map(_asset_of, pack.keys)) and (not visitors or named.isdisjoint(visitors)):
        return NOTHING
    places = [
        at for at, key in enumerate(pack.keys) if key[0] in assets or (visitors is not None and visitors[at] in named)
    ]
    agents = pack.agents if isinstance(pack, Kinds | Pack) else None
    reasons = applying.reasons(
        visitor=np.array([visitor_code(visitors[at]) if visitors else 0 for at in places], np.uint64),
        asset=codes(pack.keys[at][0] for at in places),
        at_ms=np.array([moments[at] if moments else arrived_at_ms for at in places], np.int64),
        agent=None if agents is None else np.array([agents[at] for at in places], np.uint64),
    )
    return {places[number]: reason for number, reason in reasons.items()}


def without(pack: Counted, places: Container[int]) -> Counted:
    """Return a pack whose hits all count alike, without some of them."""
    left = [at for at in range(len(pack.keys)) if at not in places]
    columns: dict[str, Any] = {"keys": [pack.keys[at] for at in left]}
    if pack.at_ms:
        columns["at_ms"] = [pack.at_ms[at] for at in left]
    if isinstance(pack, Visited) and pack.visitors:
        columns["visitors"] = [pack.visitors[at] for at in left]
    if isinstance(pack, Kinds | Pack):
        columns["agents"] = None  # They have said what they are asked for.
    return msgspec.structs.replace(pack, **columns)


def line_under(line: str, reason: str | None) -> str:
    """Return the line of the ledger that a hit of a line goes to because of a verdict.

    What the door said of a hit stays, but for hits that it only suspected and an operator has decided on.
    """
    if reason is None or line == COUNTED:
        return reason or line
    is_decided = reason == Reason.VERDICT_CONFIRMED and line not in LINES and label_of(line) is Label.SUSPECTED
    return reason if is_decided else line


def _bare(verdict: Verdict) -> Verdict:
    """Return a verdict without its explanation, which counting has no use for."""
    return msgspec.structs.replace(verdict, words="", notes=())


def no_verdicts(_brand: str) -> None:
    """Return that a brand has no verdicts."""
