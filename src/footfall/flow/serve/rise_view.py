"""What a rise is told from: the minutes of the last hour, and the whole hours of the day before it."""

from dataclasses import dataclass

from footfall.flow.serve.directory import Directory
from footfall.flow.serve.sheets import Contribution
from footfall.values.period import Span
from footfall.values.window import MINUTE_MS, Grain, Window, previous_window, window_of

RECENT_MINUTES = 60  # the open one among them
BASELINE_HOURS = 24


@dataclass(frozen=True, slots=True)
class RiseWindow:
    """A window and what its summaries give."""

    window: Window
    given: list[Contribution]


@dataclass(frozen=True, slots=True)
class RiseView:
    """The windows that one list of what rises is made of, oldest first."""

    directory: Directory
    recent: list[RiseWindow]
    baseline: list[RiseWindow]


def rise_spans(now_ms: int, zone: str) -> tuple[Span, Span]:
    """Return the minutes of the last hour, and the whole hours that are over by its start."""
    open_minute = window_of(now_ms, Grain.MINUTE, zone)
    first_ms = open_minute.from_ms - (RECENT_MINUTES - 1) * MINUTE_MS
    minutes = [
        Window(Grain.MINUTE, first_ms + number * MINUTE_MS, first_ms + (number + 1) * MINUTE_MS)
        for number in range(RECENT_MINUTES)
    ]
    hours = [previous_window(window_of(first_ms, Grain.HOUR, zone), zone)]
    while len(hours) < BASELINE_HOURS:
        hours.append(previous_window(hours[-1], zone))
    return Span(tuple(minutes)), Span(tuple(reversed(hours)))
