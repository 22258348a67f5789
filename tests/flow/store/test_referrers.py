"""An hour of referrers as bytes and back, within its bounds, and told group by group."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.store import referrers
from footfall.flow.store.referrers import ASSET, BRAND, SECTION, Hour, bytes_from_hour, hour_from_bytes, told_from_bytes
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


@pytest.mark.parametrize("pairs_max", [1, 3, 50_000])
@pytest.mark.parametrize("sources_max", [1, 200])
@given(before=ROWS, rows=ROWS, source=st.sampled_from(["direct", "google.com"]))
def test_hits_of_one_source_that_are_added_together_come_to_what_they_come_to_one_by_one(
    before: list[tuple[str, str, str, int]],
    rows: list[tuple[str, str, str, int]],
    source: str,
    pairs_max: int,
    sources_max: int,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(referrers, "PAIRS_MAX", pairs_max)
        patch.setattr(referrers, "SOURCES_MAX", {BRAND: sources_max, SECTION: sources_max, ASSET: sources_max})
        one_by_one, together = Hour(), Hour()
        for asset, section, word, hits in before:
            for hour in (one_by_one, together):
                hour.add(asset, section, word.encode("utf-8", "replace").decode(), hits)
        for asset, section, _, hits in rows:
            one_by_one.add(asset, section, source, hits)
        together.add_all([((asset, section, "", ""), hits) for asset, section, _, hits in rows], source)
    assert bytes_from_hour(together) == bytes_from_hour(one_by_one)
    assert together == one_by_one


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
