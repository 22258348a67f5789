"""The reasons of a span: told from what was noted at its ends, where both are beginnings of a brand's days."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from footfall.flow.store.checkpoints import Checkpoint
from footfall.flow.store.reason_days import load_reasons, totals_of
from footfall.ports.table import Table
from footfall.values.period import Span


@dataclass(frozen=True, slots=True)
class Reasons:
    """Hits by reason, most first; since and until when they were counted, None: from the beginning, and until now."""

    hits: Mapping[str, int]
    since_ms: int | None = None
    until_ms: int | None = None


def reasons_in(table: Table, brand: str, span: Span, checkpoints: Iterable[Checkpoint], *, now_ms: int) -> Reasons:
    """Return the reasons of a span when they were noted at its ends, else those since the beginning."""
    totals = totals_of(checkpoints, brand)
    first = load_reasons(table, brand, span.from_ms)
    if first is None:
        return Reasons(_most_first(totals))
    if span.to_ms > now_ms:
        return Reasons(_between(first.totals, totals), first.noted_at_ms)
    last = load_reasons(table, brand, span.to_ms)
    if last is None:
        return Reasons(_most_first(totals))
    return Reasons(_between(first.totals, last.totals), first.noted_at_ms, last.noted_at_ms)


def _between(first: Mapping[str, int], last: Mapping[str, int]) -> dict[str, int]:
    """Return what was added; it is less than nothing where hits were taken back that had been screened before."""
    return _most_first({reason: last.get(reason, 0) - first.get(reason, 0) for reason in {*first, *last}})


def _most_first(hits: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(((name, count) for name, count in hits.items() if count), key=lambda one: (-one[1], one[0])))
