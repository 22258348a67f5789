"""Keys are built and read back in one place, and their order is the order of what they name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.store import keys
from footfall.ports.table import Key
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain, Window

START_MS = 1_794_753_000_000
WINDOW = Window(Grain.HOUR, START_MS, START_MS + HOUR_MS)
PARTITION = "abc#H#2026-11-15T14:30Z"


def test_a_window_lies_under_its_brand_grain_and_start() -> None:
    assert keys.partition("abc", WINDOW) == PARTITION


def test_a_head_is_found_by_its_part() -> None:
    assert keys.head("abc", WINDOW, keys.shard_name(0)) == Key(PARTITION, "h#s00")
    assert keys.head("abc", WINDOW, keys.late_part(0)) == Key(PARTITION, "h#s00#late")
    assert keys.head("abc", WINDOW, keys.ALL) == Key(PARTITION, "h#all")


@pytest.mark.parametrize("part", ["s00", "s00#late", "s99#late", "all"])
def test_every_head_and_no_block_lies_between_the_ends_of_heads(part: str) -> None:
    head = keys.head("abc", WINDOW, part)
    block = keys.block("abc", WINDOW, part=part, through=7, checksum="00ff", n=3)
    assert keys.HEADS_FROM <= head.sort <= keys.HEADS_TO < block.sort
    assert keys.part_from_head(head) == part


def test_a_block_names_the_content_it_is_part_of() -> None:
    block = keys.block("abc", WINDOW, part="s00", through=7, checksum="00ff", n=3)
    assert block == Key(PARTITION, "z#s00#00000000000000000007#00ff#003")


def test_a_part_tells_its_shard() -> None:
    assert keys.shard_of_part("s03#late") == keys.shard_of_part("s03") == "s03"
    assert keys.shard_from_name("s03") == 3
    assert keys.is_late_part("s03#late")
    assert not keys.is_late_part("s03")


def test_a_shard_has_a_checkpoint() -> None:
    assert keys.checkpoint(0) == Key("@shards", "s00")


def test_a_pending_window_is_listed_by_shard() -> None:
    assert keys.pending(0, Grain.HOUR, START_MS, "abc") == Key("@pending#s00", "H#2026-11-15T14:30Z#abc")


@given(
    st.integers(0, 150),
    st.sampled_from(Grain),
    st.integers(0, 2**27).map(lambda minute: minute * MINUTE_MS),
    st.from_regex(r"[a-z0-9][a-z0-9._-]{0,63}", fullmatch=True),
)
def test_a_pending_window_is_read_back(shard: int, grain: Grain, start_ms: int, brand: str) -> None:
    found = keys.pending_from_key(keys.pending(shard, grain, start_ms, brand))
    assert found == keys.Pending(shard=shard, grain=grain, start_ms=start_ms, brand=brand)


@given(st.integers(0, 2**63), st.integers(0, 2**63))
def test_the_journal_is_in_the_order_of_its_numbers(one: int, two: int) -> None:
    assert keys.journal(0, 7) == Key("@journal#s00", "00000000000000000007")
    assert (keys.journal(0, one).sort < keys.journal(0, two).sort) == (one < two)
    assert keys.journal_number(keys.journal(0, one)) == one


@given(st.integers(0, 2**63), st.integers(0, 999_999))
def test_what_was_set_aside_tells_where_it_stood(through: int, n: int) -> None:
    key = keys.side("abc", "late", through, n)
    assert key.partition == keys.side_partition("abc", "late") == "abc#side#late"
    assert keys.position_from_side(key) == keys.Position(through=through, n=n)


@pytest.mark.parametrize("brand", ["", "a#b", "@a"])
def test_a_name_that_would_break_a_key_is_a_mistake(brand: str) -> None:
    with pytest.raises(AssertionError, match="part of a key"):
        keys.partition(brand, WINDOW)
