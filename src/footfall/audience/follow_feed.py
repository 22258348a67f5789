"""From changes of the follow graph to stream entries: follows, and follows that ended, as windows of their own.

A change becomes what a hit is: the followed thing's kind is its asset and its section, the follower's kind its resource
type. Neither name is in it, for members follow members: raw records are kept for days and windows for years, and
erasing a member touches none of them. Its moment is one of our own clocks', so it is never late, however long it took.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from footfall.audience import keys
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack
from footfall.flow.stream.shards import shard_of
from footfall.ports.changes import Change
from footfall.ports.stream import Entry, Mark
from footfall.values.groups import follows_name, unfollows_name

CHANGES_MAX = 2_000  # of one entry, which with kinds of the largest size is far below the 1 MB that a record may have
MARK_NAME = b"audience.follows"  # sixteen bytes, as all names of marks


@dataclass(frozen=True, slots=True)
class _Counted:
    """A change as it is counted."""

    id: bytes
    key: HitKey
    at_ms: int


def marked_entries(changes: Sequence[Change], *, begins: int, shards: int, arrived_at_ms: int) -> list[Entry]:
    """Return entries that move the mark of the feed to the last change, so that none of them is ever stored twice."""
    ends = changes[-1].place
    found = _by_group(changes, shards=shards, arrived_at_ms=arrived_at_ms)
    if not found:  # The mark moves all the same, or they would be read for ever.
        return [Entry(0, "", 0, b"", arrived_at_ms, mark=Mark(MARK_NAME, begins, ends))]
    return [
        _entry(group, shard, counted, arrived_at_ms, mark=Mark(MARK_NAME, begins, ends, part))
        for part, ((group, shard), counted) in enumerate(found.items())
    ]


def named_entries(changes: Sequence[Change], *, shards: int, arrived_at_ms: int) -> list[Entry]:
    """Return entries that name each change by its id, for a ground without marks: whoever counts knows it again."""
    found = _by_group(changes, shards=shards, arrived_at_ms=arrived_at_ms)
    return [_entry(group, shard, counted, arrived_at_ms) for (group, shard), counted in found.items()]


def _by_group(changes: Sequence[Change], *, shards: int, arrived_at_ms: int) -> dict[tuple[str, int], list[_Counted]]:
    assert len(changes) <= CHANGES_MAX, "what is read at once fits into an entry"
    found: dict[tuple[str, int], list[_Counted]] = {}
    for change in changes:
        if keys.FOLLOWS_TOLD.has(change.key.partition):
            brand = keys.brand_of(change.key)
            group = unfollows_name(brand) if change.is_gone else follows_name(brand)
            counted = _counted(change, arrived_at_ms=arrived_at_ms)
            # All of an edge has one shard, where a change that comes again meets its own id; a kind has them all.
            shard = shard_of(group, f"{change.key.partition}\0{change.key.sort}", shards=shards)
            found.setdefault((group, shard), []).append(counted)
    return found


def _counted(change: Change, *, arrived_at_ms: int) -> _Counted:
    target, follower = keys.second_of(change.key), keys.first_of(change.key)
    at_us = None if change.item is None else change.item.get("at_us")
    at_ms = at_us // 1_000 if isinstance(at_us, int) else change.at_ms  # An item that somebody edited may have none.
    # A clock that was ahead must not fill windows that nobody can finish for years.
    return _Counted(change.id, (target.kind, target.kind, follower.kind, ""), min(at_ms, arrived_at_ms))


def _entry(
    group: str, shard: int, counted: Sequence[_Counted], arrived_at_ms: int, *, mark: Mark | None = None
) -> Entry:
    pack = Pack(
        version=VERSION,
        rules=RULES,
        arrived_at_ms=arrived_at_ms,
        keys=[one.key for one in counted],
        at_ms=[one.at_ms for one in counted],
        trusted=True,
    )
    ids = () if mark is not None else tuple((place, one.id) for place, one in enumerate(counted))
    return Entry(shard, group, len(counted), record_from_pack(pack), arrived_at_ms, ids=ids, mark=mark)
