"""Numbers for what a board has seen, so that lists are made by adding up and comparing whole numbers.

Assets and rows (one asset under one slice) are numbered in the order in which they were first seen. Nearly every
asset has one row; it is found without a search, and only the further rows of an asset are looked up by key.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.growing import Growing
from footfall.flow.serve.id_texts import IdTexts
from footfall.flow.serve.slices import Slices
from footfall.flow.serve.text_order import TextOrder
from footfall.flow.store.columns import TEXT_BIT, Columns, asset_starts, ident_of

NAMES_MAX = 50_000  # Some 100 bytes each.
ASSETS_AT_ONCE = 100_000  # some 20 MB while they are entered
NO_ROW = np.uint32(2**32 - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Entered:
    """Where the rows of some columns are in the directory."""

    rows: NDArray[np.uint32]  # per kept row of the columns, no two alike
    hits: NDArray[np.uint64]
    strange_hits: int  # of assets whose ident belongs to another text here; they have no row


@dataclass(frozen=True, slots=True, eq=False)
class Renumbering:
    """The new number of each row and slice that was kept; the others have none to be relied on."""

    rows: NDArray[np.uint32]
    slices: NDArray[np.uint32]


class Directory:
    """Every asset, slice and row of a board, with its number."""

    def __init__(self) -> None:
        self.slices = Slices()
        self.renumberings = 0  # Numbers from before the last one mean nothing any more.
        self._ident = Growing(np.empty(0, np.uint64))  # per asset
        self._first_row = Growing(np.empty(0, np.uint32))  # per asset
        self._texts = IdTexts()  # per asset, empty for numbers
        self.order = TextOrder(self.asset_text, np.empty(0, np.uint32), order_of=self._text_order)
        self._sorted_ident = np.empty(0, np.uint64)
        self._sorted_asset = np.empty(0, np.uint32)
        self._row_asset = Growing(np.empty(0, np.uint32))
        self._row_slice = Growing(np.empty(0, np.uint32))
        self._row_shared = Growing(np.empty(0, np.bool_))
        self._further_key = np.empty(0, np.uint64)  # asset and slice in one number, ascending
        self._further_row = np.empty(0, np.uint32)
        self._names: dict[int, str] = {}

    @property
    def assets(self) -> int:
        """Return how many assets have a number."""
        return len(self._ident)

    @property
    def rows(self) -> int:
        """Return how many rows have a number."""
        return len(self._row_asset)

    @property
    def text_bytes(self) -> int:
        """Return the size of all ids that are not numbers."""
        return self._texts.size

    @property
    def row_asset(self) -> NDArray[np.uint32]:
        """Return the asset of each row."""
        return self._row_asset.values

    @property
    def row_slice(self) -> NDArray[np.uint32]:
        """Return the slice of each row."""
        return self._row_slice.values

    @property
    def row_shared(self) -> NDArray[np.bool_]:
        """Return for each row whether its asset has other rows, too."""
        return self._row_shared.values

    def first_rows(self, assets: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the row of each asset that was seen first, which is the only one of nearly all."""
        return self._first_row.values.take(assets)

    def asset_text(self, asset: int) -> bytes:
        """Return the id by which the asset is known outside, as UTF-8."""
        ident = int(self._ident.values[asset])
        return self._texts.text(asset) if ident >= TEXT_BIT else b"%d" % ident

    @property
    def ids(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint8]]:
        """Return the ident of each asset; of those that are texts, where each ends, and the bytes of all of them."""
        return (self._ident.values, *self._texts.run)

    def _text_order(self, assets: NDArray[np.uint32]) -> NDArray[np.intp] | None:
        return self._texts.order(assets)

    def asset_name(self, asset: int) -> str:
        """Return the id as a text, made once for the few assets that lead lists again and again."""
        name = self._names.get(asset)
        if name is None:
            if len(self._names) >= NAMES_MAX:
                self._names.clear()
            name = self._names[asset] = self.asset_text(asset).decode()
        return name

    def asset_of(self, name: str) -> int | None:
        """Return the asset that is known outside by this id, None when it was not seen."""
        found = self.assets_with(np.array([ident_of(name)], np.uint64))
        return int(found[0]) if len(found) and self.asset_name(int(found[0])) == name else None

    def assets_with(self, idents: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Return the assets that have one of these idents; those that were not seen are left out."""
        places = np.searchsorted(self._sorted_ident, idents)
        within = places < len(self._sorted_ident)
        places, idents = places[within], idents[within]
        return self._sorted_asset[places[self._sorted_ident[places] == idents]]

    def enter(self, columns: Columns) -> Entered:
        """Give numbers to everything in the columns that has none, and return the numbers of its rows."""
        starts = asset_starts(columns)
        row_slices = self.slices.numbers(columns.slices)
        # Some at a time: what is needed on the way takes several times the memory of what comes of it.
        entered = [
            self._enter(
                columns, starts[at : at + ASSETS_AT_ONCE], _end_of(starts, at + ASSETS_AT_ONCE, columns), row_slices
            )
            for at in range(0, len(starts), ASSETS_AT_ONCE)
        ]
        if len(entered) == 1:
            return entered[0]
        return Entered(
            rows=np.concatenate([np.empty(0, np.uint32), *(one.rows for one in entered)]),
            hits=np.concatenate([np.empty(0, np.uint64), *(one.hits for one in entered)]),
            strange_hits=sum(one.strange_hits for one in entered),
        )

    def _enter(
        self, columns: Columns, starts: NDArray[np.intp], end: int, slice_numbers: NDArray[np.uint32]
    ) -> Entered:
        """Enter the assets whose rows start there; the last one's end before the row given."""
        assets, is_strange = self._assets(columns, columns.ident[starts])
        sizes = np.diff(starts, append=end)
        rows = slice(int(starts[0]), end)
        row_assets = np.repeat(assets, sizes)
        row_slices, hits, strange_hits = slice_numbers[columns.slice_no[rows]], columns.hits[rows], 0
        if is_strange.any():
            is_kept = ~np.repeat(is_strange, sizes)
            strange_hits = int(hits[~is_kept].sum())
            row_assets, row_slices, hits = row_assets[is_kept], row_slices[is_kept], hits[is_kept]
        return Entered(rows=self._rows(row_assets, row_slices), hits=hits, strange_hits=strange_hits)

    def rank_new_assets(self) -> None:
        """Bring the order of ids up to date, when enough assets are new."""
        self.order.catch_up(self._ident.values)

    def rank_all_assets(self) -> None:
        """Bring the order of ids up to date, however few assets are new."""
        self.order.catch_up(self._ident.values, unranked_max=0)

    def _assets(self, columns: Columns, idents: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """Return the asset of each ident, and whether its text is another than the one known here."""
        places = np.searchsorted(self._sorted_ident, idents)
        is_known = np.zeros(len(idents), np.bool_)
        within = places < len(self._sorted_ident)
        is_known[within] = self._sorted_ident[places[within]] == idents[within]
        is_text = idents >= np.uint64(TEXT_BIT)
        text_no = np.searchsorted(columns.text_ident, idents)

        assets = np.empty(len(idents), np.uint32)
        assets[is_known] = self._sorted_asset[places[is_known]]
        is_strange = np.zeros(len(idents), np.bool_)
        compared = np.flatnonzero(is_known & is_text)
        is_strange[compared] = ~self._texts.are_equal(assets[compared], columns.texts, text_no[compared])

        is_new = ~is_known
        assets[is_new] = np.arange(self.assets, self.assets + np.count_nonzero(is_new), dtype=np.uint32)
        self._texts.extend(columns.texts, np.where(is_text, text_no, -1)[is_new])
        self._ident.extend(idents[is_new])
        self._first_row.extend(np.full(np.count_nonzero(is_new), NO_ROW))
        self._sorted_ident = np.insert(self._sorted_ident, places[is_new], idents[is_new])
        self._sorted_asset = np.insert(self._sorted_asset, places[is_new], assets[is_new])
        return assets, is_strange

    def _rows(self, assets: NDArray[np.uint32], slices: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the row of each asset and slice; the rows of one asset follow each other."""
        rows = self._first_row.values[assets]
        has_row = np.flatnonzero(rows != NO_ROW)
        is_found = np.zeros(len(rows), np.bool_)
        is_found[has_row] = self.row_slice[rows[has_row]] == slices[has_row]

        further = np.flatnonzero(~is_found)
        keys = _row_key(assets[further], slices[further])
        places = np.searchsorted(self._further_key, keys)
        within = places < len(self._further_key)
        is_known = np.zeros(len(further), np.bool_)
        is_known[within] = self._further_key[places[within]] == keys[within]
        rows[further[is_known]] = self._further_row[places[is_known]]

        new = further[~is_known]
        is_first = rows[new] == NO_ROW
        is_first[1:] &= assets[new][1:] != assets[new][:-1]
        rows[new] = np.arange(self.rows, self.rows + len(new), dtype=np.uint32)
        self._add_rows(rows[new], assets[new], slices[new], is_first)
        return rows

    def _add_rows(
        self,
        rows: NDArray[np.uint32],
        assets: NDArray[np.uint32],
        slices: NDArray[np.uint32],
        is_first: NDArray[np.bool_],
    ) -> None:
        self._row_asset.extend(assets)
        self._row_slice.extend(slices)
        self._row_shared.extend(~is_first)
        self._first_row.values[assets[is_first]] = rows[is_first]
        is_further = ~is_first
        self.row_shared[self._first_row.values[assets[is_further]]] = True
        keys = _row_key(assets[is_further], slices[is_further])
        order = np.argsort(keys)
        places = np.searchsorted(self._further_key, keys[order])
        self._further_key = np.insert(self._further_key, places, keys[order])
        self._further_row = np.insert(self._further_row, places, rows[is_further][order])

    def compact(self, is_live: NDArray[np.bool_], is_slice_live: NDArray[np.bool_]) -> Renumbering:
        """Forget all rows but the live ones, and the assets and slices that have none, and number the rest anew."""
        self.renumberings += 1
        is_asset_live = np.zeros(self.assets, np.bool_)
        is_asset_live[self.row_asset[is_live]] = True
        is_slice_live = is_slice_live.copy()
        is_slice_live[self.row_slice[is_live]] = True
        new_slice, new_asset = _new_numbers(is_slice_live), _new_numbers(is_asset_live)
        assets, slices = new_asset[self.row_asset[is_live]], new_slice[self.row_slice[is_live]]

        is_kept = is_asset_live[self._sorted_asset]
        self._sorted_ident = self._sorted_ident[is_kept]
        self._sorted_asset = new_asset[self._sorted_asset[is_kept]]
        self._ident = Growing(self._ident.values[is_asset_live])
        self._texts = self._texts.kept(is_asset_live)
        self.slices = self.slices.kept(is_slice_live)
        order = self.order.order
        self.order = TextOrder(self.asset_text, new_asset[order[is_asset_live[order]]], order_of=self._text_order)

        self._first_row = Growing(np.full(len(self._ident), NO_ROW))
        self._row_asset, self._row_slice = Growing(np.empty(0, np.uint32)), Growing(np.empty(0, np.uint32))
        self._row_shared = Growing(np.empty(0, np.bool_))
        self._further_key, self._further_row = np.empty(0, np.uint64), np.empty(0, np.uint32)
        is_first = np.zeros(len(assets), np.bool_)
        is_first[np.unique(assets, return_index=True)[1]] = True
        self._add_rows(np.arange(len(assets), dtype=np.uint32), assets, slices, is_first)
        return Renumbering(rows=_new_numbers(is_live), slices=new_slice)


def _end_of(starts: NDArray[np.intp], asset: int, columns: Columns) -> int:
    """Return the row at which the rows of the assets before this one end."""
    return int(starts[asset]) if asset < len(starts) else len(columns.ident)


def _row_key(assets: NDArray[np.uint32], slices: NDArray[np.uint32]) -> NDArray[np.uint64]:
    return (assets.astype(np.uint64) << np.uint64(32)) | slices


def _new_numbers(is_kept: NDArray[np.bool_]) -> NDArray[np.uint32]:
    return np.cumsum(is_kept, dtype=np.uint32) - np.uint32(1)
