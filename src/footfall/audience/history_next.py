"""Next up: which episode of a series comes next for a member; and the order of episodes, kept once per series."""

from collections.abc import Mapping, Sequence
from typing import cast

from footfall.audience import history_keys as keys
from footfall.audience.history import Entry
from footfall.audience.history_rule import State, WatchedRule
from footfall.ports.table import Delete, Put, Table
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, require_text

EPISODES_MAX = 1_000  # At 256 bytes each they fit into one item.


def next_up(
    episodes: Sequence[str],
    known: Mapping[str, Entry],
    *,
    rule: WatchedRule,
    skip_in_progress: bool = False,
    rewatching: bool = False,
) -> str | None:
    """Return the episode after the one that was watched last; not the first that was not watched.

    When rewatching it is one that was watched before, otherwise one that was not.
    """
    last = _last_watched(episodes, known, rule)
    if last is None and rewatching:
        return None
    for asset in episodes if last is None else episodes[last + 1 :]:
        entry = known.get(asset)
        if skip_in_progress and entry is not None and entry.state(rule) is State.IN_PROGRESS:
            continue
        if rewatching == _was_watched(entry, rule):
            return asset
    return None


def require_episodes(sent: object) -> tuple[str, ...]:
    """Return the episodes of a series as somebody sent them, or refuse them."""
    if not isinstance(sent, list) or not sent:
        raise Refused("episodes", "is missing or not a list of asset ids, in their order")
    count = len(cast("list[object]", sent))
    if count > EPISODES_MAX:
        raise Refused("episodes", f"are {count}; at most {EPISODES_MAX} are taken, so send a season at a time")
    assets: list[str] = []
    for asset in cast("list[object]", sent):
        if not isinstance(asset, str) or not asset:
            raise Refused("episodes", f"has {str(asset)[:40]!r}, which is not an asset's id")
        assets.append(require_text("episodes", asset, bytes_max=ASSET_BYTES_MAX))
    if len(set(assets)) != len(assets):
        raise Refused("episodes", "has an asset twice")
    return tuple(assets)


def keep_episodes(table: Table, brand: str, series: str, episodes: Sequence[str]) -> None:
    """Keep the order of a series' episodes, for all members."""
    table.put(Put(keys.order(brand, series), {"series": series, "episodes": list(episodes)}))


def forget_episodes(table: Table, brand: str, series: str) -> None:
    """Forget the order of a series' episodes."""
    table.delete(Delete(keys.order(brand, series)))


def episodes_of(table: Table, brand: str, series: str) -> tuple[str, ...]:
    """Return the episodes of a series in their order; none when nobody has told them."""
    item = table.get(keys.order(brand, series))
    found = () if item is None else item["episodes"]
    assert isinstance(found, Sequence), "the order of episodes is a list"
    return tuple(str(asset) for asset in found)


def _last_watched(episodes: Sequence[str], known: Mapping[str, Entry], rule: WatchedRule) -> int | None:
    """Return the place of the episode that was watched last, by time; of those of one moment, the later episode."""
    watched = [
        (moment, place)
        for place, asset in enumerate(episodes)
        if (entry := known.get(asset)) is not None and (moment := entry.last_watched_ms(rule)) is not None
    ]
    return max(watched)[1] if watched else None


def _was_watched(entry: Entry | None, rule: WatchedRule) -> bool:
    return entry is not None and entry.times_watched(rule) > 0
