"""Lists of past spans: what a plain count gives, proven where it is proven, and honest about what is gone."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from footfall.flow.serve import past as past_module
from footfall.flow.serve.past import Moments, PastLimits, PastList
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.shown import OTHERS
from footfall.flow.serve.spans import span_between
from footfall.flow.store.columns import screened_key
from footfall.flow.store.summaries import Summary
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, moment_from_text, window_of
from tests.flow.serve.counting import Counting, plain_list, plain_totals, summary

NOW = moment_from_text("2026-11-15T16:32:20Z")
KEPT_MS = {Grain.MINUTE: 2 * DAY_MS, Grain.FIVE: 2 * DAY_MS, Grain.HOUR: 60 * DAY_MS, Grain.DAY: 760 * DAY_MS}
SHARDS = frozenset({"s00", "s01"})


def past_of(from_ms: int, to_ms: int, *, zone: str = "UTC", limits: PastLimits | None = None) -> PastList:
    ground = Ground(zone, SHARDS, KEPT_MS, now_ms=NOW, seen_until_ms=NOW + 5 * MINUTE_MS)
    moments = Moments(closed_until_ms=NOW - 30_000, lateness_ms=DAY_MS)
    return PastList(span_between(from_ms, to_ms, zone=zone), ground, moments, limits or PastLimits())


def read_all(past: PastList, store: Counting | Mapping[Window, Sequence[Summary]]) -> PastList:
    read = store.read if isinstance(store, Counting) else lambda window: list(store.get(window, ()))
    while not past.is_read:
        past.step(read)
    return past


def asked(past: PastList, query: PopularQuery) -> dict[str, Any]:
    query = replace(query, period="", from_ms=past.span.from_ms, to_ms=past.span.to_ms)
    return msgspec.json.decode(popular(past, query).body)


def newsroom(chance: random.Random, zone: str, *, keep: int) -> Counting:
    """Return the store after some days of hits, with hours and days built, late hits folded in and old windows cut."""
    store = Counting(zone)
    moments = sorted(chance.randrange(NOW - 6 * DAY_MS, NOW) for _ in range(300))
    for at_ms in moments:
        asset = str(int(chance.paretovariate(0.7)) % 40)
        label = chance.choice(["", "", "", "bot", "suspected"])
        key = screened_key((asset, chance.choice(["563", "12"]), "article", "free"), label)
        store.hit(key, at_ms, shard=int(asset) % 2, hits=chance.randrange(1, 4), is_late=chance.random() < 0.1)
    store.build_what_is_due(NOW, (0, 1))
    for at_ms in range(NOW - 6 * DAY_MS, NOW - 6 * HOUR_MS, 12 * HOUR_MS):
        day = window_of(at_ms, Grain.DAY, zone)
        if day.to_ms < NOW - 6 * HOUR_MS:
            for shard in (0, 1):
                store.build(day, shard)
    for window in list(store.parts):
        if chance.random() < 0.5:
            store.fold(window)
    store.finish_what_is_final(NOW, keep=keep)
    return store


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("keep", [0, 3])
def test_any_past_span_is_what_a_plain_count_gives(seed: int, keep: int) -> None:
    chance = random.Random(seed)
    zone = chance.choice(["UTC", "Europe/Helsinki", "Asia/Kolkata"])
    store = newsroom(chance, zone, keep=keep)
    for _ in range(4):
        grain = chance.choice([Grain.DAY, Grain.HOUR, Grain.HOUR])
        ends = sorted(window_of(chance.randrange(NOW - 6 * DAY_MS, NOW), grain, zone).from_ms for _ in range(2))
        if ends[0] == ends[1]:
            ends[1] = window_of(ends[0], grain, zone).to_ms
        past = read_all(past_of(*ends, zone=zone), store)
        counts = store.counts(from_ms=ends[0], to_ms=ends[1])
        for sections in ((), ("12",)):
            include = chance.choice([(), ("bot",), OTHERS])
            shows_suspected = chance.random() < 0.5
            limit = chance.choice([3, 100])
            query = PopularQuery(
                "abc", sections=sections, limit=limit, include=include, shows_suspected=shows_suspected
            )
            body = asked(past, query)
            items = [(item["assetId"], item["hits"]) for item in body["items"]]
            if keep == 0:
                assert body["exact"]
            if body["exact"]:
                assert items == plain_list(counts, query, query.limit)
            else:
                totals = plain_totals(counts, query)
                assert all(item["hits"] <= totals[item["assetId"]] <= item["hitsAtMost"] for item in body["items"])


def test_change_compares_with_the_span_before() -> None:
    days = [window_of(NOW - back * DAY_MS, Grain.DAY, "UTC") for back in (4, 3)]
    store = {
        days[0]: [summary(days[0], {("a", "", "", ""): 9, ("b", "", "", ""): 5, ("c", "", "", ""): 1}, "all", keep=9)],
        days[1]: [summary(days[1], {("b", "", "", ""): 9, ("d", "", "", ""): 5, ("a", "", "", ""): 1}, "all", keep=9)],
    }
    past = read_all(past_of(days[1].from_ms, days[1].to_ms), store)
    body = asked(past, PopularQuery("abc"))
    assert {item["assetId"]: item["change"] for item in body["items"]} == {"b": 1, "d": None, "a": -2}
    assert (body["final"], "period" in body, bool(body["revision"])) == (True, False, True)


def test_how_long_caches_may_keep_a_span_depends_on_whether_it_can_change() -> None:
    day = window_of(NOW, Grain.DAY, "UTC")
    ages = {}
    for name, from_ms, to_ms in (
        ("final", day.from_ms - 3 * DAY_MS, day.from_ms - 2 * DAY_MS),
        ("closed", day.from_ms - DAY_MS, day.from_ms),
        ("open", day.from_ms, day.to_ms),
    ):
        past = read_all(past_of(from_ms, to_ms), {})
        view = past.view(PopularQuery("abc", "", from_ms=from_ms, to_ms=to_ms))
        ages[name] = (view.max_age_s, view.final)
    assert ages == {"final": (86_400, True), "closed": (300, False), "open": (60, False)}


def test_windows_that_are_gone_are_told_and_what_was_imported_since_is_found_but_is_not_all() -> None:
    old = window_of(NOW - 800 * DAY_MS, Grain.DAY, "UTC")
    after = window_of(old.to_ms, Grain.DAY, "UTC")
    store = {old: [summary(old, {("a", "", "", ""): 9}, "all", keep=9)]}
    there = asked(read_all(past_of(old.from_ms, old.to_ms), store), PopularQuery("abc"))
    assert (there["exact"], [item["hits"] for item in there["items"]]) == (False, [9])
    assert moment_from_text(there["keptSince"]) == old.to_ms
    assert there["items"][0]["change"] is None
    both = asked(read_all(past_of(old.from_ms, after.to_ms), store), PopularQuery("abc"))
    assert both["exact"] is False
    assert moment_from_text(both["keptSince"]) == after.to_ms
    assert "hitsAtMost" not in both["items"][0]


def test_a_day_without_hits_that_would_be_kept_is_no_gap() -> None:
    day = window_of(NOW - 100 * DAY_MS, Grain.DAY, "UTC")
    body = asked(read_all(past_of(day.from_ms, day.to_ms), {}), PopularQuery("abc"))
    assert (body["exact"], body["items"], "keptSince" in body) == (True, [], False)


def test_a_span_with_too_many_assets_is_cut_and_says_so() -> None:
    days = [window_of(NOW - back * DAY_MS, Grain.DAY, "UTC") for back in range(30, 20, -1)]
    store: dict[Window, list[Summary]] = {}
    for number, day in enumerate(days):
        counts = {(str(number * 10_000 + one), "", "", ""): 1 + (one % 900) for one in range(3_000)}
        store[day] = [summary(day, {**counts, ("winner", "", "", ""): 5_000}, "all")]
    limits = PastLimits(distinct_rows_max=8_000)
    past = read_all(past_of(days[0].from_ms, days[-1].to_ms, limits=limits), store)
    assert past.rows <= limits.distinct_rows_max
    body = asked(past, PopularQuery("abc", limit=1))
    assert (body["items"][0]["assetId"], body["items"][0]["hits"], body["exact"]) == ("winner", 50_000, True)
    assert not asked(past, PopularQuery("abc", limit=100))["exact"]


def test_uncut_windows_leave_nothing_behind_but_their_sum() -> None:
    days = [window_of(NOW - back * DAY_MS, Grain.DAY, "UTC") for back in range(40, 10, -1)]
    store = {day: [summary(day, {(str(one), "", "", ""): 1 for one in range(500)}, "all")] for day in days}
    past = read_all(past_of(days[0].from_ms, days[-1].to_ms), store)
    assert past.rows == 500
    assert {item["hits"] for item in asked(past, PopularQuery("abc"))["items"]} == {30}


def test_a_span_is_touched_by_its_windows_and_those_before_that_it_is_compared_with() -> None:
    day = window_of(NOW - 10 * DAY_MS, Grain.DAY, "UTC")
    past = past_of(day.from_ms, day.to_ms)
    touching = [back for back in range(7, 14) if past.touches(window_of(NOW - back * DAY_MS, Grain.HOUR, "UTC"))]
    assert touching == [10, 11]


def test_every_step_reads_one_window_of_the_span() -> None:
    day = window_of(NOW - 90 * DAY_MS, Grain.DAY, "UTC")
    past = past_of(day.from_ms - 4 * DAY_MS, day.to_ms)
    reads: list[Window] = []

    def read(window: Window) -> list[Summary]:
        reads.append(window)
        return []

    steps = 0
    while not past.is_read:
        past.step(read)
        steps += 1
    assert steps == len(reads) == 10
    assert {window.grain for window in reads} == {Grain.DAY}
    assert past_module.FINAL_CACHE_S == 86_400
