"""Windows that metrics ask for are read once, kept within a bound, and read again when they were written."""

from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.app import metric_windows
from footfall.app.settings import Settings
from footfall.flow.store.summaries import Summaries, Summary
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section, load_visitors, save_visitors
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.ports.table import Table
from footfall.sketches.grouped import GroupedUniques
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, window_of
from tests.app.metric_stage import HITS, NEWS, PAID, PEOPLE, SPORT, asking, send, told, values
from tests.app.stage import NOON_MS, Instance
from tests.flow.serve.visits import sketches_of


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
    told(data, "people", first="2026-11-15", to="2026-11-16")  # A brand's first day is looked for once.
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
