"""The journal: which windows each write of a shard touched, so that readers look only at what changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import xxhash

from footfall.flow.store import keys
from footfall.ports.errors import Corrupt
from footfall.ports.table import Put, Table, Value, everything
from footfall.values.window import Grain, Window

KEPT_MS = 3_600_000  # A reader that was away for longer starts anew.
SHARED_KEPT_MS = 3 * KEPT_MS  # Where hours are built within the next, whoever builds one looks there for its minutes.
WINDOWS_MAX = 4_000  # Some 60 bytes each: an item's room. Beyond it a reader is told to look at everything.


@dataclass(frozen=True, slots=True, order=True)
class Touched:
    """One brand's window that was written to."""

    brand: str
    window: Window


@dataclass(frozen=True, slots=True)
class News:
    """What happened since a reader last looked: up to which number, where, and whether that is all of it."""

    number: int
    touched: Sequence[Touched]
    is_whole: bool = True


def write_journal(
    table: Table, shard: int, number: int, touched: Iterable[Touched], *, now_ms: int, is_shared: bool = False
) -> None:
    """Write the journal's entry for a checkpoint's number; of two who try where that is shared, each has its own."""
    windows = sorted(touched)
    listed: list[Value] = [
        [one.brand, str(one.window.grain), one.window.from_ms, one.window.to_ms] for one in windows[:WINDOWS_MAX]
    ]
    item: Mapping[str, Value] = {"windows": listed, "whole": len(windows) <= WINDOWS_MAX}
    checksum = xxhash.xxh3_64_hexdigest(repr(windows).encode()) if is_shared else ""
    kept_ms = SHARED_KEPT_MS if is_shared else KEPT_MS
    table.put(Put(keys.journal(shard, number, checksum), item, expires_at_ms=now_ms + kept_ms))


def read_journal(table: Table, shard: int, *, after: int, now_number: int) -> News:
    """Return what was touched after a number, up to the checkpoint's number as it was read before."""
    if after == now_number:
        return News(after, ())
    touched: set[Touched] = set()
    found: set[int] = set()
    is_whole = True
    for entry in everything(
        table,
        keys.journal_partition(shard),
        at_least=keys.journal(shard, after + 1).sort,
        at_most=keys.journal_end(shard, now_number),
    ):
        windows = entry.item.get("windows")
        if not isinstance(windows, Sequence) or isinstance(windows, str | bytes):
            raise Corrupt(f"the journal's entry {entry.key.sort} lists no windows")
        touched.update(_touched_from(one) for one in windows)
        is_whole = is_whole and bool(entry.item.get("whole"))
        found.add(keys.journal_number(entry.key))
    return News(now_number, sorted(touched), is_whole=is_whole and len(found) == now_number - after)


def _touched_from(value: Value) -> Touched:
    match value:
        case [str(brand), str(grain), int(from_ms), int(to_ms)]:
            return Touched(brand, Window(Grain(grain), from_ms, to_ms))
        case _:
            raise Corrupt(f"the journal names a window {value!r}")
