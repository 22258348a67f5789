"""Visitors on either stage: hits that are sent with theirs, and what is stored of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b

import numpy as np

from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section, load_visitors
from footfall.flow.stream.records import HitKey
from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.grouped import GroupedUniques, grouped_from, no_groups
from footfall.values.window import Grain, Window
from tests.flow.count.stage import Stage, key_of

Seen = tuple[HitKey, str]  # what a hit is counted under, and who came


def visitor(name: str) -> bytes:
    """Return the hash that stands for somebody; nobody has none."""
    return blake2b(name.encode(), digest_size=8).digest() if name else b""


def send_seen(stage: Stage, *seen: tuple[str, str], section: str = "news", **columns: object) -> None:
    """Append hits of assets, each with who came."""
    keys = [key_of(asset, section) for asset, _ in seen]
    stage.send_pack(keys, brand="abc", visitors=[visitor(who) for _, who in seen], **columns)


def known(stage: Stage, moment_ms: int, grain: Grain, brand: str = "abc") -> GroupedUniques:
    """Return what readers can know of a window's visitors."""
    return load_visitors(stage.table, brand, stage.window(moment_ms, grain))


def all_known(stage: Stage, brand: str = "abc") -> Mapping[Window, GroupedUniques]:
    """Return what readers can know of the visitors of every minute, hour and day."""
    found = {window: load_visitors(stage.table, brand, window) for window in stage.windows(brand)}
    return {window: sketches for window, sketches in found.items() if len(sketches)}


def expected_of(seen: Iterable[Seen], hash_of: Callable[[str], bytes] = visitor) -> GroupedUniques:
    """Return the sketches of plain sets: of every asset, of every section, and of all."""
    sets: dict[int, set[bytes]] = {}
    for (asset, section, *_), who in seen:
        if who:
            for group in (group_of_asset(asset), group_of_section(section), BRAND_GROUP):
                sets.setdefault(group, set()).add(hash_of(who))
    return sketches_of(sets)


def sketches_of(sets: Mapping[int, Iterable[bytes]]) -> GroupedUniques:
    """Return the sketches of sets by their groups."""
    pairs = [(group, one) for group, ones in sets.items() for one in ones]
    if not pairs:
        return no_groups()
    hashes = np.frombuffer(b"".join(one for _, one in pairs), "<u8").astype(np.uint64)
    return grouped_from(np.array([group for group, _ in pairs], np.int64), coupons_of_numbers(hashes))


def sizes(sketches: GroupedUniques, *assets: str) -> Sequence[int]:
    """Return how many came to each of some assets, and to the brand; few enough to be told exactly."""
    counts = dict(zip(sketches.groups.tolist(), np.diff(sketches.starts).tolist(), strict=True))
    return [counts.get(group, 0) for group in (*map(group_of_asset, assets), BRAND_GROUP)]
