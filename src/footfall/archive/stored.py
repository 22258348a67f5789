"""Requests, captures and their lines as they lie in the table, and as they come back from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from msgspec import convert, to_builtins

from footfall.archive.captures import Capture, Kept, Request, Tombstone
from footfall.ports.items import Item

CAPTURE, TOMBSTONE = "capture", "tombstone"  # what lies under a capture's id
DAY_US = 86_400_000_000
_ID_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: none is taken for another
_ID_RANDOM_BYTES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What a list shows of a capture."""

    id: str
    at_us: int
    url: str
    final_url: str
    title: str
    status: int
    height_px: int
    thumbnail: str  # the hash of its bytes
    by: str
    is_shared: bool = False  # It lies in the brand's space, so that all members see it.
    is_held: bool = False
    same_as: str | None = None


def new_id(*, now_ms: int, random: bytes) -> str:
    """Return an id of 26 characters that rises with time, made of the moment and of 10 random bytes."""
    assert len(random) == _ID_RANDOM_BYTES
    number = now_ms << 80 | int.from_bytes(random)
    return "".join(_ID_LETTERS[number >> shift & 31] for shift in range(125, -1, -5))


def day_of(at_us: int) -> str:
    """Return the day of a moment, in UTC: the same for everybody who looks at it."""
    return datetime.fromtimestamp(at_us // 1_000_000, tz=UTC).date().isoformat()


def item_of(one: Request | Capture | Line) -> dict[str, Any]:
    """Return an item that a table can hold."""
    return cast("dict[str, Any]", to_builtins(one))


def request_from(item: Item) -> Request:
    """Return the request that an item holds."""
    return convert(dict(item), type=Request)


def line_from(item: Item) -> Line:
    """Return the line that an item holds."""
    return convert(dict(item), type=Line)


def record_from(item: Item) -> Capture | Tombstone:
    """Return the capture that an item holds, or what stayed of it."""
    return convert(dict(item), type=Tombstone if item["kind"] == TOMBSTONE else Capture)


def item_of_record(one: Capture | Tombstone) -> Mapping[str, Any]:
    """Return the item under a capture's id."""
    kind = TOMBSTONE if isinstance(one, Tombstone) else CAPTURE
    return {**cast("dict[str, Any]", to_builtins(one)), "kind": kind}


def line_of(capture: Capture) -> Line:
    """Return what lists show of a capture."""
    return Line(
        id=capture.id, at_us=capture.at_us, url=capture.url, final_url=capture.final_url, title=capture.title,
        status=capture.status, height_px=capture.height_px, thumbnail=capture.thumbnail.sha256, by=capture.by,
        is_shared=any(one.startswith("brand:") for one in capture.spaces), is_held=capture.held_by is not None,
        same_as=capture.same_as,
    )  # fmt: skip


def blobs_of(capture: Capture) -> Sequence[Kept]:
    """Return all bytes that a capture names itself, each once; bodies that its pack names are not among them."""
    named = [*(tile.blob for tile in capture.tiles), capture.thumbnail, capture.html, capture.text, capture.records]
    return list({one.sha256: one for one in named}.values())
