"""Counts as columns: what goes in comes out, whatever the ids are made of."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.store.columns import (
    EMPTY,
    SLICES_MAX,
    TEXT_BIT,
    CountKey,
    Row,
    Slice,
    asset_text,
    assets_of,
    columns_from_counts,
    ident_of,
    is_same,
    rows,
    total_hits,
)
from tests.flow.store.counts import coarse_hash, counts, counts_of


@pytest.mark.parametrize("number", [0, 7, 132141398, 2**63 - 1])
def test_a_number_is_its_own_ident(number: int) -> None:
    assert ident_of(str(number)) == number


@pytest.mark.parametrize(
    "text", ["", "00", "007", "-1", "1.0", " 7", "7\n", str(2**63), "9" * 20, "\u0667", "²", "/news"]
)
def test_any_other_id_is_a_text(text: str) -> None:
    assert TEXT_BIT <= ident_of(text) < 2**64


@given(counts)
def test_columns_say_what_the_counts_said(given_counts: dict[CountKey, int]) -> None:
    columns = columns_from_counts(given_counts)
    assert counts_of(columns) == given_counts
    assert total_hits(columns) == sum(given_counts.values())
    assert columns.other == 0


@given(counts, st.randoms(use_true_random=False))
def test_the_order_of_counts_does_not_matter(given_counts: dict[CountKey, int], chance: Random) -> None:
    shuffled = list(given_counts.items())
    chance.shuffle(shuffled)
    assert is_same(columns_from_counts(given_counts), columns_from_counts(dict(shuffled)))


@given(counts)
def test_rows_are_in_order_and_no_two_are_alike(given_counts: dict[CountKey, int]) -> None:
    columns = columns_from_counts(given_counts)
    places = list(zip(columns.ident.tolist(), columns.slice_no.tolist(), strict=True))
    assert places == sorted(set(places))
    assert list(columns.slices) == sorted({row.slice for row in rows(columns)})
    idents = {ident_of(key[0]) for key in given_counts}
    assert columns.text_ident.tolist() == sorted(ident for ident in idents if ident >= TEXT_BIT)


def test_no_counts_are_the_empty_columns() -> None:
    assert is_same(columns_from_counts({}), EMPTY)
    assert is_same(columns_from_counts({("7", "", "", ""): 0}), EMPTY)
    assert list(rows(EMPTY)) == []
    assert total_hits(EMPTY) == 0


def test_a_count_of_nothing_makes_no_row() -> None:
    columns = columns_from_counts({("7", "a", "", ""): 0, ("8", "b", "", ""): 2})
    assert list(rows(columns)) == [Row("8", Slice("b", "", ""), 2)]


def test_an_asset_under_two_slices_is_one_asset() -> None:
    columns = columns_from_counts({("/a", "1", "", ""): 3, ("/a", "2", "", ""): 4, ("5", "1", "", ""): 1})
    assert assets_of(columns).tolist() == [5, ident_of("/a")]
    assert asset_text(columns, ident_of("/a")) == "/a"
    assert asset_text(columns, 5) == "5"


def test_the_text_of_an_asset_that_was_not_seen_is_not_known() -> None:
    columns = columns_from_counts({("/a", "1", "", ""): 3})
    with pytest.raises(KeyError, match="no row"):
        asset_text(columns, ident_of("/b"))


def test_of_two_texts_with_one_ident_the_first_keeps_it_and_the_other_goes_to_other() -> None:
    given_counts: dict[CountKey, int] = {
        ("aaa", "1", "", ""): 5,
        ("bbb", "2", "", ""): 7,
        ("aaa", "3", "", ""): 1,
        ("7", "1", "", ""): 2,
    }
    columns = columns_from_counts(given_counts, text_hash=coarse_hash)
    assert list(rows(columns)) == [
        Row("7", Slice("1", "", ""), 2),
        Row("aaa", Slice("1", "", ""), 5),
        Row("aaa", Slice("3", "", ""), 1),
    ]
    assert columns.other == 7
    assert columns.slices == (Slice("1", "", ""), Slice("3", "", ""))


@given(counts)
def test_clashing_idents_never_give_a_hit_to_another_asset(given_counts: dict[CountKey, int]) -> None:
    columns = columns_from_counts(given_counts, text_hash=coarse_hash)
    found = counts_of(columns)
    assert all(given_counts[key] == hits for key, hits in found.items())
    for fields, without_row in ((4, columns.other), (5, columns.other_screened)):
        given = sum(hits for key, hits in given_counts.items() if len(key) == fields)
        assert sum(hits for key, hits in found.items() if len(key) == fields) + without_row == given


def test_slices_beyond_what_can_be_numbered_go_to_other() -> None:
    given_counts: dict[CountKey, int] = {("1", f"{section:06d}", "", ""): 1 for section in range(SLICES_MAX + 5)}
    columns = columns_from_counts(given_counts)
    assert len(columns.slices) == SLICES_MAX
    assert columns.other == 5
    assert columns.slices[-1].section == f"{SLICES_MAX - 1:06d}"
    assert columns.slice_no.dtype == np.uint16
