"""Content that we would not have written is refused, even by a writer who knows how to make its checksums."""

import struct

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.errors import NotASketch, UnknownSketchVersion
from footfall.sketches.frames import framed
from footfall.sketches.grouped import grouped_from
from footfall.sketches.grouped_bytes import CONTENT_BYTES_MAX, bytes_from_grouped, grouped_checksum, grouped_from_bytes


def sealed(content: bytes) -> bytes:
    head = struct.pack("<QQ", len(content), xxh3_64_intdigest(content))
    return framed(b"ffug", 1, head + zstandard.compress(content))


def content(*, counts: tuple[int, int, int, int], **columns: list[int]) -> bytes:
    """Return a content as the format page draws it; numbers are below 256, so that all planes but the first are 0."""
    parts = [struct.pack("<BIII", *counts)]
    for name, width in (("steps", 8), ("sizes", 4), ("coupons", 4), ("dense", 4)):
        numbers = np.array(columns.get(name, []), f"<u{width}")
        parts.append(numbers.view(np.uint8).reshape(-1, width).T.tobytes())
    return b"".join(parts)


ONE, TWO = 1 << 26, 2 << 26


def test_the_content_is_as_the_format_page_draws_it() -> None:
    sketches = grouped_from_bytes(
        sealed(content(counts=(8, 2, 3, 0), steps=[5, 2], sizes=[1, 2], coupons=[TWO, ONE, TWO]))
    )
    assert sketches.groups.tolist() == [5, 7]
    assert sketches.coupons.tolist() == [TWO, ONE, TWO]
    assert grouped_from_bytes(bytes_from_grouped(sketches)) == sketches


@pytest.mark.parametrize(
    "unsound",
    [
        b"",
        content(counts=(8, 0, 0, 0)) + b"x",
        content(counts=(7, 0, 0, 0)),
        content(counts=(8, 2**32 - 1, 2**32 - 1, 0)),
        content(counts=(16, 0, 0, 2**32 - 1)),
        content(counts=(8, 2, 2, 0), steps=[5, 0], sizes=[1, 1], coupons=[ONE, ONE]),  # a group twice
        content(counts=(8, 1, 2, 0), steps=[5], sizes=[2], coupons=[TWO, ONE]),  # falling
        content(counts=(8, 1, 2, 0), steps=[5], sizes=[2], coupons=[ONE, ONE]),  # twice
        content(counts=(8, 1, 1, 0), steps=[5], sizes=[1], coupons=[3]),  # no rho
        content(counts=(8, 1, 1, 0), steps=[5], sizes=[2], coupons=[ONE]),
        content(counts=(8, 1, 1, 0), steps=[5], sizes=[0], coupons=[ONE]),
        content(counts=(8, 1, 0, 0), steps=[5], sizes=[0]),  # a group of nobody
        content(counts=(8, 1, 25, 0), steps=[5], sizes=[25], coupons=[ONE + at for at in range(25)]),
        content(counts=(8, 1, 0, 1), steps=[5], sizes=[0], dense=[0]),  # no registers
        content(counts=(8, 1, 1, 1), steps=[5], sizes=[1], coupons=[ONE], dense=[0]) + bytes(133),  # both
        content(counts=(8, 1, 0, 1), steps=[5], sizes=[0], dense=[1]) + bytes(133),
    ],
)
def test_unsound_content_is_refused(unsound: bytes) -> None:
    with pytest.raises(NotASketch, match="again"):
        grouped_from_bytes(sealed(unsound))


@given(st.integers(0, 2**32))
def test_changed_content_gives_a_sound_value_or_a_clear_error(seed: int) -> None:
    chance = np.random.default_rng(seed)
    groups, visitors = chance.zipf(1.6, 200) % 9, chance.integers(0, 99, 200)
    data = bytes_from_grouped(grouped_from(groups.astype(np.int64), coupons_of_numbers(visitors), lg_k=8))
    changed = bytearray(zstandard.decompress(data[30:]))
    changed[chance.integers(0, min(len(changed), chance.choice([13, len(changed)])))] = chance.integers(0, 256)
    try:
        sketches = grouped_from_bytes(sealed(bytes(changed)))
    except NotASketch:
        return
    assert grouped_checksum(bytes_from_grouped(sketches)) == f"{xxh3_64_intdigest(bytes(changed)):016x}"


def test_a_length_that_is_not_given_memory_is_refused() -> None:
    for size in (CONTENT_BYTES_MAX + 1, 2**64 - 1):
        with pytest.raises(NotASketch, match="at most"):
            grouped_from_bytes(framed(b"ffug", 1, struct.pack("<QQ", size, 0) + zstandard.compress(b"")))


@pytest.mark.parametrize("body", [b"", b"\0" * 15, struct.pack("<QQ", 9, 0) + b"not zstandard", bytes(16)])
def test_a_frame_around_nothing_is_refused(body: bytes) -> None:
    with pytest.raises(NotASketch):
        grouped_from_bytes(framed(b"ffug", 1, body))


def test_a_content_of_another_length_or_checksum_is_refused() -> None:
    packed = zstandard.compress(b"abc")
    for size, checksum in ((4, 0), (3, 0), (2, xxh3_64_intdigest(b"ab"))):
        with pytest.raises(NotASketch):
            grouped_from_bytes(framed(b"ffug", 1, struct.pack("<QQ", size, checksum) + packed))


def test_another_version_is_told_by_its_number() -> None:
    with pytest.raises(UnknownSketchVersion, match="version 9"):
        grouped_checksum(framed(b"ffug", 9, b""))
