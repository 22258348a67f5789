"""Moments as the language writes them: RFC 3339 with a capital T, and Z or an offset."""

import re
from datetime import UTC, datetime, timedelta, timezone

_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def nanoseconds_of(text: object) -> int | None:
    """Return the moment in nanoseconds since 1970; None for what is no timestamp."""
    form = _FORM.fullmatch(text) if isinstance(text, str) else None
    if form is None:
        return None
    *parts, fraction, zone = form.groups()
    try:
        year, month, day, hour, minute, second = (int(part) for part in parts)
        moment = datetime(year, month, day, hour, minute, second, tzinfo=_zone(zone))
        whole_s = (moment - _EPOCH) // timedelta(seconds=1)
    except (ValueError, OverflowError):
        return None
    return whole_s * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))


def ms_of(text: object) -> int | None:
    """Return the moment in milliseconds, the next whole one: nobody wakes too early."""
    nanoseconds = nanoseconds_of(text)
    return None if nanoseconds is None else -(-nanoseconds // 1_000_000)


def timestamp_of(at_ms: int) -> str:
    """Return the moment as the language writes it, with milliseconds."""
    moment = _EPOCH + timedelta(milliseconds=at_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1_000:03d}Z"


def _zone(text: str) -> timezone:
    if text == "Z":
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[4:6])))
