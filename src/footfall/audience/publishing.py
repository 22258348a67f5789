"""What things publish, and the feed of what those published that somebody follows, pulled when it is asked for.

Who follows little gets a merge of what each of these published. Who follows much gets what the whole brand published,
without the rest: a series or an author is followed by many and publishes little.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import msgspec

from footfall.audience import keys
from footfall.audience.following import followed_keys
from footfall.audience.follows import Follows
from footfall.audience.merging import (
    Listing,
    Place,
    Row,
    merged,
    newest,
    place_from_text,
    some_of,
    text_from_place,
)
from footfall.audience.things import ID_BYTES_MAX, Thing, thing_from_key
from footfall.ports.table import Delete, Found, Item, Put, Table
from footfall.values.errors import Refused
from footfall.values.hit import require_text

ABOUT_BYTES_MAX = 4_096
WEEK_MS = 7 * 86_400_000
FEED_WEEKS = 13  # How far a feed goes back.
FEW = 32  # As many queries at most, when what each published is merged.
LOOKED_AT_MAX = 5_000  # publications of the brand for one page; another page goes on behind them
_STEP = 200


@dataclass(frozen=True, slots=True)
class Publication:
    """Something that a thing published: an id among its own, when, and what the publisher tells of it."""

    thing: Thing
    id: str
    at_ms: int
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Publications:
    """Some publications, the newest first, and where to go on; None when there are no more."""

    items: Sequence[Publication]
    after: str | None


def publish(table: Table, brand: str, publication: Publication, *, now_ms: int) -> None:
    """Say that a thing published something; said twice, the second takes the place of the first."""
    one = _required(publication, now_ms=now_ms)
    item: Item = {
        "to": keys.week(brand, one.at_ms // WEEK_MS), "at_us": one.at_ms * 1_000,
        "viewer": keys.published(brand, one.thing), "recent_ms": one.at_ms,
    }  # fmt: skip
    if one.about:
        item = {**item, "about": msgspec.json.encode(one.about).decode()}
    table.put(Put(keys.publication(brand, one.thing, one.id), item))


def unpublish(table: Table, brand: str, thing: Thing, id: str) -> None:
    """Take a publication back."""
    table.delete(Delete(keys.publication(brand, thing, _required_id(id))))


def published(table: Table, brand: str, thing: Thing, *, limit: int, after: str = "") -> Publications:
    """Return what a thing published; one query."""
    rows = newest(table, _of_thing(brand, thing), after=place_from_text(after), step=limit + 2)
    return _publications(*some_of(rows, limit=limit))


def feed(follows: Follows, brand: str, follower: Thing, *, limit: int, after: str = "") -> Publications:
    """Return what the things published that somebody follows, of the last 13 weeks.

    One query for what is followed; then up to 32, one for each of these, or as many as the weeks of the brand need.
    """
    wanted, place, table = followed_keys(follows, brand, follower), place_from_text(after), follows.table
    now_ms = follows.clock.now_ms()
    oldest_us = (now_ms // WEEK_MS - FEED_WEEKS + 1) * WEEK_MS * 1_000
    if len(wanted) <= FEW:
        things = [thing_from_key(one) for one in wanted]
        lists = [newest(table, _of_thing(brand, one), after=place, step=limit + 2) for one in things]
        rows = (row for row in merged(lists) if row.at >= oldest_us)
        return _publications(*some_of(rows, limit=limit))
    newest_week = (now_ms if place is None else place.at // 1_000) // WEEK_MS
    weeks = range(newest_week, oldest_us // 1_000 // WEEK_MS - 1, -1)
    return _picked(_of_weeks(table, brand, weeks, place), wanted, limit=limit)


def _picked(rows: Iterator[Row], wanted: Set[str], *, limit: int) -> Publications:
    found: list[Row] = []
    for looked_at, row in enumerate(rows, 1):
        if keys.first_key_of(row.found.key) in wanted:
            found.append(row)
        if len(found) > limit or looked_at == LOOKED_AT_MAX:
            last = found[limit - 1] if len(found) > limit else row
            return _publications(found[:limit], text_from_place(Place(last.at, last.name)))
    return _publications(found, None)


def _of_weeks(table: Table, brand: str, weeks: range, place: Place | None) -> Iterator[Row]:
    for number in weeks:
        listing = Listing(keys.FOLLOWERS, keys.week(brand, number), _name)
        yield from newest(table, listing, after=place, step=_STEP)


def _of_thing(brand: str, thing: Thing) -> Listing:
    return Listing(keys.RECENT, keys.published(brand, thing), _name, us_per_position=1_000)


def _name(found: Found) -> str:
    return f"{keys.first_key_of(found.key)}#{found.key.sort}"


def _publications(rows: Sequence[Row], after: str | None) -> Publications:
    return Publications([publication_from(row.found) for row in rows], after)


def publication_from(found: Found) -> Publication:
    """Return the publication that is stored."""
    at_ms, about = found.item["recent_ms"], found.item.get("about")
    assert isinstance(at_ms, int)
    told = msgspec.json.decode(about, type=dict[str, Any]) if isinstance(about, str) else {}
    return Publication(keys.first_of(found.key), found.key.sort, at_ms, told)


def _required(one: Publication, *, now_ms: int) -> Publication:
    _required_id(one.id)
    if not 0 <= one.at_ms <= now_ms:
        raise Refused("at", "is not a moment of the past; a feed tells what was published, not what will be")
    try:
        size = len(msgspec.json.encode(one.about))
    except UnicodeEncodeError as error:
        raise Refused("about", "has a lone surrogate, which is not a character") from error
    if size > ABOUT_BYTES_MAX:
        raise Refused("about", f"has {size:,} bytes as JSON, at most {ABOUT_BYTES_MAX:,} are taken")
    return one


def _required_id(id: str) -> str:
    if not id:
        raise Refused("id", "is missing; say by which id the publication is known")
    return require_text("id", id, bytes_max=ID_BYTES_MAX)
