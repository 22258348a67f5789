"""Plain hits of several requests share records, and no hit is lost, doubled or told another fate."""

from collections import Counter
from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.collect.plain import JOINED_HITS_MAX, Plain, Taken, entries_of, entry_of_plain, size_of
from footfall.flow.stream.packed_keys import PackedKeys
from footfall.flow.stream.records import HitKey, pack_from_record
from footfall.ports.stream import Claim, Entry
from footfall.values.window import MINUTE_MS

NOON_MS = 1_794_744_000_000


def key_of(number: int) -> HitKey:
    return f"a{number}", "5", "article", "free"


_keys = st.lists(st.integers(0, 400).map(key_of), min_size=1, max_size=40)


def packed(keys: list[HitKey]) -> PackedKeys:
    return PackedKeys(msgspec.msgpack.encode(keys), len(keys))


@st.composite
def plains(draw: st.DrawFn) -> Plain:
    keys = draw(_keys) * draw(st.sampled_from((1, 1, 1, 15)))
    arrived_at_ms = NOON_MS + draw(st.integers(0, 3)) * MINUTE_MS // 2
    at_ms = draw(st.sampled_from((None, [arrived_at_ms - 7 * place for place in range(len(keys))])))
    column = packed(keys) if draw(st.booleans()) else keys
    claim = draw(st.none() | st.binary(min_size=16, max_size=16).map(lambda key: Claim(key, b"b" * 16)))
    return Plain(draw(st.integers(0, 1)), draw(st.sampled_from(("abc", "def"))), column, arrived_at_ms, at_ms, claim)


other = st.builds(Entry, st.just(0), st.just("abc"), st.just(3), st.just(b"whatever"), st.just(NOON_MS))
Hits = Counter[tuple[str, int, int, HitKey, int | None]]


def hits_of(one: Plain) -> Hits:
    times: Sequence[int] | list[None] = one.at_ms or [None] * len(one.keys)
    minute = one.arrived_at_ms // MINUTE_MS
    return Counter((one.group, one.shard, minute, key, at) for key, at in zip(one.keys, times, strict=True))


def stored(entry: Entry) -> Hits:
    pack = pack_from_record(entry.data)
    assert (pack.arrived_at_ms, len(pack.keys)) == (entry.arrived_at_ms, entry.weight)
    assert pack.trusted == (pack.at_ms is not None)
    return hits_of(Plain(entry.shard, entry.group, pack.keys, pack.arrived_at_ms, pack.at_ms))


@given(st.lists(st.one_of(plains(), other), max_size=25), st.booleans())
def test_every_hit_is_in_the_entry_that_it_is_told_to_be_in_and_in_no_other(
    taken: list[Taken], keys_share: bool
) -> None:
    entries, places = entries_of(taken, keys_share=keys_share)
    assert len(places) == len(taken)
    for place, entry in enumerate(entries):
        inside = [one for one, at in zip(taken, places, strict=True) if at == place]
        if entry.data == b"whatever":
            assert inside == [entry]
            continue
        sums: Hits = sum((hits_of(one) for one in inside if isinstance(one, Plain)), Counter())
        assert stored(entry) == sums
        assert entry.weight <= JOINED_HITS_MAX or len(inside) == 1
        # A repeat of what has a record of its own is a repeat of all of it; of what shares one, it never is.
        claims = [one.claim for one in inside if one.claim is not None]
        assert claims == ([entry.claim] if entry.claim is not None else list(entry.shared))
        assert (entry.claim is None) or len(inside) == 1
        assert keys_share or not entry.shared


@given(st.lists(plains(), min_size=1, max_size=8))
def test_the_bytes_are_the_same_whether_keys_came_packed_or_not(taken: list[Plain]) -> None:
    bare = [msgspec.structs.replace(one, keys=list(one.keys)) for one in taken]
    assert entries_of([msgspec.structs.replace(one, keys=packed(list(one.keys))) for one in taken]) == entries_of(bare)


def test_hits_of_one_brand_and_minute_share_a_record_in_the_order_of_their_coming() -> None:
    first, second = [("a", "", "", "")], [("b", "", "", ""), ("c", "", "", "")]
    taken = [Plain(0, "abc", first, NOON_MS), Plain(0, "def", first, NOON_MS), Plain(0, "abc", second, NOON_MS + 9)]
    entries, places = entries_of(taken)
    assert [(one.group, one.weight, one.arrived_at_ms) for one in entries] == [
        ("abc", 3, NOON_MS),
        ("def", 1, NOON_MS),
    ]
    assert places == [0, 1, 0]
    assert pack_from_record(entries[0].data).keys == first + second


def test_a_request_that_is_larger_than_what_is_joined_keeps_a_record_of_its_own() -> None:
    large = Plain(0, "abc", [("a", "", "", "")] * (JOINED_HITS_MAX + 1), NOON_MS)
    small = Plain(0, "abc", [("b", "", "", "")], NOON_MS)
    entries, places = entries_of([small, large, small])
    assert [one.weight for one in entries] == [1, JOINED_HITS_MAX + 1, 1]
    assert places == [0, 1, 2]


@given(plains())
def test_what_waits_is_taken_to_be_about_as_large_as_its_record(one: Plain) -> None:
    bare = msgspec.structs.replace(one, at_ms=None)
    data = entry_of_plain([bare]).data
    assert len(data) / 3 < size_of(bare) + 30 < 3 * len(data) + 60


def test_hits_under_a_key_share_a_record_with_those_under_others_and_under_none_if_they_may() -> None:
    keyed = [Plain(0, "abc", [("a", "", "", "")], NOON_MS, claim=Claim(key * 16, b"b" * 16)) for key in (b"k", b"l")]
    taken = [keyed[0], Plain(0, "abc", [("b", "", "", "")], NOON_MS), keyed[1]]
    (together,), places = entries_of(taken, keys_share=True)
    assert (together.weight, together.claim, together.shared) == (3, None, (keyed[0].claim, keyed[1].claim))
    assert places == [0, 0, 0]
    apart, places = entries_of(taken)
    assert [(one.weight, one.claim, one.shared) for one in apart] == [
        (1, keyed[0].claim, ()),
        (1, None, ()),
        (1, keyed[1].claim, ()),
    ]
    assert places == [0, 1, 2]
