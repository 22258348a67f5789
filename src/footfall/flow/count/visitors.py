"""The visitors of one shard's windows: how what a flush has met is written, and put together again.

A flush writes a piece for each window. Twice a second, that would leave a hundred of them in a minute; so the last
ones are kept in hand and united like the digits of a binary counter: each visitor is written a few times, and a window
has a few pieces. Pieces are unions, so one that is written again or by somebody else changes nothing.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

from footfall.flow.count.place_tally import GroupOf
from footfall.flow.store import keys
from footfall.flow.store.visitors import (
    PIECE_BYTES_MAX,
    Piece,
    group_of_asset,
    piece_keys,
    pieces_of,
    remove_keys,
    save_visitors,
    unite_pieces,
)
from footfall.ports.errors import Changed
from footfall.ports.table import Table
from footfall.sketches.grouped import GroupedUniques, merge_grouped, no_groups, weight_bytes
from footfall.values.window import Window

HELD_BYTES_MAX = 8_000_000  # Pieces in hand; a window that is let go begins with none.
AT_ONCE_BYTES_MAX = 16_000_000  # What is united in memory; beyond it, a window is written in several unions.
GROUPS_KNOWN_MAX = 100_000  # Some 200 bytes each.
FREE_PIECES = 4  # Where each write costs money, so many pieces are cheaper to read than to put together.
TOGETHER_MAX = 50  # pieces at a time
LARGER_MAX = 2  # A piece is united with one that is at most so many times as large.

WindowKey = tuple[str, Window]  # brand, window


class Visitors:
    """Reads and writes what one shard knows of its windows' visitors."""

    def __init__(
        self,
        table: Table,
        shard: int,
        *,
        expires_at_ms: Callable[[Window], int],
        is_on: bool = True,
        is_shared: bool = False,
    ) -> None:
        self._table = table
        self._part = keys.shard_name(shard)
        self._expires_at_ms = expires_at_ms
        self._is_on = is_on
        self._pieces_min = FREE_PIECES if is_shared else 0
        self._held: OrderedDict[WindowKey, list[Piece]] = OrderedDict()
        self._held_bytes = 0
        self.group_of_asset: GroupOf = lru_cache(maxsize=GROUPS_KNOWN_MAX)(group_of_asset)

    def add(self, brand: str, window: Window, sketches: GroupedUniques, *, through: int) -> None:
        """Add what a flush has met to a window."""
        if not len(sketches):
            return
        pieces = self._held.get((brand, window), [])
        last = len(pieces)
        whole, size = sketches, weight_bytes(sketches)
        while last > self._pieces_min and _goes_with(weight_bytes(pieces[last - 1].sketches), size):
            last -= 1
            whole = merge_grouped([pieces[last].sketches, whole])
            size = weight_bytes(whole)
        if last == len(pieces):
            made = self._save(brand, window, sketches, through)
        else:
            try:
                made = self._unite(brand, window, whole, pieces[last:], through)
            except Changed:  # Somebody else has put them together, or counted them again.
                last, made = 0, self._save(brand, window, sketches, through)
        self._hold((brand, window), [*pieces[:last], *made])

    def gather(self, brand: str, window: Window, *, through: int) -> None:
        """Put the small pieces of a window together, wherever flushes of a long time have left many."""
        pieces = list(pieces_of(self._table, brand, window, part=self._part)) if self._is_on else []
        some: list[Piece] = []
        size = 0
        for piece in pieces if len(pieces) > FREE_PIECES else []:
            weight = weight_bytes(piece.sketches)
            if some and (size + weight > PIECE_BYTES_MAX or len(some) == TOGETHER_MAX):
                self._gather(brand, window, some, through)
                some, size = [], 0
            some.append(piece)
            size += weight
        self._gather(brand, window, some, through)
        self.forget(brand, window)

    def _gather(self, brand: str, window: Window, pieces: Sequence[Piece], through: int) -> None:
        if len(pieces) > 1:
            with suppress(Changed):  # Somebody else has put them together meanwhile.
                self._unite(brand, window, merge_grouped([piece.sketches for piece in pieces]), pieces, through)

    def of_windows(self, brand: str, windows: Iterable[Window]) -> Iterator[GroupedUniques]:
        """Yield what the shard knows of the visitors of windows, piece by piece."""
        if self._is_on:
            for window in windows:
                for piece in pieces_of(self._table, brand, window, part=self._part):
                    yield piece.sketches

    def write(self, brand: str, window: Window, sketches: GroupedUniques, *, through: int) -> None:
        """Write visitors of a window that is built of others, beside whatever is known of it."""
        if len(sketches):
            self._save(brand, window, sketches, through)

    def replace(self, brand: str, window: Window, sketches: GroupedUniques, *, through: int) -> None:
        """Write all visitors of a window, and remove what the shard knew of it up to the same record."""
        made = self._save(brand, window, sketches, through) if len(sketches) else []
        written = {piece.key for piece in made}
        mine = [key for key in piece_keys(self._table, brand, window) if keys.part_from_visitors(key) == self._part]
        # What another has written since holds records that were not read here.
        old = [key for key in mine if key not in written and keys.through_of_visitors(key) <= through]
        remove_keys(self._table, old)
        self.forget(brand, window)

    def forget(self, brand: str, window: Window) -> None:
        """Let go of a window that somebody else wrote."""
        for piece in self._held.pop((brand, window), ()):
            self._held_bytes -= weight_bytes(piece.sketches)

    def clear(self) -> None:
        """Let go of everything, for what was in hand may not be what is stored."""
        self._held.clear()
        self._held_bytes = 0

    def _unite(
        self, brand: str, window: Window, whole: GroupedUniques, replaces: Sequence[Piece], through: int
    ) -> list[Piece]:
        return unite_pieces(
            self._table, brand, window, whole, replaces=replaces, part=self._part, through=through,
            expires_at_ms=self._expires_at_ms(window),
        )  # fmt: skip

    def _save(self, brand: str, window: Window, sketches: GroupedUniques, through: int) -> list[Piece]:
        return save_visitors(
            self._table, brand, window, sketches, part=self._part, through=through,
            expires_at_ms=self._expires_at_ms(window),
        )  # fmt: skip

    def _hold(self, key: WindowKey, pieces: Sequence[Piece]) -> None:
        self.forget(*key)
        self._held[key] = list(pieces)
        self._held_bytes += sum(weight_bytes(piece.sketches) for piece in pieces)
        while self._held_bytes > HELD_BYTES_MAX:
            self.forget(*next(iter(self._held)))


class Union:
    """Visitors on their way into a longer window, written whenever there is too much of them for the memory."""

    def __init__(self, write: Callable[[GroupedUniques], object]) -> None:
        self._write = write
        self._united = no_groups()

    def add(self, some: Iterable[GroupedUniques]) -> None:
        """Take in some more."""
        aside: list[GroupedUniques] = []
        aside_bytes = 0
        for sketches in some:
            aside.append(sketches)
            aside_bytes += weight_bytes(sketches)
            if aside_bytes > AT_ONCE_BYTES_MAX:
                self._unite(aside)
                aside, aside_bytes = [], 0
        self._unite(aside)

    def close(self) -> None:
        """Write what is in hand."""
        if len(self._united):
            self._write(self._united)
        self._united = no_groups()

    def _unite(self, some: Sequence[GroupedUniques]) -> None:
        self._united = merge_grouped([self._united, *some])
        if weight_bytes(self._united) > AT_ONCE_BYTES_MAX:
            self.close()


def _goes_with(size: int, other: int) -> bool:
    return size <= LARGER_MAX * other and size + other <= PIECE_BYTES_MAX
