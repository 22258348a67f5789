"""The slices that a board has seen, numbered, and which of them a filter asks for."""

from collections.abc import Callable, Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.growing import Growing
from footfall.flow.serve.query import PopularQuery
from footfall.flow.store.columns import Slice


class Slices:
    """Numbers for slices, in the order in which they were first seen."""

    def __init__(self, slices: Iterable[Slice] = ()) -> None:
        self._list: list[Slice] = []
        self._number: dict[Slice, int] = {}
        self._labels = (_Labels(), _Labels(), _Labels())
        self._screening = _Labels()
        self._rank: NDArray[np.uint32] | None = None
        self._written: list[bytes] = []
        self.numbers(slices)

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, number: int) -> Slice:
        return self._list[number]

    def numbers(self, slices: Iterable[Slice]) -> NDArray[np.uint32]:
        """Return the number of each slice, giving new ones to slices that were not seen before."""
        return np.array([self._number_of(one) for one in slices], dtype=np.uint32)

    def matching(self, query: PopularQuery) -> NDArray[np.bool_] | None:
        """Return for each slice whether the question asks for it, or None when it asks for all."""
        found = self.shown(query.labels)
        asked = (query.sections, query.resource_types, query.paid_types)
        for labels, texts in zip(self._labels, asked, strict=True):
            if texts:
                one = labels.matching(texts)
                found = one if found is None else found & one
        return found

    def shown(self, labels: Collection[str]) -> NDArray[np.bool_] | None:
        """Return for each slice whether its hits have one of these labels of screening, or None when all have."""
        return None if self._screening.are_among(labels) else self._screening.matching(labels)

    def ranks(self) -> NDArray[np.uint32]:
        """Return each slice's place among all in the order of their labels, whenever they were first seen."""
        if self._rank is None:
            self._rank = np.empty(len(self._list), dtype=np.uint32)
            self._rank[sorted(range(len(self._list)), key=self._list.__getitem__)] = np.arange(len(self._list))
        return self._rank

    def written(self, write: Callable[[Slice], bytes]) -> list[bytes]:
        """Return how each slice is written in a list, in the order of their numbers; each is written once."""
        self._written += [write(one) for one in self._list[len(self._written) :]]
        return self._written

    def kept(self, is_kept: NDArray[np.bool_]) -> "Slices":
        """Return the slices that are kept, numbered anew in the same order."""
        return Slices(self._list[number] for number in np.flatnonzero(is_kept).tolist())

    def _number_of(self, one: Slice) -> int:
        number = self._number.get(one)
        if number is None:
            number = self._number[one] = len(self._list)
            self._list.append(one)
            for labels, text in zip((*self._labels, self._screening), one, strict=True):
                labels.add(text)
            self._rank = None
        return number


class _Labels:
    """One label of every slice as a small number, so that a filter is looked up rather than compared."""

    def __init__(self) -> None:
        self._code: dict[str, int] = {}
        self._of_slice = Growing(np.empty(0, dtype=np.uint32))

    def add(self, text: str) -> None:
        code = self._code.setdefault(text, len(self._code))
        self._of_slice.extend(np.array([code], dtype=np.uint32))

    def are_among(self, texts: Collection[str]) -> bool:
        return all(text in texts for text in self._code)

    def matching(self, texts: Collection[str]) -> NDArray[np.bool_]:
        codes = [self._code[text] for text in texts if text in self._code]
        if len(codes) == 1:
            return self._of_slice.values == np.uint32(codes[0])
        is_asked = np.zeros(len(self._code), dtype=np.bool_)
        is_asked[codes] = True
        return is_asked[self._of_slice.values]
