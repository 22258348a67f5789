"""What was set aside is listed, shown, and counted once when it is sent through the stream again."""

import pytest

from footfall.flow.count.aside import Place, aside, place_at, record_at, replay_of
from footfall.flow.count.aside_items import LISTED_TOGETHER_MAX
from footfall.flow.store.columns import total_hits
from footfall.flow.stream.records import RULES, VERSION, Pack, pack_from_record, record_from_pack
from footfall.ports.stream import Entry, Record
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain
from tests.flow.count.stage import NOON_MS, Stage, key_of

LATE_MS = NOON_MS - 2 * DAY_MS


def replay(stage: Stage, place: Place, kind: str) -> None:
    stage.stream.append([replay_of(record_at(stage.raw, "abc", place), place, kind, now_ms=stage.clock.now_ms())])


def test_set_aside_hits_are_listed_by_kind_oldest_first() -> None:
    stage = Stage()
    side = stage.side()
    for _ in range(2):
        stage.send_pack([key_of("1"), key_of("2"), key_of("3")], at_ms=[LATE_MS, NOON_MS, NOON_MS + HOUR_MS])
        side.count()
        stage.clock.advance(1_000)
    stage.send_pack([key_of("1")], screened={0: "unlabelled"})
    side.count()
    assert list(aside(stage.table, "abc", "late")) == [Place(0, 1, (0,), "late"), Place(0, 2, (0,), "late")]
    assert list(aside(stage.table, "abc", "future")) == [Place(0, 1, (2,), "future"), Place(0, 2, (2,), "future")]
    assert list(aside(stage.table, "abc", "unlabelled")) == [Place(0, 3, (0,), "unlabelled")]
    assert list(aside(stage.table, "abc", "dead")) == list(aside(stage.table, "xyz", "late")) == []


def test_every_one_of_very_many_is_listed() -> None:
    stage = Stage()
    side = stage.side()
    hits = [key_of(str(at)) for at in range(1_900)]
    for _ in range(10):
        stage.send_pack(hits, at_ms=[LATE_MS] * len(hits))
    side.count()
    places = list(aside(stage.table, "abc", "late"))
    assert sum(len(place.places) for place in places) == 19_000 > 3 * LISTED_TOGETHER_MAX
    for place in places:
        replay(stage, place, "late")
    side.count()
    assert (stage.lines().late, stage.lines().counted) == (0, 19_000)


def test_a_kind_that_nothing_is_set_aside_as_is_refused() -> None:
    with pytest.raises(Refused, match="none of dead, late, future, unlabelled"):
        list(aside(Stage().table, "abc", "counted"))


def test_a_replayed_record_moves_to_counted_and_is_listed_no_more() -> None:
    stage = Stage()
    side = stage.side()
    stage.send_pack([key_of("1"), key_of("2"), key_of("3")], at_ms=[LATE_MS, NOON_MS, LATE_MS + MINUTE_MS])
    side.count()
    place = place_at(stage.table, "abc", "late", "0:1")
    for _ in range(3):
        replay(stage, place, "late")
        side.count()
        assert (stage.lines().late, stage.lines().counted) == (0, 3)
        assert stage.ledger_total() == stage.stream.appended()["abc"] == 3
    assert stage.counts(LATE_MS, Grain.MINUTE) == {key_of("1"): 1}
    assert stage.counts(LATE_MS, Grain.DAY) == {key_of("1"): 1, key_of("3"): 1}
    assert list(aside(stage.table, "abc", "late")) == []
    with pytest.raises(Refused, match="not among the late hits"):
        place_at(stage.table, "abc", "late", "0:1")


def test_two_replays_in_one_flush_count_once() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1", "2", at_ms=LATE_MS)
    side.count()
    place = place_at(stage.table, "abc", "late", "0:1")
    replay(stage, place, "late")
    replay(stage, place, "late")
    side.count()
    assert (stage.lines().late, stage.lines().counted) == (0, 2)
    assert total_hits(stage.columns(LATE_MS, Grain.MINUTE)) == 2


def test_a_replay_says_nothing_about_when_a_brand_was_last_heard_of() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1", at_ms=LATE_MS)
    side.count()
    stage.clock.advance(HOUR_MS)
    replay(stage, place_at(stage.table, "abc", "late", "0:1"), "late")
    side.count()
    assert stage.lines().last_hit_ms == NOON_MS


def test_a_hit_of_the_future_is_replayed_when_its_time_has_come() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1", at_ms=NOON_MS + HOUR_MS)
    side.count()
    place = place_at(stage.table, "abc", "future", "0:1")
    with pytest.raises(Refused, match="has not come yet"):
        replay(stage, place, "future")
    stage.clock.set(NOON_MS + HOUR_MS)
    replay(stage, place, "future")
    side.count()
    assert (stage.lines().future, stage.lines().counted) == (0, 1)
    assert stage.counts(NOON_MS + HOUR_MS, Grain.MINUTE) == {key_of("1"): 1}


def test_an_unlabelled_hit_is_counted_as_it_is() -> None:
    stage = Stage()
    side = stage.side()
    stage.send_pack([("1", "", "", ""), key_of("2")], screened={0: "unlabelled"})
    side.count()
    replay(stage, place_at(stage.table, "abc", "unlabelled", "0:1"), "unlabelled")
    side.count()
    assert (stage.lines().unlabelled, stage.lines().counted) == (0, 2)
    assert stage.counts(NOON_MS, Grain.MINUTE) == {("1", "", "", ""): 1, key_of("2"): 1}


def test_a_dead_record_stays_dead_while_it_cannot_be_read() -> None:
    stage = Stage()
    stage.stream.append([Entry(0, "abc", 4, b"\xc1", NOON_MS)])
    stage.side().count()
    (place,) = aside(stage.table, "abc", "dead")
    assert (place.position, place.places) == ("0:1", ())
    with pytest.raises(Refused, match="still cannot be read"):
        replay(stage, place, "dead")
    assert stage.lines().dead == 4


def test_a_dead_record_that_can_be_read_now_goes_where_it_would_have_gone() -> None:
    stage = Stage()
    side = stage.side()
    stage.stream.append([Entry(0, "abc", 5, b"of a later version", NOON_MS)])
    side.count()
    assert stage.lines().dead == 5
    (place,) = aside(stage.table, "abc", "dead")
    hits = [key_of(asset) for asset in ("1", "2", "3", "4", "5")]
    pack = Pack(VERSION, RULES, NOON_MS, hits, at_ms=[NOON_MS, NOON_MS, NOON_MS, LATE_MS, NOON_MS], screened={1: "bot"})
    readable = Record(1, "abc", 5, record_from_pack(pack), NOON_MS, repeats=(2,))
    stage.stream.append([replay_of(readable, place, "dead", now_ms=NOON_MS)])
    side.count()
    lines = stage.lines()
    assert (lines.dead, lines.counted, lines.duplicate, lines.screened) == (0, 3, 1, {"bot": 1})
    suspected = (*key_of("2"), "suspected")
    assert stage.counts(NOON_MS, Grain.MINUTE) == {key_of("1"): 1, key_of("5"): 1, suspected: 1}
    assert stage.counts(LATE_MS, Grain.MINUTE) == {key_of("4"): 1}
    assert stage.ledger_total() == 5


def test_a_record_that_is_not_kept_any_more_cannot_be_replayed() -> None:
    stage = Stage()
    stage.send("1", at_ms=LATE_MS)
    stage.side().count()
    stage.stream.trim(0, through=1)
    with pytest.raises(Refused, match="not kept any more"):
        record_at(stage.raw, "abc", place_at(stage.table, "abc", "late", "0:1"))


def test_a_replay_carries_all_that_is_known_of_its_hits() -> None:
    columns = {"visitors": [b"a" * 8, b"b" * 8], "urls": ["u0", "u1"], "referrers": ["r0", "r1"], "weights": [2, 3]}
    pack = Pack(VERSION, RULES, NOON_MS, [key_of("1"), key_of("2")], at_ms=[LATE_MS, LATE_MS + 1], **columns)  # pyright: ignore[reportArgumentType]
    record = Record(7, "abc", 5, record_from_pack(pack), NOON_MS)
    entry = replay_of(record, Place(2, 7, (1,), "late"), "late", now_ms=NOON_MS + 9)
    again = pack_from_record(entry.data)
    assert (entry.shard, entry.group, entry.weight, entry.arrived_at_ms) == (2, "abc", 0, NOON_MS + 9)
    assert (again.replays, again.trusted, again.keys, again.at_ms) == ((7, "late"), True, [key_of("2")], [LATE_MS + 1])
    assert (again.weights, again.visitors, again.urls, again.referrers) == ([3], [b"b" * 8], ["u1"], ["r1"])
