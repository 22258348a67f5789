"""Visitors and their bounds: never more than hits, and never fewer at most than may have come."""

from dataclasses import replace
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count.worker import CountRules
from footfall.flow.serve.exporting import exported
from footfall.flow.serve.past import Moments, PastList
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.unique_labels import UniqueLabels
from footfall.flow.serve.unique_list import UniqueList
from footfall.flow.serve.unique_series import UniqueSeries
from footfall.flow.serve.visits import Visitors, Visits, bounded
from footfall.flow.store.merging import Limits
from footfall.flow.store.summaries import Summary
from footfall.flow.store.visitors import load_visitors
from footfall.values.period import Span
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window, instant_text
from tests.flow.count.stage import NOON_MS, Stage
from tests.flow.count.stage import key_of as counted_as
from tests.flow.serve.visits import NO_WORDS, NOW_MS, Visited, ground, hour

HOURS = [hour(1), hour(0)]
SPAN = Span(tuple(HOURS))
ALL_HITS = 10
SECTIONS = [str(number) for number in range(12)]
EACH = 900  # enough for registers, whose estimates lie above the truth as often as below

whole = st.integers(0, 1_000)


def crowded() -> Visited:
    """Return two hours in which everybody came with one hit."""
    store = Visited()
    for number, section in enumerate(SECTIONS):
        for visitor in range(EACH):
            store.visit(HOURS[visitor % 2], (f"a{section}", section, "article", "free"), number * EACH + visitor)
    return store


def visits_of(store: Visited) -> Visits:
    return Visits(ground(), Moments(NOW_MS, DAY_MS), store.visited)


def series_of(store: Visited, query: SeriesQuery) -> dict[str, Any]:
    reading = UniqueSeries(query, SPAN, visits_of(store))
    while not reading.is_read:
        reading.step(store.read)
    return msgspec.json.decode(reading.answer(NO_WORDS).body)


def labels_of(store: Visited, *sections: str, by_section: bool = True) -> dict[str, Any]:
    past = PastList(SPAN, ground(), Moments(NOW_MS, DAY_MS))
    while not past.is_read:
        past.step(store.read)
    query = PopularQuery("abc", "", from_ms=SPAN.from_ms, to_ms=SPAN.to_ms, sort="uniques", sections=sections, limit=20)
    reading = UniqueLabels(query, visits_of(store), lambda: past.view(query), by_section=by_section)
    while not reading.is_read:
        reading.step(store.read)
    return msgspec.json.decode(reading.answer(NO_WORDS).body)


def require_no_more_than(hits: int, told: dict[str, Any]) -> None:
    assert told["uniquesAtLeast"] <= told["uniques"] <= told["uniquesAtMost"] <= hits


@given(whole, whole, whole, st.none() | whole, whole)
def test_bounds_stay_in_order_and_nobody_comes_without_a_hit(
    one: int, two: int, three: int, hits: int | None, missed: int
) -> None:
    lower, count, upper = sorted((one, two, three))
    found = bounded(Visitors(count, lower, upper), hits=hits, missed=missed)
    assert found.at_least <= found.uniques <= found.at_most <= upper + missed
    if hits is not None:
        assert found.at_most <= hits + missed


def test_no_series_tells_more_visitors_than_hits() -> None:
    store = crowded()
    for section in SECTIONS:
        told = series_of(store, SeriesQuery("abc", grain=Grain.HOUR, sections=(section,), measure="uniques"))
        require_no_more_than(EACH, told)
        for point in told["points"]:
            require_no_more_than(EACH // 2, point)
        require_no_more_than(
            EACH, series_of(store, SeriesQuery("abc", grain=Grain.HOUR, asset=f"a{section}", measure="uniques"))
        )
    require_no_more_than(
        EACH * len(SECTIONS), series_of(store, SeriesQuery("abc", grain=Grain.HOUR, measure="uniques"))
    )


def test_no_section_and_no_brand_has_more_visitors_than_hits() -> None:
    store = crowded()
    answer = labels_of(store)
    assert len(answer["items"]) == len(SECTIONS)
    for item in (answer, *answer["items"]):
        require_no_more_than(item["hits"], item)
    uniques = [item["uniques"] for item in answer["items"]]
    assert uniques == sorted(uniques, reverse=True)
    for section in SECTIONS:
        require_no_more_than(EACH, labels_of(store, section, by_section=False))


def test_no_exported_row_has_more_visitors_than_its_asset_has_hits() -> None:
    store = crowded()
    for one in exported(HOURS, store.read, ground(), store.visited):
        assert one.rows is not None
        for row in one.rows:
            assert row.visitors is not None
            assert 400 < row.visitors.at_least <= row.visitors.uniques <= row.visitors.at_most <= row.hits


def test_hits_without_a_row_may_have_come_with_visitors_of_a_section() -> None:
    stage = Stage(how=replace(CountRules(), limits=Limits(assets_max=3)))
    hits = [counted_as(f"a{number}", "news") for number in range(ALL_HITS)]
    stage.send_pack(hits, visitors=[number.to_bytes(8, "little") for number in range(100, 100 + ALL_HITS)])
    stage.worker(0, stage.table).drain()
    window = stage.window(NOON_MS, Grain.MINUTE)
    span = Span((window,))
    here = replace(ground(), now_ms=window.to_ms, seen_until_ms=window.to_ms, unbuilt={})
    visits = Visits(here, Moments(NOON_MS, DAY_MS), lambda one: load_visitors(stage.table, "abc", one))

    def read(one: Window) -> list[Summary]:
        return list(stage.summaries.live("abc", one))

    series = UniqueSeries(SeriesQuery("abc", grain=Grain.MINUTE, sections=("news",), measure="uniques"), span, visits)
    while not series.is_read:
        series.step(read)
    told = msgspec.json.decode(series.answer(NO_WORDS).body)
    for one in (told, told["points"][0]):
        assert (one["uniques"], one["uniquesAtMost"]) == (3, ALL_HITS)
    past = PastList(span, here, Moments(NOON_MS, DAY_MS))
    while not past.is_read:
        past.step(read)
    for sections in ((), ("news",)):
        query = PopularQuery("abc", "", sections, from_ms=span.from_ms, to_ms=span.to_ms, sort="uniques")
        labels = UniqueLabels(query, visits, lambda query=query: past.view(query), by_section=True)
        while not labels.is_read:
            labels.step(read)
        told = msgspec.json.decode(labels.answer(NO_WORDS).body)
        assert (told["items"][0]["uniques"], told["items"][0]["uniquesAtMost"]) == (3, ALL_HITS)
        assert (told["uniques"], told["uniquesAtMost"]) == (3 if sections else ALL_HITS, ALL_HITS)


def test_what_is_not_kept_any_more_has_no_upper_bound() -> None:
    store = Visited()
    for visitor in range(5):
        store.visit(HOURS[1], ("1", "12", "article", "free"), visitor)
    here = replace(ground(), kept_ms=dict.fromkeys(Grain, HOUR_MS // 2))
    past = PastList(SPAN, here, Moments(NOW_MS, DAY_MS))
    while not past.is_read:
        past.step(store.read)
    visits = Visits(here, Moments(NOW_MS, DAY_MS), store.visited)
    query = PopularQuery("abc", "", from_ms=SPAN.from_ms, to_ms=SPAN.to_ms, sort="uniques")
    labels = UniqueLabels(query, visits, lambda: past.view(query), by_section=True)
    listed = UniqueList(query, visits, lambda: past.view(query), NO_WORDS)
    for reading in (labels, listed):
        while not reading.is_read:
            reading.step(store.read)
        told = msgspec.json.decode(reading.answer(NO_WORDS).body)
        assert told["keptSince"] == instant_text(HOURS[0].to_ms)
        bounds = [(one["uniques"], one["uniquesAtLeast"], one["uniquesAtMost"]) for one in told["items"]]
        assert bounds == [(5, 5, None)]
        assert told.get("uniquesAtMost") is None


def test_a_change_is_told_no_closer_than_the_visitors_of_both_spans_are_known() -> None:
    store = crowded()
    reading = UniqueSeries(
        SeriesQuery("abc", grain=Grain.HOUR, measure="uniques", compare=("previous",)),
        Span((HOURS[1],)),
        visits_of(store),
    )
    while not reading.is_read:
        reading.step(store.read)
    found = msgspec.json.decode(reading.answer(NO_WORDS).body)["previous"]["compared"]
    assert found["changeAtLeast"] < 0 < found["changeAtMost"]  # In truth as many came in both.
    assert found["changeAtLeast"] <= found["change"] <= found["changeAtMost"]
    assert found["uniquesAtLeast"] < found["uniquesAtMost"]
    assert found["uniquesBeforeAtLeast"] < found["uniquesBeforeAtMost"]
