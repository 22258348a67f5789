"""What the model says of the benchmark's day is what the benchmark counted, which the real workers did."""

from dataclasses import replace

import numpy as np
import pytest

from bench.results import RESULTS, load
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.traffic import Constant
from footfall.planning.traffic_popularity import Popularity
from footfall.planning.workload import Workload, workload, workload_of_minutes
from footfall.values.errors import Refused
from tests.planning.sites import BenchBrands, BenchDay, even_work

DAY = Site(BenchDay(), BenchBrands(10_000, exponent=1.1, brands=5), batch=23, visitors=0.0)
ONE = Stack(counting_shards=1, kinesis_shards=1, uniques=False)


def measured(what: str) -> float:
    return next(row.value for row in load(RESULTS)["dynamodb-cost"] if row.what == what)


def modelled(site: Site = DAY, stack: Stack = ONE) -> Workload:
    return workload(site, stack, Readers(), days=1)


def counted(model: Workload) -> float:
    """Return the units that the benchmark has on its line of all: without ids and visitors."""
    return sum(float(units.sum()) for kind, units in model.written.units.items() if kind not in ("ids", "visitors"))


@pytest.mark.parametrize(
    ("stack", "what"),
    [
        (ONE, "write units: footfall at 60 s"),
        (replace(ONE, freshness_s=15), "write units: footfall at 15 s"),
        (replace(ONE, freshness_s=5), "write units: footfall at 5 s"),
        (replace(ONE, counting_shards=4), "write units: footfall at 60 s, 4 shards"),
    ],
)
def test_write_units_of_a_day_are_those_of_the_benchmark(stack: Stack, what: str) -> None:
    assert counted(modelled(stack=stack)) == pytest.approx(measured(what), rel=0.03)


@pytest.mark.parametrize(
    ("kind", "rel"), [("minutes", 0.02), ("hours", 0.01), ("days", 0.02), ("journal", 0.01), ("finishing", 0.0)]
)
def test_each_kind_of_write_is_that_of_the_benchmark(kind: str, rel: float) -> None:
    units = float(modelled().written.units[kind].sum())
    assert units == pytest.approx(measured(f"write units: footfall at 60 s, of it {kind}"), rel=rel or 1e-9)


def test_ids_and_visitors_are_those_of_the_benchmark() -> None:
    with_ids = modelled(replace(DAY, ids=1.0)).written.units["ids"]
    assert float(with_ids.sum()) == pytest.approx(measured("write units of ids: an id for every hit"), rel=0.01)
    with_people = modelled(replace(DAY, visitors=1.0), replace(ONE, uniques=True)).written.units["visitors"]
    assert float(with_people.sum()) == pytest.approx(
        measured("write units of uniques, a visitor for every hit"), rel=0.07
    )


def test_objects_of_raw_hits_are_those_of_the_benchmark() -> None:
    assert float(modelled().written.puts.sum()) == pytest.approx(measured("puts to S3 of raw hits"), rel=0.03)


def test_twice_the_hits_cost_less_than_twice_the_writes() -> None:
    assert counted(modelled(replace(DAY, traffic=Constant(2e7)))) < 1.9 * counted(
        modelled(replace(DAY, traffic=Constant(1e7)))
    )


def test_single_hits_of_a_busy_stream_are_flushed_before_their_time() -> None:
    quiet, busy = even_work(864_000.0), even_work(86_400_000.0)
    assert float(quiet.carried.flush_s[0]) == pytest.approx(61.1, abs=0.1)
    # A thousand records a second: 6 MB of JSON are full after eight seconds.
    assert float(busy.carried.flush_s[0]) == pytest.approx(6_000_000 / (1_000 * (198 * 4 / 3 + 600)), rel=0.01)


def test_minutes_without_a_hit_write_nothing() -> None:
    hits = np.zeros(1_440)
    hits[600:660] = 100.0
    model = workload_of_minutes(Site(Constant(1.0), Popularity(100)), ONE, Readers(), hits)
    assert float(model.written.units["minutes"][:600].sum()) == 0
    assert float(model.written.units["minutes"][600:660].sum()) > 0
    assert float(model.carried.events[700]) == 0


def test_what_is_kept_stops_growing_when_as_much_expires_as_comes() -> None:
    model = even_work()
    after = {days: model.table_bytes(after_days=days) for days in (1, 11, 100, 1_000)}
    assert after[11]["minutes"] == after[1_000]["minutes"] == pytest.approx(11 * after[1]["minutes"])
    assert after[100]["hours"] == after[1_000]["hours"]
    assert after[1_000]["days"] == pytest.approx(771 * after[1]["days"])
    assert model.raw_bytes(after_days=365) == model.raw_bytes(after_days=14)


def test_the_same_seed_gives_the_same_numbers() -> None:
    one, other = (workload(DAY, ONE, Readers(), days=1, seed=3) for _ in range(2))
    assert np.array_equal(one.writes, other.writes)
    assert np.array_equal(one.reads, other.reads)


@pytest.mark.parametrize("minutes", [0, 1, 60, 1_439])
def test_less_than_a_day_of_minutes_is_refused_with_a_sentence(minutes: int) -> None:
    with pytest.raises(Refused, match=f"{minutes:,} minutes are less than a day"):
        workload_of_minutes(DAY, ONE, Readers(), np.full(minutes, 5.0))
