"""Which shard holds a hit."""

from collections.abc import Sequence

import xxhash

from footfall.flow.stream.records import HitKey


def shard_of(brand: str, asset: str, *, shards: int) -> int:
    """Return the shard of an asset: always the same one, so that its row is written once."""
    return xxhash.xxh3_64_intdigest(f"{brand}\0{asset}".encode()) % shards


def places_by_shard(brand: str, keys: Sequence[HitKey], *, shards: int) -> dict[int, list[int]]:
    """Return which places of a pack go to which shard."""
    places: dict[int, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(shard_of(brand, key[0], shards=shards), []).append(place)
    return places
