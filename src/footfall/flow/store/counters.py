"""Named counters as they are stored: a head for each shard that has met values, and an item for each day that is over.

A head has two pairs of sketches: of the day that is open, and of all that came before it. So a flush writes one item
for a counter, and whoever asks for the whole reads one. docs/formats/store.md draws them.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from footfall.flow.store import keys
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.table import Absent, Delete, Equals, Item, Present, Put, Table, Update, Value, everything
from footfall.sketches.errors import NotASketch
from footfall.sketches.stored_theta import bytes_from_theta, theta_from_bytes
from footfall.sketches.theta import Theta, no_theta, theta_union
from footfall.sketches.uniques import NAMED_LG_K, Uniques, merged, no_uniques
from footfall.sketches.uniques_bytes import bytes_from_uniques, uniques_from_bytes
from footfall.values.window import Grain, Window


@dataclass(frozen=True, slots=True)
class Sketches:
    """What is kept of a set of values: registers to count and unite it, hashes to tell what it shares with others."""

    uniques: Uniques
    theta: Theta


NO_SKETCHES = Sketches(no_uniques(NAMED_LG_K), no_theta())


@dataclass(frozen=True, slots=True)
class Counter:
    """What a shard holds of a named counter."""

    name: str
    generation: int = 0  # the record that made it anew, by deleting or replacing it; days of others do not count
    before: Sketches = NO_SKETCHES
    day: Window | None = None  # the one that is open
    today: Sketches = NO_SKETCHES
    since_ms: int | None = None  # the start of the first day in which it met a value
    has_shares: bool = True  # False: an HLL sketch was imported without its Theta sketch
    is_gone: bool = False

    @property
    def whole(self) -> Sketches:
        """Return the sketches of all that it has met."""
        return united([self.before, self.today])


@dataclass(frozen=True, slots=True)
class StoredCounter:
    """A counter and the last record that it holds."""

    counter: Counter
    through: int


@dataclass(frozen=True, slots=True)
class StoredDay:
    """A day that is over, of one shard, and the last record that it holds."""

    sketches: Sketches
    through: int


def united(parts: list[Sketches]) -> Sketches:
    """Return the sketches of what is in any of the sets."""
    if len(parts) == 1:
        return parts[0]
    uniques = merged((one.uniques for one in parts), lg_k=NAMED_LG_K)
    return Sketches(uniques, theta_union([one.theta for one in parts]))


def load_counter(table: Table, brand: str, name: str, part: str) -> StoredCounter | None:
    """Return what a shard holds of a counter; None when it has never met it."""
    item = table.get(keys.counter_head(brand, name, part))
    return None if item is None else _stored_from(item)


def load_counters(table: Table, brand: str, name: str) -> dict[str, Counter]:
    """Return what each shard holds of a counter that is there; none when there is no such counter."""
    partition = keys.counter_partition(brand, name)
    found = everything(table, partition, at_least=keys.HEADS_FROM, at_most=keys.HEADS_TO)
    counters = {keys.part_from_head(one.key): _stored_from(one.item).counter for one in found}
    return {part: counter for part, counter in counters.items() if not counter.is_gone}


def save_counter(
    table: Table,
    brand: str,
    part: str,
    stored: StoredCounter,
    *,
    replaces: int | None,
    expires_at_ms: int | None = None,
) -> None:
    """Write what a shard holds of a counter in the place of what was read, or raise Changed."""
    condition = Absent() if replaces is None else Equals("through", replaces)
    key = keys.counter_head(brand, stored.counter.name, part)
    table.put(Put(key, _item_from(stored), expires_at_ms=expires_at_ms, expects=(condition,)))


def load_day(table: Table, brand: str, part: str, counter: Counter, day: Window) -> StoredDay | None:
    """Return a day of a counter that is over; None when it has met nothing in it."""
    key = keys.counter_day(brand, counter.name, part=part, generation=counter.generation, start_ms=day.from_ms)
    item = table.get(key)
    return None if item is None else _day_from(item)


def save_day(  # noqa: PLR0913 - whose day it is, what is in it, and how it is written
    table: Table,
    brand: str,
    part: str,
    counter: Counter,
    day: Window,
    stored: StoredDay,
    *,
    replaces: int | None,
    expires_at_ms: int,
) -> None:
    """Write a day that is over in the place of what was read, or raise Changed."""
    key = keys.counter_day(brand, counter.name, part=part, generation=counter.generation, start_ms=day.from_ms)
    condition = Absent() if replaces is None else Equals("through", replaces)
    item = {"through": stored.through, "to_ms": day.to_ms, **_sketches_item(stored.sketches, "")}
    table.put(Put(key, item, expires_at_ms=expires_at_ms, expects=(condition,)))


def days_of(table: Table, brand: str, part: str, counter: Counter, *, from_ms: int, to_ms: int) -> Iterator[Sketches]:
    """Yield the days of a counter that lie in a span of whole days, the open one among them."""
    start = keys.counter_day(brand, counter.name, part=part, generation=counter.generation, start_ms=from_ms)
    end = keys.counter_day(brand, counter.name, part=part, generation=counter.generation, start_ms=to_ms)
    for found in everything(table, start.partition, at_least=start.sort, at_most=end.sort):
        if found.key.sort < end.sort:
            yield _day_from(found.item).sketches
    if counter.day is not None and from_ms <= counter.day.from_ms < to_ms:
        yield counter.today


def expire_days(table: Table, brand: str, name: str, *, ended_by_ms: int) -> None:
    """Let every day of a counter expire that ended by a moment."""
    partition = keys.counter_partition(brand, name)
    for head in everything(table, partition, at_least=keys.HEADS_FROM, at_most=keys.HEADS_TO):
        part, generation = keys.part_from_head(head.key), _number(head.item, "generation")
        first = keys.counter_days(part, generation)
        last = keys.counter_day(brand, name, part=part, generation=generation, start_ms=ended_by_ms).sort
        for one in everything(table, partition, at_least=first, at_most=last):
            to_ms = _number(one.item, "to_ms")
            if to_ms <= ended_by_ms:
                with suppress(Changed):  # It has gone by itself.
                    table.update(Update(one.key, expires_at_ms=to_ms, expects=(Present(),)))


def forget_days(table: Table, brand: str, part: str, name: str) -> None:
    """Remove every day of a counter that a shard has written."""
    partition, first = keys.counter_partition(brand, name), keys.counter_days(part)
    found = [one.key for one in everything(table, partition, at_least=first, at_most=f"{first}~")]
    for key in found:
        table.delete(Delete(key))


def note_name(table: Table, brand: str, shard: int, name: str) -> None:
    """List a counter among those that there are."""
    table.put(Put(keys.Key(keys.counter_names(brand, shard), name), {}))


def forget_name(table: Table, brand: str, shard: int, name: str) -> None:
    """List a counter no more."""
    table.delete(Delete(keys.Key(keys.counter_names(brand, shard), name)))


def names_in(table: Table, brand: str, shard: int, *, after: str = "", at_once: int | None = None) -> Iterator[str]:
    """Yield the names of a brand's counters in a shard that follow a name, in the order of their UTF-8 bytes."""
    partition = keys.counter_names(brand, shard)
    place = keys.Key(partition, after) if after else None
    while True:
        page = table.query(partition, after=place, limit=at_once)
        yield from (found.key.sort for found in page.items)
        place = page.after
        if place is None:
            return


def count_names(table: Table, brand: str, shard: int) -> int:
    """Return how many counters of a brand a shard has."""
    return sum(1 for _ in everything(table, keys.counter_names(brand, shard)))


def _item_from(stored: StoredCounter) -> Item:
    counter = stored.counter
    item: dict[str, Value] = {
        "name": counter.name,
        "generation": counter.generation,
        "through": stored.through,
        "gone": counter.is_gone,
        "shares": counter.has_shares,
    }
    if counter.is_gone:
        return item
    item |= _sketches_item(counter.before, "")
    if counter.since_ms is not None:
        item["since_ms"] = counter.since_ms
    if counter.day is not None:
        item |= {"day_from_ms": counter.day.from_ms, "day_to_ms": counter.day.to_ms}
        item |= _sketches_item(counter.today, "day_")
    return item


def _stored_from(item: Item) -> StoredCounter:
    day_from_ms, since_ms = item.get("day_from_ms"), item.get("since_ms")
    has_day, is_gone = isinstance(day_from_ms, int), item.get("gone") is True
    counter = Counter(
        name=str(item.get("name")),
        generation=_number(item, "generation"),
        before=NO_SKETCHES if is_gone else _sketches_from(item, ""),
        day=Window(Grain.DAY, _number(item, "day_from_ms"), _number(item, "day_to_ms")) if has_day else None,
        today=_sketches_from(item, "day_") if has_day else NO_SKETCHES,
        since_ms=since_ms if isinstance(since_ms, int) else None,
        has_shares=item.get("shares") is not False,
        is_gone=is_gone,
    )
    return StoredCounter(counter, _number(item, "through"))


def _day_from(item: Item) -> StoredDay:
    return StoredDay(_sketches_from(item, ""), _number(item, "through"))


def _sketches_item(sketches: Sketches, prefix: str) -> dict[str, Value]:
    uniques, theta = bytes_from_uniques(sketches.uniques), bytes_from_theta(sketches.theta)
    return {f"{prefix}uniques": uniques, f"{prefix}theta": theta}


def _sketches_from(item: Mapping[str, Value], prefix: str) -> Sketches:
    uniques, theta = item.get(f"{prefix}uniques"), item.get(f"{prefix}theta")
    if not isinstance(uniques, bytes) or not isinstance(theta, bytes):
        raise Corrupt("a named counter has no sketches; count it again with footfall recount, or restore the store")
    try:
        return Sketches(uniques_from_bytes(uniques), theta_from_bytes(theta))
    except NotASketch as error:
        raise Corrupt(f"a named counter is damaged: {error}") from error


def _number(item: Mapping[str, Value], name: str) -> int:
    value = item.get(name, 0)
    if not isinstance(value, int):
        raise Corrupt(f"{name!r} of a named counter is {value!r}, not a whole number; restore the store")
    return value
