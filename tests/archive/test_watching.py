"""Watches: what a rule may say, when it is due, and how a page that is read most is asked for."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from footfall.archive.watch_store import new_watch
from footfall.archive.watching import (
    ALERTS_MAX,
    PageRule,
    PopularRule,
    Turn,
    Watch,
    document_of_rule,
    has_address,
    is_due,
    next_turn,
    watch_with,
)
from footfall.values.errors import Refused

NOW_MS = 1_794_753_000_000
MINUTE_MS = 60_000
PERIODS = ("justnow", "day")
FRONT = {"kind": "page", "url": "https://example.com/", "everyMinutes": 15, "onlyChanged": True}
TOP = {"kind": "popular", "period": "day", "top": 3, "section": "news", "everyMinutes": 60}


def taken(url: str) -> None:
    if "bad" in url:
        raise Refused("url", "is bad")


def made(document: Mapping[str, Any], before: Watch | None = None) -> Watch:
    watch = before or new_watch("w1", "abc", by="p_1", now_ms=NOW_MS)
    return watch_with(watch, document, require_address=taken, periods=PERIODS)


def test_a_rule_is_told_as_it_was_given() -> None:
    assert made({"rule": FRONT}).rule == PageRule("https://example.com/", 15, only_changed=True)
    assert made({"rule": TOP}).rule == PopularRule("day", 3, 60, "news")
    assert document_of_rule(made({"rule": FRONT}).rule) == FRONT
    assert document_of_rule(made({"rule": TOP}).rule) == TOP


def test_a_watch_that_nobody_named_is_called_after_what_it_keeps() -> None:
    assert made({"rule": FRONT}).name == "https://example.com/"
    assert made({"rule": TOP}).name == "Top 3 of news"
    long = "https://example.com/" + "ä" * 200
    assert len(made({"rule": {**FRONT, "url": long}}).name.encode()) <= 100


def test_what_a_change_leaves_out_stays() -> None:
    watch = made({"rule": FRONT, "name": "Front", "alert": {"places": ["al_1", "al_1", "al_2"]}})
    assert watch.alerts == ("al_1", "al_2")
    assert made({"isOn": False}, watch) == structs.replace(watch, is_on=False)
    assert made({"alert": None}, watch) == structs.replace(watch, alerts=())


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"rule": 7}, "rule"),
        ({"rule": {"kind": "weekly"}}, "rule.kind"),
        ({"rule": {**FRONT, "top": 3}}, "rule.top"),
        ({"rule": {**FRONT, "everyMinutes": 4}}, "rule.everyMinutes"),
        ({"rule": {**FRONT, "everyMinutes": True}}, "rule.everyMinutes"),
        ({"rule": {**FRONT, "url": ""}}, "rule.url"),
        ({"rule": {**FRONT, "url": "https://bad/"}}, "url"),
        ({"rule": {**FRONT, "onlyChanged": "yes"}}, "rule.onlyChanged"),
        ({"rule": {**TOP, "period": "century"}}, "rule.period"),
        ({"rule": {**TOP, "top": 51}}, "rule.top"),
        ({"rule": {**TOP, "section": ""}}, "rule.section"),
        ({"rule": FRONT, "isOn": 1}, "isOn"),
        ({"rule": FRONT, "name": "a\nb"}, "name"),
        ({"rule": FRONT, "alert": ["al_1"]}, "alert.places"),
        ({"rule": FRONT, "alert": {"places": [f"al_{n}" for n in range(ALERTS_MAX + 1)]}}, "alert.places"),
        ({"rule": FRONT, "secret": 1}, "secret"),
    ],
)
def test_what_no_watch_may_say_is_refused_with_its_field(document: Mapping[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        made(document)
    assert refused.value.field == field


def test_a_new_watch_is_due_at_once_and_one_that_is_off_never() -> None:
    watch = made({"rule": FRONT})
    assert is_due(watch, Turn(), now_ms=NOW_MS)
    assert not is_due(structs.replace(watch, is_on=False), Turn(), now_ms=NOW_MS)


def test_turns_that_are_taken_a_little_late_do_not_drift() -> None:
    watch, turn = made({"rule": FRONT}), Turn()
    turn = next_turn(watch, turn, now_ms=NOW_MS)
    for number in range(1, 97):  # a day
        late_ms = NOW_MS + number * 15 * MINUTE_MS + 7_000
        assert not is_due(watch, turn, now_ms=late_ms - 8_000)
        assert is_due(watch, turn, now_ms=late_ms)
        turn = next_turn(watch, turn, now_ms=late_ms)
    assert turn.next_at_ms == NOW_MS + 97 * 15 * MINUTE_MS


@given(late_ms=st.integers(0, 10**9), every=st.integers(5, 2_000))
def test_after_any_pause_the_next_turn_is_one_and_lies_ahead(late_ms: int, every: int) -> None:
    watch = made({"rule": {**FRONT, "everyMinutes": every}})
    turn = next_turn(watch, Turn(next_at_ms=NOW_MS), now_ms=NOW_MS + late_ms)
    assert NOW_MS + late_ms < turn.next_at_ms <= NOW_MS + late_ms + every * MINUTE_MS
    assert (turn.next_at_ms - NOW_MS) % (every * MINUTE_MS) == 0


def test_an_address_that_leads_nowhere_is_none() -> None:
    assert has_address("https://example.com/a")
    assert not has_address("/a")
    assert not has_address("")
