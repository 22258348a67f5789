"""What becomes of a delivery after a try."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts.alert_outbox import DELIVERED, FAILED, Delivery
from footfall.accounts.alert_retrying import GIVE_UP_MS, PAUSE_MS_MAX, Outcome, decided, retry_after_ms

NOW_MS, HOUR_MS = 1_794_744_000_000, 3_600_000


def delivery(attempts: int = 1, at_ms: int = NOW_MS) -> Delivery:
    return Delivery(
        brand="abc", alert="al_1", event="evt_1", at_ms=at_ms, place="https://a.example", number=0, message="{}",
        due_ms=at_ms, attempts=attempts,
    )  # fmt: skip


@pytest.mark.parametrize("status", [200, 202, 204, 299])
def test_what_was_taken_is_delivered(status: int) -> None:
    assert decided(delivery(), Outcome(status, ""), now_ms=NOW_MS, chance=0.5).state == DELIVERED


@pytest.mark.parametrize("status", [0, 408, 425, 429, 500, 503, 599])
def test_what_may_pass_is_tried_again(status: int) -> None:
    found = decided(delivery(), Outcome(status, ""), now_ms=NOW_MS, chance=0.5)
    assert (found.state, found.turns_off) == ("", "")
    assert found.due_ms > NOW_MS


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 422])
def test_what_is_refused_is_given_up_and_the_place_stays(status: int) -> None:
    found = decided(delivery(), Outcome(status, ""), now_ms=NOW_MS, chance=0.5)
    assert (found.state, found.turns_off) == (FAILED, "")


def test_a_place_that_is_gone_is_turned_off() -> None:
    found = decided(delivery(), Outcome(410, ""), now_ms=NOW_MS, chance=0.5)
    assert found.state == FAILED
    assert "410" in found.turns_off


def test_a_day_of_failures_turns_a_place_off() -> None:
    late_ms = NOW_MS + GIVE_UP_MS - 1_000
    found = decided(delivery(30), Outcome(503, "503 Busy"), now_ms=late_ms, chance=0.5)
    assert found.state == FAILED
    assert "503 Busy" in found.turns_off


@given(st.floats(0, 1), st.integers(1, 500))
def test_pauses_grow_and_end_and_never_come_at_once(chance: float, attempts: int) -> None:
    found = decided(delivery(attempts), Outcome(0, ""), now_ms=NOW_MS, chance=chance)
    pause_ms = found.due_ms - NOW_MS
    longest_ms = min(5_000 * 2 ** (attempts - 1), PAUSE_MS_MAX)
    assert longest_ms // 2 - 1 <= pause_ms <= longest_ms + 1


def test_whoever_says_when_to_come_again_is_heard_within_reason() -> None:
    assert retry_after_ms("120", now_ms=NOW_MS) == 120_000
    assert retry_after_ms("999999999", now_ms=NOW_MS) == 6 * HOUR_MS
    assert retry_after_ms("Sun, 15 Nov 2026 12:00:30 GMT", now_ms=NOW_MS) == 30_000
    assert retry_after_ms("soon", now_ms=NOW_MS) == 0
    assert retry_after_ms("", now_ms=NOW_MS) == 0
    waits = decided(delivery(), Outcome(429, "", "3600"), now_ms=NOW_MS, chance=0.0)
    assert waits.due_ms == NOW_MS + HOUR_MS
