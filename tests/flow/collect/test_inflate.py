"""Compressed bodies come out whole or not at all, and no bomb gets past its limit."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.collect.inflate import TooMuch, inflate
from footfall.values.errors import Refused

BODY = b'{"brand":"abc","assetId":1}\n' * 500
MEGABYTE = 1 << 20


def zstd(body: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(body)


PACKED = pytest.mark.parametrize(("encoding", "packed"), [("gzip", gzip.compress), ("zstd", zstd)])
Packed = Callable[[bytes], bytes]


def gzip_bomb() -> bytes:
    # After a full flush the same megabyte has the same bytes again; the checksum at the end is never reached.
    packer = zlib.compressobj(9, wbits=-15)
    megabyte = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + megabyte * 1_024 + b"\x03\x00" + bytes(8)


def zstd_bomb() -> bytes:
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    return b"".join([packer.compress(bytes(MEGABYTE)) for _ in range(1_024)] + [packer.flush()])


@PACKED
def test_a_compressed_body_comes_out_as_it_was(encoding: str, packed: Packed) -> None:
    assert inflate(packed(BODY), encoding, bytes_max=len(BODY)) == BODY


@pytest.mark.parametrize("encoding", ["", "identity"])
def test_a_plain_body_stays_as_it_is(encoding: str) -> None:
    assert inflate(BODY, encoding, bytes_max=len(BODY)) == BODY


def test_the_old_name_of_gzip_is_known() -> None:
    assert inflate(gzip.compress(BODY), "x-gzip", bytes_max=len(BODY)) == BODY


@given(body=st.binary(max_size=3_000))
def test_any_body_comes_out_as_it_was(body: bytes) -> None:
    assert inflate(gzip.compress(body), "gzip", bytes_max=3_000) == body
    assert inflate(zstd(body), "zstd", bytes_max=3_000) == body


@PACKED
def test_one_byte_over_the_limit_is_too_much(encoding: str, packed: Packed) -> None:
    with pytest.raises(TooMuch, match="13,999"):
        inflate(packed(BODY), encoding, bytes_max=len(BODY) - 1)


def test_a_plain_body_over_the_limit_is_too_much() -> None:
    with pytest.raises(TooMuch):
        inflate(BODY, "", bytes_max=len(BODY) - 1)


@pytest.mark.parametrize(("encoding", "bomb"), [("gzip", gzip_bomb), ("zstd", zstd_bomb)])
def test_a_bomb_is_given_up_before_it_takes_memory(encoding: str, bomb: Callable[[], bytes]) -> None:
    body = bomb()
    assert len(body) < 1_100_000
    tracemalloc.start()
    try:
        with pytest.raises(TooMuch):
            inflate(body, encoding, bytes_max=4 * MEGABYTE)
        assert tracemalloc.get_traced_memory()[1] < 48 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_a_zstd_frame_that_asks_for_a_huge_window_is_refused() -> None:
    settings = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    body = packer.compress(BODY) + packer.flush()
    with pytest.raises(Refused, match="is not zstd"):
        inflate(body, "zstd", bytes_max=MEGABYTE)


@PACKED
def test_several_members_are_one_body(encoding: str, packed: Packed) -> None:
    assert inflate(packed(BODY) + packed(b"") + packed(b"end"), encoding, bytes_max=MEGABYTE) == BODY + b"end"


@PACKED
def test_several_members_share_the_limit(encoding: str, packed: Packed) -> None:
    with pytest.raises(TooMuch):
        inflate(packed(BODY) * 3, encoding, bytes_max=3 * len(BODY) - 1)


def test_a_body_of_nothing_but_empty_members_is_given_up() -> None:
    with pytest.raises(Refused, match="gzip members"):
        inflate(gzip.compress(b"") * 50_000, "gzip", bytes_max=MEGABYTE)


def test_a_body_of_nothing_but_empty_frames_is_empty() -> None:
    assert inflate(zstd(b"") * 20_000, "zstd", bytes_max=MEGABYTE) == b""


@PACKED
def test_a_body_cut_off_anywhere_is_refused(encoding: str, packed: Packed) -> None:
    whole = packed(BODY)
    for end in range(1, len(whole)):
        with pytest.raises(Refused, match="body"):
            inflate(whole[:end], encoding, bytes_max=MEGABYTE)


@PACKED
def test_a_second_member_that_is_cut_off_is_refused(encoding: str, packed: Packed) -> None:
    with pytest.raises(Refused, match="body"):
        inflate(packed(BODY) + packed(BODY)[:-1], encoding, bytes_max=MEGABYTE)


@PACKED
def test_what_follows_a_body_and_is_no_member_is_refused(encoding: str, packed: Packed) -> None:
    with pytest.raises(Refused, match="body"):
        inflate(packed(BODY) + b"garbage and more of it", encoding, bytes_max=MEGABYTE)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@given(body=st.binary(min_size=1, max_size=60))
def test_garbage_is_refused(encoding: str, body: bytes) -> None:
    with pytest.raises(Refused, match="body"):
        inflate(body, encoding, bytes_max=MEGABYTE)


@PACKED
def test_damage_is_refused_or_harmless(encoding: str, packed: Packed) -> None:
    whole = bytearray(packed(b"a hit and another"))
    for place in range(len(whole)):
        whole[place] ^= 0xFF
        with suppress(Refused, TooMuch):
            assert len(inflate(bytes(whole), encoding, bytes_max=MEGABYTE)) <= MEGABYTE
        whole[place] ^= 0xFF


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_an_empty_body_stays_empty(encoding: str) -> None:
    assert inflate(b"", encoding, bytes_max=10) == b""


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "é" * 100])
def test_an_unknown_encoding_is_named_with_those_that_are_taken(encoding: str) -> None:
    with pytest.raises(Refused, match=r"Content-Encoding: .* is not taken; send gzip, zstd or none"):
        inflate(BODY, encoding, bytes_max=MEGABYTE)
