"""Watch time on the other ground: DynamoDB keeps no two writes together, and nothing is lost or credited twice."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from footfall.flow.store.columns import CountKey
from footfall.flow.store.completions import Completion
from footfall.flow.store.summaries import Summaries
from footfall.flow.store.watch_log import WatchRow, rows_of_day
from footfall.flow.stream.beats import PlayState
from footfall.values.groups import completions_name, plays_name, watch_name
from footfall.values.window import Grain
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.flow.count.playing import beat, seen_of, send_beats
from tests.flow.count.stage import NOON_MS, Stage, key_of
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

MINUTE_MS = 60_000
WRITES_MAX = 60


@dataclass(frozen=True)
class Outcome:
    """What is stored in the end."""

    minutes: list[Counter[CountKey]]
    rows: list[WatchRow]
    seen: list[Completion]
    viewings: list[Counter[CountKey]]  # that began, and those that were completed
    counted: int


def played(dynamodb: DynamoDbEngine, *, writes: int) -> tuple[Outcome, bool]:
    """Count two sessions in three flushes, killed once after so many writes; return what is stored then."""
    stage, client = Stage(), dynamodb.shared()
    names = dynamodb.names(client)
    stage.table = table_of(client, names, clock=stage.clock, has_transactions=False)  # pyright: ignore[reportAttributeAccessIssue]
    stage.summaries = Summaries(stage.table, stage.clock)
    table: TroubledTable = KilledTable(stage.table, writes=writes, is_ordered=True)
    was_killed = False
    for first in (0, 3, 6):
        more: dict[str, Any] = {"duration_ms": 80_000}
        numbers = range(first, first + 3)
        send_beats(stage, [(f"s{one}", beat(n, asset=f"a{one}", **more)) for n in numbers for one in range(2)])
        if first == 6:
            send_beats(stage, [("s0", beat(9, asset="a0", state=int(PlayState.ENDED)))])
        try:
            stage.worker(0, table).drain()
        except Killed:
            was_killed, table = True, TroubledTable(stage.table, is_ordered=True)
            stage.worker(0, table).drain()
    minutes = [stage.counts(NOON_MS + n * MINUTE_MS, Grain.MINUTE, watch_name("abc")) for n in range(2)]
    day = stage.window(NOON_MS, Grain.DAY).from_ms
    rows = list(rows_of_day(stage.table, "abc", day, shards=1))
    seen = [seen_of(stage, asset) for asset in ("a0", "a1")]
    # They begin with the first minute; one ends with the second and the other is still open.
    viewings = [
        stage.counts(NOON_MS + n * MINUTE_MS, Grain.MINUTE, name)
        for n, name in enumerate((plays_name("abc"), completions_name("abc")))
    ]
    return Outcome(minutes, rows, seen, viewings, stage.lines("abc~pings").counted), was_killed


def test_a_worker_killed_between_writes_credits_each_beat_once_on_dynamodb(dynamodb: DynamoDbEngine) -> None:
    expected, _ = played(dynamodb, writes=10_000)
    assert sum(counts.total() for counts in expected.minutes) == 2 * 80_000
    assert [(row.session, row.ms) for row in expected.rows] == [("s0", 80_000)]
    assert expected.seen == [Completion(0, 80_000, 1, [1] * 100), Completion()]
    assert expected.viewings == [Counter([key_of("a0"), key_of("a1")]), Counter([key_of("a0")])]
    assert expected.counted == 19
    for writes in range(2, WRITES_MAX, 5):
        found, was_killed = played(dynamodb, writes=writes)
        assert found == expected, f"killed after {writes} writes"
        if not was_killed:
            return
    raise AssertionError("it was always killed: three flushes have more writes than are tried")
