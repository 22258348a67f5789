"""Playbacks go on while the table is busy, slow or gone: an answer in time, and all of it written when it is back."""

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from random import Random

import pytest

from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.audience_playing import Playing
from footfall.app.aws_wiring import REQUEST_PATIENCE
from footfall.audience.playbacks import PlaybackOver, Policy, TooManyPlaying, Why
from footfall.audience.playbacks_ended import ended_of
from footfall.audience.playbacks_kept import admit, held
from footfall.ports.errors import Throttled, Unavailable
from footfall.values.clock import SetClock
from tests.app.playing_stage import Ground
from tests.audience.history_stage import INDEXES, NOON_MS, ask, means
from tests.engines.dynamodb import DynamoDbEngine
from tests.engines.faults import Faults

BEAT_MS = 30_000
KILLED = """
import sys
from pathlib import Path
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience.playbacks_kept import admit
from footfall.values.clock import SetClock
from tests.audience.history_stage import INDEXES, NOON_MS, ask, means
table = SqliteTable(sys.argv[1], clock=SetClock(NOON_MS), indexes=INDEXES)
for number in range(100_000):
    admit(table, "blog", "ann", ask(f"s{sys.argv[2]}-{number}"), now_ms=NOON_MS + number, means=means(number))
    print(f"s{sys.argv[2]}-{number}", flush=True)
"""


@pytest.fixture
def ground(tmp_path: Path) -> Generator[Ground]:
    made = Ground(tmp_path)
    yield made
    made.table.fault = None
    made.table.may_answer.set()
    made.playing.stop()


@pytest.mark.parametrize("fault", [Throttled("busy"), Unavailable("gone")])
def test_while_the_table_refuses_whoever_plays_goes_on_and_it_is_written_later(
    ground: Ground, fault: Exception
) -> None:
    assert ground.playing.admit("blog", "ann", ask("a")).waited().is_recorded
    ground.table.fault = fault
    ground.clock.advance(BEAT_MS)
    told = ground.playing.beat("blog", "ann", "a").waited()
    assert (told.is_recorded, [lease.expires_ms for lease in told.playing]) == (False, [NOON_MS + 3 * BEAT_MS])
    new = ground.playing.admit("blog", "ann", ask("b")).waited()
    assert (new.is_recorded, [lease.session for lease in new.playing]) == (False, ["a", "b"])
    stranger = ground.playing.beat("blog", "ann", "begun elsewhere").waited()
    assert not stranger.is_recorded
    assert not ground.playing.catch_up()
    ground.clock.advance(10 * BEAT_MS)  # Both beat all the time, so neither has lost its place.
    for session in ("a", "b"):
        assert not ground.playing.beat("blog", "ann", session).waited().is_recorded
    ended = ground.playing.end("blog", "ann", "b").waited()
    assert [ending.why for ending in ended.endings] == [Why.ENDED]
    ground.table.fault = None
    assert ground.playing.catch_up()
    assert (ground.leases(), ground.endings(), ground.playing.unrecorded) == (["a"], {"b": Why.ENDED}, 0)
    ground.clock.advance(1_000)
    assert ground.playing.beat("blog", "ann", "a").waited().is_recorded


def test_a_table_that_does_not_answer_holds_nobody_up_and_the_late_answer_is_not_written_twice(ground: Ground) -> None:
    ground.playing.admit("blog", "ann", ask("a")).waited()
    ground.impatient()
    ground.table.may_answer.clear()
    late = ground.playing.beat("blog", "ann", "a")
    assert not late.waited().is_recorded  # It answers although the table never did.
    for _ in range(100):  # Nobody else even asks, so that nothing piles up.
        following = ground.playing.beat("blog", "ann", "a")
        assert following.future is None
        assert not following.waited().is_recorded
    assert ground.playing.unrecorded == 1
    ground.table.may_answer.set()
    ground.finished(late)
    assert ground.playing.catch_up()
    assert (ground.leases(), ground.endings(), ground.playing.unrecorded) == (["a"], {}, 0)


def test_memory_refuses_by_what_it_knows_and_a_place_promised_in_vain_is_told_of_later(ground: Ground) -> None:
    strict = Policy.REFUSE_NEWEST
    ground.playing.admit("blog", "ann", ask("a", limit=1, policy=strict)).waited()
    ground.table.fault = Unavailable("gone")
    with pytest.raises(TooManyPlaying):
        ground.playing.admit("blog", "ann", ask("b", limit=1, policy=strict)).waited()
    elsewhere = SqliteTable(ground.path, clock=ground.clock, indexes=INDEXES, durable=False)
    admit(elsewhere, "blog", "bob", ask("x", limit=1), now_ms=NOON_MS, means=means())  # by another instance
    elsewhere.close()
    assert not ground.playing.admit("blog", "bob", ask("y", limit=1, policy=strict)).waited().is_recorded
    ground.table.fault = None
    assert ground.playing.catch_up()
    ground.clock.advance(1_000)
    with pytest.raises(PlaybackOver) as over:
        ground.playing.beat("blog", "bob", "y").waited()
    assert over.value.more["why"] == "refused"


def test_what_began_while_the_table_was_away_ends_right_after_it_and_stays_ended(ground: Ground) -> None:
    ground.table.fault = Throttled("busy")
    assert not ground.playing.admit("blog", "ann", ask("a", limit=1)).waited().is_recorded
    ground.back()
    ended = ground.playing.end("blog", "ann", "a").waited()
    assert ([ending.why for ending in ended.endings], ended.is_recorded) == ([Why.ENDED], True)
    new = ground.playing.admit("blog", "ann", ask("b", limit=1)).waited()
    assert (new.endings, new.is_recorded) == ((), True)
    assert ground.playing.catch_up()
    assert (ground.leases(), ground.endings()) == (["b"], {"a": Why.ENDED})


def test_a_place_that_was_given_back_while_the_table_was_away_is_free_right_after_it(ground: Ground) -> None:
    strict = Policy.REFUSE_NEWEST
    ground.playing.admit("blog", "ann", ask("a", limit=1, policy=strict)).waited()
    ground.table.fault = Throttled("busy")
    ground.playing.end("blog", "ann", "a").waited()
    ground.back()
    assert ground.playing.admit("blog", "ann", ask("b", limit=1, policy=strict)).waited().is_recorded
    assert (ground.leases(), ground.endings()) == (["b"], {"a": Why.ENDED})


def test_a_place_that_was_promised_while_the_table_was_away_is_kept_by_the_next_beat(ground: Ground) -> None:
    ground.table.fault = Throttled("busy")
    ground.playing.admit("blog", "ann", ask("a", limit=1)).waited()
    ground.back()
    assert ground.playing.beat("blog", "ann", "a").waited().is_recorded
    assert (ground.leases(), ground.playing.unrecorded) == (["a"], 0)


def test_a_call_that_ends_while_it_is_given_up_is_not_written_again(ground: Ground) -> None:
    given_up = ground.playing.admit("blog", "ann", ask("a", limit=1))
    ground.finished(given_up)
    # As when it ends in the moment between a look at the clock and the answer from memory.
    assert not given_up._from_memory().is_recorded  # pyright: ignore[reportPrivateUsage]
    assert ground.playing.unrecorded == 0
    ground.playing.end("blog", "ann", "a").waited()
    ground.playing.admit("blog", "ann", ask("b", limit=1)).waited()
    assert ground.playing.catch_up()
    assert (ground.leases(), ground.endings()) == (["b"], {"a": Why.ENDED})


def test_a_call_that_was_answered_before_its_turn_came_revives_nothing(ground: Ground) -> None:
    ground.impatient()
    ground.table.may_answer.clear()
    stuck = ground.playing.admit("blog", "bob", ask("x"))
    behind = ground.playing.admit("blog", "ann", ask("a"))
    assert not behind.waited().is_recorded
    assert not stuck.waited().is_recorded
    assert not ground.playing.end("blog", "ann", "a").waited().is_recorded
    ground.table.may_answer.set()
    ground.finished(stuck)
    ground.finished(behind)
    assert ground.playing.catch_up()
    assert (ground.leases(), ground.endings(), ground.playing.unrecorded) == ([], {"a": Why.ENDED}, 0)
    assert ground.leases("bob") == ["x"]


def test_what_memory_knows_is_what_the_table_said_and_what_happened_since(ground: Ground) -> None:
    strict = Policy.REFUSE_NEWEST
    ground.playing.admit("blog", "ann", ask("a", limit=1, policy=strict)).waited()
    ground.impatient()
    ground.table.may_answer.clear()
    late = ground.playing.beat("blog", "ann", "a")
    assert not late.waited().is_recorded
    ground.playing.end("blog", "ann", "a").waited()
    ground.table.may_answer.set()
    ground.finished(late)  # It knows nothing of the end.
    ground.table.fault = Throttled("busy")
    ground.playing._within_ms = 30_000  # pyright: ignore[reportPrivateUsage]
    new = ground.playing.admit("blog", "ann", ask("b", limit=1, policy=strict)).waited()
    assert [lease.session for lease in new.playing] == ["b"]


def test_a_member_that_cannot_be_written_holds_nobody_else_up(ground: Ground) -> None:
    ground.table.fault = Throttled("busy")
    for member in ("ann", "bob", "cem"):
        ground.playing.admit("blog", member, ask("a")).waited()
    ground.table.faults_max = 1
    assert not ground.playing.catch_up()
    assert (ground.leases("ann"), ground.leases("bob"), ground.leases("cem")) == ([], ["a"], ["a"])
    assert ground.playing.catch_up()
    assert (ground.leases("ann"), ground.playing.unrecorded) == (["a"], 0)


def test_what_has_expired_is_written_down_although_nobody_asks_again(ground: Ground) -> None:
    ground.playing.admit("blog", "ann", ask("a")).waited()
    ground.clock.advance(3 * BEAT_MS)
    assert ground.playing.catch_up()
    assert (ground.leases(), ground.endings()) == ([], {"a": Why.EXPIRED})


def test_whoever_has_a_moment_only_writes_what_fits_into_it_and_the_rest_is_not_lost(ground: Ground) -> None:
    ground.table.fault = Unavailable("gone")
    for member in ("ann", "bob"):
        assert not ground.playing.admit("blog", member, ask("a")).waited().is_recorded
    ground.back()
    ground.table.may_answer.clear()
    assert not ground.playing.catch_up(within_s=0.02)
    ground.table.may_answer.set()
    assert ground.playing.catch_up()
    assert (ground.leases("ann"), ground.leases("bob")) == (["a"], ["a"])


@pytest.mark.parametrize("fault", ["throttled", "dropped before", "dropped after", "timeout after", "500"])
def test_on_dynamodb_a_fault_on_the_way_is_answered_from_memory_and_mended(
    dynamodb: DynamoDbEngine, fault: str
) -> None:
    client, clock = dynamodb.client(), SetClock(NOON_MS)
    table = DynamoDbTable(
        client, dynamodb.names(client, indexes=INDEXES), clock=clock, chance=Random(1), pause=lambda _: None,
        indexes=INDEXES, patience=REQUEST_PATIENCE,
    )  # fmt: skip
    playing = Playing(lambda: table, clock=clock, chance=Random(1), within_ms=30_000)
    faults = Faults(client, clock=clock, call_ms=500)
    try:
        assert playing.admit("blog", "ann", ask("a")).waited().is_recorded
        faults.plan("UpdateItem", [fault] * 200)
        told = playing.beat("blog", "ann", "a").waited()
        assert [lease.session for lease in told.playing] == ["a"]
        faults.forget_plans()
        clock.advance(1_000)
        assert playing.catch_up()
        assert playing.beat("blog", "ann", "a").waited().is_recorded
        assert [lease.session for lease in held(table, "blog", "ann").leases] == ["a"]
    finally:
        faults.close()
        playing.stop()


def test_whoever_is_killed_between_two_places_has_both_or_neither_of_place_and_record(tmp_path: Path) -> None:
    path, given = tmp_path / "audience.db", list[str]()
    for turn in range(4):
        command = [sys.executable, "-c", KILLED, str(path), str(turn)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            given += [child.stdout.readline().strip() for _ in range(5 + turn)]
            child.kill()
            given += child.stdout.read().split()
        table = SqliteTable(path, clock=SetClock(NOON_MS), indexes=INDEXES)
        leases = [lease.session for lease in held(table, "blog", "ann").leases]
        over = all_ended(table)
        table.close()
        assert len(leases) == 2
        assert set(given) <= {*leases, *over}
        assert len({*leases, *over}) == len(leases) + len(over)


def all_ended(table: SqliteTable) -> list[str]:
    over, after = list[str](), ""
    while True:
        page = ended_of(table, "blog", "ann", limit=500, after=after)
        over += [ending.lease.session for _, ending in page.endings]
        if page.after is None:
            return over
        after = page.after
