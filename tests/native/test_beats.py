"""Native code settles a beat as Python does or not at all, and whole records come to the same in both ways."""

import sys
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from footfall.adapters.embedded.database import rows
from footfall.flow.count.going_on import GOING_ON, columns_of
from footfall.flow.count.watch_values import Beat, Session, Stretch, Watched
from footfall.flow.count.watching import Watching
from footfall.flow.stream.beats import PlayState, record_from_beats, tick_record
from footfall.native.beats import GoingOn
from footfall.ports.stream import Entry
from footfall.values.groups import pings_group
from footfall.values.window import DAY_MS, MINUTE_MS
from tests.flow.count.stage import Stage
from tests.native.hostile_beats import (
    BRAND,
    FACTS,
    MIDNIGHT_MS,
    NAME,
    OTHER_FACTS,
    Players,
    a_session,
    beats_of,
    copy_of,
    odd_step,
)
from tests.native.without import without_native_code

STEPS_PER_SEED = 60
RECORDS = 25
ENDED = int(PlayState.ENDED)


def day_of(_brand: str, at_ms: int) -> tuple[int, int]:
    return at_ms - at_ms % DAY_MS, at_ms - at_ms % DAY_MS + DAY_MS


def native() -> GoingOn:
    assert GOING_ON is not None, "native code was not built; `make setup` builds it"
    return GOING_ON


def settled(session: Session, *beats: Beat, **more: Any) -> tuple[int, dict[str, Session], Watched]:
    """Let native code settle beats of a session; return how many, which sessions changed and what was watched."""
    changed, watched = dict[str, Session](), Watched()
    record = beats_of([(NAME, one) for one in beats], beats[0].arrived_at_ms, **more)
    columns = columns_of(record, beats[0].arrived_at_ms)
    return native().settle(BRAND, {NAME: session}, changed, watched, columns, 0), changed, watched


def going_on() -> tuple[Session, Beat]:
    """Return a session that plays, and its next beat."""
    session = a_session(Random(5), at_ms=MIDNIGHT_MS + 30_000)
    base = session.base
    assert base is not None
    after = replace(base, number=8, at_ms=base.at_ms + 10_000, playhead_ms=base.playhead_ms + 10_000)
    return session, replace(after, arrived_at_ms=base.arrived_at_ms + 10_000)


def require_same_step(session: Session, beat: Beat) -> bool:
    """Settle a beat in both ways; return whether native code did."""
    by_python, before, watching = copy_of(session), repr(session), Watching(day_of)
    count, changed, watched = settled(session, beat)
    if not count:
        assert (repr(session), changed, watched) == (before, {}, {})
        return False
    watching.settle(by_python, replace(beat))
    assert repr(session) == repr(by_python)
    assert (changed, watched) == ({NAME: session}, watching.watched)
    assert list(watched) == list(watching.watched)
    assert changed[NAME] is session
    assert not watching.over
    assert len(watching.credits()) <= 2 * len(watched)  # No viewing began.
    return True


@given(seed=st.integers(0, 2**32))
def test_whatever_comes_next_is_settled_as_python_settles_it_or_not_at_all(seed: int) -> None:
    chance = Random(seed)
    for _ in range(STEPS_PER_SEED):
        require_same_step(*odd_step(chance))


def test_native_code_settles_many_of_those() -> None:
    # Else the comparison above would say nothing.
    chance = Random(3)
    assert 300 < sum(require_same_step(*odd_step(chance)) for _ in range(1_000)) < 900


def stored(seed: int, *, oddity: float) -> list[tuple[object, ...]]:
    """Return all that is stored after players have played for a while."""
    chance = Random(seed)
    stage, players = Stage(zone=chance.choice(("UTC", "Asia/Kathmandu"))), Players(chance, sessions=6, oddity=oddity)
    stage.clock.advance(MIDNIGHT_MS - stage.clock.now_ms())
    worker, group = stage.worker(0, stage.table), pings_group(BRAND)
    for _ in range(RECORDS):
        now_ms = stage.clock.now_ms()
        record = players.record(now_ms)
        stage.stream.append([Entry(0, group, len(record.keys), record_from_beats(record), now_ms)])
        stage.clock.advance(chance.choice((1_000, 10_000, 10_000, 130_000)))
        if chance.random() < 0.3:
            worker.drain()
    stage.clock.advance(chance.choice((0, 700_000)))
    now_ms = stage.clock.now_ms()
    stage.stream.append([Entry(0, group, 0, tick_record(now_ms), now_ms)])
    worker.drain()
    return rows(stage.table._connection, "SELECT * FROM items ORDER BY 1, 2")


@pytest.mark.parametrize("oddity", [0.0, 0.02, 0.2])
@given(seed=st.integers(0, 2**32))
def test_without_native_code_records_of_beats_come_to_the_same_bytes(seed: int, oddity: float) -> None:
    by_native = stored(seed, oddity=oddity)
    with without_native_code():
        by_python = stored(seed, oddity=oddity)
    assert by_native == by_python


def test_a_beat_that_goes_on_is_settled_and_its_beat_becomes_the_last() -> None:
    session, beat = going_on()
    base, stretch = session.base, session.stretch
    assert stretch is not None
    count, _, watched = settled(session, beat)
    assert (count, session.base) == (1, beat)
    assert session.base is base
    assert (stretch.ms, stretch.beats, stretch.to_ms) == (80_000, 9, beat.at_ms)
    show = stretch.show if stretch.show[0] else None
    assert watched == {(BRAND, MIDNIGHT_MS): [(FACTS[0], show, 10_000, b"")]}


def test_a_credit_over_the_end_of_a_minute_is_told_in_both() -> None:
    session = a_session(Random(5), at_ms=MIDNIGHT_MS + 53_000)
    assert session.base is not None
    beat = replace(session.base, number=8, at_ms=MIDNIGHT_MS + 63_000, playhead_ms=session.base.playhead_ms + 10_000)
    count, _, watched = settled(session, beat)
    assert count == 1
    assert [(minute[1] - MIDNIGHT_MS, one[0][2]) for minute, one in watched.items()] == [(0, 7_000), (MINUTE_MS, 3_000)]


@pytest.mark.parametrize(
    "change",
    [
        {"number": 9}, {"number": 7}, {"number": 2**64 - 1}, {"state": ENDED}, {"at_ms": MIDNIGHT_MS + 29_999},
        {"at_ms": MIDNIGHT_MS + DAY_MS + 1}, {"at_ms": -1}, {"playhead_ms": 2**50}, {"rate": 2**40},
        {"interval_ms": 2**50}, {"duration_ms": 2**63}, *({"facts": facts} for facts in OTHER_FACTS),
    ],
)  # fmt: skip
def test_what_is_out_of_the_ordinary_is_left_to_python(change: dict[str, Any]) -> None:
    session, beat = going_on()
    odd = replace(beat, **change)
    if odd.at_ms > MIDNIGHT_MS + DAY_MS:
        odd = replace(odd, playhead_ms=beat.playhead_ms + 2 * DAY_MS, interval_ms=2 * DAY_MS)
    before = repr(session)
    assert settled(session, odd) == (0, {}, {})
    assert repr(session) == before


def test_it_goes_as_far_as_beats_go_on_and_no_farther() -> None:
    session, first = going_on()
    beats = [
        replace(first, number=8 + n, at_ms=first.at_ms + 1_000 * n, playhead_ms=first.playhead_ms + 1_000 * n)
        for n in range(6)
    ]
    assert settled(copy_of(session), *beats)[0] == 6
    assert settled(copy_of(session), *beats, aside={2: "bots"})[0] == 2
    assert settled(copy_of(session), *beats[:4], beats[5])[0] == 4
    assert settled(copy_of(session), *beats[:3], replace(beats[3], state=ENDED), beats[4])[0] == 3


@pytest.mark.parametrize("place", [-1, 1, 2, 2**40])
def test_a_place_that_is_none_settles_nothing(place: int) -> None:
    session, beat = going_on()
    columns = columns_of(beats_of([(NAME, beat)], 0), 0)
    before = repr(session)
    assert native().settle(BRAND, {NAME: session}, {}, {}, columns, place) == place
    assert repr(session) == before


def test_sessions_that_are_none_are_left_alone() -> None:
    _, beat = going_on()
    columns = columns_of(beats_of([(NAME, beat)], 0), 0)
    for opened in ({}, {NAME: None}, {NAME: beat}, {NAME: Session(BRAND, NAME)}):
        assert native().settle(BRAND, opened, {}, {}, columns, 0) == 0


@pytest.mark.parametrize("column", range(15))
def test_columns_that_are_none_are_an_error_and_change_nothing(column: int) -> None:
    session, beat = going_on()
    columns, before = list(columns_of(beats_of([(NAME, beat)], 0), 0)), repr(session)
    for wrong in ("text", [], [1, 2], object()):
        some: Any = (*columns[:column], wrong, *columns[column + 1 :])
        with pytest.raises((TypeError, ValueError)):
            native().settle(BRAND, {NAME: session}, {}, {}, some, 0)
    with pytest.raises(ValueError, match="15 columns"):
        native().settle(BRAND, {NAME: session}, {}, {}, tuple(columns[:column]), 0)  # pyright: ignore[reportArgumentType]
    assert repr(session) == before


@pytest.mark.parametrize("column", range(12))
def test_what_is_in_a_column_may_be_anything_and_changes_nothing_then(column: int) -> None:
    session, beat = going_on()
    columns, before = list(columns_of(beats_of([(NAME, beat)], 0), 0)), repr(session)
    for wrong in (None, 1.5, True, type("Text", (str,), {})(NAME), ("film",), (1, 2, 3, 4), object()):
        some: Any = (*columns[:column], [wrong], *columns[column + 1 :])
        assert native().settle(BRAND, {NAME: session}, {}, {}, some, 0) == 0
    assert repr(session) == before


@pytest.mark.parametrize("types", [(), (Session,), (Session, Beat, 5), (Session, Beat, Beat), (int, int, int)])
def test_types_without_the_fields_are_an_error(types: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, AttributeError)):
        GoingOn(*types)


def test_a_type_whose_fields_are_no_slots_is_an_error() -> None:
    class Computed(Stretch):
        @property
        def ms(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
            return 1

    with pytest.raises(TypeError, match="ms is no slot"):
        GoingOn(Session, Beat, Computed)


def test_nothing_is_held_that_was_only_looked_at() -> None:
    session, beat = going_on()
    assert session.base is not None
    assert session.stretch is not None
    brand, name = "".join(("a", "bc")), "".join(("play", "back"))
    held = [
        session, session.base, session.stretch, session.base.facts, session.stretch.key, session.stretch.show, brand,
        name, session.ahead,
    ]  # fmt: skip
    before = [sys.getrefcount(one) for one in held]
    opened, changed = {name: session}, {name: session}
    for n in range(50):
        one = replace(beat, number=8 + n, at_ms=beat.at_ms + 1_000 * n, playhead_ms=beat.playhead_ms + 1_000 * n)
        if n % 3 == 2:
            one.facts = OTHER_FACTS[n % len(OTHER_FACTS)]  # Then and from there on it is not settled.
        columns = columns_of(beats_of([(name, one)], one.at_ms), one.at_ms)
        native().settle(brand, opened, changed, {}, columns, 0)
        del columns, one
    opened.clear()
    changed.clear()
    assert [sys.getrefcount(one) for one in held] == before


def test_what_was_replaced_is_let_go() -> None:
    session, beat = going_on()
    visitors = [bytes([n]) * 8 for n in range(3)]
    before = [sys.getrefcount(one) for one in visitors]
    for n in range(3):
        one = replace(beat, number=8 + n, at_ms=beat.at_ms + 1_000 * n, playhead_ms=beat.playhead_ms + 1_000 * n)
        assert settled(session, replace(one, visitor=visitors[n]))[0] == 1
    after = [sys.getrefcount(one) for one in visitors]
    assert after == [*before[:2], before[2] + 1]  # The last one is the last beat's.
