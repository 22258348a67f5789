"""Questions about visitors as the answering side answers them, over what counting stores beside its summaries."""

import csv
import io
import json
from typing import Any

import jsonschema_rs
import pytest

from footfall.app.answering import Answering
from footfall.catalog.asset import Asset
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section, save_visitors
from footfall.shells.http.openapi import openapi_document
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, instant_text, window_of
from tests.app.stage import NOON_MS, Instance
from tests.app.test_history import body_of, text_of
from tests.flow.serve.visits import sketches_of


def came(
    instance: Instance, seen: dict[str, set[int]], *, grain: Grain = Grain.MINUTE, at_ms: int | None = None
) -> None:
    """Store who saw which assets in the window that holds the moment, as counting does beside its summaries."""
    moment_ms = instance.clock.now_ms() if at_ms is None else at_ms
    window = window_of(moment_ms, grain, "UTC")
    everybody = set[int]().union(*seen.values())
    sets = {BRAND_GROUP: everybody, group_of_section("news"): everybody}
    sets |= {group_of_asset(asset): people for asset, people in seen.items()}
    later_ms = moment_ms + 90 * DAY_MS
    found = sketches_of(sets)
    save_visitors(instance.table, "abc", window, found, part="s00", through=moment_ms, expires_at_ms=later_ms)


def visited() -> Instance:
    """Return an instance in which one asset was reloaded and another was read."""
    instance = Instance()
    instance.send(*"1111111", *"222")
    came(instance, {"1": {1}, "2": {1, 2, 3}})
    instance.count()
    return instance


def shown(answer: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(item["assetId"], item["uniques"], item["hits"]) for item in answer["items"]]


def test_a_live_list_is_sorted_by_visitors_when_it_is_asked_for() -> None:
    instance = visited()
    assert [item["assetId"] for item in body_of(instance, "brand=abc&period=justnow")["items"]] == ["1", "2"]
    for period in ("justnow", "day", "week"):
        answer = body_of(instance, f"brand=abc&period={period}&sort=uniques")
        assert shown(answer) == [("2", 3, 3), ("1", 1, 7)]
        assert (answer["sort"], answer["membersProven"]) == ("uniques", True)
    assert shown(body_of(instance, "brand=abc&limit=1&period=day&sort=uniques")) == [("2", 3, 3)]
    assert shown(body_of(instance, "brand=abc&exclude=2&period=day&sort=uniques")) == [("1", 1, 7)]
    assert shown(body_of(instance, "brand=abc&period=day&section=sport&sort=uniques")) == []


def test_a_span_has_a_list_by_visitors_too() -> None:
    instance = visited()
    span = f"from={instant_text(NOON_MS)}&to={instant_text(NOON_MS + HOUR_MS)}".replace(":", "%3A")
    answer = body_of(instance, f"brand=abc&{span}&sort=uniques")
    assert shown(answer) == [("2", 3, 3), ("1", 1, 7)]
    assert (answer["uniquesAre"], answer["final"], len(answer["revision"])) == ("visitors", False, 16)


def test_tables_say_in_each_row_what_its_uniques_are() -> None:
    instance = risen()
    for question, are in (
        ("brand=abc&format={}&period=week&sort=uniques", "visitorDays"),
        ("brand=abc&format={}&period=justnow&sort=uniques", "visitors"),
        ("/v1/trending?brand=abc&format={}", "visitors"),
        ("/v1/top/sections?brand=abc&format={}&period=week&sort=uniques", "visitorDays"),
        ("/v1/series?brand=abc&format={}&grain=day&measure=uniques", "visitors"),
    ):
        lines = [json.loads(line) for line in text_of(instance, question.format("ndjson")).splitlines()]
        table = list(csv.DictReader(io.StringIO(text_of(instance, question.format("csv")), newline="")))
        assert {line["uniquesAre"] for line in lines} == {row["uniquesAre"] for row in table} == {are}, question


@pytest.mark.parametrize(
    "question",
    [
        "brand=abc&format={}&period=week",
        "brand=abc&format={}&period=week&sort=uniques",
        "/v1/trending?brand=abc&format={}",
        "/v1/top/sections?brand=abc&format={}&period=week",
        "/v1/top/sections?brand=abc&format={}&period=week&sort=uniques",
        "/v1/top/types?brand=abc&format={}&period=week",
        "/v1/series?brand=abc&format={}&grain=hour",
        "/v1/series?brand=abc&format={}&grain=hour&measure=uniques",
    ],
)
def test_a_table_has_the_same_columns_whatever_is_in_it(question: str) -> None:
    full, empty = risen(), Instance()
    full.catalogue.put("abc", [Asset("read", title="What the harbour saw")])
    head, *rows = text_of(full, question.format("csv")).splitlines()
    assert rows
    assert text_of(empty, question.format("csv")).splitlines()[0] == head
    names = {name for line in text_of(full, question.format("ndjson")).splitlines() for name in json.loads(line)}
    assert names <= set(head.split(",")), "no field is without a column"


def test_a_list_follows_the_visitors_that_come() -> None:
    instance = visited()
    question = "brand=abc&period=justnow&sort=uniques"
    assert shown(body_of(instance, question)) == [("2", 3, 3), ("1", 1, 7)]
    instance.clock.advance(10_000)
    instance.send(*"1111")
    came(instance, {"1": {4, 5, 6, 7}})
    instance.count()
    assert [brand for brand, _ in instance.answering.refresh()] == ["abc"]
    assert shown(body_of(instance, question)) == [("1", 5, 11), ("2", 3, 3)]


def test_a_span_that_has_grown_is_read_anew() -> None:
    instance = visited()
    span = f"from={instant_text(NOON_MS)}&to={instant_text(NOON_MS + HOUR_MS)}".replace(":", "%3A")
    question = f"brand=abc&{span}&sort=uniques"
    body_of(instance, question)
    instance.clock.advance(60_000)
    instance.send(*"1111")
    came(instance, {"1": {4, 5, 6, 7}})
    instance.count()
    instance.answering.refresh()
    assert shown(body_of(instance, question)) == [("1", 5, 11), ("2", 3, 3)]


def test_nothing_of_visitors_is_read_unless_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = visited()
    monkeypatch.setattr(
        "footfall.app.visitor_reading.load_visitors", lambda *_: pytest.fail("nobody asked for visitors")
    )
    body_of(instance, "brand=abc&period=day")
    body_of(instance, "/v1/top/sections?brand=abc&period=day")
    body_of(instance, "/v1/series?brand=abc&grain=hour")


def test_hours_that_are_built_stand_for_their_minutes() -> None:
    instance = visited()
    came(instance, {"1": {1}, "2": {1, 2, 3}}, grain=Grain.HOUR)
    instance.clock.set(NOON_MS + 3 * HOUR_MS)
    instance.send("1")
    came(instance, {"1": {9}})
    instance.count()
    answer = body_of(instance, "brand=abc&period=day&sort=uniques")
    assert shown(answer) == [("2", 3, 3), ("1", 2, 8)]
    assert answer["uniquesAre"] == "visitorDays"  # The last 24 hours are of two days.


def test_another_process_tells_the_same() -> None:
    instance = visited()
    question = "brand=abc&period=day&sort=uniques"
    before = body_of(instance, question)
    instance.answering = Answering(
        instance.settings, instance.table, clock=instance.clock, catalogue=lambda: instance.catalogue
    )
    assert body_of(instance, question) == before


def test_a_series_of_visitors_unites_its_windows() -> None:
    instance = visited()
    instance.clock.advance(MINUTE_MS)
    instance.send("2", "2")
    came(instance, {"2": {3, 4}})
    instance.count()
    series = body_of(instance, "/v1/series?brand=abc&grain=minute&measure=uniques")
    assert [point["uniques"] for point in series["points"]][-2:] == [3, 2]
    assert (series["uniques"], series["uniquesAtLeast"], series["uniquesAtMost"]) == (4, 4, 4)
    assert (series["measure"], series["uniquesAre"]) == ("uniques", "visitors")
    assert body_of(instance, "/v1/series?brand=abc&grain=hour&measure=uniques&section=news")["uniques"] == 4
    assert body_of(instance, "/v1/series?brand=abc&grain=hour&measure=uniques&section=sport")["uniques"] == 0
    of_asset = body_of(instance, "/v1/assets/1/series?brand=abc&grain=hour&measure=uniques")
    assert (of_asset["assetId"], of_asset["uniques"]) == ("1", 1)
    assert body_of(instance, "/v1/assets/9/series?brand=abc&grain=hour&measure=uniques")["uniques"] == 0


def test_a_series_of_visitors_is_compared_with_the_span_before_and_with_last_week() -> None:
    instance = Instance()
    for hours, people in ((0, {1, 2}), (1, {2, 3}), (2, {7}), (3, {7}), (168, {8})):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        instance.send(*["1"] * len(people))
        came(instance, {"1": people})
        came(instance, {"1": people}, grain=Grain.HOUR)
        came(instance, {"1": people}, grain=Grain.DAY)
        instance.count()
    span = "from=2026-11-15T14%3A00Z&grain=hour&measure=uniques&to=2026-11-15T16%3A00Z"
    series = body_of(instance, f"/v1/series?brand=abc&compare=lastWeek,previous&{span}")
    assert (series["uniques"], series["previous"]["uniques"], series["lastWeek"]["uniques"]) == (1, 3, 0)
    assert series["previous"]["compared"] == {
        "points": 2,
        "uniques": 1,
        "uniquesAtLeast": 1,
        "uniquesAtMost": 1,
        "uniquesBefore": 3,
        "uniquesBeforeAtLeast": 3,
        "uniquesBeforeAtMost": 3,
        "change": -0.6667,
        "changeAtLeast": -0.6667,
        "changeAtMost": -0.6667,
    }
    changes = [name for name in series["lastWeek"]["compared"] if name.startswith("change")]
    assert {series["lastWeek"]["compared"][name] for name in changes} == {None}
    days = body_of(instance, "/v1/series?brand=abc&grain=day&last=8&measure=uniques&profile=weekday")
    assert (days["uniques"], days["uniquesAre"]) == (5, "visitorDays")
    assert {day["weekday"]: day["uniquesPerDay"] for day in days["weekdays"] if day["days"]}["sunday"] == 4.0
    sunday = days["weekdays"][-1]
    assert (sunday["uniquesPerDayAtLeast"], sunday["uniquesPerDayAtMost"]) == (4.0, 4.0)


def test_sections_and_brands_have_visitors_when_they_are_asked_for() -> None:
    instance = visited()
    answer = body_of(instance, "/v1/top/sections?brand=abc&period=day&sort=uniques")
    assert (answer["sort"], answer["uniques"], answer["hits"]) == ("uniques", 3, 10)
    assert [(item["sectionId"], item["uniques"], item["hits"]) for item in answer["items"]] == [("news", 3, 10)]
    assert "change" not in answer["items"][0]
    line = body_of(instance, "/v1/top/brands?brand=abc&period=day&section=news,sport&sort=uniques")
    assert (line["uniques"], line["uniquesAtMost"], line["uniquesAre"]) == (3, 3, "visitorDays")
    assert "uniques" not in body_of(instance, "/v1/top/sections?brand=abc&period=day")


def risen() -> Instance:
    """Return an instance in which one visitor reloaded an asset for an hour while others read another."""
    instance = Instance()
    steady = [f"steady{number}" for number in range(10)]
    for hours in range(26):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        instance.send(*steady * 20, *["reloaded", "read"] * 5)
        seen = {asset: set(range(20)) for asset in steady} | {asset: set(range(5)) for asset in ("reloaded", "read")}
        for grain in (Grain.MINUTE, Grain.HOUR):
            came(instance, seen, grain=grain)
        instance.count()
    for minute in range(20):
        instance.clock.set(NOON_MS + 26 * HOUR_MS + minute * MINUTE_MS)
        instance.send(*steady, *["reloaded"] * 30, *["read"] * 3)
        readers = {100 + minute, 200 + minute, 300 + minute}
        came(instance, {asset: {minute} for asset in steady} | {"reloaded": {1}, "read": readers})
        instance.count()
    return instance


def test_one_visitor_who_reloads_for_an_hour_makes_nothing_rise() -> None:
    instance = risen()
    answer = body_of(instance, "/v1/trending?brand=abc")
    assert (answer["basis"], answer["uniques"], answer["baseline"]["uniques"]) == ("visitors", 80, 25 * 20)
    assert [item["assetId"] for item in answer["items"]] == ["read"]
    item = answer["items"][0]
    assert (item["uniques"], item["hits"], item["baselineUniques"], item["baselineHours"]) == (60, 60, 25 * 5, 24.3)
    assert "steadyHits" not in item
    assert item["rise"] == pytest.approx(
        (item["steadyUniques"] + answer["prior"]) / (item["expected"] + answer["prior"]), rel=0.02
    )
    assert body_of(instance, "/v1/trending?brand=abc&exclude=read")["items"] == []


def test_rises_are_told_from_hits_where_the_hours_before_know_of_no_visitors() -> None:
    instance = Instance()
    for hours in range(3):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        instance.send(*"111111")
        instance.count()
    came(instance, {"1": {1, 2, 3, 4, 5, 6}})
    assert body_of(instance, "/v1/trending?brand=abc")["basis"] == "hits"


def test_what_rises_says_how_far_its_visitors_are_known() -> None:
    instance = risen()
    for minute in range(20, 30):
        instance.clock.set(NOON_MS + 26 * HOUR_MS + minute * MINUTE_MS)
        instance.send(*["crowded"] * 300)
        came(instance, {"crowded": set(range(minute * 1_000, minute * 1_000 + 300))})
        instance.count()
    answer = body_of(instance, "/v1/trending?brand=abc")
    assert answer["basis"] == "visitors"
    assert answer["uniquesAtLeast"] < answer["uniques"] < answer["uniquesAtMost"] <= answer["hits"]
    before = answer["baseline"]
    assert (before["uniques"], before["uniquesAtLeast"], before["uniquesAtMost"]) == (500, 500, 500)
    (item,) = [one for one in answer["items"] if one["assetId"] == "crowded"]
    assert item["uniquesAtLeast"] <= 3_000 <= item["uniquesAtMost"]
    assert item["uniquesAtLeast"] < item["uniques"] <= item["hits"] == 3_000
    assert item["steadyUniquesAtLeast"] < item["steadyUniques"] <= item["steadyUniquesAtMost"]
    for one in answer["items"]:
        assert one["baselineUniquesAtLeast"] <= one["baselineUniques"] <= one["baselineUniquesAtMost"]


def fed_by_servers(*, visitors: int) -> dict[str, Any]:
    """Return what rises where a server sends the hits of ten assets, and visitors are known of one each hour."""
    instance = Instance()
    steady = [f"steady{number}" for number in range(10)]
    for hours in range(26):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        instance.send(*steady * 20)
        for grain in (Grain.MINUTE, Grain.HOUR):
            came(instance, {"steady0": set(range(visitors))}, grain=grain)
        instance.count()
    for minute in range(20):
        instance.clock.set(NOON_MS + 26 * HOUR_MS + minute * MINUTE_MS)
        instance.send(*steady, *["surge"] * 30)
        came(instance, {"surge": set(range(visitors))})
        instance.count()
    return body_of(instance, "/v1/trending?brand=abc")


@pytest.mark.parametrize("visitors", [0, 1, 20])
def test_a_few_visitors_do_not_stand_for_the_hits_of_servers(visitors: int) -> None:
    answer = fed_by_servers(visitors=visitors)
    assert answer["basis"] == "hits"
    assert [item["assetId"] for item in answer["items"]] == ["surge"]


def test_one_visitor_does_not_stand_for_the_server_that_feeds_the_only_asset() -> None:
    instance = Instance()
    for hours in range(3):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        instance.send(*["1"] * 60)
        for grain in (Grain.MINUTE, Grain.HOUR):
            came(instance, {"1": {1}}, grain=grain)
        instance.count()
    assert body_of(instance, "/v1/trending?brand=abc")["basis"] == "hits"


@pytest.mark.parametrize(
    ("schema", "question"),
    [
        ("UniquesList", "brand=abc&period=day&sort=uniques"),
        ("UniquesSeries", "/v1/series?brand=abc&compare=lastWeek,previous&grain=day&measure=uniques&profile=weekday"),
        ("UniquesSeries", "/v1/assets/1/series?brand=abc&grain=hour&measure=uniques"),
        ("TopList", "/v1/top/sections?brand=abc&period=day&sort=uniques"),
        ("RisingList", "/v1/trending?brand=abc"),
    ],
)
def test_answers_are_what_the_description_says(schema: str, question: str) -> None:
    components = openapi_document()["components"]
    whole = {"components": components, "$ref": f"#/components/schemas/{schema}"}
    answer = body_of(visited(), question)
    jsonschema_rs.validator_for(whole).validate(answer)
    described = set(components["schemas"][schema]["properties"])
    assert set(answer) <= described


def test_a_list_by_visitors_goes_by_the_catalogue_of_the_moment() -> None:
    instance = visited()
    question = "brand=abc&period=day&sort=uniques&tag=harbour"
    assert shown(body_of(instance, question)) == []
    instance.catalogue.put("abc", [Asset("1", title="What the harbour saw", tags=("harbour",))])
    instance.answering.refresh()
    answer = body_of(instance, question)
    assert shown(answer) == [("1", 1, 7)]
    assert answer["items"][0]["title"] == "What the harbour saw"


def test_what_rises_is_told_from_hits_while_too_much_else_is_being_read() -> None:
    instance = visited()
    body_of(instance, "brand=abc&period=day")
    questions = [f"/v1/trending?brand=abc&section={number}" for number in range(20)]
    told = [instance.answering.answer(question) for question in questions]
    answered = [one for one in told if one is not None]
    assert answered
    assert all(one[2] == "" and b'"basis":"hits"' in one[5] for one in answered if isinstance(one[5], bytes))
