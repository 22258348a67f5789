"""What a cut leaves out stays within the bounds it records."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.store.columns import (
    EMPTY,
    Columns,
    CountKey,
    Cuts,
    Slice,
    columns_from_counts,
    is_same,
    rows,
)
from footfall.flow.store.cutting import cut, most_missed
from footfall.flow.store.merging import merge
from tests.flow.store.counts import columns, counts, counts_of, plain_sum, slice_of


def in_section(section: str, hits: dict[str, int]) -> dict[CountKey, int]:
    return {(asset, section, "", ""): count for asset, count in hits.items()}


def test_each_slice_keeps_its_top_rows() -> None:
    window = columns_from_counts(in_section("a", {"1": 9, "2": 8, "3": 7}) | in_section("b", {"4": 2, "5": 1}))
    kept = cut(window, 1)
    assert counts_of(kept) == {("1", "a", "", ""): 9, ("4", "b", "", ""): 2}
    assert kept.cuts == Cuts({slice_of("a"): 8, slice_of("b"): 1}, 8, left_out={slice_of("a"): 15, slice_of("b"): 1})


def test_a_tie_is_never_cut() -> None:
    kept = cut(columns_from_counts(in_section("a", {"1": 9, "2": 5, "3": 5, "4": 5, "5": 4})), 2)
    assert {row.asset for row in rows(kept)} == {"1", "2", "3", "4"}
    assert kept.cuts == Cuts({slice_of("a"): 4}, any_asset=4, left_out={slice_of("a"): 4})


def test_an_asset_with_a_kept_row_keeps_all_its_rows() -> None:
    window = columns_from_counts(in_section("a", {"1": 9, "2": 1}) | in_section("b", {"2": 5, "3": 4}))
    kept = cut(window, 1)
    assert counts_of(kept) == {("1", "a", "", ""): 9, ("2", "a", "", ""): 1, ("2", "b", "", ""): 5}
    assert kept.cuts == Cuts({slice_of("b"): 4}, any_asset=4, left_out={slice_of("b"): 4})


def test_the_highest_total_left_out_is_over_all_slices_of_one_asset() -> None:
    window = columns_from_counts(in_section("a", {"1": 9, "3": 3, "4": 4}) | in_section("b", {"2": 9, "3": 3}))
    left_out = {slice_of("a"): 7, slice_of("b"): 3}
    assert cut(window, 1).cuts == Cuts({slice_of("a"): 4, slice_of("b"): 3}, any_asset=6, left_out=left_out)


def test_texts_of_what_was_left_out_are_left_out() -> None:
    kept = cut(columns_from_counts(in_section("a", {"/kept": 9, "/left": 8, "5": 10})), 2)
    assert kept.texts.blob == b"/kept"
    assert len(kept.text_ident) == 1


@given(columns)
def test_nought_keeps_everything(window: Columns) -> None:
    assert cut(window, 0) is window
    assert cut(EMPTY, 3) is EMPTY


@given(columns, st.integers(1, 4))
def test_cutting_again_as_far_changes_nothing(window: Columns, keep: int) -> None:
    assert is_same(cut(cut(window, keep), keep), cut(window, keep))


@given(columns, st.integers(1, 4), st.integers(1, 4))
def test_cutting_in_two_steps_bounds_what_one_step_would(window: Columns, one: int, two: int) -> None:
    stepwise, at_once = cut(cut(window, max(one, two)), min(one, two)), cut(window, min(one, two))
    assert is_same(stepwise, at_once)


def test_cutting_a_merge_of_cut_windows_adds_its_bounds() -> None:
    window = replace(
        columns_from_counts(in_section("a", {"1": 9, "2": 3})), cuts=Cuts({slice_of("a"): 5}, 5, reaches_kept=True)
    )
    # The asset that is left out now may have been left out of one of the windows before.
    assert cut(window, 1).cuts == Cuts({slice_of("a"): 8}, 8, reaches_kept=True)


def test_what_an_asset_can_have_missed_is_bounded_in_two_ways() -> None:
    cuts = Cuts({slice_of("a"): 4, slice_of("b"): 3}, any_asset=5)
    assert most_missed(cuts) == 5
    assert most_missed(cuts, [slice_of("a")]) == 4
    assert most_missed(cuts, [slice_of("b"), slice_of("b"), slice_of("never seen")]) == 3
    assert most_missed(cuts, []) == 0


@given(counts, counts, st.integers(0, 4), st.integers(0, 4))
def test_what_is_left_out_of_a_slice_and_what_is_kept_is_all_there_was(
    one: dict[CountKey, int], two: dict[CountKey, int], keep: int, again: int
) -> None:
    window = cut(merge([cut(columns_from_counts(part), keep) for part in (one, two)]), again)
    true = Counter[Slice]()
    for key, hits in plain_sum(one, two).items():
        true[Slice(*key[1:])] += hits
    found = Counter(window.cuts.left_out)
    for row in rows(window):
        found[row.slice] += row.hits
    assert found == true


def test_a_slice_that_was_cut_before_sums_were_kept_stays_unknown() -> None:
    old = replace(columns_from_counts(in_section("a", {"1": 9})), cuts=Cuts({slice_of("a"): 4}, 4))
    new = cut(columns_from_counts(in_section("a", {"1": 9, "2": 3}) | in_section("b", {"3": 9, "4": 3})), 1)
    assert merge([old, new]).cuts.left_out == {slice_of("b"): 3}


@given(counts, counts, st.integers(0, 4), st.sets(st.integers(0, 11)))
def test_the_true_count_of_any_asset_lies_within_the_bounds(
    one: dict[CountKey, int], two: dict[CountKey, int], keep: int, chosen: set[int]
) -> None:
    windows = [cut(columns_from_counts(part), keep) for part in (one, two)]
    every = sorted({Slice(*key[1:]) for key in one | two})
    asked = [label for at, label in enumerate(every) if at in chosen]
    true = _by_asset(plain_sum(one, two), asked)
    for asset in {key[0] for key in one | two}:
        kept = sum(_by_asset(counts_of(window), asked)[asset] for window in windows)
        bound = sum(
            most_missed(window.cuts, asked) for window in windows if asset not in {row.asset for row in rows(window)}
        )
        assert kept <= true[asset] <= kept + bound


def _by_asset(counted: Counter[CountKey], asked: list[Slice]) -> Counter[str]:
    total = Counter[str]()
    for (asset, *labels), hits in counted.items():
        if tuple(labels) in asked:
            total[asset] += hits
    return total
