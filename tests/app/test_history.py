"""Series, rises and roll-ups as the answering side gives them, over what counting has counted."""

import json
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.app.settings import Settings
from footfall.catalog.edits import Hidden
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, instant_text
from tests.app.stage import NOON_MS, Instance

TODAY_MS = NOON_MS - 12 * HOUR_MS
STEADY = [f"steady{number}" for number in range(10)]


def text_of(instance: Instance, question: str) -> str:
    told = instance.answering.answer(question)
    while told is None:
        made = instance.answering.read_some()
        told = made[0] if made else None
    assert told[:3:2] == [question, ""], told
    body = told[5]
    assert isinstance(body, bytes)
    return body.decode()


def body_of(instance: Instance, question: str) -> dict[str, Any]:
    return json.loads(text_of(instance, question))


def hits_in(answer: dict[str, Any]) -> dict[str, int]:
    return {point["from"]: point["hits"] for point in answer["points"] if point["hits"]}


def counted() -> Instance:
    """Return an instance with hits of three days."""
    instance = Instance()
    for hours, assets in ((0, "112"), (1, "12"), (24, "1"), (25, "333"), (49, "1")):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        instance.send(*assets)
        instance.count()
    return instance


def test_the_series_of_a_brand_has_a_point_for_every_window_up_to_the_open_one() -> None:
    instance = counted()
    series = body_of(instance, "/v1/series?brand=abc&grain=hour")
    assert (len(series["points"]), series["hits"], series["exact"], series["zone"]) == (24, 1, True, "UTC")
    assert series["points"][-1] == {"from": "2026-11-17T13:00Z", "hits": 1, "open": True}
    days = body_of(instance, "/v1/series?brand=abc&grain=day")
    assert hits_in(days) == {"2026-11-15T00:00Z": 5, "2026-11-16T00:00Z": 4, "2026-11-17T00:00Z": 1}
    assert len(days["points"]) == 30


def test_the_series_of_an_asset_is_its_own() -> None:
    instance = counted()
    span = "from=2026-11-15T12%3A00Z&grain=hour&to=2026-11-15T14%3A00Z"
    series = body_of(instance, f"/v1/assets/1/series?brand=abc&{span}")
    assert (series["assetId"], series["hits"]) == ("1", 3)
    assert hits_in(series) == {"2026-11-15T12:00Z": 2, "2026-11-15T13:00Z": 1}
    assert hits_in(body_of(instance, f"/v1/assets/9/series?brand=abc&{span}")) == {}


def test_a_section_has_a_series_and_one_that_nobody_saw_has_noughts() -> None:
    instance = counted()
    assert body_of(instance, "/v1/series?brand=abc&grain=day&section=news")["hits"] == 10
    assert body_of(instance, "/v1/series?brand=abc&grain=day&section=sport")["hits"] == 0


def test_a_series_follows_the_hits_that_come() -> None:
    instance = counted()
    question = "/v1/series?brand=abc&grain=minute"
    assert body_of(instance, question)["hits"] == 1
    instance.clock.advance(10_000)
    instance.send("1", "2")
    instance.count()
    assert [brand for brand, _ in instance.answering.refresh()] == ["abc"]
    assert body_of(instance, question)["hits"] == 3


def test_a_span_is_compared_with_the_one_before_and_with_the_week_before() -> None:
    instance = counted()
    span = f"from={instant_text(TODAY_MS + DAY_MS)}&to={instant_text(TODAY_MS + 2 * DAY_MS)}".replace(":", "%3A")
    series = body_of(instance, f"/v1/series?brand=abc&compare=lastWeek,previous&grain=day&{span}")
    assert series["previous"]["compared"] == {"points": 1, "hits": 4, "hitsBefore": 5, "change": -0.2}
    assert series["previous"]["from"] == "2026-11-15T00:00Z"
    assert series["lastWeek"]["compared"] == {"points": 1, "hits": 4, "hitsBefore": 0, "change": None}
    assert series["lastWeek"]["from"] == "2026-11-09T00:00Z"


def test_an_open_window_is_compared_with_nothing() -> None:
    series = body_of(counted(), "/v1/series?brand=abc&compare=previous&grain=day&last=2")
    assert [point.get("open") for point in series["points"]] == [None, True]
    assert series["previous"]["compared"] == {"points": 1, "hits": 4, "hitsBefore": 0, "change": None}


def test_the_profile_of_the_week_counts_whole_days_only() -> None:
    weekdays = body_of(counted(), "/v1/series?brand=abc&grain=day&last=7&profile=weekday")["weekdays"]
    found = {one["weekday"]: (one["days"], one["hits"], one["hitsPerDay"]) for one in weekdays}
    assert found["sunday"] == (1, 5, 5.0)
    assert found["monday"] == (1, 4, 4.0)
    assert found["tuesday"] == (0, 0, None)  # It is not over.


def test_windows_that_are_not_kept_have_no_number() -> None:
    instance = counted()
    series = body_of(instance, "/v1/series?brand=abc&grain=minute&last=1500")
    assert series["exact"]
    instance.clock.advance(3 * DAY_MS)
    instance.count()
    old = f"from={instant_text(NOON_MS)}&grain=minute&to={instant_text(NOON_MS + MINUTE_MS)}".replace(":", "%3A")
    series = body_of(instance, f"/v1/series?brand=abc&{old}")
    assert series["points"] == [{"from": "2026-11-15T12:00Z", "hits": None}]
    assert (series["exact"], series["keptSince"], series["hitsAtMost"]) == (False, "2026-11-15T12:01Z", None)


def test_a_window_that_was_cut_bounds_an_asset_and_tells_a_section_exactly() -> None:
    instance = Instance(Settings(brands={"abc": Brand("abc")}, dev=True, store_keep_rows=1))
    instance.send("1", "1", "1", "2", "2", "3")
    instance.count()
    for _ in range(2):
        instance.clock.advance(2 * DAY_MS)
        instance.count()
    asked = f"grain=day&from={instant_text(TODAY_MS)}&to={instant_text(TODAY_MS + DAY_MS)}".replace(":", "%3A")
    brand = body_of(instance, f"/v1/series?brand=abc&{asked}")
    assert (brand["hits"], brand["exact"], brand["final"]) == (6, True, True)
    kept = body_of(instance, f"/v1/assets/1/series?brand=abc&{asked}")
    assert (kept["hits"], kept["exact"]) == (3, True)
    left = body_of(instance, f"/v1/assets/3/series?brand=abc&{asked}")
    assert (left["hits"], left["hitsAtMost"], left["exact"]) == (0, 2, False)
    top = body_of(instance, f"/v1/top/sections?brand=abc&{asked.removeprefix('grain=day&')}")
    assert (top["hits"], top["exact"], top["items"][0]["sectionId"]) == (6, True, "news")


def test_sections_types_and_brands_are_rolled_up() -> None:
    instance = counted()
    for path, name, label in (("sections", "sectionId", "news"), ("types", "resourceType", "article")):
        top = body_of(instance, f"/v1/top/{path}?brand=abc&period=week")
        assert (top["hits"], top["exact"]) == (10, True)
        (only,) = top["items"]
        assert (only[name], only["hits"], only["share"], only["rank"]) == (label, 10, 1.0, 1)
    total = body_of(instance, "/v1/top/brands?brand=abc&period=day")
    assert (total["hits"], total["brand"]) == (1 + 3, "abc")
    assert "items" not in total


@pytest.mark.parametrize("path", ["/v1/top/sections", "/v1/top/types", "/v1/trending"])
def test_lists_of_nothing_are_empty(path: str) -> None:
    assert body_of(Instance(), f"{path}?brand=abc" + ("" if path.endswith("ing") else "&period=day"))["items"] == []


def test_what_rises_is_told_with_its_numbers() -> None:
    instance = Instance()
    for hours in range(26):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        instance.send(*["old"] * 20, *STEADY * 20)
        instance.count()
    for minute in range(30):
        instance.clock.set(NOON_MS + 26 * HOUR_MS + minute * MINUTE_MS)
        instance.send(*STEADY, *["old"] * 4, "new", "new", "new")
        instance.count()
    answer = body_of(instance, "/v1/trending?brand=abc")
    assert (answer["basis"], answer["baseline"]["hits"]) == ("hits", 25 * 220)
    found = {item["assetId"]: item for item in answer["items"]}
    assert list(found) == ["old", "new"]
    assert (found["old"]["hits"], found["old"]["baselineHits"], found["old"]["baselineHours"]) == (120, 500, 24.5)
    assert (found["new"]["hits"], found["new"]["baselineHits"], found["new"]["baselineHours"]) == (90, 0, 0)
    assert found["old"]["rise"] > found["new"]["rise"] > 1.2
    instance.catalogue.edits.put("abc", Hidden(asset="old", by="key", at_ms=0))
    assert [brand for brand, _ in instance.answering.look_at_edits()] == ["abc"]
    edited = body_of(instance, "/v1/trending?brand=abc&limit=1")
    assert ([(one["rank"], one["assetId"]) for one in edited["items"]], edited["hidden"]) == ([(2, "new")], 1)
    assert body_of(instance, "/v1/trending?brand=abc&edited=false") == answer


def test_every_rank_can_be_worked_out_from_the_numbers_beside_it() -> None:
    instance = Instance()
    for hours in range(26):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        instance.send(*["old"] * 20, *["young"] * (20 if hours > 20 else 0), *STEADY * 20)
        instance.count()
    for minute in range(30):
        instance.clock.set(NOON_MS + 26 * HOUR_MS + minute * MINUTE_MS)
        instance.send(*STEADY, *["old", "young"] * 4, "new", "new", "new")
        instance.count()
    answer = body_of(instance, "/v1/trending?brand=abc")
    prior = answer["prior"]
    assert {item["assetId"]: item["baselineHours"] for item in answer["items"]} == {"old": 24.5, "young": 4.5, "new": 0}
    for item in answer["items"]:
        expected = (item["baselineHits"] + prior / 4) / (item["exposure"] + 1 / 4)
        assert item["expected"] == pytest.approx(expected, abs=0.1)
        assert item["rise"] == pytest.approx((item["steadyHits"] + prior) / (expected + prior), abs=0.01)


def test_rises_follow_the_hits_that_come_and_other_lists_are_told_of_the_minute() -> None:
    instance = counted()
    instance.answering.refresh()
    assert body_of(instance, "/v1/trending?brand=abc")["hits"] == 1
    assert [brand for brand, _ in instance.answering.refresh()] == ["abc"]
    assert instance.answering.refresh() == []
    instance.clock.advance(10_000)
    instance.send(*"44444")
    instance.count()
    assert [brand for brand, _ in instance.answering.refresh()] == ["abc"]
    assert body_of(instance, "/v1/trending?brand=abc")["hits"] == 6


def test_answers_are_tables_when_that_is_asked_for() -> None:
    instance = counted()
    span = "from=2026-11-15T12%3A00Z&grain=hour&to=2026-11-15T14%3A00Z"
    table = text_of(instance, f"/v1/series?brand=abc&format=csv&{span}")
    assert table == ("span,from,hits,hitsAtMost,open\r\nasked,2026-11-15T12:00Z,3,,\r\nasked,2026-11-15T13:00Z,2,,\r\n")
    lines = text_of(instance, "brand=abc&format=ndjson&period=week").splitlines()
    assert [json.loads(line)["assetId"] for line in lines] == ["1", "3", "2"]
