"""Requests that did not prove themselves, counted by brand and reason: since the start, and by day in the table."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from footfall.accounts.unproven import Why
from footfall.ports.table import Key, Table, Update, everything
from footfall.values.window import DAY_MS, instant_text

KEPT_DAYS = 35

_PARTITION = "unproven"
REFUSED, LET_IN = "refused", "letIn"


class Line(Struct, frozen=True, order=True):
    """One kind of request that did not prove itself."""

    brand: str
    why: str
    outcome: str  # REFUSED, or LET_IN where the brand does not ask for what was wrong


class ProofCounts:
    """What one process has counted. Brands come from keys and reasons are few, so it stays small."""

    def __init__(self) -> None:
        self._total: Counter[Line] = Counter()
        self._unstored: Counter[Line] = Counter()

    def note(self, brand: str, why: Why, *, was_refused: bool) -> None:
        """Count one request."""
        line = Line(brand, why.value, REFUSED if was_refused else LET_IN)
        self._total[line] += 1
        self._unstored[line] += 1

    @property
    def total(self) -> Mapping[Line, int]:
        """Return what was counted since the start."""
        return self._total

    def take_unstored(self) -> Counter[Line]:
        """Return what is to be stored, and let go of it."""
        taken, self._unstored = self._unstored, Counter()
        return taken

    def give_back(self, counts: Mapping[Line, int]) -> None:
        """Take back what could not be stored."""
        self._unstored.update(counts)


def store_counts(table: Table, counts: Mapping[Line, int], *, now_ms: int) -> None:
    """Add counts to those of the day."""
    day_ms = now_ms // DAY_MS * DAY_MS
    by_brand: dict[str, dict[str, int]] = {}
    for line, count in counts.items():
        by_brand.setdefault(line.brand, {})[f"{line.outcome}:{line.why}"] = count
    for brand, added in sorted(by_brand.items()):
        key = Key(_PARTITION, f"{brand}#{instant_text(day_ms)}")
        table.update(Update(key, add=added, expires_at_ms=day_ms + KEPT_DAYS * DAY_MS))


def stored_counts(table: Table, brand: str, *, from_ms: int, to_ms: int) -> Counter[Line]:
    """Return what all processes have counted of a brand on the days of UTC from one moment to another."""
    found: Counter[Line] = Counter()
    first, last = (f"{brand}#{instant_text(at_ms // DAY_MS * DAY_MS)}" for at_ms in (from_ms, to_ms))
    for one in everything(table, _PARTITION, at_least=first, at_most=last):
        for name, count in one.item.items():
            outcome, _, why = name.partition(":")
            if isinstance(count, int):
                found[Line(brand, why, outcome)] += count
    return found
