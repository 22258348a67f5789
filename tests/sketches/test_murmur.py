"""What we keep of a value is what Apache DataSketches keeps of it, whatever its length and its bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.sketches.coupons import coupons_of, coupons_of_bytes, coupons_of_numbers, coupons_of_texts
from footfall.sketches.errors import ValueTooLong
from footfall.sketches.murmur import CHUNK, VALUE_BYTES_MAX, Hashes, hashes_of_texts
from tests.sketches.theirs import datasketches

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


def their_coupon(value: str | int) -> int:
    sketch = datasketches.hll_sketch(12)
    sketch.update(value)
    return int.from_bytes(bytes(sketch.serialize_compact())[8:12], "little")


@given(st.lists(TEXTS, max_size=30))
def test_texts_have_the_coupons_of_datasketches(texts: list[str]) -> None:
    assert coupons_of_texts(texts).tolist() == [their_coupon(text) for text in texts if text]


@given(st.lists(TEXTS, max_size=30))
def test_bytes_have_the_coupons_of_the_text_they_encode(texts: list[str]) -> None:
    assert coupons_of_bytes([text.encode() for text in texts]).tolist() == coupons_of_texts(texts).tolist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30))
def test_numbers_have_the_coupons_of_datasketches(numbers: list[int]) -> None:
    signed = np.array(numbers, np.int64)
    theirs = [their_coupon(number) for number in numbers]
    assert coupons_of_numbers(signed).tolist() == theirs
    assert coupons_of_numbers(signed.view(np.uint64)).tolist() == theirs


def test_every_length_of_a_value_is_hashed_as_datasketches_does() -> None:
    texts = ["x" * size for size in range(1, 200)]
    assert coupons_of_texts(texts).tolist() == [their_coupon(text) for text in texts]


def test_zero_bytes_inside_of_values_do_not_part_them() -> None:
    texts = ["a\0b", "\0", "\0" * 40, "a", "b"]
    assert coupons_of_texts(texts).tolist() == [their_coupon(text) for text in texts]


def test_order_is_kept_across_chunks() -> None:
    texts = [f"{'long ' * (number % 9)}{number}" for number in range(CHUNK + 100)]
    coupons = coupons_of_texts(texts)
    for at in (0, 1, CHUNK - 1, CHUNK, CHUNK + 99):
        assert coupons[at] == their_coupon(texts[at])


def test_one_pass_of_hashing_serves_several_sketches() -> None:
    chunks = list(hashes_of_texts(["one", "two"]))
    assert coupons_of(chunks).tolist() == coupons_of_texts(["one", "two"]).tolist()


def test_the_longest_value_is_taken_and_a_longer_one_is_refused() -> None:
    longest = "x" * VALUE_BYTES_MAX
    assert coupons_of_texts([longest]).tolist() == [their_coupon(longest)]
    with pytest.raises(ValueTooLong, match=rf"{VALUE_BYTES_MAX + 1} bytes.*digest"):
        coupons_of_texts(["short", longest + "x"])


def test_leading_zeros_are_counted_over_the_whole_word() -> None:
    # A word whose upper half is zero is too rare to be met by values, so the words are given.
    words = [0, 1, 2, 3, 5, 2**31, 2**32 - 1, 2**32, 2**33 - 1, 2**53 + 1, 2**54 - 1, 2**62, 2**63, 2**64 - 1]
    hashes = Hashes(np.zeros(len(words), np.uint64), np.array(words, np.uint64))
    rhos = coupons_of([hashes]) >> np.uint32(26)
    assert rhos.tolist() == [min(64 - word.bit_length(), 62) + 1 for word in words]


def test_no_values_have_no_coupons() -> None:
    assert (
        len(coupons_of_texts([])) == len(coupons_of_bytes([b""])) == len(coupons_of_numbers(np.empty(0, np.int64))) == 0
    )
