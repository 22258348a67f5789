"""How many visitors the assets, the sections and the whole of a window had, as it is stored.

Beside the summaries, in items of their own: sketches of sets, which are united when they are read. To unite the same
twice changes nothing, so that no order of writes has to be kept, a piece that is written again or left behind does no
harm, and pieces are put together by writing the whole first and removing them then. docs/formats/store.md draws them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from xxhash import xxh3_64_intdigest

from footfall.flow.store import keys
from footfall.ports.errors import Corrupt
from footfall.ports.table import Delete, Found, Key, Put, Table, everything
from footfall.sketches.errors import NotASketch
from footfall.sketches.grouped import GroupedUniques, merge_grouped, picked
from footfall.sketches.grouped_bytes import bytes_from_grouped, grouped_checksum, grouped_from_bytes
from footfall.values.window import Window

PIECE_BYTES_MAX = 300_000  # as a summary's block


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of a window's visitors, as one item holds them."""

    key: Key
    sketches: GroupedUniques

    @property
    def part(self) -> str:
        """The part of the window that wrote it."""
        return keys.part_from_visitors(self.key)


def group_of_asset(asset: str) -> int:
    """Return the number under which an asset's visitors are kept."""
    return _group("a", asset)


def group_of_section(section: str) -> int:
    """Return the number under which the visitors of a section are kept; an empty text: those of hits without one."""
    return _group("s", section)


def save_visitors(  # noqa: PLR0913 - whose they are, who wrote them, how far, and for how long
    table: Table, brand: str, window: Window, sketches: GroupedUniques, *, part: str, through: int, expires_at_ms: int
) -> list[Piece]:
    """Write what a part has found; return the pieces, which are added to what is there."""
    pieces: list[Piece] = []
    for n, (data, some) in enumerate(_in_pieces(sketches)):
        key = keys.visitors(brand, window, part=part, through=through, checksum=grouped_checksum(data), n=n)
        table.put(Put(key, {"sketches": data}, expires_at_ms=expires_at_ms))
        pieces.append(Piece(key, some))
    return pieces


def load_pieces(table: Table, brand: str, window: Window) -> list[Piece]:
    """Return all that is known of a window's visitors, piece by piece."""
    found = everything(table, keys.partition(brand, window), at_least=keys.VISITORS_FROM, at_most=keys.VISITORS_TO)
    return [_piece_from(one) for one in found]


def load_visitors(table: Table, brand: str, window: Window) -> GroupedUniques:
    """Return the visitors of a window; none when none are known."""
    return merge_grouped([piece.sketches for piece in load_pieces(table, brand, window)])


def remove_pieces(table: Table, pieces: Iterable[Piece]) -> None:
    """Remove pieces whose visitors are known by others, too, or are to be forgotten."""
    for piece in pieces:
        table.delete(Delete(piece.key))


def _group(kind: str, text: str) -> int:
    """Return a number for a text; that two of them share one is as likely as not among five thousand million."""
    number = xxh3_64_intdigest(f"{kind}{text}".encode())
    return number - (1 << 64) if number >> 63 else number


BRAND_GROUP = _group("b", "")  # of all visitors of the brand


def _in_pieces(sketches: GroupedUniques) -> Iterator[tuple[bytes, GroupedUniques]]:
    """Yield the sketches as bytes, in halves of their groups where they are too many for one item."""
    data = bytes_from_grouped(sketches)
    if len(data) <= PIECE_BYTES_MAX or len(sketches) == 1:
        yield data, sketches
        return
    groups = np.arange(len(sketches))
    for half in np.array_split(groups, 2):
        yield from _in_pieces(picked(sketches, half))


def _piece_from(found: Found) -> Piece:
    data = found.item.get("sketches")
    if not isinstance(data, bytes):
        raise Corrupt(f"{_where(found.key)} has no sketches; count its window again")
    try:
        return Piece(found.key, grouped_from_bytes(data))
    except NotASketch as error:
        raise Corrupt(f"{_where(found.key)} is damaged: {error}") from error


def _where(key: Key) -> str:
    return f"{key.partition} {key.sort}"
