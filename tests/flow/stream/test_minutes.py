"""Raw hits come minute by minute from all shards, as far as they are there, and none is lost or comes twice."""

from collections.abc import Sequence

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.flow.stream.minutes import ALL, Minutes, Sources
from footfall.flow.stream.raw import StreamRaw
from footfall.ports.stream import Entry
from footfall.values.clock import SetClock

START_MS = 1_794_700_800_000


def stream_of(arrivals: Sequence[tuple[int, int]], *, shards: int = 2) -> SqliteStream:
    """Return a stream with an entry for each shard and moment after the start."""
    stream = SqliteStream(":memory:", clock=SetClock(START_MS), shards=shards)
    add(stream, arrivals)
    return stream


def add(stream: SqliteStream, arrivals: Sequence[tuple[int, int]]) -> None:
    for shard, after_ms in arrivals:
        stream.append([Entry(shard, "abc", 1, str(after_ms).encode(), START_MS + after_ms)])


def read(minutes: Minutes, until_ms: int) -> list[int]:
    return [int(record.data) for record in minutes.until(START_MS + until_ms)]


def test_shards_are_read_up_to_the_same_moment() -> None:
    minutes = Minutes(StreamRaw(stream_of([(0, 1), (1, 2), (0, 70_000), (1, 80_000)])), brand=ALL, shards=2)
    minutes.begin(from_ms=START_MS)
    assert read(minutes, 60_000) == [1, 2]
    assert minutes.through() == {0: 1, 1: 1}
    assert read(minutes, 60_000) == []
    assert read(minutes, 120_000) == [70_000, 80_000]


def test_what_comes_later_follows() -> None:
    stream = stream_of([(0, 1)])
    minutes = Minutes(StreamRaw(stream), brand=ALL, shards=2)
    minutes.begin(from_ms=START_MS)
    assert read(minutes, 60_000) == [1]
    add(stream, [(0, 5), (1, 6), (0, 61_000)])
    assert read(minutes, 60_000) == [5, 6]


def test_it_can_be_left_and_gone_on_with_at_any_record() -> None:
    minutes = Minutes(StreamRaw(stream_of([(0, number) for number in range(9)], shards=1)), brand=ALL, shards=1)
    minutes.begin(from_ms=START_MS)
    found = [int(next(minutes.until(START_MS + 60_000)).data) for _ in range(9)]
    assert found == list(range(9))


def test_what_arrived_before_the_beginning_is_passed_over() -> None:
    stream = SqliteStream(":memory:", clock=SetClock(START_MS))
    stream.append([Entry(0, "abc", 1, str(after_ms).encode(), START_MS + after_ms) for after_ms in (-5, 5)])
    minutes = Minutes(StreamRaw(stream), brand=ALL, shards=1)
    minutes.begin(from_ms=START_MS)
    assert read(minutes, 60_000) == [5]


def test_a_brand_that_comes_to_it_is_read_and_one_that_comes_back_goes_on() -> None:
    stream = stream_of([(0, 1)], shards=1)
    present = ["abc"]
    sources = Sources(StreamRaw(stream), shards=1, brands=lambda: present)
    sources.begin(from_ms=START_MS)
    assert [read(one, 60_000) for one in sources.present()] == [[1]]
    assert sources.through("abc") == {0: 1}
    present.clear()
    assert sources.present() == []
    add(stream, [(0, 2)])
    present.append("abc")
    assert [read(one, 60_000) for one in sources.present()] == [[2]]
