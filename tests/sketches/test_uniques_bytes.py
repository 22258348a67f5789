"""Stored sketches: equal ones are equal bytes, whole ones come back, and damaged ones never do."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.errors import NotASketch, UnknownSketchVersion
from footfall.sketches.frames import framed
from footfall.sketches.uniques import Uniques, added, from_registers, merged, no_uniques
from footfall.sketches.uniques_bytes import bytes_from_uniques, uniques_from_bytes


def sketch_of(distinct: int, lg_k: int = 8) -> Uniques:
    return added(no_uniques(lg_k), coupons_of_numbers(np.arange(distinct)))


@given(st.sets(st.integers(0, 2**40), max_size=80), st.integers(1, 79))
def test_equal_sets_are_equal_bytes_however_they_came_together(numbers: set[int], at: int) -> None:
    values = coupons_of_numbers(np.array(sorted(numbers), np.int64))
    whole = added(no_uniques(8), values)
    parts = merged([added(no_uniques(8), values[at:]), added(no_uniques(8), values[:at])], lg_k=8)
    assert bytes_from_uniques(parts) == bytes_from_uniques(whole)
    assert uniques_from_bytes(bytes_from_uniques(whole)) == whole


@pytest.mark.parametrize("lg_k", [8, 12, 14, 16])
@pytest.mark.parametrize("distinct", [0, 1, 24, 25, 2_000, 200_000])
def test_what_was_stored_comes_back(lg_k: int, distinct: int) -> None:
    sketch = sketch_of(distinct, lg_k)
    assert uniques_from_bytes(bytes_from_uniques(sketch)) == sketch


def test_registers_far_from_the_lowest_come_back() -> None:
    registers = np.full(256, 7, np.uint8)
    registers[[3, 255]] = 22, 63
    sketch = from_registers(registers)
    assert uniques_from_bytes(bytes_from_uniques(sketch)) == sketch


def test_small_sets_take_few_bytes() -> None:
    assert len(bytes_from_uniques(sketch_of(10, 12))) == 56
    assert len(bytes_from_uniques(sketch_of(1_000_000, 12))) < 2_200
    assert len(bytes_from_uniques(sketch_of(1_000_000, 14))) < 8_500


@pytest.mark.parametrize("distinct", [0, 3, 500])
def test_no_changed_byte_goes_unnoticed(distinct: int) -> None:
    data = bytes_from_uniques(sketch_of(distinct))
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << (at % 8)
        with pytest.raises(NotASketch, match="count it again"):
            uniques_from_bytes(bytes(damaged))
    for end in range(len(data)):
        with pytest.raises(NotASketch):
            uniques_from_bytes(data[:end])


@given(st.binary(max_size=300))
def test_content_that_we_would_not_have_written_is_refused_even_with_its_checksum(content: bytes) -> None:
    data = framed(b"ffun", 1, content)
    try:
        sketch = uniques_from_bytes(data)
    except NotASketch:
        return
    assert bytes_from_uniques(sketch) == data


@pytest.mark.parametrize(
    "body",
    [
        b"\x08\x00" + struct.pack("<2I", 5 << 26, 4 << 26),  # falling
        b"\x08\x00" + struct.pack("<2I", 5 << 26, 5 << 26),  # twice
        b"\x08\x00" + struct.pack("<I", 77),  # no rho
        b"\x08\x00" + struct.pack("<25I", *(1 << 26 | at for at in range(25))),  # too many
        b"\x08\x00\x01",
        b"\x08\x02",
        b"\x07\x00",
        b"\x11\x00",
        b"\x08",
        b"\x08\x01" + struct.pack("<BI", 0, 1) + bytes(128) + struct.pack("<I", 20 << 26 | 256),  # outside
        b"\x08\x01" + struct.pack("<BI", 0, 1) + bytes(128) + struct.pack("<I", 20 << 26),  # no room was left for it
        b"\x08\x01" + struct.pack("<BI", 1, 0) + b"\x11" * 128,  # not from the lowest
        b"\x08\x01" + struct.pack("<BI", 60, 0) + b"\xee" * 128,  # above 63
        b"\x08\x01" + struct.pack("<BI", 0, 2**32 - 1) + bytes(128),
        b"\x08\x01\x00",
    ],
)
def test_sound_frames_around_unsound_sketches_are_refused(body: bytes) -> None:
    with pytest.raises(NotASketch, match="count it again"):
        uniques_from_bytes(framed(b"ffun", 1, body))


def test_a_version_that_is_not_known_is_told_from_damage() -> None:
    with pytest.raises(UnknownSketchVersion, match=r"version 2.*reads 1; upgrade"):
        uniques_from_bytes(framed(b"ffun", 2, b"whatever the future writes"))


def test_the_frame_is_as_the_format_page_draws_it() -> None:
    data = bytes_from_uniques(sketch_of(2, 12))
    assert (data[:4], data[12:16]) == (b"ffun", b"\x01\x00\x0c\x00")
    assert int.from_bytes(data[4:12], "little") == xxh3_64_intdigest(data[12:])
    assert np.frombuffer(data[16:], "<u4").tolist() == sorted(coupons_of_numbers(np.arange(2)).tolist())
