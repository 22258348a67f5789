"""Held hits are counted when the catalogue knows them: in order, in parts, once, whatever is killed or sent twice."""

from collections.abc import Iterator

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.flow.count.aside import aside, record_at, replay_of
from footfall.flow.count.releasing import Releases
from footfall.flow.store.columns import CountKey
from footfall.flow.stream.records import pack_from_record
from footfall.ports.stream import Entry
from footfall.values.window import HOUR_MS, Grain
from tests.flow.count.stage import NOON_MS, Side, Stage
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

HELD = "unlabelled"


class Newsroom:
    """A brand that holds what has no resourceType, with its catalogue and whoever releases."""

    def __init__(self, shards: int = 1, waiting_max: int = 1_000) -> None:
        self.stage = Stage(shards=shards)
        self.ground = SqliteTable(":memory:", clock=self.stage.clock)
        self.catalogue = Catalogue(self.ground, self.stage.clock)
        self.waiting_max = waiting_max
        self.start()

    def start(self) -> None:
        """Begin to look as after a start: with nothing in mind."""
        self.labels = KnownLabels(self.ground)
        self.releases = Releases(
            self.stage.table,
            self.stage.raw,
            shards=self.stage.shards,
            labelled=self.labels.labelled,
            now_ms=self.stage.clock.now_ms,
            waiting_max=self.waiting_max,
        )

    def send(self, *assets: str, at_ms: int | None = None) -> None:
        """Send one record whose hits have no labels, all of them held."""
        hits = [(asset, "", "", "") for asset in assets]
        times = None if at_ms is None else [at_ms] * len(hits)
        held = dict.fromkeys(range(len(hits)), HELD)
        self.stage.send_pack(hits, screened=held, at_ms=times, trusted=at_ms is not None)

    def put(self, *assets: str, section: str = "7") -> list[str]:
        self.catalogue.put("abc", [Asset(asset, section=section, resource_type="article") for asset in assets])
        self.labels.forget("abc", assets)
        return list(assets)

    def entries(self, changed: list[str] | None) -> list[Entry]:
        return [entry for entries in self.releases.released("abc", changed) for entry in entries]

    def release(self, changed: list[str] | None) -> int:
        """Send what is released into the stream; return how many hits that were."""
        entries = self.entries(changed)
        self.stage.stream.append(entries)
        return sum(len(pack_from_record(entry.data).keys) for entry in entries)

    def counted(self) -> dict[CountKey, int]:
        return dict(self.stage.counts(NOON_MS, Grain.HOUR)) or dict(self.stage.counts(NOON_MS, Grain.MINUTE))


@pytest.fixture
def room() -> Newsroom:
    return Newsroom()


def test_held_hits_are_counted_under_the_catalogue_s_labels_when_it_knows_them(room: Newsroom) -> None:
    side = room.stage.side()
    room.send("1", "2", "1")
    side.count()
    assert room.stage.lines().unlabelled == 3
    assert room.release(None) == 0
    assert room.release(room.put("1")) == 2
    side.count()
    assert room.counted() == {("1", "7", "article", ""): 2}
    assert (room.stage.lines().unlabelled, room.stage.lines().counted) == (1, 2)
    assert [place.places for place in aside(room.stage.table, "abc", HELD)] == [(1,)]
    assert room.release(room.put("2")) == 1
    side.count()
    assert room.counted() == {("1", "7", "article", ""): 2, ("2", "7", "article", ""): 1}
    assert list(aside(room.stage.table, "abc", HELD)) == []
    assert room.stage.ledger_total() == 3


def test_hits_that_were_held_while_their_labels_were_on_their_way_are_found(room: Newsroom) -> None:
    side = room.stage.side()
    room.put("1")
    room.send("1")  # The door did not know it yet.
    assert room.release(None) == 0
    side.count()
    assert room.release([]) == 1
    assert room.release([]) == 0


def test_an_asset_whose_type_the_catalogue_does_not_know_still_waits(room: Newsroom) -> None:
    side = room.stage.side()
    room.send("1")
    side.count()
    room.release(None)
    room.catalogue.put("abc", [Asset("1", title="A title alone")])
    room.labels.forget("abc", ["1"])
    assert room.release(["1"]) == 0
    assert room.release(room.put("1")) == 1


def test_what_was_put_while_nothing_ran_is_released_after_the_start(room: Newsroom) -> None:
    side = room.stage.side()
    room.send("1")
    room.send("2", "1")
    side.count()
    room.put("1")
    room.start()
    assert room.release(None) == 2
    room.start()  # It died before these were counted.
    assert room.release(None) == 2
    side.count()
    assert room.counted() == {("1", "7", "article", ""): 2}
    assert (room.stage.lines().unlabelled, room.stage.lines().counted) == (1, 2)


def test_held_hits_are_released_in_the_order_in_which_they_came(room: Newsroom) -> None:
    side = room.stage.side()
    for asset in ("b", "a", "b", "a"):
        room.send(asset)
    side.count()
    room.release(None)
    entries = room.entries(room.put("a", "b"))
    assert [pack_from_record(entry.data).replays for entry in entries] == [(place, HELD) for place in (1, 2, 3, 4)]


def test_a_hit_ahead_of_the_clock_is_released_when_its_time_has_come(room: Newsroom) -> None:
    side = room.stage.side()
    room.send("1", at_ms=NOON_MS + 5_000)
    side.count()
    room.release(None)
    assert room.release(room.put("1")) == 0
    room.stage.clock.advance(5_000)
    assert room.release([]) == 1


def test_a_hit_counts_at_its_own_time_whenever_it_is_released(room: Newsroom) -> None:
    side = room.stage.side()
    room.send("1")
    side.count()
    room.release(None)
    room.stage.clock.advance(3 * HOUR_MS)
    side.count()
    assert room.release(room.put("1")) == 1
    side.count()
    assert room.stage.counts(NOON_MS, Grain.HOUR) == {("1", "7", "article", ""): 1}


def test_a_hit_that_stands_for_many_is_released_with_its_weight(room: Newsroom) -> None:
    side = room.stage.side()
    hits = [("1", "", "", ""), ("2", "", "", "")]
    room.stage.send_pack(hits, screened={0: HELD, 1: HELD}, weights=[30, 4])
    side.count()
    room.release(None)
    room.release(room.put("1"))
    side.count()
    assert room.counted() == {("1", "7", "article", ""): 30}
    assert (room.stage.lines().counted, room.stage.lines().unlabelled) == (30, 4)


def test_what_was_replayed_by_hand_is_not_counted_again(room: Newsroom) -> None:
    side = room.stage.side()
    room.send("1", "2", "3")
    side.count()
    room.release(None)
    room.release(room.put("2"))
    stage = room.stage
    by_hand = [
        replay_of(record_at(stage.raw, "abc", place), place, HELD, now_ms=stage.clock.now_ms())
        for place in aside(stage.table, "abc", HELD)
    ]  # All three, because the release is not counted yet.
    stage.stream.append(by_hand)
    side.count()
    assert room.counted() == {("2", "7", "article", ""): 1, ("1", "", "", ""): 1, ("3", "", "", ""): 1}
    room.start()
    room.release(room.put("1", "3"))
    side.count()
    assert stage.lines().counted == 3
    assert list(aside(stage.table, "abc", HELD)) == []


def test_more_hits_than_are_held_at_hand_are_all_released() -> None:
    room = Newsroom(waiting_max=5)
    side = room.stage.side()
    for number in range(12):
        room.send(str(number), "x")
    side.count()
    room.release(None)
    assert room.release(room.put("x")) == 12
    side.count()
    assert room.release(room.put(*(str(number) for number in range(12)))) == 12
    side.count()
    assert room.stage.lines().unlabelled == 0
    assert room.stage.lines().counted == 24


def test_a_recount_after_releases_gives_what_was_there(room: Newsroom) -> None:
    side = room.stage.side()
    room.send("1", "2", "3")
    room.send("2", "1")
    side.count()
    room.release(None)
    room.release(room.put("2"))
    side.count()
    room.start()
    room.release(room.put("1"))
    room.start()
    room.release(None)  # Once more, before the last one is counted.
    side.count()
    room.stage.clock.advance(HOUR_MS)
    side.count()
    before = room.stage.everything()
    done = side.recount(NOON_MS, NOON_MS + HOUR_MS)
    assert room.stage.everything() == before
    assert done.hits == 4


def acts(room: Newsroom) -> Iterator[list[str] | None]:
    """Yield what changed, after something happened in the newsroom."""
    room.send("1", "2", "1")
    yield None
    room.send("2", "3")
    yield room.put("2")
    room.stage.clock.advance(2 * HOUR_MS)
    yield room.put("1", "3")
    yield []


def played(*, writes: int, is_ordered: bool, shards: int) -> tuple[tuple[object, ...], bool]:
    """Count and release, killed once after so many writes; return what is stored and whether it came to that."""
    room = Newsroom(shards)
    table: TroubledTable = KilledTable(room.stage.table, writes=writes, is_ordered=is_ordered)
    side: Side | None = None
    was_killed = False
    for changed in acts(room):
        for _ in range(2):
            try:
                side = side or room.stage.side(table)
                side.count()
            except Killed:
                was_killed, table = True, TroubledTable(room.stage.table, is_ordered=is_ordered)
                side = room.stage.side(table)
                room.start()  # The whole instance died.
                side.count()
            room.release(None if was_killed else changed)
    side = side or room.stage.side(table)
    side.count()
    assert room.stage.ledger_total() == 5
    return (room.stage.everything(), room.stage.lines().counted, list(aside(room.stage.table, "abc", HELD))), was_killed


@pytest.mark.parametrize(("is_ordered", "shards"), [(True, 1), (False, 1), (True, 2)])
def test_a_release_killed_between_any_two_writes_counts_each_hit_once(is_ordered: bool, shards: int) -> None:
    expected, _ = played(writes=1_000_000, is_ordered=is_ordered, shards=shards)
    assert expected[1:] == (5, [])
    for writes in range(0, 1_000, 1 if is_ordered else 3):
        found, was_killed = played(writes=writes, is_ordered=is_ordered, shards=shards)
        assert found == expected, f"killed after {writes} writes"
        if not was_killed:
            return
    raise AssertionError("it never came to its end")
