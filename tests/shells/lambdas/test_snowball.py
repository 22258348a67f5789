"""A store that takes less than comes: the count function falls behind, loses nothing, and makes nothing worse.

The design that this one learned from wrote what was refused again at once, on top of what came next, and never caught
up. The same hits go through the same function here, on a clock that moves when somebody waits.
"""

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.dynamodb_calls import Patience
from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.adapters.aws.kinesis_records import data_from_entries
from footfall.adapters.aws.kinesis_shards import hash_key_of, partition_key_of
from footfall.adapters.aws.pace import Pace
from footfall.app.answering import Answering
from footfall.app.settings import Settings
from footfall.flow.store.checkpoints import Lines, load_checkpoint
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.ports.table import Table
from footfall.shells.lambdas.count import Count
from footfall.values.clock import Clock, SetClock
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.dynamodb import DynamoDbEngine
from tests.engines.faults import Bucket, Faults
from tests.flow.count.aws_stage import id_of
from tests.shells.lambdas.events import kinesis_events

NOON_MS = 1_794_744_000_000
EVERY_MS = 1_000  # how often an event comes
EXCESS = 2.5
CALL_MS = 5
FUNCTION_MS = 300_000
DELIVERIES_MAX = 500
EVENTS = 14
SHARDS = 4
QUESTIONS = ("period=justnow", "period=day", "period=day&section=news", "period=day&resourceType=video&limit=5")
LOST = ("timeout before", "timeout after", "dropped before", "dropped after", "500", "throttled")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")

Event = dict[str, Any]


class AtOnce(Pace):
    """The pace of a writer that has none: what was refused is sent again at once."""

    def wait_ms(self, units: float) -> float:
        """Return no wait."""
        return 0.0

    def portion(self, units: float) -> float:
        """Return all of it."""
        return units

    def refused(self) -> None:
        """Learn nothing."""


@dataclass(frozen=True, slots=True)
class Left:
    """A context as Lambda gives it, on the test's clock."""

    clock: SetClock
    ends_at_ms: int

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still run."""
        return self.ends_at_ms - self.clock.now_ms()


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run has done, and what readers see after it."""

    took_ms: int
    items: int
    attempts: int
    units: int
    deliveries: int
    calls: Counter[str]
    ledger: Lines
    lists: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with the store."""

    units_per_s: float = 0.0  # 0: as many as are wanted
    is_lossy: bool = False
    is_naive: bool = False


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground(shards=SHARDS)


@pytest.fixture
def client(dynamodb: DynamoDbEngine) -> Any:
    return dynamodb.client()


def hits_of(number: int, shard: int, chance: Random) -> tuple[Pack, tuple[tuple[int, bytes], ...]]:
    assets = [f"{shard}-{min(int(chance.expovariate(0.2)), 40)}" for _ in range(25)]
    keys = [(one, chance.choice(("news", "sport")), chance.choice(("article", "video")), "free") for one in assets]
    # Every fifth hit has an id, and some of those came before.
    ids = tuple((place, id_of(f"{shard}.{chance.randrange(number * 5 + 5)}")) for place in range(0, 25, 5))
    return Pack(VERSION, RULES, NOON_MS + number * EVERY_MS, keys), ids


def put_hits(ground: AwsGround, count: int) -> list[Event]:
    """Put hits into the stream, and return what the source hands over: in each event a record of every shard."""
    chance, sequence = Random(8), 0
    for number in range(count):
        records: list[dict[str, Any]] = []
        for shard in range(SHARDS):
            sequence += 1
            pack, ids = hits_of(number, shard, chance)
            entry = Entry(shard, "abc", len(pack.keys), record_from_pack(pack), pack.arrived_at_ms, ids=ids)
            data = data_from_entries([entry], shards=SHARDS, producer=b"producer", number=sequence)
            where = {"PartitionKey": partition_key_of(shard), "ExplicitHashKey": str(hash_key_of(shard, shards=SHARDS))}
            records.append({"Data": data, **where})
        assert not ground.kinesis.put_records(StreamName=ground.settings.aws_stream, Records=records)[
            "FailedRecordCount"
        ]
    (whole,) = kinesis_events(ground)
    events = [whole["Records"][first : first + SHARDS] for first in range(0, sequence, SHARDS)]
    for number, records in enumerate(events):
        for record in records:  # They came when the test's clock says so.
            record["kinesis"]["approximateArrivalTimestamp"] = (NOON_MS + number * EVERY_MS) / 1_000
    return [{"Records": records} for records in events]


@contextmanager
def store_of(
    client: Any, clock: SetClock, trouble: Trouble
) -> Generator[tuple[Faults, Callable[[Settings, Clock], DynamoDbTable]]]:
    """Yield the faults before the store, and how a function opens it."""
    with closing(Faults(client, clock=clock, call_ms=CALL_MS)) as faults:
        if trouble.units_per_s:
            faults.bucket = Bucket(clock, units_per_s=trouble.units_per_s)

        def pause(seconds: float) -> None:
            clock.advance(1 if trouble.is_naive else max(1, round(seconds * 1_000)))

        def opened(settings: Settings, at: Clock) -> DynamoDbTable:
            names = Names(settings.aws_store_table)
            # Where answers are lost, it gives up so soon that events have to come again.
            patience = Patience(Backoff(attempts_max=2)) if trouble.is_lossy else Patience()
            table = DynamoDbTable(
                client, names, clock=at, chance=Random(1), pause=pause, patience=patience, has_transactions=False
            )
            if trouble.is_naive:
                table._calls.pace = AtOnce(at)
            return table

        yield faults, opened


def run(ground: AwsGround, client: Any, count: int, trouble: Trouble) -> Ran:
    """Hand every event over when it has come and the one before is counted, again and again where it has to be."""
    clock, chance, deliveries = SetClock(NOON_MS), Random(3), 0
    events = put_hits(ground, count)
    with store_of(client, clock, trouble) as (faults, opened):
        function = Count(ground.settings, clock, open_store=opened)
        for number, event in enumerate(events):
            clock.advance(max(0, NOON_MS + number * EVERY_MS - clock.now_ms()))
            for _ in deliveries_of(function, event, clock):
                deliveries += 1
                assert deliveries < DELIVERIES_MAX + count, "it never ends"
                if trouble.is_lossy:
                    plan_losses(faults, chance)
        took_ms = clock.now_ms() - NOON_MS
    seen = seen_by_readers(ground, client, count)
    return Ran(took_ms, faults.items_taken, faults.items_sent, faults.units_taken, deliveries, faults.sent, *seen)


def deliveries_of(function: Count, event: Event, clock: SetClock) -> Iterator[int]:
    """Deliver an event until nothing of it is left, and yield before each delivery how many records it has."""
    records: list[dict[str, Any]] = event["Records"]
    while records:
        yield len(records)
        answer = function.answer({"Records": records}, Left(clock, clock.now_ms() + FUNCTION_MS))
        failed = [int(one["itemIdentifier"]) for one in answer["batchItemFailures"]]
        records = [one for one in records if failed and int(one["kinesis"]["sequenceNumber"]) >= min(failed)]


def plan_losses(faults: Faults, chance: Random) -> None:
    """Have some of the next calls go wrong, every third time so many that the function gives up."""
    faults.forget_plans()
    faults.batch_items_max = chance.choice((1, 2, 25))
    for operation in (*WRITES, "GetItem", "Query"):
        faults.plan(operation, ["well" if chance.random() < 0.8 else chance.choice(LOST) for _ in range(6)])
    if chance.random() < 0.33:
        faults.plan(chance.choice(WRITES), chance.choices(LOST, k=3))


def seen_by_readers(ground: AwsGround, client: Any, events: int) -> tuple[Lines, tuple[bytes, ...]]:
    """Return the ledger and lists of a brand at the moment at which the last hit came."""
    clock = SetClock(NOON_MS + events * EVERY_MS)
    names = Names(ground.settings.aws_store_table)
    table: Table = DynamoDbTable(
        client, names, clock=clock, chance=Random(2), pause=lambda _: None, has_transactions=False
    )
    lines = Lines()
    for shard in range(SHARDS):
        checkpoint = load_checkpoint(table, shard)
        assert checkpoint is not None
        lines.add(checkpoint.lines["abc"])
    answering = Answering(ground.settings, table, clock=clock)
    answering.refresh()
    told = [answering.answer(f"brand=abc&{question}") for question in QUESTIONS]
    return lines, tuple(items_of(one) for one in told)


def items_of(told: Any) -> bytes:
    assert told is not None
    assert not told[2], told[2]
    return json.dumps(json.loads(bytes(told[5]))["items"]).encode()


def require_no_snowball(ran: Ran, *, units_per_s: float, events: int) -> None:
    """Fail unless the store was asked hardly more often than it took, and for hardly longer than it had to be."""
    ideal_ms = max(1_000 * (ran.units - units_per_s) / units_per_s, (events - 1) * EVERY_MS)
    assert ran.attempts <= 1.10 * ran.items, f"{ran.attempts} attempts for {ran.items} items"
    assert ran.took_ms <= 1.2 * ideal_ms, f"{ran.took_ms} ms, {ideal_ms:.0f} would do"


def capacity_for(plain: Ran, events: int) -> float:
    """Return the units a second of a store that is too small by the excess."""
    return plain.units / (events * EVERY_MS / 1_000) / EXCESS


_plain: dict[int, Ran] = {}  # by the number of events; it is the same for every test


def plain_run(new_ground: NewGround, client: Any, events: int) -> Ran:
    """Return what becomes of events when nothing goes wrong."""
    if events not in _plain:
        _plain[events] = run(new_ground(shards=SHARDS), client, events, Trouble())
    plain = _plain[events]
    assert plain.ledger.counted + plain.ledger.duplicate == events * SHARDS * 25
    assert min(plain.ledger.counted, plain.ledger.duplicate) > 0
    assert plain.deliveries == events
    return plain


def require_storm_survived(new_ground: NewGround, client: Any, events: int) -> None:
    plain = plain_run(new_ground, client, events)
    units_per_s = capacity_for(plain, events)
    ran = run(new_ground(shards=SHARDS), client, events, Trouble(units_per_s))
    assert (ran.ledger, ran.lists) == (plain.ledger, plain.lists)
    assert ran.took_ms > 2 * events * EVERY_MS, "the store was not too small"
    require_no_snowball(ran, units_per_s=units_per_s, events=events)


def test_too_small_a_store_gets_hardly_more_than_it_takes_and_everything_is_counted_once(
    new_ground: NewGround, client: Any
) -> None:
    require_storm_survived(new_ground, client, EVENTS)


@pytest.mark.soak
def test_ten_minutes_of_too_small_a_store(new_ground: NewGround, client: Any) -> None:
    require_storm_survived(new_ground, client, 600_000 // EVERY_MS)


def test_the_snowball_is_caught_a_function_that_writes_again_at_once_fails_the_same_test(
    ground: AwsGround, new_ground: NewGround, client: Any
) -> None:
    units_per_s = capacity_for(plain_run(new_ground, client, EVENTS), EVENTS)
    ran = run(ground, client, 2, Trouble(units_per_s, is_naive=True))
    assert ran.ledger.counted + ran.ledger.duplicate == 2 * SHARDS * 25
    with pytest.raises(AssertionError, match="attempts for"):
        require_no_snowball(ran, units_per_s=units_per_s, events=2)


def test_answers_that_are_lost_and_batches_by_halves_lose_and_double_nothing(
    ground: AwsGround, new_ground: NewGround, client: Any
) -> None:
    plain = plain_run(new_ground, client, EVENTS)
    ran = run(ground, client, EVENTS, Trouble(is_lossy=True))
    assert (ran.ledger, ran.lists) == (plain.ledger, plain.lists)
    assert ran.deliveries > plain.deliveries
    assert ran.calls["BatchWriteItem"] > plain.calls["BatchWriteItem"] > 0
