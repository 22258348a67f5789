"""Who sent a request: a hash that tells readers apart for a day, and programs that say what they are."""

import pytest

from footfall.flow.collect.logfile.people import CACHED_MAX, DAYS_MAX, SALT_KEPT_MS, Days
from footfall.flow.collect.senders import visitor_hash
from footfall.values.window import DAY_MS

AT_MS = 1_698_832_800_000


def days_with(asked: list[int]) -> Days:
    def salt(day_start_ms: int) -> bytes:
        asked.append(day_start_ms)
        return b"s" * 32

    return Days("abc", "UTC", salt)


@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/119.0 Safari/537.36", ""),
        ("Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 30) Chrome/119.0", ""),  # A telephone.
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "bot-agent"),
        ("ExampleBot", "bot-agent"),
        ("curl/8.0", "bot-agent"),
        ("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "ai-agent"),
        ("ELB-HealthChecker/2.0", "health-check"),
        ("kube-probe/1.27", "health-check"),
        ("-", ""),
    ],
)
def test_programs_are_told_by_what_they_call_themselves(agent: str, kind: str) -> None:
    assert days_with([]).day_of(AT_MS)[b"192.0.2.1", agent.encode()][1] == kind


def test_a_visitor_is_hashed_as_a_live_one_is() -> None:
    day = days_with([]).day_of(AT_MS)
    assert day[b"192.0.2.1", b"agent"][0] == visitor_hash(b"s" * 32, "abc", "192.0.2.1", "agent")
    assert day[b"-", b"agent"][0] == day[b"", b"agent"][0] == b""


def test_what_is_remembered_of_readers_and_days_is_bounded() -> None:
    days = days_with([])
    day = days.day_of(AT_MS)
    for reader in range(CACHED_MAX + 1):
        _ = day[b"%d" % reader, b"a"]
    assert len(day) <= CACHED_MAX
    for later in range(DAYS_MAX + 1):
        days.day_of(AT_MS + later * DAY_MS)
    assert days.day_of(AT_MS) is not day


def test_salts_are_forgotten_well_before_they_are_destroyed() -> None:
    asked: list[int] = []
    days = days_with(asked)
    days.tell(AT_MS)
    days.day_of(AT_MS)
    days.tell(AT_MS + SALT_KEPT_MS - 1)
    days.day_of(AT_MS)
    assert len(asked) == 1
    days.tell(AT_MS + SALT_KEPT_MS)
    days.day_of(AT_MS)
    assert len(asked) == 2
