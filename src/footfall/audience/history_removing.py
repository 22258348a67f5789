"""What a member may do to their history: hide it from lists, remove it, take it away as lines, and have it erased."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from footfall.audience import history_keys as keys
from footfall.audience.history import (
    KEPT_MS,
    RECENT_STEP_MS,
    SEQUENCE_MAX,
    Entry,
    entry_from,
    order_of,
)
from footfall.audience.history_reading import latest_of
from footfall.audience.kept_lists import Kept, Row
from footfall.ports.errors import Changed
from footfall.ports.items import Item, Value
from footfall.ports.table import BATCH_ITEMS_MAX, Delete, Equals, Found, Key, Present, Put, Table, Update, everything

# A device that was away tells late where somebody was; what was removed meanwhile does not come back by that.
REMOVED_KEPT_MS = 7 * 86_400_000
ERASED_AT_ONCE = 500
RACES_MAX = 5  # Each is lost to whoever watched or hid the same series at the same moment.

Write = Put | Delete


def hide(table: Table, brand: str, member: str, *, series: str, now_ms: int) -> bool:
    """Leave a series out of lists until it is watched again; tell whether there is one."""
    update = Update(
        keys.latest(brand, member, series=series),
        set={"hidden_ms": now_ms},
        remove=frozenset({"viewer"}),
        expects=(Present(), Equals("gone", None)),
    )
    return _is_done(lambda: table.update(update))


def show(table: Table, brand: str, member: str, *, series: str) -> bool:
    """Let lists have a series again that was hidden; tell whether there is one."""
    update = Update(
        keys.latest(brand, member, series=series),
        set={"viewer": keys.history(brand, member)},
        remove=frozenset({"hidden_ms"}),
        expects=(Present(), Equals("gone", None)),
    )
    return _is_done(lambda: table.update(update))


def remove_asset(table: Table, brand: str, member: str, *, series: str, asset: str, now_ms: int) -> None:
    """Remove an asset from a history; the series then shows the newest episode that is left of it."""
    with table.together():
        table.put(_removed(keys.episode(brand, member, series=series, asset=asset), now_ms))
        for _ in range(RACES_MAX):
            last = latest_of(table, brand, member, series=series)
            if last is None or last.asset != asset:
                return
            left = _newest_left(table, brand, member, series=series, hidden_ms=last.hidden_ms)
            key = keys.latest(brand, member, series=series)
            put = _removed(key, now_ms) if left is None else Put(key, left, expires_at_ms=now_ms + KEPT_MS)
            # Whoever watched it again meanwhile is not undone, nor is whoever hid it.
            expects = (Equals("asset", asset), Equals("hidden_ms", last.hidden_ms))
            if _is_done(partial(table.put, Put(put.key, put.item, put.expires_at_ms, expects))):
                return


def remove_series(table: Table, brand: str, member: str, *, series: str, now_ms: int) -> None:
    """Remove all of a series from a history."""
    at_least, at_most = keys.episodes(series)
    found = everything(table, keys.history(brand, member), at_least=at_least, at_most=at_most)
    removed = [_removed(one.key, now_ms) for one in found]
    write_all(table, [_removed(keys.latest(brand, member, series=series), now_ms), *removed])


def kept(table: Table, brand: str, member: str) -> Kept:
    """Return everything that is kept of a member's history, each as an object of its own."""
    return Kept(table, keys.history(brand, member), _rows)


def erase_some(table: Table, partition: str, *, limit: int) -> int:
    """Delete up to so many items of a partition and return how many there were; 0 when none is left."""
    found = [one.key for one in table.query(partition, limit=limit).items]
    write_all(table, [Delete(key) for key in found])
    return len(found)


def erase_history(table: Table, brand: str, member: str) -> int:
    """Delete a member's whole history and return how many items it had; done again it finds what came meanwhile."""
    deleted = 0
    while found := erase_some(table, keys.history(brand, member), limit=ERASED_AT_ONCE):
        deleted += found
    return deleted


def write_all(table: Table, writes: Iterable[Write]) -> None:
    """Write any number of items, 25 at a time."""
    rest = iter(writes)
    while batch := list(islice(rest, BATCH_ITEMS_MAX)):
        table.write(batch)


def _removed(key: Key, now_ms: int) -> Put:
    item: dict[str, Value] = {"order": order_of(now_ms, SEQUENCE_MAX), "gone": True}
    return Put(key, item, expires_at_ms=now_ms + REMOVED_KEPT_MS)


def _newest_left(table: Table, brand: str, member: str, *, series: str, hidden_ms: int | None) -> Item | None:
    at_least, at_most = keys.episodes(series)
    left: list[tuple[Entry, Item]] = []
    for found in everything(table, keys.history(brand, member), at_least=at_least, at_most=at_most):
        entry = entry_from(found.item)
        if entry is not None:
            left.append((entry, found.item))
    if not left:
        return None
    entry, item = max(left, key=lambda one: one[0].at_ms)
    dropped = {"times", "counted", "watched_ms"}
    facts = {name: value for name, value in item.items() if name not in dropped}
    facts["recent_ms"] = entry.at_ms - entry.at_ms % RECENT_STEP_MS
    if hidden_ms is not None:
        facts["hidden_ms"] = hidden_ms
    if hidden_ms is None or entry.at_ms > hidden_ms:  # What was hidden is in no list whatever else goes.
        facts["viewer"] = keys.history(brand, member)
    return facts


def _rows(found: Sequence[Found]) -> Iterator[Row]:
    for one in found:
        if "gone" not in one.item:
            is_episode = one.key.sort.startswith(keys.EPISODES)
            yield {"kind": "episode" if is_episode else "series", **_told(one.item)}


def _told(item: Item) -> Mapping[str, object]:
    return {name: value for name, value in item.items() if name not in ("viewer", "recent_ms", "order")}


def _is_done(write: Callable[[], object]) -> bool:
    try:
        write()
    except Changed:
        return False
    return True
