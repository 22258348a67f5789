"""What packed keys stand for in columns, kept from one flush to the next: the same keys come over and over.

A key is looked up by its bytes (footfall.native) and has a number; its ident and its slice are made out once. So counts
that come as numbers become columns by picking from arrays, and no key is made a tuple of texts for it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from footfall.flow.store.columns import (
    SLICES_MAX,
    TEXT_BIT,
    Columns,
    CountKey,
    CountsInColumns,
    Slice,
    ident_of,
    shared_slices,
    texts_from,
)
from footfall.native import new_key_table

KEYS_MAX = 100_000  # Some 100 bytes each; whoever has more begins anew.
NUMBER_BYTES = 4

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
        found = None if self._table is None else self._table.numbers(packed)
        return found if found is not None and len(found) == hits * NUMBER_BYTES else None

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

    def keys(self, numbers: NDArray[np.intp]) -> list[CountKey]:
        """Return keys as tuples of texts."""
        found = [] if self._table is None else self._table.picked(numbers.astype(np.uint32).tobytes())
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
        if len(labels) > len(self._rank):
            self._rank_labels()
        self._ident = np.concatenate([self._ident, np.array(idents, np.uint64)])
        self._slice = np.concatenate([self._slice, np.array(slices, np.int64)])

    def _rank_labels(self) -> None:
        ordered = sorted(self._labels)
        self._slices = shared_slices(ordered)
        self._rank = np.zeros(len(ordered), np.int64)
        self._rank[[self._labels[label] for label in ordered]] = np.arange(len(ordered))


class CountedKeys(CountsInColumns):
    """Counts by the numbers of keys; a mapping, in the order of their coming, for whoever looks at keys one by one."""

    def __init__(
        self,
        known: KnownKeys,
        numbers: NDArray[np.intp],
        hits: NDArray[np.int64],
        *,
        in_order: Callable[[], NDArray[np.intp]],
    ) -> None:
        self.known = known
        self.numbers = numbers
        self.hits = hits
        self.in_order = in_order  # the same numbers as they first came, which few ask for
        self._counts: dict[CountKey, int] | None = None

    def __len__(self) -> int:
        return len(self.numbers) if self._counts is None else len(self._counts)

    def __iter__(self) -> Iterator[CountKey]:
        return iter(self._mapping())

    def __getitem__(self, key: CountKey) -> int:
        return self._mapping()[key]

    def columns(self) -> Columns | None:
        """Return the counts as columns, if that takes no look at each key."""
        return self.known.columns(self.numbers, self.hits)

    def _mapping(self) -> dict[CountKey, int]:
        if self._counts is None:
            numbers = self.in_order()
            hits = self.hits[np.searchsorted(self.numbers, numbers)]
            self._counts = {}
            for key, more in zip(self.known.keys(numbers), hits.tolist(), strict=True):
                self._counts[key] = self._counts.get(key, 0) + more
        return self._counts


def counted_keys(known: KnownKeys, laid: bytes) -> CountedKeys:
    """Return the counts of keys whose numbers lie one behind the other, once for each hit."""
    numbers = np.frombuffer(laid, np.uint32).astype(np.intp)
    sums = np.bincount(numbers)
    found = np.flatnonzero(sums)
    return CountedKeys(known, found, sums[found], in_order=lambda: _as_they_came(numbers)[0])


def sum_of_counts(parts: Sequence[Mapping[CountKey, int]]) -> Mapping[CountKey, int]:
    """Return the sum of counts, the keys as they first came; those that are numbers of the same keys stay that."""
    if len(parts) == 1:
        return parts[0]
    if parts and all(isinstance(one, CountedKeys) for one in parts):
        counted = cast("Sequence[CountedKeys]", parts)
        if len({id(one.known) for one in counted}) == 1:
            return _joined(counted)
    counts = Counter[CountKey]()
    for one in parts:
        counts.update(one)
    return counts


def laid_in_order(laid: bytes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which numbers lie there, in the order in which they first came, and at which hit that was."""
    return _as_they_came(np.frombuffer(laid, np.uint32).astype(np.intp))


def _joined(parts: Sequence[CountedKeys]) -> CountedKeys:
    known = parts[0].known
    sums = np.zeros(len(known), np.int64)
    for one in parts:
        sums[one.numbers] += one.hits
    found = np.flatnonzero(sums)
    in_order = [one.in_order for one in parts]
    return CountedKeys(
        known, found, sums[found], in_order=lambda: _as_they_came(np.concatenate([one() for one in in_order]))[0]
    )


def _as_they_came(numbers: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return each number once, in the order in which they first came, and where that was."""
    found, first = np.unique(numbers, return_index=True)
    order = np.argsort(first)
    return found[order], first[order]
