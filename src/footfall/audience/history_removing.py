"""What a member may do to their history: hide it from lists, remove it, take it away as lines, and have it erased."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from footfall.audience import history_keys as keys
from footfall.audience.history import (
    COUNTED,
    KEPT_MS,
    RECENT_STEP_MS,
    SEQUENCE_MAX,
    TIMES,
    WATCHED_AT,
    order_of,
    whole,
)
from footfall.audience.history_marks import ALL_REMOVED, REMOVED_KEPT_MS, Marks, as_read, is_mark, marks_after, unmarked
from footfall.audience.kept_lists import Kept, Row
from footfall.ports.errors import Changed, Throttled
from footfall.ports.items import Item, Value
from footfall.ports.table import BATCH_ITEMS_MAX, Delete, Equals, Found, Key, Present, Put, Table, Update, everything

ERASED_AT_ONCE = 500
RACES_MAX = 5  # Each is lost to whoever watched or hid the same series at the same moment.
_INNER = ("viewer", "recent_ms", "order")

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
    key = keys.latest(brand, member, series=series)
    with table.together():
        table.put(_removed(keys.episode(brand, member, series=series, asset=asset), now_ms))
        for _ in range(RACES_MAX):
            last = table.get(key)
            marks = marks_after(last or {}, asset, now_ms=now_ms)
            shown = {"gone": True} if last is None else unmarked(last)
            if shown.get("asset") == asset:
                episodes = _episodes(table, brand, member, series=series)
                shown = _newest_left(episodes, last=shown, marks=marks, viewer=key.partition)
            kept_ms = REMOVED_KEPT_MS if "gone" in shown else KEPT_MS
            # Whoever watched it again meanwhile is not undone, nor is whoever hid it or removed another.
            put = Put(key, marks.on(shown), expires_at_ms=now_ms + kept_ms, expects=as_read(last))
            if _is_done(partial(table.put, put)):
                return
        raise Throttled(f"others write the same series of {brand!r} at this moment; try again")


def remove_series(table: Table, brand: str, member: str, *, series: str, now_ms: int) -> None:
    """Remove all of a series from a history."""
    removed = [_removed(one.key, now_ms) for one in _episodes(table, brand, member, series=series)]
    whole_series = _removed(keys.latest(brand, member, series=series), now_ms, all_of_it=True)
    write_all(table, [whole_series, *removed])


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


def _removed(key: Key, now_ms: int, *, all_of_it: bool = False) -> Put:
    order = order_of(now_ms, SEQUENCE_MAX)
    item: dict[str, Value] = {"order": order, "gone": True}
    if all_of_it:
        item[ALL_REMOVED] = order
    return Put(key, item, expires_at_ms=now_ms + REMOVED_KEPT_MS)


def _episodes(table: Table, brand: str, member: str, *, series: str) -> Iterator[Found]:
    at_least, at_most = keys.episodes(series)
    return everything(table, keys.history(brand, member), at_least=at_least, at_most=at_most)


def _newest_left(episodes: Iterable[Found], *, last: Item, marks: Marks, viewer: str) -> dict[str, Value]:
    """Return what a series' item tells once the asset that it told of is removed."""
    # What arrived late, after all of the series had been removed, is kept and in no list.
    left = [one.item for one in episodes if "gone" not in one.item and _order(one.item) > marks.all_removed]
    hidden_ms = last.get("hidden_ms")
    facts: dict[str, Value] = {} if hidden_ms is None else {"hidden_ms": hidden_ms}
    if not left:
        return {**facts, "gone": True}
    newest = max(left, key=_order)
    facts |= {name: value for name, value in newest.items() if name not in (TIMES, COUNTED, WATCHED_AT)}
    at_ms = whole(newest["at_ms"])
    facts["recent_ms"] = at_ms - at_ms % RECENT_STEP_MS
    if hidden_ms is None or at_ms > whole(hidden_ms):  # What was hidden is in no list whatever else goes.
        facts["viewer"] = viewer
    return facts


def _order(item: Item) -> int:
    return whole(item["order"])


def _rows(found: Sequence[Found]) -> Iterator[Row]:
    for one in found:
        if "gone" not in one.item:
            is_episode = one.key.sort.startswith(keys.EPISODES)
            yield {"kind": "episode" if is_episode else "series", **_told(one.item)}


def _told(item: Item) -> Mapping[str, object]:
    return {name: value for name, value in item.items() if name not in _INNER and not is_mark(name)}


def _is_done(write: Callable[[], object]) -> bool:
    try:
        write()
    except Changed:
        return False
    return True
