"""Windows of visitors: read once while they stay the same, within a bound of memory, and what stands in for them."""

from dataclasses import replace

import pytest

from footfall.flow.serve.query import canonical, label_parameters, popular_query, query_from, require_known_visitors
from footfall.flow.serve.series_query import series_canonical, series_parameters, series_query_from
from footfall.flow.serve.unique_names import VISITOR_DAYS, VISITORS
from footfall.flow.serve.uniting import Uniting, groups_from, uniques_are
from footfall.flow.serve.visitor_windows import VisitorWindows, windows_of
from footfall.sketches.grouped import GroupedUniques
from footfall.values.errors import Refused
from footfall.values.period import DEFAULT_PERIODS, Span
from footfall.values.window import HOUR_MS, Grain, Window, window_of
from tests.flow.serve.visits import NOW_MS, ground, hour, sketches_of


class Reader:
    """A store that remembers what was read of it."""

    def __init__(self, *, bytes_max: int = 1_000_000) -> None:
        self.reads: list[Window] = []
        self.windows = VisitorWindows(self.load, bytes_max=bytes_max)

    def load(self, _brand: str, window: Window) -> GroupedUniques:
        self.reads.append(window)
        return sketches_of({1: set(range(100))})


def test_a_window_is_read_once_until_it_is_written_again() -> None:
    reader = Reader()
    for _ in range(3):
        reader.windows.visitors("abc", hour(0))
    reader.windows.glance("abc", hour(0))
    assert len(reader.reads) == 1
    reader.windows.touch("abc", hour(0))
    reader.windows.touch("abc", hour(5))
    assert (len(reader.windows), reader.windows.size_bytes) == (0, 0)
    reader.windows.visitors("abc", hour(0))
    reader.windows.visitors("xyz", hour(0))
    assert len(reader.reads) == 3
    reader.windows.clear()
    assert (len(reader.windows), reader.windows.size_bytes) == (0, 0)


def test_the_windows_that_were_not_asked_for_longest_make_room() -> None:
    reader = Reader(bytes_max=3_500)
    for back in (0, 1, 2, 0, 3):
        reader.windows.visitors("abc", hour(back))
    assert len(reader.windows) == 3
    assert reader.windows.size_bytes <= 3_500
    reader.windows.visitors("abc", hour(0))
    assert reader.reads == [hour(0), hour(1), hour(2), hour(3)]


def test_a_glance_keeps_nothing() -> None:
    reader = Reader()
    reader.windows.glance("abc", hour(0))
    assert len(reader.windows) == 0


def test_finer_windows_stand_in_only_where_a_window_is_not_built() -> None:
    span = Span((hour(1), hour(0)))
    assert windows_of(span, ground()) == [hour(0), hour(1)]
    unbuilt = replace(ground(), unbuilt={"s00": {Grain.HOUR: hour(0).from_ms, Grain.DAY: 0}})
    found = windows_of(span, unbuilt)
    assert len(found) == 62
    assert found[-2:] == [hour(0), hour(1)]
    assert {one.grain for one in found[:60]} == {Grain.MINUTE}
    # Nothing is looked for that has not begun.
    today = window_of(NOW_MS, Grain.DAY, "UTC")
    nothing_built = replace(ground(), unbuilt={"s00": {Grain.HOUR: NOW_MS, Grain.DAY: 0}})
    assert all(one.from_ms <= NOW_MS for one in windows_of(Span((today,)), nothing_built))


def test_sets_are_united_over_windows_and_together() -> None:
    uniting = Uniting(groups_from([7, 3]), [hour(0), hour(1)])
    of_hours = {hour(0): sketches_of({3: {1, 2}, 7: {2}, 9: {8, 9}}), hour(1): sketches_of({3: {2, 3}})}
    while uniting.todo:
        uniting.step(of_hours.__getitem__)
    assert uniting.estimates().count.tolist() == [3.0, 1.0]
    assert uniting.together().count == 3.0


def test_a_unique_of_several_days_is_a_visitor_of_a_day() -> None:
    day = window_of(NOW_MS, Grain.DAY, "UTC")
    assert uniques_are(Span((day,)), "UTC") == VISITORS
    assert uniques_are(Span((hour(1), hour(0))), "UTC") == VISITORS
    assert uniques_are(Span((window_of(NOW_MS - 13 * HOUR_MS, Grain.HOUR, "UTC"), hour(0))), "UTC") == VISITOR_DAYS
    assert uniques_are(Span((day,)), "Europe/Helsinki") == VISITOR_DAYS


def test_lists_and_series_by_visitors_have_one_text_each() -> None:
    query = popular_query("sort=uniques&brand=abc&period=day", periods=DEFAULT_PERIODS)
    assert canonical(query) == "brand=abc&period=day&sort=uniques"
    assert canonical(popular_query("sort=hits&brand=abc&period=day", periods=DEFAULT_PERIODS)) == "brand=abc&period=day"
    given = series_parameters("measure=uniques&brand=abc", of_asset=False)
    assert series_canonical(series_query_from(given)) == "/v1/series?brand=abc&grain=hour&measure=uniques"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ("resourceType=video", "resourceType"),
        ("paidType=free&section=1", "paidType"),
        ("profile=weekday", "profile"),
        ("measure=people", "measure"),
    ],
)
def test_what_nobody_counts_visitors_of_is_refused(asked: str, field: str) -> None:
    measure = "" if "measure" in asked else "&measure=uniques"
    with pytest.raises(Refused) as refused:
        series_query_from(series_parameters(f"brand=abc&{asked}{measure}", of_asset=False))
    assert refused.value.field == field


def test_sections_by_visitors_are_not_asked_for_with_other_labels() -> None:
    query = query_from(label_parameters("brand=abc&sort=uniques&resourceType=video"), periods=DEFAULT_PERIODS)
    with pytest.raises(Refused, match="counted for assets, for sections and for the whole brand"):
        require_known_visitors(query)
    require_known_visitors(replace(query, sort="hits"))
