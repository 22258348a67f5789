"""A plain recount of the generator's own columns, which no code of any peer has touched, and what it says of lists."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.compare.protocol import Question
from bench.compare.traffic import BRANDS, FIRST_ASSET, FIRST_SECTION, Columns

Listed = Sequence[tuple[int, int]]  # assets and their hits, most first


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of a list: whether it is right, which share of the true rows it has, and what is wrong."""

    is_right: bool
    share: float
    why: str


class Recount:
    """What the lists of the first so many hits must say; hits beyond the file's end are its hits again."""

    def __init__(self, columns: Columns, hits: int) -> None:
        self._columns = columns
        self._hits = hits
        self._spans: dict[tuple[int, int] | None, NDArray[np.int64]] = {}

    def totals(self, question: Question) -> NDArray[np.int64]:
        """Return the hits of each asset that the question asks about."""
        counts = self._counts(question).copy()
        counts[self._columns.brand != BRANDS.index(question.brand)] = 0
        if question.section is not None:
            counts[self._columns.section != question.section - FIRST_SECTION] = 0
        return counts

    @staticmethod
    def hits_of(asset: int, totals: NDArray[np.int64]) -> int:
        """Return the hits of an asset among those of a question; one that was never sent has none."""
        place = asset - FIRST_ASSET
        return int(totals[place]) if 0 <= place < len(totals) else 0

    def listed(self, question: Question) -> list[tuple[int, int]]:
        """Return a right list."""
        counts = self.totals(question)
        order = np.lexsort((np.arange(len(counts)), -counts))[: question.limit]
        return [(FIRST_ASSET + int(one), int(counts[one])) for one in order if counts[one]]

    def share_of_hits(self, question: Question) -> float:
        """Return which share of the brand's hits the question is about."""
        brand = Question(question.brand, None, question.limit, question.from_ms, question.to_ms)
        return float(self.totals(question).sum()) / max(1.0, float(self.totals(brand).sum()))

    def judged(self, question: Question, made: Listed) -> Verdict:
        """Say what is to be said of a list; assets with as many hits may stand in any order."""
        counts = self.totals(question)
        true_hits = np.sort(counts)[::-1][: question.limit]
        true_hits = true_hits[true_hits > 0].tolist()
        share = _share(counts, made, true_hits)
        for why in (_members_fault(made), _count_fault(counts, made), _order_fault(made, true_hits)):
            if why:
                return Verdict(is_right=False, share=share, why=why)
        return Verdict(is_right=True, share=share, why="")

    def _counts(self, question: Question) -> NDArray[np.int64]:
        """Return every asset's hits in the question's span, counted once: hundreds of lists are of the same."""
        span = None
        if question.from_ms is not None and question.to_ms is not None and len(self._columns.at_ms):
            span = question.from_ms, question.to_ms
        if span not in self._spans:
            self._spans[span] = self._counted(self._are_in(span), len(self._columns.section))
        return self._spans[span]

    def _are_in(self, span: tuple[int, int] | None) -> NDArray[np.bool_]:
        if span is None:
            return np.ones(len(self._columns.asset), np.bool_)
        return (self._columns.at_ms >= span[0]) & (self._columns.at_ms < span[1])

    def _counted(self, asked: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
        asset = self._columns.asset
        rounds, rest = divmod(self._hits, len(asset))
        counts = np.bincount(asset[:rest][asked[:rest]], minlength=size)
        if rounds:
            counts = counts + rounds * np.bincount(asset[asked], minlength=size)
        return counts.astype(np.int64)


def _share(counts: NDArray[np.int64], made: Listed, true_hits: Sequence[int]) -> float:
    """Return which share of the assets that belong there is there; of those that tie with the last, any will do."""
    if not true_hits:
        return 1.0
    right = sum(Recount.hits_of(asset, counts) >= true_hits[-1] for asset in dict(made))
    return min(right, len(true_hits)) / len(true_hits)


def _members_fault(made: Listed) -> str:
    assets = [asset for asset, _ in made]
    twice = sorted({one for one in assets if assets.count(one) > 1})
    return f"asset {twice[0]} stands twice" if twice else ""


def _count_fault(counts: NDArray[np.int64], made: Listed) -> str:
    for asset, hits in made:
        true = Recount.hits_of(asset, counts)
        if true != hits:
            return f"asset {asset} has {hits:,} hits, not {true:,}"
    return ""


def _order_fault(made: Listed, true_hits: Sequence[int]) -> str:
    told = [hits for _, hits in made]
    if len(told) != len(true_hits):
        return f"{len(told)} rows, not {len(true_hits)}"
    for rank, (one, true) in enumerate(zip(told, true_hits, strict=True), start=1):
        if one != true:
            return f"rank {rank} has {one:,} hits, not {true:,}"
    return ""
