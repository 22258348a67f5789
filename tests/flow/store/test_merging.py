"""Merging is adding, in any order; limits let keys in by their order in the stream."""

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from footfall.flow.store.columns import (
    EMPTY,
    SLICES_MAX,
    Columns,
    CountKey,
    Cuts,
    TextHash,
    columns_from_counts,
    ident_of,
    is_same,
    rows,
    screened_key,
    total_hits,
)
from footfall.flow.store.cutting import cut, most_missed
from footfall.flow.store.merging import ROWS_AT_ONCE_MAX, Limits, admit, bounded, merge
from tests.flow.store.counts import coarse_hash, columns, counts, counts_of, keys, plain_sum, slice_of

clashing_columns = counts.map(lambda given_counts: columns_from_counts(given_counts, text_hash=coarse_hash))
any_columns = st.builds(cut, columns, st.integers(0, 3)) | clashing_columns | st.just(EMPTY)


@given(st.lists(counts, max_size=5))
def test_a_merge_is_the_plain_sum(parts: list[dict[CountKey, int]]) -> None:
    merged = merge([columns_from_counts(part) for part in parts])
    assert counts_of(merged) == plain_sum(*parts)
    assert is_same(merged, columns_from_counts(plain_sum(*parts)))


@given(st.lists(any_columns, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_parts_does_not_matter(parts: list[Columns], chance: Random) -> None:
    shuffled = list(parts)
    chance.shuffle(shuffled)
    assert is_same(merge(parts), merge(shuffled))


@given(any_columns, any_columns, any_columns)
def test_the_grouping_of_parts_does_not_matter(one: Columns, two: Columns, three: Columns) -> None:
    at_once = merge([one, two, three])
    assert is_same(merge([merge([one, two]), three]), at_once)
    assert is_same(merge([one, merge([two, three])]), at_once)


@given(any_columns)
def test_nothing_merged_in_changes_nothing(part: Columns) -> None:
    assert is_same(merge([part]), part)
    assert is_same(merge([EMPTY, part, EMPTY]), part)


@given(st.lists(any_columns, max_size=4))
def test_no_hit_is_lost_or_made_up(parts: list[Columns]) -> None:
    assert total_hits(merge(parts)) == sum(total_hits(part) for part in parts)


def test_of_two_texts_with_one_ident_the_lower_keeps_it() -> None:
    one = columns_from_counts({("bbb", "1", "", ""): 5, ("7", "", "", ""): 1}, text_hash=coarse_hash)
    two = columns_from_counts({("aaa", "2", "", ""): 3}, text_hash=coarse_hash)
    merged = merge([one, two])
    assert counts_of(merged) == {("aaa", "2", "", ""): 3, ("7", "", "", ""): 1}
    assert merged.other == 5
    assert slice_of("1") not in merged.slices


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 15, 16, 17, 255])
@pytest.mark.parametrize("tail", ["", "b"])
def test_texts_that_differ_only_in_their_last_byte_or_length_are_told_apart(length: int, tail: str) -> None:
    def one_ident(_: bytes) -> int:
        return 1

    one = columns_from_counts({("a" * length + tail, "", "", ""): 5}, text_hash=one_ident)
    two = columns_from_counts({("a" * length + "c", "", "", ""): 3}, text_hash=one_ident)
    assert merge([one, two]).other == 3
    assert merge([one, one]).other == 0


def test_slices_beyond_what_can_be_numbered_go_to_other_in_any_order() -> None:
    half = SLICES_MAX // 2 + 10
    one = columns_from_counts({("1", f"{2 * at:06d}", "", ""): 1 for at in range(half)})
    two = columns_from_counts({("/t", f"{2 * at + 1:06d}", "", ""): 1 for at in range(half)})
    merged = merge([one, two])
    assert len(merged.slices) == SLICES_MAX
    assert merged.other == 20
    assert is_same(merged, merge([two, one]))


def test_cuts_add_up_and_then_reach_kept_assets_too() -> None:
    one = replace(columns_from_counts({("1", "a", "", ""): 9}), cuts=Cuts({slice_of("a"): 4}, 4))
    two = replace(columns_from_counts({("2", "a", "", ""): 9}), cuts=Cuts({slice_of("a"): 3, slice_of("b"): 5}, 6))
    assert merge([one, two]).cuts == Cuts({slice_of("a"): 7, slice_of("b"): 5}, 10, reaches_kept=True)
    assert merge([one, EMPTY]).cuts == one.cuts


@given(counts, counts, st.integers(1, 3), st.integers(1, 3))
def test_after_a_merge_of_cut_windows_bounds_hold_for_every_asset(
    one: dict[CountKey, int], two: dict[CountKey, int], keep_one: int, keep_two: int
) -> None:
    merged = merge([cut(columns_from_counts(one), keep_one), cut(columns_from_counts(two), keep_two)])
    for window in (merged, cut(merged, 1)):
        true, kept = plain_sum(one, two), counts_of(window)
        for label in {slice_of(*key[1:]) for key in true}:
            for asset in {key[0] for key in true}:
                key = screened_key((asset, *label[:3]), label.label)
                has_rows = any(kept_asset == asset for kept_asset, *_ in kept)
                missed = most_missed(window.cuts, [label])
                may_miss = missed if window.cuts.reaches_kept or not has_rows else 0
                assert kept[key] <= true[key] <= kept[key] + may_miss


small_limits = st.just(Limits()) | st.builds(
    Limits, assets_max=st.integers(0, 12), slices_max=st.integers(0, 4), text_bytes_max=st.integers(0, 60)
)
few_keys = st.tuples(st.sampled_from(["aaa", "bbb", "c", "7"]), st.sampled_from(["", "12"]), st.just(""), st.just(""))
streams = st.lists(keys, max_size=60)


@given(streams, small_limits, st.lists(st.integers(0, 60), max_size=5))
def test_where_the_stream_was_cut_into_flushes_does_not_matter(
    stream: list[CountKey], limits: Limits, places: list[int]
) -> None:
    flushed = _flushed(stream, limits, sorted(places), xxh3_64_intdigest)
    assert is_same(flushed, _flushed(stream, limits, [], xxh3_64_intdigest))
    assert is_same(flushed, _flushed(stream, limits, list(range(len(stream))), xxh3_64_intdigest))
    assert total_hits(flushed) == len(stream)


@given(st.lists(few_keys, min_size=4, max_size=12), small_limits)
def test_nor_does_it_matter_when_texts_clash(stream: list[CountKey], limits: Limits) -> None:
    flushed = _flushed(stream, limits, [], coarse_hash)
    for step in (1, 2, 3, 4):
        assert is_same(flushed, _flushed(stream, limits, list(range(0, len(stream), step)), coarse_hash))
    assert total_hits(flushed) == len(stream)


def _flushed(stream: list[CountKey], limits: Limits, places: list[int], text_hash: TextHash) -> Columns:
    window = EMPTY
    for start, end in zip([0, *places], [*places, len(stream)], strict=True):
        window = admit(window, Counter(stream[start:end]), limits, text_hash=text_hash)
    return window


@given(streams, small_limits)
def test_a_window_never_holds_more_than_its_limits(stream: list[CountKey], limits: Limits) -> None:
    window = admit(EMPTY, Counter(stream), limits)
    assert len({row.asset for row in rows(window)}) <= limits.assets_max
    assert len(window.slices) <= limits.slices_max
    assert len(window.texts.blob) <= limits.text_bytes_max


@given(columns, counts)
def test_below_its_limits_a_window_takes_everything(main: Columns, delta: dict[CountKey, int]) -> None:
    assert is_same(admit(main, delta, Limits()), merge([main, columns_from_counts(delta)]))


def test_what_comes_first_is_let_in_and_known_keys_go_on_counting() -> None:
    limits = Limits(assets_max=2)
    window = admit(EMPTY, {(asset, "", "", ""): 1 for asset in ("9", "3", "1")}, limits)
    window = admit(window, {("1", "", "", ""): 4, ("3", "", "", ""): 5}, limits)
    assert counts_of(window) == {("3", "", "", ""): 6, ("9", "", "", ""): 1}
    assert window.other == 5


def test_a_text_that_was_there_before_keeps_its_ident() -> None:
    window = columns_from_counts({("bbb", "", "", ""): 1}, text_hash=coarse_hash)
    window = admit(window, {("aaa", "", "", ""): 2, ("bbb", "", "", ""): 3}, Limits(), text_hash=coarse_hash)
    assert counts_of(window) == {("bbb", "", "", ""): 4}
    assert window.other == 2


def test_limits_that_rows_cannot_hold_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="slices_max"):
        Limits(slices_max=SLICES_MAX)


@given(counts, st.integers(0, 20), st.integers(0, 60))
def test_bounded_keeps_the_assets_with_most_hits_and_never_part_of_a_tie(
    given_counts: dict[CountKey, int], rows_max: int, text_bytes_max: int
) -> None:
    whole = columns_from_counts(given_counts)
    window = bounded(whole, rows_max=rows_max, text_bytes_max=text_bytes_max)
    assert len(window.ident) <= rows_max or len(whole.ident) <= rows_max
    assert len(window.texts.blob) <= text_bytes_max
    total = Counter[str]()
    for (asset, *_), hits in given_counts.items():
        total[asset] += hits
    kept = {row.asset for row in rows(window)}
    left = total.keys() - kept
    assert window.cuts.any_asset == max((total[asset] for asset in left), default=0)
    assert all(total[asset] > window.cuts.any_asset for asset in kept)
    assert counts_of(window) == {key: hits for key, hits in given_counts.items() if key[0] in kept}


def test_columns_within_their_bounds_are_left_as_they_are() -> None:
    whole = columns_from_counts({("1", "", "", ""): 1, ("/a", "", "", ""): 1})
    assert bounded(whole, rows_max=2, text_bytes_max=2) is whole


def test_more_rows_than_are_merged_at_once_are_merged_exactly() -> None:
    parts = [_numbers(seed) for seed in (1, 2, 3)]
    assert sum(len(part.ident) for part in parts) > ROWS_AT_ONCE_MAX
    merged = merge(parts)
    expected = np.zeros(2_000_000, np.uint64)
    for part in parts:
        expected[part.ident] += part.hits
    assert np.array_equal(merged.ident, np.flatnonzero(expected))
    assert np.array_equal(merged.hits, expected[expected > 0])


def _numbers(seed: int) -> Columns:
    chance = np.random.default_rng(seed)
    ident = np.sort(chance.choice(2_000_000, 500_000, replace=False)).astype(np.uint64)
    one = columns_from_counts({("1", "563", "article", "free"): 1})
    hits = chance.integers(1, 1_000, len(ident)).astype(np.uint64)
    return replace(one, ident=ident, slice_no=np.zeros(len(ident), np.uint16), hits=hits)


def test_idents_of_texts_are_where_rows_expect_them() -> None:
    merged = merge([columns_from_counts({(text, "", "", ""): 1}) for text in ("/a", "/b", "/c", "/a")])
    assert merged.text_ident.tolist() == sorted(ident_of(text) for text in ("/a", "/b", "/c"))
