"""Sizes of windows are those that the formats' own code packs."""

import numpy as np
import pytest

from footfall.flow.store.blocks import bytes_from_columns
from footfall.flow.store.columns import CountKey, columns_from_counts
from footfall.planning.summary_sizes import (
    FIRST_ASSET,
    SummarySizes,
    VisitorSizes,
    assets_of_shard,
    labels_of,
    shuffled,
    slice_of,
)
from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.grouped import grouped_from
from footfall.sketches.grouped_bytes import bytes_from_grouped

ASSETS = assets_of_shard(10_000, shards=1, exponent=1.1, sections=50)


@pytest.mark.parametrize("hits", [64, 700, 12_000, 100_000])
def test_a_window_is_as_large_as_one_that_was_counted(hits: int) -> None:
    chance = np.random.default_rng(5)
    packed = float(np.mean([len(bytes_from_columns(columns_from_counts(counted(hits, chance)))) for _ in range(5)]))
    said = float(SummarySizes(ASSETS).bytes(np.array([float(hits)]))[0])
    assert said == pytest.approx(packed, rel=0.06)


def counted(hits: int, chance: np.random.Generator) -> dict[CountKey, int]:
    idents, labels = FIRST_ASSET + shuffled(ASSETS.count), labels_of(ASSETS)
    counts: dict[CountKey, int] = {}
    for asset in chance.choice(ASSETS.count, hits, p=ASSETS.share).tolist():
        key: CountKey = (str(int(idents[asset])), *slice_of(int(labels[asset]))[:3])
        counts[key] = counts.get(key, 0) + 1
    return counts


@pytest.mark.parametrize(("hits", "rel"), [(10, 0.2), (100, 0.2), (1_000, 0.05), (30_000, 0.05), (300_000, 0.05)])
def test_visitors_are_as_large_as_those_that_were_met(hits: int, rel: float) -> None:
    chance = np.random.default_rng(6)
    asset = chance.choice(ASSETS.count, hits, p=ASSETS.share)
    names = chance.integers(-(2**62), 2**62, ASSETS.count + ASSETS.sections + 1)
    section = labels_of(ASSETS)[asset] // 9
    people = coupons_of_numbers(chance.integers(0, 2**63, hits).astype(np.uint64))
    groups = np.concatenate([names[asset], names[ASSETS.count + section], np.full(hits, names[-1])])
    packed = len(bytes_from_grouped(grouped_from(groups, np.tile(people, 3))))
    said = float(VisitorSizes(ASSETS).bytes(np.array([float(hits)]))[0])
    assert said == pytest.approx(packed, rel=rel)


def test_shards_divide_the_assets_of_a_brand() -> None:
    part = assets_of_shard(1_000, shards=4, exponent=1.0, sections=5)
    assert part.count == 250
    assert float(part.share.sum()) == pytest.approx(1.0)
