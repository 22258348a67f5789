"""Verdicts of all brands in one table: those that wait, those that an operator has settled, and every version of them.

A brand's changes are one after the other: each is one transaction that moves the version on, so that whoever counts can
say by which version, and find every verdict as it stood then. docs/formats/verdicts.md draws the items.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from footfall.accounts.audit import Act, Note, Trail
from footfall.accounts.verdict_errors import UnknownVerdict, VerdictsContended
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import Absent, Action, Delete, Equals, Key, Put, Table, everything
from footfall.screening.verdicts import (
    JUDGE,
    SETTLED,
    Change,
    State,
    Verdict,
    as_of,
    changed_ranges,
    is_waiting,
    settled,
)
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS

KEEP_MS = 400 * DAY_MS  # as long as the audit trail
CHANGED_MAX = 40  # verdicts of one change: each is an action of its transaction, and some kilobytes
TRIES = 10  # Two who judge and settle at once meet seldom; a third try has never been seen.
PAGE_MAX = 1_000

_ID = re.compile(r"[0-9]{15}-[atv][0-9a-f]{16}")
_HEAD = "head"
_HEADS = "verdict-heads"  # by brand, so that one query tells whose verdicts have changed


class VerdictStore:
    """The verdicts of one instance."""

    def __init__(self, table: Table, trail: Trail, *, clock: Clock, standing_ms: int = 0) -> None:
        self._table = table
        self._trail = trail
        self._clock = clock
        self._standing_ms = standing_ms  # how long after its end a verdict can still act on anything; 0: for ever

    def version(self, brand: str) -> int:
        """Return the version of a brand's verdicts; 0 when there never was one."""
        head = self._table.get(Key(_partition(brand), _HEAD))
        return 0 if head is None else _whole(head["version"])

    def versions(self) -> dict[str, int]:
        """Return the version of every brand that ever had a verdict: what whoever counts asks each second."""
        return {one.key.sort: _whole(one.item["version"]) for one in everything(self._table, _HEADS)}

    def waiting(self, brand: str) -> int:
        """Return how many verdicts of a brand wait for an operator."""
        head = self._table.get(Key(_partition(brand), _HEAD))
        return 0 if head is None else _whole(head.get("waiting", 0))

    def standing(self, brand: str) -> list[Verdict]:
        """Return every verdict of a brand as it stands, but for those that ended too long ago to act on anything."""
        partitions = (_waiting(brand), _settled(brand))
        found = (_verdict_from_item(one.item) for name in partitions for one in everything(self._table, name))
        since_ms = self._clock.now_ms() - self._standing_ms if self._standing_ms else 0
        return [one for one in found if one.to_ms > since_ms]

    def find(self, brand: str, verdicts: Sequence[Verdict], *, since: Mapping[str, int]) -> int:
        """Store what a judge has found, or goes on finding, from these positions on; return the version then."""
        # A case that changed twice is as it was told last.
        last = list({verdict.id: verdict for verdict in verdicts}.values())
        for start in range(0, len(last), CHANGED_MAX):
            self._find_some(brand, last[start : start + CHANGED_MAX], since)
        return self.version(brand)

    def settle(self, brand: str, verdict_id: str, state: State, *, by: str, since: Mapping[str, int]) -> Verdict:
        """Store what an operator has decided, in one transaction with the audit trail; a decision can be taken back."""
        for _ in range(TRIES):
            version = self.version(brand)
            before = self.verdict(brand, verdict_id)
            after = settled(before, state, by=by, now_ms=self._clock.now_ms())
            after = msgspec.structs.replace(after, version=version + 1)
            act = Act.VERDICT_CONFIRMED if state is State.CONFIRMED else Act.VERDICT_RELEASED
            told = {"id": verdict_id, "cause": after.cause.value, "before": before.state.value, "version": version + 1}
            note = Note(brand, by, act, f"{after.kind.value} {after.subject}", told)
            actions: list[Action] = [self._put(brand, after), self._trail.put_of(note)]
            if before.state not in SETTLED:
                actions.append(Delete(Key(_waiting(brand), verdict_id)))
            ranges = tuple(changed_ranges(before, after))
            change = Change(version + 1, after.changed_at_ms, by, (after,), since, ranges)
            if self._is_written(brand, change, actions, waiting=-is_waiting(before)):
                return after
        raise _contended(brand)

    def verdict(self, brand: str, verdict_id: str) -> Verdict:
        """Return a verdict as it stands, or raise UnknownVerdict."""
        found = self._standing(brand, verdict_id)
        if found is None:
            raise UnknownVerdict(f"{verdict_id[:60]!r} is no verdict of {brand!r}; list them to see which there are")
        return found

    def page(self, brand: str, *, is_settled: bool, limit: int, after: str = "") -> tuple[Sequence[Verdict], str]:
        """Return verdicts that wait for an operator, or are settled, the newest first, and where to go on."""
        if after and _ID.fullmatch(after) is None:
            raise Refused("after", f"{after[:40]!r} is not what an answer said; send it as it was")
        if not 1 <= limit <= PAGE_MAX:
            raise Refused("limit", f"is {limit}, it must lie between 1 and {PAGE_MAX}")
        partition = _settled(brand) if is_settled else _waiting(brand)
        place = Key(partition, after) if after else None
        found = self._table.query(partition, backwards=True, limit=limit, after=place)
        verdicts = [_verdict_from_item(one.item) for one in found.items]
        return verdicts, found.after.sort if found.after is not None else ""

    def changes(self, brand: str, *, after_version: int = 0) -> list[Change]:
        """Return the changes after a version, in their order: what a reader that has the others still needs."""
        found = everything(self._table, _changes(brand), at_least=_version_text(after_version + 1))
        return [_change_from_item(one.item) for one in found]

    def as_of(self, brand: str, version: int) -> list[Verdict]:
        """Return the verdicts as they stood at a version, the newest first."""
        found = everything(self._table, _changes(brand), at_most=_version_text(version))
        return as_of((_change_from_item(one.item) for one in found), version)

    def _find_some(self, brand: str, verdicts: Sequence[Verdict], since: Mapping[str, int]) -> None:
        """Store some verdicts as one change; what an operator has settled goes on as it was settled."""
        for _ in range(TRIES):
            version = self.version(brand)
            befores = [self._standing(brand, verdict.id) for verdict in verdicts]
            changed = [_going_on(*one, version + 1) for one in zip(befores, verdicts, strict=True)]
            pairs = list(zip(befores, changed, strict=True))
            actions: list[Action] = [self._put(brand, verdict) for verdict in changed]
            actions += [
                Delete(Key(_waiting(brand), after.id))  # What a brand that filters now had held before waits no more.
                for before, after in pairs
                if before is not None and before.state not in SETTLED and after.state in SETTLED
            ]
            waiting = sum(is_waiting(after) - (before is not None and is_waiting(before)) for before, after in pairs)
            ranges = tuple(one for pair in pairs for one in changed_ranges(*pair))
            change = Change(version + 1, self._clock.now_ms(), JUDGE, tuple(changed), since, ranges)
            if self._is_written(brand, change, actions, waiting=waiting):
                return
        raise _contended(brand)

    def _standing(self, brand: str, verdict_id: str) -> Verdict | None:
        if _ID.fullmatch(verdict_id) is None:
            return None
        item = self._table.get(Key(_waiting(brand), verdict_id)) or self._table.get(Key(_settled(brand), verdict_id))
        return None if item is None else _verdict_from_item(item)

    def _put(self, brand: str, verdict: Verdict) -> Put:
        partition = _settled(brand) if verdict.state in SETTLED else _waiting(brand)
        expires_at_ms = self._clock.now_ms() + KEEP_MS
        return Put(Key(partition, verdict.id), _plain(verdict), expires_at_ms=expires_at_ms)

    def _is_written(self, brand: str, change: Change, actions: Sequence[Action], *, waiting: int) -> bool:
        """Write a change with what belongs to it, and so many more that wait, unless another came first."""
        head = {"version": change.version, "waiting": max(self.waiting(brand) + waiting, 0)}
        expects = Absent() if change.version == 1 else Equals("version", change.version - 1)
        place = Key(_changes(brand), _version_text(change.version))
        expires_at_ms = self._clock.now_ms() + KEEP_MS
        try:
            self._table.transact(
                [
                    Put(Key(_partition(brand), _HEAD), head, expects=[expects]),
                    Put(Key(_HEADS, brand), head),
                    Put(place, _plain(change), expires_at_ms=expires_at_ms, expects=[Absent()]),
                    *actions,
                ]
            )
        except Changed:
            return False
        return True


def _going_on(before: Verdict | None, verdict: Verdict, version: int) -> Verdict:
    """Return a verdict as a judge goes on finding it; what was settled stays as it was settled."""
    verdict = msgspec.structs.replace(verdict, version=version)
    if before is None:
        return verdict
    kept: dict[str, Any] = {"found_at_ms": before.found_at_ms}
    if before.state in SETTLED:
        kept |= {"state": before.state, "by": before.by}
    if not verdict.notes:  # A case that ends is told by what it was found for.
        kept |= {"notes": before.notes, "words": before.words, "cause": before.cause, "score": before.score}
    return msgspec.structs.replace(verdict, **kept)


def _plain(value: Verdict | Change) -> Item:
    return msgspec.to_builtins(value)


def _verdict_from_item(item: Item) -> Verdict:
    return msgspec.convert(dict(item), type=Verdict)


def _change_from_item(item: Item) -> Change:
    return msgspec.convert(dict(item), type=Change)


def _whole(value: object) -> int:
    assert isinstance(value, int), f"the version of verdicts is {value!r}"
    return value


def _contended(brand: str) -> VerdictsContended:
    return VerdictsContended(f"the verdicts of {brand!r} were changed {TRIES} times in between; try once more")


def _version_text(version: int) -> str:
    return f"{version:012d}"


def _partition(brand: str) -> str:
    return f"verdicts#{brand}"


def _waiting(brand: str) -> str:
    return f"verdicts-waiting#{brand}"


def _settled(brand: str) -> str:
    return f"verdicts-settled#{brand}"


def _changes(brand: str) -> str:
    return f"verdict-changes#{brand}"
