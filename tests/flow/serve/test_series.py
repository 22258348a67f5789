"""Series: every point is what a plain count gives, or lies between its bounds, in every zone and however it is cut."""

import random
from typing import Any

import msgspec
import pytest

from footfall.flow.serve.past import Moments
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.series import SeriesReading
from footfall.flow.serve.series_answer import series_answer
from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.series_spans import previous_span, series_span, span_of_last_week
from footfall.flow.serve.words import Words
from footfall.flow.store.columns import CountKey
from footfall.values.period import Span
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, instant_text, moment_from_text, walk, window_of
from tests.flow.serve.counting import Counting
from tests.flow.serve.test_past import KEPT_MS, NOW, SHARDS, newsroom

NO_WORDS = Words(lambda: None)


def reading_of(query: SeriesQuery, store: Counting) -> SeriesReading:
    ground = Ground(store.zone, SHARDS, KEPT_MS, now_ms=NOW, seen_until_ms=NOW + 5 * MINUTE_MS)
    span = series_span(query, zone=store.zone, now_ms=NOW)
    reading = SeriesReading(query, span, ground, Moments(NOW - 30_000, DAY_MS))
    while not reading.is_read:
        reading.step(store.read)
    return reading


def answer_of(query: SeriesQuery, store: Counting) -> dict[str, Any]:
    return msgspec.json.decode(series_answer(reading_of(query, store), query, NO_WORDS).body)


def is_meant(key: CountKey, query: SeriesQuery) -> bool:
    label = key[4] if len(key) == 5 else ""
    is_shown = label == "" or label in query.include or (label == "suspected" and query.shows_suspected)
    is_asked = (not query.asset or key[0] == query.asset) and (not query.sections or key[1] in query.sections)
    return is_shown and is_asked


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("keep", [0, 2])
def test_every_point_and_every_sum_is_what_a_plain_recount_gives(seed: int, keep: int) -> None:
    chance = random.Random(seed)
    zone = chance.choice(["UTC", "Europe/Helsinki", "Asia/Kathmandu"])
    store = newsroom(chance, zone, keep=keep)
    for grain, last in ((Grain.DAY, 7), (Grain.HOUR, 30), (Grain.MINUTE, 90)):
        for asset, sections in (("", ()), ("", ("12",)), ("1", ()), ("9", ()), ("no such", ())):
            include, shows = chance.choice([(), ("bot",), ("ai", "suspected")]), chance.random() < 0.5
            query = SeriesQuery(
                "abc", asset, grain=grain, last=last, sections=sections, include=include, shows_suspected=shows
            )
            reading = reading_of(query, store)
            true_sum = 0
            for point in reading.points():
                counts = store.counts(from_ms=point.window.from_ms, to_ms=point.window.to_ms)
                true = sum(hits for key, hits in counts.items() if is_meant(key, query))
                true_sum += true
                measure = point.measure
                assert measure is not None
                assert measure.at_most is not None
                assert measure.hits <= true <= measure.at_most
                if not query.asset or not keep:
                    assert measure.is_exact  # Labels are exact however windows were cut.
            answer = answer_of(query, store)
            assert answer["hits"] <= true_sum <= answer.get("hitsAtMost", answer["hits"])
            assert answer["exact"] == ("hitsAtMost" not in answer)
            assert len(answer["points"]) == last


def test_points_that_have_not_begun_are_not_there() -> None:
    store = Counting("UTC")
    today = window_of(NOW, Grain.DAY, "UTC")
    query = SeriesQuery("abc", from_ms=today.from_ms, to_ms=today.to_ms)
    points = answer_of(query, store)["points"]
    assert points[-1] == {"from": "2026-11-15T16:00Z", "hits": 0, "open": True}


def span_of(grain: Grain, zone: str, first: str, last: str) -> Span:
    return Span(tuple(walk(grain, from_ms=moment_from_text(first), to_ms=moment_from_text(last), zone=zone)))


def ends(span: Span) -> tuple[str, str]:
    return instant_text(span.from_ms), instant_text(span.to_ms)


def test_the_week_before_has_the_same_weekday_and_hour_even_where_clocks_were_set() -> None:
    # Helsinki set its clocks back on 25 October 2026.
    hours = span_of(Grain.HOUR, "Europe/Helsinki", "2026-10-28T08:00+02:00", "2026-10-28T12:00+02:00")
    assert ends(span_of_last_week(hours, "Europe/Helsinki")) == ("2026-10-21T05:00Z", "2026-10-21T09:00Z")
    days = span_of(Grain.DAY, "Europe/Helsinki", "2026-10-25T00:00+03:00", "2026-10-27T00:00+02:00")
    week_before = span_of_last_week(days, "Europe/Helsinki")
    assert ends(week_before) == ("2026-10-17T21:00Z", "2026-10-19T21:00Z")
    assert [one.to_ms - one.from_ms for one in days.windows] == [25 * HOUR_MS, DAY_MS]
    assert [one.to_ms - one.from_ms for one in week_before.windows] == [DAY_MS, DAY_MS]


def test_the_span_before_has_as_many_windows_of_the_same_grain() -> None:
    hours = span_of(Grain.HOUR, "Asia/Kathmandu", "2026-11-15T10:00+05:45", "2026-11-15T13:00+05:45")
    before = previous_span(hours, "Asia/Kathmandu")
    assert ends(before) == ("2026-11-15T01:15Z", "2026-11-15T04:15Z")
    assert {one.grain for one in before.windows} == {Grain.HOUR}
    days = span_of(Grain.DAY, "Europe/Helsinki", "2026-10-25T00:00+03:00", "2026-10-27T00:00+02:00")
    assert ends(previous_span(days, "Europe/Helsinki")) == ("2026-10-22T21:00Z", "2026-10-24T21:00Z")


def test_a_series_knows_the_windows_that_it_is_read_from() -> None:
    day = window_of(NOW, Grain.DAY, "UTC")
    query = SeriesQuery("abc", grain=Grain.DAY, last=1, compare=("lastWeek",))
    reading = reading_of(query, Counting("UTC"))
    assert reading.touches(window_of(NOW, Grain.MINUTE, "UTC"))
    assert reading.touches(window_of(day.from_ms - 7 * DAY_MS, Grain.HOUR, "UTC"))
    assert not reading.touches(window_of(day.from_ms - 2 * DAY_MS, Grain.HOUR, "UTC"))
    assert (reading.rows, reading.left, reading.is_final) == (2, 0, False)
