"""Measured traffic: samples become minutes, with every doubt told; what would be a guess is refused.

A sample is a number of hits and the time that it covers. Short holes are bridged and told of, long ones are refused:
whoever plans by a trace should not plan by what we made up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from footfall.planning.traffic import (
    DAY_MINUTES,
    EVENING_HOUR,
    EVENING_TIMES,
    HITS_PER_MINUTE_MAX,
    MINUTES_MAX,
    WEEK_MINUTES,
    Minutes,
    Rhythm,
    require_possible,
    require_span,
)
from footfall.values.errors import Refused
from footfall.values.window import HOUR_MS, MINUTE_MS

HOLE_MINUTES_MAX = 60  # What is bridged: an hour's traffic is like that on both sides of it, a night's is not.
SAMPLES_MAX = 3_000_000  # A month by the second is 2.7 million.
FINDINGS_MAX = 20  # Beyond, they are counted.
JUMP_TIMES = 100.0  # What a sample may be of those beside it before somebody should look.
JUMP_SAMPLES = 5  # on each side: what a sample or two do, the median of five does not see
BLUNT_MS = 15 * MINUTE_MS  # From here on, a sample says little of its busiest minute.
RHYTHM_MS = 6 * HOUR_MS  # From here on, a sample holds both quiet and busy hours: even would be known to be wrong.
_MONDAY_MINUTES = 4 * DAY_MINUTES  # 1970 began on a Thursday; this much later was a Monday.


@dataclass(frozen=True, slots=True)
class Sample:
    """Hits from one moment until another, and the line that says so."""

    line: int
    from_ms: int
    to_ms: int
    hits: float


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """Traffic as it was measured; asked for more than there is, it begins again, by whole weeks or days if it can."""

    per_minute: Minutes
    from_minute: int = 0  # of the week, as all traffic has Monday's midnight as minute 0

    def __post_init__(self) -> None:
        if len(self.per_minute) == 0:
            raise Refused("trace", "it has no minute")
        require_possible(self.per_minute)

    @property
    def period_minutes(self) -> int:
        """Return after how many minutes it begins again."""
        for unit in (WEEK_MINUTES, DAY_MINUTES, 1):
            if len(self.per_minute) >= unit:
                return len(self.per_minute) // unit * unit
        raise AssertionError("a trace has a minute")

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return the measured minutes that fall on the same time of the week, or of the day."""
        require_span(minutes, start_minute)
        period = self.period_minutes
        kept = self.per_minute[-period:]
        first = self.from_minute + len(self.per_minute) - period
        return kept[(np.arange(start_minute, start_minute + minutes) - first) % period]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A trace that was read, and all that was found odd about it."""

    traffic: Traced
    from_ms: int
    findings: tuple[str, ...] = ()


class Findings:
    """Sentences about a trace, a bounded number of them."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._more = 0

    def tell(self, sentence: str) -> None:
        """Add one, or count it."""
        if len(self._told) < FINDINGS_MAX:
            self._told.append(sentence)
        else:
            self._more += 1

    def all(self) -> tuple[str, ...]:
        """Return them, and how many more there were."""
        return (*self._told, *([f"and {self._more} more of such lines"] if self._more else []))


def trace_of(samples: Sequence[Sample], findings: Findings) -> Trace:
    """Return samples that follow each other as a trace; bridge short holes, refuse long ones."""
    if not samples:
        raise Refused("trace", "it has no line with a time and a count")
    first_ms = samples[0].from_ms // MINUTE_MS * MINUTE_MS
    minutes = -(-(samples[-1].to_ms - first_ms) // MINUTE_MS)
    if minutes > MINUTES_MAX:
        raise Refused("trace", f"it goes from {moment(first_ms)} to {moment(samples[-1].to_ms)}, more than ten years")
    covered = [*_in_rhythm(_bridged(samples, findings))]
    _tell_of_blunt_ones(samples, findings)
    _tell_of_jumps(samples, findings)
    _tell_of_steps(samples, findings)
    per_minute = _minutes_of(covered, first_ms, minutes)
    from_minute = (first_ms // MINUTE_MS - _MONDAY_MINUTES) % WEEK_MINUTES
    return Trace(Traced(per_minute, from_minute), first_ms, findings.all())


def require_hits(hits: float, line: int) -> float:
    """Return a count that can be."""
    if not 0 <= hits <= HITS_PER_MINUTE_MAX * MINUTES_MAX:
        raise Refused("trace", f"line {line} has {hits:g} hits, and nobody can have that many")
    return hits


def moment(at_ms: int) -> str:
    """Return a moment as sentences have it."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _bridged(samples: Sequence[Sample], findings: Findings) -> list[Sample]:
    found: list[Sample] = []
    for sample in samples:
        if found and sample.from_ms > found[-1].to_ms:
            found.append(_bridge(found[-1], sample, findings))
        found.append(sample)
    return found


def _bridge(before: Sample, after: Sample, findings: Findings) -> Sample:
    hole_ms = after.from_ms - before.to_ms
    where = f"line {after.line}: nothing is told from {moment(before.to_ms)} to {moment(after.from_ms)}"
    if hole_ms > HOLE_MINUTES_MAX * MINUTE_MS:
        raise Refused(
            "trace",
            f"{where}, {hole_ms // MINUTE_MS} minutes; up to {HOLE_MINUTES_MAX} are bridged: cut it there, or fill it",
        )
    findings.tell(f"{where}; it is taken as the mean of what is beside it")
    return Sample(after.line, before.to_ms, after.from_ms, (_rate(before) + _rate(after)) / 2 * hole_ms)


def _rate(sample: Sample) -> float:
    return sample.hits / max(1, sample.to_ms - sample.from_ms)


def _tell_of_jumps(samples: Sequence[Sample], findings: Findings) -> None:
    rates = np.array([_rate(sample) for sample in samples])
    if len(rates) < 3:
        return
    beside = np.maximum(rates[:-2], rates[2:])
    for place in np.flatnonzero((rates[1:-1] > JUMP_TIMES * beside) & (beside > 0)).tolist():
        sample = samples[place + 1]
        times = rates[place + 1] / beside[place]
        findings.tell(
            f"line {sample.line}: {sample.hits:g} hits are {times:.0f} times what is beside them; they are kept"
        )


def _tell_of_steps(samples: Sequence[Sample], findings: Findings) -> None:
    """Tell where traffic becomes another and stays so: a site moved, or a unit did."""
    reach = min(JUMP_SAMPLES, len(samples) // 2)
    if reach < 3:
        return
    rates = np.array([_rate(sample) for sample in samples])
    # Nothing is taken as one hit a sample, so that a first visitor is no jump and a first million is.
    one = np.array([1 / max(1, sample.to_ms - sample.from_ms) for sample in samples])
    medians = np.median(sliding_window_view(np.maximum(rates, one), reach), axis=1)
    times = medians[reach:] / medians[:-reach]
    places = np.flatnonzero((times > JUMP_TIMES) | (times < 1 / JUMP_TIMES))
    # Medians see a step from a few samples before it on; the middle of those is where it is.
    for seen in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(places) else ():
        place = int(seen[len(seen) // 2])
        by = f"{times[place]:,.0f} times" if times[place] > 1 else f"a {1 / times[place]:,.0f}th of"
        findings.tell(
            f"line {samples[place + reach].line}: from here on there is {by} what was before, and it lasts; it is kept"
        )


def _tell_of_blunt_ones(samples: Sequence[Sample], findings: Findings) -> None:
    lengths = [sample.to_ms - sample.from_ms for sample in samples]
    blunt = sum(length >= BLUNT_MS for length in lengths)
    if blunt:
        findings.tell(
            f"{blunt} of {len(samples)} samples are of {BLUNT_MS // MINUTE_MS} minutes or more, up to "
            f"{max(lengths) / HOUR_MS:g} h: what peaks within them is not known, and the busiest minute may have more"
        )
    coarse = sum(length >= RHYTHM_MS for length in lengths)
    if coarse:
        findings.tell(
            f"{coarse} of {len(samples)} samples are of {RHYTHM_MS // HOUR_MS} hours or more: a day's rhythm is laid "
            f"over them, with {EVENING_TIMES:g} times the morning's hits at {EVENING_HOUR:g}:00 UTC"
        )


def _in_rhythm(samples: Sequence[Sample]) -> Iterator[Sample]:
    """Yield samples, the coarse ones in pieces that rise and fall as a day does; none gains or loses a hit."""
    daily = np.repeat(Rhythm(1.0, week=(1.0,) * 7).hits(DAY_MINUTES), 2)
    for sample in samples:
        length = sample.to_ms - sample.from_ms
        if length < RHYTHM_MS:
            yield sample
            continue
        edges = np.append(np.arange(sample.from_ms, sample.to_ms, BLUNT_MS), sample.to_ms)
        at = (edges[:-1] + edges[1:]) // MINUTE_MS % len(daily)  # half minutes of the day, at the middle of each piece
        shares = daily[at] * np.diff(edges)
        hits = shares * (sample.hits / float(shares.sum()))
        for from_ms, to_ms, part in zip(edges[:-1].tolist(), edges[1:].tolist(), hits.tolist(), strict=True):
            yield Sample(sample.line, from_ms, to_ms, part)


def _minutes_of(samples: Sequence[Sample], first_ms: int, minutes: int) -> Minutes:
    """Return the hits of each minute: each sample is spread evenly over its time."""
    edges = np.array([sample.from_ms for sample in samples] + [samples[-1].to_ms], dtype=np.float64) - first_ms
    total = np.concatenate([[0.0], np.cumsum([sample.hits for sample in samples])])
    at = np.arange(minutes + 1, dtype=np.float64) * MINUTE_MS
    return np.maximum(np.diff(np.interp(at, edges, total)), 0.0)
