"""Rows of the watch log by member: found without looking through the log, and left without a name when that is erased.

A row that is left without a name keeps what was watched, when and for how long, so that minutes and the money that was
divided by them stay. What names a row is gone after the row's name, so that a stop between the two loses neither.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from footfall.flow.store import keys
from footfall.flow.store.watch_log import WatchRow, member_digest, row_from, session_digest
from footfall.ports.errors import Changed
from footfall.ports.table import Delete, Found, Present, Table, Update, everything

# Members by their digests, each with the moment before which what they began to watch names them no more.
Erased = Mapping[str, int]


def without_erased(row: WatchRow, erased: Erased) -> WatchRow:
    """Return a row as it may be shown: without its name when its member was erased after it began."""
    if not erased or not row.member or row.from_ms >= erased.get(member_digest(row.member), 0):
        return row
    # Rows of one session are told apart from those of another, also without a name.
    return replace(row, session=session_digest(row.session), member="", device="")


def rows_named(table: Table, brand: str, member: str, names: Iterable[Found]) -> Iterator[WatchRow]:
    """Yield the rows that some items of `watched_by_partition` name as a member's, day after day: a get for each."""
    for found in names:
        named = keys.watched_row(brand, found.key)
        item = table.get(named.key)
        if item is not None and item.get("member") == member:
            yield row_from(item, brand=brand, day_ms=named.day_ms, shard=named.shard)


def erase_rows_of(table: Table, brand: str, member: str, *, before_ms: int, limit: int) -> int:
    """Take the name out of up to so many rows of a member (a digest) that began before; return how many there were."""
    done = 0
    for found in everything(table, keys.watched_by_partition(brand, member)):
        if done >= limit:
            return done
        from_ms = found.item.get("from_ms")
        if isinstance(from_ms, int) and from_ms >= before_ms:
            continue
        _erase(table, keys.watched_row(brand, found.key))
        table.delete(Delete(found.key))
        done += 1
    return done


def _erase(table: Table, row: keys.WatchedRow) -> None:
    nameless = Update(
        row.key, set={"session": row.session}, remove=frozenset({"member", "device"}), expects=(Present(),)
    )
    try:
        table.update(nameless)
    except Changed:
        return  # It has expired meanwhile.
