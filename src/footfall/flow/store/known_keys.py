"""What packed keys stand for in columns, kept from one flush to the next: the same keys come over and over.

A key is looked up by its bytes (footfall.native) and has a number; its ident and its slice are made out once. So counts
that come as numbers become columns by picking from arrays, and no key is made a tuple of texts for it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from footfall.flow.store.columns import (
    EMPTY,
    PLACED_IDENT_MAX,
    SLICE_BITS,
    SLICES_MAX,
    TEXT_BIT,
    Columns,
    CountKey,
    CountsInColumns,
    Slice,
    ident_of,
    placed,
    shared_slices,
    texts_from,
)
from footfall.native import new_key_table

FEW_SHARE = 10  # Fewer hits than such a part of all keys are sorted: a place for each key would take longer.
NUMBER_BYTES = 4
KEYS_MAX = 100_000  # Some 100 bytes each, of the longest ids 900; whoever has more begins anew.

Numbers = NDArray[np.uint32]


class KnownKeys:
    """Keys by number, and what each stands for."""

    def __init__(self) -> None:
        self._table = new_key_table()  # None: where native code was not built, nothing is known
        self._ident = np.zeros(0, np.uint64)
        self._slice = np.zeros(0, np.int64)  # counts into the labels
        self._labels: dict[tuple[str, ...], int] = {}
        self._slices: tuple[Slice, ...] = ()  # the same, in ascending order
        self._rank = np.zeros(0, np.int64)  # of each label among them
        self._place = np.zeros(0, np.uint64)  # ident and rank in one, by which rows lie in columns
        self._is_placed = True  # Every key has one.
        self._texts: dict[int, bytes] = {}  # of idents that are no numbers
        self._has_clash = False  # Two texts share an ident, so each key has to be asked in its turn.

    def __len__(self) -> int:
        return 0 if self._table is None else len(self._table)

    @property
    def is_full(self) -> bool:
        """Tell whether it is time to begin anew."""
        return len(self) >= KEYS_MAX

    def numbers(self, packed: Raw, *, hits: int) -> bytes | None:
        """Return the numbers of so many packed keys; None when that is not what they are."""
        return None if self._table is None else self._table.numbers(packed, hits)

    def columns(self, numbers: NDArray[np.intp], hits: NDArray[np.int64]) -> Columns | None:
        """Return the counts of keys as columns; None when that takes a look at each of them."""
        self._learn()
        ident = self._ident[numbers]
        rank = self._rank[self._slice[numbers]]
        is_used = np.bincount(rank, minlength=len(self._slices)) > 0
        slices, slice_no = np.flatnonzero(is_used).tolist(), (np.cumsum(is_used) - 1)[rank]
        order = np.lexsort((slice_no, ident))
        ident, slice_no = ident[order], slice_no[order]
        # One key can be packed in more than one way, by whoever wants to.
        is_again = (ident[1:] == ident[:-1]) & (slice_no[1:] == slice_no[:-1])
        if self._has_clash or len(slices) > SLICES_MAX or is_again.any():
            return None
        text_ident = np.unique(ident[np.searchsorted(ident, np.uint64(TEXT_BIT)) :])
        return Columns(
            slices=tuple([self._slices[one] for one in slices]),
            ident=ident,
            slice_no=slice_no.astype(np.uint16),
            hits=hits[order].astype(np.uint64),
            text_ident=text_ident,
            texts=texts_from([self._texts[one] for one in text_ident.tolist()]),
        )

    def columns_of_few(self, numbers: Numbers) -> Columns | None:
        """Return hits by the numbers of their keys as columns, sorted once; None when that cannot be."""
        self._learn()
        if not self._is_placed or not len(numbers):
            return None
        place = np.sort(self._place[numbers])
        is_first = np.ones(len(place) + 1, np.bool_)
        np.not_equal(place[1:], place[:-1], out=is_first[1:-1])
        starts = np.flatnonzero(is_first)
        place = place[starts[:-1]]
        rank = place & np.uint64(SLICES_MAX - 1)
        is_used = np.zeros(len(self._slices), np.bool_)
        is_used[rank] = True
        slices = self._slices
        return Columns(
            slices=tuple([slices[one] for one in np.flatnonzero(is_used).tolist()]),
            ident=place >> np.uint64(SLICE_BITS),
            slice_no=(np.cumsum(is_used) - 1).astype(np.uint16)[rank],
            hits=(starts[1:] - starts[:-1]).astype(np.uint64),
            text_ident=EMPTY.text_ident,
            texts=EMPTY.texts,
        )

    def keys(self, numbers: Numbers) -> list[CountKey]:
        """Return keys as tuples of texts."""
        found = [] if self._table is None else self._table.picked(numbers.tobytes())
        return list(found)

    def _learn(self) -> None:
        """Make out what the keys stand for that have come since the last time."""
        known = len(self._ident)
        if self._table is None or len(self._table) == known:
            return
        keys, labels = self._table.keys(known), self._labels
        idents = [ident_of(key[0]) for key in keys]
        for ident, (asset, *_) in zip(idents, keys, strict=True):
            if ident >= TEXT_BIT:
                text = asset.encode()
                self._has_clash |= self._texts.setdefault(ident, text) != text
        slices = [labels.setdefault(key[1:], len(labels)) for key in keys]
        is_ranked_anew = len(labels) > len(self._rank)
        if is_ranked_anew:
            self._rank_labels()
        self._ident = np.concatenate([self._ident, np.array(idents, np.uint64)])
        self._slice = np.concatenate([self._slice, np.array(slices, np.int64)])
        self._is_placed &= max(idents) < PLACED_IDENT_MAX and len(labels) <= SLICES_MAX
        if self._is_placed:
            self._place_keys(0 if is_ranked_anew else known)

    def _place_keys(self, known: int) -> None:
        """Work out where the rows of keys lie, from a number on."""
        places = placed(self._ident[known:], self._rank[self._slice[known:]])
        self._place = np.concatenate([self._place[:known], places])

    def _rank_labels(self) -> None:
        ordered = sorted(self._labels)
        self._slices = shared_slices(ordered)
        self._rank = np.zeros(len(ordered), np.int64)
        self._rank[[self._labels[label] for label in ordered]] = np.arange(len(ordered))


class CountedKeys(CountsInColumns):
    """Counts of keys whose numbers lie one behind the other, once for each hit.

    As a mapping they are for whoever looks at keys one by one, and in the order of their coming: where a window has no
    room for all, it is the first that are let in.
    """

    def __init__(self, known: KnownKeys, laid: bytes) -> None:
        self.known = known
        self.laid = laid
        self._counts: dict[CountKey, int] | None = None

    def __bool__(self) -> bool:
        return len(self.laid) > 0

    def __len__(self) -> int:
        return len(self._mapping())  # One key can be packed in more than one way, and have several numbers.

    def __iter__(self) -> Iterator[CountKey]:
        return iter(self._mapping())

    def __getitem__(self, key: CountKey) -> int:
        return self._mapping()[key]

    @property
    def rows(self) -> int:
        """Return how many rows they have at most."""
        return len(self._sums()[0])

    def columns(self) -> Columns | None:
        """Return the counts as columns, if that takes no look at each key."""
        few = self.known.columns_of_few(self._numbers) if self._are_few else None
        return self.known.columns(*self._sums()) if few is None else few

    def came_first(self) -> tuple[list[CountKey], list[int], list[int]]:
        """Return keys in the order of their coming, at which hit each came first, and how many hits it has."""
        numbers, first, hits = np.unique(self._numbers, return_index=True, return_counts=True)
        order = np.argsort(first)
        return self.known.keys(numbers[order]), first[order].tolist(), hits[order].tolist()

    @property
    def _numbers(self) -> Numbers:
        return np.frombuffer(self.laid, np.uint32)

    @property
    def _are_few(self) -> bool:
        return FEW_SHARE * len(self.laid) // NUMBER_BYTES < len(self.known)

    def _sums(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return which keys were counted, in ascending order, and how often each was."""
        numbers = self._numbers
        if self._are_few:
            few, hits = np.unique(numbers, return_counts=True)
            return few.astype(np.intp), hits
        sums = np.bincount(numbers)
        found = np.flatnonzero(sums)
        return found, sums[found]

    def _mapping(self) -> dict[CountKey, int]:
        if self._counts is None:
            counts: dict[CountKey, int] = {}
            keys, _, every = self.came_first()
            for key, hits in zip(keys, every, strict=True):
                counts[key] = counts.get(key, 0) + hits
            self._counts = counts
        return self._counts


def rows_of_counts(counts: Mapping[CountKey, int]) -> int:
    """Return how many rows counts have at most; of numbers without a look at their keys."""
    return counts.rows if isinstance(counts, CountedKeys) else len(counts)


def sum_of_counts(parts: Sequence[Mapping[CountKey, int]]) -> Mapping[CountKey, int]:
    """Return the sum of counts, keys in the order of their coming; numbers of the same keys stay numbers."""
    if len(parts) == 1:
        return parts[0]
    laid = [one for one in parts if isinstance(one, CountedKeys)]
    if parts and len(laid) == len(parts) and len({id(one.known) for one in laid}) == 1:
        return CountedKeys(laid[0].known, b"".join([one.laid for one in laid]))
    counts = Counter[CountKey]()
    for one in parts:
        counts.update(one)
    return counts
