"""Many sets counted at once are each counted as it would be alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.errors import NotASketch, OtherSize
from footfall.sketches.gathering import Gathering
from footfall.sketches.grouped import (
    GroupedUniques,
    estimates,
    grouped_from,
    merge_grouped,
    no_groups,
    picked,
    regrouped,
    uniques_of,
)
from footfall.sketches.grouped_bytes import bytes_from_grouped, grouped_checksum, grouped_from_bytes
from footfall.sketches.uniques import added, estimate, merged, no_uniques

LG_K = 8  # 24 coupons before registers
Numbers = NDArray[np.int64]


def hits(seed: int, count: int, *, groups: int = 12, visitors: int = 200) -> tuple[Numbers, NDArray[np.uint64]]:
    """Return who met what: a few groups have nearly all hits, as assets do."""
    chance = np.random.default_rng(seed)
    group = (chance.zipf(1.5, count) % groups - groups // 2) * 1_000_003
    return group.astype(np.int64), chance.integers(0, visitors, count).astype(np.uint64)


def grouped(group: Numbers, visitor: NDArray[np.uint64]) -> GroupedUniques:
    return grouped_from(group, coupons_of_numbers(visitor), lg_k=LG_K)


@given(st.integers(0, 2**32), st.integers(0, 600))
def test_each_group_has_the_sketch_that_it_would_have_alone(seed: int, count: int) -> None:
    group, visitor = hits(seed, count)
    sketches = grouped(group, visitor)
    assert sketches.groups.tolist() == sorted(set(group.tolist()))
    told = estimates(sketches)
    for place, one in enumerate(sketches.groups.tolist()):
        alone = added(no_uniques(LG_K), coupons_of_numbers(visitor[group == one]))
        assert uniques_of(sketches, one) == alone
        expected = estimate(alone)
        assert (told.count[place], told.lower[place], told.upper[place]) == (
            expected.count,
            expected.lower,
            expected.upper,
        )
    assert uniques_of(sketches, 77) is None
    assert uniques_of(sketches, 2**62) is None


@given(st.integers(0, 2**32), st.integers(0, 600), st.integers(1, 5))
def test_parts_merge_into_the_whole_in_any_order(seed: int, count: int, parts: int) -> None:
    group, visitor = hits(seed, count)
    owner = np.random.default_rng(seed).integers(0, parts, count)
    pieces = [grouped(group[owner == part], visitor[owner == part]) for part in range(parts)]
    whole = grouped(group, visitor)
    assert merge_grouped(pieces, lg_k=LG_K) == merge_grouped([*reversed(pieces), whole], lg_k=LG_K) == whole


@given(st.integers(0, 2**32), st.integers(1, 90))
def test_gathering_in_batches_is_counting_at_once(seed: int, batch: int) -> None:
    group, visitor = hits(seed, 500)
    gathering = Gathering(lg_k=LG_K)
    for at in range(0, 500, batch):
        gathering.add_many(group[at : at + batch], visitor[at : at + batch])
        if at % 3 == 0:
            assert len(gathering.gathered())
    assert gathering.gathered() == grouped(group, visitor)


def test_gathering_sorts_by_itself_when_much_lies_aside() -> None:
    group, visitor = hits(1, 700_000, groups=3_000, visitors=100_000)
    gathering = Gathering()
    for at in range(0, len(group), 100_000):
        gathering.add_many(group[at : at + 100_000], visitor[at : at + 100_000])
    assert gathering.rows < len(group)
    assert gathering.gathered() == grouped_from(group, coupons_of_numbers(visitor))


def test_gathering_goes_on_from_what_was_stored() -> None:
    group, visitor = hits(2, 400)
    gathering = Gathering(grouped(group[:200], visitor[:200]))
    gathering.add_coupons(group[200:], coupons_of_numbers(visitor[200:]))
    assert gathering.gathered() == grouped(group, visitor)
    assert gathering.gathered() == grouped(group, visitor)


@given(st.integers(0, 2**32), st.integers(0, 400))
def test_larger_sets_are_made_of_smaller_ones_exactly(seed: int, count: int) -> None:
    group, visitor = hits(seed, count)
    sketches = grouped(group, visitor)
    into = sketches.groups % 3
    assert regrouped(sketches, into) == grouped(group % 3, visitor)


def test_a_brand_made_of_its_assets_is_their_merge() -> None:
    sketches = grouped(*hits(3, 3_000))
    brand = uniques_of(regrouped(sketches, np.zeros(len(sketches), np.int64)), 0)
    parts = [uniques_of(sketches, one) for one in sketches.groups.tolist()]
    assert brand == merged([part for part in parts if part is not None], lg_k=LG_K)


def test_counting_again_changes_nothing() -> None:
    group, visitor = hits(4, 2_000)
    assert grouped(np.tile(group, 2), np.tile(visitor, 2)) == grouped(group, visitor)


def test_no_parts_and_empty_parts_are_no_groups() -> None:
    assert merge_grouped([], lg_k=LG_K) == merge_grouped([no_groups(LG_K)] * 3, lg_k=LG_K) == no_groups(LG_K)
    assert len(estimates(no_groups()).count) == 0
    assert regrouped(no_groups(), np.empty(0, np.int64)) == no_groups() != no_groups(LG_K)


def test_sketches_of_another_size_do_not_merge() -> None:
    with pytest.raises(OtherSize, match=r"lgK 8 .* lgK 12"):
        merge_grouped([no_groups(), grouped(*hits(5, 10))])


def test_what_was_given_out_cannot_be_changed() -> None:
    sketches = grouped(*hits(6, 3_000))
    for column in (sketches.groups, sketches.starts, sketches.coupons, sketches.dense, sketches.registers):
        assert not column.flags.writeable


@given(st.integers(0, 2**32), st.integers(0, 800))
def test_stored_groups_come_back(seed: int, count: int) -> None:
    sketches = grouped(*hits(seed, count))
    data = bytes_from_grouped(sketches)
    assert grouped_from_bytes(data) == sketches
    assert grouped_checksum(data) == grouped_checksum(bytes_from_grouped(merge_grouped([sketches] * 2, lg_k=LG_K)))


def test_no_changed_byte_of_stored_groups_goes_unnoticed() -> None:
    data = bytes_from_grouped(grouped(*hits(7, 300)))
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << (at % 8)
        with pytest.raises(NotASketch):
            grouped_from_bytes(bytes(damaged))
        with pytest.raises(NotASketch):
            grouped_from_bytes(data[:at])


def test_some_groups_are_picked_with_all_that_is_theirs() -> None:
    counts = [3, 2_000, 1, 900, 40]
    groups = np.repeat(np.arange(5), counts)
    sketches = grouped_from(groups, coupons_of_numbers(np.arange(sum(counts), dtype=np.uint64)))
    some = picked(sketches, np.array([0, 1, 3]))
    assert some.groups.tolist() == [0, 1, 3]
    for group in (0, 1, 3):
        assert uniques_of(some, group) == uniques_of(sketches, group)
    assert merge_grouped([some, picked(sketches, np.array([2, 4]))]) == sketches
    assert not len(picked(sketches, np.empty(0, np.int64)))


@given(st.integers(0, 2**32), st.integers(0, 900), st.integers(1, 6))
def test_pieces_that_follow_each_other_are_put_together_as_they_were(seed: int, count: int, pieces: int) -> None:
    whole = grouped(*hits(seed, count, visitors=900))
    parts = [picked(whole, places) for places in np.array_split(np.arange(len(whole)), pieces)]
    assert merge_grouped(parts, lg_k=LG_K) == whole
    assert merge_grouped(parts[::-1], lg_k=LG_K) == whole
    assert bytes_from_grouped(merge_grouped(parts, lg_k=LG_K)) == bytes_from_grouped(whole)
