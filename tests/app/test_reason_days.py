"""Reasons by day: noted after midnight of the brand's zone, and told of the days that hold a span."""

import json
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.app.settings import Settings
from footfall.flow.store.reason_days import ReasonDay, load_reasons, note_reasons
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, instant_text, moment_from_text
from tests.app.stage import NOON_MS, Instance
from tests.app.test_shown import send_screened

HELSINKI_MIDNIGHT_MS = NOON_MS + 10 * HOUR_MS  # 2026-11-15T22:00Z


def asked(instance: Instance, question: str) -> dict[str, Any]:
    told = instance.answering.answer(question)
    while told is None:
        (told,) = instance.answering.read_some() or (None,)
    assert told[2] == ""
    assert isinstance(told[5], bytes)
    return json.loads(told[5])


def until(instance: Instance, moment_ms: int) -> None:
    """Let time pass, with counting awake, until a moment at which chores were done."""
    while instance.clock.now_ms() < moment_ms:
        instance.clock.set(min(instance.clock.now_ms() + HOUR_MS, moment_ms))
        instance.count()
    instance.answering.refresh()


@pytest.fixture
def instance() -> Instance:
    return Instance(Settings(brands={"abc": Brand("abc", zone="Europe/Helsinki")}, dev=True))


def test_reasons_of_days_that_are_over_and_of_days_until_now(instance: Instance) -> None:
    send_screened(instance, "1", ["reload"] * 5)
    until(instance, HELSINKI_MIDNIGHT_MS + MINUTE_MS)
    send_screened(instance, "1", ["reload", "rate", "rate"])
    until(instance, HELSINKI_MIDNIGHT_MS + DAY_MS + MINUTE_MS)
    send_screened(instance, "1", ["bot-agent"])
    until(instance, HELSINKI_MIDNIGHT_MS + DAY_MS + HOUR_MS)
    first, second, third = (instant_text(HELSINKI_MIDNIGHT_MS + day * DAY_MS) for day in range(3))
    day = asked(instance, f"/v1/screening?brand=abc&from={first}&to={second}")
    assert day["reasons"] == {"rate": 2, "reload": 1}
    assert (day["reasonsSince"][:13], day["reasonsUntil"][:13]) == (first[:13], second[:13])  # within the hour
    both = asked(instance, f"/v1/screening?brand=abc&from={first}&to={third}")
    assert both["reasons"] == {"rate": 2, "bot-agent": 1, "reload": 1}
    assert "reasonsUntil" not in both
    # Shorter spans are told of by the days that hold them: hours of yesterday and of today.
    hours = asked(instance, "/v1/screening?brand=abc&period=day")
    assert (hours["reasons"], hours["reasonsSince"]) == (both["reasons"], both["reasonsSince"])
    # A span whose beginning nobody noted tells what the ledger does.
    week = asked(instance, "/v1/screening?brand=abc&period=week")
    assert (week["reasons"], "reasonsSince" in week) == ({"reload": 6, "rate": 2, "bot-agent": 1}, False)


def test_a_day_is_noted_only_when_all_that_arrived_before_it_was_read(instance: Instance) -> None:
    send_screened(instance, "1", ["reload"])
    until(instance, HELSINKI_MIDNIGHT_MS - MINUTE_MS)
    send_screened(instance, "1", ["reload"])
    instance.clock.set(HELSINKI_MIDNIGHT_MS + 5_000)
    instance.count()
    assert load_reasons(instance.table, "abc", HELSINKI_MIDNIGHT_MS) is None
    instance.clock.set(HELSINKI_MIDNIGHT_MS + MINUTE_MS)
    instance.count()
    noted = load_reasons(instance.table, "abc", HELSINKI_MIDNIGHT_MS)
    assert noted is not None
    assert noted.totals == {"reload": 2}


def test_what_was_noted_first_stays(instance: Instance) -> None:
    for hits in (1, 2):
        noted = ReasonDay(NOON_MS, NOON_MS + hits, {"rate": hits})
        note_reasons(instance.table, "abc", noted, expires_at_ms=NOON_MS + DAY_MS)
    assert load_reasons(instance.table, "abc", NOON_MS) == ReasonDay(NOON_MS, NOON_MS + 1, {"rate": 1})


def test_a_week_whose_beginning_was_noted_tells_its_own_until_now(instance: Instance) -> None:
    send_screened(instance, "1", ["reload", "reload"])
    instance.count()
    week = asked(instance, "/v1/screening?brand=abc&period=week")
    assert (week["reasons"], "reasonsSince" in week) == ({"reload": 2}, False)
    noted = ReasonDay(moment_from_text(week["from"]), NOON_MS, {"reload": 1})
    note_reasons(instance.table, "abc", noted, expires_at_ms=NOON_MS + DAY_MS)
    week = asked(instance, "/v1/screening?brand=abc&period=week")
    assert (week["reasons"], week["reasonsSince"]) == ({"reload": 1}, instant_text(NOON_MS))
    assert "reasonsUntil" not in week
