"""Summaries in the table: conditions, blocks, parts that count and parts that do not."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.aws.dynamodb_items import Names, stored_bytes, stored_from_item
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.store import keys
from footfall.flow.store.columns import EMPTY, Columns, Slice, columns_from_counts, is_same, texts_from
from footfall.flow.store.summaries import (
    BLOCK_GRACE_MS,
    INLINE_BYTES_MAX,
    PIECE_BYTES_STEP,
    PIECE_KEY_BYTES,
    PIECES_MAX,
    Summaries,
    Summary,
    laid_in_pieces,
)
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.table import Found, Key, Page, Put, Update, Value, everything
from footfall.values.clock import SetClock
from footfall.values.window import HOUR_MS, Grain, Window
from tests.flow.store.counts import columns

START_MS = 1_794_753_000_000
WINDOW = Window(Grain.HOUR, START_MS, START_MS + HOUR_MS)
EXPIRES_AT_MS = START_MS + 1_000 * HOUR_MS
ROW = columns_from_counts({("132141398", "563", "article", "free"): 258})


@pytest.fixture
def clock() -> SetClock:
    return SetClock(START_MS)


@pytest.fixture
def table(clock: SetClock) -> SqliteTable:
    return SqliteTable(":memory:", clock=clock)


@pytest.fixture
def summaries(table: SqliteTable, clock: SetClock) -> Summaries:
    return Summaries(table, clock)


def summary(part: str = "s00", through: int = 1, columns: Columns = ROW, **throughs: int) -> Summary:
    return Summary(
        window=WINDOW, part=part, through=through, throughs=throughs, columns=columns, final=part == "all", rules=3
    )


def large(seed: int = 1, rows: int = 100_000) -> Columns:
    """Return columns that do not fit into a head: numbers without any pattern."""
    chance = np.random.default_rng(seed)
    return replace(
        EMPTY,
        slices=(Slice("", "", ""), Slice("563", "article", "free")),
        ident=np.cumsum(chance.integers(1, 2**40, rows), dtype=np.uint64),
        slice_no=(np.arange(rows) % 2).astype(np.uint16),
        hits=chance.integers(1, 2**20, rows).astype(np.uint64),
    )


def items(table: SqliteTable) -> list[Found]:
    return list(everything(table, keys.partition("abc", WINDOW)))


def blocks(table: SqliteTable) -> list[str]:
    return [found.key.sort for found in items(table) if found.key.sort.startswith("z#")]


def save(summaries: Summaries, what: Summary, replaces: int | None = None) -> None:
    summaries.save("abc", what, replaces=replaces, expires_at_ms=EXPIRES_AT_MS)


def parts(found: Sequence[Summary]) -> list[str]:
    return [one.part for one in found]


@given(columns)
def test_a_summary_comes_back_as_it_was_saved(some_columns: Columns) -> None:
    clock = SetClock(START_MS)
    summaries = Summaries(SqliteTable(":memory:", clock=clock), clock)
    saved = summary("all", 9, some_columns, s00=7, s01=9)
    save(summaries, saved)
    loaded = summaries.load("abc", WINDOW, "all")
    assert loaded is not None
    assert is_same(loaded.columns, some_columns)
    assert replace(loaded, columns=EMPTY) == replace(saved, columns=EMPTY)


def test_what_was_never_saved_is_not_there(summaries: Summaries) -> None:
    assert summaries.load("abc", WINDOW, "s00") is None
    assert summaries.head("abc", WINDOW, "s00") is None
    assert summaries.live("abc", WINDOW) == []


def test_brands_do_not_see_each_other(summaries: Summaries) -> None:
    save(summaries, summary())
    assert summaries.load("xyz", WINDOW, "s00") is None


def test_a_million_rows_come_back_as_they_were_saved(summaries: Summaries, table: SqliteTable) -> None:
    million = large(rows=1_000_000)
    save(summaries, summary(columns=million))
    loaded = summaries.load("abc", WINDOW, "s00")
    assert loaded is not None
    assert is_same(loaded.columns, million)
    assert len(blocks(table)) > 10


def test_texts_fill_blocks_too(summaries: Summaries, table: SqliteTable) -> None:
    chance = np.random.default_rng(5)
    idents = np.unique(chance.integers(2**63, 2**64, 20_000, dtype=np.uint64))
    long_texts = replace(
        EMPTY,
        slices=(Slice("", "", ""),),
        ident=idents,
        slice_no=np.zeros(len(idents), np.uint16),
        hits=np.ones(len(idents), np.uint64),
        text_ident=idents,
        texts=texts_from([chance.bytes(20).hex().encode() for _ in idents]),
    )
    save(summaries, summary(columns=long_texts))
    loaded = summaries.load("abc", WINDOW, "s00")
    assert loaded is not None
    assert is_same(loaded.columns, long_texts)
    assert len(blocks(table)) >= 2


def test_a_small_summary_is_one_item(summaries: Summaries, table: SqliteTable) -> None:
    save(summaries, summary())
    assert [found.key.sort for found in items(table)] == ["h#s00"]


def test_heads_are_read_without_their_blocks(summaries: Summaries, table: SqliteTable) -> None:
    save(summaries, summary(columns=large()))
    found = list(everything(table, keys.partition("abc", WINDOW), at_least=keys.HEADS_FROM, at_most=keys.HEADS_TO))
    assert [one.key.sort for one in found] == ["h#s00"]
    assert len(blocks(table)) > 1


def test_equal_content_is_told_without_decoding(summaries: Summaries) -> None:
    save(summaries, summary("s00"))
    save(summaries, summary("s01", through=5))
    save(summaries, summary("s02", columns=large()))
    checksums = [head.checksum for part in ("s00", "s01", "s02") if (head := summaries.head("abc", WINDOW, part))]
    assert checksums[0] == checksums[1] != checksums[2]


def test_a_summary_is_replaced_by_who_read_it(summaries: Summaries) -> None:
    save(summaries, summary(through=1))
    save(summaries, summary(through=2), replaces=1)
    loaded = summaries.load("abc", WINDOW, "s00")
    assert loaded is not None
    assert loaded.through == 2


@pytest.mark.parametrize("of_loser", [ROW, large(2)], ids=["small", "large"])
@pytest.mark.parametrize("of_winner", [ROW, large(1)], ids=["small", "large"])
@pytest.mark.parametrize("replaces", [None, 1, 3])
def test_who_is_plainly_too_late_changes_nothing(
    summaries: Summaries, table: SqliteTable, of_winner: Columns, of_loser: Columns, replaces: int | None
) -> None:
    save(summaries, summary(through=2, columns=of_winner))
    before = items(table)
    with pytest.raises(Changed, match="h#s00"):
        save(summaries, summary(through=4, columns=of_loser), replaces=replaces)
    assert items(table) == before


def test_who_expects_what_is_not_there_changes_nothing(summaries: Summaries, table: SqliteTable) -> None:
    for of_loser in (ROW, large()):
        with pytest.raises(Changed):
            save(summaries, summary(through=4, columns=of_loser), replaces=3)
    with pytest.raises(Changed):
        summaries.remove("abc", WINDOW, "s00", replaces=3)
    assert items(table) == []


class Interrupted(SqliteTable):
    """A table on which something happens just before it is used in a certain way, once each time it is armed."""

    def __init__(self, clock: SetClock) -> None:
        super().__init__(":memory:", clock=clock)
        self.before_head_put: Callable[[], None] | None = None
        self.before_blocks: Callable[[], None] | None = None

    def put(self, put: Put) -> None:
        happening, self.before_head_put = self.before_head_put, None
        if happening:
            happening()
        super().put(put)

    def query(self, partition: str, **asked: Any) -> Page:
        if str(asked.get("at_least")).startswith("z#"):
            happening, self.before_blocks = self.before_blocks, None
            if happening:
                happening()
        return super().query(partition, **asked)


@pytest.mark.parametrize("same", [True, False], ids=["same content", "other content"])
def test_of_two_writers_at_once_one_wins_and_the_other_finds_out(clock: SetClock, same: bool) -> None:
    table = Interrupted(clock)
    summaries = Summaries(table, clock)
    save(summaries, summary(through=1))
    winner = summary(through=2, columns=large(1))
    loser = summary(through=2, columns=large(1 if same else 2))
    table.before_head_put = lambda: save(summaries, winner, replaces=1)
    with pytest.raises(Changed):
        save(summaries, loser, replaces=1)
    clock.advance(BLOCK_GRACE_MS)
    loaded = summaries.load("abc", WINDOW, "s00")
    assert loaded is not None
    assert is_same(loaded.columns, winner.columns)
    head = summaries.head("abc", WINDOW, "s00")
    assert head is not None
    assert blocks(table) == list(head.blocks)


def test_old_blocks_stay_for_readers_on_their_way_and_then_go(
    summaries: Summaries, table: SqliteTable, clock: SetClock
) -> None:
    save(summaries, summary(through=1, columns=large(1)))
    old = blocks(table)
    save(summaries, summary(through=2, columns=large(2)), replaces=1)
    clock.advance(BLOCK_GRACE_MS - 1)
    assert set(old) < set(blocks(table))
    clock.advance(1)
    assert not set(old) & set(blocks(table))
    assert summaries.load("abc", WINDOW, "s00") is not None


def test_the_same_content_again_does_not_let_its_own_blocks_expire(summaries: Summaries, clock: SetClock) -> None:
    save(summaries, summary(through=1, columns=large()))
    save(summaries, summary(through=1, columns=large()), replaces=1)
    clock.advance(BLOCK_GRACE_MS)
    assert summaries.load("abc", WINDOW, "s00") is not None


def test_other_content_through_the_same_record_leaves_old_readers_their_blocks(clock: SetClock) -> None:
    table = Interrupted(clock)
    summaries = Summaries(table, clock)
    save(summaries, summary(through=1, columns=large(1)))
    table.before_blocks = lambda: save(summaries, summary(through=1, columns=large(2)), replaces=1)
    loaded = summaries.load("abc", WINDOW, "s00")
    assert loaded is not None
    assert is_same(loaded.columns, large(1))


def test_a_reader_who_was_too_slow_starts_again_from_the_head(clock: SetClock) -> None:
    table = Interrupted(clock)
    summaries = Summaries(table, clock)

    def replaced_long_ago() -> None:
        save(summaries, summary(through=2, columns=large(2)), replaces=1)
        clock.advance(BLOCK_GRACE_MS)

    save(summaries, summary(through=1, columns=large(1)))
    table.before_blocks = replaced_long_ago
    loaded = summaries.load("abc", WINDOW, "s00")
    assert loaded is not None
    assert is_same(loaded.columns, large(2))
    table.before_blocks = lambda: summaries.remove("abc", WINDOW, "s00", replaces=2) or clock.advance(BLOCK_GRACE_MS)
    assert summaries.live("abc", WINDOW) == []


def test_lost_blocks_are_corrupt_and_never_a_shorter_answer(summaries: Summaries, table: SqliteTable) -> None:
    save(summaries, summary(columns=large()))
    lost = Key(keys.partition("abc", WINDOW), blocks(table)[-1])
    table.update(Update(lost, expires_at_ms=START_MS))
    with pytest.raises(Corrupt, match="abc#H#2026-11-15T14:30Z"):
        summaries.load("abc", WINDOW, "s00")
    with pytest.raises(Corrupt):
        summaries.live("abc", WINDOW)


@pytest.mark.parametrize(
    "broken",
    [{"bytes": b""}, {"bytes": "text"}, {"checksum": "0"}, {"through": "1"}, {"throughs": 5}, {"blocks": "z#"}],
)
def test_a_head_that_is_not_as_it_was_written_is_corrupt(
    summaries: Summaries, table: SqliteTable, broken: dict[str, Value]
) -> None:
    save(summaries, summary())
    table.update(Update(keys.head("abc", WINDOW, "s00"), set=broken))
    with pytest.raises(Corrupt):
        summaries.load("abc", WINDOW, "s00")


def test_a_summary_expires_with_its_blocks(summaries: Summaries, table: SqliteTable, clock: SetClock) -> None:
    save(summaries, summary(columns=large()))
    clock.set(EXPIRES_AT_MS)
    assert items(table) == []


def test_what_was_removed_is_gone_at_once_and_its_blocks_later(
    summaries: Summaries, table: SqliteTable, clock: SetClock
) -> None:
    save(summaries, summary(columns=large()))
    summaries.remove("abc", WINDOW, "s00", replaces=1)
    assert summaries.load("abc", WINDOW, "s00") is None
    assert blocks(table) != []
    clock.advance(BLOCK_GRACE_MS)
    assert items(table) == []


def test_bounds_come_from_the_store_and_not_from_today_s_zone_rules(summaries: Summaries) -> None:
    save(summaries, summary())
    longer = Window(Grain.HOUR, START_MS, START_MS + 2 * HOUR_MS)
    loaded = summaries.load("abc", longer, "s00")
    assert loaded is not None
    assert loaded.window == WINDOW


def test_a_reader_adds_up_all_shards_and_their_late_hits(summaries: Summaries) -> None:
    for what in (summary("s00", 5), summary("s00#late", 6), summary("s01", 3), summary("s02#late", 1)):
        save(summaries, what)
    assert parts(summaries.live("abc", WINDOW)) == ["s00", "s00#late", "s01", "s02#late"]


@pytest.mark.parametrize("through", [4, 5])
def test_late_hits_that_were_folded_in_do_not_count_again(summaries: Summaries, through: int) -> None:
    save(summaries, summary("s00", 5))
    save(summaries, summary("s00#late", through))
    assert parts(summaries.live("abc", WINDOW)) == ["s00"]


def test_parts_that_were_merged_do_not_count_again(summaries: Summaries) -> None:
    save(summaries, summary("all", 9, s00=5, s01=9))
    for what in (summary("s00", 5), summary("s00#late", 5), summary("s01", 8), summary("s02", 1)):
        save(summaries, what)
    assert parts(summaries.live("abc", WINDOW)) == ["all", "s02"]


def test_late_hits_after_the_merge_count(summaries: Summaries) -> None:
    save(summaries, summary("all", 9, s00=5))
    save(summaries, summary("s00", 5))
    save(summaries, summary("s00#late", 6))
    assert parts(summaries.live("abc", WINDOW)) == ["all", "s00#late"]


def test_a_large_summary_is_large_and_a_head_is_not(summaries: Summaries, table: SqliteTable) -> None:
    save(summaries, summary(columns=large()))
    head = table.get(keys.head("abc", WINDOW, "s00"))
    assert head is not None
    assert "bytes" not in head
    pieces = [found.item["bytes"] for found in items(table) if "bytes" in found.item]
    assert sum(len(piece) for piece in pieces if isinstance(piece, bytes)) > INLINE_BYTES_MAX


@given(st.permutations(["s00", "s00#late", "s01", "all"]))
def test_the_order_of_saving_does_not_change_what_counts(order: list[str]) -> None:
    clock = SetClock(START_MS)
    summaries = Summaries(SqliteTable(":memory:", clock=clock), clock)
    every = {"s00": summary("s00", 5), "s00#late": summary("s00#late", 8), "s01": summary("s01", 4)}
    every["all"] = summary("all", 5, s00=5, s01=4)
    for part in order:
        save(summaries, every[part])
    assert parts(summaries.live("abc", WINDOW)) == ["all", "s00#late"]


@pytest.mark.parametrize("rows", [1, 500, 5_000, 100_000])
def test_a_summary_laid_in_pieces_is_there_with_its_head_and_reads_the_same(
    table: SqliteTable, summaries: Summaries, rows: int
) -> None:
    one = summary(through=3, columns=large(rows=rows))
    laid = laid_in_pieces("abc", one)
    assert len(laid.blocks) < PIECES_MAX
    assert bool(laid.blocks) == (len(laid.data) > PIECE_BYTES_STEP - PIECE_KEY_BYTES)
    while laid.left:
        summaries.write_blocks(laid, expires_at_ms=EXPIRES_AT_MS, limit=1)
        assert summaries.live("abc", WINDOW) == []
    summaries.save("abc", one, replaces=None, expires_at_ms=EXPIRES_AT_MS, laid=laid)
    loaded = summaries.load("abc", WINDOW, "s00")
    assert loaded is not None
    assert is_same(loaded.columns, one.columns)
    for found in everything(table, keys.partition("abc", WINDOW), at_least="z#"):
        size = stored_bytes(stored_from_item(Names("t"), found.key, found.item, expires_at_ms=EXPIRES_AT_MS))
        assert -size % PIECE_BYTES_STEP < PIECE_KEY_BYTES  # Whole units are filled, but for a few bytes.
