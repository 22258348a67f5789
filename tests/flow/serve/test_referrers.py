"""Questions about referrers: whose, of which hours, and which cannot be."""

import pytest

from footfall.flow.serve.referrers import SPAN_DAYS_MAX, ReferrersQuery, referrers_query
from footfall.values.errors import Refused
from footfall.values.period import DEFAULT_PERIODS
from footfall.values.window import HOUR_MS, instant_text, moment_from_text

NOW_MS = moment_from_text("2026-11-15T12:20Z")


def asked(text: str, *, zone: str = "UTC") -> ReferrersQuery:
    return referrers_query(f"brand=abc{text}", "abc", zone=zone, periods=DEFAULT_PERIODS, now_ms=NOW_MS)


def span(query: ReferrersQuery) -> tuple[str, str]:
    return instant_text(query.hours[0].from_ms), instant_text(query.hours[-1].to_ms)


def test_a_question_without_a_span_is_of_the_day_and_the_brand() -> None:
    query = asked("")
    assert (query.group, query.period, query.limit, len(query.hours)) == ("b", "day", 20, 25)
    assert span(query) == ("2026-11-14T12:00Z", "2026-11-15T13:00Z")


def test_an_asset_or_a_section_is_asked_for_by_its_name() -> None:
    assert asked("&asset=a%2Fb").group == "aa/b"
    assert asked("&section=563").group == "s563"


def test_hours_are_the_brand_s_and_a_span_has_those_that_it_touches() -> None:
    assert span(asked("&period=justnow")) == ("2026-11-15T12:00Z", "2026-11-15T13:00Z")
    assert span(asked("&from=2026-11-15T09:10Z&to=2026-11-15T10:00Z")) == ("2026-11-15T09:00Z", "2026-11-15T10:00Z")
    kolkata = asked("&from=2026-11-15T09:10Z&to=2026-11-15T10:00Z", zone="Asia/Kolkata")
    assert span(kolkata) == ("2026-11-15T08:30Z", "2026-11-15T10:30Z")
    assert all(one.to_ms - one.from_ms == HOUR_MS for one in kolkata.hours)


def test_a_span_without_an_end_goes_to_the_end_of_this_hour() -> None:
    assert span(asked("&from=2026-11-15T11:00Z")) == ("2026-11-15T11:00Z", "2026-11-15T13:00Z")
    assert asked("&from=2026-11-15T11:00Z").period is None


def test_the_longest_span_is_taken_and_a_longer_one_is_not() -> None:
    to_ms = moment_from_text("2026-11-15T12:00Z")
    from_ms = to_ms - SPAN_DAYS_MAX * 24 * HOUR_MS
    assert len(asked(f"&from={instant_text(from_ms)}&to={instant_text(to_ms)}").hours) == SPAN_DAYS_MAX * 24
    with pytest.raises(Refused, match="31 days"):
        asked(f"&from={instant_text(from_ms - 2 * HOUR_MS)}&to={instant_text(to_ms)}")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("&asset=", "asset"),
        ("&section=", "section"),
        ("&asset=1&section=2", "section"),
        ("&asset=1&asset=2", "asset"),
        (f"&asset={'a' * 257}", "asset"),
        ("&period=never", "period"),
        ("&period=day&from=2026-11-15T09:00Z", "period"),
        ("&to=2026-11-15T09:00Z", "from"),
        ("&from=2026-11-15T09:00Z&to=2026-11-15T09:00Z", "to"),
        ("&from=yesterday", "from"),
        ("&limit=101", "limit"),
        ("&grain=hour", "grain"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_its_name(text: str, field: str) -> None:
    with pytest.raises(Refused) as refused:
        asked(text)
    assert refused.value.field == field
