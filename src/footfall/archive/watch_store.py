"""Watches as they lie in the table, how far each has come, and what a brand's day has left for them."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import convert, structs, to_builtins

from footfall.archive import watch_keys as keys
from footfall.archive.watching import (
    SAYS_CHARACTERS_MAX,
    WATCHES_MAX,
    PageRule,
    RequireAddress,
    Turn,
    UnknownWatch,
    Watch,
    watch_with,
)
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import Absent, Delete, Equals, Key, Put, Table, Update, everything
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, instant_text

SPENT_KEEP_MS = 3 * DAY_MS


class WatchStore:
    """The watches of all brands in one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def all(self) -> Sequence[Watch]:
        """Return the watches of every brand."""
        return [_watch(one.item) for one in everything(self._table, keys.WATCHES)]

    def of(self, brand: str) -> Sequence[Watch]:
        """Return a brand's watches, the oldest first."""
        found = everything(self._table, keys.WATCHES, at_least=f"{brand}#", at_most=f"{brand}#~")
        return sorted((_watch(one.item) for one in found), key=lambda one: (one.created_at_ms, one.id))

    def one(self, brand: str, watch_id: str) -> Watch:
        """Return a watch of a brand, or raise UnknownWatch."""
        item = self._table.get(keys.watch(brand, watch_id[:64]))
        if item is None:
            raise UnknownWatch("id", f"{watch_id[:40]!r} is not a watch of {brand!r}")
        return _watch(item)

    def planned(
        self, new: Watch, document: Mapping[str, Any], *, require_address: RequireAddress, periods: Sequence[str]
    ) -> Watch:
        """Return the watch that a document would make, or raise Refused."""
        if "rule" not in document:
            raise Refused("rule", "is missing or not an object; it has a kind, page or popular")
        if len(self.of(new.brand)) >= WATCHES_MAX:
            raise Refused("watches", f"of {new.brand!r} are {WATCHES_MAX} already; remove those that nobody needs")
        return watch_with(new, document, require_address=require_address, periods=periods)

    def add(self, made: Watch) -> None:
        """Keep a new watch."""
        self._table.put(Put(keys.watch(made.brand, made.id), _item(made), expects=(Absent(),)))

    def change(self, before: Watch, after: Watch) -> Watch:
        """Put a watch in the place of what it was; another rule, or one that is on again, begins at once."""
        after = structs.replace(after, version=before.version + 1)
        expects = (Equals("version", before.version),)
        self._table.put(Put(keys.watch(after.brand, after.id), _item(after), expects=expects))
        if after.rule != before.rule or (after.is_on and not before.is_on):
            self._table.update(Update(keys.turn(after.brand, after.id), set={"next_at_ms": 0}, add={"version": 1}))
        return after

    def remove(self, watch: Watch) -> None:
        """Forget a watch; what it kept stays."""
        self._table.delete(Delete(keys.watch(watch.brand, watch.id)))
        self._table.delete(Delete(keys.turn(watch.brand, watch.id)))

    def turn_of(self, watch: Watch) -> Turn:
        """Return how far a watch has come."""
        item = self._table.get(keys.turn(watch.brand, watch.id))
        return Turn() if item is None else convert(dict(item), Turn)

    def take_turn(self, watch: Watch, before: Turn, after: Turn) -> bool:
        """Store how far a watch has come; tell whether nobody else did meanwhile."""
        expects = (Equals("version", before.version),) if before.version else (Absent(),)
        after = structs.replace(after, version=before.version + 1, says=after.says[:SAYS_CHARACTERS_MAX])
        try:
            self._table.put(Put(keys.turn(watch.brand, watch.id), to_builtins(after), expects=expects))
        except Changed:
            return False
        return True

    def spent(self, brand: str, *, now_ms: int) -> int:
        """Return how many captures a brand's watches have asked for on the day (UTC)."""
        item = self._table.get(_spent_key(brand, now_ms=now_ms))
        return 0 if item is None else convert(item["captures"], int)

    def spend(self, brand: str, *, now_ms: int) -> None:
        """Count one more."""
        key = _spent_key(brand, now_ms=now_ms)
        self._table.update(Update(key, add={"captures": 1}, expires_at_ms=now_ms + SPENT_KEEP_MS))


def new_watch(watch_id: str, brand: str, *, by: str, now_ms: int) -> Watch:
    """Return a watch of which nothing is known yet."""
    return Watch(id=watch_id, brand=brand, name="", rule=PageRule("", 0), created_at_ms=now_ms, by=by)


def _item(watch: Watch) -> Item:
    return to_builtins(watch)


def _watch(item: Item) -> Watch:
    return convert(dict(item), type=Watch)


def _spent_key(brand: str, *, now_ms: int) -> Key:
    return keys.spent(brand, instant_text(now_ms)[:10])
