"""An hour of referrers as bytes and back, within its bounds, and told group by group."""

from collections.abc import Iterable
from copy import deepcopy
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.store import referrers
from footfall.flow.store.referrers import (
    ASSET,
    BRAND,
    KEPT_MAX,
    SECTION,
    Hour,
    bytes_from_hour,
    hour_from_bytes,
    told_from_bytes,
)
from footfall.native.key_table import KeyTable
from footfall.ports.errors import Corrupt

ROWS = st.lists(
    st.tuples(st.sampled_from(["one", "two", ""]), st.sampled_from(["news", ""]), st.text(), st.integers(1, 9))
)


@given(ROWS, st.dictionaries(st.integers(0, 255), st.integers(0, 2**62)))
def test_an_hour_is_the_same_after_it_was_stored(
    rows: list[tuple[str, str, str, int]], through: dict[int, int]
) -> None:
    hour = Hour(through=through)
    for asset, section, source, hits in rows:
        hour.add(asset, section, source.encode("utf-8", "replace").decode(), hits)
    assert hour_from_bytes(bytes_from_hour(hour)) == hour


@given(ROWS)
def test_every_hit_is_in_the_brand_s_sum_and_in_its_asset_s(rows: list[tuple[str, str, str, int]]) -> None:
    hour = Hour()
    for asset, section, _, hits in rows:
        hour.add(asset, section, "google.com", hits)
    data = bytes_from_hour(hour)

    def total(name: str) -> int:
        told = told_from_bytes(data, name)
        return sum(told.sources.values()) + told.other

    assert total(BRAND) == sum(hits for *_, hits in rows)
    assert total(f"{ASSET}one") == sum(hits for asset, *_, hits in rows if asset == "one")
    assert total(f"{SECTION}news") == sum(hits for _, section, _, hits in rows if section)


def require_same(hour: Hour, table: KeyTable, source: str) -> None:
    """Add a table to an hour, and see that it becomes what it becomes if keys are added one by one."""
    one_by_one = deepcopy(hour)
    for (asset, section, _, _), hits in zip(table.keys(0), memoryview(table.counts()).cast("q"), strict=True):
        one_by_one.add(asset, section, source, hits)
    hour.add_table(table, source)
    assert bytes_from_hour(hour) == bytes_from_hour(one_by_one)  # also in their order
    assert hour == one_by_one
    assert hour.pairs == sum(map(len, hour.groups.values()))


def table_of(keys: Iterable[tuple[str, str, str, str]]) -> KeyTable:
    table, some = KeyTable(secret=7), list(keys)
    assert table.count(msgspec.msgpack.encode(some), len(some))
    return table


@pytest.mark.parametrize("pairs_max", [1, 2, 3, 4, 6, 50_000])
@pytest.mark.parametrize("sources_max", [1, 2, 200])
@given(before=ROWS, rows=ROWS, source=st.sampled_from(["direct", "google.com"]), is_again=st.booleans())
def test_hits_of_one_source_that_are_added_together_come_to_what_they_come_to_one_by_one(
    before: list[tuple[str, str, str, int]],
    rows: list[tuple[str, str, str, int]],
    source: str,
    is_again: bool,
    pairs_max: int,
    sources_max: int,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(referrers, "PAIRS_MAX", pairs_max)
        patch.setattr(referrers, "SOURCES_MAX", {BRAND: sources_max, SECTION: sources_max, ASSET: sources_max})
        hour = Hour()
        for asset, section, word, hits in before:
            hour.add(asset, section, word.encode("utf-8", "replace").decode(), hits)
        kinds = ("article", "video")  # so that an asset has several keys
        many = [(asset, section, kinds[hit % 2], "") for asset, section, _, hits in rows for hit in range(hits)]
        table = table_of(many)
        require_same(hour, table, source)
        if is_again:
            require_same(hour, table, "direct")


@pytest.mark.parametrize("room", [0, 1, 500, 5_000])
@pytest.mark.parametrize("sections", [1, 20, 3_000])
def test_hours_of_many_sections_are_the_same_too(sections: int, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, hour = Random(sections), Hour()
    for number in range(300):
        hour.add(f"{number}", f"{number % sections}", f"site-{number % 7}.example", 1)
    monkeypatch.setattr(referrers, "PAIRS_MAX", hour.pairs + room)
    monkeypatch.setattr(referrers, "SOURCES_MAX", {BRAND: 2_000, SECTION: 7, ASSET: 1})
    for _ in range(2):
        keys = [(f"{chance.randrange(900)}é", f"{chance.randrange(sections)}", "", "") for _ in range(4_000)]
        require_same(hour, table_of([*keys, *((f"{number}", "", "", "") for number in range(9))]), "direct")


def test_a_table_without_hits_makes_no_source_known() -> None:
    hour, table = Hour(), KeyTable(secret=7)
    hour.add_table(table, "direct")
    table.numbers(msgspec.msgpack.encode([("1", "2", "", "")]), 1)
    hour.add_table(table, "direct")
    assert hour == Hour()


@given(ROWS)
def test_an_hour_with_few_sources_is_not_changed_by_its_cut(rows: list[tuple[str, str, str, int]]) -> None:
    hour = Hour()
    for asset, section, source, hits in rows:
        hour.add(asset, section, source, hits)
    assert len(hour.numbers) <= KEPT_MAX[ASSET]
    before = deepcopy(hour)
    hour.cut()
    assert hour == before


def test_a_cut_keeps_the_largest_sources_of_each_group() -> None:
    hour, sources = Hour(), KEPT_MAX[ASSET] + 1
    for number in range(sources):
        hour.add("1", "", f"site-{number}.example", 1 + number)
    hour.cut()
    kept = told_from_bytes(bytes_from_hour(hour), f"{ASSET}1")
    assert (len(kept.sources), kept.other) == (sources - 1, 1)
    assert hour.pairs == sum(map(len, hour.groups.values()))


def test_a_flood_of_sources_and_assets_stays_within_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referrers, "PAIRS_MAX", 300)
    hour = Hour()
    for number in range(5_000):
        hour.add(f"asset-{number % 700}", "news", f"site-{number}.example", 1)
    bounds = referrers.PAIRS_MAX + referrers.SOURCES_MAX[BRAND]
    assert hour.pairs == sum(map(len, hour.groups.values())) <= bounds
    assert len(hour.numbers) <= bounds
    brand = told_from_bytes(bytes_from_hour(hour), BRAND)
    assert sum(brand.sources.values()) + brand.other == 5_000
    assert hour.unplaced > 0


def test_what_is_no_hour_is_refused() -> None:
    data = bytes_from_hour(Hour())
    for broken in (b"", data[:-1], data[:20] + b"\0" + data[21:], b"ffxx" + data[4:]):
        with pytest.raises(Corrupt):
            hour_from_bytes(broken)
        with pytest.raises(Corrupt):
            told_from_bytes(broken, BRAND)
