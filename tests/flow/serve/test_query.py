"""What may be asked, what is refused, and that one question has one text."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve.query import LIMIT_DEFAULT, PopularQuery, canonical, popular_query
from footfall.flow.serve.shown import OTHERS
from footfall.values.errors import Refused
from footfall.values.period import DEFAULT_PERIODS


def asked(raw: str) -> PopularQuery:
    return popular_query(raw, periods=DEFAULT_PERIODS)


def test_a_question_needs_no_more_than_a_brand() -> None:
    assert asked("brand=abc") == PopularQuery(brand="abc", period="justnow", limit=LIMIT_DEFAULT, closed=False)


def test_labels_may_be_repeated_or_separated_by_commas() -> None:
    query = asked("section=7,563&brand=abc&section=12&section=7&resourceType=article&paidType=free%2Cpaid&period=day")
    assert query.sections == ("12", "563", "7")
    assert query.resource_types == ("article",)
    assert query.paid_types == ("free", "paid")


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ("", "brand"),
        ("brand=", "brand"),
        ("period=day", "brand"),
        ("brand=" + "b" * 65, "brand"),
        ("brand=abc&brand=abc", "brand"),
        ("brand=abc&period=year", "period"),
        ("brand=abc&period=", "period"),
        ("brand=abc&period=day&period=day", "period"),
        ("brand=abc&limit=0", "limit"),
        ("brand=abc&limit=101", "limit"),
        ("brand=abc&limit=-1", "limit"),
        ("brand=abc&limit=1.5", "limit"),
        ("brand=abc&limit=", "limit"),
        ("brand=abc&limit=%D9%A3", "limit"),
        ("brand=abc&limit=" + "1" * 5_000, "limit"),
        ("brand=abc&closed=yes", "closed"),
        ("brand=abc&closed=", "closed"),
        ("brand=abc&section=", "section"),
        ("brand=abc&section=1,,2", "section"),
        ("brand=abc&from=2026-11-14T00:00Z", "to"),
        ("brand=abc&to=2026-11-14T00:00Z", "from"),
        ("brand=abc&from=2026-11-14T00:00Z&to=2026-11-15T00:00Z&period=day", "period"),
        ("brand=abc&from=2026-11-14T00:00Z&to=2026-11-15T00:00Z&closed=true", "closed"),
        ("brand=abc&from=yesterday&to=2026-11-15T00:00Z", "from"),
        ("brand=abc&from=2026-11-14&to=2026-11-15T00:00Z", "from"),
        ("brand=abc&from=2026-11-14T00:00&to=2026-11-15T00:00Z", "from"),
        ("brand=abc&from=2026-11-14T00:00Z&to=", "to"),
        ("brand=abc&publishedAfter=1794744000000", "publishedAfter"),
        ("brand=abc&author=", "author"),
        ("brand=abc&author=" + ",".join(map(str, range(21))), "author"),
        ("brand=abc&tag=" + "t" * 129, "tag"),
        ("brand=abc&exclude=" + ",".join(map(str, range(101))), "exclude"),
        ("brand=abc&exclude=" + "a" * 257, "exclude"),
        ("brand=abc&section=" + "s" * 65, "section"),
        ("brand=abc&section=" + "%C3%A5" * 33, "section"),
        ("brand=abc&section=" + ",".join(map(str, range(101))), "section"),
        ("brand=abc&resourceType=", "resourceType"),
        ("brand=abc&paidType=", "paidType"),
        ("brand=abc&include=person", "include"),
        ("brand=abc&include=", "include"),
        ("brand=abc&include=bot,robots", "include"),
        ("brand=abc&colour=red", "colour"),
        ("brand=abc&sectionid=1", "sectionid"),
        ("brand=abc&=1", "query"),
        ("brand=%FF", "query"),
        ("brand=abc" + "&section=1" * 1_000, "query"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_name_of_the_field(raw: str, field: str) -> None:
    with pytest.raises(Refused) as refusal:
        asked(raw)
    assert refusal.value.field == field
    assert refusal.value.reason


def test_a_hundred_labels_can_be_asked_for() -> None:
    assert len(asked("brand=abc&section=" + ",".join(map(str, range(100)))).sections) == 100


def test_the_canonical_text_leaves_out_defaults_but_brand_and_period() -> None:
    assert canonical(asked("limit=100&closed=false&brand=abc")) == "brand=abc&period=justnow"
    assert (
        canonical(asked("section=b,a&limit=5&closed=true&period=day&brand=abc&section=a"))
        == "brand=abc&closed=true&limit=5&period=day&section=a,b"
    )


def test_the_canonical_text_escapes_what_an_address_cannot_hold() -> None:
    text = canonical(asked("brand=abc&section=a%26b%20c,%C3%A5"))
    assert text == "brand=abc&period=justnow&section=a%26b%20c,%C3%A5"
    assert asked(text).sections == ("a&b c", "å")


def test_a_comma_of_a_label_is_written_with_a_backslash() -> None:
    query = asked("brand=abc&section=a%5C,b,c&section=d&exclude=x%5C%5C,y")
    assert query.sections == ("a,b", "c", "d")
    assert query.exclude == ("x\\", "y")
    assert canonical(query) == "brand=abc&exclude=x%5C%5C,y&period=justnow&section=a%5C%2Cb,c,d"
    assert canonical(asked("brand=abc&section=a&section=b")) != canonical(asked("brand=abc&section=a%5C,b"))


def test_a_span_has_one_text_whatever_zone_its_ends_are_written_in() -> None:
    texts = {
        canonical(asked(f"brand=abc&to=2026-11-15T00:00:00.000Z&from={start}"))
        for start in (
            "2026-11-14T00:00Z",
            "2026-11-14t02:00:00%2B02:00",
            "2026-11-14T02:00+02:00",
            "2026-11-13T23:00-01:00",
        )
    }
    assert texts == {"brand=abc&from=2026-11-14T00%3A00Z&to=2026-11-15T00%3A00Z"}


def test_filters_by_the_catalogue_are_part_of_the_text() -> None:
    query = asked("brand=abc&tag=b&tag=a&author=Ann&publishedAfter=2026-11-01T00:00:30Z&exclude=7")
    assert query.asks_catalogue
    assert canonical(query) == (
        "author=Ann&brand=abc&exclude=7&period=justnow&publishedAfter=2026-11-01T00%3A00%3A30Z&tag=a,b"
    )
    assert not asked("brand=abc&exclude=7").asks_catalogue


def test_included_labels_are_part_of_the_text_and_all_of_them_are_one_word() -> None:
    assert canonical(asked("brand=abc&include=bot&include=ai,bot")) == "brand=abc&include=ai,bot&period=justnow"
    assert canonical(asked("brand=abc&include=bot,all")) == "brand=abc&include=all&period=justnow"
    assert asked("brand=abc&include=" + ",".join(OTHERS)) == asked("brand=abc&include=all")


def test_suspected_hits_are_shown_where_the_brand_only_observes() -> None:
    query = asked("brand=abc&include=bot")
    assert query.labels == {"", "bot", "suspected"}
    assert replace(query, shows_suspected=False).labels == {"", "bot"}


labels = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=16), max_size=4)
moments = st.integers(0, 4 * 10**12)


@given(
    st.builds(
        PopularQuery,
        brand=st.sampled_from(["abc", "a.b-c"]),
        period=st.sampled_from(sorted(DEFAULT_PERIODS)),
        sections=labels.map(lambda texts: tuple(sorted(set(texts)))),
        resource_types=labels.map(lambda texts: tuple(sorted(set(texts)))),
        limit=st.integers(1, 100),
        closed=st.booleans(),
        authors=labels.map(lambda texts: tuple(sorted(set(texts)))),
        published_after_ms=st.none() | moments,
        exclude=labels.map(lambda texts: tuple(sorted(set(texts)))),
        include=st.sets(st.sampled_from(OTHERS)).map(lambda some: tuple(sorted(some))),
    )
    | st.builds(
        PopularQuery,
        brand=st.just("abc"),
        period=st.just(""),
        tags=labels.map(lambda texts: tuple(sorted(set(texts)))),
        from_ms=moments,
        to_ms=moments,
    )
)
def test_the_canonical_text_asks_the_same_question(query: PopularQuery) -> None:
    assert asked(canonical(query)) == query
    assert canonical(asked(canonical(query))) == canonical(query)


@given(st.text())
def test_any_text_is_a_question_or_is_refused(raw: str) -> None:
    try:
        query = asked(raw)
    except Refused:
        return
    assert asked(canonical(query)) == query
