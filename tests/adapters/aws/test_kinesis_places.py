"""Places: the same numbers for every reader, each record of a sender once, and a memory that stays small."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.aws.kinesis_places import (
    HEARD_S_MAX,
    PRODUCERS_MAX,
    Follower,
    Place,
    Producers,
    RawRecord,
    bytes_from_place,
    place_from_bytes,
)
from footfall.adapters.aws.kinesis_records import Header, data_from_entries
from footfall.adapters.aws.kinesis_shards import (
    HASH_KEYS,
    KinesisShard,
    first_holding,
    hash_key_of,
    next_holding,
    partition_key_of,
)
from footfall.ports.errors import Corrupt, Unavailable
from footfall.ports.stream import Entry, Record

NOON_MS = 1_794_744_000_000


def raw(number: int, *, producer: bytes = b"producer", sequence: int = 0, count: int = 2, shard: int = 0) -> RawRecord:
    entries = [Entry(shard, "abc", 1, b"%d.%d" % (number, n), NOON_MS + number) for n in range(count)]
    data = data_from_entries(entries, shards=2, producer=producer, number=number)
    return RawRecord("shardId-000000000000", sequence or number, partition_key_of(shard), data, NOON_MS)


def follower(place: Place | None = None) -> Follower:
    return Follower(0, shards=2, place=place or Place())


def taken(by: Follower, raws: list[RawRecord]) -> list[Record]:
    return [record for one in raws for record in by.take(one)]


SENT = st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), max_size=30)


@given(sent=SENT, cuts=st.lists(st.integers(0, 60), max_size=4))
def test_readers_that_take_over_anywhere_number_as_one_that_read_it_all(
    sent: list[tuple[int, bool, bool]], cuts: list[int]
) -> None:
    raws: list[RawRecord] = []
    numbers = [0, 0, 0]
    for producer, again, is_other in sent:
        numbers[producer] += 1
        for _ in range(1 + again):
            shard = int(is_other)
            name = b"sender-%d" % producer
            raws.append(raw(numbers[producer], producer=name, sequence=len(raws) + 1, shard=shard))
    whole = follower()
    read = taken(whole, raws)
    assert [record.sequence for record in read] == list(range(1, len(read) + 1))
    assert len({record.data for record in read if record.data}) <= len(read)
    for cut in cuts:
        before = follower()
        first = taken(before, raws[:cut])
        after = follower(place_from_bytes(bytes_from_place(before.place)))
        # What was taken before may be handed over again.
        assert first + taken(after, raws) == read
        assert after.place == whole.place


def test_a_record_that_comes_twice_is_taken_once_wherever_the_reader_was_cut() -> None:
    twice = [raw(1), raw(2, sequence=2), raw(1, sequence=3), raw(2, sequence=4), raw(3, sequence=5)]
    for cut in range(6):
        before = follower()
        read = taken(before, twice[:cut])
        read += taken(follower(place_from_bytes(bytes_from_place(before.place))), twice[cut:])
        assert [record.data for record in read] == [b"1.0", b"1.1", b"2.0", b"2.1", b"3.0", b"3.1"]


def test_records_of_a_shard_that_came_before_are_known_to_be_old() -> None:
    reader = follower(Place(through=9, kinesis_shard="shardId-000000000007", kinesis_sequence=5))
    assert reader.take(raw(1, sequence=10**50)) == []
    assert reader.place == Place(through=9, kinesis_shard="shardId-000000000007", kinesis_sequence=5)


def header(producer: bytes, number: int) -> Header:
    return Header(2, 0, producer, number, 1, NOON_MS, {"abc": 1})


def test_a_silent_sender_is_forgotten_after_its_requests_have_run_out() -> None:
    heard = Producers()
    assert heard.is_new(header(b"producer", 5), at_ms=NOON_MS)
    assert heard.is_new(header(b"somebody", 1), at_ms=NOON_MS + HEARD_S_MAX * 1_000)
    assert not heard.is_new(header(b"producer", 5), at_ms=NOON_MS + HEARD_S_MAX * 1_000)
    assert heard.is_new(header(b"somebody", 2), at_ms=NOON_MS + HEARD_S_MAX * 1_000 + 1_000)
    assert heard.is_new(header(b"producer", 5), at_ms=NOON_MS + HEARD_S_MAX * 1_000 + 1_000)


def test_the_memory_of_senders_is_bounded_and_small() -> None:
    heard, chance = Producers(), Random(1)
    for n in range(PRODUCERS_MAX + 500):
        assert heard.is_new(header(chance.randbytes(8), n % 1_000 + 1), at_ms=NOON_MS + n)
    packed = heard.packed()
    assert len(packed) < 150_000
    assert Producers(packed).packed() == packed


@pytest.mark.parametrize("kept", [b"", b"junk", bytes_from_place(Place())[:-1], b"\x96\x02\x00\xa0\xa10\x00\xc4\x00"])
def test_a_place_that_cannot_be_read_is_corrupt(kept: bytes) -> None:
    with pytest.raises(Corrupt):
        place_from_bytes(kept)


def test_a_place_keeps_all_56_digits() -> None:
    place = Place(3, "shardId-000000000001", int("4" * 56), NOON_MS, b"")
    assert place_from_bytes(bytes_from_place(place)) == place


@given(shards=st.integers(1, 256), cuts=st.lists(st.integers(1, HASH_KEYS - 1), max_size=20, unique=True))
def test_each_of_our_shards_lies_in_one_of_kinesis(shards: int, cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), HASH_KEYS]
    kinesis = [KinesisShard(f"shardId-{n:012d}", a, b - 1) for n, (a, b) in enumerate(pairwise(ends))]
    for shard in range(shards):
        key = hash_key_of(shard, shards=shards)
        assert sum(one.holds(key) for one in kinesis) == 1
    keys = [hash_key_of(shard, shards=shards) for shard in range(shards)]
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("split", [2, 4, 8])
def test_equal_splits_part_our_shards_evenly(split: int) -> None:
    held = [hash_key_of(shard, shards=8) * split // HASH_KEYS for shard in range(8)]
    assert all(held.count(part) == 8 // split for part in range(split))


def test_a_reader_goes_from_parent_to_child_and_over_those_that_are_gone() -> None:
    low, high = HASH_KEYS // 4, 3 * HASH_KEYS // 4
    one = KinesisShard("shardId-000000000000", 0, HASH_KEYS - 1)
    left = KinesisShard("shardId-000000000001", 0, HASH_KEYS // 2 - 1, (one.name,))
    right = KinesisShard("shardId-000000000002", HASH_KEYS // 2, HASH_KEYS - 1, (one.name,))
    merged = KinesisShard("shardId-000000000003", 0, HASH_KEYS - 1, (left.name, right.name))
    found = [merged, right, left, one]
    assert first_holding(found, low) == one
    assert [next_holding(found, one.name, key) for key in (low, high)] == [left, right]
    assert [next_holding(found, shard.name, low) for shard in (left, right)] == [merged, merged]
    assert next_holding(found, merged.name, low) is None
    assert next_holding([merged], one.name, low) == merged
    with pytest.raises(Unavailable):
        first_holding([left], high)
