"""Reasons of a span follow what is decided on its hits, whenever that is."""

from collections import Counter

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.serve.span_reasons import Reasons, reasons_in
from footfall.flow.store.checkpoints import Checkpoint, Lines
from footfall.flow.store.moved_lines import door_totals_of, swap_moves
from footfall.flow.store.reason_days import ReasonDay, note_reasons
from footfall.values.clock import SetClock
from footfall.values.period import Span
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window

START_MS = 20_000 * DAY_MS


def days(first: int, last: int) -> Span:
    """Return whole days, counted from the beginning."""
    starts = (START_MS + day * DAY_MS for day in range(first, last))
    return Span(tuple(Window(Grain.DAY, start, start + DAY_MS) for start in starts))


def test_what_is_decided_later_is_told_of_the_day_that_it_is_about() -> None:
    table = SqliteTable(":memory:", clock=SetClock(START_MS))
    shard = Checkpoint(lines={"abc": Lines(counted=100)})
    for day in range(3):
        at_ms = START_MS + day * DAY_MS
        noted = ReasonDay(at_ms, at_ms + 7, door_totals_of([shard], "abc"))
        note_reasons(table, "abc", noted, expires_at_ms=at_ms + 400 * DAY_MS)
        shard.lines["abc"].move("reload", 5)
    now_ms = START_MS + 2 * DAY_MS + HOUR_MS
    hour_ms = START_MS + 3 * HOUR_MS
    moved = Counter({("abc", hour_ms, "counted", "verdict"): 2, ("abc", hour_ms, "reload", "verdict-confirmed"): 1})
    swap_moves(shard, "abc", frozenset([hour_ms]), moved)

    def told(span: Span) -> Reasons:
        return reasons_in(table, "abc", span, [shard], zone="UTC", now_ms=now_ms)

    moments = [START_MS + day * DAY_MS + 7 for day in range(3)]
    assert told(days(0, 1)) == Reasons({"reload": 4, "verdict": 2, "verdict-confirmed": 1}, moments[0], moments[1])
    assert told(days(1, 2)) == Reasons({"reload": 5}, moments[1], moments[2])
    assert told(days(2, 3)) == Reasons({"reload": 5}, moments[2])
    minute = Span((Window(Grain.MINUTE, now_ms - 60_000, now_ms),))
    assert told(minute) == told(days(2, 3))  # The day that holds it.
    assert told(days(-1, 1)) == Reasons({"reload": 14, "verdict": 2, "verdict-confirmed": 1})  # since the beginning
