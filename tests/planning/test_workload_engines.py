"""What the model says of writes is what DynamoDB's own local build is asked for when the real counting runs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from bench.counted_day import Cost, CountedDay
from bench.day import HOUR_S, STARTS_AT_MS, HourOfHits
from footfall.flow.stream.records import HitKey
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.summary_sizes import FIRST_ASSET, AssetsOfShard, labels_of, shuffled, slice_of
from footfall.planning.traffic import Constant
from footfall.planning.traffic_popularity import Popularity
from footfall.planning.workload import Workload, workload
from tests.bench.both_tables import BothTables, both_tables
from tests.engines.dynamodb import DynamoDbEngine

HOURS = 1
BRANDS = ("abc", "def", "ghi", "jkl", "mno")  # bench.counted_day's, each with a fifth of the hits here


@dataclass
class EvenDay:
    """Some hours in which every asset of every brand has a hit in every few seconds: nothing is left to chance."""

    assets_per_brand: int
    per_second: int  # of all brands
    hours: int = HOURS

    @property
    def ends_at_ms(self) -> int:
        return STARTS_AT_MS + self.hours * HOUR_S * 1_000

    @property
    def hits(self) -> int:
        return self.per_second * self.hours * HOUR_S

    def hour(self, hour: int) -> HourOfHits:
        count = self.per_second * HOUR_S
        second = np.repeat(np.arange(hour * HOUR_S, (hour + 1) * HOUR_S), self.per_second)
        number = np.arange(count)  # One of each brand in turn, so that no flush lacks a brand.
        asset = number % len(BRANDS) * self.assets_per_brand + number // len(BRANDS) % self.assets_per_brand
        return HourOfHits(hour, second, asset)

    def each_hour(self) -> Iterator[HourOfHits]:
        return map(self.hour, range(self.hours))

    def keys(self) -> list[HitKey]:
        assets = AssetsOfShard(np.full(self.assets_per_brand, 1 / self.assets_per_brand), 50)
        labels = [slice_of(int(one)) for one in labels_of(assets)]
        idents = FIRST_ASSET + shuffled(self.assets_per_brand)
        return [(str(int(ident)), *label[:3]) for _ in BRANDS for ident, label in zip(idents, labels, strict=True)]

    def brand_of(self, asset: int) -> str:
        return BRANDS[asset // self.assets_per_brand]


@pytest.fixture(scope="module")
def counted(dynamodb: DynamoDbEngine) -> tuple[CountedDay, Cost]:
    day = CountedDay(EvenDay(200, 100), freshness_s=60, new_table=both_tables(dynamodb))  # pyright: ignore[reportArgumentType]
    return day, day.run()


@pytest.fixture(scope="module")
def modelled() -> Workload:
    even = Popularity(200, exponent=0.0, brands=len(BRANDS), brand_exponent=0.0)
    # A record is the hits of one brand in one second: twenty.
    site = Site(Constant(100 * 86_400), even, batch=20, visitors=0.0)
    return workload(site, Stack(counting_shards=1, kinesis_shards=1), Readers(), days=1)


def of_hours(model: Workload, kind: str) -> float:
    """Return what the model says of as many hours as were counted."""
    return float(model.written.units[kind].sum()) * HOURS / 24


def test_dynamodb_agreed_with_the_formula_at_every_write(counted: tuple[CountedDay, Cost]) -> None:
    table = counted[0].table
    assert isinstance(table, BothTables)
    assert table.compared > 1_000


def test_the_adapter_counted_as_many_units_and_items_as_the_model_has(
    counted: tuple[CountedDay, Cost], modelled: Workload
) -> None:
    table = counted[0].table
    assert isinstance(table, BothTables)
    assert table.counted.total.written == sum(table.units.written.values())
    # The hour after the hours is counted as well, and what is finished a day later; the day itself is not built.
    hours = HOURS + 1
    units = float(modelled.writes.sum()) * hours / 24
    items = float(modelled.written.requests.sum()) * hours / 24
    assert table.counted.total.written == pytest.approx(units, rel=0.03)
    assert table.counted.attempts == pytest.approx(items, rel=0.03)
    assert table.units.writes["minutes"] == pytest.approx(
        float(modelled.written.writes["minutes"].sum()) * hours / 24, rel=0.02
    )


def test_minutes_cost_what_the_model_says(counted: tuple[CountedDay, Cost], modelled: Workload) -> None:
    # The model has every minute cut in two by a flush; of 61 minutes one is not, for flushes are 61 seconds apart.
    _, cost = counted
    assert cost.written["minutes"] <= of_hours(modelled, "minutes") <= cost.written["minutes"] * 1.03


def test_hours_cost_what_the_model_says(counted: tuple[CountedDay, Cost], modelled: Workload) -> None:
    assert counted[1].written["hours"] == round(of_hours(modelled, "hours"))


def test_journal_and_checkpoints_cost_what_the_model_says(counted: tuple[CountedDay, Cost], modelled: Workload) -> None:
    # A flush is every 61 seconds; how many lie in the hours depends on where the first one falls.
    _, cost = counted
    day_builds = 5 * HOURS / 24  # The model builds a part of the day in so many hours; the run builds none.
    for kind in ("journal", "checkpoints"):
        assert abs(cost.written[kind] - (of_hours(modelled, kind) - day_builds)) <= 6


def test_windows_that_are_pending_cost_what_the_model_says(
    counted: tuple[CountedDay, Cost], modelled: Workload
) -> None:
    # Two writes each: when the window is met first, and when it is built. Those of the last hour are built after
    # it, and the days, which are met in the first flush, when they end.
    _, cost = counted
    windows = len(BRANDS) * HOURS
    assert cost.written["pending"] == 2 * windows - len(BRANDS) + len(BRANDS)
    assert of_hours(modelled, "pending") == pytest.approx(2 * windows * 25 / 24)


def test_objects_of_raw_hits_are_as_many_as_the_model_says(
    counted: tuple[CountedDay, Cost], modelled: Workload
) -> None:
    # One for each brand and flush, and another where a flush meets a new hour.
    _, cost = counted
    said = float(modelled.written.puts.sum()) * HOURS / 24
    assert said <= cost.puts <= said + len(BRANDS) * (HOURS + 1)


def test_no_more_is_read_than_the_model_says(counted: tuple[CountedDay, Cost], modelled: Workload) -> None:
    # It is a bound: the model reads every minute again when its hour is built, and a worker has most of them in hand.
    day, _ = counted
    said = float(modelled.written.reads.sum()) * (HOURS + 1) / 24
    assert said / 2 <= day.table.units.read <= said
