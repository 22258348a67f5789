"""Counts of requests that did not prove themselves: since the start, and by day for all processes together."""

from footfall.accounts.judged import Judged, judged_of
from footfall.accounts.proof_counts import KEPT_DAYS, LET_IN, REFUSED, Line, ProofCounts
from footfall.accounts.register import Register
from footfall.accounts.unproven import Why
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS

DAY_ONE_MS = 20_772 * DAY_MS
FORGED = Line("abc", "signature-forged", REFUSED)
STALE = Line("abc", "token-stale", LET_IN)


def test_counts_are_told_since_the_start_and_stored_once() -> None:
    counts = ProofCounts()
    counts.note("abc", Why.SIGNATURE_FORGED, was_refused=True)
    counts.note("abc", Why.TOKEN_STALE, was_refused=False)
    assert counts.take_unstored() == {FORGED: 1, STALE: 1}
    assert counts.take_unstored() == {}
    counts.note("abc", Why.SIGNATURE_FORGED, was_refused=True)
    counts.give_back({STALE: 1})
    assert counts.take_unstored() == {FORGED: 1, STALE: 1}
    assert counts.total == {FORGED: 2, STALE: 1}


def test_stored_counts_of_all_processes_add_up_by_day_until_they_expire() -> None:
    clock = SetClock(DAY_ONE_MS + 5)
    table = SqliteTable(":memory:", clock=clock)
    here, there = (Register(table, clock=clock, random_bytes=bytes) for _ in range(2))
    version = here.version()
    here.add_unproven({FORGED: 2, Line("abcd", "signature-forged", REFUSED): 9})
    there.add_unproven({FORGED: 3, STALE: 1})
    clock.set(DAY_ONE_MS + DAY_MS)
    here.add_unproven({FORGED: 10})

    def told(from_ms: int, to_ms: int) -> dict[Line, int]:
        return dict(here.unproven("abc", from_ms=from_ms, to_ms=to_ms))

    assert told(DAY_ONE_MS, DAY_ONE_MS + DAY_MS - 1) == {FORGED: 5, STALE: 1}
    assert told(DAY_ONE_MS, DAY_ONE_MS + DAY_MS) == {FORGED: 15, STALE: 1}
    assert here.version() == version  # Nobody has to read brands and keys again because of it.
    clock.set(DAY_ONE_MS + KEPT_DAYS * DAY_MS)
    assert told(DAY_ONE_MS, clock.now_ms()) == {FORGED: 10}


def test_screening_is_told_what_was_refused_on_the_days_of_a_span() -> None:
    clock = SetClock(DAY_ONE_MS + 5)
    register = Register(SqliteTable(":memory:", clock=clock), clock=clock, random_bytes=bytes)
    register.add_unproven({FORGED: 2, STALE: 1})
    clock.advance(DAY_MS)
    register.add_unproven({FORGED: 7})
    told = judged_of(register, "abc", from_ms=DAY_ONE_MS + 1_000, to_ms=DAY_ONE_MS + DAY_MS)
    assert told == Judged(0, {"signature-forged": 2})
    assert judged_of(register, "abc", from_ms=DAY_ONE_MS, to_ms=clock.now_ms()).refused == {"signature-forged": 9}
