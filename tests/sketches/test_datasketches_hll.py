"""Sketches go out to DataSketches and come in from it without losing a bit, and what is no sketch never comes in."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.datasketches_hll import BYTES_MAX, datasketches_from_uniques, uniques_from_datasketches
from footfall.sketches.errors import NotASketch, OtherSize
from footfall.sketches.uniques import Uniques, added, estimate, merged, no_uniques
from tests.sketches.theirs import datasketches

KINDS = [datasketches.HLL_4, datasketches.HLL_6, datasketches.HLL_8]
FORMS: list[Callable[..., bytes]] = [
    datasketches.hll_sketch.serialize_compact,
    datasketches.hll_sketch.serialize_updatable,
]
SIZES = [0, 1, 7, 8, 24, 25, 48, 49, 384, 385, 1_536, 1_537, 30_000]


def sketch_of(distinct: int, lg_k: int = 12) -> Uniques:
    return added(no_uniques(lg_k), coupons_of_numbers(np.arange(distinct)))


@cache
def theirs_of(distinct: int, lg_k: int = 12, kind: object = datasketches.HLL_8) -> Any:
    sketch = datasketches.hll_sketch(lg_k, kind)
    for number in range(distinct):
        sketch.update(number)
    return sketch


@pytest.mark.parametrize("distinct", SIZES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_what_datasketches_wrote_is_the_sketch_of_the_same_values(
    distinct: int, kind: object, form: Callable[..., bytes]
) -> None:
    for lg_k in (8, 12, 14):
        data = bytes(form(theirs_of(distinct, lg_k, kind)))
        assert uniques_from_datasketches(data) == sketch_of(distinct, lg_k)


@pytest.mark.parametrize("distinct", SIZES)
def test_what_we_wrote_is_what_datasketches_would_have_but_for_the_order(distinct: int) -> None:
    ours = datasketches_from_uniques(sketch_of(distinct))
    theirs = bytes(theirs_of(distinct).serialize_compact())
    assert len(ours) == len(theirs)
    if distinct <= 384:  # coupons, which lie in the order of their table there
        start = 8 if distinct < 8 else 12
        assert ours[:start] == theirs[:start]
        assert sorted(np.frombuffer(ours[start:], "<u4")) == sorted(np.frombuffer(theirs[start:], "<u4"))
    else:  # registers; the flag tells that the estimate by order, which stands before the sums, is not to be used
        assert (ours[5], theirs[5]) == (24, 8)
        assert ours[:5] + ours[6:8] + ours[16:] == theirs[:5] + theirs[6:8] + theirs[16:]


@pytest.mark.parametrize("distinct", SIZES)
def test_datasketches_reads_what_we_wrote_and_estimates_the_same(distinct: int) -> None:
    sketch = sketch_of(distinct)
    read = datasketches.hll_sketch.deserialize(datasketches_from_uniques(sketch))
    ours = estimate(sketch)
    assert read.get_estimate() == pytest.approx(ours.count, rel=0.01, abs=0.01)
    assert read.get_lower_bound(2) == pytest.approx(ours.lower, rel=0.01, abs=0.01)
    assert read.get_upper_bound(2) == pytest.approx(ours.upper, rel=0.01, abs=0.2)
    read.update(10**9)  # It goes on from there.
    assert uniques_from_datasketches(bytes(read.serialize_compact())) == added(
        sketch, coupons_of_numbers(np.array([10**9]))
    )


def test_their_union_of_our_sketches_is_our_merge() -> None:
    ours = [added(no_uniques(12), coupons_of_numbers(np.arange(at, at + 3_000))) for at in (0, 2_000, 9_000)]
    union = datasketches.hll_union(12)
    for sketch in ours:
        union.update(datasketches.hll_sketch.deserialize(datasketches_from_uniques(sketch)))
    for kind in KINDS:
        result = bytes(union.get_result(kind).serialize_compact())
        assert uniques_from_datasketches(result) == merged(ours, lg_k=12)


def test_registers_far_from_the_others_are_read_from_the_exceptions() -> None:
    # A register of four bits says 15 for what is too high for it; of 40 sketches, most have such a one.
    found = 0
    for seed in range(40):
        numbers = np.random.default_rng(seed).integers(0, 2**62, 2_000)
        sketch = datasketches.hll_sketch(10, datasketches.HLL_4)
        for number in numbers.tolist():
            sketch.update(number)
        for form in FORMS:
            data = bytes(form(sketch))
            found += int.from_bytes(data[36:40], "little")
            assert uniques_from_datasketches(data) == added(no_uniques(10), coupons_of_numbers(numbers))
    assert found


@given(st.binary(max_size=200))
def test_bytes_of_anything_are_no_sketch(data: bytes) -> None:
    with pytest.raises((NotASketch, OtherSize)):
        uniques_from_datasketches(data)


@pytest.mark.parametrize("distinct", [0, 5, 30, 2_000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_sketch_cut_short_or_too_long_is_refused(distinct: int, kind: object) -> None:
    for form in FORMS:
        data = bytes(form(theirs_of(distinct, 10, kind)))
        for end in {*range(min(len(data), 64)), len(data) // 2, len(data) - 1}:
            with pytest.raises(NotASketch, match="send what its serialiser wrote"):
                uniques_from_datasketches(data[:end])
        with pytest.raises(NotASketch):
            uniques_from_datasketches(data + b"\1\0\0\0")


@given(st.integers(0, 2**32), st.sampled_from([3, 30, 800]), st.sampled_from(range(3)), st.booleans())
def test_damaged_bytes_give_a_sound_sketch_or_a_clear_error(seed: int, distinct: int, kind: int, compact: bool) -> None:
    chance = np.random.default_rng(seed)
    data = bytearray(FORMS[0 if compact else 1](theirs_of(distinct, 8, KINDS[kind])))
    for _ in range(chance.integers(1, 5)):
        data[chance.integers(0, min(len(data), 48 if chance.random() < 0.5 else len(data)))] = chance.integers(0, 256)
    try:
        sketch = uniques_from_datasketches(bytes(data))
    except (NotASketch, OtherSize):
        return
    assert uniques_from_datasketches(datasketches_from_uniques(sketch)) == sketch
    assert estimate(sketch).lower <= estimate(sketch).count <= estimate(sketch).upper


def test_a_sketch_that_began_with_registers_is_read_as_registers() -> None:
    for kind in KINDS:
        sketch = datasketches.hll_sketch(12, kind, True)
        for number in range(3):
            sketch.update(number)
        for form in FORMS:
            read = uniques_from_datasketches(bytes(form(sketch)))
            assert estimate(read).count == pytest.approx(3, rel=0.01)
            assert merged([read, sketch_of(9_000)], lg_k=12) == sketch_of(9_000)


def test_registers_with_the_sums_of_others_are_refused() -> None:
    data = bytearray(datasketches_from_uniques(sketch_of(5_000)))
    data[40] ^= 1
    with pytest.raises(NotASketch, match="sums"):
        uniques_from_datasketches(bytes(data))
    data[5] |= 32  # It says itself that its sums are old, as unions of DataSketches do.
    assert not uniques_from_datasketches(bytes(data)).is_sparse


def test_a_register_that_no_hash_could_give_is_refused() -> None:
    data = bytearray(datasketches_from_uniques(sketch_of(5_000)))
    data[5] |= 32
    data[40] = 64
    with pytest.raises(NotASketch, match="above 63"):
        uniques_from_datasketches(bytes(data))


@pytest.mark.parametrize("lg_k", [4, 7, 17, 21])
def test_a_sketch_of_a_size_that_we_do_not_keep_is_refused_by_its_size(lg_k: int) -> None:
    with pytest.raises(OtherSize, match=f"lgK {lg_k}"):
        uniques_from_datasketches(bytes(datasketches.hll_sketch(lg_k).serialize_compact()))


def test_another_family_and_more_bytes_than_any_are_refused() -> None:
    theta = bytes(datasketches.update_theta_sketch(12).compact().serialize())
    for data in (theta, bytes(BYTES_MAX + 1)):
        with pytest.raises(NotASketch):
            uniques_from_datasketches(data)
