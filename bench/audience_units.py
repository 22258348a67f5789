"""What the audience costs on DynamoDB, as DynamoDB Local reports it, beside the talk's schema on the same engine.

The talk writes a follow twice (FAN_OF and FANNED_BY), and a history into three tables, of which the last is a list that
is read first. Its writes are made here as it made them, of small items, and its figures are our goals.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from random import Random
from typing import Any

from bench.results import Row, row
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience.follows import Edge, Follows
from footfall.audience.heads import NO_HEAD, SHARDS_MAX, Head
from footfall.audience.history import Watching, record
from footfall.audience.history_rule import Progress
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.audience.playbacks import Ask
from footfall.audience.playbacks_kept import Means, admit, beat
from footfall.audience.things import Thing
from footfall.ports.capacity import index_write_units, write_units
from footfall.ports.table import Action, Put, Table, Update, item_bytes
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.engines.dynamodb_meter import Meter

COUNTED, PLAIN = "bench", "uncounted"
NOW_MS, HOUR_MS, BEAT_MS = 1_800_000_000_000, 3_600_000, 30_000
READ_BY_WRITE = 0.2  # What a unit of reading costs beside one of writing, on demand as well as provisioned.
CELEBRITY_FOLLOWERS = 20_000
KEY_UNITS = 1_000  # that a partition key takes in a second
HOTTEST_PERCENT_MAX = 1.0  # 64 shards of 2 of 7 units each have 0.45 of them.
ME, SERIES, STAR = Thing("member", "1234567"), Thing("series", "7654321"), Thing("actor", "star")


def unit_rows(engine: DynamoDbEngine) -> list[Row]:
    """Return the units of follows, histories, places and beats, and of the talk's schema."""
    client = engine.client()
    names = engine.names(client, indexes=AUDIENCE_INDEXES)
    table = table_of(client, names, clock=SystemClock(), indexes=AUDIENCE_INDEXES)
    meter, talk = Meter(client), _Talk(client, engine.names(client).table)
    return [
        *_follow_rows(table, meter, talk),
        *_hottest_rows(),
        *_history_rows(table, meter, talk),
        *_playback_rows(table, meter),
    ]


class _Talk:
    """The writes of the talk's schema, as its slides have them."""

    def __init__(self, client: Any, table: str) -> None:
        self._client = client
        self._table = table

    def follow(self) -> None:
        for key in (("FAN_OF#1234567", "7654321"), ("FANNED_BY#7654321", "1234567")):
            self._client.put_item(TableName=self._table, Item=_item(*key))

    def count(self) -> None:
        for key in ("FAN_OF#1234567", "FANNED_BY#7654321"):
            self._client.update_item(
                TableName=self._table, Key={"pk": {"S": key}, "sk": {"S": "count"}}, UpdateExpression="ADD n :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
            )  # fmt: skip

    def watch(self) -> None:
        for key in (("watched#1234567", "e1"), ("series#1234567", "s1")):
            self._client.put_item(TableName=self._table, Item=_item(*key))
        place = {name: _item("recent#1234567", "list")[name] for name in ("pk", "sk")}
        self._client.get_item(TableName=self._table, Key=place, ConsistentRead=True)
        self._client.put_item(TableName=self._table, Item=_item("recent#1234567", "list"))


def _item(partition: str, sort: str) -> dict[str, Any]:
    return {"pk": {"S": partition}, "sk": {"S": sort}, "at": {"N": str(NOW_MS)}}


def _follow_rows(table: Table, meter: Meter, talk: _Talk) -> list[Row]:
    talk.follow()
    talks = meter.taken()
    talk.follow()
    talk.count()
    talks_counted = meter.taken()
    follows = Follows(table, clock=SystemClock(), uncounted=[PLAIN])
    follows.heads.read(PLAIN, SERIES)  # It is known for a minute.
    meter.taken()
    follows.follow(PLAIN, ME, SERIES)
    plain = meter.taken()
    edge = Edge(COUNTED, ME, SERIES)
    for action in follows.additions(edge, NO_HEAD, edge.at_us(NOW_MS)):
        write_alone(table, action)
    apart = meter.taken()
    follows.follow(COUNTED, ME, STAR)
    read = meter.taken().read
    counted, beside = apart.as_transaction, talks_counted.as_transaction
    most = talks.written
    return [
        row("the talk's two writes of a follow, one by one", talks.written, "units"),
        row("the same in a transaction, both or neither as ours", talks.as_transaction, "units"),
        row("the same in a transaction with a counter on each side", beside, "units"),
        row("a follow without counts: units of writing, the talk's beside it", plain.written, "units", at_most=most),
        row("a follow with two exact counts: its writes one by one", apart.written, "units"),
        row("the same in the transaction that it is, the talk's two writes beside it", counted, "units", at_most=most),
        row("the same beside the talk's with counters in a transaction", counted / beside, "of it", at_most=1),
        row("a follow with two exact counts: units of reading", read, "units", at_most=0),
    ]


def write_alone(table: Table, action: Action) -> None:
    """Write one action of a transaction by itself, so that its units are told."""
    match action:
        case Put():
            table.put(action)
        case Update():
            table.update(action)
        case _:
            raise AssertionError(f"a follow has no {action}")


def _hottest_rows() -> list[Row]:
    """Return how evenly the units of a thing that everybody follows lie on partition keys."""
    with closing(SqliteTable(":memory:", clock=SystemClock())) as nowhere:
        follows = Follows(nowhere, clock=SystemClock())
        units: Counter[str] = Counter()
        for number in range(CELEBRITY_FOLLOWERS):
            edge = Edge(COUNTED, Thing("member", f"fan{number}"), STAR)
            _add_units(units, follows.additions(edge, Head(version=1, shards=SHARDS_MAX), edge.at_us(NOW_MS)))
    share = max(units.values()) / units.total()
    a_second = KEY_UNITS / (max(units.values()) / CELEBRITY_FOLLOWERS)
    return [
        row(
            f"the hottest partition key of a thing in {SHARDS_MAX} shards, of the units of its follows",
            share * 100, "%", at_most=HOTTEST_PERCENT_MAX,
        ),
        row(f"follows a second at which it has {KEY_UNITS:,} units", a_second, "follows/s"),
    ]  # fmt: skip


def _add_units(units: Counter[str], actions: Sequence[Action]) -> None:
    """Add what a transaction costs by AWS's formula to the keys of the table and of the index."""
    for action in actions:
        item = action.item if isinstance(action, Put) else dict(action.add) if isinstance(action, Update) else {}
        size = item_bytes(action.key, item)
        units[action.key.partition] += write_units(size, transaction=True)
        if "to" in item:
            units[str(item["to"])] += index_write_units(size)


def _history_rows(table: Table, meter: Meter, talk: _Talk) -> list[Row]:
    talk.watch()
    talks = meter.taken()
    writes, written, read = 0, 0.0, 0.0
    for at_ms in range(0, HOUR_MS + 1, BEAT_MS):  # an episode from its beginning to its end, which is a full watch
        told = Watching("u", "asset-1", "series-1", Progress(at_ms, HOUR_MS), NOW_MS + at_ms, device="Living room")
        record(table, COUNTED, told, now_ms=NOW_MS + at_ms)
        spent = meter.taken()
        writes, written, read = writes + (spent.written > 0), written + spent.written, read + spent.read
    ours, ours_read, most = written / writes, read / writes, talks.written
    priced, talks_priced = _priced(ours, ours_read), _priced(talks.written, talks.read)
    return [
        row("the talk's three tables of a history, one write optional", most, "units"),
        row("the talk's three tables: units of reading", talks.read, "units"),
        row("a history write: units of writing, mean of an episode, the talk's beside it", ours, "units", at_most=most),
        row("a history write: units of reading, the talk's beside it", ours_read, "units", at_most=talks.read),
        row("a history write, both by their price, the talk's beside it", priced, "units", at_most=talks_priced),
    ]


def _priced(written: float, read: float) -> float:
    return written + read * READ_BY_WRITE


def _playback_rows(table: Table, meter: Meter) -> list[Row]:
    ask = Ask("s0", "Living room", "device-s0-0123456789", "asset-1", 3, interval_ms=HOUR_MS)
    admit(table, COUNTED, "u", ask, now_ms=NOW_MS, means=Means(Random(1), lambda _: None))
    place = meter.taken()
    beat(table, COUNTED, "u", "s0", now_ms=NOW_MS + 1)
    one = meter.taken()
    return [
        row("a place: units of writing", place.written, "units", at_most=1),
        row("a place: units of reading", place.read, "units", at_most=1),
        row("a beat of a place: units of writing", one.written, "units", at_most=1),
        row("a beat of a place: units of reading", one.read, "units", at_most=0),
    ]
