"""Counts by number are the counts by key: the same columns, the same window with limits reached, the same mapping."""

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.store import columns as columns_module
from footfall.flow.store import known_keys
from footfall.flow.store.columns import EMPTY, SLICES_MAX, TEXT_BIT, CountKey, columns_from_counts, is_same
from footfall.flow.store.known_keys import KEYS_MAX, CountedKeys, KnownKeys
from footfall.flow.store.merging import Limits, admit
from footfall.flow.stream.records import HitKey
from tests.flow.store.counts import assets, coarse_hash, counts_of, persons
from tests.native.without import without_native_code

hits = st.lists(persons, max_size=60)
limits = st.builds(
    Limits, assets_max=st.integers(1, 8), slices_max=st.integers(1, 3), text_bytes_max=st.integers(0, 60)
)


def packed(keys: Sequence[HitKey]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(keys))


def laid(known: KnownKeys, keys: Sequence[HitKey]) -> bytes:
    found = known.numbers(packed(keys), hits=len(keys))
    assert found is not None
    return found


def counted(known: KnownKeys, keys: Sequence[HitKey]) -> CountedKeys:
    return CountedKeys(known, laid(known, keys))


def known_before(keys: Sequence[HitKey]) -> KnownKeys:
    """Return what somebody knows who has met these keys."""
    known = KnownKeys()
    laid(known, keys)
    return known


@given(before=hits, keys=hits)
def test_columns_of_numbers_are_those_of_the_plain_counts(before: list[HitKey], keys: list[HitKey]) -> None:
    counts = counted(known_before(before), keys)
    assert is_same(counts.columns() or EMPTY, columns_from_counts(Counter(keys)))
    assert is_same(columns_from_counts(counts), columns_from_counts(Counter(keys)))


@given(before=hits, keys=hits)
def test_as_a_mapping_they_are_a_counter_in_the_order_of_coming(before: list[HitKey], keys: list[HitKey]) -> None:
    counts, plain = counted(known_before(before), keys), Counter(keys)
    assert list(counts.items()) == list(plain.items())
    assert (len(counts), bool(counts), counts == plain) == (len(plain), bool(plain), True)
    assert all(counts[key] == plain[key] for key in keys)
    assert ("nobody", "", "", "") not in counts
    with pytest.raises(KeyError):
        counts["nobody", "", "", ""]


@given(before=hits, flushes=st.lists(hits, min_size=1, max_size=4), limits=limits)
def test_a_window_lets_in_the_same_whichever_way_counts_come(
    before: list[HitKey], flushes: list[list[HitKey]], limits: Limits
) -> None:
    known, by_number, by_key = known_before(before), EMPTY, EMPTY
    for keys in flushes:
        by_number = admit(by_number, counted(known, keys), limits)
        by_key = admit(by_key, Counter(keys), limits)
    assert is_same(by_number, by_key)


@given(before=hits, flushes=st.lists(hits, min_size=1, max_size=3), limits=limits)
def test_texts_that_share_an_ident_are_asked_in_their_turn(
    before: list[HitKey], flushes: list[list[HitKey]], limits: Limits
) -> None:
    # No two texts are known whose 63 bits are alike, so the hash is made one of three for all who use it.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_keys, "ident_of", lambda asset: columns_module.ident_of(asset, coarse_hash))
        known, by_number, by_key = known_before(before), EMPTY, EMPTY
        for keys in flushes:
            counts = counted(known, keys)
            if counts.columns() is None:
                assert is_same(columns_from_counts(counts, text_hash=coarse_hash), _plain(keys))
            else:
                assert is_same(counts.columns() or EMPTY, _plain(keys))
            by_number = admit(by_number, counts, limits, text_hash=coarse_hash)
            by_key = admit(by_key, Counter(keys), limits, text_hash=coarse_hash)
    assert is_same(by_number, by_key)


def _plain(keys: Sequence[HitKey]) -> columns_module.Columns:
    return columns_from_counts(Counter(keys), text_hash=coarse_hash)


def test_keys_that_clash_are_no_columns_and_neither_are_others_that_lie_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(known_keys, "ident_of", lambda asset: columns_module.ident_of(asset, coarse_hash))
    known = KnownKeys()
    assert counted(known, [("/a", "", "", "")]).columns() is not None
    assert counted(known, [("/b", "", "", "")]).columns() is None
    assert counted(known, [("/a", "", "", "")]).columns() is None


@given(keys=st.lists(persons, min_size=1, max_size=20), longer=st.data())
def test_a_key_that_is_packed_in_two_ways_is_one_row(keys: list[HitKey], longer: st.DataObject) -> None:
    known, plain = KnownKeys(), Counter[CountKey]()
    numbers = b""
    for key in keys:
        way = longer.draw(st.sampled_from([b"\xa4free", b"\xd9\x04free", b"\xda\x00\x04free"]))
        one = msgspec.msgpack.encode([key]).replace(b"\xa4free", way)
        found = known.numbers(msgspec.Raw(one), hits=1)
        assert found is not None
        numbers += found
        plain[key] += 1
    counts = CountedKeys(known, numbers)
    assert is_same(columns_from_counts(counts), columns_from_counts(plain))
    assert list(counts.items()) == list(plain.items())
    assert len(counts) == len(plain)


def test_more_slices_than_columns_can_have_are_left_to_the_mapping() -> None:
    keys = [("1", str(number), "", "") for number in range(SLICES_MAX + 5)]
    counts = counted(KnownKeys(), keys)
    assert counts.columns() is None
    assert is_same(columns_from_counts(counts), columns_from_counts(Counter(keys)))


@pytest.mark.parametrize("asset", ["0", "00", "7", str(TEXT_BIT - 1), str(TEXT_BIT), "/news", "é", "x" * 70_000])
def test_ids_that_are_numbers_and_those_that_are_texts(asset: str) -> None:
    key = (asset, "12", "article", "free")
    known = KnownKeys()
    found = known.numbers(packed([key] * 3), hits=3)
    if found is None:  # Longer than 65,535 bytes, which no sender's is: Python reads it.
        assert len(asset) > 65_535
        return
    assert counts_of(CountedKeys(known, found).columns() or EMPTY) == {key: 3}


@given(flushes=st.lists(st.lists(assets, min_size=1, max_size=10), min_size=2, max_size=6))
def test_what_is_learned_from_one_flush_holds_for_the_next(flushes: list[list[str]]) -> None:
    known = KnownKeys()
    for some in flushes:
        keys = [(asset, "12", "", "free") for asset in some]
        assert is_same(columns_from_counts(counted(known, keys)), columns_from_counts(Counter(keys)))
    assert len(known) == len({asset for some in flushes for asset in some})


def test_counts_of_nothing_are_nothing() -> None:
    counts = CountedKeys(KnownKeys(), b"")
    assert (dict(counts), len(counts), bool(counts)) == ({}, 0, False)
    assert is_same(columns_from_counts(counts), EMPTY)


@pytest.mark.parametrize("said", [0, 1, 3])
def test_numbers_are_given_only_for_as_many_keys_as_there_are(said: int) -> None:
    known = KnownKeys()
    assert known.numbers(packed([("1", "", "", "")] * 2), hits=said) is None
    assert known.numbers(msgspec.Raw(b"\xc0"), hits=said) is None
    assert len(known) == 0


def test_it_is_full_when_it_knows_too_many() -> None:
    known = KnownKeys()
    for start in range(0, KEYS_MAX, 10_000):
        assert not known.is_full
        laid(known, [(str(number), "", "", "") for number in range(start, start + 10_000)])
    assert known.is_full


def test_where_native_code_was_not_built_nothing_is_known() -> None:
    with without_native_code():
        known = KnownKeys()
        assert known.numbers(packed([("1", "", "", "")]), hits=1) is None
        assert (len(known), known.is_full, known.keys(np.zeros(0, np.uint32))) == (0, False, [])
