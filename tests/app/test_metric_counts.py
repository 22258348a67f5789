"""Footfall's own counts as metrics see them: what series say, by the days and hours of the brand's zone."""

import json
from typing import Any

from footfall.accounts.brands import Brand
from footfall.app.settings import Settings
from footfall.flow.count.watch_values import Beat
from footfall.flow.store.visitors import BRAND_GROUP, group_of_section, save_visitors
from footfall.flow.stream.beats import PlayState
from footfall.metrics.data import query_from
from footfall.ports.stream import Entry
from footfall.values.groups import pings_group
from footfall.values.window import DAY_MS, HOUR_MS, Grain, window_of
from tests.app.metric_stage import HITS, NEWS, PAID, PEOPLE, SPORT, asking, counted, send, told, values
from tests.app.stage import NOON_MS, Instance
from tests.app.test_history import body_of
from tests.flow.count.playing import record_of
from tests.flow.serve.visits import sketches_of


def test_hits_by_day_are_those_of_the_series() -> None:
    instance = counted()
    answer = told(asking(instance, HITS), "hits", first="2026-11-14", to="2026-11-18")
    assert values(answer) == [None, 4.0, 3.0, None]  # Tomorrow is not known, nor is what was before the first hit.
    of_hits = {"days": 4, "withData": 2, "last": "2026-11-16"}
    assert answer["coverage"] == {"days": 4, "withData": 2, "metrics": {"hits": of_hits}}
    series = body_of(instance, "/v1/series?brand=abc&grain=day&last=3")
    assert [point["hits"] for point in series["points"]] == [0, 4, 3]
    assert (answer["exact"], answer["unit"]) == (True, "hits")


def test_hours_are_those_of_the_brands_zone() -> None:
    answer = told(asking(counted(), HITS), "hits", first="2026-11-15", to="2026-11-16", grain="hour")
    assert len(answer["items"]) == 24
    found = {one["period"]: one["value"] for one in answer["items"] if one["value"]}
    assert found == {"2026-11-15T12:00Z": 3.0, "2026-11-15T23:00Z": 1.0}


def test_where_the_last_day_of_a_period_counts_an_hour_is_itself() -> None:
    data = asking(counted(), HITS, {**HITS, "name": "last", "aggregationStyle": "LAST_DAY_OF_PERIOD"})
    hours = {"first": "2026-11-15", "to": "2026-11-17", "grain": "hour"}
    assert values(told(data, "last", **hours)) == values(told(data, "hits", **hours))
    assert values(told(data, "last", first="2026-11-15", to="2026-11-17", grain="year")) == [3.0]


def test_a_day_is_the_brands_own() -> None:
    # At 23 o'clock UTC it is the next day in Helsinki.
    answer = told(asking(counted("Europe/Helsinki"), HITS), "hits", first="2026-11-15", to="2026-11-17")
    assert values(answer) == [3.0, 4.0]


def test_hits_are_grouped_and_filtered_by_their_labels() -> None:
    data = asking(counted(), HITS, PAID)
    answer = told(data, "hits", first="2026-11-15", to="2026-11-17", grain="month", by=["section", "paidType"])
    assert {tuple(one["dimensions"].values()): one["value"] for one in answer["items"]} == {
        ("news", "free"): 3.0,
        ("sport", "paid"): 4.0,
    }
    one = told(data, "hits", first="2026-11-15", to="2026-11-17", where={"section": ["sport"]})
    assert values(one) == [2.0, 2.0]
    assert values(told(data, "paid", first="2026-11-15", to="2026-11-17")) == [2.0, 2.0]
    assert values(told(data, "paid", first="2026-11-15", to="2026-11-17", where={"section": ["news"]})) == [0.0, 0.0]


def test_the_last_day_of_a_period_that_is_open_is_today() -> None:
    last = {**HITS, "name": "last", "aggregationStyle": "LAST_DAY_OF_PERIOD"}
    answer = told(asking(counted(), last), "last", first="2026-11-01", to="2026-12-01", grain="month")
    assert values(answer) == [3.0]


def visited() -> Instance:
    """Return an instance where some of the same people came on two days."""
    instance = counted()
    for day, sets in ((0, {"news": {1, 2}, "sport": {2}}), (1, {"news": {3}, "sport": {2, 4}})):
        window = window_of(NOON_MS + day * DAY_MS, Grain.DAY, "UTC")
        groups = {group_of_section(name): people for name, people in sets.items()}
        groups[BRAND_GROUP] = set[int]().union(*sets.values())
        found = sketches_of(groups)
        save_visitors(instance.table, "abc", window, found, part="s00", through=1, expires_at_ms=NOON_MS + 90 * DAY_MS)
    return instance


def test_visitors_are_united_over_a_period_and_told_by_section() -> None:
    data = asking(visited(), HITS, PEOPLE, {"name": "each", "valueType": "HYBRID", "hybridFormula": "hits / people"})
    span: dict[str, Any] = {"first": "2026-11-15", "to": "2026-11-17"}
    assert values(told(data, "people", **span)) == [2.0, 3.0]
    assert values(told(data, "people", **span, grain="month")) == [4.0]
    by_section = told(data, "people", **span, grain="month", by=["section"])
    assert {one["dimensions"]["section"]: one["value"] for one in by_section["items"]} == {"news": 3.0, "sport": 2.0}
    assert values(told(data, "people", **span, where={"section": ["news", "sport"]}, grain="month")) == [4.0]
    assert values(told(data, "each", **span)) == [2.0, 1.0]


def test_an_answer_follows_what_is_counted() -> None:
    instance = counted()
    data = asking(instance, HITS)
    asked: dict[str, Any] = {"first": "2026-11-16", "to": "2026-11-17"}
    before = data.ask("abc", query_from("hits", **asked))
    assert data.ask("abc", query_from("hits", **asked)) is before
    send(instance, NEWS)
    instance.count()
    after = told(data, "hits", **asked)
    assert values(after) == [4.0]
    assert after["freshness"] > json.loads(before.body)["freshness"]


def test_counts_continue_what_was_pushed_before_a_cutoff() -> None:
    old = {"name": "old", "valueType": "SCALAR", "unit": "hits", "relatedDimensions": ["section"]}
    chained = {**HITS, "relatedDimensions": ["section"], "chainedMetric": "old", "chainCutoffDate": "2026-11-16"}
    data = asking(counted(), old, chained)
    rows = [{"at": f"2026-11-{day}", "dimensions": {"section": "news"}, "value": 100} for day in (14, 15, 16)]
    data.push("abc", "old", json.dumps(rows).encode(), "json")
    span: dict[str, Any] = {"first": "2026-11-14", "to": "2026-11-17"}
    assert values(told(data, "hits", **span)) == [100.0, 100.0, 3.0]
    month = told(data, "hits", **span, grain="month", by=["section"])
    assert {one["dimensions"]["section"]: one["value"] for one in month["items"]} == {"news": 201.0, "sport": 2.0}
    assert month["seams"] == [{"metric": "hits", "chainedMetric": "old", "cutoffDate": "2026-11-16"}]
    assert month["coverage"]["withData"] == 3


def test_hours_are_compared_with_those_of_the_day_before() -> None:
    data = asking(
        counted(), HITS, {"name": "more", "valueType": "HYBRID", "hybridFormula": "hits - shift(hits, 1 day)"}
    )
    answer = told(data, "more", first="2026-11-16", to="2026-11-17", grain="hour")
    found = {one["period"]: one["value"] for one in answer["items"] if one["value"]}
    assert found == {"2026-11-16T12:00Z": 1.0 - 3.0, "2026-11-16T13:00Z": 2.0}
    # Hours that have not begun are missing, and so is what is computed from them.
    assert [one["value"] for one in answer["items"]][14:] == [None] * 10
    of_hits = {"hours": 48, "withData": 38, "last": "2026-11-16T13:00Z"}
    assert answer["coverage"] == {"hours": 24, "withData": 14, "metrics": {"hits": of_hits}}


def test_windows_that_are_kept_no_more_are_missing() -> None:
    answer = told(asking(counted(), HITS), "hits", first="2020-01-01", to="2020-01-02")
    assert values(answer) == [None]
    assert answer["coverage"]["withData"] == 0


def test_a_shorter_chain_of_counts_is_read_as_one() -> None:
    free = {**PAID, "name": "free", "source": {"counts": "hits", "where": {"paidType": ["free"]}}}
    paid = {**PAID, "chainedMetric": "free", "chainCutoffDate": "2026-11-16"}
    last = {**paid, "name": "last", "aggregationStyle": "LAST_DAY_OF_PERIOD", "chainedMetric": "last free"}
    last_free = {**free, "name": "last free", "aggregationStyle": "LAST_DAY_OF_PERIOD"}
    data = asking(counted(), free, paid, last, last_free)
    span: dict[str, Any] = {"first": "2026-11-15", "to": "2026-11-17"}
    assert values(told(data, "paid", **span)) == [2.0, 2.0]
    assert values(told(data, "paid", **span, grain="year")) == [4.0]
    assert values(told(data, "last", **span, grain="year")) == [2.0]
    assert values(told(data, "last", first="2026-11-14", to="2026-11-16", grain="year")) == [2.0]
    hours = told(data, "paid", first="2026-11-15", to="2026-11-17", grain="hour")
    assert sum(one or 0 for one in values(hours)) == 4.0


TWO_DAYS: dict[str, Any] = {"first": "2026-11-15", "to": "2026-11-17"}
CHAIN: dict[str, Any] = {"chainedMetric": "people", "chainCutoffDate": "2026-11-16"}


def test_who_came_on_both_sides_of_a_cutoff_is_one_visitor() -> None:
    data = asking(visited(), PEOPLE, {**PEOPLE, "name": "chained", **CHAIN})
    month = told(data, "chained", **TWO_DAYS, grain="month")
    assert values(month) == values(told(data, "people", **TWO_DAYS, grain="month")) == [4.0]
    assert month["seams"] == [{"metric": "chained", "chainedMetric": "people", "cutoffDate": "2026-11-16"}]
    by_section = told(data, "chained", **TWO_DAYS, grain="month", by=["section"])
    assert values(by_section) == [3.0, 2.0]


def test_visitors_are_not_added_across_a_cutoff_to_others_than_the_same() -> None:
    seam = {"metric": "chained", "chainedMetric": "people", "cutoffDate": "2026-11-16", "missing": ["2026-11-15"]}
    sport = {**PEOPLE, "name": "chained", "source": {"counts": "visitors", "where": {"section": ["sport"]}}, **CHAIN}
    pushed = {"name": "chained", "valueType": "SCALAR", "unit": "visitors", "relatedDimensions": ["section"], **CHAIN}
    formula = {"name": "chained", "valueType": "HYBRID", "hybridFormula": "people * 1", **CHAIN}
    for definition in (sport, pushed, formula):
        answer = told(asking(visited(), PEOPLE, definition), "chained", **TWO_DAYS, grain="month")
        assert (values(answer), answer["seams"]) == ([None], [seam])
    days = told(asking(visited(), PEOPLE, sport), "chained", **TWO_DAYS)
    assert (values(days), days["seams"][0].get("missing")) == ([2.0, 2.0], None)


def test_before_the_first_hit_nothing_is_known() -> None:
    data = asking(counted(), HITS, PEOPLE)
    for name in ("hits", "people"):
        october = told(data, name, first="2026-10-01", to="2026-11-01", grain="month")
        assert (values(october), october["coverage"]["days"], october["coverage"]["withData"]) == ([None], 31, 0)
    november = told(data, "hits", first="2026-11-01", to="2026-12-01", grain="month")
    assert (values(november), november["coverage"]["withData"]) == ([7.0], 2)
    assert november["coverage"]["metrics"]["hits"]["last"] == "2026-11-16"


def test_a_brand_that_nobody_came_to_has_no_numbers_until_somebody_comes() -> None:
    instance = Instance(Settings(brands={"abc": Brand("abc", zone="UTC")}, dev=True, stream_shards=1))
    instance.count()
    data = asking(instance, HITS)
    assert values(told(data, "hits", first="2026-11-14", to="2026-11-16")) == [None, None]
    send(instance, NEWS)
    instance.count()
    assert values(told(data, "hits", first="2026-11-14", to="2026-11-16")) == [None, 1.0]


def test_a_day_without_hits_after_the_first_is_one_on_which_nobody_came() -> None:
    instance = counted()
    data = asking(instance, HITS)
    instance.clock.set(NOON_MS + 3 * DAY_MS)
    assert values(told(data, "hits", first="2026-11-13", to="2026-11-19")) == [None, None, 4.0, 3.0, 0.0, 0.0]


def test_a_hit_that_comes_late_moves_the_first_day() -> None:
    instance = Instance(Settings(brands={"abc": Brand("abc", zone="UTC")}, dev=True, stream_shards=1))
    instance.clock.set(NOON_MS + 12 * HOUR_MS + 60_000)
    instance.send("first")
    instance.count()
    data = asking(instance, HITS)
    asked: dict[str, Any] = {"first": "2026-11-14", "to": "2026-11-17"}
    assert values(told(data, "hits", **asked)) == [None, None, 1.0]
    instance.send("late", at_ms=NOON_MS + 12 * HOUR_MS - 60_000)
    instance.count()
    assert values(told(data, "hits", **asked)) == [None, 1.0, 1.0]


def test_a_section_that_nobody_has_is_told_from_one_without_data() -> None:
    data = asking(visited(), HITS, PEOPLE)
    for name in ("hits", "people"):
        there = told(data, name, **TWO_DAYS, where={"section": ["news", "nwes"]})
        assert there["unmatched"] == {"section": ["nwes"]}
        assert told(data, name, **TWO_DAYS, where={"section": ["news"]})["unmatched"] == {}


def test_watched_minutes_and_their_viewers_are_metrics_beside_hits() -> None:
    instance = counted()
    now_ms = instance.clock.now_ms()
    beats = [
        (name, Beat(number, at_ms=now_ms - 60_000 + 10_000 * number, playhead_ms=10_000 * number,
                    state=int(PlayState.PLAYING), facts=(("film", section, kind, paid), "", "", ""),
                    visitor=name.encode().ljust(8)))
        for name, (section, kind, paid) in (("one", NEWS), ("two", SPORT), ("three", SPORT)) for number in range(7)
    ]  # fmt: skip
    instance.stream.append([Entry(0, pings_group("abc"), len(beats), record_of(beats, now_ms), now_ms)])
    instance.count()
    minutes = {
        "name": "minutes",
        "valueType": "SCALAR",
        "source": {"counts": "minutes"},
        "relatedDimensions": ["section"],
    }
    viewers = {
        "name": "viewers",
        "valueType": "SCALAR",
        "source": {"counts": "viewers"},
        "relatedDimensions": ["section"],
    }
    each = {"name": "each", "valueType": "HYBRID", "hybridFormula": "minutes / viewers"}
    data = asking(instance, HITS, minutes, viewers, each)
    day = {"first": "2026-11-16", "to": "2026-11-17"}
    assert values(told(data, "minutes", **day)) == [3.0]
    assert values(told(data, "viewers", **day)) == [3]
    assert told(data, "each", **day)["unit"] == "minutes/viewers"
    assert values(told(data, "each", **day)) == [1.0]
    assert values(told(data, "hits", **day)) == [3]  # Pings are no hits.
    by_section = told(data, "minutes", by=["section"], **day)
    assert {one["dimensions"]["section"]: one["value"] for one in by_section["items"]} == {"news": 1.0, "sport": 2.0}
