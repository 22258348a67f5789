"""Records of beats keep their bytes: one of version 1 is read as it was written, and nonsense is called that."""

import msgspec
import pytest

from footfall.flow.stream.beats import Beats, beats_from_record, record_from_beats, tick_record
from footfall.flow.stream.records import Unreadable

KEY = ("episode-7", "drama", "video", "paid")
ONE = Beats("ffpg", 1, 1_000, [KEY], ["s"], [4], [990], [41_200], b"\x00", series=["show"], aside={0: "late"})
VERSION_1 = bytes.fromhex(
    "dc0011a46666706701cd03e89194a9657069736f64652d37a56472616d61a5766964656fa47061696491a17391"
    "0491cd03de91cda0f0c40100c0c0c091a473686f77c0c0c08100a46c617465"
)


def test_a_record_of_version_1_is_read_as_it_was_written() -> None:
    assert record_from_beats(ONE) == VERSION_1
    assert beats_from_record(VERSION_1) == ONE
    assert beats_from_record(tick_record(5)).keys == []


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"magic": "ffuc"},
        {"numbers": [4, 5]},
        {"states": b"\x09"},
        {"aside": {3: "late"}},
        {"series": []},
        {"playheads_ms": [-1]},
    ],
)
def test_a_record_that_is_wrong_in_itself_is_unreadable(change: dict[str, object]) -> None:
    fields = {**msgspec.structs.asdict(ONE), **change}
    with pytest.raises(Unreadable):
        beats_from_record(msgspec.msgpack.encode(tuple(fields.values())))


@pytest.mark.parametrize("data", [b"", b"\x00", b"nonsense", msgspec.msgpack.encode(["ffpg"])])
def test_bytes_that_are_no_record_are_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        beats_from_record(data)
