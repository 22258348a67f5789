"""Footfall's own counts as metrics see them: what series say, by the days and hours of the brand's zone."""

import json
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import metric_windows, wiring
from footfall.app.metric_counts import StoredCounts
from footfall.app.settings import Settings
from footfall.app.sights import Sights, board_rules
from footfall.flow.store.summaries import Summaries, Summary
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section, load_visitors, save_visitors
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.data import MetricData, query_from
from footfall.metrics.definition import definition_from
from footfall.metrics.points import Points
from footfall.metrics.writing import Saved
from footfall.ports.stream import Entry
from footfall.ports.table import Table
from footfall.sketches.grouped import GroupedUniques
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, window_of
from tests.app.stage import NOON_MS, Instance
from tests.app.test_history import body_of
from tests.flow.serve.visits import sketches_of

SPORT = ("sport", "article", "paid")
NEWS = ("news", "article", "free")


def asking(instance: Instance, *definitions: dict[str, Any]) -> MetricData:
    """Return what answers about metrics over an instance's counts."""
    table = SqliteTable(":memory:", clock=instance.clock)
    catalogue = MetricCatalogue(table, clock=instance.clock)
    catalogue.save_all("abc", [Saved(definition_from(one)) for one in definitions], by="ann")
    brands = wiring.brand_lookup(instance.settings, instance.clock)
    sights = Sights(instance.table, brands, board_rules(instance.settings), shards=1, clock=instance.clock)
    counts = StoredCounts(instance.table, sights, brands, clock=instance.clock)
    points = Points(table, clock=instance.clock)
    return MetricData(catalogue, points, counts=counts, zone_of=brands.zone_of, clock=instance.clock)


def told(data: MetricData, name: str, **asked: Any) -> dict[str, Any]:
    return json.loads(data.ask("abc", query_from(name, **asked)).body)


def values(answer: dict[str, Any]) -> list[float | None]:
    return [one["value"] for one in answer["items"]]


def send(instance: Instance, *labels: tuple[str, str, str]) -> None:
    now_ms = instance.clock.now_ms()
    pack = Pack(VERSION, RULES, now_ms, [(str(n), *label) for n, label in enumerate(labels)])
    instance.stream.append([Entry(0, "abc", len(labels), record_from_pack(pack), now_ms)])


def counted(zone: str = "UTC") -> Instance:
    instance = Instance(Settings(brands={"abc": Brand("abc", zone=zone)}, dev=True, stream_shards=1))
    for hours, labels in ((0, [NEWS, NEWS, SPORT]), (11, [SPORT]), (24, [NEWS]), (25, [SPORT, SPORT])):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        send(instance, *labels)
        instance.count()
    return instance


HITS: dict[str, Any] = {
    "name": "hits", "valueType": "SCALAR", "source": {"counts": "hits"},
    "relatedDimensions": ["section", "resourceType", "paidType"],
}  # fmt: skip
PAID: dict[str, Any] = {
    "name": "paid", "valueType": "SCALAR", "source": {"counts": "hits", "where": {"paidType": ["paid"]}},
    "relatedDimensions": ["section"],
}  # fmt: skip
PEOPLE: dict[str, Any] = {
    "name": "people", "valueType": "SCALAR", "source": {"counts": "visitors"}, "relatedDimensions": ["section"],
}  # fmt: skip


def test_hits_by_day_are_those_of_the_series() -> None:
    instance = counted()
    answer = told(asking(instance, HITS), "hits", first="2026-11-14", to="2026-11-18")
    assert values(answer) == [0.0, 4.0, 3.0, None]  # Tomorrow is not known, and on the day before nobody came.
    assert answer["coverage"] == {"days": 4, "withData": 3, "metrics": {"hits": {"days": 4, "withData": 3}}}
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


def test_visitors_are_united_over_a_period_and_told_by_section() -> None:
    instance = counted()
    for day, sets in ((0, {"news": {1, 2}, "sport": {2}}), (1, {"news": {3}, "sport": {2, 4}})):
        window = window_of(NOON_MS + day * DAY_MS, Grain.DAY, "UTC")
        groups = {group_of_section(name): people for name, people in sets.items()}
        groups[BRAND_GROUP] = set[int]().union(*sets.values())
        found = sketches_of(groups)
        save_visitors(instance.table, "abc", window, found, part="s00", through=1, expires_at_ms=NOON_MS + 90 * DAY_MS)
    data = asking(instance, HITS, PEOPLE, {"name": "each", "valueType": "HYBRID", "hybridFormula": "hits / people"})
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
    assert answer["coverage"] == {"hours": 48, "withData": 38, "metrics": {"hits": {"hours": 48, "withData": 38}}}


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


def meet(instance: Instance, day: int, sets: dict[str, set[int]], assets: dict[str, set[int]]) -> None:
    """Store who came on a day: to each section, and to each asset."""
    window = window_of(NOON_MS + day * DAY_MS, Grain.DAY, "UTC")
    groups = {group_of_section(name): people for name, people in sets.items()}
    groups |= {group_of_asset(name): people for name, people in assets.items()}
    groups[BRAND_GROUP] = set[int]().union(*sets.values())
    expires_at_ms = NOON_MS + 90 * DAY_MS
    save_visitors(
        instance.table, "abc", window, sketches_of(groups), part="s00", through=1, expires_at_ms=expires_at_ms
    )


def of_many_days(days: int) -> Instance:
    """Return an instance that has counted some days, each of three sections, and met two visitors in each."""
    instance = Instance(Settings(brands={"abc": Brand("abc", zone="UTC")}, dev=True, stream_shards=1))
    for day in range(days):
        instance.clock.set(NOON_MS + day * DAY_MS)
        send(instance, NEWS, NEWS, SPORT, SPORT, ("life", "article", "free"), ("life", "article", "free"))
        instance.count()
        meet(instance, day, {"news": {1, 2}, "sport": {2, 3}, "life": {4, 5}}, {})
    return instance


def test_a_window_is_read_once_for_all_sections_and_again_only_when_it_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = of_many_days(6)
    data = asking(instance, PEOPLE)
    visited: list[Window] = []
    added_up: list[Window] = []

    def loaded(table: Table, brand: str, window: Window) -> GroupedUniques:
        visited.append(window)
        return load_visitors(table, brand, window)

    def read(self: Summaries, brand: str, window: Window) -> list[Summary]:
        added_up.append(window)
        return live(self, brand, window)

    live = Summaries.live
    monkeypatch.setattr(metric_windows, "load_visitors", loaded)
    monkeypatch.setattr(Summaries, "live", read)
    span: dict[str, Any] = {"first": "2026-11-15", "to": "2026-11-21", "by": ["section"]}
    before = told(data, "people", **span)
    assert len(before["items"]) == 18
    assert len(visited) == len(set(visited))
    assert len(added_up) == len(set(added_up))
    visited.clear()
    added_up.clear()
    told(data, "people", **span, grain="month")
    assert visited == added_up == []
    instance.clock.set(instance.clock.now_ms() + MINUTE_MS)
    send(instance, NEWS)
    instance.count()
    after = told(data, "people", **span)
    today_ms = window_of(instance.clock.now_ms(), Grain.DAY, "UTC").from_ms
    assert visited
    assert all(one.from_ms >= today_ms for one in (*visited, *added_up))
    assert after["items"][:15] == before["items"][:15]


def test_windows_that_the_journal_does_not_tell_of_are_all_read_again() -> None:
    instance = of_many_days(3)
    data = asking(instance, HITS)
    span: dict[str, Any] = {"first": "2026-11-15", "to": "2026-11-16"}
    assert values(told(data, "hits", **span)) == [6.0]
    for _ in range(3):
        instance.clock.set(instance.clock.now_ms() + 2 * HOUR_MS)  # Entries are kept for an hour.
        send(instance, NEWS)
        instance.count()
    instance.table.expire(1_000)
    assert values(told(data, "hits", **span)) == [6.0]
    assert values(told(data, "hits", first="2026-11-17", to="2026-11-18")) == [9.0]


def test_what_is_kept_of_windows_is_bounded() -> None:
    kept = metric_windows.Kept[str](1_000)
    windows = [window_of(NOON_MS + day * DAY_MS, Grain.DAY, "UTC") for day in range(5)]
    for one in windows:
        kept.keep("abc", one, "a", "text", size=300)
    assert kept.size_bytes == 900
    assert [kept.get("abc", one, "a") for one in windows] == [None, None, "text", "text", "text"]
    kept.keep("abc", windows[4], "a", "other", size=100)
    assert (kept.size_bytes, kept.get("abc", windows[4], "a")) == (700, "other")
    kept.drop("abc", windows[4])
    kept.drop("abc", windows[4])
    assert kept.size_bytes == 600


def test_visitors_of_paid_articles_are_those_of_all_assets_that_are() -> None:
    instance = Instance(Settings(brands={"abc": Brand("abc", zone="UTC")}, dev=True, stream_shards=1))
    send(instance, NEWS, NEWS, SPORT, SPORT)
    instance.count()
    instance.clock.set(NOON_MS + DAY_MS)  # so that the day is built
    send(instance, NEWS)
    instance.count()
    meet(instance, 0, {"news": {1, 2}, "sport": {2, 3}}, {"0": {1}, "1": {2}, "2": {2}, "3": {3}})
    paid = {**PEOPLE, "name": "payers", "source": {"counts": "visitors", "where": {"paidType": ["paid"]}}}
    kinds = {**PEOPLE, "name": "kinds", "relatedDimensions": ["paidType", "section"]}
    each = {"name": "each", "valueType": "HYBRID", "hybridFormula": "paid / payers"}
    data = asking(instance, paid, kinds, PAID, each)
    day: dict[str, Any] = {"first": "2026-11-15", "to": "2026-11-16"}
    assert values(told(data, "payers", **day)) == [2.0]
    by_kind = told(data, "kinds", **day, by=["paidType"])
    assert {one["dimensions"]["paidType"]: one["value"] for one in by_kind["items"]} == {"free": 2.0, "paid": 2.0}
    assert values(told(data, "kinds", **day, where={"paidType": ["free", "paid"]})) == [3.0]
    assert values(told(data, "kinds", **day, where={"paidType": ["paid"], "section": ["news"]})) == [0.0]
    assert values(told(data, "each", **day)) == [1.0]  # two hits of two visitors


def test_visitors_by_label_are_not_exact_where_an_asset_has_had_two() -> None:
    instance = Instance(Settings(brands={"abc": Brand("abc", zone="UTC")}, dev=True, stream_shards=1))
    now_ms = instance.clock.now_ms()
    keys: list[Any] = [("0", *NEWS), ("0", *SPORT), ("1", *NEWS)]
    pack = Pack(VERSION, RULES, now_ms, keys)
    instance.stream.append([Entry(0, "abc", len(keys), record_from_pack(pack), now_ms)])
    instance.count()
    kinds = {**PEOPLE, "name": "kinds", "relatedDimensions": ["paidType", "section"]}
    data = asking(instance, kinds)
    day: dict[str, Any] = {"first": "2026-11-15", "to": "2026-11-16"}
    assert told(data, "kinds", **day, by=["section"])["exact"] is True
    assert told(data, "kinds", **day, by=["paidType"])["exact"] is False
