"""The order of asset ids as texts, kept ready, so that a tie of any size is cut at the right place at once.

Ids that share their beginning (addresses, say) cannot be told apart by a prefix of fixed length, so every asset
has a rank. New assets wait unranked until there are enough of them to be worth a merge.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

UNRANKED_MAX = 512  # They are compared one by one in every tie that they are part of: a millisecond at most.
MERGE_SHARE = 8  # Beyond an eighth of the ranked ones, sorting all is quicker than finding each one's place.
NUMBER_DIGITS_MAX = 19  # Of a number below 2**63.
TEXT_BIT = np.uint64(1 << 63)

_POWERS = np.array([10**digits for digits in range(NUMBER_DIGITS_MAX + 1)], dtype=np.uint64)


class TextOrder:
    """Assets in ascending order of the bytes of their ids."""

    def __init__(
        self,
        text_of: Callable[[int], bytes],
        order: NDArray[np.uint32],
        *,
        order_of: Callable[[NDArray[np.uint32]], NDArray[np.intp] | None] = lambda _: None,
    ) -> None:
        self._text_of = text_of
        self._order_of = order_of  # sorts many texts at once, where it can
        self._order = order
        self._rank = _inverse(order)

    @property
    def order(self) -> NDArray[np.uint32]:
        """Return the ranked assets, first id first."""
        return self._order

    def first(self, assets: NDArray[np.uint32], count: int) -> list[int]:
        """Return the assets with the first ids among those given, in no particular order."""
        if count >= len(assets):
            return assets.tolist()
        is_ranked = assets < len(self._rank)
        ranked = assets[is_ranked]
        if len(ranked) > count:
            ranked = ranked[np.argpartition(self._rank[ranked], count - 1)[:count]]
        unranked = assets[~is_ranked]
        if not len(unranked):
            return ranked.tolist()
        return sorted([*ranked.tolist(), *unranked.tolist()], key=self._text_of)[:count]

    def ranks(self, assets: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the places of ranked assets in the order."""
        return self._rank.take(assets)

    def catch_up(self, idents: NDArray[np.uint64], *, unranked_max: int = UNRANKED_MAX) -> None:
        """Rank the assets that have come since the last time, once there are enough of them."""
        known, waiting = len(self._rank), len(idents) - len(self._rank)
        if waiting <= unranked_max:
            return
        if waiting > known // MERGE_SHARE:
            self._order = self._sorted(np.arange(len(idents), dtype=np.uint32), idents)
        else:
            new = self._sorted(np.arange(known, len(idents), dtype=np.uint32), idents)
            self._order = np.insert(self._order, self._places(new, self._order), new)
        self._rank = _inverse(self._order)

    def _sorted(self, assets: NDArray[np.uint32], idents: NDArray[np.uint64]) -> NDArray[np.uint32]:
        is_text = idents[assets] >= TEXT_BIT
        numbers = assets[~is_text]
        numbers = numbers[_decimal_order(idents[numbers])]
        texts = assets[is_text]
        by_bytes = self._order_of(texts)
        texts = (
            np.array(sorted(texts.tolist(), key=self._text_of), dtype=np.uint32)
            if by_bytes is None
            else texts[by_bytes]
        )
        return np.insert(numbers, self._places(texts, numbers), texts) if len(texts) else numbers

    def _places(self, new: NDArray[np.uint32], among: NDArray[np.uint32]) -> list[int]:
        """Return where each new asset, in ascending order, goes among those that are ordered already."""
        places: list[int] = []
        ordered: Sequence[int] = among.data  # Plain numbers one by one, without a copy of all.
        place = 0
        for asset in new.tolist():
            place = bisect_left(ordered, self._text_of(asset), lo=place, key=self._text_of)
            places.append(place)
        return places


def _decimal_order(numbers: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the order of numbers as decimal texts: by their digits from the left, a shorter one first."""
    digits = np.maximum(np.searchsorted(_POWERS, numbers, side="right"), 1)
    return np.lexsort((digits, numbers * _POWERS[NUMBER_DIGITS_MAX - digits]))


def _inverse(order: NDArray[np.uint32]) -> NDArray[np.uint32]:
    rank = np.empty(len(order), dtype=np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    return rank
