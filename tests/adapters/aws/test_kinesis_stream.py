"""What is Kinesis' own about the stream: faults on the way, what does not fit, and places to go on from."""

import base64
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from random import Random

import pytest

from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.kinesis_calls import raw_from_event
from footfall.adapters.aws.kinesis_places import Follower, Place, bytes_from_place, place_from_bytes
from footfall.adapters.aws.kinesis_shards import hash_key_of, partition_key_of
from footfall.adapters.aws.kinesis_stream import KinesisStream
from footfall.ports.errors import Throttled, TooLarge, Unavailable
from footfall.ports.stream import Claim, Entry, Mark, NoMarks, NoSharing, NotKept, Record
from footfall.values.clock import SetClock, SystemClock
from tests.adapters.aws.kinesis_faults import Faults, at_random
from tests.adapters.aws.kinesis_streams import NOON_MS, SHARDS, Waits, data_of, entry, everything, opened, plain
from tests.engines.kinesis import KinesisEngine


@pytest.mark.parametrize("seed", range(2))
def test_whatever_fails_on_the_way_what_was_acknowledged_is_read_once_and_in_order(
    kinesis: KinesisEngine, seed: int
) -> None:
    send_through_faults(kinesis, seed, appends=60)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 130))
def test_whatever_fails_for_long_what_was_acknowledged_is_read_once_and_in_order(
    kinesis: KinesisEngine, seed: int
) -> None:
    send_through_faults(kinesis, seed, appends=400)


def send_through_faults(kinesis: KinesisEngine, seed: int, *, appends: int) -> None:
    """Append while every second call fails in some way, and hold what is read against what was acknowledged."""
    name, chance = kinesis.new_stream(kinesis_shards=2), Random(seed)
    stream, faults = opened(kinesis, name, plan=at_random(chance, 0.5), attempts_max=3, seed=seed)
    acknowledged: list[list[bytes]] = [[] for _ in range(SHARDS)]
    sent: Counter[bytes] = Counter()
    for n in range(appends):
        entries = [entry(b"%d" % n, shard=shard) for shard in range(SHARDS) if chance.random() < 0.7]
        try:
            stream.append(entries)
        except (Throttled, Unavailable):
            sent[b"%d" % n] += 1
        else:
            for one in entries:
                acknowledged[one.shard].append(one.data)
        if chance.random() < 0.2:
            faults.deliver_late()
    faults.deliver_late()
    assert len(faults.done) >= 6
    assert sent
    reader = plain(kinesis, name)
    for shard, read in enumerate(data_of(reader)):
        assert max(Counter(read).values()) == 1
        assert [data for data in read if data not in sent] == acknowledged[shard]
    assert reader.doubled > 0


def planned(faults: list[str]) -> Callable[[str], str]:
    return lambda call: faults.pop(0) if call == "PutRecords" and faults else ""


def test_a_put_whose_answer_is_lost_is_sent_again_and_read_once(kinesis: KinesisEngine) -> None:
    stream, _ = opened(kinesis, kinesis.new_stream(), plan=planned(["answer lost", "answer lost"]))
    stream.append([entry(b"1")])
    stream.append([entry(b"2")])
    assert [record.data for record in everything(stream)] == [b"1", b"2"]
    assert stream.doubled == 2


def test_a_put_that_takes_effect_after_the_next_one_does_not_come_back(kinesis: KinesisEngine) -> None:
    stream, faults = opened(kinesis, kinesis.new_stream(), plan=planned(["late", "lost"]), attempts_max=2)
    with pytest.raises(Unavailable, match="some of the records at most"):
        stream.append([entry(b"given up")])
    stream.append([entry(b"next")])
    faults.deliver_late()
    assert [record.data for record in everything(stream)] == [b"next"]


def test_only_what_failed_is_put_again_and_in_its_shards_order(kinesis: KinesisEngine) -> None:
    stream, faults = opened(kinesis, kinesis.new_stream(), plan=planned(["in part", "in part"]))
    big = Random(5)
    blobs = [[big.randbytes(510_000) for _ in range(2)] for _ in range(2)]
    stream.append([entry(blob, shard=shard) for shard in (0, 1) for blob in blobs[shard]])
    assert data_of(stream) == [*blobs, [], []]
    assert faults.done == {"in part": 2}
    assert (stream.put_records, stream.put_attempts, stream.doubled) == (4, 6, 0)  # One failed of two, twice.


def test_a_throttled_stream_says_that_nothing_is_stored(kinesis: KinesisEngine) -> None:
    stream, _ = opened(kinesis, kinesis.new_stream(), plan=planned(["throttled"] * 3), attempts_max=3)
    with pytest.raises(Throttled, match="took none"):
        stream.append([entry(b"1"), entry(b"2", shard=1)])
    stream.append([entry(b"3")])
    assert data_of(stream) == [[b"3"], [], [], []]


def test_waits_grow_up_to_a_cap_and_no_two_senders_wait_alike(kinesis: KinesisEngine) -> None:
    name = kinesis.new_stream()
    waited: list[list[float]] = []
    for seed in (1, 2):
        pause = Waits()
        client = kinesis.client()
        Faults(client, lambda call: "throttled" if call == "PutRecords" else "")
        backoff = Backoff(first_ms=100, cap_ms=400, attempts_max=9)
        stream = KinesisStream(
            client, name, shards=1, clock=SetClock(0), chance=Random(seed), pause=pause, backoff=backoff
        )
        with pytest.raises(Throttled):
            stream.append([entry(b"1")])
        waited.append(pause.seconds)
    assert [len(waits) for waits in waited] == [8, 8]
    bounds_s = [0.1, 0.2, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4]
    assert all(wait <= bound for waits in waited for wait, bound in zip(waits, bounds_s, strict=True))
    assert waited[0] != waited[1]


def test_a_stream_that_is_not_there_says_what_to_do(kinesis: KinesisEngine) -> None:
    stream = plain(kinesis, "nowhere")
    with pytest.raises(Unavailable, match="make the stream"):
        stream.append([entry(b"1")])
    with pytest.raises(Unavailable, match="make the stream"):
        stream.read(0, after=0)


def test_many_small_entries_travel_in_one_record(kinesis: KinesisEngine) -> None:
    stream = plain(kinesis, kinesis.new_stream())
    stream.append([entry(b"hit %d" % n, shard=n % SHARDS) for n in range(8_000)])
    assert stream.put_records == SHARDS
    assert len(everything(stream, 3)) == 2_000


def test_ids_and_claims_come_with_the_record(kinesis: KinesisEngine) -> None:
    stream = plain(kinesis, kinesis.new_stream())
    ids, claim = ((0, b"i" * 16), (7, b"j" * 16)), Claim(b"k" * 16, b"b" * 16, 3)
    stream.append([Entry(0, "abc", 2, b"1", NOON_MS, ids, claim), entry(b"2")])
    first, second = everything(stream)
    assert (first.ids, first.claim, second.ids, second.claim) == (ids, claim, (), None)


def test_marks_are_refused_before_anything_is_stored(kinesis: KinesisEngine) -> None:
    stream = plain(kinesis, kinesis.new_stream())
    with pytest.raises(NoMarks, match="keeps no marks"):
        stream.append([entry(b"1"), Entry(0, "abc", 1, b"2", NOON_MS, mark=Mark(b"m" * 16, 0, 1))])
    assert data_of(stream)[0] == []


def test_what_several_claims_share_is_refused_before_anything_is_stored(kinesis: KinesisEngine) -> None:
    stream = plain(kinesis, kinesis.new_stream())
    claims = (Claim(b"k" * 16, b"b" * 16), Claim(b"l" * 16, b"b" * 16))
    with pytest.raises(NoSharing, match="append what each of them came with apart"):
        stream.append([entry(b"1"), Entry(0, "abc", 1, b"2", NOON_MS, shared=claims)])
    assert data_of(stream)[0] == []


def test_an_entry_that_no_record_could_hold_is_refused_before_anything_is_stored(kinesis: KinesisEngine) -> None:
    stream, chance = plain(kinesis, kinesis.new_stream()), Random(3)
    ids = tuple((n, chance.randbytes(16)) for n in range(5_000))
    with pytest.raises(TooLarge, match="1,048,320"):
        stream.append([entry(b"1", shard=1), Entry(0, "abc", 5_000, chance.randbytes(1_000_000), NOON_MS, ids)])
    assert data_of(stream) == [[], [], [], []]


def test_a_reader_that_goes_on_from_any_place_gives_the_same_numbers(kinesis: KinesisEngine) -> None:
    name = kinesis.new_stream(kinesis_shards=2)
    writers = [opened(kinesis, name, plan=at_random(Random(s), 0.3), seed=s)[0] for s in range(3)]
    reader = plain(kinesis, name)
    places: list[tuple[int, bytes]] = []
    for n in range(40):
        writers[n % 3].append([entry(b"%d.%d" % (n, place), shard=1) for place in range(3)])
        if n % 4 == 0:
            read = reader.read(1, after=places[-1][0] if places else 0)
            through = read[-1].sequence - n % 3  # A checkpoint may lie inside a record.
            places.append((through, reader.place(1, through=through)))
    whole = everything(plain(kinesis, name), 1)
    assert [record.sequence for record in whole] == list(range(1, len(whole) + 1))
    for through, place in places:
        resumed = plain(kinesis, name)
        resumed.resume(1, place)
        assert resumed.read(1, after=through) == whole[through:]
        with pytest.raises(NotKept, match="read it from the archive"):
            resumed.read(1, after=place_from_bytes(place).through - 1)


def test_reads_survive_throttling_lost_answers_and_outdated_iterators(kinesis: KinesisEngine) -> None:
    name, chance = kinesis.new_stream(), Random(8)
    writer = plain(kinesis, name)
    for n in range(30):
        writer.append([entry(b"%d" % n, shard=n % SHARDS)])
    reader, faults = opened(
        kinesis, name, plan=lambda call: at_random(chance, 0.4)(call) if call == "GetRecords" else ""
    )
    assert data_of(reader) == [[b"%d" % n for n in range(30) if n % SHARDS == shard] for shard in range(SHARDS)]
    assert faults.done.keys() == {"throttled", "lost", "outdated"}


def test_a_record_of_somebody_else_stalls_nothing(kinesis: KinesisEngine) -> None:
    name = kinesis.new_stream()
    stream, client = plain(kinesis, name), kinesis.client()
    stream.append([entry(b"1")])
    for key in (partition_key_of(0), "somebody"):
        client.put_record(
            StreamName=name, Data=b"junk", PartitionKey=key, ExplicitHashKey=str(hash_key_of(0, shards=SHARDS))
        )
    stream.append([entry(b"2")])
    assert [(record.sequence, record.data) for record in everything(stream)] == [(1, b"1"), (2, b"2")]
    assert stream.strangers == 1


def test_another_number_of_shards_is_noticed(kinesis: KinesisEngine) -> None:
    name = kinesis.new_stream()
    plain(kinesis, name).append([entry(b"1", shard=0)])
    other = KinesisStream(kinesis.client(), name, shards=2, clock=SystemClock(), chance=Random(1), poll_ms=0)
    with closing(other), pytest.raises(Unavailable, match="shard 0 of 4"):
        other.read(0, after=0)


def test_the_tip_is_not_asked_for_again_at_once(kinesis: KinesisEngine) -> None:
    name, clock, asked = kinesis.new_stream(), SetClock(NOON_MS), Counter[str]()
    client = kinesis.client()
    Faults(client, lambda call: asked.update([call]) or "")
    reader = KinesisStream(client, name, shards=SHARDS, clock=clock, chance=Random(1), poll_ms=1_000)
    for _ in range(5):
        assert [reader.read(shard, after=0) for shard in range(SHARDS)] == [[]] * SHARDS
    assert asked["GetRecords"] == 1
    clock.advance(1_000)
    reader.read(0, after=0)
    assert asked["GetRecords"] == 2


def test_what_kinesis_may_have_let_go_is_told_by_its_retention(kinesis: KinesisEngine) -> None:
    name, clock = kinesis.new_stream(), SetClock(SystemClock().now_ms())
    stream = KinesisStream(kinesis.client(), name, shards=1, clock=clock, chance=Random(1))
    assert stream.kept_since_ms() == 0
    clock.advance(48 * 3_600_000)
    assert stream.kept_since_ms() == clock.now_ms() - 24 * 3_600_000


def test_what_lambda_is_handed_gets_the_same_numbers(kinesis: KinesisEngine) -> None:
    name, client = kinesis.new_stream(), kinesis.client()
    stream, _ = opened(kinesis, name, plan=planned(["answer lost", "", "answer lost"]))
    for n in range(6):
        stream.append([entry(b"%d" % n, shard=n % 2), entry(b"also", shard=n % 2)])
    (shard,) = client.list_shards(StreamName=name)["Shards"]
    iterator = client.get_shard_iterator(StreamName=name, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
    events = [
        {
            "eventID": f"{shard['ShardId']}:{one['SequenceNumber']}",
            "kinesis": {
                "sequenceNumber": one["SequenceNumber"],
                "partitionKey": one["PartitionKey"],
                "data": base64.b64encode(one["Data"]).decode(),
                "approximateArrivalTimestamp": one["ApproximateArrivalTimestamp"].timestamp(),
            },
        }
        for one in client.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    ]
    follower, read = Follower(1, shards=SHARDS, place=Place()), list[Record]()
    for n in range(0, len(events), 2):
        # Handed over twice, as after a failure, and kept in between.
        kept = bytes_from_place(follower.place)
        for event in events[max(n - 3, 0) : n + 2]:
            read += follower.take(raw_from_event(event))
        again = Follower(1, shards=SHARDS, place=place_from_bytes(kept))
        for event in events[max(n - 3, 0) : n + 2]:
            again.take(raw_from_event(event))
        assert again.place == follower.place
    assert read == everything(stream, 1)
