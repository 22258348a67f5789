"""Verdicts: what was found about a visitor or an asset, as data with a version and a range; never a change to a hit.

A hit is left out when a verdict that is held or confirmed names its visitor or its asset, and its event time lies in
the verdict's range. Which version of a brand's verdicts a record was counted by is told by its position in its shard.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, Finding, SubjectKind
from footfall.screening.hit_columns import Mask, Moments, Numbers, code_of, visitor_code
from footfall.values.errors import Refused

NOTES_MAX = 16
WORDS_MAX = 500
JUDGE = "judge"  # who finds; an operator is a key or the command line


class State(StrEnum):
    """What has become of a verdict; the texts are stored and answered."""

    FOUND = "found"  # told, and nothing is left out
    HELD = "held"  # left out, and waits for an operator
    CONFIRMED = "confirmed"  # by an operator: left out for good
    RELEASED = "released"  # by an operator: counted as if nothing had been found


APPLYING = frozenset({State.HELD, State.CONFIRMED})
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

    @property
    def id(self) -> str:
        """Return the name of the case: what it is about and when it began."""
        return f"{self.from_ms:015d}-{self.kind.value[0]}{self.code:016x}"

    @property
    def code(self) -> int:
        """Return the number that hits have for the subject."""
        return code_of(self.subject) if self.kind is SubjectKind.ASSET else int(self.subject, 16)


def verdict_from_finding(finding: Finding, *, subject: str, now_ms: int, is_filtering: bool = False) -> Verdict:
    """Return the verdict of a finding: held, or found where it only tells; of a brand that filters it is confirmed."""
    holds = State.CONFIRMED if is_filtering else State.HELD
    state = holds if finding.is_held else State.FOUND
    return Verdict(
        *(finding.kind, subject, finding.from_ms, finding.to_ms, finding.cause, state, now_ms),
        score=round(finding.score, 4),
        words=finding.words[:WORDS_MAX],
        notes=finding.notes[:NOTES_MAX],
        changed_at_ms=now_ms,
    )


def visitor_subject(code: int) -> str:
    """Return the text that a visitor's number is stored as."""
    return f"{code:016x}"


def settled(verdict: Verdict, state: State, *, by: str, now_ms: int) -> Verdict:
    """Return the verdict as an operator has decided, or raise Refused when that is no decision."""
    if state not in SETTLED:
        raise Refused("state", f"{state.value!r} is no decision; an operator confirms or releases")
    return msgspec.structs.replace(verdict, state=state, by=by, changed_at_ms=now_ms)


def is_applying(verdict: Verdict) -> bool:
    """Tell whether a verdict leaves anything out."""
    return verdict.state in APPLYING and verdict.from_ms < verdict.to_ms


def applied(verdicts: Iterable[Verdict], *, visitor: bytes, asset: str, at_ms: int) -> str:
    """Return why a hit is left out: the cause of the first verdict on it, a visitor's before an asset's, or nothing."""
    subjects = {SubjectKind.VISITOR: visitor_code(visitor), SubjectKind.ASSET: code_of(asset)}
    found = [
        (verdict.kind is SubjectKind.ASSET, verdict.from_ms, verdict.cause.value)
        for verdict in verdicts
        if is_applying(verdict)
        and verdict.from_ms <= at_ms < verdict.to_ms
        and 0 != subjects[verdict.kind] == verdict.code
    ]
    return min(found)[2] if found else ""


class Applying:
    """The verdicts that leave anything out, laid out so that whole packs are looked at at once."""

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        applying = [verdict for verdict in verdicts if is_applying(verdict)]
        self._ranges = {
            kind: _Ranges([one for one in applying if one.kind is kind])
            for kind in (SubjectKind.VISITOR, SubjectKind.ASSET)
        }

    def __len__(self) -> int:
        return sum(len(ranges.codes) for ranges in self._ranges.values())

    def touches(self, from_ms: int, to_ms: int) -> bool:
        """Tell whether any verdict has a part in a span, so that whatever lies elsewhere costs nothing."""
        return any(ranges.touches(from_ms, to_ms) for ranges in self._ranges.values())

    def reasons(self, *, visitor: Numbers, asset: Numbers, at_ms: Moments) -> dict[int, str]:
        """Return which hits of a pack are left out and why, by their places."""
        found: dict[int, str] = {}
        for kind, column in ((SubjectKind.ASSET, asset), (SubjectKind.VISITOR, visitor)):
            found |= self._ranges[kind].reasons(column, at_ms)
        return dict(sorted(found.items()))

    def mask(self, *, visitor: Numbers, asset: Numbers, at_ms: Moments) -> Mask:
        """Return which hits are left out."""
        is_out = np.zeros(len(at_ms), np.bool_)
        for kind, column in ((SubjectKind.ASSET, asset), (SubjectKind.VISITOR, visitor)):
            is_out |= self._ranges[kind].first(column, at_ms) >= 0
        return is_out


class _Ranges:
    """Ranges of one kind of subject, by subject and beginning."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        ordered = sorted(verdicts, key=lambda one: (one.code, one.from_ms, one.cause.value, one.to_ms))
        self.codes: Numbers = np.array([one.code for one in ordered], np.uint64)
        self._from: Moments = np.array([one.from_ms for one in ordered], np.int64)
        self._to: Moments = np.array([one.to_ms for one in ordered], np.int64)
        self._causes = [one.cause.value for one in ordered]
        sizes = np.unique(self.codes, return_counts=True)[1]
        self._most = int(sizes.max()) if len(sizes) else 0  # ranges of one subject

    def touches(self, from_ms: int, to_ms: int) -> bool:
        return bool(np.any((self._from < to_ms) & (self._to > from_ms)))

    def first(self, column: Numbers, at_ms: Moments) -> NDArray[np.int64]:
        """Return the first range that each hit lies in, -1 for none."""
        found = np.full(len(column), -1, np.int64)
        if not len(self.codes):
            return found
        start = np.searchsorted(self.codes, column)
        # One round for each range that a subject has, and rounds are few: a case goes on as the same verdict.
        for later in range(self._most):
            place = np.minimum(start + later, len(self.codes) - 1)
            is_inside = (self.codes[place] == column) & (column != 0) & (start + later < len(self.codes))
            is_inside &= (self._from[place] <= at_ms) & (at_ms < self._to[place]) & (found < 0)
            found[is_inside] = place[is_inside]
        return found

    def reasons(self, column: Numbers, at_ms: Moments) -> dict[int, str]:
        first = self.first(column, at_ms)
        places = np.flatnonzero(first >= 0)
        return {int(place): self._causes[int(first[place])] for place in places}


class Change(Struct, frozen=True):
    """One version of a brand's verdicts: which were changed, and from which positions on that holds."""

    version: int
    at_ms: int
    by: str
    verdicts: tuple[Verdict, ...]
    since: Mapping[str, int] = {}  # shard -> the last sequence number that was counted without it


def version_at(changes: Iterable[Change], *, shard: str, sequence: int) -> int:
    """Return the version that a record is counted by: the last that was stated before its position; 0 for none."""
    return max((one.version for one in changes if one.since.get(shard, -1) < sequence), default=0)


def as_of(changes: Iterable[Change], version: int) -> list[Verdict]:
    """Return every verdict as it stood at a version, the newest first."""
    standing: dict[str, Verdict] = {}
    for change in sorted(changes, key=lambda one: one.version):
        if change.version <= version:
            standing |= {verdict.id: verdict for verdict in change.verdicts}
    return sorted(standing.values(), key=lambda one: (-one.found_at_ms, one.id))
