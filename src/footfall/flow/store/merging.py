"""Adding columns up: shards into a window, windows into a longer one, new counts into an open one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from footfall.flow.store.columns import (
    EMPTY,
    PLACED_IDENT_MAX,
    SCREENED_FIELDS,
    SLICES_MAX,
    TEXT_BIT,
    Columns,
    CountKey,
    Cuts,
    Slice,
    TextHash,
    Texts,
    are_screened,
    asset_starts,
    asset_text,
    assets_of,
    columns_from_counts,
    ident_of,
    picked,
    placed,
    rows_where,
    texts_by_ident,
    without_row,
)
from footfall.flow.store.cutting import cuts_of_both, leave_out

ROWS_AT_ONCE_MAX = 1_000_000  # Some 60 MB while merging; more parts than that are added up in turns.


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one window of one brand may hold, whatever is sent."""

    assets_max: int = 200_000
    slices_max: int = 2_000
    text_bytes_max: int = 8_000_000

    def __post_init__(self) -> None:
        assert self.slices_max < SLICES_MAX, f"slices_max is {self.slices_max}, it must be under {SLICES_MAX}"


def merge(parts: Sequence[Columns]) -> Columns:
    """Return the sum of all parts, the same whatever their order and however they are grouped.

    Two texts with one ident: the lower keeps it and the other's hits go to `other`. Beyond 65,536 slices: the
    lowest keep their rows. Both rules pick a minimum, which no order or grouping can change.
    """
    held: list[Columns] = []
    for part in parts:
        if held and sum(len(columns.ident) for columns in held) + len(part.ident) > ROWS_AT_ONCE_MAX:
            held = [_sum_of(held)]
        held.append(part)
    return _sum_of(held)


def _sum_of(parts: Sequence[Columns], *, first_keeps_ident: bool = False) -> Columns:
    """Return the sum of parts that are small enough together."""
    texts = _all_texts(parts)
    if clashing := _clashing_idents(texts):
        owners = _owners_of(clashing, parts, first_keeps_ident=first_keeps_ident)
        parts = [_without_strangers(part, owners) for part in parts]
        texts = _all_texts(parts)
    full = [part for part in parts if len(part.ident) > 0]
    if len(full) > 1:
        text_ident, kept = texts.ident[~texts.is_again], picked(texts.texts, texts.order[~texts.is_again])
        del texts  # Tens of megabytes, which the rows can do with.
        summed = _sum_of_rows(full, text_ident, kept)
    else:
        summed = replace(full[0] if full else EMPTY, other=0, other_screened=0)
    return replace(
        summed,
        other=summed.other + sum(part.other for part in parts),
        other_screened=summed.other_screened + sum(part.other_screened for part in parts),
        cuts=_sum_of_cuts(parts),
    )


def _sum_of_cuts(parts: Sequence[Columns]) -> Cuts:
    """Return the bounds on what an asset misses over all parts.

    They add up. An asset that is missing from every part has, in each of them, at most that part's cut; so over
    all of them at most the sum, per slice and in total. One that is missing from some parts only has less.
    """
    seen = [part for part in parts if len(part.ident) > 0 or part.cuts.any_asset > 0]
    reaches_kept = any(part.cuts.reaches_kept for part in seen) or (
        len(seen) > 1 and any(part.cuts.any_asset > 0 for part in seen)
    )
    total = EMPTY.cuts
    for part in seen:
        total = cuts_of_both(total, part.cuts, reaches_kept=reaches_kept)
    return total


def _sum_of_rows(parts: Sequence[Columns], text_ident: NDArray[np.uint64], texts: Texts) -> Columns:
    """Return the rows of all parts, equal ones added up; `other` has the hits of slices that are one too many."""
    slices, slice_numbers = _all_slices(parts)
    numbers = [number[part.slice_no] for number, part in zip(slice_numbers, parts, strict=True)]
    ident = np.concatenate([part.ident for part in parts])
    slice_no = np.concatenate(numbers)
    hits = np.concatenate([part.hits for part in parts])
    order, starts = _row_groups(ident, slice_no)
    first = order[starts]
    hits = np.add.reduceat(hits[order], starts)
    ident, slice_no = ident[first], slice_no[first]
    fits = slice_no < SLICES_MAX
    is_screened = np.fromiter((bool(one.label) for one in slices), np.bool_, len(slices))[slice_no]
    summed = Columns(
        slices=tuple(slices[:SLICES_MAX]),
        ident=ident[fits],
        slice_no=slice_no[fits].astype(np.uint16),
        hits=hits[fits],
        text_ident=text_ident,
        texts=texts,
        other=int(hits[~fits & ~is_screened].sum()),
        other_screened=int(hits[~fits & is_screened].sum()),
    )
    return summed if fits.all() else rows_where(summed, np.ones(len(summed.ident), np.bool_))


def _all_slices(parts: Sequence[Columns]) -> tuple[list[Slice], list[NDArray[np.int64]]]:
    """Return the slices of all parts in order, and for each part which of them its own are."""
    # Parts share the objects, which are told apart many times faster than texts are compared.
    every: list[Slice] = [*chain.from_iterable([part.slices for part in parts])]
    _, first, which = np.unique(
        np.fromiter(map(id, every), np.int64, len(every)), return_index=True, return_inverse=True
    )
    places: list[int] = first.tolist()
    objects = [every[at] for at in places]
    slices = sorted(set(objects))
    number = {label: at for at, label in enumerate(slices)}
    numbers = np.array([number[label] for label in objects], np.int64)[which]
    return slices, np.split(numbers, np.cumsum([len(part.slices) for part in parts])[:-1])


def _row_groups(ident: NDArray[np.uint64], slice_no: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order of rows by (ident, slice), and where in it each group of equal rows starts."""
    # Parts are sorted already, and a stable sort merges sorted runs several times faster than a sort by two keys.
    if ident.max(initial=0) < PLACED_IDENT_MAX and slice_no.max(initial=0) < SLICES_MAX:
        place = placed(ident, slice_no)
        order = np.argsort(place, kind="stable")
        return order, np.flatnonzero(_are_new(place[order]))
    order = np.argsort(ident, kind="stable")
    place = np.cumsum(_are_new(ident[order])) * 2**32 + slice_no[order]
    if (place[1:] < place[:-1]).any():
        again = np.argsort(place, kind="stable")
        order, place = order[again], place[again]
    return order, np.flatnonzero(_are_new(place))


def _are_new(ordered: NDArray[np.uint64] | NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each number whether the one before it is another."""
    are_new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=are_new[1:])
    return are_new


@dataclass(frozen=True, slots=True)
class _AllTexts:
    """The texts of all parts, those that several parts have as often as they have them."""

    texts: Texts  # one part's after the other's
    order: NDArray[np.intp]  # of the texts by ident
    ident: NDArray[np.uint64]  # in that order
    is_again: NDArray[np.bool_]  # whether the ident before it in that order is the same


def _all_texts(parts: Sequence[Columns]) -> _AllTexts:
    """Return the texts of all parts in one."""
    offsets = [np.zeros(1, np.uint32)]
    end = 0
    for part in parts:
        offsets.append(part.texts.offsets[1:] + np.uint32(end))
        end += len(part.texts.blob)
        assert end < 2**32, f"{end} bytes of text cannot be merged at once; bound each part first"
    idents = np.concatenate([EMPTY.text_ident, *(part.text_ident for part in parts)])
    order = np.argsort(idents, kind="stable")
    ident = idents[order]
    is_again = np.zeros(len(ident), np.bool_)
    is_again[1:] = ident[1:] == ident[:-1]
    texts = Texts(blob=b"".join(part.texts.blob for part in parts), offsets=np.concatenate(offsets))
    return _AllTexts(texts=texts, order=order, ident=ident, is_again=is_again)


def _owners_of(clashing: set[int], parts: Sequence[Columns], *, first_keeps_ident: bool) -> dict[int, str]:
    """Return which text keeps each of the idents that stand for several."""
    owners: dict[int, str] = {}
    for part in parts:
        for ident in clashing & set(part.text_ident.tolist()):
            text = asset_text(part, ident)
            owner = owners.setdefault(ident, text)
            # Compared as bytes, so that the winner does not depend on how a language orders texts.
            owners[ident] = owner if first_keeps_ident else min(owner, text, key=str.encode)
    return owners


def _without_strangers(columns: Columns, owners: Mapping[int, str]) -> Columns:
    """Return the columns with the hits of assets whose ident belongs to another text moved to `other`."""
    present = owners.keys() & set(columns.text_ident.tolist())
    strangers = [ident for ident in present if asset_text(columns, ident) != owners[ident]]
    if not strangers:
        return columns
    is_stranger = np.isin(columns.ident, np.array(strangers, np.uint64))
    rest = rows_where(columns, ~is_stranger)
    is_screened = are_screened(columns)[columns.slice_no]
    return replace(
        rest,
        other=rest.other + int(columns.hits[is_stranger & ~is_screened].sum()),
        other_screened=rest.other_screened + int(columns.hits[is_stranger & is_screened].sum()),
    )


def _clashing_idents(all_texts: _AllTexts) -> set[int]:
    """Return the idents that stand for different texts; chance alone gives one in some 2**63 pairs."""
    again = np.flatnonzero(all_texts.is_again)
    alike = _are_alike(all_texts.texts, all_texts.order[again - 1], all_texts.order[again])
    return set(all_texts.ident[again[~alike]].tolist())


# What counts of a word of eight bytes when only so many of them belong to the text.
_WORD_MASKS = np.array([2 ** (8 * size) - 1 for size in range(9)], np.uint64)


def _are_alike(texts: Texts, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell, pair by pair, whether two texts are the same bytes."""
    if len(left) == 0:
        return np.zeros(0, np.bool_)
    starts = texts.offsets[:-1].astype(np.int64)
    lengths = texts.offsets[1:] - starts
    # Every place of the blob read as a word: eight bytes of all pairs are compared at a time.
    padded = texts.blob + bytes(8)
    words: NDArray[np.uint64] = np.ndarray(len(texts.blob) + 1, dtype="<u8", buffer=padded, strides=(1,))
    alike = lengths[left] == lengths[right]
    open_pairs = np.flatnonzero(alike)
    done = 0
    while len(open_pairs) > 0:
        one, two = left[open_pairs], right[open_pairs]
        rest = lengths[one] - done
        differs = (words[starts[one] + done] ^ words[starts[two] + done]) & _WORD_MASKS[np.minimum(rest, 8)]
        alike[open_pairs] = differs == 0
        open_pairs = open_pairs[(differs == 0) & (rest > 8)]
        done += 8
    return alike


def admit(
    main: Columns,
    delta_counts: Mapping[CountKey, int],
    limits: Limits,
    *,
    text_hash: TextHash = xxh3_64_intdigest,
) -> Columns:
    """Return the window with new counts added, as far as its limits let them in; the rest adds to `other`.

    Keys are let in in the mapping's order. A key that was refused once is refused ever after, because what it
    lacked room for only gets fuller; so the result does not depend on where the stream was cut into mappings.
    """
    delta = columns_from_counts(delta_counts, text_hash=text_hash)
    # Texts that clash among the new counts may clash with the window's too: each has to be asked in its turn.
    if without_row(delta) == 0:
        # A text that is there came first in the stream, so it keeps its ident.
        summed = delta if main is EMPTY else _sum_of([main, delta], first_keeps_ident=True)
        if _is_within(summed, limits):
            return summed
    room = _Room(main, limits, text_hash)
    let_in = {key: hits for key, hits in delta_counts.items() if hits and room.takes(key)}
    refused = [0, 0]
    for key, hits in delta_counts.items():
        if key not in let_in:
            refused[len(key) == SCREENED_FIELDS] += hits
    summed = merge([main, columns_from_counts(let_in, text_hash=text_hash)])
    return replace(summed, other=summed.other + refused[0], other_screened=summed.other_screened + refused[1])


def _is_within(columns: Columns, limits: Limits) -> bool:
    """Tell whether the window holds no more than it may."""
    return (
        len(columns.slices) <= limits.slices_max
        and len(columns.texts.blob) <= limits.text_bytes_max
        # No more assets than rows: most windows need no look at which rows are of one asset.
        and (len(columns.ident) <= limits.assets_max or len(asset_starts(columns)) <= limits.assets_max)
    )


class _Room:
    """What a window holds, and whether one key more finds a place in it."""

    def __init__(self, main: Columns, limits: Limits, text_hash: TextHash) -> None:
        self._limits = limits
        self._text_hash = text_hash
        self._idents: set[int] = set(assets_of(main).tolist())
        self._slices: set[Slice] = set(main.slices)
        self._owners = texts_by_ident(main)
        self._text_bytes = len(main.texts.blob)

    def takes(self, key: CountKey) -> bool:
        """Take the key in and tell so, or leave everything as it is."""
        asset = key[0]
        ident = ident_of(asset, self._text_hash)
        label = Slice(*key[1:])
        if self._owners.get(ident, asset) != asset:
            return False
        if label not in self._slices and len(self._slices) >= self._limits.slices_max:
            return False
        if ident not in self._idents and not self._takes_asset(asset, ident):
            return False
        self._slices.add(label)
        return True

    def _takes_asset(self, asset: str, ident: int) -> bool:
        """Take a new asset in, with its text if it has one, or leave everything as it is."""
        text_bytes = len(asset.encode()) if ident >= TEXT_BIT else 0
        if len(self._idents) >= self._limits.assets_max or self._text_bytes + text_bytes > self._limits.text_bytes_max:
            return False
        self._idents.add(ident)
        self._text_bytes += text_bytes
        if ident >= TEXT_BIT:
            self._owners[ident] = asset
        return True


def bounded(columns: Columns, *, rows_max: int, text_bytes_max: int) -> Columns:
    """Return the columns with the assets of most hits that fit, never part of a tie; the rest is left out as a cut."""
    if len(columns.ident) <= rows_max and len(columns.texts.blob) <= text_bytes_max:
        return columns
    starts = asset_starts(columns)
    sizes = np.diff(starts, append=len(columns.ident))
    hits = np.add.reduceat(columns.hits, starts)
    text_bytes = np.zeros(len(starts), np.int64)
    text_bytes[columns.ident[starts] >= np.uint64(TEXT_BIT)] = np.diff(columns.texts.offsets)
    order = np.argsort(hits)[::-1]
    fits = (np.cumsum(sizes[order]) <= rows_max) & (np.cumsum(text_bytes[order]) <= text_bytes_max)
    # The first asset that does not fit takes out everything that ties with it.
    highest_out = hits[order[np.argmin(fits)]]
    return leave_out(columns, np.repeat(hits <= highest_out, sizes))
