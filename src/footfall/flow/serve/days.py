"""Days of a brand as a reader names them: by their dates."""

from datetime import date, datetime, time

from footfall.values.errors import Refused
from footfall.values.window import Grain, Window, window_of, zone_named

YEAR_MAX = 9_998


def day_named(text: str, *, field: str, zone: str) -> Window:
    """Return the local day that a date names; raise Refused when it is none."""
    try:
        noon = datetime.combine(date.fromisoformat(text), time(12), zone_named(zone))
        at_ms = int(noon.timestamp()) * 1_000
    except (ValueError, OverflowError) as error:
        raise Refused(field, f"{text[:40]!r} is not a date like 2026-11-15") from error
    if at_ms < 0 or noon.year > YEAR_MAX:
        raise Refused(field, f"{text[:40]!r} is not between the years 1970 and {YEAR_MAX}")
    return window_of(at_ms, Grain.DAY, zone)
