"""Visitors are counted where hits are, each once: in any order, killed anywhere, built up, finished, counted again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.flow.count.aside import aside, record_at, replay_of
from footfall.flow.count.place_tally import PlaceTally
from footfall.flow.count.visitors import Visitors
from footfall.flow.count.worker import CountRules
from footfall.flow.store import keys
from footfall.flow.store.columns import EMPTY
from footfall.flow.store.visitors import (
    BRAND_GROUP,
    PIECE_BYTES_MAX,
    group_of_asset,
    group_of_section,
    load_pieces,
    load_visitors,
    piece_keys,
)
from footfall.ports.errors import Corrupt
from footfall.ports.table import Put
from footfall.sketches.grouped import no_groups
from footfall.sketches.grouped_bytes import bytes_from_grouped
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.stage import NOON_MS, Stage, go_on_until, key_of, minute_of, rules
from tests.flow.count.visitors_met import all_known, expected_of, known, send_seen, sizes, sketches_of, visitor
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

WRITES_MAX = 200
FINAL_MS = NOON_MS + 3 * DAY_MS  # The day of noon is final then.

Act = Callable[[Stage], object]


def counted(stage: Stage) -> Stage:
    stage.side().count()
    return stage


def test_a_minute_knows_who_came_to_its_assets_its_sections_and_the_brand() -> None:
    stage = Stage()
    seen = [("1", "ann"), ("1", "bob"), ("2", "ann"), ("1", "ann"), ("3", "")]
    send_seen(stage, *seen)
    send_seen(stage, ("1", "eve"), section="sport")
    counted(stage)
    expected = [*((key_of(asset), who) for asset, who in seen), (key_of("1", "sport"), "eve")]
    assert known(stage, NOON_MS, Grain.MINUTE) == expected_of(expected)
    assert list(sizes(known(stage, NOON_MS, Grain.MINUTE), "1", "2", "3")) == [3, 1, 0, 3]


def test_hits_without_visitors_leave_no_piece() -> None:
    stage = Stage()
    stage.send("1", "2")
    counted(stage)
    assert load_pieces(stage.table, "abc", minute_of(NOON_MS)) == []


def test_whoever_switches_uniques_off_counts_no_visitor() -> None:
    stage = Stage(how=replace(CountRules(), uniques=False))
    send_seen(stage, ("1", "ann"))
    counted(stage)
    assert all_known(stage) == {}
    assert stage.counts(NOON_MS, Grain.MINUTE)[key_of("1")] == 1


def test_only_hits_that_are_counted_bring_their_visitors() -> None:
    stage = Stage()
    (record,) = stage.send_pack(
        [key_of("1"), key_of("2"), key_of("3"), key_of("4")],
        visitors=[visitor(who) for who in ("ann", "bob", "eve", "kim")],
        at_ms=[NOON_MS, NOON_MS - 3 * DAY_MS, NOON_MS + DAY_MS, NOON_MS],
        screened={3: "bot"},
    )
    assert record.sequence == 1
    counted(stage)
    assert known(stage, NOON_MS, Grain.MINUTE) == expected_of([(key_of("1"), "ann")])
    assert list(all_known(stage)) == [minute_of(NOON_MS)]


def test_a_hit_that_is_replayed_brings_its_visitor_with_it() -> None:
    stage = Stage()
    late_ms = NOON_MS - 30 * HOUR_MS
    stage.send_pack([key_of("1")], visitors=[visitor("ann")], at_ms=[late_ms])
    counted(stage)
    assert all_known(stage) == {}
    (place,) = aside(stage.table, "abc", "late")
    stage.stream.append([replay_of(record_at(stage.raw, "abc", place), place, "late", now_ms=NOON_MS)])
    counted(stage)
    assert known(stage, late_ms, Grain.MINUTE) == expected_of([(key_of("1"), "ann")])


def test_a_weight_is_one_visitor() -> None:
    stage = Stage()
    stage.send_pack([key_of("1"), key_of("2")], visitors=[visitor("ann"), b""], weights=[7, 2])
    counted(stage)
    assert list(sizes(known(stage, NOON_MS, Grain.MINUTE), "1", "2")) == [1, 0, 1]


def test_an_hour_and_a_day_are_built_with_their_visitors() -> None:
    stage = Stage(shards=2)
    side = stage.side()
    for minute in range(0, 180, 7):
        stage.clock.set(NOON_MS + minute * MINUTE_MS)
        send_seen(stage, ("1", f"v{minute % 5}"), ("2", f"v{minute}"), (str(minute), "ann"))
        side.count()
    go_on_until(stage, side, NOON_MS + DAY_MS, every_ms=HOUR_MS)
    for grain, minutes in ((Grain.HOUR, range(0, 60, 7)), (Grain.DAY, range(0, 180, 7))):
        seen = [
            (key_of(asset), who)
            for minute in minutes
            for asset, who in (("1", f"v{minute % 5}"), ("2", f"v{minute}"), (str(minute), "ann"))
        ]
        assert known(stage, NOON_MS, grain) == expected_of(seen)


def test_visitors_who_come_late_to_an_hour_that_is_built_are_in_it_at_once() -> None:
    stage = Stage()
    side = stage.side()
    send_seen(stage, ("1", "ann"))
    side.count()
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    side.count()
    send_seen(stage, ("1", "bob"), at_ms=[NOON_MS])
    side.count()
    for grain in (Grain.MINUTE, Grain.HOUR):
        assert list(sizes(known(stage, NOON_MS, grain), "1")) == [2, 2]


def test_visitors_of_an_old_log_are_in_its_hour_or_its_day() -> None:
    stage = Stage()
    long_ago_ms, years_ago_ms = NOON_MS - 30 * DAY_MS, NOON_MS - 400 * DAY_MS
    send_seen(stage, ("1", "ann"), ("2", "bob"), at_ms=[long_ago_ms, years_ago_ms], trusted=True)
    counted(stage)
    assert list(sizes(known(stage, long_ago_ms, Grain.HOUR), "1")) == [1, 1]
    assert list(sizes(known(stage, years_ago_ms, Grain.DAY), "2")) == [1, 1]
    assert not len(known(stage, long_ago_ms, Grain.MINUTE))


def test_a_minute_has_few_pieces_however_often_it_is_flushed() -> None:
    stage = Stage()
    side = stage.side()
    for number in range(120):
        send_seen(stage, *((str(asset), f"v{number}-{asset}") for asset in range(10)))
        side.count()
    assert len(load_pieces(stage.table, "abc", minute_of(NOON_MS))) <= 8
    seen = [(key_of(str(asset)), f"v{number}-{asset}") for number in range(120) for asset in range(10)]
    assert known(stage, NOON_MS, Grain.MINUTE) == expected_of(seen)


def test_pieces_that_another_has_put_together_are_not_brought_back() -> None:
    stage = Stage()
    side = stage.side()
    send_seen(stage, ("1", "ann"))
    side.count()
    before = load_visitors(stage.table, "abc", minute_of(NOON_MS))
    other = Visitors(stage.table, 0, expires_at_ms=lambda _: NOON_MS + DAY_MS)
    other.replace("abc", minute_of(NOON_MS), no_groups(), through=100)
    send_seen(stage, ("1", "bob"))
    side.count()
    assert len(before)
    assert known(stage, NOON_MS, Grain.MINUTE) == expected_of([(key_of("1"), "bob")])


def test_pieces_that_flushes_of_a_long_time_have_left_are_put_together() -> None:
    stage = Stage()
    window = minute_of(NOON_MS)
    for number in range(120):
        flush = Visitors(stage.table, 0, expires_at_ms=lambda _: NOON_MS + DAY_MS, is_shared=True)
        flush.add("abc", window, sketches_of({BRAND_GROUP: [visitor(str(number % 99))]}), through=number)
    before = load_visitors(stage.table, "abc", window)
    assert len(load_pieces(stage.table, "abc", window)) == 120
    Visitors(stage.table, 0, expires_at_ms=lambda _: NOON_MS + DAY_MS).gather("abc", window, through=120)
    assert len(load_pieces(stage.table, "abc", window)) == 3
    assert load_visitors(stage.table, "abc", window) == before


def test_where_writes_cost_money_a_few_pieces_are_left_as_they_are() -> None:
    stage = Stage()
    visitors = Visitors(stage.table, 0, expires_at_ms=lambda _: NOON_MS + DAY_MS, is_shared=True)
    found: list[int] = []
    for number in range(40):
        visitors.add("abc", minute_of(NOON_MS), sketches_of({BRAND_GROUP: [visitor(str(number))]}), through=number)
        found.append(len(load_pieces(stage.table, "abc", minute_of(NOON_MS))))
    assert found[:4] == [1, 2, 3, 4]
    assert max(found) <= 12
    assert list(sizes(load_visitors(stage.table, "abc", minute_of(NOON_MS)))) == [40]


def test_a_piece_is_never_larger_than_an_item() -> None:
    stage = Stage()
    chance = Random(1)
    window = minute_of(NOON_MS)
    visitors = Visitors(stage.table, 0, expires_at_ms=lambda _: NOON_MS + DAY_MS)
    sets = {asset: [chance.randbytes(8) for _ in range(9)] for asset in range(30_000)}
    whole = sketches_of(sets)
    visitors.add("abc", window, whole, through=1)
    pieces = load_pieces(stage.table, "abc", window)
    assert len(pieces) > 1
    assert all(len(bytes_from_grouped(piece.sketches)) <= PIECE_BYTES_MAX for piece in pieces)
    assert load_visitors(stage.table, "abc", window) == whole


def test_assets_that_found_no_row_are_not_told_apart() -> None:
    stage = Stage(how=rules(assets_max=2))
    for number in range(4):
        send_seen(stage, (str(number), f"v{number}"), (str(number), "ann"))
        counted(stage)
    groups = set(known(stage, NOON_MS, Grain.MINUTE).groups.tolist())
    assert groups == {group_of_asset("0"), group_of_asset("1"), group_of_section("news"), BRAND_GROUP}
    assert list(sizes(known(stage, NOON_MS, Grain.MINUTE), "0", "1")) == [2, 2, 5]


def test_a_final_window_keeps_the_visitors_of_the_assets_that_it_keeps() -> None:
    stage = Stage(shards=2, keep_rows=2)
    side = stage.side()
    for asset in range(6):
        for number in range(6 - asset):
            send_seen(stage, (str(asset), f"v{number}"), section="news" if asset < 4 else "sport")
    side.count()
    whole = known(stage, NOON_MS, Grain.MINUTE)
    go_on_until(stage, side, FINAL_MS)
    for grain in (Grain.HOUR, Grain.DAY):
        window = stage.window(NOON_MS, grain)
        assert {piece.part for piece in load_pieces(stage.table, "abc", window)} == {keys.ALL}
        after = load_visitors(stage.table, "abc", window)
        assert list(sizes(after, "0", "1", "2", "3", "4", "5")) == [6, 5, 0, 0, 2, 1, 6]
        assert set(after.groups.tolist()) < set(whole.groups.tolist())
        assert group_of_section("sport") in after.groups


def test_counting_again_gives_the_same_visitors_and_finds_nothing_changed() -> None:
    stage = busy_days(Stage(shards=2, keep_rows=1))
    side = stage.side()
    before = {window: bytes_from_grouped(one) for window, one in all_known(stage).items()}
    done = side.recount(NOON_MS - DAY_MS, NOON_MS + 3 * HOUR_MS)
    side.count()
    side.finish()
    assert (done.windows > 3, done.changed) == (True, 0)
    assert {window: bytes_from_grouped(one) for window, one in all_known(stage).items()} == before


def test_counting_again_takes_out_who_was_not_there() -> None:
    stage = busy_days(Stage(shards=2))
    before = all_known(stage)
    stranger = sketches_of({BRAND_GROUP: [visitor("stranger")]})
    for window in before:
        Visitors(stage.table, 0, expires_at_ms=lambda _: FINAL_MS + 99 * DAY_MS).add("abc", window, stranger, through=1)
    assert all_known(stage) != before
    side = stage.side()
    done = side.recount(NOON_MS - DAY_MS, NOON_MS + 3 * HOUR_MS)
    assert done.changed == done.windows
    assert all_known(stage) == before


def test_counting_again_mends_a_piece_that_is_damaged() -> None:
    stage = busy_days(Stage())
    before = all_known(stage)
    window = stage.window(NOON_MS, Grain.HOUR)
    key = piece_keys(stage.table, "abc", window)[0]
    stage.table.put(Put(key, {"sketches": b"not a sketch"}))
    with pytest.raises(Corrupt, match="count"):
        load_visitors(stage.table, "abc", window)
    assert stage.side().recount(NOON_MS, NOON_MS + HOUR_MS).changed == 1
    assert all_known(stage) == before


def test_what_another_wrote_beyond_the_checkpoint_is_not_taken_out() -> None:
    stage = Stage()
    window = minute_of(NOON_MS)
    mine, later = (sketches_of({BRAND_GROUP: [visitor(who)]}) for who in ("ann", "bob"))
    visitors = Visitors(stage.table, 0, expires_at_ms=lambda _: NOON_MS + DAY_MS)
    visitors.write("abc", window, later, through=8)
    visitors.write("abc", window, mine, through=6)
    visitors.replace("abc", window, no_groups(), through=7)
    assert load_visitors(stage.table, "abc", window) == later


def busy_days(stage: Stage) -> Stage:
    """Return a stage on which some came at once, some late, and the first day is final."""
    side = stage.side()
    chance = Random(3)
    for minute in range(0, 150, 13):
        stage.clock.set(NOON_MS + minute * MINUTE_MS)
        send_seen(stage, *((str(chance.randrange(9)), f"v{chance.randrange(30)}") for _ in range(20)))
        at_ms = [NOON_MS - HOUR_MS + chance.randrange(HOUR_MS)] * 2
        send_seen(stage, ("7", f"late{minute}"), ("8", "late"), section="sport", at_ms=at_ms)
        side.count()
    go_on_until(stage, side, FINAL_MS)
    return stage


def eventful_days() -> Iterator[list[Act]]:
    """Yield what happens before each time that counting gets its turn."""
    yield [lambda s: send_seen(s, ("1", "ann"), ("2", "bob"), ("3", ""))]
    yield [lambda s: send_seen(s, ("1", "bob"), ("2", "bob")), lambda s: send_seen(s, ("9", "eve"), section="sport")]
    yield [lambda s: s.clock.advance(2 * HOUR_MS), lambda s: send_seen(s, ("1", "kim"))]
    yield [lambda s: send_seen(s, ("1", "late"), ("4", "late"), at_ms=[NOON_MS, NOON_MS])]
    yield [lambda s: s.clock.advance(DAY_MS), lambda s: send_seen(s, ("5", "ann"))]
    yield [lambda s: s.clock.advance(2 * DAY_MS)]


def played(stage: Stage, *, writes: int, is_ordered: bool) -> tuple[object, bool]:
    """Play the days, killed once after so many writes; return what readers know and whether it came to that."""
    table: TroubledTable = KilledTable(stage.table, writes=writes, is_ordered=is_ordered)
    was_killed = False
    for acts in eventful_days():
        for act in acts:
            act(stage)
        try:
            side = stage.side(table)
            side.count()
            side.finish()
        except Killed:
            was_killed, table = True, TroubledTable(stage.table, is_ordered=is_ordered)
            side = stage.side(table)
            side.count()
            side.finish()
    return all_known(stage), was_killed


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("kind", "is_ordered"), [(Stage, False), (Stage, True), (AwsStage, True)])
def test_a_worker_that_is_killed_after_any_write_leaves_what_one_that_was_not_leaves(
    kind: type[Stage], is_ordered: bool, every: int
) -> None:
    expected, _ = played(kind(), writes=WRITES_MAX * 100, is_ordered=is_ordered)
    for writes in range(0, WRITES_MAX + every, every):
        found, was_killed = played(kind(), writes=writes, is_ordered=is_ordered)
        assert found == expected, f"killed after {writes} writes"
        if not was_killed:
            return
    raise AssertionError("it was always killed: the days have more writes than are tried")


hits = st.tuples(st.integers(0, 5).map(str), st.sampled_from(["", "a", "b", "c", "d", "e"]))


@settings(max_examples=60, deadline=None)
@given(batches=st.lists(st.lists(hits, min_size=1, max_size=20), min_size=1, max_size=8), chance=st.randoms())
def test_any_order_repetition_and_crash_gives_the_sets_that_came(
    batches: list[list[tuple[str, str]]], chance: Random
) -> None:
    stage = Stage()
    for batch in batches:
        send_seen(stage, *batch)
        if chance.random() < 0.5:
            table = KilledTable(stage.table, writes=chance.randrange(8), is_ordered=True)
            try:
                stage.side(table).count()
            except Killed:
                continue
    counted(stage)
    expected = expected_of((key_of(asset), who) for batch in batches for asset, who in batch)
    assert known(stage, NOON_MS, Grain.MINUTE) == expected


def test_what_was_met_in_parts_is_what_was_met_at_once() -> None:
    chance = Random(5)
    seen = [(key_of(str(chance.randrange(40))), chance.randbytes(8)) for _ in range(50_000)]
    once, whole = PlaceTally(), PlaceTally()
    once.count([key for key, _ in seen], [who for _, who in seen])
    for start in range(0, len(seen), 999):
        part = PlaceTally()
        some = seen[start : start + 999]
        part.count([key for key, _ in some], [who for _, who in some])
        whole.take(part, part.keys())
    assert once.sketches(group_of_asset, EMPTY) == whole.sketches(group_of_asset, EMPTY)
    assert once.rows > 0
