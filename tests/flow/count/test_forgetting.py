"""A retention that is made shorter holds for windows that are there already, and one look for each change is enough."""

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.count import forgetting as module
from footfall.flow.count.forgetting import Forgetting
from footfall.flow.serve.uniques import Days, told_of
from footfall.flow.store import keys
from footfall.flow.store.retention import RULE_KNOWN_AFTER_MS, load_forgotten, note_retention
from footfall.flow.store.summaries import Summaries
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, Grain, Window, window_of
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.counting_by_name import add
from tests.flow.count.stage import NOON_MS, Stage
from tests.flow.serve.counting import summary
from tests.simulation.grounds import TroubledTable

NOW_MS = 1_794_744_000_000
LONG = {Grain.MINUTE: 2 * DAY_MS, Grain.FIVE: 2 * DAY_MS, Grain.HOUR: 60 * DAY_MS, Grain.DAY: 2_000 * DAY_MS}
SHORT = {**LONG, Grain.HOUR: 30 * DAY_MS, Grain.DAY: 762 * DAY_MS}
AGES = {Grain.DAY: (10, 700, 800, 1_999), Grain.HOUR: (10, 29, 40, 59)}


class Store:
    """A store with windows of several ages, written while they were kept for long."""

    def __init__(self, zone: str = "UTC") -> None:
        self.clock = SetClock(NOW_MS)
        self.zone = zone
        self.table = SqliteTable(":memory:", clock=self.clock)
        self.summaries = Summaries(self.table, self.clock)
        note_retention(self.table, LONG, now_ms=NOW_MS - 1_000)
        for grain, ages in AGES.items():
            for age in ages:
                window = self.window(grain, age)
                made = summary(window, {(str(one), "", "", ""): 1 for one in range(5)})
                self.summaries.save("abc", made, replaces=None, expires_at_ms=window.to_ms + LONG[grain])

    def window(self, grain: Grain, age: int) -> Window:
        return window_of(NOW_MS - age * DAY_MS, grain, self.zone)

    def forgetting(self) -> Forgetting:
        return Forgetting(self.table, clock=self.clock, zone_of=lambda _: self.zone, brands=lambda: ["abc", "xyz"])

    def kept(self, grain: Grain) -> list[int]:
        return [age for age in AGES[grain] if self.summaries.live("abc", self.window(grain, age))]

    def shorten(self) -> None:
        """Keep windows for less time from now on, and let the rule become known."""
        note_retention(self.table, SHORT, now_ms=NOW_MS)
        self.clock.advance(2 * RULE_KNOWN_AFTER_MS)


def run(forgetting: Forgetting) -> int:
    steps = 1
    while forgetting.step():
        steps += 1
    return steps


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_windows_that_are_kept_for_less_time_than_before_go(zone: str) -> None:
    store = Store(zone)
    store.shorten()
    run(store.forgetting())
    assert store.kept(Grain.DAY) == [10, 700]
    assert store.kept(Grain.HOUR) == [10, 29]
    assert store.table.expire(1_000) == 4  # And their space is given back.


def test_nothing_goes_while_nothing_was_made_shorter() -> None:
    store = Store()
    assert run(store.forgetting()) == 1
    longer = {**LONG, Grain.DAY: 3_000 * DAY_MS}
    note_retention(store.table, longer, now_ms=NOW_MS)
    run(store.forgetting())
    assert store.kept(Grain.DAY) == [10, 700, 800, 1_999]


def test_a_change_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOWS_AT_ONCE", 100)
    store = Store()
    store.shorten()
    assert run(store.forgetting()) > 20
    assert load_forgotten(store.table) == NOW_MS
    assert run(store.forgetting()) == 1
    assert keys.forgotten() != keys.retention()


def test_a_look_that_was_cut_short_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOWS_AT_ONCE", 10)
    store = Store()
    store.shorten()
    assert store.forgetting().step()
    run(store.forgetting())
    assert store.kept(Grain.DAY) == [10, 700]


@pytest.mark.parametrize("kind", [Stage, AwsStage])
def test_days_of_named_counters_go_with_the_windows_of_a_day(kind: type[Stage]) -> None:
    stage = kind(shards=2)
    table = TroubledTable(stage.table, is_ordered=True)
    note_retention(table, LONG, now_ms=0)
    for day in range(20):
        stage.clock.set(NOON_MS + day * DAY_MS)
        for name in ("a", "b"):
            add(stage, name, f"{name}{day}")
        for shard in range(stage.shards):
            stage.worker(shard, table).drain()
    note_retention(table, {**LONG, Grain.DAY: 5 * DAY_MS}, now_ms=stage.clock.now_ms())
    stage.clock.advance(2 * RULE_KNOWN_AFTER_MS)
    run(Forgetting(table, clock=stage.clock, zone_of=lambda _: "UTC", brands=lambda: ["abc", "abc~uniques"]))
    now_ms = stage.clock.now_ms()
    for name in ("a", "b"):
        days = Days(NOON_MS - DAY_MS // 2, now_ms + DAY_MS, 20)
        assert round(told_of(table, "abc", name, days).estimate.count) == 6  # five, and the open one
        assert round(told_of(table, "abc", name).estimate.count) == 20


def test_a_store_whose_rule_was_never_written_down_is_left_alone() -> None:
    table = SqliteTable(":memory:", clock=SetClock(NOW_MS))
    assert not Forgetting(table, clock=SetClock(NOW_MS), zone_of=lambda _: "UTC", brands=list).step()


def test_nothing_goes_before_readers_know_the_new_rule() -> None:
    store = Store()
    store.shorten()
    store.clock.advance(-1)
    forgetting = store.forgetting()
    assert not forgetting.step()
    assert store.kept(Grain.DAY) == [10, 700, 800, 1_999]
    store.clock.advance(1)
    run(forgetting)
    assert store.kept(Grain.DAY) == [10, 700]
