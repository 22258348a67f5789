"""What alerts remember of a brand: how its ledger stood minute by minute, and when a hit was last counted. Pure."""

from collections.abc import Mapping

from msgspec import Struct

from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS

FINE_MS = HOUR_MS + 5 * MINUTE_MS  # Samples of this time are kept minute by minute, older ones
COARSE_MS = 15 * MINUTE_MS  # this far apart,
KEEP_MS = DAY_MS + HOUR_MS  # for as long as the usual is told from.
GAP_MS = 3 * MINUTE_MS  # Longer without a look, and what was not seen meanwhile is nobody's silence.
USUAL_MS_MIN = HOUR_MS  # A shorter past is not what is usual.
SAMPLE_MS = 50_000  # A look each minute comes a little early at times.


class Sample(Struct, frozen=True, array_like=True):
    """How a brand's ledger stood at a moment: hits that were counted, and hits that were not."""

    at_ms: int
    counted: int
    lost: int


class Totals(Struct, frozen=True):
    """How a brand's ledger stands now, and when it was last heard of."""

    counted: int = 0
    lost: int = 0
    last_hit_ms: int = 0


class Memory(Struct, frozen=True):
    """What is remembered of a brand between two looks."""

    samples: tuple[Sample, ...] = ()
    counted: int = 0
    counted_at_ms: int = 0  # when the last hit came that was counted
    looked_at_ms: int = 0
    watched_since_ms: int = 0  # since when somebody has looked without a gap


class Span(Struct, frozen=True):
    """What was counted and what was lost between two samples."""

    counted: int
    lost: int
    length_ms: int

    @property
    def share(self) -> float:
        """Return the share of hits that were not counted."""
        every = self.counted + self.lost
        return self.lost / every if every else 0.0


def remembered(memory: Memory, totals: Totals, *, now_ms: int) -> Memory:
    """Return the memory after a look."""
    is_first = not memory.looked_at_ms
    has_gap = is_first or not 0 <= now_ms - memory.looked_at_ms <= GAP_MS
    has_grown = totals.counted > memory.counted
    counted_at_ms = max(memory.counted_at_ms, min(totals.last_hit_ms, now_ms)) if has_grown else memory.counted_at_ms
    return Memory(
        samples=_sampled(memory.samples, totals, now_ms=now_ms),
        counted=totals.counted,
        counted_at_ms=counted_at_ms,
        looked_at_ms=now_ms,
        watched_since_ms=now_ms if has_gap else memory.watched_since_ms,
    )


def is_worth_keeping(before: Memory, after: Memory) -> bool:
    """Tell whether a memory is to be stored: once a minute is often enough, for what lies between is seen again."""
    return before.samples != after.samples or after.watched_since_ms != before.watched_since_ms


def lately(memory: Memory, *, minutes: int) -> Span | None:
    """Return what became of the hits of the last minutes; None when nobody has looked for that long."""
    olds = [one for one in memory.samples if one.at_ms <= memory.looked_at_ms - minutes * MINUTE_MS]
    if not olds or olds[-1] is memory.samples[-1]:
        return None
    found = _span(olds[-1], memory.samples[-1])
    return found if found.length_ms <= minutes * MINUTE_MS + GAP_MS else None


def usual_share(memory: Memory, *, minutes: int) -> float | None:
    """Return the share that was usual in the day before those minutes; None when less than an hour of it is known.

    It is the middle one of stretches of a quarter of an hour, so that one bad hour does not make the next one usual.
    """
    until_ms = memory.looked_at_ms - minutes * MINUTE_MS
    samples = [one for one in memory.samples if one.at_ms <= until_ms]
    if not samples or samples[-1].at_ms - samples[0].at_ms < USUAL_MS_MIN:
        return None
    shares: list[float] = []
    begun = samples[0]
    for one in samples[1:]:
        if one.at_ms - begun.at_ms >= COARSE_MS:
            shares.append(_span(begun, one).share)
            begun = one
    return sorted(shares)[len(shares) // 2]


def plain_from_memory(memory: Memory) -> Mapping[str, object]:
    """Return a memory as it is stored: samples as columns, each a list of whole numbers."""
    return {
        "at": [one.at_ms for one in memory.samples],
        "counted": [one.counted for one in memory.samples],
        "lost": [one.lost for one in memory.samples],
        "now": [memory.counted, memory.counted_at_ms, memory.looked_at_ms, memory.watched_since_ms],
    }


def memory_from_plain(plain: Mapping[str, list[int]]) -> Memory:
    """Return a memory from what is stored of it."""
    samples = zip(plain["at"], plain["counted"], plain["lost"], strict=True)
    counted, counted_at_ms, looked_at_ms, watched_since_ms = plain["now"]
    return Memory(tuple(Sample(*one) for one in samples), counted, counted_at_ms, looked_at_ms, watched_since_ms)


def _sampled(samples: tuple[Sample, ...], totals: Totals, *, now_ms: int) -> tuple[Sample, ...]:
    if samples and 0 <= now_ms - samples[-1].at_ms < SAMPLE_MS:
        return samples
    kept: list[Sample] = []
    for one in samples:
        if not 0 <= now_ms - one.at_ms <= KEEP_MS:
            continue  # It is too old, or a clock was set back.
        if kept and now_ms - one.at_ms > FINE_MS and one.at_ms // COARSE_MS == kept[-1].at_ms // COARSE_MS:
            continue
        kept.append(one)
    return (*kept, Sample(now_ms, totals.counted, totals.lost))


def _span(old: Sample, new: Sample) -> Span:
    # Hits that are counted again may leave a line; nothing was ever lost less than not at all.
    return Span(max(0, new.counted - old.counted), max(0, new.lost - old.lost), new.at_ms - old.at_ms)
