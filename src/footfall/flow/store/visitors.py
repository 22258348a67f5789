"""How many visitors the assets, the sections and the whole of a window had, as it is stored.

Beside the summaries, in items of their own: sketches of sets, which are united when they are read. To unite the same
twice changes nothing, so that no order of writes has to be kept, a piece that is written again or left behind does no
harm, and pieces are put together by writing the whole first and removing them then. docs/formats/store.md draws them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from footfall.flow.store import keys
from footfall.flow.store.columns import Columns, asset_text, assets_of
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.table import BATCH_ITEMS_MAX, Delete, Found, Key, Present, Put, Table, everything
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
    return list(pieces_of(table, brand, window))


def pieces_of(table: Table, brand: str, window: Window, *, part: str | None = None) -> Iterator[Piece]:
    """Yield what is known of a window's visitors, all or what one part wrote, without holding it all at once."""
    at_least = keys.VISITORS_FROM if part is None else f"{keys.VISITORS_FROM}{part}#"
    at_most = keys.VISITORS_TO if part is None else f"{keys.VISITORS_FROM}{part}#~"
    for found in everything(table, keys.partition(brand, window), at_least=at_least, at_most=at_most):
        yield _piece_from(found)


def unite_pieces(  # noqa: PLR0913 - as save_visitors, and what they replace
    table: Table,
    brand: str,
    window: Window,
    sketches: GroupedUniques,
    *,
    replaces: Sequence[Piece],
    part: str,
    through: int,
    expires_at_ms: int,
) -> list[Piece]:
    """Write what a part has found in the place of pieces that it holds as well, or raise Changed when one has gone.

    No transaction: between any two writes more is known than was met, never less. Whoever finds a piece gone, because
    somebody else has put it together or counted it again, puts back what it has removed and takes its own away.
    """
    made = save_visitors(table, brand, window, sketches, part=part, through=through, expires_at_ms=expires_at_ms)
    kept = {piece.key for piece in made}
    removed: list[Piece] = []
    try:
        for piece in replaces:
            if piece.key not in kept:
                table.delete(Delete(piece.key, expects=(Present(),)))
                removed.append(piece)
    except Changed:
        for piece in removed:
            table.put(Put(piece.key, {"sketches": bytes_from_grouped(piece.sketches)}, expires_at_ms=expires_at_ms))
        old = {piece.key for piece in replaces}
        remove_keys(table, [key for key in kept if key not in old])
        raise
    return made


def load_visitors(table: Table, brand: str, window: Window) -> GroupedUniques:
    """Return the visitors of a window; none when none are known."""
    return merge_grouped([piece.sketches for piece in load_pieces(table, brand, window)])


def remove_pieces(table: Table, pieces: Iterable[Piece]) -> None:
    """Remove pieces whose visitors are known by others, too, or are to be forgotten."""
    remove_keys(table, [piece.key for piece in pieces])


def piece_keys(table: Table, brand: str, window: Window) -> list[Key]:
    """Return where the pieces of a window lie, whether they can be read or not."""
    found = everything(table, keys.partition(brand, window), at_least=keys.VISITORS_FROM, at_most=keys.VISITORS_TO)
    return [one.key for one in found]


def remove_keys(table: Table, pieces: Sequence[Key]) -> None:
    """Remove pieces by where they lie."""
    for start in range(0, len(pieces), BATCH_ITEMS_MAX):
        table.write([Delete(key) for key in pieces[start : start + BATCH_ITEMS_MAX]])


def kept_groups(columns: Columns) -> NDArray[np.int64] | None:
    """Return the groups of a window that was cut: assets that have rows, all sections, and the brand; None: all."""
    if not columns.cuts.any_asset:
        return None
    labels = {*columns.slices, *columns.cuts.per_slice}
    assets = [group_of_asset(asset_text(columns, ident)) for ident in assets_of(columns).tolist()]
    sections = {group_of_section(label.section) for label in labels}
    return np.unique(np.array([*assets, *sections, BRAND_GROUP], np.int64))


def only_groups(sketches: GroupedUniques, kept: NDArray[np.int64] | None) -> GroupedUniques:
    """Return the sketches of some groups; None: of all."""
    return sketches if kept is None else picked(sketches, np.flatnonzero(np.isin(sketches.groups, kept)))


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
