"""Where keys lie, and how partitions are split."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.planning.simulated_partitions import SPACE, Keys, Layout, Sort, hashed, slots_of
from footfall.values.errors import Refused

keys = st.builds(Keys, st.integers(1, 5_000), st.floats(0, 3), st.sampled_from(Sort), hot_share=st.floats(0, 1))


@given(keys, st.integers(1, 300), st.integers(0, 2**32))
def test_partitions_share_out_everything(some: Keys, partitions: int, salt: int) -> None:
    shares = Layout(partitions).shares(slots_of(some, salt=salt, epoch=0))
    assert len(shares) == partitions
    assert shares.sum() == pytest.approx(1)
    assert shares.min() >= 0


@given(keys)
def test_the_hottest_key_has_the_share_that_is_told(some: Keys) -> None:
    slots = slots_of(Keys(some.count, some.exponent, Sort.ONE, 0, some.hot_share), salt=1, epoch=0)
    assert slots.weights.max() == pytest.approx(some.hottest_share)


def test_hashes_are_spread_evenly_and_differ_by_epoch() -> None:
    places = hashed(np.arange(100_000, dtype=np.uint64), salt=9, epoch=3)
    counts, _ = np.histogram(places.astype(np.float64), bins=100, range=(0, SPACE))
    assert counts.min() > 850
    assert counts.max() < 1_150
    assert not np.array_equal(places[:10], hashed(np.arange(10, dtype=np.uint64), salt=9, epoch=4))


@given(st.integers(1, 40), st.integers(0, 10**6))
def test_a_split_for_heat_never_makes_a_partition_hotter(count: int, salt: int) -> None:
    slots = slots_of(Keys(count, 1.0, Sort.SPREAD), salt=salt, epoch=0)
    layout = Layout(1)
    before = layout.shares(slots).max()
    assert layout.split_for_heat(0, [(1.0, slots)]) == 0
    after = layout.shares(slots)
    assert len(after) == 2
    assert after.sum() == pytest.approx(1)
    assert after.max() < before


def test_heat_of_one_item_cannot_be_divided_and_is_isolated_at_most() -> None:
    slots = slots_of(Keys(3, 3.0), salt=5, epoch=0)
    layout = Layout(1)
    for _ in range(5):
        hottest = int(layout.shares(slots).argmax())
        if layout.split_for_heat(hottest, [(1.0, slots)]) is None:
            break
    assert layout.shares(slots).max() == pytest.approx(Keys(3, 3.0).hottest_share)
    assert len(layout) <= 3


def test_top_shares_may_be_given() -> None:
    some = Keys(1_000, top=(0.5, 0.25))
    slots = slots_of(some, salt=1, epoch=0)
    assert sorted(slots.weights.tolist()) == [0.25, 0.5]
    assert slots.background == pytest.approx(0.25)
    with pytest.raises(Refused, match="come to 1 at most"):
        Keys(5, top=(0.9, 0.2))
