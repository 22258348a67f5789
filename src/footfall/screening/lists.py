"""Lists that an operator brings as files: data centres' networks, spammers' domains, the countries of networks."""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from footfall.screening.ranges import NONE, Range, Ranges, packed_address, range_of, ranges_from, ranges_from_packed
from footfall.screening.referrers import require_domain
from footfall.values.errors import Refused

LINES_MAX = 1_000_000
FILE_BYTES_MAX = 64 << 20
_COUNTRY = re.compile(r"[A-Z]{2}")
_LINE_SHOWN = 80

_T = TypeVar("_T")


class ListKind(StrEnum):
    """What a list is of; the texts are stored and typed, so they never change."""

    DATA_CENTRES = "data-centres"
    REFERRER_SPAM = "referrer-spam"
    COUNTRIES = "countries"


class Lists(Struct, frozen=True):
    """The lists that the door goes by."""

    data_centres: Ranges = NONE
    countries: Ranges = NONE
    spam_domains: frozenset[str] = frozenset()


class ListContent(Struct, frozen=True):
    """What a file came to: its kind, how many entries it has, and the bytes that are stored of it."""

    kind: ListKind
    entries: int
    data: bytes


def list_from_text(text: str, *, kind: ListKind | None = None) -> ListContent:
    """Return what a file holds, or raise Refused with the first line that is wrong; its first line tells the kind."""
    lines = _lines(text)
    if not lines:
        raise Refused("list", "is empty; footfall lists remove takes a list away")
    kind = kind_of_line(lines[0][1]) if kind is None else kind
    if kind is ListKind.REFERRER_SPAM:
        domains = sorted({_of_line(number, line, require_domain) for number, line in lines})
        return ListContent(kind, len(domains), "\n".join(domains).encode("ascii"))
    read = _country_range if kind is ListKind.COUNTRIES else _network
    ranges = ranges_from(_of_line(number, line, read) for number, line in lines)
    return ListContent(kind, len(ranges), ranges.packed())


def empty_list(kind: ListKind) -> ListContent:
    """Return a list of nothing."""
    return ListContent(kind, 0, b"" if kind is ListKind.REFERRER_SPAM else ranges_from(()).packed())


def content_from_packed(kind: ListKind, data: bytes) -> ListContent:
    """Return a list that was read elsewhere, or raise Refused when its bytes are none."""
    try:
        lists = with_list(Lists(), kind, data)
    except UnicodeDecodeError as error:
        raise Refused("data", "is no list of domains") from error
    return ListContent(kind, len(lists.data_centres) or len(lists.countries) or len(lists.spam_domains), data)


def kind_of_line(line: str) -> ListKind:
    """Return what a list with such a line is of: networks, networks with a country behind, or domains."""
    first = line.split(",")[0].strip()
    if not packed_address(first.partition("/")[0]):
        return ListKind.REFERRER_SPAM
    return ListKind.COUNTRIES if "," in line else ListKind.DATA_CENTRES


def with_list(lists: Lists, kind: ListKind, data: bytes) -> Lists:
    """Return the lists with one of them replaced by what was stored."""
    match kind:
        case ListKind.DATA_CENTRES:
            return Lists(ranges_from_packed(data), lists.countries, lists.spam_domains)
        case ListKind.COUNTRIES:
            return Lists(lists.data_centres, ranges_from_packed(data), lists.spam_domains)
        case ListKind.REFERRER_SPAM:
            return Lists(lists.data_centres, lists.countries, frozenset(filter(None, data.decode("ascii").split("\n"))))


def require_kind(name: str) -> ListKind:
    """Return the kind of that name, or raise Refused."""
    try:
        return ListKind(name)
    except ValueError as error:
        kinds = ", ".join(kind.value for kind in ListKind)
        raise Refused("kind", f"{name[:40]!r} is not a list; those are {kinds}") from error


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that say something, with their numbers."""
    bare = ((number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines(), 1))
    lines = [(number, line) for number, line in bare if line]
    if len(lines) > LINES_MAX:
        raise Refused("list", f"has {len(lines):,} lines, at most {LINES_MAX:,} are taken")
    return lines


def _of_line(number: int, line: str, read: Callable[[str], _T]) -> _T:
    try:
        return read(line)
    except Refused as error:
        raise Refused("list", f"line {number}: {error.reason}") from error
    except ValueError as error:
        raise Refused("list", f"line {number}: {line[:_LINE_SHOWN]!r} is no network ({error})") from error


def _network(line: str) -> Range:
    return range_of(line)


def _country_range(line: str) -> Range:
    """Return the range of `network,country` or of `first,last,country`, as files of countries have them."""
    cells = [cell.strip().strip('"') for cell in line.split(",")]
    country = cells[-1].upper()
    if len(cells) not in (2, 3) or _COUNTRY.fullmatch(country) is None:
        raise Refused("list", f"{line[:_LINE_SHOWN]!r} is not a network and a country, as in 203.0.113.0/24,FI")
    first, last, _ = range_of(cells[0], value=country)
    if len(cells) == 2:
        return first, last, country
    last = packed_address(cells[1])
    if len(last) != len(first) or last < first:
        raise Refused("list", f"{line[:_LINE_SHOWN]!r} does not end after it begins")
    return first, last, country
