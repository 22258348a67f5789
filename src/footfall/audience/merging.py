"""Lists in the order of time, the newest first: read a page at a time, several merged into one, with a place to go on.

Things of one moment stand by their names. An index on AWS gives them in any order, so all of a moment are read before
the first of them is given out.
"""

import base64
import binascii
import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import msgspec

from footfall.audience import keys
from footfall.audience.heads import SHARDS_MAX
from footfall.ports.table import Found, Key, Page, Table
from footfall.values.errors import Refused


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a list goes on: behind a moment and a name; in how many shards it lay when it was first read."""

    at: int
    name: str
    shards: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """One of a list."""

    at: int
    name: str
    found: Found

    @property
    def rank(self) -> tuple[int, str]:
        """Return what rows are ordered by."""
        return -self.at, self.name


@dataclass(frozen=True, slots=True)
class Listing:
    """A list that an index holds: which of its partitions, and how a row of it is named."""

    index: str
    partition: str
    named: Callable[[Found], str]
    us_per_position: int = 1  # where the index counts in milliseconds, 1,000


def text_from_place(place: Place) -> str:
    """Return a place as an answer says it."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def place_from_text(text: str) -> Place | None:
    """Return the place that an answer said, None for an empty text, or raise Refused."""
    if not text:
        return None
    try:
        place = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=Place)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        place = None
    if place is None or not (0 <= place.at < keys.HEAD_AT_US and 1 <= place.shards <= SHARDS_MAX):
        raise Refused("after", f"{text[:40]!r} is not what an answer said; send it as it was")
    return place


def newest(
    table: Table, listing: Listing, *, after: Place | None, step: int, first: Page | None = None
) -> Iterator[Row]:
    """Yield the rows of a list behind a place; `first` is its first page, if somebody has read it."""
    group: list[Row] = []
    page = first if first is not None else _page(table, listing, after, step, None)
    while True:
        for found in page.items:
            row = Row(_moment(found), listing.named(found), found)
            if group and group[0].at != row.at:
                yield from _in_order(group)
                group = []
            if after is None or row.rank > (-after.at, after.name):
                group.append(row)
        if page.after is None:
            yield from _in_order(group)
            return
        page = _page(table, listing, after, step, page.after)


def merged(lists: Iterable[Iterator[Row]]) -> Iterator[Row]:
    """Yield the rows of several lists as one."""
    return heapq.merge(*lists, key=lambda row: row.rank)


def some_of(rows: Iterator[Row], *, limit: int, shards: int = 1) -> tuple[list[Row], str | None]:
    """Return the first rows, and where to go on; None when there are no more."""
    taken = list(islice(rows, limit + 1))
    if len(taken) <= limit:
        return taken, None
    last = taken[limit - 1]
    return taken[:limit], text_from_place(Place(last.at, last.name, shards))


def _in_order(group: list[Row]) -> list[Row]:
    return group if len(group) == 1 else sorted(group, key=lambda one: one.rank)


def _page(table: Table, listing: Listing, after: Place | None, step: int, start: Key | None) -> Page:
    at_most = None if after is None else after.at // listing.us_per_position
    return table.query(listing.partition, at_most=at_most, backwards=True, limit=step, after=start, index=listing.index)


def _moment(found: Found) -> int:
    at_us = found.item["at_us"]
    assert isinstance(at_us, int)
    return at_us
