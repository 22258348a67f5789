"""Packs come back as they were put, whole or not at all."""

import struct
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from footfall.archive.captures import Kept
from footfall.archive.packing import (
    INLINE_BYTES_MAX,
    bodies_of,
    exchanges_from,
    frames_from,
    pack_frames,
    pack_records,
    recorded_from,
)
from footfall.ports.capturing import Exchange, Frame
from footfall.ports.errors import Corrupt

TEXTS = st.text(max_size=40)
HEADERS = st.lists(st.tuples(TEXTS, TEXTS), max_size=4)
BODIES = st.one_of(
    st.binary(max_size=200),
    st.integers(INLINE_BYTES_MAX - 1, INLINE_BYTES_MAX + 2).map(lambda size: bytes(size)),
)
EXCHANGES = st.builds(
    Exchange,
    url=TEXTS,
    method=st.sampled_from(["GET", "POST"]),
    status=st.integers(0, 999),
    at_us=st.integers(0, 2**53),
    request_headers=HEADERS,
    response_headers=HEADERS,
    body=BODIES,
    request_body=BODIES,
    is_cut=st.booleans(),
)


class Bodies:
    """Bodies under their hash, as a store keeps them."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, body: bytes) -> Kept:
        name = sha256(body).hexdigest()
        self.kept[name] = body
        return Kept(name, len(body))

    def get(self, name: str) -> bytes:
        return self.kept[name]


@given(st.lists(EXCHANGES, max_size=5))
def test_exchanges_come_back_as_they_were_and_only_large_bodies_lie_apart(exchanges: list[Exchange]) -> None:
    bodies = Bodies()
    pack = pack_records(exchanges, bodies.put)
    assert list(exchanges_from(pack, bodies.get)) == exchanges
    assert pack == pack_records(exchanges, bodies.put)
    assert {kept.sha256 for kept in bodies_of(pack)} == set(bodies.kept)
    assert all(len(body) > INLINE_BYTES_MAX for body in bodies.kept.values())


@given(st.lists(st.builds(Frame, url=TEXTS, html=st.text()), max_size=5))
def test_documents_come_back_as_they_were(frames: list[Frame]) -> None:
    assert frames_from(pack_frames(frames)) == frames


def test_half_a_surrogate_pair_becomes_a_replacement_and_two_halves_one_character() -> None:
    (frame,) = frames_from(pack_frames([Frame("http://site/", "\ufeffa\ud83d! \ud83d\ude00")]))
    assert frame.html == "\ufeffa\ufffd! \U0001f600"


def test_a_pack_with_any_byte_changed_or_lost_is_refused() -> None:
    pack = pack_frames([Frame("http://site/", "<p>words</p>" * 20)])
    for place in range(len(pack)):
        with pytest.raises(Corrupt):
            frames_from(pack[:place] + bytes([pack[place] ^ 1]) + pack[place + 1 :])
        with pytest.raises(Corrupt):
            frames_from(pack[:place])


def test_a_pack_of_another_kind_or_of_a_later_version_is_refused_by_name() -> None:
    pack = pack_frames([])
    with pytest.raises(Corrupt, match="no pack"):
        recorded_from(pack)
    later = struct.pack("<H", 2) + pack[14:]
    with pytest.raises(Corrupt, match=r"version 2.*upgrade"):
        frames_from(pack[:4] + struct.pack("<Q", xxh3_64_intdigest(later)) + later)


def test_a_body_that_is_not_the_one_of_its_name_is_refused() -> None:
    bodies = Bodies()
    exchange = Exchange("http://site/a", "GET", 200, 1, [], [], bytes(20_000))
    pack = pack_records([exchange], bodies.put)
    with pytest.raises(Corrupt, match="restore"):
        list(exchanges_from(pack, lambda _: b"\1" * 20_000))
