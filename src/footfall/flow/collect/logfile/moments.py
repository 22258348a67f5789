"""The times that logs write, as moments: common log format, ISO 8601 and seconds or milliseconds since 1970.

A time without a zone names no moment. Formats whose times are UTC by definition say so by adding a Z.
"""

from datetime import UTC, datetime, timedelta

from footfall.flow.collect.logfile.line import NotUnderstood
from footfall.values.window import MINUTE_MS, SECOND_MS

EARLIEST_MS = 946_684_800_000  # 2000: an older time is a clock that was never set.
AHEAD_MS_MAX = 5 * MINUTE_MS  # The same leave that live hits have: clocks differ.
CACHED_MAX = 20_000  # Some 2 MB; a busy log writes the same second hundreds of times.
_SECONDS_BELOW = 100_000_000_000  # As seconds this is the year 5138, as milliseconds 1973.

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MONTHS = {name: place for place, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}


class Moments(dict[bytes, int]):
    """Moments by the text that names them; one that is asked for the first time is read."""

    def __init__(self, *, now_ms: int) -> None:
        super().__init__()
        self._latest_ms = now_ms + AHEAD_MS_MAX
        self._minutes: dict[bytes, int] = {}

    def tell(self, now_ms: int) -> None:
        """Take note of the time, which decides what lies in the future."""
        self._latest_ms = now_ms + AHEAD_MS_MAX

    def __missing__(self, text: bytes) -> int:
        at_ms = self._common(text) if text[2:3] == b"/" else _moment(text)
        if at_ms < EARLIEST_MS:
            raise NotUnderstood("its time lies before the year 2000")
        if at_ms > self._latest_ms:
            raise NotUnderstood("its time lies in the future")
        if len(self) >= CACHED_MAX:
            self.clear()
        self[text] = at_ms
        return at_ms

    def _common(self, text: bytes) -> int:
        """Return the moment of `17/May/2015:10:05:03 +0000`, asking the calendar once a minute."""
        minute, second = text[:17] + text[20:], text[18:20]
        found = self._minutes.get(minute)
        if found is None:
            if len(self._minutes) >= CACHED_MAX:
                self._minutes.clear()
            found = self._minutes[minute] = _common_minute(text)
        if not second.isdigit() or second > b"60":  # 60 is a leap second.
            raise NotUnderstood("its time is none that clocks show")
        return found + int(second) * SECOND_MS


def _common_minute(text: bytes) -> int:
    if len(text) != 26 or text[17:18] != b":" or text[20:21] != b" " or text[21:22] not in b"+-":
        raise NotUnderstood("its time is not written as in 17/May/2015:10:05:03 +0000")
    try:
        moment = datetime(
            int(text[7:11]), _MONTHS[text[3:6]], int(text[:2]), int(text[12:14]), int(text[15:17]), tzinfo=UTC
        )
        ahead_ms = (int(text[22:24]) * 60 + int(text[24:26])) * MINUTE_MS
    except (ValueError, KeyError) as error:
        raise NotUnderstood("its time is none that calendars and clocks show") from error
    at_ms = (moment - _EPOCH) // _MILLISECOND
    return at_ms + ahead_ms if text[21:22] == b"-" else at_ms - ahead_ms


def _moment(text: bytes) -> int:
    if text[4:5] == b"-":
        return _iso(text)
    try:
        number = float(text)
        return int(number * SECOND_MS) if number < _SECONDS_BELOW else int(number)
    except (ValueError, OverflowError) as error:
        raise NotUnderstood("its time is in no form that is known") from error


def _iso(text: bytes) -> int:
    try:
        moment = datetime.fromisoformat(text.decode("ascii").upper())
        if moment.tzinfo is None:
            raise NotUnderstood("its time has no zone")
        return (moment - _EPOCH) // _MILLISECOND
    except (ValueError, OverflowError) as error:
        raise NotUnderstood("its time is none that calendars and clocks show") from error
