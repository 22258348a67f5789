"""Verdicts: what was found about a visitor or an asset, as data with a version and a range; never a change to a hit.

A verdict that is held or confirmed labels the hits of its visitor or its asset whose event time lies in its range:
`suspected` while it is held or only the judge has confirmed it, `blocked` when an operator has. What lists do with
suspected hits is the brand's mode, which is asked when a list is made, so that a change of mode acts on the past too.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, Finding, SubjectKind
from footfall.screening.hit_columns import NOTHING, Moments, Numbers, code_of, visitor_bytes, visitor_code
from footfall.screening.labels import Reason
from footfall.values.errors import Refused

NOTES_MAX = 16
WORDS_MAX = 500
_TOLD = "t"  # in the name of a case, instead of the first letter of its kind
JUDGE = "judge"  # who finds; an operator is a key or the command line


class State(StrEnum):
    """What has become of a verdict; the texts are stored and answered."""

    FOUND = "found"  # told, and nothing is left out
    HELD = "held"  # its hits are suspected, and it waits for an operator
    CONFIRMED = "confirmed"  # by an operator: its hits are blocked; by the judge, where a brand filters: suspected
    RELEASED = "released"  # by an operator: counted as if nothing had been found


APPLYING = frozenset({State.HELD, State.CONFIRMED})
_RANKS = ("", Reason.VERDICT.value, Reason.VERDICT_CONFIRMED.value)  # of several verdicts on a hit the highest counts
SETTLED = frozenset({State.CONFIRMED, State.RELEASED})


class Verdict(Struct, frozen=True):
    """One case, as it stood at one version of its brand's verdicts."""

    kind: SubjectKind
    subject: str  # an asset's id, or a visitor's hash as hexadecimal digits
    from_ms: int  # event times
    to_ms: int  # not included
    cause: Cause
    state: State
    found_at_ms: int
    version: int = 0  # given by the store: each change of a brand's verdicts has the next one
    score: float = 0.0
    words: str = ""
    notes: tuple[FeatureNote, ...] = ()
    by: str = JUDGE  # who changed it last
    changed_at_ms: int = 0
    agents: tuple[int, ...] = ()  # of an asset: only hits of these kinds of agent are meant, by their numbers, sorted
    visitors: tuple[str, ...] = ()  # or only those of these visitors, as subjects are; nothing of both: all hits

    @property
    def id(self) -> str:
        """Return the name of the case: what it is about and when it began; what is only told is a case of its own."""
        letter = _TOLD if self.cause is Cause.UNUSUAL_ASSET else self.kind.value[0]
        return f"{self.from_ms:015d}-{letter}{self.code:016x}"

    @property
    def code(self) -> int:
        """Return the number that hits have for the subject."""
        return code_of(self.subject) if self.kind is SubjectKind.ASSET else int(self.subject, 16)


def verdict_from_finding(finding: Finding, *, subject: str, now_ms: int, is_filtering: bool = False) -> Verdict:
    """Return the verdict of a finding: held, or found if it only tells; where a brand filters it waits for nobody."""
    holds = State.CONFIRMED if is_filtering else State.HELD
    state = holds if finding.is_held else State.FOUND
    return Verdict(
        *(finding.kind, subject, finding.from_ms, finding.to_ms, finding.cause, state, now_ms),
        score=round(finding.score, 4),
        words=finding.words[:WORDS_MAX],
        notes=finding.notes[:NOTES_MAX],
        changed_at_ms=now_ms,
        agents=finding.agents,
        visitors=tuple(visitor_subject(code) for code in finding.visitors),
    )


def visitor_subject(code: int) -> str:
    """Return the text that a visitor's number is stored as."""
    return f"{code:016x}"


def settled(verdict: Verdict, state: State, *, by: str, now_ms: int) -> Verdict:
    """Return the verdict as an operator has decided, or raise Refused when that is no decision."""
    if state not in SETTLED:
        raise Refused("state", f"{state.value!r} is no decision; an operator confirms or releases")
    return msgspec.structs.replace(verdict, state=state, by=by, changed_at_ms=now_ms)


def reason_of(verdict: Verdict) -> Reason:
    """Return why the hits of a verdict are labelled, and so which label they get; NONE: they stay what they are."""
    if verdict.state not in APPLYING or verdict.from_ms >= verdict.to_ms:
        return Reason.NONE
    is_decided = verdict.state is State.CONFIRMED and verdict.by != JUDGE
    return Reason.VERDICT_CONFIRMED if is_decided else Reason.VERDICT


def is_applying(verdict: Verdict) -> bool:
    """Tell whether a verdict labels anything."""
    return reason_of(verdict) is not Reason.NONE


def is_waiting(verdict: Verdict) -> bool:
    """Tell whether a verdict waits for an operator; what only tells does not."""
    return verdict.state is State.HELD


def changed_ranges(before: Verdict | None, after: Verdict) -> list[tuple[int, int]]:
    """Return the event times whose hits have another label under a verdict than they had under the one before."""
    old = Reason.NONE if before is None else reason_of(before)
    new = reason_of(after)
    if before is None or old is Reason.NONE:
        return [] if new is Reason.NONE else [(after.from_ms, after.to_ms)]
    if old is not new or _narrowing(before) != _narrowing(after):
        return [(before.from_ms, max(before.to_ms, after.to_ms))]
    ends = sorted((before.to_ms, after.to_ms))  # A case has one beginning.
    return [(ends[0], ends[1])] if ends[0] < ends[1] else []


def united_ranges(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in the order of time, those that meet as one."""
    united: list[tuple[int, int]] = []
    for from_ms, to_ms in sorted(ranges):
        if united and from_ms <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], to_ms))
        else:
            united.append((from_ms, to_ms))
    return united


def is_meant(verdict: Verdict, *, visitor: int, agent: int) -> bool:
    """Tell whether a hit of a verdict's subject is among those that it is narrowed to."""
    if not verdict.agents and not verdict.visitors:
        return True
    return agent in verdict.agents or (visitor != NOTHING and visitor_subject(visitor) in verdict.visitors)


def applied(verdicts: Iterable[Verdict], *, visitor: bytes, asset: str, at_ms: int, agent: int = NOTHING) -> str:
    """Return why a hit is labelled: what an operator has confirmed comes before what is held; nothing without any."""
    subjects = {SubjectKind.VISITOR: visitor_code(visitor), SubjectKind.ASSET: code_of(asset)}
    found = {
        reason_of(verdict).value
        for verdict in verdicts
        if is_applying(verdict)
        and verdict.from_ms <= at_ms < verdict.to_ms
        and 0 != subjects[verdict.kind] == verdict.code
        and is_meant(verdict, visitor=subjects[SubjectKind.VISITOR], agent=agent)
    }
    return max(found, key=_rank, default="")


def _narrowing(verdict: Verdict) -> tuple[tuple[int, ...], tuple[str, ...]]:
    return verdict.agents, verdict.visitors


def _rank(reason: str) -> int:
    return _RANKS.index(reason)


class Applying:
    """The verdicts that label anything, laid out so that whole packs are looked at at once."""

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        applying = [verdict for verdict in verdicts if is_applying(verdict)]
        united = united_ranges((one.from_ms, one.to_ms) for one in applying)
        self._starts, self._ends = [one[0] for one in united], [one[1] for one in united]
        # Whom they are about, as records have them: most packs have none of these, which is soon seen.
        self.visitors = frozenset(visitor_bytes(one.code) for one in applying if one.kind is SubjectKind.VISITOR)
        self.assets = frozenset(one.subject for one in applying if one.kind is SubjectKind.ASSET)
        self.has_agents = any(one.agents for one in applying)  # Only then are hits' agents looked at.
        self._ranges = {
            kind: _Ranges([one for one in applying if one.kind is kind])
            for kind in (SubjectKind.VISITOR, SubjectKind.ASSET)
        }

    def __len__(self) -> int:
        return sum(len(ranges.codes) for ranges in self._ranges.values())

    def touches(self, from_ms: int, to_ms: int) -> bool:
        """Tell whether any verdict has a part in a span, so that whatever lies elsewhere costs nothing."""
        place = bisect_left(self._ends, from_ms + 1)  # the first of them that ends after the span begins
        return place < len(self._starts) and self._starts[place] < to_ms

    def reasons(
        self, *, visitor: Numbers, asset: Numbers, at_ms: Moments, agent: Numbers | None = None
    ) -> dict[int, str]:
        """Return which hits of a pack are labelled and why, by their places; without agents nobody's is known."""
        whose = _Whose(visitor, np.zeros_like(visitor) if agent is None else agent)
        ranks = np.maximum(
            self._ranges[SubjectKind.ASSET].ranks(asset, at_ms, whose),
            self._ranges[SubjectKind.VISITOR].ranks(visitor, at_ms, whose),
        )
        return {int(place): _RANKS[int(ranks[place])] for place in np.flatnonzero(ranks)}


@dataclass(frozen=True, slots=True)
class _Whose:
    """What verdicts are narrowed by, of each hit."""

    visitor: Numbers
    agent: Numbers


class _Ranges:
    """Ranges of one kind of subject, by subject and beginning."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        ordered = sorted(verdicts, key=lambda one: (one.code, one.from_ms, one.to_ms, reason_of(one).value))
        self.codes: Numbers = np.array([one.code for one in ordered], np.uint64)
        self._from: Moments = np.array([one.from_ms for one in ordered], np.int64)
        self._to: Moments = np.array([one.to_ms for one in ordered], np.int64)
        self._ranks = np.array([_rank(reason_of(one).value) for one in ordered], np.int8)
        self._is_narrow = np.array([any(_narrowing(one)) for one in ordered], np.bool_)
        self._ordered = ordered
        sizes = np.unique(self.codes, return_counts=True)[1]
        self._most = int(sizes.max()) if len(sizes) else 0  # ranges of one subject

    def ranks(self, column: Numbers, at_ms: Moments, whose: _Whose) -> NDArray[np.int8]:
        """Return the highest rank of the ranges that each hit lies in, 0 for none."""
        found = np.zeros(len(column), np.int8)
        if not len(self.codes):
            return found
        start = np.searchsorted(self.codes, column)
        # One round for each range that a subject has, and rounds are few: a case goes on as the same verdict.
        for later in range(self._most):
            place = np.minimum(start + later, len(self.codes) - 1)
            is_inside = (self.codes[place] == column) & (column != 0) & (start + later < len(self.codes))
            is_inside &= (self._from[place] <= at_ms) & (at_ms < self._to[place])
            for hit in np.flatnonzero(is_inside & self._is_narrow[place]):
                visitor, agent = int(whose.visitor[hit]), int(whose.agent[hit])
                is_inside[hit] = is_meant(self._ordered[int(place[hit])], visitor=visitor, agent=agent)
            np.maximum(found, np.where(is_inside, self._ranks[place], 0), out=found)
        return found


class Change(Struct, frozen=True):
    """One version of a brand's verdicts: which were changed, and from which positions on that holds."""

    version: int
    at_ms: int
    by: str
    verdicts: tuple[Verdict, ...]
    since: Mapping[str, int] = {}  # shard -> the last sequence number that the finder had read by then
    ranges: tuple[tuple[int, int], ...] = ()  # event times whose hits have another label now


def version_at(changes: Iterable[Change], *, shard: str, sequence: int) -> int:
    """Return the last version whose finder had not read a record by then; 0 for none."""
    return max((one.version for one in changes if one.since.get(shard, -1) < sequence), default=0)


def as_of(changes: Iterable[Change], version: int) -> list[Verdict]:
    """Return every verdict as it stood at a version, the newest first."""
    standing: dict[str, Verdict] = {}
    for change in sorted(changes, key=lambda one: one.version):
        if change.version <= version:
            standing |= {verdict.id: verdict for verdict in change.verdicts}
    return sorted(standing.values(), key=lambda one: (-one.found_at_ms, one.id))
