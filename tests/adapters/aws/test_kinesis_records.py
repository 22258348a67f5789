"""A Kinesis record of ours: what goes in comes out, what is damaged is noticed and accounted for."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.aws.kinesis_records import (
    JOINED_BYTES_MAX,
    KINESIS_BYTES_MAX,
    data_from_entries,
    header_from_data,
    joined,
    records_from_data,
)
from footfall.ports.errors import Corrupt, Unavailable
from footfall.ports.stream import RECORD_BYTES_MAX, Claim, Entry, Record

PRODUCER = b"producer"
IDS = st.lists(st.tuples(st.integers(0, 2_000), st.binary(min_size=16, max_size=16)), max_size=3).map(tuple)
CLAIMS = st.none() | st.builds(Claim, st.binary(max_size=16), st.binary(max_size=16), st.integers(0, 70_000))
ENTRIES = st.lists(
    st.builds(
        Entry,
        st.just(3),
        st.text(max_size=8),
        st.integers(0, 2**40),
        st.binary(max_size=40),
        st.integers(0, 2**42),
        IDS,
        CLAIMS,
    ),
    min_size=1,
    max_size=6,
)
# Written by release 0.1: must be read for ever.
FIRST_FORMAT = bytes.fromhex(
    "46464b010000001bdbb5251d8b81e7c7970100c40870726f647563657201020682a361626302a36465660128b52ffd245cc5"
    "0100f4029297a36162630205c40874776f20686974739101c4106993c4106bc410620197a36465660106c4036f6e65c0c400"
    "c00314000c836c02b0d10eba"
)


def records_of(data: bytes, *, after: int = 0) -> list[Record]:
    header = header_from_data(data)
    return records_from_data(header, data, after=after, arrived_at_ms=header.arrived_to_ms)


@given(entries=ENTRIES, after=st.integers(0, 2**50))
def test_entries_come_out_as_they_went_in_under_the_numbers_that_follow(entries: list[Entry], after: int) -> None:
    data = data_from_entries(entries, shards=9, producer=PRODUCER, number=7)
    header = header_from_data(data)
    assert (header.shards, header.shard, header.producer, header.number) == (9, 3, PRODUCER, 7)
    assert sum(header.weights.values()) == sum(entry.weight for entry in entries)
    assert records_of(data, after=after) == [
        Record(after + n, e.group, e.weight, e.data, e.arrived_at_ms, ids=e.ids, claim=e.claim)
        for n, e in enumerate(entries, 1)
    ]


@given(sizes=st.lists(st.integers(0, 700_000), max_size=12))
def test_joined_entries_keep_their_order_and_fit(sizes: list[int]) -> None:
    chance = Random(1)
    entries = [Entry(0, "abc", 1, chance.randbytes(size), 0) for size in sizes]
    groups = joined(entries)
    assert [entry for group in groups for entry in group] == entries
    assert all(groups)
    for left, right in pairwise(groups):
        assert sum(len(e.data) for e in left) + len(right[0].data) > JOINED_BYTES_MAX - 100 * (len(left) + 1)


def test_the_largest_record_of_the_most_hits_fits() -> None:
    chance = Random(2)
    ids = tuple((place, chance.randbytes(16)) for place in range(2_000))
    claim = Claim(chance.randbytes(16), chance.randbytes(16), 70_000)
    entry = Entry(255, "b" * 64, 2_000, chance.randbytes(RECORD_BYTES_MAX), 2**42, ids, claim)
    data = data_from_entries([entry], shards=256, producer=PRODUCER, number=2**40)
    assert len(data) <= KINESIS_BYTES_MAX
    assert records_of(data)[0].ids == ids


def test_damage_at_any_byte_is_noticed_and_what_was_lost_is_accounted_for() -> None:
    entries = [Entry(0, "abc", 2, b"some hits " * 9, 5), Entry(0, "def", 3, b"more", 6), Entry(0, "abc", 4, b"", 7)]
    data = data_from_entries(entries, shards=1, producer=PRODUCER, number=1)
    whole, seen = records_of(data, after=10), set[str]()
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0xFF
        try:
            found = records_of(bytes(damaged), after=10)
        except (Corrupt, Unavailable):
            seen.add("unreadable")
            continue
        if found != whole:
            seen.add("lost")
            assert [(r.sequence, r.group, r.weight, r.data) for r in found] == [
                (12, "abc", 6, b""),
                (13, "def", 3, b""),
            ]
    assert seen == {"unreadable", "lost"}


def test_a_record_of_a_later_release_is_not_passed_over() -> None:
    data = data_from_entries([Entry(0, "abc", 1, b"1", 1)], shards=1, producer=PRODUCER, number=1)
    with pytest.raises(Unavailable, match="format 2"):
        header_from_data(data[:3] + b"\x02" + data[4:])


@pytest.mark.parametrize("data", [b"", b"junk", b"FFK", b"FFK\x01", b"FFK\x01\xff\xff\xff\xff12345678"])
def test_what_is_not_ours_is_corrupt(data: bytes) -> None:
    with pytest.raises(Corrupt):
        header_from_data(data)


def test_a_record_of_the_first_format_is_read() -> None:
    assert records_of(FIRST_FORMAT, after=41) == [
        Record(42, "abc", 2, b"two hits", 5, ids=((1, b"i" * 16),), claim=Claim(b"k" * 16, b"b" * 16, 1)),
        Record(43, "def", 1, b"one", 6),
    ]
