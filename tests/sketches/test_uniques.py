"""A sketch is a function of the set of its values: order, repeats and grouping leave no trace."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from footfall.sketches.coupons import Coupons, coupons_of_numbers, coupons_of_texts, sparse_max
from footfall.sketches.errors import OtherSize
from footfall.sketches.uniques import GROUP_LG_K, NAMED_LG_K, Uniques, added, estimate, merged, no_uniques
from tests.sketches.theirs import datasketches

LG_K = 8  # 24 coupons before registers: small sets reach both forms.
SETS = st.sets(st.integers(0, 2**40), max_size=60)


def coupons(numbers: set[int] | range) -> Coupons:
    return coupons_of_numbers(np.array(sorted(numbers), np.int64))


def sketch_of(numbers: set[int] | range, lg_k: int = LG_K) -> Uniques:
    return added(no_uniques(lg_k), coupons(numbers))


def their_registers(numbers: range, lg_k: int) -> NDArray[np.uint8]:
    sketch = datasketches.hll_sketch(lg_k, datasketches.HLL_8)
    for number in numbers:
        sketch.update(number)
    return np.frombuffer(bytes(sketch.serialize_compact()), np.uint8)[40:]


@given(st.lists(st.integers(0, 2**40), max_size=80), st.randoms())
def test_order_and_repeats_leave_no_trace(numbers: list[int], chance: random.Random) -> None:
    shuffled = [*numbers, *numbers[:7]]
    chance.shuffle(shuffled)
    in_steps = no_uniques(LG_K)
    for number in shuffled:
        in_steps = added(in_steps, coupons({number}))
    assert in_steps == sketch_of(set(numbers))


@given(SETS, SETS)
def test_merging_is_the_sketch_of_the_union(one: set[int], other: set[int]) -> None:
    assert merged([sketch_of(one), sketch_of(other)], lg_k=LG_K) == sketch_of(one | other)


@given(SETS, SETS, SETS)
def test_merging_goes_in_any_grouping_and_any_order(one: set[int], two: set[int], three: set[int]) -> None:
    a, b, c = map(sketch_of, (one, two, three))
    left = merged([merged([a, b], lg_k=LG_K), c], lg_k=LG_K)
    right = merged([a, merged([c, b], lg_k=LG_K)], lg_k=LG_K)
    assert left == right == merged([c, a, b, a], lg_k=LG_K)


@given(SETS)
def test_merging_with_itself_changes_nothing(numbers: set[int]) -> None:
    sketch = sketch_of(numbers)
    assert merged([sketch, sketch], lg_k=LG_K) == sketch == added(sketch, coupons(numbers))


def test_no_sketches_merge_into_the_empty_one() -> None:
    assert merged([], lg_k=GROUP_LG_K) == no_uniques(GROUP_LG_K)
    assert estimate(merged([], lg_k=GROUP_LG_K)).upper == 0


@pytest.mark.parametrize("lg_k", [8, GROUP_LG_K, NAMED_LG_K])
@pytest.mark.parametrize("distinct", [2_000, 20_000])
def test_registers_are_those_of_datasketches(lg_k: int, distinct: int) -> None:
    registers = sketch_of(range(distinct), lg_k).registers
    assert registers is not None
    assert np.array_equal(registers, their_registers(range(distinct), lg_k))


@pytest.mark.parametrize("lg_k", [8, GROUP_LG_K, NAMED_LG_K])
def test_a_small_set_is_counted_exactly_until_it_becomes_registers(lg_k: int) -> None:
    last = sketch_of(range(sparse_max(lg_k)), lg_k)
    told = estimate(last)
    assert last.is_sparse
    assert told.lower == told.count == told.upper == sparse_max(lg_k)
    assert not added(last, coupons(range(10**6, 10**6 + 1))).is_sparse


def test_a_large_batch_of_few_values_stays_small() -> None:
    texts = ["a", "b", "c"] * 10_000
    sketch = added(no_uniques(), coupons_of_texts(texts))
    assert sketch.is_sparse
    assert estimate(sketch).count == 3


def test_a_large_batch_finds_what_was_there_before() -> None:
    before = sketch_of(range(10), GROUP_LG_K)
    assert added(before, coupons(range(5, 50_000))) == sketch_of(range(50_000), GROUP_LG_K)


def test_a_sketch_that_was_given_out_never_changes() -> None:
    for first in (range(10), range(10_000)):
        sketch = sketch_of(first)
        before = hash(sketch)
        added(sketch, coupons(range(10**6, 10**6 + 500)))
        merged([sketch, sketch_of(range(77, 3_000))], lg_k=LG_K)
        assert hash(sketch) == before


def test_the_two_forms_are_never_equal() -> None:
    assert sketch_of(range(3)) != sketch_of(range(500))
    assert sketch_of(range(500)) != sketch_of(range(501, 999))
    assert sketch_of(range(3)) != no_uniques(9)
    assert sketch_of(range(3)) != "a sketch"


def test_sketches_of_another_size_are_refused_by_name() -> None:
    with pytest.raises(OtherSize, match=r"lgK 12 .* lgK 14"):
        merged([no_uniques(14), no_uniques(12)], lg_k=14)
    for lg_k in (7, 17):
        with pytest.raises(OtherSize, match=f"not {lg_k}"):
            no_uniques(lg_k)
