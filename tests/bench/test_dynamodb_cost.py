"""The cost table on a small day: what it computes, never how long it takes."""

from collections import Counter

import numpy as np
import pytest

from bench.asked_day import Truths, questions
from bench.counted_day import CountedDay, peak_to_mean
from bench.day import BRANDS, Day
from bench.dynamodb_cost import FILTERS, Measured, measure, rows_of, show_both
from bench.results import Row
from bench.thesis_rows import Filter, ThesisApi, ThesisTable, is_right, listed

DAY = Day(hits=100_000, hours=1)


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measure(DAY, queries=100, whole=False)


@pytest.fixture(scope="module")
def rows(measured: Measured) -> dict[str, Row]:
    return {one.what: one for one in rows_of(measured)}


def test_a_day_is_the_same_whenever_it_is_asked(measured: Measured) -> None:
    hours = list(DAY.each_hour())
    assert sum(len(hour.second) for hour in hours) == DAY.hits
    assert all(np.array_equal(hour.asset, DAY.hour(hour.hour).asset) for hour in hours)
    assert sum(measured.ours.hits_by_minute[minute] for minute in range(60)) == DAY.hits


def test_a_day_has_its_rhythm_its_brands_and_a_zipf_shape() -> None:
    day = Day(hits=240_000)
    per_hour = [len(hour.second) for hour in day.each_hour()]
    assert 5 < max(per_hour) / min(per_hour) < 12
    assets = np.concatenate([hour.asset for hour in day.each_hour()])
    per_brand = np.bincount(assets // day.assets_per_brand)
    assert len(per_brand) == len(BRANDS)
    assert np.allclose(per_brand / len(assets), (0.30, 0.25, 0.20, 0.15, 0.10), atol=0.01)
    per_asset = np.sort(np.bincount(assets))[::-1]
    assert per_asset[:500].sum() > 0.5 * len(assets)


def test_ratios_are_of_what_stands_above_them(measured: Measured, rows: dict[str, Row]) -> None:
    ours, thesis, minutely = measured.ours, measured.thesis, measured.minutely
    assert rows["write units: footfall at 60 s"].value == ours.total == sum(ours.written.values())
    assert rows["footfall's write units by A's"].value == pytest.approx(ours.total / thesis.written, rel=1e-3)
    assert rows["footfall's write units by B's"].value == pytest.approx(ours.total / minutely.written, rel=1e-3)
    assert ours.written.keys() >= {"minutes", "hours", "checkpoints", "journal", "pending"}
    show_both(measured)


def test_the_goals_are_met_on_a_small_day_as_well(rows: dict[str, Row]) -> None:
    missed = [one.what for one in rows.values() if one.met is False and "read units" not in one.what]
    assert missed == []


def test_every_list_of_ours_is_right_and_says_so_where_the_thesis_misses_some(measured: Measured) -> None:
    right = measured.right
    assert right.filters == FILTERS == right.ours == right.ours_exact
    assert right.thesis < right.filters


def test_the_thesis_writes_the_500_and_all_that_ties_with_the_last() -> None:
    day = Day(hits=1, hours=1, assets=5_000)
    table = ThesisTable(day, "F")
    counts = np.zeros(5_000, np.int64)
    counts[:499] = 9
    counts[499:600] = 2
    counts[600:700] = 1
    table.add(0, counts)
    table.close(0)
    assert table.written == 600
    assert table.written_at_500 == 500
    assert set(table.windows[0, "F", -4].asset.tolist()) == set(range(600))


def test_the_thesis_reads_each_window_once() -> None:
    day = Day(hits=1, hours=1, assets=5_000)
    table = ThesisTable(day, "F")
    for minute in range(10):
        table.add(minute, np.ones(5_000, np.int64))
    api = ThesisApi(table)
    api.ask(0, "F", count=1, before_minute=7)
    first = api.read
    assert first > 1
    api.ask(0, "F", count=1, before_minute=9)
    assert api.read == first
    api.ask(0, "F", count=1, before_minute=10)
    assert api.read == 2 * first


def test_a_list_is_right_whatever_the_order_of_ties_and_wrong_by_one_hit() -> None:
    day = Day(hits=1, hours=1, assets=50)
    truth = np.zeros(50, np.int64)
    truth[:4] = (5, 3, 3, 1)
    asked = Filter(frozenset(), None, None, limit=2)
    assert is_right(day, [(0, 5), (1, 3)], truth, asked)
    assert is_right(day, [(0, 5), (2, 3)], truth, asked)
    assert not is_right(day, [(0, 5), (1, 2)], truth, asked)
    assert not is_right(day, [(0, 5), (3, 1)], truth, asked)
    assert not is_right(day, [(0, 5)], truth, asked)
    assert listed(day, [], asked) == []
    assert Truths(day, [truth] * 5)(0, "justnow").sum() == 5 * 12
    assert Truths(day, [truth] * 5)(1, "day").sum() == 0


def test_the_peak_is_of_units_by_hit_within_an_hour() -> None:
    hits = dict.fromkeys(range(120), 100)
    even = dict.fromkeys(range(120), 10)
    assert peak_to_mean(even, hits, minutes=1) == pytest.approx(1.0)
    burst = Counter(even)
    burst[90] += 600
    assert peak_to_mean(burst, hits, minutes=1) == pytest.approx(61 / 2)
    assert peak_to_mean(burst, hits, minutes=5) == pytest.approx(13 / 2)
    # Twice the hits at twice the price is no peak.
    hits[90], even[90] = 200, 20
    assert peak_to_mean(even, hits, minutes=1) == pytest.approx(1.0)


def test_questions_come_in_the_thesis_mix() -> None:
    asked = questions(DAY, 5_000)
    assert [one.second for one in asked] == sorted(one.second for one in asked)
    with_section = [one for one in asked if one.asked.sections]
    assert 0.69 < len(with_section) / len(asked) < 0.75
    assert 10 < sum(len(one.asked.sections) for one in with_section) / len(with_section) < 16
    plain = [one for one in asked if one.canonical.count("&") == 2]
    assert 0.13 < len(plain) / len(asked) < 0.18


def test_fewer_seconds_between_flushes_cost_more() -> None:
    hour = Day(hits=2_000, hours=1, assets=500)
    costs = [CountedDay(hour, freshness_s=freshness_s).run().total for freshness_s in (15, 60)]
    assert costs[0] > costs[1]
