"""Members who were erased: marks that whoever reads the watch log applies at once.

The log lies in the store, which only counting writes, and what a session that is open comes to is written later. So
erasing leaves a mark here, which names nobody, and counting takes the names out of the rows when it comes to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from footfall.audience import keys
from footfall.flow.store.watch_log import member_digest
from footfall.flow.store.watched_by import Erased
from footfall.ports.items import Item
from footfall.ports.table import Put, Table, everything

# A session may be open for long, and its row is written when it is over.
KEPT_MS = 35 * 86_400_000


@dataclass(frozen=True, slots=True)
class Mark:
    """Who was erased, and before when what they began to watch names them no more."""

    brand: str
    member: str  # as a digest
    before_ms: int


def mark_erased(table: Table, brand: str, member: str, *, now_ms: int, ahead_ms: int) -> None:
    """Say that all that a member has begun to watch names nobody; players' clocks may be ahead of ours by so much."""
    key = keys.erased(brand, member_digest(member))
    table.put(Put(key, {"before_ms": now_ms + ahead_ms}, expires_at_ms=now_ms + KEPT_MS))


def erased_members(table: Table, brand: str) -> Erased:
    """Return the members of a brand who were erased: one query."""
    first, last = keys.erased_of(brand)
    found = everything(table, keys.ERASED, at_least=first, at_most=last)
    return {one.key.sort.rpartition("#")[2]: _before_ms(one.item) for one in found}


def marks(table: Table) -> Iterator[Mark]:
    """Yield the marks of all brands."""
    for one in everything(table, keys.ERASED):
        brand, _, member = one.key.sort.rpartition("#")
        yield Mark(brand, member, _before_ms(one.item))


def _before_ms(item: Item) -> int:
    before_ms = item.get("before_ms")
    return before_ms if isinstance(before_ms, int) else 0
