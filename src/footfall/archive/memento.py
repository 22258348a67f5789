"""Memento (RFC 7089): which capture answers for a moment, and how captures of an address are told to programs.

A moment in an address is up to 14 digits (`20261117093000`), as other archives write it; fewer stand for the span
that begins with them. Captures of one second are told apart by their ids.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

from footfall.archive.stored import Line
from footfall.values.errors import Refused

LINK_FORMAT = "application/link-format"
MEMENTOS_IN_HEADER_MAX = 4  # first, previous, next and last: a header stays small however many captures there are

_DIGITS = re.compile(r"\d{4,14}")
_NOT_IN_LINK = re.compile(r"[\s<>\"]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PARTS = ((6, "month"), (8, "day"), (10, "hour"), (12, "minute"), (14, "second"))


@dataclass(frozen=True, slots=True)
class Places:
    """Where programs find the parts of a page's past: the page itself, its TimeGate, its TimeMap."""

    original: str
    time_gate: str
    time_map: str


@dataclass(frozen=True, slots=True)
class Around:
    """A capture among those of its address."""

    first: Line
    last: Line
    chosen: Line
    before: Line | None = None
    behind: Line | None = None


def digits_of(at_us: int) -> str:
    """Return the 14 digits of a moment, in UTC."""
    return _moment(at_us).strftime("%Y%m%d%H%M%S")


def span_of(digits: str) -> tuple[int, int]:
    """Return the first and the last microsecond that 4 to 14 digits may mean; Refused when they mean none."""
    if not _DIGITS.fullmatch(digits) or len(digits) % 2 or not digits.isascii():
        raise Refused(
            "moment", f"{digits[:20]!r} is no year, month, day or time such as 2026, 20261117 or 20261117093000"
        )
    named = {name: int(digits[at - 2 : at]) for at, name in _PARTS if len(digits) >= at}
    begin = {"month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}
    year = int(digits[:4])
    try:
        first = datetime(year, **{**begin, **named}, tzinfo=UTC)
        month = named.get("month", 12)
        end = {"month": month, "day": monthrange(year, month)[1], "hour": 23, "minute": 59, "second": 59}
        last = datetime(year, **{**end, **named}, tzinfo=UTC)
    except (ValueError, IndexError) as error:
        raise Refused("moment", f"{digits!r} is no moment of a calendar ({error})") from error
    return _microseconds(first), _microseconds(last) + 999_999


def moment_from_header(text: str) -> int:
    """Return the moment that an Accept-Datetime asks for; Refused when it is none."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise Refused("Accept-Datetime", f"{text[:60]!r} is no date such as Tue, 17 Nov 2026 09:30:00 GMT") from error
    return _microseconds(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def header_date(at_us: int) -> str:
    """Return a moment as HTTP writes it."""
    return format_datetime(_moment(at_us).replace(microsecond=0), usegmt=True)


def link_header(places: Places, around: Around | None, address_of: Callable[[Line], str]) -> str:
    """Return the Link header of a TimeGate's answer or of a capture; `address_of` says where a capture is shown."""
    links = [
        f'<{_safe(places.original)}>; rel="original"',
        f'<{_safe(places.time_gate)}>; rel="timegate"',
        f'<{_safe(places.time_map)}>; rel="timemap"; type="{LINK_FORMAT}"',
    ]
    if around is not None:
        relations: dict[str, tuple[Line, list[str]]] = {}
        named = (("first", around.first), ("prev", around.before), ("", around.chosen), ("next", around.behind))
        for name, line in (*named, ("last", around.last)):
            if line is not None:
                relations.setdefault(line.id, (line, []))[1].append(name)
        links += [_memento(line, [name for name in names if name], address_of) for line, names in relations.values()]
    return ", ".join(links)


def time_map(places: Places, lines: Sequence[Line], address_of: Callable[[Line], str]) -> Iterator[str]:
    """Yield a TimeMap in link-format: the page, its TimeGate, and captures in the order of time."""
    yield f'<{_safe(places.original)}>; rel="original",\n'
    yield f'<{_safe(places.time_gate)}>; rel="timegate",\n'
    ordered = sorted(lines, key=lambda line: (line.at_us, line.id))
    span = f'; from="{header_date(ordered[0].at_us)}"; until="{header_date(ordered[-1].at_us)}"' if ordered else ""
    yield f'<{_safe(places.time_map)}>; rel="self"; type="{LINK_FORMAT}"{span}'
    for number, line in enumerate(ordered):
        names = [name for name, at in (("first", 0), ("last", len(ordered) - 1)) if number == at]
        yield ",\n" + _memento(line, names, address_of)
    yield "\n"


def _memento(line: Line, names: Sequence[str], address_of: Callable[[Line], str]) -> str:
    relation = " ".join([*names, "memento"])
    return f'<{_safe(address_of(line))}>; rel="{relation}"; datetime="{header_date(line.at_us)}"'


def _safe(url: str) -> str:
    # An address stands between angle brackets: whatever could end it, or the header, is percent-encoded.
    return _NOT_IN_LINK.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url)


def _moment(at_us: int) -> datetime:
    return _EPOCH + timedelta(microseconds=at_us)


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
