"""What the server answers, as values with types."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from footfall.client.errors import Unreachable


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a list. Labels that the server does not know are empty texts, as are a catalogue's fields."""

    rank: int | None  # as it was counted; None of a pinned asset that nobody came to
    asset: str
    hits: int
    change: int | None = None  # of rank since the previous span; None: it is new
    hits_at_most: int | None = None  # only where the list is not exact
    uniques: int | None = (
        None  # visitors, and what they are at least and at most; only of a list that is sorted by them
    )
    uniques_at_least: int | None = None
    uniques_at_most: int | None = None  # None also where not all of the span is kept
    section: str = ""
    type: str = ""
    paid: str = ""
    title: str = ""
    address: str = ""
    image: str = ""
    published: str = ""
    pinned: bool = False  # An editor chose where it stands.
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])  # what a newer server adds


@dataclass(frozen=True, slots=True)
class Popular:
    """A list: iterate over it for its items."""

    brand: str
    period: str  # empty: a span that was asked for by its ends
    starts: datetime
    ends: datetime
    exact: bool
    items: tuple[Item, ...]
    uniques_are: str = ""  # `visitors` or `visitorDays`; only of a list that is sorted by them
    hidden: int = 0  # assets that an editor had left out
    is_stale: bool = False  # the last good list, because the server could not give a newer one

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where every accepted hit of a brand has gone; the lines after the first add up to it."""

    brand: str
    accepted: int
    counted: int
    duplicate: int
    screened: Mapping[str, int]
    late: int
    future: int
    unlabelled: int
    dead: int
    in_flight: int


_ITEM_FIELDS = {
    "rank": "rank",
    "assetId": "asset",
    "hits": "hits",
    "change": "change",
    "hitsAtMost": "hits_at_most",
    "uniques": "uniques",
    "uniquesAtLeast": "uniques_at_least",
    "uniquesAtMost": "uniques_at_most",
    "sectionId": "section",
    "resourceType": "type",
    "paidType": "paid",
    "title": "title",
    "address": "address",
    "image": "image",
    "published": "published",
}
_TEXTS = ("asset", "section", "type", "paid", "title", "address", "image", "published")


def popular_from_table(table: Mapping[str, Any]) -> Popular:
    """Return the list that an answer holds, or raise Unreachable when it holds none."""
    try:
        return Popular(
            brand=str(table["brand"]),
            period=str(table.get("period", "")),
            starts=datetime.fromisoformat(table["from"]),
            ends=datetime.fromisoformat(table["to"]),
            exact=bool(table["exact"]),
            items=tuple(_item(one) for one in table["items"]),
            uniques_are=str(table.get("uniquesAre", "")),
            hidden=int(table.get("hidden", 0)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreachable(f"What answered is no list of footfall: {error!r}; check the address.") from error


def ledger_from_table(table: Mapping[str, Any]) -> Ledger:
    """Return the ledger that an answer holds, or raise Unreachable when it holds none."""
    try:
        lines = ("accepted", "counted", "duplicate", "late", "future", "unlabelled", "dead")
        return Ledger(
            brand=str(table["brand"]),
            screened={str(reason): int(hits) for reason, hits in table["screened"].items()},
            in_flight=int(table["inFlight"]),
            **{name: int(table[name]) for name in lines},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreachable(f"What answered is no ledger of footfall: {error!r}; check the address.") from error


def _item(sent: Mapping[str, Any]) -> Item:
    known: dict[str, Any] = {"rank": sent["rank"], "pinned": sent.get("pinned") is True}
    for theirs, ours in _ITEM_FIELDS.items():
        value = sent.get(theirs)
        if value is not None:
            known[ours] = str(value) if ours in _TEXTS else int(value)
    return Item(**known, more={name: value for name, value in sent.items() if name not in (*_ITEM_FIELDS, "pinned")})
