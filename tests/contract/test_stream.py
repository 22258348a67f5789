"""What every stream promises: order, all or none of what does not fit, and an exact account."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec import structs

from footfall.ports.errors import PortError, TooLarge
from footfall.ports.stream import READ_RECORDS_MAX, RECORD_BYTES_MAX, Stream
from tests.contract.streams import NOON_MS, STREAMS, Made, claim, entry, everything, id_of

NewStream = Callable[[int], Made]


@pytest.fixture(params=list(STREAMS))
def new_stream(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewStream]:
    with ExitStack() as opened:
        yield lambda shards: opened.enter_context(STREAMS[request.param](request, tmp_path, shards))


@pytest.fixture
def made(new_stream: NewStream) -> Made:
    return new_stream(1)


@pytest.fixture
def stream(made: Made) -> Stream:
    return made.stream


def test_a_new_stream_is_empty(stream: Stream) -> None:
    assert stream.shards == 1
    assert stream.read(0, after=0) == []
    assert (stream.tip(0), stream.sequence_at(0, arrived_at_ms=0), stream.kept_since_ms()) == (0, 0, 0)
    assert stream.appended() == {}


def test_nothing_appended_changes_nothing(stream: Stream) -> None:
    assert stream.append([]) == []
    assert stream.tip(0) == 0


def test_records_are_read_as_they_were_appended_and_in_that_order(stream: Stream) -> None:
    entries = [entry(b"%d" % n, group=f"b{n % 3}", weight=n + 1, at_ms=NOON_MS + n) for n in range(10)]
    done = stream.append(entries[:4]) + stream.append(entries[4:])
    assert not any(appended.is_refused or appended.repeated for appended in done)
    read = everything(stream)
    assert [(r.group, r.weight, r.data, r.arrived_at_ms) for r in read] == [
        (e.group, e.weight, e.data, e.arrived_at_ms) for e in entries
    ]
    assert all(not record.repeats and not record.repeated for record in read)


def test_sequence_numbers_only_grow_and_the_tip_is_the_last(stream: Stream) -> None:
    for _ in range(5):
        stream.append([entry(), entry()])
    sequences = [record.sequence for record in everything(stream)]
    assert len(sequences) == 10
    assert sequences == sorted(set(sequences))
    assert sequences[0] > 0
    assert stream.tip(0) == sequences[-1]


def test_reading_again_gives_the_same(stream: Stream) -> None:
    stream.append([entry(b"a"), entry(b"b")])
    assert stream.read(0, after=0) == stream.read(0, after=0)


def test_a_read_goes_on_after_a_sequence_number_whatever_the_limit(stream: Stream) -> None:
    for size in (3, 1, 4):
        stream.append([entry(b"%d" % n) for n in range(size)])
    whole = stream.read(0, after=0)
    for limit in (1, 2, 3, 7, 100):
        assert everything(stream, limit=limit) == whole
    for place, record in enumerate(whole):
        assert stream.read(0, after=record.sequence) == whole[place + 1 :]
        assert stream.read(0, after=record.sequence, limit=1) == whole[place + 1 : place + 2]
    assert stream.read(0, after=stream.tip(0)) == []


def test_one_read_returns_no_more_than_every_adapter_can(stream: Stream) -> None:
    stream.append([entry()] * (READ_RECORDS_MAX + 1))
    assert len(stream.read(0, after=0, limit=10 * READ_RECORDS_MAX)) == READ_RECORDS_MAX
    assert len(everything(stream)) == READ_RECORDS_MAX + 1


def test_shards_are_logs_of_their_own(new_stream: NewStream) -> None:
    stream = new_stream(3).stream
    stream.append([entry(b"%d" % n, shard=n % 3) for n in range(9)])
    stream.append([entry(b"last", shard=2)])
    assert stream.shards == 3
    assert [[record.data for record in everything(stream, shard)] for shard in range(3)] == [
        [b"0", b"3", b"6"],
        [b"1", b"4", b"7"],
        [b"2", b"5", b"8", b"last"],
    ]
    assert stream.appended() == {"abc": 10}


def test_a_record_of_the_most_bytes_is_taken_and_one_more_is_not(stream: Stream) -> None:
    stream.append([entry(bytes(RECORD_BYTES_MAX))])
    assert len(stream.read(0, after=0)[0].data) == RECORD_BYTES_MAX
    with pytest.raises(TooLarge, match="1,000,001"):
        stream.append([entry(bytes(RECORD_BYTES_MAX + 1))])


@pytest.mark.parametrize("shard", [-1, 1])
def test_a_shard_that_is_not_there_is_refused(stream: Stream, shard: int) -> None:
    with pytest.raises(TooLarge, match=f"not {shard}"):
        stream.append([entry(shard=shard)])


def test_all_entries_of_an_append_are_stored_or_none(stream: Stream) -> None:
    bad = [structs.replace(entry(b"new"), ids=((0, id_of("a")),), claim=claim("k", "b")), entry(shard=7)]
    with pytest.raises(PortError):
        stream.append(bad)
    assert (stream.read(0, after=0), stream.tip(0), stream.appended()) == ([], 0, {})
    (done,) = stream.append(bad[:1])
    assert (done.repeats, done.repeated, done.is_refused) == ((), False, False)


def test_an_empty_record_and_a_heavy_one_are_kept(stream: Stream) -> None:
    stream.append([entry(b"", weight=0), entry(b"h", weight=2**40)])
    assert [(r.data, r.weight) for r in stream.read(0, after=0)] == [(b"", 0), (b"h", 2**40)]


def test_what_was_appended_is_added_up_for_each_group(stream: Stream) -> None:
    stream.append([entry(group="a", weight=2), entry(group="b", weight=3)])
    stream.append([entry(group="a", weight=5)])
    assert stream.appended() == {"a": 7, "b": 3}
    stream.trim(0, through=stream.tip(0))
    assert stream.appended() == {"a": 7, "b": 3}


def test_no_record_that_arrived_at_or_after_a_moment_is_passed_over(stream: Stream) -> None:
    arrivals = [50, 10, 40, 20, 60, 30, 5, 60, 1]
    for at_ms in arrivals:
        stream.append([entry(at_ms=at_ms)])
    records, tip = everything(stream), stream.tip(0)
    for moment_ms in sorted({at_ms + near for at_ms in arrivals for near in (-1, 0, 1)}):
        start = stream.sequence_at(0, arrived_at_ms=moment_ms)
        assert 0 <= start <= tip
        passed_over = [record for record in records if record.sequence <= start]
        assert all(record.arrived_at_ms < moment_ms for record in passed_over)
    assert stream.sequence_at(0, arrived_at_ms=61) == stream.tip(0)


def test_a_moment_in_the_middle_is_found_near_its_place(stream: Stream) -> None:
    for n in range(1, 41):
        stream.append([entry(at_ms=n)])
    assert stream.sequence_at(0, arrived_at_ms=20) == everything(stream)[18].sequence


def test_a_reader_beside_the_writer_sees_what_was_appended_and_writes_nothing(new_stream: NewStream) -> None:
    made = new_stream(2)
    with made.open_reader() as reader:
        assert reader.shards == 2
        for n in range(20):
            before = reader.tip(1)
            made.stream.append([entry(b"%d" % n, shard=1)])
            assert reader.tip(1) > before
            assert [record.data for record in reader.read(1, after=before)] == [b"%d" % n]
        assert everything(reader, 1) == everything(made.stream, 1)
        assert reader.appended() == {"abc": 20}
        with pytest.raises(PortError):
            reader.append([entry()])
