"""A record gives back the pack it was made of, and anything else is unreadable and nothing worse."""

from typing import TypeVar

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footfall.flow.stream.records import (
    VERSION,
    Counted,
    Pack,
    Unreadable,
    counted_from_record,
    judged_from_record,
    key_from_raw,
    pack_from_record,
    raw_from_key,
    record_from_pack,
    weight_of,
)

T = TypeVar("T")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
KEY = ("1", "563", "article", "free")
PACK = Pack(version=VERSION, rules=1, arrived_at_ms=5, keys=[KEY, KEY])


@st.composite
def packs(draw: st.DrawFn) -> Pack:
    keys = draw(st.lists(st.tuples(texts, texts, texts, texts), max_size=6))
    count = len(keys)

    def column(values: st.SearchStrategy[T]) -> list[T] | None:
        return draw(st.none() | st.lists(values, min_size=count, max_size=count))

    return Pack(
        version=VERSION,
        rules=draw(st.integers(0, 9)),
        arrived_at_ms=draw(st.integers(0, 2**48)),
        keys=keys,
        at_ms=column(st.integers(0, 2**48)),
        weights=column(st.integers(1, 2**32)),
        screened=draw(st.none() | st.dictionaries(st.integers(0, count - 1), texts)) if count else None,
        replays=draw(st.none() | st.tuples(st.integers(0, 2**40), texts)),
        trusted=draw(st.booleans()),
        visitors=column(st.binary(max_size=8)),
        urls=column(texts),
        referrers=column(texts),
        agents=column(st.integers(0, 65_535)),
    )


@given(pack=packs())
def test_a_pack_comes_back_as_it_was(pack: Pack) -> None:
    assert pack_from_record(record_from_pack(pack)) == pack


@given(pack=packs())
def test_counting_reads_the_first_columns_of_the_same_record(pack: Pack) -> None:
    counted = counted_from_record(record_from_pack(pack))
    assert type(counted) is Counted
    for name in Counted.__struct_fields__:
        assert getattr(counted, name) == getattr(pack, name)


@given(pack=packs())
def test_a_pack_weighs_what_its_hits_stand_for(pack: Pack) -> None:
    assert weight_of(pack) == (len(pack.keys) if pack.weights is None else sum(pack.weights))


def test_records_from_before_there_were_agents_are_still_read() -> None:
    assert pack_from_record(bytes.fromhex(FIRST)) == msgspec.structs.replace(KEPT, agents=None)


def test_a_record_with_agents_keeps_its_form() -> None:
    assert record_from_pack(KEPT).hex() == SECOND
    assert pack_from_record(bytes.fromhex(SECOND)) == KEPT
    judged = judged_from_record(bytes.fromhex(SECOND))
    assert [key_from_raw(bytes(key)) for key in judged.keys] == KEPT.keys
    assert [bytes(key) for key in judged.keys] == [raw_from_key(key) for key in KEPT.keys]
    assert (judged.visitors, judged.referrers) == (KEPT.visitors, KEPT.referrers)
    assert (judged.agents, judged.screened, judged.at_ms) == (KEPT.agents, KEPT.screened, KEPT.at_ms)


KEPT = Pack(
    version=1,
    rules=1,
    arrived_at_ms=1_794_744_000_000,
    keys=[("132141398", "563", "article", "free"), ("é", "", "", "")],
    at_ms=[1_794_743_999_000, 1_794_744_000_000],
    screened={1: "unlabelled"},
    visitors=[b"12345678", b""],
    urls=["https://news.example/1", ""],
    agents=[513, 0],
)


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_version_that_is_not_known_is_named(version: int) -> None:
    record = record_from_pack(msgspec.structs.replace(PACK, version=version))
    for read in (pack_from_record, counted_from_record, judged_from_record):
        with pytest.raises(Unreadable, match=f"version {version}"):
            read(record)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("at_ms", [1]),
        ("weights", [1, 1, 1]),
        ("visitors", [b""]),
        ("urls", [""]),
        ("referrers", ["", "", ""]),
        ("agents", [1]),
        ("screened", {2: "x"}),
        ("screened", {-1: "x"}),
    ],
)
def test_columns_of_unequal_length_are_unreadable(name: str, column: object) -> None:
    record = record_from_pack(msgspec.structs.replace(PACK, **{name: column}))
    with pytest.raises(Unreadable, match="a pack of 2 hits"):
        pack_from_record(record)


@pytest.mark.parametrize("weights", [[0, 1], [-1, 1]])
def test_a_hit_that_weighs_nothing_is_unreadable(weights: list[int]) -> None:
    with pytest.raises(Unreadable):
        counted_from_record(record_from_pack(msgspec.structs.replace(PACK, weights=weights)))


@pytest.mark.parametrize("data", [b"", b"\x94\xa1\xff\xa0\xa0\xa0", b"\x93\xa1a\xa0\xa0", b"\xa1a"])
def test_a_damaged_key_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        key_from_raw(data)


@given(data=st.binary(max_size=80))
@example(data=b"")
@example(data=b"\x91" * 100_000)
@example(data=b"\x81\x01" * 100_000)
@example(data=b"\x9c\x01\x01\x05\x91\x94\xa1\xff\xa0\xa0\xa0")
def test_garbage_is_unreadable_and_nothing_worse(data: bytes) -> None:
    for read in (pack_from_record, counted_from_record, judged_from_record):
        with pytest.raises(Unreadable):
            read(data)


@given(pack=packs(), place=st.integers(0, 10**6), byte=st.integers(0, 255), cut=st.booleans())
def test_a_damaged_record_is_read_or_unreadable(pack: Pack, place: int, byte: int, cut: bool) -> None:
    record = bytearray(record_from_pack(pack))
    place %= len(record)
    if cut:
        del record[place:]
    else:
        record[place] = byte
    for read in (pack_from_record, counted_from_record, judged_from_record):
        try:
            read(bytes(record))
        except Unreadable:
            continue


FIRST = (
    "9c0101cf000001a1df141e009294a9313332313431333938a3353633a761727469636c65a4667265"
    "6594a2c3a9a0a0a092cf000001a1df141a18cf000001a1df141e00c08101aa756e6c6162656c6c65"
    "64c0c292c4083132333435363738c40092b668747470733a2f2f6e6577732e6578616d706c652f31"
    "a0c0"
)
SECOND = "9e" + FIRST[2:] + "c0" + "92cd020100"
