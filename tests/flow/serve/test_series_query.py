"""What may be asked of a series, what is refused, and that one question has one address."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve.query import label_parameters, query_from, rising_parameters
from footfall.flow.serve.series_query import (
    COMPARES,
    GRAINS,
    POINTS_MAX,
    SeriesQuery,
    asset_in,
    require_series,
    series_canonical,
    series_parameters,
    series_query_from,
    series_query_from_canonical,
)
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, HOUR_MS, Grain, moment_from_text

NOW = moment_from_text("2026-11-15T16:32:20Z")
texts = st.text(min_size=1, max_size=20).filter(lambda text: text.encode("utf-8", "ignore").decode() == text)


def asked(raw: str, asset: str = "") -> SeriesQuery:
    return series_query_from(series_parameters(raw, of_asset=bool(asset)), asset=asset)


def test_a_series_needs_no_more_than_a_brand() -> None:
    assert asked("brand=abc") == SeriesQuery("abc", grain=Grain.HOUR, last=24)
    assert asked("brand=abc&grain=day").last == 30
    assert asked("brand=abc&grain=minute").last == 60


@given(
    st.builds(
        SeriesQuery,
        brand=texts,
        asset=texts,
        grain=st.sampled_from([Grain.HOUR, Grain.DAY]),
        last=st.integers(1, POINTS_MAX),
        compare=st.sets(st.sampled_from(COMPARES)).map(lambda some: tuple(sorted(some))),
        profile=st.sampled_from(["none", "weekday"]),
        format=st.sampled_from(["json", "csv", "ndjson"]),
        include=st.sets(st.sampled_from(["ai", "bot", "suspected"])).map(lambda some: tuple(sorted(some))),
    )
)
def test_every_question_comes_back_from_its_address(query: SeriesQuery) -> None:
    assert series_query_from_canonical(series_canonical(query)) == query


@given(texts, st.tuples(texts), st.sampled_from(sorted(GRAINS)))
def test_every_question_about_labels_comes_back_from_its_address(brand: str, labels: tuple[str], grain: str) -> None:
    query = asked(f"brand={quote(brand)}&grain={grain}&from=2026-11-14T00:00Z&to=2026-11-15T00:00Z")
    query = SeriesQuery(
        brand, grain=query.grain, last=query.last, from_ms=query.from_ms, to_ms=query.to_ms, sections=labels
    )
    assert series_query_from_canonical(series_canonical(query)) == query


@pytest.mark.parametrize(
    ("path", "asset"),
    [
        ("/v1/assets/1/series", "1"),
        ("/v1/assets/%2Fnews%2Fseries/series", "/news/series"),
        ("/v1/assets/a/b/series", "a/b"),
        ("/v1/assets/foo%2Fseries", None),
        ("/v1/assets//series", None),
        ("/v1/series", None),
    ],
)
def test_the_path_names_the_asset(path: str, asset: str | None) -> None:
    assert asset_in(path) == asset


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ("", "brand"),
        ("brand=abc&grain=week", "grain"),
        ("brand=abc&from=2026-11-14T00:00Z", "to"),
        ("brand=abc&to=2026-11-14T00:00Z", "from"),
        ("brand=abc&from=2026-11-14T00:00Z&to=2026-11-15T00:00Z&last=3", "last"),
        ("brand=abc&last=0", "last"),
        ("brand=abc&last=1501", "last"),
        ("brand=abc&last=%D9%A3", "last"),
        ("brand=abc&compare=tomorrow", "compare"),
        ("brand=abc&profile=weekday&grain=minute", "profile"),
        ("brand=abc&profile=month", "profile"),
        ("brand=abc&format=xml", "format"),
        ("brand=abc&format=csv&format=csv", "format"),
        ("brand=abc&period=day", "period"),
        ("brand=abc&section=", "section"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(raw: str, field: str) -> None:
    with pytest.raises(Refused) as refused:
        asked(raw)
    assert refused.value.field == field


def test_an_asset_has_no_labels_to_ask_for() -> None:
    with pytest.raises(Refused, match="section"):
        asked("brand=abc&section=1", asset="1")
    with pytest.raises(Refused, match="bytes"):
        asked("brand=abc", asset="x" * 300)
    with pytest.raises(Refused, match="UTF-8"):
        asset_in("/v1/assets/%FF/series")


@pytest.mark.parametrize(
    ("grain", "from_ms", "to_ms", "field"),
    [
        (Grain.DAY, NOW - NOW % DAY_MS, NOW - NOW % DAY_MS, "to"),
        (Grain.DAY, NOW - NOW % DAY_MS - HOUR_MS, NOW - NOW % DAY_MS, "from"),
        (Grain.HOUR, NOW - NOW % HOUR_MS - HOUR_MS, NOW, "to"),
        (Grain.HOUR, NOW - NOW % DAY_MS, NOW - NOW % DAY_MS + 2 * DAY_MS, "to"),
        (Grain.HOUR, NOW - NOW % DAY_MS - 100 * DAY_MS, NOW - NOW % DAY_MS, "to"),
        (Grain.DAY, 0, DAY_MS, "from"),
    ],
)
def test_ends_are_boundaries_not_too_far_apart_and_not_after_today(
    grain: Grain, from_ms: int, to_ms: int, field: str
) -> None:
    with pytest.raises(Refused) as refused:
        require_series(SeriesQuery("abc", grain=grain, from_ms=from_ms, to_ms=to_ms), zone="UTC", now_ms=NOW)
    assert refused.value.field == field


def test_a_series_of_hours_starts_where_the_brands_hours_do() -> None:
    query = asked("brand=abc&from=2026-11-14T00:15Z&to=2026-11-14T04:15Z")
    require_series(query, zone="Asia/Kathmandu", now_ms=NOW)
    with pytest.raises(Refused, match="inside a hour of UTC"):
        require_series(query, zone="UTC", now_ms=NOW)


@pytest.mark.parametrize("name", ["period=day", "closed=true", "from=2026-11-14T00:00Z"])
def test_what_rises_has_no_other_time_than_now(name: str) -> None:
    with pytest.raises(Refused, match="not a parameter"):
        rising_parameters(f"brand=abc&{name}")
    assert query_from(rising_parameters("brand=abc&tag=x"), periods={}).period == ""


def test_lists_of_labels_know_no_authors() -> None:
    with pytest.raises(Refused, match="author"):
        label_parameters("brand=abc&author=x")
