"""How large a window's summary and its visitors are for so many hits, by the code that packs them.

Nobody has to believe a formula for the counts: a window of the asked traffic is drawn and packed by the format's own
code (docs/formats/summaries.md). Drawn are powers of two, what lies between is interpolated. Visitors (docs/formats/
uniques.md) are added up by group, since a busy hour has too many of them to draw; a test compares with the packer.
"""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from footfall.flow.store.blocks import bytes_from_columns
from footfall.flow.store.columns import EMPTY, Columns, Slice
from footfall.sketches.coupons import sparse_max
from footfall.sketches.uniques import GROUP_LG_K

FIRST_ASSET, FIRST_SECTION = 132_000_000, 500  # Ids of eight digits, sections of three, as the benchmarks have them.
KINDS = (("article", 0.8), ("video", 0.15), ("gallery", 0.05))
PAYS = (("free", 0.6), ("paid", 0.3), ("partly", 0.1))
ASSETS_MAX = 200_000  # of a minute, for each brand and shard; beyond it hits count in `other`
WINDOW_ROWS_MAX = 1_000_000  # of an hour or a day
ASSETS_DRAWN_MAX = 1_000_000  # of a brand in a shard: no window has more rows, so more are drawn as so many.
_SAMPLES = 3  # of each size, below
_SAMPLED_ALIKE = 2_000  # hits, from which on one is enough

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AssetsOfShard:
    """The assets of one brand in one counting shard: which part of the shard's hits each has."""

    share: Floats  # descending, and comes to one
    sections: int

    @property
    def count(self) -> int:
        """Return how many there are."""
        return len(self.share)


def assets_of_shard(assets: int, *, shards: int, exponent: float, sections: int) -> AssetsOfShard:
    """Return the assets of a brand that one of the shards has: chosen by a hash, so every so many-th rank."""
    step = max(1, shards, -(-assets // ASSETS_DRAWN_MAX))
    ranks = np.arange(1, assets + 1, step, dtype=np.float64) + (step - 1) / 2
    share = ranks**-exponent
    return AssetsOfShard(share / share.sum(), sections)


@dataclass(slots=True)
class SummarySizes:
    """Bytes of a packed summary, by its hits; the same for the same seed."""

    assets: AssetsOfShard
    seed: int = 0
    rows_max: int = ASSETS_MAX
    tight: bool = False
    _drawn: dict[int, float] = field(default_factory=dict[int, float])

    def bytes(self, hits: Floats) -> Floats:
        """Return the expected bytes of windows with so many hits, each at least one."""
        at = np.log2(np.maximum(hits, 1.0))
        low = np.floor(at).astype(int)
        known = np.arange(int(low.min()), int(low.max()) + 2)
        sizes = np.array([self._size(int(power)) for power in known])
        return np.exp(np.interp(at, known, np.log(sizes)))

    def _size(self, power: int) -> float:
        if power not in self._drawn:
            chance = _chance(self.seed, power)
            hits = 2.0**power
            rounds = _SAMPLES if hits < _SAMPLED_ALIKE else 1
            sizes = [len(bytes_from_columns(self._window(hits, chance), tight=self.tight)) for _ in range(rounds)]
            self._drawn[power] = float(np.mean(sizes))
        return self._drawn[power]

    def _window(self, hits: float, chance: np.random.Generator) -> Columns:
        assets = self.assets
        seen = chance.poisson(hits * assets.share)
        asset = np.flatnonzero(seen)
        if not len(asset):
            asset, seen = np.zeros(1, np.int64), np.ones(assets.count, np.int64)
        labels = labels_of(assets)
        slices, number = np.unique(labels[asset], return_inverse=True)
        ident = (FIRST_ASSET + shuffled(assets.count)[asset]).astype(np.uint64)
        order = np.argsort(ident)[: self.rows_max]
        return Columns(
            slices=tuple(slice_of(int(one)) for one in slices),
            ident=ident[order],
            slice_no=number.astype(np.uint16)[order],
            hits=seen[asset].astype(np.uint64)[order],
            text_ident=EMPTY.text_ident,
            texts=EMPTY.texts,
        )


def _chance(*seed: int) -> np.random.Generator:
    """Return the chance that begins with these numbers, which are all that decides."""
    return np.random.Generator(np.random.PCG64(list(seed)))


@lru_cache(maxsize=8)
def shuffled(count: int) -> NDArray[np.int64]:
    """Return a fixed order: the popular assets are not the first that were made."""
    return _chance(count).permutation(count)


def labels_of(assets: AssetsOfShard) -> NDArray[np.int64]:
    """Return each asset's section, kind and pay as one number, always the same."""
    return _labels(assets.count, assets.sections)


@lru_cache(maxsize=8)
def _labels(assets: int, sections: int) -> NDArray[np.int64]:
    chance = _chance(assets, sections)
    section = chance.integers(0, sections, assets)
    kind = chance.choice(len(KINDS), assets, p=[share for _, share in KINDS])
    pays = chance.choice(len(PAYS), assets, p=[share for _, share in PAYS])
    return (section * len(KINDS) + kind) * len(PAYS) + pays


def slice_of(number: int) -> Slice:
    """Return the labels that a number of labels_of stands for."""
    rest, pays = divmod(number, len(PAYS))
    section, kind = divmod(rest, len(KINDS))
    return Slice(str(FIRST_SECTION + section), KINDS[kind][0], PAYS[pays][0])


# What Zstandard leaves of each part of a window's visitors; test_summary_sizes.py packs real ones beside it.
GROUP_BYTES = 8.3  # of 12: a random number each, and how many coupons it has
COUPON_BYTES = 3.5  # of 4: nearly random
ROW_BYTES_NEW, ROW_BYTES_FULL = 480.0, 1_000.0  # of 2,057: just when it has outgrown its coupons, and when it is full
ROW_FILLS = 800.0  # visitors
VISITORS_HEAD_BYTES = 43


@dataclass(slots=True)
class VisitorSizes:
    """Bytes of the packed visitors of windows, by their hits; each hit is of somebody else unless they come again."""

    assets: AssetsOfShard
    again: float = 1.0  # hits of each visitor in the window
    _groups: Floats = field(default_factory=lambda: np.zeros(0))
    _known: dict[int, float] = field(default_factory=dict[int, float])

    def __post_init__(self) -> None:
        section = labels_of(self.assets) // (len(KINDS) * len(PAYS))
        of_sections = np.bincount(section, weights=self.assets.share, minlength=self.assets.sections)
        self._groups = np.concatenate([self.assets.share, of_sections, [1.0]])

    def bytes(self, hits: Floats) -> Floats:
        """Return the expected bytes of windows with so many hits that have a visitor."""
        at = np.log2(np.maximum(hits, 1.0)) * 2
        low = np.floor(at).astype(int)
        steps = np.arange(int(low.min()), int(low.max()) + 2)
        sizes = np.array([self._size(int(step)) for step in steps])
        return np.exp(np.interp(at, steps, np.log(sizes)))

    def _size(self, step: int) -> float:
        if step not in self._known:
            hits = 2.0 ** (step / 2)
            self._known[step] = _one_window(self._groups, hits, hits / self.again)
        return self._known[step]


def _one_window(groups: Floats, hits: float, people: float) -> float:
    met = groups * hits
    # Of h hits of people who each come as often, so many are different ones.
    different = people * -np.expm1(-met / max(people, 1.0))
    seen = -np.expm1(-met)
    sparse = different <= sparse_max(GROUP_LG_K)
    rows = ROW_BYTES_FULL - (ROW_BYTES_FULL - ROW_BYTES_NEW) * np.exp(
        -np.maximum(0.0, different - sparse_max(GROUP_LG_K)) / ROW_FILLS
    )
    return VISITORS_HEAD_BYTES + float(
        np.sum(np.where(sparse, GROUP_BYTES * seen + COUPON_BYTES * different, GROUP_BYTES + rows))
    )
