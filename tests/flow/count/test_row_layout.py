"""Windows as rows: what a reader of the thesis' table finds is what the summaries say, whatever happened in between."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.count.row_layout import LATE_EVERY_MS, RowLayout, RowRules
from footfall.flow.count.thrift import thrifty
from footfall.flow.store.columns import total_hits
from footfall.ports.table import Key, Put, Table
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, window_of
from tests.flow.count.playing import beat, send_beats
from tests.flow.count.stage import NOON_MS, Side, Stage, key_of
from tests.simulation.grounds import Killed, KilledTable

ROUNDS_MAX = 5_000


class Rows:
    """The rows of a stage, and the thesis' reader of them."""

    def __init__(self, stage: Stage, side: Side, *, keep_rows: int) -> None:
        self.stage = stage
        self.side = side
        self.keep_rows = keep_rows
        self.table = SqliteTable(":memory:", clock=stage.clock)
        self.layout = self.opened(stage.table, self.table)

    def opened(self, store: Table, rows: Table, *, lease_ms: int = 0) -> RowLayout:
        """Return the writer, as after a start."""
        rules = RowRules(
            shards=self.stage.shards,
            keep_rows=self.keep_rows,
            zone_of=lambda _brand: self.stage.zone,
            expires_at_ms=self.side.workers[0].expires_at_ms,
            lateness_ms=self.stage.how.rules.lateness_ms,
            lease_ms=lease_ms,
        )
        return RowLayout(store, rows, clock=self.stage.clock, rules=rules)

    def write(self, layout: RowLayout | None = None) -> int:
        """Write all that is due; return how many windows that were."""
        layout = layout or self.layout
        for done in range(ROUNDS_MAX):
            if not layout.step():
                return done
        raise AssertionError(f"still writing after {ROUNDS_MAX} windows")

    def settle(self, until_ms: int) -> None:
        """Let time pass, count and build, and write rows."""
        self.stage.clock.set(until_ms)
        self.side.count()
        self.write()

    def everything(self) -> dict[tuple[str, str], object]:
        """Return all rows there are."""
        found: dict[tuple[str, str], object] = {}
        for window in windows_around(self.stage):
            page = self.table.query(partition_of("abc", window))
            found |= {(one.key.partition, one.key.sort): dict(one.item) for one in page.items}
        return found


def partition_of(brand: str, window: Window) -> str:
    """Return the hash key as the thesis writes it."""
    start = datetime.fromtimestamp(window.from_ms / 1_000, UTC)
    return f"{brand}#{window.grain}#{start:%Y-%m-%dT%H:%M}"


def windows_around(stage: Stage) -> Iterator[Window]:
    for grain, step_ms in ((Grain.FIVE, 5 * MINUTE_MS), (Grain.HOUR, HOUR_MS), (Grain.DAY, DAY_MS)):
        for moment_ms in range(NOON_MS - HOUR_MS, NOON_MS + 2 * HOUR_MS, step_ms):
            yield window_of(moment_ms, grain, stage.zone)


def read_as_the_thesis_does(rows: Rows, windows: list[Window], brand: str = "abc", **filters: object) -> Counter[str]:
    """Return a list as the thesis' API makes it: each window from its highest row down, 500 of it, filtered, summed."""
    hits: Counter[str] = Counter()
    for window in windows:
        page = rows.table.query(partition_of(brand, window), backwards=True, limit=500)
        sorts = [found.key.sort for found in page.items]
        assert sorts == sorted(sorts, reverse=True)
        for found in page.items:
            if all(found.item.get(name) == value for name, value in filters.items()):
                count, _, asset = found.key.sort.partition("#")
                assert len(count) == 8
                hits[asset] += int(count)
    return hits


def noon(grain: Grain, stage: Stage) -> Window:
    return window_of(NOON_MS, grain, stage.zone)


def opened(stage: Stage, *, keep_rows: int = 500) -> Rows:
    side = stage.side()
    side.count()
    rows = Rows(stage, side, keep_rows=keep_rows)
    rows.write()
    return rows


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("is_thrifty", [False, True])
def test_closed_windows_are_there_as_the_thesis_has_them(shards: int, is_thrifty: bool) -> None:
    stage = Stage(shards=shards)
    if is_thrifty:
        stage.how = thrifty(stage.how, freshness_ms=60_000)
    rows = opened(stage)
    hits = (
        [key_of("132141398", "563")] * 258 + [key_of("7", "564", "video", "paid")] * 3 + [key_of("x#y", "news", "", "")]
    )
    stage.send_pack(hits)
    rows.settle(NOON_MS + 14 * HOUR_MS)
    for grain in (Grain.FIVE, Grain.HOUR, Grain.DAY):
        page = rows.table.query(partition_of("abc", noon(grain, stage)), backwards=True, limit=500)
        assert [(one.key.sort, dict(one.item)) for one in page.items] == [
            ("00000258#132141398", {"sectionId": 563, "resourceType": "article", "paidType": "free"}),
            ("00000003#7", {"sectionId": 564, "resourceType": "video", "paidType": "paid"}),
            ("00000001#x#y", {"sectionId": "news"}),
        ]
        found = read_as_the_thesis_does(rows, [noon(grain, stage)], resourceType="article", sectionId=563)
        assert found == Counter({"132141398": 258})


def test_a_window_is_not_written_before_it_has_closed() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send("1")
    rows.settle(NOON_MS + 5 * MINUTE_MS + 29_000)
    assert read_as_the_thesis_does(rows, [noon(Grain.FIVE, stage)]) == Counter()
    rows.settle(NOON_MS + 5 * MINUTE_MS + 31_000)
    assert read_as_the_thesis_does(rows, [noon(Grain.FIVE, stage)]) == Counter({"1": 1})
    assert read_as_the_thesis_does(rows, [noon(Grain.HOUR, stage)]) == Counter()


def test_only_the_top_is_written_and_all_that_ties_with_its_last() -> None:
    stage = Stage()
    rows = opened(stage, keep_rows=2)
    stage.send("1", "1", "1", "2", "2", "3", "3", "4")
    rows.settle(NOON_MS + 6 * MINUTE_MS)
    assert read_as_the_thesis_does(rows, [noon(Grain.FIVE, stage)]) == Counter({"1": 3, "2": 2, "3": 2})


def test_an_asset_under_several_labels_is_one_row_with_those_it_was_seen_under_most() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send_pack([key_of("1", "10"), key_of("1", "20"), key_of("1", "20")])
    rows.settle(NOON_MS + 6 * MINUTE_MS)
    page = rows.table.query(partition_of("abc", noon(Grain.FIVE, stage)))
    assert [(one.key.sort, one.item["sectionId"]) for one in page.items] == [("00000003#1", 20)]


def test_late_hits_replace_rows_and_leave_no_stale_one() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send("1", "2")
    rows.settle(NOON_MS + 14 * HOUR_MS)
    stage.send("1", "3", at_ms=NOON_MS + 1)
    rows.settle(NOON_MS + 14 * HOUR_MS + LATE_EVERY_MS + MINUTE_MS)
    for grain in (Grain.FIVE, Grain.HOUR, Grain.DAY):
        page = rows.table.query(partition_of("abc", noon(grain, stage)))
        assert [one.key.sort for one in page.items] == ["00000001#2", "00000001#3", "00000002#1"]


def test_what_is_watched_has_no_rows_whether_it_comes_in_time_or_late() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send("1")
    send_beats(stage, [("s", beat(n)) for n in range(7)])
    rows.settle(NOON_MS + 14 * HOUR_MS)
    send_beats(stage, [("late", beat(n)) for n in range(7)])
    rows.settle(NOON_MS + 14 * HOUR_MS + LATE_EVERY_MS + MINUTE_MS)
    for name in ("abc~watch", "abc~plays"):
        assert stage.counts(NOON_MS, Grain.MINUTE, name)
        for grain in (Grain.FIVE, Grain.HOUR, Grain.DAY):
            assert not rows.table.query(partition_of(name, noon(grain, stage))).items


def test_late_hits_are_waited_for_a_while() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send("1")
    rows.settle(NOON_MS + 14 * HOUR_MS)
    stage.send("1", at_ms=NOON_MS + 1)
    rows.settle(NOON_MS + 14 * HOUR_MS + MINUTE_MS)
    assert read_as_the_thesis_does(rows, [noon(Grain.FIVE, stage)]) == Counter({"1": 1})


def test_a_recount_replaces_rows() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send("1", "2")
    rows.settle(NOON_MS + 2 * HOUR_MS)
    # What a rule that changed would leave behind: a row of an asset that is not there any more.
    place = partition_of("abc", noon(Grain.HOUR, stage))
    rows.table.put(Put(Key(place, "00000009#9"), {"sectionId": 1}))
    stage.clock.advance(LATE_EVERY_MS)
    rows.side.recount(NOON_MS, NOON_MS + HOUR_MS)
    rows.write()
    assert [one.key.sort for one in rows.table.query(place).items] == ["00000001#1", "00000001#2"]


def test_rows_go_when_their_time_is_over() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send("1")
    rows.settle(NOON_MS + 6 * MINUTE_MS)
    five = noon(Grain.FIVE, stage)
    expires_at_ms = rows.side.workers[0].expires_at_ms(five)
    stage.clock.set(expires_at_ms - 1)
    assert read_as_the_thesis_does(rows, [five])
    stage.clock.set(expires_at_ms)
    assert not read_as_the_thesis_does(rows, [five])


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "Australia/Lord_Howe"])
def test_hours_and_days_are_the_brands_own(zone: str) -> None:
    stage = Stage(zone=zone)
    rows = opened(stage)
    stage.send("1", "1")
    rows.settle(NOON_MS + 30 * HOUR_MS)
    for grain in (Grain.HOUR, Grain.DAY):
        assert read_as_the_thesis_does(rows, [noon(grain, stage)]) == Counter({"1": 2})


@pytest.mark.parametrize("is_thrifty", [False, True])
def test_killed_anywhere_and_begun_again_the_rows_are_the_same(is_thrifty: bool) -> None:
    def played(kills_after: int | None) -> tuple[dict[tuple[str, str], object], bool]:
        stage = Stage(shards=2)
        if is_thrifty:
            stage.how = thrifty(stage.how, freshness_ms=60_000)
        rows = opened(stage)
        was_killed = False
        moments_ms = [NOON_MS + 6 * MINUTE_MS, NOON_MS + 62 * MINUTE_MS, NOON_MS + 80 * MINUTE_MS]
        for number, moment_ms in enumerate(moments_ms):
            stage.send("1", *(str(number + n) for n in range(40)), at_ms=NOON_MS + number)
            stage.clock.set(moment_ms)
            rows.side.count()
            if kills_after is not None and not was_killed:
                tables = [KilledTable(one, writes=kills_after, is_ordered=True) for one in (stage.table, rows.table)]
                try:
                    rows.write(rows.opened(tables[0], tables[1]))
                except Killed:
                    was_killed = True
                    rows.write(rows.opened(stage.table, rows.table))
            else:
                rows.write()
        return rows.everything(), was_killed

    whole, _ = played(None)
    assert whole
    kills = 0
    for kills_after in range(12):
        rows, was_killed = played(kills_after)
        assert rows == whole
        kills += was_killed
    assert kills > 5


def test_whoever_was_away_for_longer_than_the_journal_is_kept_finds_what_changed() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send("1")
    rows.settle(NOON_MS + 2 * HOUR_MS)
    stage.send("1", at_ms=NOON_MS + 1)
    stage.clock.set(NOON_MS + 2 * HOUR_MS + MINUTE_MS)
    rows.side.count()
    rows.settle(NOON_MS + 4 * HOUR_MS)
    assert read_as_the_thesis_does(rows, [noon(Grain.FIVE, stage)]) == Counter({"1": 2})
    assert read_as_the_thesis_does(rows, [noon(Grain.HOUR, stage)]) == Counter({"1": 2})


def test_a_round_keeps_others_away_for_as_long_as_its_lease() -> None:
    stage = Stage()
    rows = opened(stage)
    stage.send("1")
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    rows.side.count()
    first = rows.opened(stage.table, rows.table, lease_ms=MINUTE_MS)
    second = rows.opened(stage.table, rows.table, lease_ms=MINUTE_MS)
    assert first.step()
    assert not second.step()
    stage.clock.advance(MINUTE_MS)
    assert second.step()


def test_the_rows_of_an_hour_are_there_before_the_hour_is_built() -> None:
    stage = Stage()
    stage.how = thrifty(stage.how, freshness_ms=60_000)
    rows = opened(stage)
    stage.send("1", "1")
    rows.settle(NOON_MS + HOUR_MS + 31_000)
    assert not stage.parts(NOON_MS, Grain.HOUR)
    assert read_as_the_thesis_does(rows, [noon(Grain.HOUR, stage)]) == Counter({"1": 2})
    rows.settle(NOON_MS + 2 * HOUR_MS)
    assert total_hits(stage.columns(NOON_MS, Grain.HOUR)) == 2
