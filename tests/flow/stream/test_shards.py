"""A hit's shard depends on its brand and asset alone, and splitting loses nothing."""

from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.stream.shards import places_by_shard, shard_of

assets = st.text(min_size=1, max_size=20)


def test_the_shard_of_an_asset_stays_the_same_for_ever() -> None:
    # Stored checkpoints rely on these: another hash would write one asset's row in two shards.
    assert [shard_of("abc", asset, shards=16) for asset in ("1", "132141398", "é", "story")] == SHARDS


@given(brand=assets, asset=assets, shards=st.integers(1, 256))
def test_a_shard_is_one_of_those_there_are(brand: str, asset: str, shards: int) -> None:
    assert 0 <= shard_of(brand, asset, shards=shards) < shards


@given(ids=st.lists(assets, max_size=30), shards=st.integers(1, 8))
def test_every_place_goes_to_its_assets_shard_in_order(ids: list[str], shards: int) -> None:
    places = places_by_shard("abc", [(asset, "", "", "") for asset in ids], shards=shards)
    assert sorted(place for of_shard in places.values() for place in of_shard) == list(range(len(ids)))
    for shard, of_shard in places.items():
        assert of_shard == sorted(of_shard)
        assert {shard_of("abc", ids[place], shards=shards) for place in of_shard} == {shard}


def test_assets_are_spread_evenly() -> None:
    counts = [0] * 8
    for number in range(8_000):
        counts[shard_of("abc", str(number), shards=8)] += 1
    assert min(counts) > 850
    assert max(counts) < 1_150


def test_brand_and_asset_do_not_run_into_each_other() -> None:
    found = {(shard_of("ab", "c", shards=2**20), shard_of("a", "bc", shards=2**20))}
    assert all(one != other for one, other in found)


SHARDS = [2, 8, 1, 8]
