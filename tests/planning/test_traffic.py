"""Models of traffic: what they come to in a day, a week and a year, and what no traffic can be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.planning.traffic import (
    DAY_MINUTES,
    MONTH_MINUTES,
    PLANNED_MINUTES,
    WEEK_MINUTES,
    Constant,
    Grown,
    Monthly,
    Rhythm,
    Spike,
    Sum,
    peak_to_mean,
)
from footfall.planning.traffic_popularity import Popularity, harmonic, zipf_shares
from footfall.planning.workload import MONTH_DAYS
from footfall.values.errors import Refused


def test_a_constant_day_has_its_hits() -> None:
    assert Constant(1_440_000).hits(DAY_MINUTES).tolist() == [1_000.0] * DAY_MINUTES


def test_an_evening_has_five_times_the_hits_of_its_morning() -> None:
    wednesday = Rhythm(1_000_000).hits(DAY_MINUTES, start_minute=2 * DAY_MINUTES)
    assert wednesday.max() / wednesday.min() == pytest.approx(5, rel=1e-3)
    assert int(wednesday.argmax()) // 60 == 20
    assert int(wednesday.argmin()) // 60 in (7, 8)


def test_a_week_has_seven_mean_days_and_a_quieter_weekend() -> None:
    week = Rhythm(1_000_000).hits(WEEK_MINUTES)
    assert week.sum() == pytest.approx(7_000_000)
    days = week.reshape(7, -1).sum(axis=1)
    assert days[5] < days[2]
    assert abs(np.diff(week)).max() < week.mean() / 100  # no jump, at midnight neither


def test_a_rhythm_asked_for_in_parts_is_the_same() -> None:
    rhythm = Rhythm(7_000_000, evening_times=3)
    parts = [rhythm.hits(700, start_minute=start) for start in range(0, 4_200, 700)]
    np.testing.assert_array_equal(np.concatenate(parts), rhythm.hits(4_200))


def test_a_month_that_is_no_whole_weeks_has_the_hits_that_were_said() -> None:
    months = Monthly(Rhythm(1_000_000), 1_000_000)
    whole = months.hits(4 * PLANNED_MINUTES)
    assert whole.reshape(4, -1).sum(axis=1) == pytest.approx([30_000_000] * 4)
    part = months.hits(900, start_minute=PLANNED_MINUTES - 450)
    np.testing.assert_array_equal(part, whole[PLANNED_MINUTES - 450 : PLANNED_MINUTES + 450])
    assert months.hits(0).tolist() == []
    assert PLANNED_MINUTES == MONTH_DAYS * DAY_MINUTES


def test_a_spike_rises_and_loses_half_of_itself_each_half_life() -> None:
    spike = Spike(at_minute=100, height_per_minute=6_000, rise_minutes=10, half_life_minutes=60)
    hits = spike.hits(400)
    assert hits[99] == 0
    assert hits[100] == 600
    assert hits.max() == hits[109] == 6_000
    assert hits[169] == pytest.approx(3_000)
    assert hits[229] == pytest.approx(1_500)


def test_growth_is_by_the_month() -> None:
    grown = Grown(Constant(1_440), 0.1)
    assert grown.hits(1, start_minute=12 * MONTH_MINUTES)[0] == pytest.approx(1.1**12)


def test_traffic_adds_up() -> None:
    both = Sum([Constant(1_440), Spike(5, 100.0, rise_minutes=1)])
    assert both.hits(7).tolist()[:6] == [1, 1, 1, 1, 1, 101]
    assert peak_to_mean(Constant(5).hits(10)) == pytest.approx(1)
    assert peak_to_mean(np.zeros(3)) == 0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Constant(-1), "there cannot be fewer than none"),
        (lambda: Constant(float("nan")), "no number"),
        (lambda: Constant(1e16), "more than everybody on Earth"),
        (lambda: Rhythm(1e6, evening_times=0.5), "not between 1 and 1000 times"),
        (lambda: Rhythm(1e6, evening_hour=24), "no hour of a day"),
        (lambda: Rhythm(1e6, week=(1.0,) * 6), "seven days"),
        (lambda: Spike(-1, 5), "begins at minute 0"),
        (lambda: Spike(1, 5, half_life_minutes=0), "half-life"),
        (lambda: Grown(Constant(1), -1), "all is lost"),
        (lambda: Grown(Constant(1e14), 10).hits(10, start_minute=12 * MONTH_MINUTES), "minute 0 has"),
        (lambda: Constant(1).hits(-1), "neither may be below 0"),
        (lambda: Constant(1).hits(10**8), "more than ten years"),
    ],
)
def test_impossible_traffic_is_refused_with_the_reason(make: object, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        make()  # type: ignore[operator]


def test_shares_follow_zipf_and_come_to_one() -> None:
    popularity = Popularity(100_000, 1.0, brands=5)
    assert popularity.asset_share(0) == pytest.approx(10 * popularity.asset_share(9))
    assert popularity.top_assets(100_000).sum() == pytest.approx(1)
    assert popularity.brand_shares().sum() == pytest.approx(1)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.3])
def test_sums_of_many_ranks_are_as_good_as_exact(exponent: float) -> None:
    plain = float((np.arange(1, 3_000_001, dtype=np.float64) ** -exponent).sum())
    assert harmonic(3_000_000, exponent) == pytest.approx(plain, rel=1e-6)


@given(st.integers(1, 5_000), st.floats(0, 2), st.floats(0, 1e5))
def test_assets_that_are_seen_are_as_many_as_a_plain_sum_says(assets: int, exponent: float, hits: float) -> None:
    plain = float(-np.expm1(-hits * zipf_shares(assets, exponent)).sum())
    assert Popularity(assets, exponent).seen(hits) == pytest.approx(plain, rel=0.01, abs=1e-6)


@pytest.mark.parametrize("bad", [{"assets": 0}, {"assets": 5, "exponent": -1}, {"assets": 5, "brands": 0}])
def test_impossible_popularity_is_refused(bad: dict[str, int]) -> None:
    with pytest.raises(Refused):
        Popularity(**bad)
