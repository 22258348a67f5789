"""What is known of a window's visitors: pieces, united when read, in whatever order and however often written."""

from collections.abc import Sequence

import numpy as np
import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.store import keys, visitors
from footfall.flow.store.visitors import (
    BRAND_GROUP,
    group_of_asset,
    group_of_section,
    load_pieces,
    load_visitors,
    remove_pieces,
    save_visitors,
    unite_pieces,
)
from footfall.ports.errors import Changed, Corrupt, Unavailable
from footfall.ports.table import ITEM_BYTES_MAX, Action, Delete, Key, Put, everything
from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.grouped import GroupedUniques, estimates, grouped_from, merge_grouped
from footfall.values.clock import SetClock
from footfall.values.window import HOUR_MS, Grain, window_of

NOW_MS = 1_794_744_000_000
WINDOW = window_of(NOW_MS, Grain.HOUR, "UTC")
LATER_MS = NOW_MS + HOUR_MS


@pytest.fixture
def table() -> SqliteTable:
    return SqliteTable(":memory:", clock=SetClock(NOW_MS))


def met(assets: int, of_each: int, *, first: int = 0) -> GroupedUniques:
    groups = np.array([group_of_asset(str(n)) for n in range(assets) for _ in range(of_each)], np.int64)
    return grouped_from(groups, coupons_of_numbers(np.arange(first, first + assets * of_each, dtype=np.uint64)))


def save(table: SqliteTable, sketches: GroupedUniques, *, part: str = "s00", through: int = 1) -> list[visitors.Piece]:
    return save_visitors(table, "abc", WINDOW, sketches, part=part, through=through, expires_at_ms=LATER_MS)


def test_what_several_parts_found_is_united(table: SqliteTable) -> None:
    one, other = met(3, 5), met(4, 5, first=7)
    save(table, one, part="s00")
    save(table, other, part="s01")
    assert load_visitors(table, "abc", WINDOW) == merge_grouped([one, other])


def test_writing_the_same_again_changes_nothing(table: SqliteTable) -> None:
    save(table, met(3, 5))
    save(table, met(3, 5))
    assert len(load_pieces(table, "abc", WINDOW)) == 1


def test_two_that_read_equally_far_do_not_write_over_each_other(table: SqliteTable) -> None:
    save(table, met(3, 5), through=9)
    save(table, met(1, 5), through=9)
    assert load_visitors(table, "abc", WINDOW) == met(3, 5)


def test_what_is_too_large_for_an_item_is_written_in_pieces(table: SqliteTable) -> None:
    many = met(4_000, 60)
    pieces = save(table, many)
    assert len(pieces) > 1
    assert {piece.part for piece in pieces} == {"s00"}
    stored = [one.item["sketches"] for one in everything(table, keys.partition("abc", WINDOW))]
    assert all(isinstance(data, bytes) and len(data) < ITEM_BYTES_MAX for data in stored)
    assert load_visitors(table, "abc", WINDOW) == many


def test_pieces_are_put_together_without_a_moment_in_which_less_is_known(table: SqliteTable) -> None:
    pieces = save(table, met(3, 5), through=1) + save(table, met(3, 5, first=100), through=2)
    whole = load_visitors(table, "abc", WINDOW)
    save(table, whole, through=2)
    assert load_visitors(table, "abc", WINDOW) == whole
    remove_pieces(table, pieces)
    assert load_visitors(table, "abc", WINDOW) == whole
    assert len(load_pieces(table, "abc", WINDOW)) == 1


class WithoutTransactions(SqliteTable):
    """A table as on AWS, which may lose a piece to somebody else at any moment."""

    gone: Key | None = None

    def transact(self, actions: Sequence[Action]) -> None:
        raise Unavailable(f"{len(actions)} writes at once")

    def delete(self, delete: Delete) -> None:
        if delete.key == self.gone:
            super().delete(Delete(delete.key))
        super().delete(delete)


def unite(table: SqliteTable, pieces: list[visitors.Piece], sketches: GroupedUniques) -> list[visitors.Piece]:
    whole = merge_grouped([*(piece.sketches for piece in pieces), sketches])
    return unite_pieces(table, "abc", WINDOW, whole, replaces=pieces, part="s00", through=9, expires_at_ms=LATER_MS)


def test_a_part_puts_its_pieces_together_without_transactions() -> None:
    table = WithoutTransactions(":memory:", clock=SetClock(NOW_MS))
    pieces = save(table, met(3, 5), through=1) + save(table, met(3, 5, first=100), through=2)
    unite(table, pieces, met(3, 5, first=200))
    assert len(load_pieces(table, "abc", WINDOW)) == 1
    assert estimates(load_visitors(table, "abc", WINDOW)).count.tolist() == [15, 15, 15]


def test_whoever_finds_a_piece_gone_leaves_the_others_as_they_were() -> None:
    table = WithoutTransactions(":memory:", clock=SetClock(NOW_MS))
    pieces = save(table, met(3, 5), through=1) + save(table, met(3, 5, first=100), through=2)
    table.gone = pieces[1].key
    with pytest.raises(Changed):
        unite(table, pieces, met(3, 5, first=200))
    assert load_visitors(table, "abc", WINDOW) == pieces[0].sketches


def test_a_window_nobody_knows_has_no_visitors(table: SqliteTable) -> None:
    assert not len(load_visitors(table, "abc", WINDOW))


def test_visitors_expire_with_their_window() -> None:
    clock = SetClock(NOW_MS)
    table = SqliteTable(":memory:", clock=clock)
    save(table, met(3, 5))
    clock.set(LATER_MS + 1)
    assert not load_pieces(table, "abc", WINDOW)


def test_a_damaged_piece_is_told_and_not_counted(table: SqliteTable) -> None:
    (piece,) = save(table, met(3, 5))
    table.put(Put(piece.key, {"sketches": b"ffug, or is it"}))
    with pytest.raises(Corrupt, match="is damaged"):
        load_visitors(table, "abc", WINDOW)


def test_an_asset_a_section_and_the_brand_are_never_the_same_set() -> None:
    assert len({group_of_asset(""), group_of_section(""), BRAND_GROUP, group_of_asset("1"), group_of_section("1")}) == 5


def test_estimates_are_those_of_the_values(table: SqliteTable) -> None:
    save(table, met(2, 300))
    assert estimates(load_visitors(table, "abc", WINDOW)).count.tolist() == [300, 300]
