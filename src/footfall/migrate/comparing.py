"""What should lie in the table of an entity, what does, and in which attributes the two differ."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from footfall.migrate import keys
from footfall.migrate.merkle import plain_of
from footfall.migrate.moved import Items, Moved, fence_of, item_of, moved_from, unpacked
from footfall.migrate.shapes import Target
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.items import Item, Value
from footfall.ports.relational import Seen, Side
from footfall.ports.table import Key, Table, everything
from footfall.values.errors import Refused

READS_MAX = 10  # of an entity that is written while it is read
SHOWN_CHARACTERS_MAX = 200  # of a value in a report
UNREADABLE = "cannot be read"


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One attribute of one item that is not as it should be; without an attribute it is the whole item."""

    key: str  # of the entity; empty for an item that is no entity's
    partition: str
    sort: str
    attribute: str
    expected: str | None  # None: it should not be there
    actual: str | None  # None: it is not there


@dataclass(frozen=True, slots=True)
class Comparing:
    """Looks at the items of one kind of entity in one table."""

    table: Table
    entity: str
    target: Target

    def expected(self, seen: Seen, *, epoch: int) -> Items:
        """Return what an entity should be in the table by what was seen of it at the source: move item and all."""
        items: Items = {}
        refused = ""
        if seen.document is not None:
            try:
                items = self.target.items(seen.key, seen.document)
            except Refused as error:
                refused = str(error)
        fence = fence_of(epoch, seen.clock)
        moved = Moved(fence, Side.OLD, epoch, seen.document, tuple(items), refused=refused)
        return self._with_move(seen.key, items, moved)

    def expected_aside(self, seen: Seen, actual: Items, *, epoch: int) -> Items | None:
        """Return what should be there of an entity that was set aside for a reason the source does not tell."""
        move = actual.get(keys.moved(self.entity, seen.key), {})
        fence = fence_of(epoch, seen.clock)
        if move.get("fence") != fence or not isinstance(reason := move.get("refused"), str):
            return None
        document = seen.document if "document" in move else None
        return self._with_move(seen.key, {}, Moved(fence, Side.OLD, epoch, document, refused=reason))

    def expected_here(self, key: str, actual: Items) -> Items | None:
        """Return what should be there of an entity that the table answers for; None: its move item tells nothing."""
        try:
            moved = moved_from(actual[keys.moved(self.entity, key)])
            items: Items = {} if moved.document is None else self.target.items(key, moved.document)
        except (KeyError, TypeError, ValueError, AttributeError, msgspec.MsgspecError, Refused):
            return None
        whole = Moved(moved.fence, moved.side, moved.epoch, moved.document, tuple(items))
        return self._with_move(key, items, whole)

    def actual(self, key: str, *, also: Iterable[Key] = ()) -> Items:
        """Return all that lies in the table of an entity, as of one moment, with what lies at further places."""
        place = keys.moved(self.entity, key)
        wanted = set(also) - {place}
        move = self.table.get(place)
        for _ in range(READS_MAX):
            items, before = self._items(wanted | told_keys(move)), move
            move = self.table.get(place)
            if move == before:
                return items if move is None else {**items, place: _readable(move)}
        raise Changed(f"{key!r} was written each time it was read; verify it again")

    def move_item(self, key: str) -> Item | None:
        """Return an entity's move item alone."""
        move = self.table.get(keys.moved(self.entity, key))
        return None if move is None else _readable(move)

    def _items(self, wanted: set[Key]) -> dict[Key, Item]:
        own = self.target.places(wanted).own
        items = {found.key: found.item for partition in own for found in everything(self.table, partition)}
        for at in sorted(wanted):
            if at.partition not in own:
                try:
                    item = self.table.get(at)
                except Corrupt as error:
                    item = {UNREADABLE: str(error)}
                if item is not None:
                    items[at] = item
        return items

    def _with_move(self, key: str, items: Items, moved: Moved) -> Items:
        return {**items, keys.moved(self.entity, key): _readable(item_of(moved))}


def differences(key: str, expected: Items, actual: Items) -> Iterator[Difference]:
    """Yield in what an entity is not as it should be."""
    for at in sorted({*expected, *actual}):
        wanted, found = expected.get(at), actual.get(at)
        if wanted is None or found is None:
            shown = [None if item is None else _shown(dict(item)) for item in (wanted, found)]
            yield Difference(key, at.partition, at.sort, "", *shown)
            continue
        for name in sorted({*wanted, *found}):
            if not _is_same(wanted, found, name):
                shown = [_shown(item[name]) if name in item else None for item in (wanted, found)]
                yield Difference(key, at.partition, at.sort, name, *shown)


def _is_same(one: Item, other: Item, name: str) -> bool:
    if (name in one) != (name in other):
        return False
    return _encoded(one[name]) == _encoded(other[name])


def _encoded(value: Value) -> bytes:
    return msgspec.json.encode(plain_of(value), order="deterministic")


def _shown(value: Value | Mapping[str, Value]) -> str:
    text = _encoded(value).decode()
    return text if len(text) <= SHOWN_CHARACTERS_MAX else f"{text[:SHOWN_CHARACTERS_MAX]}..."


def _readable(move: Item) -> Item:
    """Return a move item whose document is not packed, for the same rows may be packed in other ways."""
    content = move.get("document")
    if not isinstance(content, bytes):
        return move
    try:
        return {**move, "document": unpacked(content)}
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the bytes, they are not what they should be
        return {**move, "document": f"{UNREADABLE}: {error}"}


def told_keys(item: Item | None) -> set[Key]:
    """Return the keys that an item names, those that can be read."""
    told = (item or {}).get("keys")
    texts = [one for one in told if isinstance(one, str)] if isinstance(told, list) else []
    return {Key(*one.split("\n", 1)) for one in texts if 0 < one.find("\n") < len(one) - 1}
