"""What happens on the way to DynamoDB changes nothing twice, loses nothing, and never snowballs."""

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.dynamodb_calls import Patience
from footfall.adapters.aws.dynamodb_errors import Doubtful
from footfall.adapters.aws.dynamodb_items import Names, stored_from_item
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.ports.errors import Changed, Throttled, Unavailable
from footfall.ports.table import Absent, Check, Delete, Equals, Key, Present, Put, Update, everything
from footfall.values.clock import SetClock
from tests.engines.dynamodb import DynamoDbEngine
from tests.engines.faults import Bucket, Faults

NOON_MS = 1_794_744_000_000
KEY = Key("abc#M#2026-11-15T12:00Z", "s00")
OTHER = Key("abc#M#2026-11-15T12:00Z", "s01")
LOST = ["timeout before", "timeout after", "dropped before", "dropped after", "500"]
CALL_MS = 5


@dataclass
class World:
    """A table, the faults in front of it, a rival without any, and a clock that moves when somebody waits."""

    engine: DynamoDbEngine
    client: Any
    other: Any
    clock: SetClock = field(default_factory=lambda: SetClock(NOON_MS))
    names: Names = field(init=False)
    faults: Faults = field(init=False)
    table: DynamoDbTable = field(init=False)
    rival: DynamoDbTable = field(init=False)

    def __post_init__(self) -> None:
        self.names = self.engine.names(self.other)
        self.faults = Faults(self.client, clock=self.clock, call_ms=CALL_MS)
        self.table, self.rival = self.table_of(self.client, 1), self.table_of(self.other, 2)

    def table_of(self, client: Any, chance: int) -> DynamoDbTable:
        return DynamoDbTable(
            client,
            self.names,
            clock=self.clock,
            chance=Random(chance),
            pause=lambda seconds: self.clock.advance(max(1, round(seconds * 1_000))),
            patience=Patience(Backoff(attempts_max=4), throttled_ms=20_000),
        )


@pytest.fixture(scope="module")
def clients(dynamodb: DynamoDbEngine) -> tuple[Any, Any]:
    return dynamodb.client(), dynamodb.client()


@pytest.fixture
def world(dynamodb: DynamoDbEngine, clients: tuple[Any, Any]) -> Iterator[World]:
    world = World(dynamodb, *clients)
    with closing(world.faults):
        yield world


@pytest.mark.parametrize("fault", LOST)
def test_a_conditional_put_whose_answer_is_lost_is_done_once_and_told_so(world: World, fault: str) -> None:
    world.faults.plan("PutItem", [fault])
    world.table.put(Put(KEY, {"through": 1}, expects=[Absent()]))
    assert world.rival.get(KEY) == {"through": 1}
    world.faults.plan("PutItem", [fault, fault])
    world.table.put(Put(KEY, {"through": 2}, expects=[Equals("through", 1)]))
    assert world.rival.get(KEY) == {"through": 2}


def test_a_rival_that_wrote_the_very_same_item_is_told_from_us(world: World) -> None:
    world.rival.put(Put(KEY, {"owner": "somebody"}, expects=[Absent()]))
    world.faults.plan("PutItem", ["timeout before"])
    with pytest.raises(Unavailable):
        world.table.put(Put(KEY, {"owner": "somebody"}, expects=[Absent()]))


def test_a_condition_that_fails_at_once_is_plainly_changed(world: World) -> None:
    world.rival.put(Put(KEY, {"through": 1}))
    with pytest.raises(Changed):
        world.table.put(Put(KEY, {}, expects=[Absent()]))


@pytest.mark.parametrize("fault", LOST)
def test_an_update_that_adds_is_never_added_twice(world: World, fault: str) -> None:
    world.table.update(Update(KEY, add={"n": 1}))
    world.faults.plan("UpdateItem", [fault])
    try:
        assert world.table.update(Update(KEY, add={"n": 1})) == {"n": 2}
    except Doubtful:
        assert fault.endswith("before")
        assert world.rival.get(KEY) == {"n": 1}
    else:
        assert world.rival.get(KEY) == {"n": 2}


@pytest.mark.parametrize("fault", LOST)
def test_an_update_that_only_sets_is_made_again(world: World, fault: str) -> None:
    world.rival.put(Put(KEY, {"through": 1}))
    world.faults.plan("UpdateItem", [fault])
    update = Update(KEY, set={"through": 2}, set_add={"s": frozenset({"a"})}, expects=[Equals("through", 1)])
    assert world.table.update(update) == {"through": 2, "s": frozenset({"a"})} == world.rival.get(KEY)


@pytest.mark.parametrize("fault", LOST)
def test_a_transaction_whose_answer_is_lost_is_done_once(world: World, fault: str) -> None:
    world.rival.put(Put(OTHER, {}))
    world.faults.plan("TransactWriteItems", [fault])
    world.table.transact([Update(KEY, add={"n": 1}), Check(OTHER, [Present()])])
    assert world.rival.get(KEY) == {"n": 1}


def test_a_conditional_delete_in_doubt_stays_in_doubt(world: World) -> None:
    world.rival.put(Put(KEY, {"through": 1}))
    world.faults.plan("DeleteItem", ["timeout after"])
    with pytest.raises(Unavailable):
        world.table.delete(Delete(KEY, expects=[Present()]))
    assert world.rival.get(KEY) is None


@pytest.mark.parametrize("fault", [*LOST, "throttled"])
def test_reads_and_batches_are_made_again(world: World, fault: str) -> None:
    world.faults.plan("BatchWriteItem", [fault, fault])
    world.table.write([Put(KEY, {"a": 1}), Delete(OTHER)])
    for operation in ("GetItem", "Query"):
        world.faults.plan(operation, [fault])
    assert world.table.get(KEY) == {"a": 1}
    assert [found.key for found in world.table.query(KEY.partition).items] == [KEY]


def test_what_a_batch_leaves_over_is_written_alone(world: World) -> None:
    world.faults.batch_items_max = 7
    keys = [Key("p", f"{number:02d}") for number in range(25)]
    world.table.write([Put(key, {}) for key in keys])
    assert [found.key for found in everything(world.rival, "p")] == keys


def test_a_ground_that_never_answers_is_unavailable_and_one_that_never_takes_is_throttled(world: World) -> None:
    world.faults.plan("PutItem", ["timeout before"] * 4)
    with pytest.raises(Unavailable):
        world.table.put(Put(KEY, {}))
    world.faults.bucket = Bucket(world.clock, units_per_s=0.0)
    with pytest.raises(Throttled):
        world.table.put(Put(KEY, {}))
    with pytest.raises(Throttled):
        world.table.write([Put(KEY, {})])
    assert world.clock.now_ms() - NOON_MS < 60_000


@dataclass(frozen=True)
class Storm:
    """A table with 2.5 times too little capacity for what comes, until all of it is written."""

    units_per_s: int
    storm_s: int = 8
    excess: float = 2.5

    @property
    def items(self) -> int:
        return round(self.units_per_s * self.excess * self.storm_s)

    @property
    def ideal_ms(self) -> float:
        return 1_000 * (self.items - self.units_per_s) / self.units_per_s  # The first second's worth was saved up.


Writer = Callable[[World, list[Put]], None]


def ours(world: World, batch: list[Put]) -> None:
    world.table.write(batch)


def naive(world: World, batch: list[Put]) -> None:
    """Send what was left over again at once, as a writer without a pace does."""
    stored = [stored_from_item(world.names, put.key, put.item, expires_at_ms=None) for put in batch]
    waiting = [{"PutRequest": {"Item": item}} for item in stored]
    while waiting:
        with suppress(world.client.exceptions.ProvisionedThroughputExceededException):
            answer = world.client.batch_write_item(RequestItems={world.names.table: waiting})
            waiting = answer["UnprocessedItems"].get(world.names.table, [])


def run(world: World, storm: Storm, write: Writer) -> float:
    """Write what comes, at the speed at which it comes or slower, and return how long it took."""
    world.faults.bucket = Bucket(world.clock, units_per_s=storm.units_per_s)
    began_ms, written = world.clock.now_ms(), 0
    while written < storm.items:
        came = round(storm.units_per_s * storm.excess * (world.clock.now_ms() - began_ms) / 1_000)
        ready = min(25, min(came, storm.items) - written)
        if ready < 1:
            world.clock.advance(10)
            continue
        write(world, [Put(Key("storm", f"{number:06d}"), {"n": number}) for number in range(written, written + ready)])
        written += ready
    return world.clock.now_ms() - began_ms


@pytest.mark.parametrize("units_per_s", [25, 100, 400])
def test_too_little_capacity_costs_at_most_a_tenth_more_attempts_and_loses_nothing(
    world: World, units_per_s: int
) -> None:
    storm = Storm(units_per_s, storm_s=24 if units_per_s < 100 else 8 if units_per_s == 100 else 4)
    took_ms = run(world, storm, ours)
    assert [found.item["n"] for found in everything(world.rival, "storm")] == list(range(storm.items))
    assert world.faults.items_sent <= 1.10 * storm.items
    assert took_ms <= 1.2 * storm.ideal_ms
    assert world.table.counted.attempts == world.faults.items_sent


@pytest.mark.soak
def test_ten_minutes_of_too_little_capacity_cost_no_more(world: World) -> None:
    storm = Storm(100, storm_s=600)
    took_ms = run(world, storm, ours)
    assert world.faults.items_sent <= 1.10 * storm.items
    assert took_ms <= 1.2 * storm.ideal_ms


def test_the_snowball_a_writer_that_sends_again_at_once_attempts_each_item_many_times(world: World) -> None:
    storm = Storm(100, storm_s=1)
    run(world, storm, naive)
    assert world.faults.items_sent > 2 * storm.items
