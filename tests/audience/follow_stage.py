"""The follow graph on a table that counts what is asked of it."""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience import following
from footfall.audience.follows import Follows
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.audience.things import Thing
from footfall.ports.table import Action, Delete, Item, Key, Page, Put, Table, Update
from footfall.values.clock import SetClock
from tests.engines.dynamodb import table_of

NOW_MS = 1_794_744_000_000
BRAND = "daily"
GROUNDS = ("sqlite", "dynamodb")


class CountedTable:
    """A table, how often each of its operations was called, and what they write by partition keys, in units."""

    def __init__(self, table: Table) -> None:
        self.inner = table
        self.calls: Counter[str] = Counter()
        self.partitions: Counter[str] = Counter()  # those of the index with them, all for small items

    def get(self, key: Key) -> Item | None:
        self.calls["get"] += 1
        return self.inner.get(key)

    def put(self, put: Put) -> None:
        self.calls["put"] += 1
        self._write(put, 1)
        self.inner.put(put)

    def write(self, batch: Sequence[Put | Delete]) -> None:
        self.calls["write"] += 1
        self.inner.write(batch)

    def update(self, update: Update) -> Item:
        self.calls["update"] += 1
        return self.inner.update(update)

    def delete(self, delete: Delete) -> None:
        self.calls["delete"] += 1
        self.inner.delete(delete)

    def transact(self, actions: Sequence[Action]) -> None:
        self.calls["transact"] += 1
        self.calls["actions"] += len(actions)
        for action in actions:
            self._write(action, 2)
        self.inner.transact(actions)

    def query(self, partition: str, **how: Any) -> Page:
        self.calls["query"] += 1
        return self.inner.query(partition, **how)

    def together(self) -> AbstractContextManager[None]:
        return self.inner.together()

    def _write(self, action: Action, units: int) -> None:
        self.partitions[action.key.partition] += units
        if isinstance(action, Put) and "to" in action.item:
            self.partitions[str(action.item["to"])] += 1

    def taken(self) -> dict[str, int]:
        """Return what was called since the last time."""
        calls, self.calls = dict(self.calls), Counter()
        return calls


class Stage:
    """The graph, its table and its clock."""

    def __init__(
        self, table: Table, clock: SetClock, *, uncounted: Sequence[str] = (), follows_max: int = 5_000
    ) -> None:
        self.clock = clock
        self.table = CountedTable(table)
        self.follows = Follows(self.table, clock=clock, uncounted=uncounted, follows_max=follows_max)

    def again(self, **rules: Any) -> "Stage":
        """Return another process on the same table."""
        return Stage(self.table.inner, self.clock, **rules)

    def follow(self, follower: Thing, *targets: Thing) -> None:
        for target in targets:
            self.clock.advance(1)
            self.follows.follow(BRAND, follower, target)

    def all_followers(self, target: Thing, *, limit: int = 100) -> list[Thing]:
        """Return all followers, read a page at a time."""
        found: list[Thing] = []
        after: str | None = ""
        while after is not None:
            page = following.followers(self.follows, BRAND, target, limit=limit, after=after)
            found += [one.thing for one in page.items]
            after = page.after
        return found

    def all_followed(self, follower: Thing, *, limit: int = 100) -> list[Thing]:
        """Return all that somebody follows, read a page at a time."""
        found: list[Thing] = []
        after: str | None = ""
        while after is not None:
            page = following.following(self.follows, BRAND, follower, limit=limit, after=after)
            found += [one.thing for one in page.items]
            after = page.after
        return found


def new_stage(request: pytest.FixtureRequest, ground: str, **rules: Any) -> Stage:
    """Return an empty graph on one of the grounds."""
    clock = SetClock(NOW_MS)
    if ground == "sqlite":
        return Stage(SqliteTable(":memory:", clock=clock, indexes=AUDIENCE_INDEXES), clock, **rules)
    engine = request.getfixturevalue("dynamodb")
    client = engine.shared()
    names = engine.names(client, indexes=AUDIENCE_INDEXES)
    return Stage(table_of(client, names, clock=clock, indexes=AUDIENCE_INDEXES), clock, **rules)


def member(id: object) -> Thing:
    return Thing("member", str(id))


def series(id: object) -> Thing:
    return Thing("series", str(id))
