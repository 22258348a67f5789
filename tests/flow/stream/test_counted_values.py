"""Records of named counters: what is written is read back, old ones stay readable, hostile bytes are unreadable."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.stream.counted_values import Act, CounterRecord, counter_record, record_of_act, record_of_values
from footfall.flow.stream.records import Unreadable
from footfall.sketches.coupons import coupons_of
from footfall.sketches.murmur import hashes_of_texts
from footfall.sketches.theta import no_theta, theta_added
from footfall.sketches.uniques import added, no_uniques
from footfall.sketches.uniques_bytes import bytes_from_uniques
from footfall.values.window import Grain, Window

DAY = Window(Grain.DAY, 1_794_700_800_000, 1_794_787_200_000)
VERSION_1 = bytes.fromhex(
    "99a46666756301a5636166c3a9cf000001a1dc80f000cf000001a1e1a74c0000c4102f823ba40a0f02f60aff806c138fcb69c4020101c400"
)


@given(values=st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=50))
def test_the_hashes_that_come_back_make_the_same_sketches(values: list[str]) -> None:
    (hashes,) = hashes_of_texts(values)
    back = counter_record(record_of_values("name", DAY, hashes)).hashes()
    assert added(no_uniques(), coupons_of([back])) == added(no_uniques(), coupons_of([hashes]))
    assert theta_added(no_theta(), [back]) == theta_added(no_theta(), [hashes])


def test_a_record_of_version_1_is_read() -> None:
    record = counter_record(VERSION_1)
    assert (record.name, record.day, record.act, len(record.rhos)) == ("café", DAY, Act.ADD, 2)
    (hashes,) = hashes_of_texts(["a", "b"])
    assert record.hashes().first.tolist() == hashes.first.tolist()


def test_no_value_is_in_its_record() -> None:
    (hashes,) = hashes_of_texts(["a-reader-whom-nobody-may-find"])
    assert b"reader" not in record_of_values("name", DAY, hashes)


@pytest.mark.parametrize(
    "field",
    [
        {"magic": "ffxx"},
        {"version": 2},
        {"name": ""},
        {"to_ms": DAY.from_ms},
        {"act": 9},
        {"rhos": b"\x00"},
        {"rhos": b"\x40"},
        {"rhos": b"\x01\x01"},
        {"firsts": bytes(7)},
        {"act": int(Act.PUT_UNIQUES), "sketch": b"none"},
        {"act": int(Act.PUT_UNIQUES), "sketch": bytes_from_uniques(no_uniques(12))},
        {"act": int(Act.PUT_THETA), "sketch": bytes_from_uniques(no_uniques(14))},
    ],
)
def test_a_record_that_says_nonsense_is_unreadable(field: dict[str, object]) -> None:
    sound = CounterRecord("ffuc", 1, "name", DAY.from_ms, DAY.to_ms, 0, bytes(8), b"\x01")
    counter_record(msgspec.msgpack.encode(sound))
    fields = {name: getattr(sound, name) for name in sound.__struct_fields__} | field
    with pytest.raises(Unreadable):
        counter_record(msgspec.msgpack.encode(list(fields.values())))


@given(data=st.binary(max_size=200))
def test_any_other_bytes_are_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        counter_record(data)


def test_a_deletion_needs_nothing_but_its_name() -> None:
    record = counter_record(record_of_act("name", DAY, Act.DELETE))
    assert (record.act, record.firsts, record.sketch) == (Act.DELETE, b"", b"")
