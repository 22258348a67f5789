"""What is asked of the archive: captures of a page by day, the latest, a calendar, libraries, and words."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from footfall.app.archive_control import Archive, Asker
from footfall.app.archive_told import Document, document_of_line, moment_text
from footfall.archive import finding, keys
from footfall.archive.captures import Capture
from footfall.archive.removing import NoSuchCapture
from footfall.archive.stored import line_of
from footfall.values.errors import Refused

PAGE_DEFAULT, PAGE_MAX = 50, 200
SEARCH_DEFAULT, SEARCH_MAX = 20, 100
YEAR_MIN, YEAR_MAX = 1970, 9998
DAY_US = 86_400_000_000

_MARKS = re.compile("([\x02\x03])")


@dataclass(frozen=True, slots=True)
class Span:
    """Some of a list: how many, and where to go on."""

    limit: int
    after: str | None


def captures_of(archive: Archive, asker: Asker, key: str, *, day: str, span: Span) -> Document:
    """Return the captures of a page that whoever asks may see, the newest first; with a day, those of it (UTC)."""
    from_us, to_us = _of_day(day) if day else (0, finding.LAST_US)
    found = finding.captures(
        archive.table, asker.spaces, key, from_us=from_us, to_us=to_us, limit=span.limit, after=span.after,
        newest_first=True,
    )  # fmt: skip
    return _page(found)


def latest_of(archive: Archive, asker: Asker, key: str) -> Capture:
    """Return the newest capture of a page, or raise NoSuchCapture."""
    found = finding.latest(archive.table, asker.spaces, key)
    if found is None:
        raise NoSuchCapture("url", "was never kept here, as far as you may see; POST /v1/archive keeps it")
    return found


def calendar_of(archive: Archive, asker: Asker, key: str, *, year: int) -> Document:
    """Return how many captures a page has on each day (UTC) of a year, and the moments of the first and the last."""
    ends = finding.first_and_last(archive.table, asker.spaces, key)
    first, last = ends or (None, None)
    return {
        "year": year,
        "days": dict(finding.days(archive.table, asker.spaces, key, year=year)),
        "first": None if first is None else moment_text(first.at_us),
        "last": None if last is None else moment_text(last.at_us),
    }


def library_of(archive: Archive, asker: Asker, *, of_brand: bool, span: Span) -> Document:
    """Return the captures of whoever asks, or those that all members of the brand see, the newest first."""
    space = keys.brand_space(asker.brand) if of_brand else asker.own_space
    return _page(finding.library(archive.table, space, limit=span.limit, after=span.after))


def searched(archive: Archive, asker: Asker, words: str, *, span: Span) -> Document:
    """Return captures that have all of the words, the best first, with a piece of their text around them."""
    found = archive.searching.search(words, spaces=asker.spaces, limit=span.limit, after=span.after)
    results: list[Document] = []
    for hit in found.hits:
        capture = finding.capture(archive.table, hit.id)
        # What the table says counts: an index is behind it for a moment.
        if isinstance(capture, Capture) and finding.is_visible(capture, asker.spaces):
            results.append({**document_of_line(line_of(capture)), "excerpt": excerpt_pieces(hit.excerpt)})
    return {"kind": archive.search_kind, "results": results, "after": found.after}


def excerpt_pieces(excerpt: str) -> list[tuple[str, bool]]:
    """Return an excerpt in pieces, each with whether it is a word that was asked for."""
    pieces: list[tuple[str, bool]] = []
    is_match = False
    for piece in _MARKS.split(excerpt):
        if piece in ("\x02", "\x03"):
            is_match = piece == "\x02"
        elif piece:
            pieces.append((piece, is_match))
    return pieces


def this_year(now_ms: int) -> int:
    """Return the year (UTC)."""
    return datetime.fromtimestamp(now_ms // 1_000, tz=UTC).year


def _page(found: finding.Lines) -> dict[str, Any]:
    return {"captures": [document_of_line(one) for one in found.items], "after": found.after}


def _of_day(day: str) -> tuple[int, int]:
    try:
        begin = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise Refused("day", f"{day[:20]!r} is no day such as 2026-11-17") from error
    from_us = int(begin.timestamp()) * 1_000_000
    return from_us, from_us + DAY_US - 1
