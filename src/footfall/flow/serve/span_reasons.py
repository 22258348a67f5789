"""The reasons of a span: those of the whole days that hold it, where their beginnings were noted, else of all time."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from footfall.flow.store.checkpoints import LINES, NEVER_MS, Checkpoint
from footfall.flow.store.moved_lines import door_totals_of, moved_in
from footfall.flow.store.reason_days import load_reasons, totals_of
from footfall.ports.table import Table
from footfall.values.period import Span
from footfall.values.window import Grain, window_of


@dataclass(frozen=True, slots=True)
class Reasons:
    """Hits by reason, most first; since and until when they were counted, None: from the beginning, and until now."""

    hits: Mapping[str, int]
    since_ms: int | None = None
    until_ms: int | None = None


def reasons_in(
    table: Table, brand: str, span: Span, checkpoints: Iterable[Checkpoint], *, zone: str, now_ms: int
) -> Reasons:
    """Return the reasons of the days that hold a span when they were noted, else those since the beginning."""
    shards = list(checkpoints)
    totals = Reasons(_most_first(totals_of(shards, brand)))
    from_ms = window_of(span.from_ms, Grain.DAY, zone).from_ms
    to_ms = window_of(span.to_ms - 1, Grain.DAY, zone).to_ms
    first = load_reasons(table, brand, from_ms)
    moved = [moved_in(one) for one in shards]
    if first is None or any(one.since_ms > from_ms for one in moved):
        return totals
    is_open = to_ms > now_ms
    last = None if is_open else load_reasons(table, brand, to_ms)
    if last is None and not is_open:
        return totals
    hits = Counter(door_totals_of(shards, brand) if last is None else last.totals)
    hits.subtract(first.totals)
    for one in moved:
        hits.update(one.between(brand, from_ms, NEVER_MS if last is None else to_ms))
    reasons = {reason: count for reason, count in hits.items() if reason not in LINES}
    return Reasons(_most_first(reasons), first.noted_at_ms, None if last is None else last.noted_at_ms)


def _most_first(hits: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(((name, count) for name, count in hits.items() if count), key=lambda one: (-one[1], one[0])))
