"""What the door had screened a brand's hits for when each of its days began: the ledger's reasons without verdicts.

The ledger adds up from the beginning. Two of these, taken from each other, tell of the days between; what verdicts have
moved since then lies beside the ledger (moved_lines.py).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.table import Absent, Item, Put, Table


@dataclass(frozen=True, slots=True)
class ReasonDay:
    """The reasons until a day's beginning, and the moment at which they were noted, shortly after it."""

    day_ms: int
    noted_at_ms: int
    totals: Mapping[str, int]


def totals_of(checkpoints: Iterable[Checkpoint], brand: str) -> Counter[str]:
    """Return how many hits were screened for which reason, as the ledgers of all shards say together."""
    totals = Counter[str]()
    for one in checkpoints:
        if brand in one.lines:
            totals.update(one.lines[brand].screened)
    return totals


def note_reasons(table: Table, brand: str, noted: ReasonDay, *, expires_at_ms: int) -> None:
    """Write down the reasons until a day's beginning; what was noted before stays."""
    item: Item = {"noted_at_ms": noted.noted_at_ms, "reasons": dict(noted.totals)}
    key = keys.reasons_at(brand, noted.day_ms)
    try:
        table.put(Put(key, item, expires_at_ms=expires_at_ms, expects=(Absent(),)))
    except Changed:
        return  # Somebody was faster, or this one was, before it began anew.


def load_reasons(table: Table, brand: str, day_ms: int) -> ReasonDay | None:
    """Return the reasons until a day's beginning; None when nobody noted them."""
    item = table.get(keys.reasons_at(brand, day_ms))
    if item is None:
        return None
    noted_at_ms, reasons = item.get("noted_at_ms"), item.get("reasons")
    if not isinstance(noted_at_ms, int) or not isinstance(reasons, Mapping):
        raise Corrupt(f"the reasons of {brand} at {day_ms} make no sense; restore the store from a backup")
    return ReasonDay(day_ms, noted_at_ms, {name: hits for name, hits in reasons.items() if isinstance(hits, int)})
