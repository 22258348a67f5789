"""A table of keys counts what msgspec and a Counter count, and of what is no pack of keys it keeps nothing."""

from collections import Counter
from random import Random

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.stream.records import HitKey
from footfall.native import new_key_table
from footfall.native.key_table import KeyTable
from tests.native.hostile import hostile_pack, mutated

PACKS_PER_SEED = 80
_decode = msgspec.msgpack.Decoder(list[HitKey]).decode
texts = st.text(max_size=40)
keys = st.tuples(st.sampled_from("abc") | texts, texts, st.sampled_from(["article", ""]), st.just("free"))


def new_table(secret: int = 7) -> KeyTable:
    return KeyTable(secret=secret)


def packed(*some: HitKey) -> bytes:
    return msgspec.msgpack.encode(some)


def key_of(number: int) -> HitKey:
    return str(number), "563", "article", "free"


def numbers_in(table: KeyTable, pack: bytes, hits: int) -> list[int] | None:
    found = table.numbers(pack, hits)
    return None if found is None else np.frombuffer(found, np.uint32).tolist()


def counted_in(table: KeyTable) -> list[tuple[HitKey, int]]:
    """Return keys with their counts, by number."""
    return list(zip(table.keys(0), np.frombuffer(table.counts(), np.int64).tolist(), strict=True))


def sums_of(table: KeyTable) -> Counter[HitKey]:
    sums = Counter[HitKey]()
    for key, hits in counted_in(table):
        sums[key] += hits
    return +sums


def keys_in(pack: bytes) -> list[HitKey] | None:
    """Return the keys of a pack as Python reads it."""
    try:
        return _decode(pack)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


@given(packs=st.lists(st.lists(keys, max_size=20), max_size=8))
def test_what_is_counted_is_what_a_counter_counts(packs: list[list[HitKey]]) -> None:
    table, counter = new_table(), Counter[HitKey]()
    for pack in packs:
        assert table.count(packed(*pack), len(pack)) is True
        counter.update(pack)
    assert counted_in(table) == list(counter.items())  # also in their order
    assert len(table) == len(counter)


@given(packs=st.lists(st.lists(keys, max_size=20), max_size=8))
def test_numbers_are_given_in_the_order_of_coming_and_stay(packs: list[list[HitKey]]) -> None:
    table, known = new_table(), dict[HitKey, int]()
    for pack in packs:
        assert numbers_in(table, packed(*pack), len(pack)) == [known.setdefault(key, len(known)) for key in pack]
    assert table.keys(0) == list(known)
    assert table.keys(len(known)) == table.keys(2**60) == []
    assert table.keys(1) == list(known)[1:]
    assert not any(memoryview(table.counts()))


@given(pack=st.lists(keys, max_size=20), start=st.integers(0, 25))
def test_the_bytes_of_texts_are_told_from_a_number_on(pack: list[HitKey], start: int) -> None:
    table = new_table()
    assert table.count(packed(*pack), len(pack))
    assert table.text_bytes(start) == sum(len("".join(key).encode()) for key in table.keys(start))
    assert table.text_bytes(2**60) == 0


@given(pack=st.lists(keys, max_size=20), room=st.integers(-1, 50))
def test_counts_are_poured_into_assets_and_sections_while_there_is_room(pack: list[HitKey], room: int) -> None:
    table, groups, other = new_table(), dict[str, dict[int, int]](), dict[str, int]()
    assert table.count(packed(*pack), len(pack))
    hits, pairs, unplaced = table.pour(groups, other, 3, room, 200, 500)
    assert (hits, pairs) == (len(pack), len(groups))
    assert pairs <= max(0, room)
    names = Counter(f"a{asset}" for asset, *_ in pack) + Counter(f"s{section}" for _, section, *_ in pack if section)
    assert groups == {name: {3: names[name]} for name in groups}
    assert unplaced == names.total() - sum(names[name] for name in groups)
    assert not other
    assert unplaced == 0 or len(groups) == max(0, room)


def test_what_is_no_group_is_an_error() -> None:
    table = new_table()
    assert table.count(packed(key_of(1)), 1)
    for groups in ({"a1": None}, {"a1": []}, {"s563": 1}, {"a1": {0: "hits"}}, None):
        with pytest.raises((TypeError, SystemError)):
            table.pour(groups, {}, 0, 9, 9, 9)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError):
        table.text_bytes("1")  # pyright: ignore[reportArgumentType]


@given(seed=st.integers(0, 2**32))
def test_whatever_a_pack_is_it_is_counted_whole_or_not_at_all(seed: int) -> None:
    chance, table, counter = Random(seed), new_table(seed), Counter[HitKey]()
    for _ in range(PACKS_PER_SEED):
        pack, hits = hostile_pack(chance)
        before = len(table)
        if table.count(pack, hits):
            told = keys_in(pack)
            assert told is not None
            assert len(told) == hits
            counter.update(told)
        else:
            assert len(table) == before
            assert table.numbers(pack, hits) is None
    assert sums_of(table) == counter


def test_most_packs_without_changes_are_counted() -> None:
    # Else the comparison above would say nothing.
    chance, table = Random(3), new_table()
    packs = [hostile_pack(chance) for _ in range(400)]
    assert sum(table.count(*pack) for pack in packs) > 100


@given(seed=st.integers(0, 2**32), pack=st.lists(keys, min_size=1, max_size=20))
def test_a_table_is_as_it_was_after_a_pack_with_changed_bytes(seed: int, pack: list[HitKey]) -> None:
    table, whole = new_table(), packed(*pack)
    table.count(packed(key_of(1), key_of(2)), 2)
    before = counted_in(table)
    changed = mutated(whole, Random(seed))
    if not table.count(changed, len(pack)):
        assert counted_in(table) == before
    elif changed != whole:
        assert keys_in(changed) is not None
    assert table.count(packed(key_of(2), key_of(1)), 2)
    assert sums_of(table)[key_of(1)] >= 2


@pytest.mark.parametrize("known", [0, 3, 510, 511, 512, 1_023, 5_000])
def test_a_pack_that_ends_badly_leaves_nothing_even_if_the_table_grew_for_it(known: int) -> None:
    table = new_table()
    many = [key_of(number) for number in range(known)]
    assert table.count(packed(*many), known)
    new = [key_of(number) for number in range(known // 2, known + 3_000)]
    for bad in (packed(*new) + b"\xc0", packed(*new)[:-1], packed(*new)[:-30]):
        assert not table.count(bad, len(new))
        assert len(table) == known
    assert table.count(packed(*new), len(new))
    assert sums_of(table) == Counter(many) + Counter(new)


@pytest.mark.parametrize("cut", range(1, 40))
def test_no_beginning_of_a_pack_is_counted(cut: int) -> None:
    whole = packed(key_of(1), ("日本", "a" * 40, "", "free"))
    table = new_table()
    assert not table.count(whole[:-cut], 2)
    assert len(table) == 0


@pytest.mark.parametrize(
    "pack",
    [
        b"", b"\xc0", b"\x80", b"\x91", b"\x91\xc0", b"\x91\x94", b"\x91\x94\xa1", b"\x91\x93\xa0\xa0\xa0",
        b"\x91\x95\xa0\xa0\xa0\xa0\xa0", b"\x91\x94\xa0\xa0\xa0\x01", b"\x91\x94\xa0\xa0\xa0\xc4\x00",
        b"\x91\x94\xa0\xa0\xa0\xd9", b"\x91\x94\xa0\xa0\xa0\xda\xff", b"\x91\x94\xa0\xa0\xa0\xda\xff\xff",
        b"\x91\xdc\x00\x04\xa0\xa0\xa0\xa0", b"\x91\x94\xa0\xa0\xa0\xdb\x00\x00\x00\x00",
        b"\xdd\xff\xff\xff\xff", b"\xdd\xff\xff\xff\xff\x94\xa0\xa0\xa0\xa0", b"\xdc\xff\xff",
        b"\xdc\x00", b"\xdd\x00\x00",
    ],
)  # fmt: skip
@pytest.mark.parametrize("hits", [0, 1, 2**16 - 1, 2**32 - 1, 2**63 - 1, -1])
def test_what_is_no_pack_of_keys_is_not_one(pack: bytes, hits: int) -> None:
    table = new_table()
    assert table.count(pack, hits) is False
    assert table.numbers(pack, hits) is None
    assert (len(table), table.counts()) == (0, b"")


@pytest.mark.parametrize("text", [b"\xc3\x28", b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xe6\x97"])
def test_a_key_that_is_no_utf_8_is_not_counted_nor_are_its_neighbours(text: bytes) -> None:
    bad = b"\x94" + bytes([0xA0 | len(text)]) + text + b"\xa0\xa0\xa0"
    pack = b"\x93" + packed(key_of(1))[1:] + bad + packed(key_of(2))[1:]
    table = new_table()
    assert not table.count(pack, 3)
    assert len(table) == 0
    assert keys_in(pack) is None


@pytest.mark.parametrize("hits", [0, 1, 3, -2, 2**32 + 2, 2**63 - 1])
def test_a_pack_is_not_counted_for_another_number_of_hits(hits: int) -> None:
    table = new_table()
    assert not table.count(packed(key_of(1), key_of(2)), hits)
    assert len(table) == 0


def test_one_key_packed_in_several_ways_has_as_many_numbers_and_one_text() -> None:
    ways = [b"\x94\xa1a", b"\x94\xd9\x01a", b"\x94\xda\x00\x01a"]
    pack = b"\x93" + b"".join(way + b"\xa0\xa0\xa0" for way in ways)
    table = new_table()
    assert numbers_in(table, pack, 3) == [0, 1, 2]
    assert table.keys(0) == [("a", "", "", "")] * 3 == keys_in(pack)


@pytest.mark.parametrize("head", [b"\xdc\x00\x02", b"\xdd\x00\x00\x00\x02"])
def test_a_head_may_be_longer_than_it_need_be(head: bytes) -> None:
    table = new_table()
    assert table.count(head + packed(key_of(1), key_of(1))[1:], 2)
    assert counted_in(table) == [(key_of(1), 2)]


def test_a_table_grows_and_forgets_nothing() -> None:
    table, many = new_table(), [key_of(number) for number in range(150_000)]
    for start in range(0, len(many), 1_000):
        assert table.count(packed(*many[start : start + 1_000]), 1_000)
    some = many[::7]
    assert numbers_in(table, packed(*some), len(some)) == list(range(0, len(many), 7))
    assert counted_in(table) == [(key, 1) for key in many]


def test_secrets_change_nothing_that_can_be_seen() -> None:
    packs = [
        [key_of(Random(number).randrange(900)) for number in range(start, start + 50)] for start in range(0, 3_000, 50)
    ]
    tables = [new_table(0), new_table(2**64 - 1), new_key_table(), new_key_table()]
    for table in tables:
        assert table is not None
        assert all(table.count(packed(*pack), len(pack)) for pack in packs)
    assert len({tuple(counted_in(table)) for table in tables if table is not None}) == 1


def test_a_pack_may_be_the_part_of_a_record_that_nobody_copied() -> None:
    raw = msgspec.Raw(packed(key_of(1)))
    table = new_table()
    assert table.count(raw, 1)
    assert table.count(bytearray(raw), 1)  # pyright: ignore[reportArgumentType]
    assert not table.count(msgspec.Raw(), 0)
    assert counted_in(table) == [(key_of(1), 2)]


@pytest.mark.parametrize("pack", [None, "text", 5, ["list"]])
def test_what_has_no_bytes_is_an_error(pack: object) -> None:
    with pytest.raises(TypeError):
        new_table().count(pack, 1)  # pyright: ignore[reportArgumentType]
