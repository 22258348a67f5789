"""The move item: what the table knows of an entity that is being moved, in one item beside those it became."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import msgspec
import zstandard

from footfall.ports.items import Item
from footfall.ports.relational import EPOCH_STEP, Cell, Document, Row, Side
from footfall.ports.table import Key

PACKED_FROM_BYTES = 50_000  # An item holds 400 KB; small documents stay readable.
_ZSTANDARD = b"\x28\xb5\x2f\xfd"  # how its frames begin, and no JSON

Items = Mapping[Key, Item]


class Shape(Protocol):
    """Which items an entity becomes: a pure function of its document, so that the same rows are the same items."""

    def items(self, key: str, document: Document) -> Items:
        """Return the entity's items, or raise Refused with the field that cannot be moved and why."""
        ...


@dataclass(frozen=True, slots=True)
class Moved:
    """What the table says of an entity."""

    fence: int
    side: Side
    epoch: int
    document: Document | None  # None: there is no such entity, and once was
    keys: tuple[Key, ...] = ()  # of its items, so that those are removed that it has no more
    refused: str = ""  # why it has no items, though there is such an entity: it was set aside


def fence_of(epoch: int, clock: int) -> int:
    """Return the number that orders everything that is ever written of an entity."""
    assert 0 <= clock < EPOCH_STEP
    return epoch * EPOCH_STEP + clock


def clock_of(fence: int) -> int:
    """Return the clock within its epoch."""
    return fence % EPOCH_STEP


def bytes_of(document: Document) -> bytes:
    """Return a document as canonical JSON: the same rows are the same bytes."""
    plain = {
        "root": _plain_row(document.root),
        "parts": {name: [_plain_row(row) for row in rows] for name, rows in document.parts.items()},
    }
    return msgspec.json.encode(plain, order="deterministic")


def document_from(content: bytes) -> Document:
    """Return the document that canonical JSON stands for."""
    plain: dict[str, Any] = msgspec.json.decode(content)
    parts = {name: tuple(_row_from(row) for row in rows) for name, rows in plain["parts"].items()}
    return Document(_row_from(plain["root"]), parts)


def digest_of(document: Document | None) -> str:
    """Return a digest of all of an entity's rows; there being none has one, too."""
    return hashlib.sha256(b"" if document is None else bytes_of(document)).hexdigest()


def item_of(moved: Moved) -> Item:
    """Return a move item as the table holds it."""
    content = b"" if moved.document is None else bytes_of(moved.document)
    item: dict[str, Any] = {
        "fence": moved.fence,
        "side": moved.side.value,
        "epoch": moved.epoch,
        "digest": hashlib.sha256(content).hexdigest(),
        "keys": [f"{key.partition}\n{key.sort}" for key in sorted(moved.keys)],
    }
    if moved.document is not None:
        item["document"] = _packed(content)
    if moved.refused:
        item["refused"] = moved.refused
    return item


def moved_from(item: Item) -> Moved:
    """Return what a move item says."""
    fields = cast("Mapping[str, Any]", item)
    content = fields.get("document")
    keys = tuple(Key(*text.split("\n", 1)) for text in fields["keys"])
    document = None if content is None else document_from(unpacked(content))
    return Moved(fields["fence"], Side(fields["side"]), fields["epoch"], document, keys, fields.get("refused", ""))


def unpacked(content: bytes) -> bytes:
    """Return the canonical JSON of a document that was packed because it is large."""
    return zstandard.ZstdDecompressor().decompress(content) if content.startswith(_ZSTANDARD) else content


def _packed(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(content) if len(content) > PACKED_FROM_BYTES else content


def _plain_row(row: Row) -> dict[str, Any]:
    return {name: {"bytes": cell.hex()} if isinstance(cell, bytes) else cell for name, cell in row.items()}


def _row_from(plain: Mapping[str, Any]) -> Row:
    return {name: _cell_from(value) for name, value in plain.items()}


def _cell_from(value: Any) -> Cell:
    return bytes.fromhex(cast("dict[str, str]", value)["bytes"]) if isinstance(value, dict) else value
