"""Heads: in how many shards a thing's followers lie, whether it is private, and whether it blocks anybody.

Most things have none. A head has a version, which stands in each of its count items as well: whoever writes a follow
writes one of these anyhow, on the condition that the head is still the one that was known. So a head is remembered
without harm, and changing one, which is rare, writes all of its count items. Each shard has one.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from footfall.audience import keys
from footfall.audience.things import Thing
from footfall.ports.table import Action, Condition, Equals, Found, Item, Key, Put, Table, Update
from footfall.values.clock import Clock

SHARDS_BY_FOLLOWERS = ((1_000_000, 64), (10_000, 16))  # More than the first number: so many shards.
SHARDS_MAX = 64  # One transaction changes a head with all of its count items, and has at most 100 actions.
REMEMBERED_MS = 60_000
REMEMBERED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Head:
    """What is to be known of a thing before it is followed."""

    version: int | None = None  # None: there is no head
    shards: int = 1
    is_private: bool = False
    has_blocked: bool = False
    was_private: bool = False  # ever, also now: only then may somebody have asked

    @property
    def expected(self) -> Sequence[Condition]:
        """Return what holds of the head and of its count items as long as nobody changes it."""
        return (Equals("v", self.version),)


NO_HEAD = Head()


class Heads:
    """The heads of all things, as far as this process knows them."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._known: OrderedDict[Key, tuple[Head, int]] = OrderedDict()

    def known(self, brand: str, thing: Thing) -> Head:
        """Return the head as it was a minute ago at most; of a thing that nothing is known of, none."""
        return self._remembered(keys.head(brand, thing)) or NO_HEAD

    def looked_up(self, brand: str, thing: Thing) -> Head:
        """Return the head as it was a minute ago at most; of a thing that nothing is known of, as it is."""
        return self._remembered(keys.head(brand, thing)) or self.read(brand, thing)

    def read(self, brand: str, thing: Thing) -> Head:
        """Return the head as it is, and remember it."""
        key = keys.head(brand, thing)
        head = head_from_item(self._table.get(key))
        self._known.pop(key, None)
        self._known[key] = (head, self._clock.now_ms() + REMEMBERED_MS)
        if len(self._known) > REMEMBERED_MAX:
            self._known.popitem(last=False)
        return head

    def forget(self, brand: str, thing: Thing) -> None:
        """Look anew the next time."""
        self._known.pop(keys.head(brand, thing), None)

    def _remembered(self, key: Key) -> Head | None:
        found = self._known.get(key)
        return found[0] if found is not None and 0 <= found[1] - self._clock.now_ms() <= REMEMBERED_MS else None


def head_from_item(item: Item | None) -> Head:
    """Return the head that is stored."""
    if item is None:
        return NO_HEAD
    version, shards = item["v"], item["shards"]
    assert isinstance(version, int)
    assert isinstance(shards, int)
    return Head(version, shards, bool(item.get("private")), bool(item.get("blocks")), bool(item.get("asked")))


def changed_head(brand: str, thing: Thing, before: Head, after: Head, *, is_counted: bool) -> dict[Key, Put | Update]:
    """Return the writes that change a head, by their keys."""
    version = (before.version or 0) + 1
    key = keys.head(brand, thing)
    item: dict[str, str | int | bool] = {
        # It stands in the index before all followers, so that whoever reads those finds it without a second query.
        "to": keys.followers(brand, thing, 0), "at_us": keys.HEAD_AT_US, "v": version, "shards": after.shards,
    }  # fmt: skip
    if after.is_private:
        item["private"] = True
    if after.has_blocked:
        item["blocks"] = True
    if after.was_private:
        item["asked"] = True
    writes: dict[Key, Put | Update] = {key: Put(key, item, expects=before.expected)}
    for shard in range(after.shards if is_counted else 0):
        count = keys.count_of_followers(brand, thing, shard)
        writes[count] = Update(count, set={"v": version})
    return writes


def counted(table: Table, brand: str, thing: Thing) -> list[Found]:
    """Return a thing's counts and its head: one query, and of a divided thing a get for each shard but the first."""
    found = list(table.query(keys.counts(brand, thing)).items)
    head = head_from_item(next((one.item for one in found if one.key == keys.head(brand, thing)), None))
    for shard in range(1, head.shards):
        key = keys.count_of_followers(brand, thing, shard)
        item = table.get(key)
        if item is not None:
            found.append(Found(key, item))
    return found


def followers_in(found: Sequence[Found]) -> int:
    """Return how many followers the count items of all shards say together."""
    return sum(number_in(one.item) for one in found if one.key.sort.startswith(keys.FOLLOWERS_COUNTED))


def number_in(item: Item) -> int:
    """Return the number of a count item."""
    number = item.get("n", 0)
    assert isinstance(number, int)
    return number


def grown(head: Head, followers: int) -> Head | None:
    """Return the head with more shards, if so many followers need them."""
    wanted = next((shards for more_than, shards in SHARDS_BY_FOLLOWERS if followers > more_than), 1)
    return replace(head, shards=wanted) if wanted > head.shards else None


def with_added(writes: dict[Key, Put | Update], more: Sequence[Action]) -> list[Action]:
    """Return both as the actions of one transaction: two that write one count item become one."""
    joined: dict[Key, Action] = dict(writes)
    for action in more:
        there = joined.get(action.key)
        if isinstance(there, Update) and isinstance(action, Update):
            joined[action.key] = replace(there, add=action.add, expects=action.expects)
        else:
            assert there is None, f"{action.key} is written twice"
            joined[action.key] = action
    return list(joined.values())
