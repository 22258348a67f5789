"""Events: numbered as every reader numbers them, and what was handed over before is left out."""

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.aws.kinesis_fed import FedStream, raw_records_from_event
from footfall.adapters.aws.kinesis_places import Follower, Place, RawRecord
from footfall.adapters.aws.kinesis_records import data_from_entries
from footfall.adapters.aws.kinesis_shards import partition_key_of
from footfall.ports.errors import Unavailable
from footfall.ports.stream import Entry, NotKept, Record

NOON_MS = 1_794_744_000_000
FIRST, SECOND = "shardId-000000000000", "shardId-000000000001"


def raw(number: int, *, sequence: int = 0, shard: int = 0, count: int = 2, kinesis_shard: str = FIRST) -> RawRecord:
    entries = [Entry(shard, "abc", 1, b"%d.%d" % (number, n), NOON_MS + number) for n in range(count)]
    data = data_from_entries(entries, shards=2, producer=b"producer", number=number)
    return RawRecord(kinesis_shard, sequence or number, partition_key_of(shard), data, NOON_MS)


def everything(stream: FedStream, *, after: int = 0, limit: int = 3) -> list[Record]:
    found: list[Record] = []
    while page := stream.read(0, after=found[-1].sequence if found else after, limit=limit):
        found += page
    return found


def followed(raws: list[RawRecord]) -> list[Record]:
    follower = Follower(0, shards=2, place=Place())
    return [record for one in raws for record in follower.take(one)]


EVENTS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 8)), max_size=8)


@given(events=EVENTS, doubled=st.sets(st.integers(1, 20)), is_warm=st.booleans())
def test_events_that_overlap_give_every_record_once_with_its_number(
    events: list[tuple[int, int]], doubled: set[int], is_warm: bool
) -> None:
    raws: list[RawRecord] = []
    for number in range(1, 21):
        raws += [raw(number, sequence=len(raws) + 1)] * 1
        if number in doubled:
            raws.append(raw(number, sequence=len(raws) + 1))
    expected, found, counted, place = followed(raws), list[Record](), 0, b""
    stream = FedStream(shards=2)
    for back, length in [*events, (40, 40)]:
        begin = max(counted - back, 0)
        if not is_warm:
            stream = FedStream(shards=2)
        stream.feed(raws[begin : max(begin + length, counted)])
        stream.resume(0, place)
        found += everything(stream, after=len(found))
        place = stream.place(0, through=len(found))
        counted = max(counted, begin + length)
    assert found == expected


def test_a_place_in_the_middle_of_an_event_lies_before_the_record_that_was_not_counted() -> None:
    stream = FedStream(shards=2)
    stream.feed([raw(1), raw(2), raw(3)])
    assert len(everything(stream)) == 6
    for through, left in ((0, 1), (1, 1), (2, 2), (3, 2), (5, 3), (6, None)):
        place = stream.place(0, through=through)
        assert stream.left(0, place) == left
        again = FedStream(shards=2)
        again.resume(0, place)
        again.feed([raw(1), raw(2), raw(3), raw(4)])
        assert [one.sequence for one in again.read(0, after=through)] == list(range(through + 1, 9))
    assert stream.left(0, b"") == 1


def test_what_was_read_and_not_kept_is_read_again_after_a_failure() -> None:
    stream = FedStream(shards=2)
    stream.feed([raw(1), raw(2)])
    first = everything(stream)
    stream.resume(0, b"")  # Nothing was ever kept.
    assert everything(stream) == first
    stream.feed([raw(1), raw(2)])  # Delivered again.
    stream.resume(0, b"")
    assert everything(stream) == first
    stream.resume(0, stream.place(0, through=2))
    with pytest.raises(NotKept):
        stream.read(0, after=1)


def test_others_records_are_counted_and_left_and_shards_are_told() -> None:
    stream = FedStream(shards=2)
    stranger = RawRecord(FIRST, 7, "somebody", b"else", NOON_MS)
    assert stream.feed([raw(1, shard=1), stranger, raw(2)]) == [0, 1]
    assert stream.strangers == 1
    assert len(stream.read(1, after=0)) == 2
    assert stream.feed([raw(3)]) == [0]
    assert stream.read(1, after=2) == []
    assert not stream.sees_tip


def test_a_record_of_ours_that_nobody_can_read_is_kept_before_it_is_passed_over() -> None:
    kept: list[int] = []
    is_away = True

    def keep(one: RawRecord) -> None:
        if is_away:
            raise Unavailable("the archive is away")
        kept.append(one.sequence)

    stream = FedStream(shards=2, keep_unreadable=keep)
    damaged = RawRecord(FIRST, 2, partition_key_of(0), b"damaged", NOON_MS)
    stream.feed([raw(1), damaged, raw(3)])
    assert len(stream.read(0, after=0, limit=2)) == 2
    with pytest.raises(Unavailable):
        stream.read(0, after=2)
    assert stream.left(0, stream.place(0, through=2)) == 2
    is_away = False
    assert [one.sequence for one in stream.read(0, after=2)] == [3, 4]
    assert (kept, stream.strangers) == ([2], 1)
    assert stream.left(0, stream.place(0, through=2)) == 3


def test_a_child_shard_is_entered_only_when_its_parent_has_ended() -> None:
    asked: list[tuple[int, str]] = []
    may_enter = False

    def told(shard: int, place: bytes, kinesis_shard: str) -> bool:
        del place
        asked.append((shard, kinesis_shard))
        return may_enter

    stream = FedStream(shards=2, may_enter=told)
    stream.resume(0, place_in(FIRST, raw(1)))
    stream.feed([raw(3, kinesis_shard=SECOND)])
    stream.resume(0, place_in(FIRST, raw(1)))
    with pytest.raises(Unavailable, match="have not all been counted"):
        stream.read(0, after=2)
    stream.feed([raw(2)])  # The parent's comes first then.
    stream.resume(0, place_in(FIRST, raw(1)))
    assert len(stream.read(0, after=2)) == 2
    place = stream.place(0, through=4)
    may_enter = True
    stream.feed([raw(3, kinesis_shard=SECOND)])
    stream.resume(0, place)
    assert [one.sequence for one in stream.read(0, after=4)] == [5, 6]
    stream.feed([raw(2)])
    assert stream.read(0, after=6) == []  # An event of the parent, delivered again.
    assert asked == [(0, SECOND)] * 2


def place_in(kinesis_shard: str, *taken: RawRecord) -> bytes:
    stream = FedStream(shards=2)
    stream.feed(taken)
    through = stream.tip(0)
    assert taken[0].kinesis_shard == kinesis_shard
    return stream.place(0, through=through)


def test_an_event_of_the_event_source_is_understood() -> None:
    sent = [raw(1), raw(2, kinesis_shard=SECOND, sequence=int("4" * 56))]
    event = {
        "Records": [
            {
                "eventID": f"{one.kinesis_shard}:{one.sequence}",
                "kinesis": {
                    "sequenceNumber": str(one.sequence),
                    "partitionKey": one.partition_key,
                    "data": b64encode(one.data).decode(),
                    "approximateArrivalTimestamp": one.arrived_at_ms / 1_000,
                },
            }
            for one in sent
        ]
    }
    assert raw_records_from_event(event) == sent


def test_an_event_is_only_read() -> None:
    stream = FedStream(shards=2)
    for refused in (
        lambda: stream.append([]),
        lambda: stream.sequence_at(0, arrived_at_ms=0),
        stream.kept_since_ms,
        stream.appended,
    ):
        with pytest.raises(Unavailable):
            refused()
    assert (stream.mark(b""), stream.tip(0)) == (0, 0)
