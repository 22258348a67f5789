"""The watch log under money: every millisecond that was credited is divided, and none is before it is in the log."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.app.earnings_log import WatchLog, require_past
from footfall.audience.earnings import Method, Terms, Watched, divided, folded
from footfall.audience.statement_errors import NotOver
from footfall.audience.tracing import trace
from footfall.flow.store.summaries import Summaries
from footfall.flow.stream.beats import PlayState
from footfall.ports.table import Table
from footfall.values.window import DAY_MS, HOUR_MS, Grain
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.playing import Named, beat, send_beats, send_ticks, total_ms
from tests.flow.count.stage import NOON_MS, Stage

INTERVAL_S = 300  # the longest there is, so that few beats are a night
PLAYING, ENDED = int(PlayState.PLAYING), int(PlayState.ENDED)

# What a session does: plays an asset for some beats, says that it ended or not, and is silent for some minutes.
plays = st.lists(
    st.tuples(st.sampled_from(["film", "show"]), st.integers(1, 8), st.integers(0, 40), st.booleans()),
    min_size=1,
    max_size=3,
)
sessions = st.lists(st.tuples(st.integers(-2 * 60, 30), plays), min_size=1, max_size=4)


def terms_of(stage: Stage, **said: Any) -> Terms:
    """Return terms of the days around the stage's midnight."""
    day = stage.window(NOON_MS, Grain.DAY)
    usual: dict[str, Any] = {
        "name": "x",
        "from_ms": day.from_ms,
        "to_ms": day.to_ms + DAY_MS,
        "currency": "EUR",
        "pool": 10_007,
    }
    return Terms(**{**usual, **said})


def log_of(stage: Stage, table: Table | None = None) -> WatchLog:
    return WatchLog(table or stage.table, "abc", stage.zone, stage.shards, {})


def beats_of(stage: Stage, number: int, from_min: int, done: Sequence[tuple[str, int, int, bool]]) -> list[Named]:
    """Return a session's beats, from so many minutes after midnight on."""
    midnight_s = (stage.window(NOON_MS, Grain.DAY).to_ms - NOON_MS) / 1_000
    at_s, beats = midnight_s + 60 * from_min, list[Named]()

    def add(asset: str, state: int, member: str) -> None:
        far_ms = {"playhead_ms": len(beats) * 1_000 * INTERVAL_S, "interval_ms": 1_000 * INTERVAL_S}
        beats.append((f"s{number}", beat(len(beats), at_s=at_s, asset=asset, state=state, member=member, **far_ms)))

    for place, (asset, count, gap_min, has_ended) in enumerate(done):
        member = f"m{(number + place) % 3}"  # Somebody else takes the remote control.
        for _ in range(count):
            add(asset, PLAYING, member)
            at_s += INTERVAL_S
        if has_ended:
            add(asset, ENDED, member)
        at_s += 60 * gap_min
    return beats


def play(stage: Stage, beats: Sequence[Named]) -> None:
    """Send beats at their moments, with ticks between them, until all sessions are over and beats would be late."""
    side, ticked_ms = stage.side(), 0
    for named in sorted(beats, key=lambda one: one[1].at_ms):
        stage.clock.advance(max(0, named[1].at_ms - stage.clock.now_ms()))
        if stage.clock.now_ms() - ticked_ms > 120_000:
            ticked_ms = stage.clock.now_ms()
            send_ticks(stage)
        send_beats(stage, [named])
    end_ms = terms_of(stage).to_ms + DAY_MS
    stage.clock.advance(max(HOUR_MS, end_ms + HOUR_MS - stage.clock.now_ms()))
    send_ticks(stage)
    for worker in side.workers:
        worker.drain()
        worker.pass_idle()


@pytest.mark.parametrize("kind", [Stage, AwsStage])
@given(some=sessions, random=st.randoms())
def test_what_was_credited_is_what_is_divided_whatever_sessions_did(
    kind: type[Stage], some: list[tuple[int, Any]], random: Random
) -> None:
    stage = kind(zone="Asia/Kathmandu", shards=2)
    play(stage, [named for n, (from_min, done) in enumerate(some) for named in beats_of(stage, n, from_min, done)])
    log, fees = log_of(stage), {f"m{n}": 1_000 + n for n in range(4)}
    for on in (terms_of(stage), terms_of(stage, method=Method.MEMBER_CENTRIC, pool=0, fees=fees)):
        log.require_whole(on, lateness_ms=DAY_MS)
        fold = log.folded(on)
        found = divided(on, fold)
        assert sum(line.watched_ms for line in found.lines) == fold.watched_ms == total_ms(stage)
        assert sum(line.amount for line in found.lines) + found.undivided == on.amount
        rows = [one for asset in ("film", "show") for one in log.rows_of_asset(on, asset)]
        random.shuffle(rows)
        assert divided(on, folded(on, rows)) == found
        _require_traced(log, on, rows, Counter(_amounts(found.lines)))


def _amounts(lines: Sequence[Any]) -> dict[str, int]:
    return {line.asset: line.amount for line in lines}


def _require_traced(log: WatchLog, on: Terms, rows: Sequence[Watched], amounts: Counter[str]) -> None:
    """Require that the first and the last cent of everything lie over rows that there are."""
    for asset, amount in amounts.items():
        for cent in {1, amount} if amount else ():
            told = trace(on, log.folded(on), log.rows_of_asset(on, asset), asset=asset, cent=cent)
            assert told.amount == amount
            assert set(told.rows) <= set(rows)
            assert told.rows


def test_a_night_is_not_closed_before_counting_has_read_all_that_may_have_arrived_of_it() -> None:
    stage = Stage(shards=2)
    on = terms_of(stage)
    send_beats(stage, beats_of(stage, 0, -60, [("film", 10, 0, True)]))
    stage.clock.advance(on.to_ms + DAY_MS + HOUR_MS - stage.clock.now_ms())
    require_past(on, now_ms=stage.clock.now_ms(), lateness_ms=DAY_MS)
    with pytest.raises(NotOver, match=r"counting has read nothing yet of shard 0, .* until 2026-11-18T00:07:30Z; wait"):
        log_of(stage).require_whole(on, lateness_ms=DAY_MS)
    side = stage.side()
    for worker, still in zip(side.workers, ("of shard 1", ""), strict=True):
        worker.drain()
        worker.pass_idle()
        if still:
            with pytest.raises(NotOver, match=still):
                log_of(stage).require_whole(on, lateness_ms=DAY_MS)
    log_of(stage).require_whole(on, lateness_ms=DAY_MS)


def test_counting_that_stands_still_is_waited_for() -> None:
    stage = Stage()
    on, side = terms_of(stage), stage.side()
    stage.clock.advance(on.to_ms - stage.clock.now_ms())
    side.count()
    stage.clock.advance(2 * DAY_MS)
    with pytest.raises(NotOver, match=r"counting has read what arrived until 2026-11-16T23:59"):
        log_of(stage).require_whole(on, lateness_ms=DAY_MS)


def test_a_session_that_is_open_with_credit_of_the_period_is_waited_for_on_the_embedded_ground() -> None:
    stage = Stage()
    _require_waits(stage, stage.table)


def test_a_session_that_is_open_with_credit_of_the_period_is_waited_for_on_dynamodb(dynamodb: DynamoDbEngine) -> None:
    stage, client = Stage(), dynamodb.shared()
    table = table_of(client, dynamodb.names(client), clock=stage.clock, has_transactions=False)
    stage.table = table  # pyright: ignore[reportAttributeAccessIssue]
    stage.summaries = Summaries(table, stage.clock)
    _require_waits(stage, table)


def _require_waits(stage: Stage, table: Table) -> None:
    """Require that a viewing of the period's last minutes is waited for, and that it is in the log then."""
    on = terms_of(stage)
    stage.clock.advance(on.to_ms + DAY_MS - stage.clock.now_ms())
    minutes_to_midnight = (on.to_ms - stage.window(NOON_MS, Grain.DAY).to_ms) // 60_000 - 20
    watched = beats_of(stage, 0, minutes_to_midnight, [("film", 4, 0, False)])
    # They come a day late, and the third is missing: those behind it wait, and are of the period as well.
    send_beats(stage, [watched[0], watched[1], watched[3]])
    side = stage.side(table)
    side.count()
    stage.clock.advance(550_000)
    side.count()
    with pytest.raises(NotOver, match=r"1 playback sessions .* wait until 2026-11-18T00:10:10Z, then close it"):
        log_of(stage, table).require_whole(on, lateness_ms=DAY_MS)
    elsewhere = Terms(name="y", from_ms=on.from_ms, to_ms=on.from_ms + DAY_MS, currency="EUR", pool=1)
    log_of(stage, table).require_whole(elsewhere, lateness_ms=DAY_MS)
    stage.clock.advance(120_000)
    send_ticks(stage)
    side.count()
    log_of(stage, table).require_whole(on, lateness_ms=DAY_MS)
    assert log_of(stage, table).folded(on).watched_ms == 2 * 1_000 * INTERVAL_S


def test_a_session_that_goes_on_for_days_holds_nothing_up_and_is_divided_by_its_days() -> None:
    stage = Stage()
    on = terms_of(stage, to_ms=stage.window(NOON_MS, Grain.DAY).to_ms)
    side = stage.side()
    for named in beats_of(stage, 0, -120, [("channel", 27 * 12, 0, False)]):
        stage.clock.advance(max(0, named[1].at_ms - stage.clock.now_ms()))
        send_beats(stage, [named])
    side.workers[0].drain()
    stage.clock.advance(60_000)
    side.workers[0].pass_idle()
    log_of(stage).require_whole(on, lateness_ms=DAY_MS)
    assert log_of(stage).folded(on).watched_ms == 2 * HOUR_MS
