"""What a rise is told from: the minutes of the last hour, and the day before it up to where that hour begins."""

from dataclasses import dataclass

from footfall.flow.serve.directory import Directory
from footfall.flow.serve.sheets import Contribution
from footfall.values.period import Span
from footfall.values.window import MINUTE_MS, Grain, Window, previous_window, window_of

RECENT_MINUTES = 60  # the open one among them
BASELINE_HOURS = 24  # whole ones; the minutes between them and the last hour come on top


@dataclass(frozen=True, slots=True)
class RiseStretch:
    """Windows that are taken together, and what their summaries give."""

    span: Span
    given: list[Contribution]


@dataclass(frozen=True, slots=True)
class RiseView:
    """The stretches that one list of what rises is made of, oldest first."""

    directory: Directory
    recent: list[RiseStretch]
    baseline: list[RiseStretch]


def rise_spans(now_ms: int, zone: str) -> tuple[list[Span], list[Span]]:
    """Return the minutes of the last hour, and what was before: whole hours, and the part of one that is left."""
    open_minute = window_of(now_ms, Grain.MINUTE, zone)
    first_ms = open_minute.from_ms - (RECENT_MINUTES - 1) * MINUTE_MS
    recent = _minutes(first_ms, open_minute.to_ms)
    begun = window_of(first_ms, Grain.HOUR, zone)
    hours = [previous_window(begun, zone)]
    while len(hours) < BASELINE_HOURS:
        hours.append(previous_window(hours[-1], zone))
    baseline = [Span((hour,)) for hour in reversed(hours)]
    # An asset that had its best minutes there would otherwise seem to come from nowhere.
    between = _minutes(begun.from_ms, first_ms)
    return [Span((minute,)) for minute in recent], [*baseline, Span(between)] if between else baseline


def _minutes(from_ms: int, to_ms: int) -> tuple[Window, ...]:
    return tuple(Window(Grain.MINUTE, one_ms, one_ms + MINUTE_MS) for one_ms in range(from_ms, to_ms, MINUTE_MS))
