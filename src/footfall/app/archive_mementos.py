"""What Memento and CDX tell of a brand's captures: which answers for a moment, where all are, and one line each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import quote

from footfall.app.archive_control import Archive, Asker
from footfall.app.archive_told import permanent_path
from footfall.archive import finding
from footfall.archive.addresses import address_from
from footfall.archive.cdx import cdxj_of, json_lines_of
from footfall.archive.memento import (
    LINK_FORMAT,
    Around,
    Places,
    digits_of,
    link_header,
    moment_from_header,
    span_of,
)
from footfall.archive.memento import time_map as time_map_lines
from footfall.archive.removing import NoSuchCapture
from footfall.archive.stored import Line

TIMEMAP_MAX = 5_000  # captures in one TimeMap, the newest: a year of an hour each is more than half of it
CDX_KINDS = {True: "application/x-ndjson", False: "text/x-cdxj; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is asked about: its address as it was written, and where we are."""

    url: str
    brand: str
    site: str

    @property
    def places(self) -> Places:
        """Return where programs find the parts of its past."""
        return Places(self.original, f"{self._at}/timegate/{self.url}", f"{self._at}/timemap/link/{self.url}")

    @property
    def original(self) -> str:
        """Return the page's own address."""
        address = address_from(self.url)
        return address.url if address.has_scheme else f"https://{address.url}"

    @property
    def key(self) -> str:
        """Return by what the page is known."""
        return address_from(self.url).key

    def address_of(self, line: Line) -> str:
        """Return where a capture of the page is found by its moment."""
        return f"{self._at}/web/{digits_of(line.at_us)}/{self.url}"

    @property
    def _at(self) -> str:
        return f"{self.site}/archive/{quote(self.brand, safe='')}"


@dataclass(frozen=True, slots=True)
class Told:
    """An answer."""

    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


def time_gate(archive: Archive, asker: Asker, page: Page, wanted: str, *, now_ms: int) -> Told:
    """Return where the capture is that is nearest to a moment; without one, the newest."""
    at_us = moment_from_header(wanted) if wanted else now_ms * 1_000
    found = finding.nearest(archive.table, asker.spaces, page.key, at_us=at_us)
    if found is None:
        raise _never_kept()
    link = link_header(page.places, _around(archive, asker, page.key, found), page.address_of)
    headers = {"location": page.address_of(found), "vary": "accept-datetime", "link": link}
    return Told(HTTPStatus.FOUND, headers)


def time_map(archive: Archive, asker: Asker, page: Page) -> Told:
    """Return all captures of a page in link-format, or the newest of very many."""
    lines = _lines(archive, asker, page.key, limit=TIMEMAP_MAX, newest_first=True)
    if not lines:
        raise _never_kept()
    body = "".join(time_map_lines(page.places, lines, page.address_of)).encode()
    return Told(headers={"content-type": LINK_FORMAT}, body=body)


def memento(archive: Archive, asker: Asker, page: Page, digits: str, *, replayed: Callable[[str], str | None]) -> Told:
    """Lead to the capture that digits of a moment mean: the last within them, or else the nearest.

    Where it is replayed, to the page itself, which says of what moment it is; elsewhere to what is known of it.
    """
    from_us, to_us = span_of(digits)
    within = finding.captures(
        archive.table, asker.spaces, page.key, from_us=from_us, to_us=to_us, limit=1, newest_first=True
    ).items
    found = within[0] if within else _outside(archive, asker, page.key, (from_us, to_us))
    if found is None:
        raise _never_kept()
    headers = {
        "location": replayed(found.id) or page.site + permanent_path(found.id, asker.brand),
        "link": link_header(page.places, _around(archive, asker, page.key, found), page.address_of),
    }
    return Told(HTTPStatus.FOUND, headers)


def cdx(archive: Archive, asker: Asker, key: str, *, ends: tuple[str, str], limit: int, as_json: bool) -> Told:
    """Return captures of a page as lines, the oldest first, between two moments of 4 to 14 digits each."""
    from_us = span_of(ends[0])[0] if ends[0] else 0
    to_us = span_of(ends[1])[1] if ends[1] else finding.LAST_US
    lines = _lines(archive, asker, key, limit=limit, from_us=from_us, to_us=to_us)
    told = json_lines_of(lines) if as_json else cdxj_of(lines)
    return Told(headers={"content-type": CDX_KINDS[as_json]}, body="".join(told).encode())


def _lines(  # noqa: PLR0913 - an address has a span, an order and a size
    archive: Archive,
    asker: Asker,
    key: str,
    *,
    limit: int,
    from_us: int = 0,
    to_us: int = finding.LAST_US,
    newest_first: bool = False,
) -> list[Line]:
    found: list[Line] = []
    after: str | None = None
    while len(found) < limit:
        page = finding.captures(
            archive.table, asker.spaces, key, from_us=from_us, to_us=to_us,
            limit=min(limit - len(found), finding.LIMIT_MAX), after=after, newest_first=newest_first,
        )  # fmt: skip
        found += page.items
        after = page.after
        if after is None:
            break
    return found


def _outside(archive: Archive, asker: Asker, key: str, span: tuple[int, int]) -> Line | None:
    near = [finding.nearest(archive.table, asker.spaces, key, at_us=at_us) for at_us in span]
    found: Sequence[Line] = [one for one in near if one is not None]
    return min(found, key=lambda one: max(span[0] - one.at_us, one.at_us - span[1]), default=None)


def _around(archive: Archive, asker: Asker, key: str, chosen: Line) -> Around:
    ends = finding.first_and_last(archive.table, asker.spaces, key) or (chosen, chosen)
    before = finding.captures(
        archive.table, asker.spaces, key, to_us=chosen.at_us - 1, limit=1, newest_first=True
    ).items
    behind = finding.captures(archive.table, asker.spaces, key, from_us=chosen.at_us + 1, limit=1).items
    return Around(*ends, chosen, before[0] if before else None, behind[0] if behind else None)


def _never_kept() -> NoSuchCapture:
    return NoSuchCapture("url", "was never kept here, as far as you may see")
