"""A summary's counts as columns: which assets were seen, under which labels, how often.

A row is one asset under one slice (a combination of labels). Rows are ordered by (ident, slice), which
makes equal content equal bytes, and merging a matter of sorting whole numbers.

An asset's *ident* is 64 bits. The canonical decimal of a number below 2**63 is its own ident, so numeric
ids need no text at all. Any other id has the top bit set over 63 bits of its XXH3 hash, and its text is
kept beside it; two texts with one ident are told apart by comparing the texts.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

TEXT_BIT = 1 << 63  # Set in the ident of every asset that is not a number.
SHARED_SLICES_MAX = 20_000  # Some 300 bytes each.
SLICE_BITS = 16
SLICES_MAX = 1 << SLICE_BITS  # What slice_no can tell apart; the limit per window is far lower.
PLACED_IDENT_MAX = 1 << (64 - SLICE_BITS)  # Idents from here on, those of texts among them, leave no room for a slice.
RUNS_AT_ONCE = 20_000  # of texts that are put in another order: some 3 MB while they are

# Asset, section, resource type, paid type; and the label of whoever is no person.
CountKey = tuple[str, str, str, str] | tuple[str, str, str, str, str]
SCREENED_FIELDS = 5  # of the key of a hit that is no person's
TextHash = Callable[[bytes], int]


def screened_key(key: tuple[str, str, str, str], label: str) -> CountKey:
    """Return what a hit is counted under whose sender has this label; that of persons is no label."""
    return (*key, label) if label else key


class Slice(NamedTuple):
    """One combination of labels; an empty text is a label that was not sent."""

    section: str
    resource_type: str
    paid_type: str
    label: str = ""  # what screening calls whoever came; empty: a person


@dataclass(frozen=True, slots=True)
class Texts:
    """Many texts in one run of bytes (UTF-8): text i lies between offset i and offset i + 1."""

    blob: bytes
    offsets: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Cuts:
    """What a cut left out: the highest count per slice, the highest total of any one asset, and all hits per slice.

    In a window that was cut, an asset is wholly in or wholly out, so its rows are true. Windows that were
    merged after a cut have assets that are in from one and out from another: then `reaches_kept` is set, and
    the bounds hold for every asset, listed or not.
    """

    per_slice: dict[Slice, int]
    any_asset: int
    reaches_kept: bool = False
    left_out: dict[Slice, int] = field(default_factory=dict[Slice, int])  # A slice of per_slice may lack: not known.


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Counts of one window: rows ordered by (ident, slice_no), no two alike."""

    slices: tuple[Slice, ...]  # in ascending order, each with a row at least; slice_no counts into it
    ident: NDArray[np.uint64]  # per row
    slice_no: NDArray[np.uint16]  # per row
    hits: NDArray[np.uint64]  # per row, at least 1
    text_ident: NDArray[np.uint64]  # idents with the top bit set, each once, ascending
    texts: Texts  # their texts, in that order
    other: int = 0  # hits of persons that found no row because a limit was reached
    other_screened: int = 0  # the same of all who are no persons
    cuts: Cuts = field(default_factory=lambda: Cuts(per_slice={}, any_asset=0))


class Row(NamedTuple):
    """One asset under one slice, for people and tests."""

    asset: str
    slice: Slice
    hits: int


EMPTY = Columns(
    slices=(),
    ident=np.zeros(0, np.uint64),
    slice_no=np.zeros(0, np.uint16),
    hits=np.zeros(0, np.uint64),
    text_ident=np.zeros(0, np.uint64),
    texts=Texts(blob=b"", offsets=np.zeros(1, np.uint32)),
)


def ident_of(asset: str, text_hash: TextHash = xxh3_64_intdigest) -> int:
    """Return the 64 bits that stand for an asset."""
    if asset.isdigit() and asset.isascii() and len(asset) < 20 and (asset[0] != "0" or asset == "0"):
        number = int(asset)
        if number < TEXT_BIT:
            return number
    return text_hash(asset.encode()) | TEXT_BIT


def placed(ident: NDArray[np.uint64], slice_no: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Return an ident below PLACED_IDENT_MAX and a slice as one number each, by which rows are ordered."""
    return (ident << np.uint64(SLICE_BITS)) | slice_no.astype(np.uint64)


_shared: dict[tuple[str, ...], Slice] = {}


def shared_slices(labels: Iterable[Sequence[str]]) -> tuple[Slice, ...]:
    """Return slices that all columns share: hundreds of windows in hand have the same hundreds of labels."""
    if len(_shared) >= SHARED_SLICES_MAX:
        _shared.clear()
    keys = [*map(tuple, labels)]
    try:
        return tuple(map(_shared.__getitem__, keys))
    except KeyError:
        return tuple([_shared.setdefault(key, Slice(*key)) for key in keys])


class CountsInColumns(Mapping[CountKey, int]):
    """Counts that know what they are as columns."""

    @abstractmethod
    def columns(self) -> Columns | None:
        """Return the counts as columns; None when that takes a look at each key."""


def columns_from_counts(counts: Mapping[CountKey, int], *, text_hash: TextHash = xxh3_64_intdigest) -> Columns:
    """Return the counts as columns; of two texts with one ident the first keeps it, the other's hits go to `other`."""
    if isinstance(counts, CountsInColumns) and text_hash is xxh3_64_intdigest:
        columns = counts.columns()
        if columns is not None:
            return columns
    if 0 in counts.values():
        counts = {key: hits for key, hits in counts.items() if hits}
    if not counts:
        return EMPTY
    assets = [key[0] for key in counts]
    ident = np.fromiter((ident_of(asset, text_hash) for asset in assets), np.uint64, len(assets))
    slices, slice_no = _numbered_slices(counts)
    hits = np.fromiter(counts.values(), np.uint64, len(assets))
    order = np.lexsort((slice_no, ident))
    is_row = _owns_ident(assets, ident, order) & (slice_no < SLICES_MAX)
    if is_row.all():
        other = other_screened = 0
    else:
        is_screened = np.fromiter((len(key) == SCREENED_FIELDS for key in counts), np.bool_, len(assets))
        other = int(hits[~is_row & ~is_screened].sum())
        other_screened = int(hits[~is_row & is_screened].sum())
    order = order[is_row[order]]
    text_rows = order[ident[order] >= np.uint64(TEXT_BIT)]
    text_ident, first = np.unique(ident[text_rows], return_index=True)
    first_rows: list[int] = text_rows[first].tolist()
    columns = Columns(
        slices=slices[:SLICES_MAX],
        ident=ident[order],
        slice_no=slice_no[order].astype(np.uint16),
        hits=hits[order],
        text_ident=text_ident,
        texts=texts_from([assets[at].encode() for at in first_rows]),
        other=other,
        other_screened=other_screened,
    )
    # Rows that found no place may have been the only ones of their slice.
    return columns if is_row.all() else rows_where(columns, np.ones(len(order), np.bool_))


def _numbered_slices(counts: Iterable[CountKey]) -> tuple[tuple[Slice, ...], NDArray[np.int64]]:
    """Return the slices in order, and which of them each key has."""
    # Three texts sort before the same three with a label, as the slices do that they become.
    seen: dict[tuple[str, ...], int] = {}
    seen_no = [seen.setdefault(key[1:], len(seen)) for key in counts]
    slices = sorted(seen)
    number = np.empty(len(slices), np.int64)
    number[[seen[label] for label in slices]] = np.arange(len(slices))
    return shared_slices(slices), number[seen_no]


def _owns_ident(assets: Sequence[str], ident: NDArray[np.uint64], order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell of each asset whether it was the first with its ident, or is the same asset as that."""
    owns = np.ones(len(assets), np.bool_)
    by_ident = ident[order]
    twice = np.flatnonzero(by_ident[1:] == by_ident[:-1])
    pairs = zip(order[twice].tolist(), order[twice + 1].tolist(), strict=True)
    if all(assets[one] == assets[two] for one, two in pairs):
        return owns
    first: dict[int, str] = {}
    for at, (asset, its_ident) in enumerate(zip(assets, ident.tolist(), strict=True)):
        owns[at] = first.setdefault(its_ident, asset) == asset
    return owns


def are_screened(columns: Columns) -> NDArray[np.bool_]:
    """Tell of each slice whether its hits are no persons'."""
    return np.fromiter((bool(one.label) for one in columns.slices), np.bool_, len(columns.slices))


def persons_of(columns: Columns) -> Columns:
    """Return only the rows of persons."""
    is_screened = are_screened(columns)
    return rows_where(columns, ~is_screened[columns.slice_no]) if is_screened.any() else columns


def rows_where(columns: Columns, mask: NDArray[np.bool_]) -> Columns:
    """Return only the rows of the mask, with only the slices and texts that they use."""
    ident = columns.ident[mask]
    slice_no = columns.slice_no[mask]
    is_used = np.bincount(slice_no, minlength=len(columns.slices)) > 0
    number = np.cumsum(is_used) - 1
    has_text = np.zeros(len(columns.text_ident), np.bool_)
    has_text[np.searchsorted(columns.text_ident, ident[ident >= np.uint64(TEXT_BIT)])] = True
    return replace(
        columns,
        slices=tuple(label for label, used in zip(columns.slices, is_used.tolist(), strict=True) if used),
        ident=ident,
        slice_no=number[slice_no].astype(np.uint16),
        hits=columns.hits[mask],
        text_ident=columns.text_ident[has_text],
        texts=picked(columns.texts, np.flatnonzero(has_text)),
    )


def texts_from(encoded: Sequence[bytes]) -> Texts:
    """Return many texts as one run of bytes."""
    offsets = np.zeros(len(encoded) + 1, np.uint32)
    offsets[1:] = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))
    return Texts(blob=b"".join(encoded), offsets=offsets)


def picked(texts: Texts, chosen: NDArray[np.intp]) -> Texts:
    """Return the chosen texts in the order given."""
    starts, ends = texts.offsets[:-1][chosen], texts.offsets[1:][chosen]
    offsets = np.zeros(len(chosen) + 1, np.uint32)
    offsets[1:] = np.cumsum(ends.astype(np.int64) - starts)
    # Neighbours that stay neighbours are copied in one piece: a small change to many texts costs little.
    is_break = np.flatnonzero(np.diff(chosen) != 1)
    run_starts = starts[np.concatenate(([0], is_break + 1))] if len(chosen) else starts
    run_ends = ends[np.concatenate((is_break, [len(chosen) - 1]))] if len(chosen) else ends
    return Texts(blob=b"".join(_joined_runs(texts.blob, run_starts, run_ends)), offsets=offsets)


def _joined_runs(blob: bytes, starts: NDArray[np.uint32], ends: NDArray[np.uint32]) -> Iterator[bytes]:
    """Yield runs of a blob, many joined at a time: each by itself takes five times its text in memory."""
    for at in range(0, len(starts), RUNS_AT_ONCE):
        some = slice(at, at + RUNS_AT_ONCE)
        yield b"".join([blob[start:end] for start, end in zip(starts[some].tolist(), ends[some].tolist(), strict=True)])


def assets_of(columns: Columns) -> NDArray[np.uint64]:
    """Return the ident of every asset, each once, ascending."""
    return columns.ident[asset_starts(columns)]


def asset_starts(columns: Columns) -> NDArray[np.intp]:
    """Return the first row of every asset."""
    is_first = np.ones(len(columns.ident), np.bool_)
    is_first[1:] = columns.ident[1:] != columns.ident[:-1]
    return np.flatnonzero(is_first)


def asset_text(columns: Columns, ident: int) -> str:
    """Return the id by which an asset of these columns is known outside."""
    if ident < TEXT_BIT:
        return str(ident)
    at = int(np.searchsorted(columns.text_ident, np.uint64(ident)))
    if at == len(columns.text_ident) or int(columns.text_ident[at]) != ident:
        raise KeyError(f"asset {ident:#x} has no row here, so its text is not known")
    return columns.texts.blob[int(columns.texts.offsets[at]) : int(columns.texts.offsets[at + 1])].decode()


def texts_by_ident(columns: Columns) -> dict[int, str]:
    """Return every text with the ident that stands for it."""
    blob, offsets = columns.texts.blob, columns.texts.offsets.tolist()
    texts = (blob[start:end].decode() for start, end in pairwise(offsets))
    return dict(zip(columns.text_ident.tolist(), texts, strict=True))


def rows(columns: Columns) -> Iterator[Row]:
    """Yield every row in order."""
    texts = texts_by_ident(columns)
    for ident, slice_no, hits in zip(
        columns.ident.tolist(), columns.slice_no.tolist(), columns.hits.tolist(), strict=True
    ):
        yield Row(texts.get(ident, str(ident)), columns.slices[slice_no], hits)


def without_row(columns: Columns) -> int:
    """Return the hits of whomever that found no row because a limit was reached."""
    return columns.other + columns.other_screened


def total_hits(columns: Columns) -> int:
    """Return the hits in rows and those that found none; what a cut left out is not among them."""
    return int(columns.hits.sum()) + without_row(columns)


def is_same(left: Columns, right: Columns) -> bool:
    """Tell whether two columns say exactly the same."""
    return (
        left.slices == right.slices
        and np.array_equal(left.ident, right.ident)
        and np.array_equal(left.slice_no, right.slice_no)
        and np.array_equal(left.hits, right.hits)
        and np.array_equal(left.text_ident, right.text_ident)
        and left.texts.blob == right.texts.blob
        and np.array_equal(left.texts.offsets, right.texts.offsets)
        and left.other == right.other
        and left.other_screened == right.other_screened
        and left.cuts == right.cuts
    )
