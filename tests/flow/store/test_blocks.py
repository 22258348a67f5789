"""Columns as bytes: equal content is equal bytes, and damaged bytes are never an answer."""

import struct
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from footfall.flow.store.blocks import (
    UnknownVersion,
    bytes_from_columns,
    checksum_of,
    columns_from_bytes,
    content_from_columns,
)
from footfall.flow.store.columns import EMPTY, Columns, Cuts, Slice, columns_from_counts, is_same
from footfall.flow.store.cutting import cut
from footfall.flow.store.merging import merge
from footfall.ports.errors import Corrupt
from tests.flow.store.counts import columns, slice_of

SMALL = replace(
    columns_from_counts(
        {
            ("132141398", "563", "article", "free"): 258,
            ("132141399", "563", "article", "free"): 7,
            ("132141399", "12", "video", "paid"): 1,
            ("/nyheter/å", "12", "video", "paid"): 70_000,
        }
    ),
    other=300,
    cuts=Cuts({slice_of("12", "video", "paid"): 3, slice_of("9"): 1}, any_asset=4, reaches_kept=True),
)

# What version 1 has always looked like: the content byte for byte, and one block as it was once written.
GOLDEN_CONTENT = (
    "0400000001000000410000000b00000008010301959293a23132a5766964656fa47061696493a3353633a761727469636c65"
    "a466726565cd012c929293a23132a5766964656fa470616964039293a139a0a00104c35601009151000046e000000c070000"
    "90000000550000003700000095000000ec010001000201077001000011000000010b2f6e7968657465722fc3a5"
)
GOLDEN_CONTENT_2 = (
    "0400000001000000530000000b00000008010301969293a23132a5766964656fa47061696493a3353633a761727469636c65"
    "a466726565cd012c929293a23132a5766964656fa470616964039293a139a0a00104c3919293a23132a5766964656fa47061"
    "6964055601009151000046e000000c07000090000000550000003700000095000000ec010001000201077001000011000000"
    "010b2f6e7968657465722fc3a5"
)
GOLDEN_CONTENT_3 = (
    "02000000000000002e0000000000000001010100979293a23132a0a094a23132a0a0a3626f7400919294a23132a0a0a26169"
    "0101c2919294a23132a0a0a261690409070000010302"
)
GOLDEN_BLOCK = (
    "6666636f10ab4d166aa694880100910000000000000059ce97b4e9289c7228b52ffd2091050400d2071d28806b1a03d31006"
    "efc8a292c0edd6b7618845bb6b308d133270b5f15245eeb9594c00db0cfaee28535c47c5c57682a950d3e0f59214b0aea13f"
    "fb15ffe3cfbc247850e31d9a15d245aa698bcd944f12f4b31b25db5222108b95e7904074a605ab6bb3ac052f9ca1c09932d3"
    "a7817ffa19bffe510200363001dc842828"
)


@given(st.builds(cut, columns, st.integers(0, 3)), st.integers(0, 2**63))
def test_columns_come_back_as_they_were(given_columns: Columns, other: int) -> None:
    written = replace(given_columns, other=other)
    assert is_same(columns_from_bytes(bytes_from_columns(written)), written)


def test_nothing_comes_back_as_nothing() -> None:
    assert is_same(columns_from_bytes(bytes_from_columns(EMPTY)), EMPTY)


@given(st.lists(columns, max_size=4), st.randoms(use_true_random=False))
def test_equal_columns_are_equal_bytes_however_they_were_merged(parts: list[Columns], chance: Random) -> None:
    shuffled = list(parts)
    chance.shuffle(shuffled)
    stepwise = EMPTY
    for part in shuffled:
        stepwise = merge([stepwise, part])
    assert bytes_from_columns(stepwise) == bytes_from_columns(merge(parts))


@given(columns, columns)
def test_checksums_are_equal_for_equal_columns_only(one: Columns, two: Columns) -> None:
    same = checksum_of(bytes_from_columns(one)) == checksum_of(bytes_from_columns(two))
    assert same == is_same(one, two)


def test_version_1_is_still_what_it_was() -> None:
    assert content_from_columns(SMALL).hex() == GOLDEN_CONTENT
    assert is_same(columns_from_bytes(bytes.fromhex(GOLDEN_BLOCK)), SMALL)


def test_a_window_that_was_cut_is_of_version_2_and_says_what_was_left_out() -> None:
    left_out = {slice_of("12", "video", "paid"): 5}
    whole = replace(SMALL, cuts=replace(SMALL.cuts, left_out=left_out))
    data = bytes_from_columns(whole)
    assert (data[12], bytes_from_columns(SMALL)[12]) == (2, 1)
    assert columns_from_bytes(data).cuts.left_out == left_out
    assert content_from_columns(whole).hex() == GOLDEN_CONTENT_2


def test_a_window_in_which_not_all_are_persons_is_written_as_version_3() -> None:
    ai = slice_of("12", label="ai")
    screened = replace(
        columns_from_counts({("7", "12", "", ""): 3, ("7", "12", "", "", "bot"): 2}),
        other_screened=9,
        cuts=Cuts({ai: 1}, any_asset=1, left_out={ai: 4}),
    )
    data = bytes_from_columns(screened)
    assert struct.unpack_from("<H", data, 12) == (3,)
    assert content_from_columns(screened).hex() == GOLDEN_CONTENT_3
    assert is_same(columns_from_bytes(data), screened)


def test_a_flipped_byte_is_noticed_wherever_it_is() -> None:
    data = bytes_from_columns(SMALL)
    for at in range(len(data)):
        for flip in (0x01, 0x80, 0xFF):
            broken = bytearray(data)
            broken[at] ^= flip
            with pytest.raises(Corrupt):
                columns_from_bytes(bytes(broken))


def test_missing_and_additional_bytes_are_noticed() -> None:
    data = bytes_from_columns(SMALL)
    for end in range(len(data)):
        with pytest.raises(Corrupt):
            columns_from_bytes(data[:end])
    with pytest.raises(Corrupt):
        columns_from_bytes(data + b"\0")


def framed(
    content: bytes | bytearray, *, version: int = 1, size: int | None = None, packed: bytes | None = None
) -> bytes:
    """Return bytes whose outer check is right, whatever they hold."""
    packed = zstandard.ZstdCompressor().compress(content) if packed is None else packed
    size = len(content) if size is None else size
    rest = struct.pack("<HQQ", version, size, xxh3_64_intdigest(content)) + packed
    return b"ffco" + struct.pack("<Q", xxh3_64_intdigest(rest)) + rest


def test_an_unknown_version_is_named() -> None:
    with pytest.raises(UnknownVersion, match="version 7"):
        columns_from_bytes(framed(b"from the future", version=7))


@pytest.mark.parametrize(
    "data",
    [
        framed(b"x" * 40, size=2**40),
        framed(b"x" * 40, size=39),
        framed(b"x" * 40, size=41),
        framed(b"x" * 40, packed=b"no zstandard"),
        framed(b"x" * 40, packed=zstandard.ZstdCompressor().compress(b"y" * 40)),
        framed(b""),
        framed(b"x" * 40),
        framed(content_from_columns(SMALL)[:-1]),
        framed(content_from_columns(SMALL) + b"\0"),
        framed(content_from_columns(SMALL).replace(b"\x95", b"\xc1", 1)),
        framed(content_from_columns(replace(SMALL, text_ident=EMPTY.text_ident, texts=EMPTY.texts))),
        framed(content_from_columns(replace(SMALL, slices=SMALL.slices[:1]))),
        framed(content_from_columns(replace(SMALL, texts=replace(SMALL.texts, blob=b"")))),
    ],
)
def test_content_that_no_footfall_writes_is_corrupt_even_when_its_check_is_right(data: bytes) -> None:
    with pytest.raises(Corrupt):
        columns_from_bytes(data)


def test_fifty_thousand_numeric_ids_take_under_six_bytes_a_row() -> None:
    chance = np.random.default_rng(7)
    ident = np.sort(chance.choice(900_000_000, 50_000, replace=False) + 100_000_000).astype(np.uint64)
    popular = replace(
        EMPTY,
        slices=tuple(sorted(Slice(str(section), "article", "free") for section in range(200))),
        ident=ident,
        slice_no=chance.integers(0, 200, len(ident)).astype(np.uint16),
        hits=np.minimum(chance.zipf(1.3, len(ident)), 10**6).astype(np.uint64),
    )
    data = bytes_from_columns(popular)
    assert len(data) < 6 * len(ident)
    assert is_same(columns_from_bytes(data), popular)
