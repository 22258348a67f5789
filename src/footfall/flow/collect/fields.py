"""A hit as it was sent, a hit as it is taken, and the way from one to the other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from footfall.flow.stream.records import HitKey
from footfall.values.errors import Refused
from footfall.values.hit import (
    ADDRESS_BYTES_MAX,
    AGENT_BYTES_MAX,
    ASSET_BYTES_MAX,
    AT_MS_MAX,
    AT_MS_MIN,
    CLIENT_BYTES_MAX,
    ID_BYTES_MAX,
    LABEL_BYTES_MAX,
    NUMBER_MAX,
    PURPOSE_BYTES_MAX,
    require_number,
    require_text,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

# Lengths are in characters here: a longer text is too long in bytes as well, and in an ASCII body they are the same.
_Label = Annotated[str, Meta(max_length=LABEL_BYTES_MAX)]
_Address = Annotated[str, Meta(max_length=ADDRESS_BYTES_MAX)]
_Id = Annotated[str, Meta(max_length=ID_BYTES_MAX)]
_Client = Annotated[str, Meta(max_length=CLIENT_BYTES_MAX)]
_Agent = Annotated[str, Meta(max_length=AGENT_BYTES_MAX)]
_Purpose = Annotated[str, Meta(max_length=PURPOSE_BYTES_MAX)]
_Number = Annotated[int, Meta(ge=0, le=NUMBER_MAX)]
_Asset = Annotated[str, Meta(min_length=1, max_length=ASSET_BYTES_MAX)]


class SentHit(Struct, kw_only=True, gc=False):
    """A hit in a sender's words; fields that we do not know are left aside."""

    brand: str | UnsetType | None = UNSET
    assetId: _Asset | _Number  # noqa: N815 - the sender's spelling
    sectionId: _Label | _Number | UnsetType | None = UNSET  # noqa: N815
    resourceType: _Label | UnsetType | None = UNSET  # noqa: N815
    paidType: _Label | UnsetType | None = UNSET  # noqa: N815
    url: _Address | UnsetType | None = UNSET
    referrer: _Address | UnsetType | None = UNSET
    at: str | int | UnsetType | None = UNSET
    id: _Id | UnsetType | None = UNSET
    visitor: _Id | UnsetType | None = UNSET
    client: _Client | UnsetType | None = UNSET
    agent: _Agent | UnsetType | None = UNSET
    purpose: _Purpose | UnsetType | None = UNSET


class Hit(Struct, frozen=True, gc=False):
    """A hit that can be taken; an empty text is something that was not sent."""

    brand: str  # empty: that of the sender's key
    key: HitKey
    at_ms: int | None = None
    id: str = ""
    visitor: str = ""
    url: str = ""
    referrer: str = ""
    client: str = ""  # what the tracker tells of its browser; never stored, nor are the next two
    agent: str = ""  # of the reader, where a server sends
    purpose: str = ""  # what the reader's request said that it was for, where a server sends


@dataclass(frozen=True, slots=True)
class Refusal:
    """Which hit of a request was not taken, and why."""

    index: int
    field: str
    reason: str


@dataclass(slots=True)
class Draft:
    """The hits of one brand in a request: `keys` for each, `hits` only when one has more than a key and a time.

    `at_ms` has their times where there are no `hits`, if they have any. `weights` is for senders that add hits up
    themselves.
    """

    brand: str
    keys: Sequence[HitKey]
    places: Sequence[int]  # in the request
    hits: list[Hit] | None = None
    weights: list[int] | None = None
    at_ms: Sequence[int] | None = None

    @property
    def weight(self) -> int:
        """Return how many hits these are."""
        return len(self.keys) if self.weights is None else sum(self.weights)


@dataclass(slots=True)
class Parsed:
    """What a body held: drafts to accept, refusals to answer, and how many hits it named in all."""

    count: int
    drafts: list[Draft] = field(default_factory=list[Draft])
    refused: list[Refusal] = field(default_factory=list[Refusal])


def hit_from_plain(sent: SentHit) -> Hit:
    """Return a hit that was decoded from plain ASCII, where decoding has checked all but the time."""
    section = sent.sectionId
    return Hit(
        sent.brand or "",
        (
            str(sent.assetId),
            str(section) if section else _number_or_nothing(section),
            sent.resourceType or "",
            sent.paidType or "",
        ),
        None if sent.at is UNSET else moment_sent(sent.at),
        sent.id or "",
        sent.visitor or "",
        sent.url or "",
        sent.referrer or "",
        sent.client or "",
        sent.agent or "",
        sent.purpose or "",
    )


def hit_from_sent(sent: SentHit) -> Hit:
    """Return the hit, or raise Refused with the first field that is wrong."""
    asset = sent.assetId
    if isinstance(asset, int):
        asset = require_number("assetId", asset)
    elif not asset:
        raise Refused("assetId", "is empty")
    else:
        asset = require_text("assetId", asset, bytes_max=ASSET_BYTES_MAX)
    return Hit(
        brand=sent.brand or "",
        key=(
            asset,
            _section(sent.sectionId),
            _label("resourceType", sent.resourceType),
            _label("paidType", sent.paidType),
        ),
        at_ms=moment_sent(sent.at),
        id=_text("id", sent.id, ID_BYTES_MAX),
        visitor=_text("visitor", sent.visitor, ID_BYTES_MAX),
        url=_text("url", sent.url, ADDRESS_BYTES_MAX),
        referrer=_text("referrer", sent.referrer, ADDRESS_BYTES_MAX),
        client=_text("client", sent.client, CLIENT_BYTES_MAX),
        agent=_text("agent", sent.agent, AGENT_BYTES_MAX),
        purpose=_text("purpose", sent.purpose, PURPOSE_BYTES_MAX),
    )


def parsed_from_hits(hits: Iterable[tuple[int, Hit]], *, count: int) -> Parsed:
    """Group hits by brand, in the order in which they were sent."""
    brands: dict[str, tuple[list[int], list[Hit]]] = {}
    for place, hit in hits:
        places, of_brand = brands.setdefault(hit.brand, ([], []))
        places.append(place)
        of_brand.append(hit)
    drafts = [Draft(brand, [hit.key for hit in hits], places, hits) for brand, (places, hits) in brands.items()]
    return Parsed(count, drafts)


def _section(value: str | int | UnsetType | None) -> str:
    if isinstance(value, int):
        return require_number("sectionId", value)
    return _label("sectionId", value)


def _number_or_nothing(section: str | int | UnsetType | None) -> str:
    return "0" if section == 0 else ""


def _label(name: str, value: str | UnsetType | None) -> str:
    return _text(name, value, LABEL_BYTES_MAX)


def _text(name: str, value: str | UnsetType | None, bytes_max: int) -> str:
    return require_text(name, value, bytes_max=bytes_max) if isinstance(value, str) and value else ""


def moment_sent(value: str | int | UnsetType | None) -> int | None:
    """Return the event time in milliseconds; None when none was sent."""
    if value is None or isinstance(value, UnsetType):
        return None
    if isinstance(value, int):
        if not AT_MS_MIN <= value <= AT_MS_MAX:
            raise Refused("at", f"is {value}; a number must be milliseconds since 1970, up to the year 9998")
        return value
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise Refused("at", f"{value[:40]!r} is not a time like 2026-11-15T14:30:00Z") from error
    if moment.tzinfo is None:
        raise Refused("at", f"{value[:40]!r} has no zone; end it with Z or an offset like +02:00")
    at_ms = (moment - _EPOCH) // _MILLISECOND
    if not 0 <= at_ms <= AT_MS_MAX:
        raise Refused("at", f"{value[:40]!r} is not between the years 1970 and 9998")
    return at_ms
