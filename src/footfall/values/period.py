"""Periods: the spans that lists are made for, which windows they cover, and how long windows must be kept for them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, Grain, Window, previous_window, window_of

PERIOD_WINDOWS_MAX = 1_500  # A day of minutes and some: a list is the sum of that many windows.
CACHE_S_MAX = 86_400  # Nobody wants yesterday's list from a cache.
EXPIRY_GRACE_MS = 10 * MINUTE_MS  # A reader that began before the end of the retention finishes its work.

GRAIN_MS: Final[Mapping[Grain, int]] = MappingProxyType(
    {Grain.MINUTE: MINUTE_MS, Grain.FIVE: 5 * MINUTE_MS, Grain.HOUR: HOUR_MS, Grain.DAY: DAY_MS}
)
RETENTION_MS: Final[Mapping[Grain, int]] = MappingProxyType(
    {Grain.MINUTE: 2 * DAY_MS, Grain.FIVE: 2 * DAY_MS, Grain.HOUR: 60 * DAY_MS, Grain.DAY: 762 * DAY_MS}
)


@dataclass(frozen=True, slots=True)
class Period:
    """What a list is about: so many windows of one grain, and how long outside caches may keep the answer."""

    name: str
    count: int
    grain: Grain
    cache_s: int


JUSTNOW: Final = Period("justnow", count=5, grain=Grain.MINUTE, cache_s=30)
DAY: Final = Period("day", count=24, grain=Grain.HOUR, cache_s=120)
WEEK: Final = Period("week", count=7, grain=Grain.DAY, cache_s=300)
DEFAULT_PERIODS: Final[Mapping[str, Period]] = MappingProxyType({one.name: one for one in (JUSTNOW, DAY, WEEK)})


@dataclass(frozen=True, slots=True)
class Span:
    """The windows that one list adds up, oldest first, each beginning where the one before it ends."""

    windows: tuple[Window, ...]

    @property
    def from_ms(self) -> int:
        """Return the first moment of the span."""
        return self.windows[0].from_ms

    @property
    def to_ms(self) -> int:
        """Return the moment at which the span has ended."""
        return self.windows[-1].to_ms

    def meets(self, window: Window) -> bool:
        """Tell whether a window, of whatever grain, shares any moment with the span."""
        return window.from_ms < self.to_ms and window.to_ms > self.from_ms


class ImpossiblePeriod(Refused, ValueError):
    """A period was configured that no list can be made for."""


def open_span(period: Period, *, at_ms: int, zone: str) -> Span:
    """Return the period's closed windows and, last, the open one that holds the moment."""
    return _span_up_to(window_of(at_ms, period.grain, zone), count=period.count + 1, zone=zone)


def closed_span(period: Period, *, closed_until_ms: int, zone: str) -> Span:
    """Return the period's windows whose last ends at the latest boundary that is not after the moment."""
    last = previous_window(window_of(closed_until_ms, period.grain, zone), zone)
    return _span_up_to(last, count=period.count, zone=zone)


def earlier(span: Span, zone: str) -> Span:
    """Return the span of as many windows that ends one window earlier."""
    return Span((previous_window(span.windows[0], zone), *span.windows[:-1]))


def _span_up_to(last: Window, *, count: int, zone: str) -> Span:
    windows = [last]
    while len(windows) < count:
        windows.append(previous_window(windows[-1], zone))
    return Span(tuple(reversed(windows)))


def expires_at_ms(
    window: Window, *, retention_ms: Mapping[Grain, int], periods: Iterable[Period], lateness_ms: int
) -> int:
    """Return the moment from which nobody needs the window any more."""
    spans_ms = [period.count * GRAIN_MS[period.grain] for period in periods if period.grain is window.grain]
    # Twice, because a list is compared with the one before it, which reaches further back.
    kept_ms = max(retention_ms[window.grain], 2 * max(spans_ms, default=0), lateness_ms)
    return window.to_ms + kept_ms + EXPIRY_GRACE_MS


_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_LENGTH = re.compile(r"([1-9][0-9]{0,6})([smhdw])")
_UNIT_MS = {"s": SECOND_MS, "m": MINUTE_MS, "h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS}
_GRAINS = {"1m": Grain.MINUTE, "5m": Grain.FIVE, "1h": Grain.HOUR, "1d": Grain.DAY}


def period_from_setting(name: str, *, span: str, grain: str, cache: str) -> Period:
    """Return the period that a user describes, such as 48h by 1h, cached for 120s."""
    if _NAME.fullmatch(name) is None:
        reason = "a period's name is a small letter and then at most 31 small letters, digits, - or _"
        raise ImpossiblePeriod("periods", f"{name[:64]!r}: {reason}")
    if grain not in _GRAINS:
        raise ImpossiblePeriod(f"periods.{name}.grain", f"{grain!r} is not one of {', '.join(_GRAINS)}")
    span_ms = _length_ms(f"periods.{name}.span", span)
    count, rest = divmod(span_ms, GRAIN_MS[_GRAINS[grain]])
    if rest or not count:
        raise ImpossiblePeriod(f"periods.{name}.span", f"{span!r} is not a whole number of windows of {grain}")
    if count > PERIOD_WINDOWS_MAX:
        reason = f"{span!r} by {grain} is {count} windows, over {PERIOD_WINDOWS_MAX}; choose a coarser grain"
        raise ImpossiblePeriod(f"periods.{name}.span", reason)
    cache_s = _length_ms(f"periods.{name}.cache", cache) // SECOND_MS
    if cache_s > CACHE_S_MAX:
        raise ImpossiblePeriod(f"periods.{name}.cache", f"{cache!r} is longer than a day")
    return Period(name, count=count, grain=_GRAINS[grain], cache_s=cache_s)


def _length_ms(field: str, text: str) -> int:
    match = _LENGTH.fullmatch(text)
    if match is None:
        raise ImpossiblePeriod(field, f"{text[:64]!r} is not a length of time; write it as 30s, 15m, 48h, 7d or 2w")
    return int(match[1]) * _UNIT_MS[match[2]]
