"""Hits that were set aside: dead, late, future or unlabelled. Listed, shown, and sent through the stream again.

Only places are kept of them; the hits themselves lie where raw hits are kept, for as long as those are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from footfall.flow.count.replayed import replayed_from_item
from footfall.flow.store import keys
from footfall.flow.stream.raw import RawHits
from footfall.flow.stream.records import HitKey, Pack, Unreadable, pack_from_record, record_from_pack
from footfall.ports.stream import Entry, Record
from footfall.ports.table import Table, Value, everything
from footfall.values.errors import Refused
from footfall.values.groups import brand_of_group, held_in

_T = TypeVar("_T")

UNLABELLED = "unlabelled"
KINDS = ("dead", "late", "future", UNLABELLED)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a set-aside record stands, which of its hits are meant (none named: all), and why."""

    shard: int
    sequence: int
    places: tuple[int, ...]
    reason: str

    @property
    def position(self) -> str:
        """Return the place as people name it."""
        return f"{self.shard}:{self.sequence}"


def aside(table: Table, brand: str, kind: str, *, from_sequence: int = 0) -> Iterator[Place]:
    """Yield a brand's set-aside records of a kind that were not counted since, oldest first."""
    require_kind(kind)
    first = keys.side(brand, kind, from_sequence, 0).sort
    listed: dict[tuple[int, str], int] = {}  # the last record, by shard and reason
    for found in everything(table, keys.side_partition(brand, kind), at_least=first):
        shard, reason = int(str(found.item.get("shard"))), str(found.item.get("reason") or kind)
        for sequence, places in _records(found.item.get("records")):
            if sequence <= listed.get((shard, reason), 0):
                continue  # Two who counted the same records have listed them under different first ones.
            listed[shard, reason] = sequence
            place = Place(shard, sequence, places, reason)
            key = keys.replayed(brand, kind, shard=place.shard, sequence=sequence)
            done = replayed_from_item(table.get(key))
            left = tuple(one for one in places if one not in done.places)
            if done.whole_by is None and (left or not places):
                yield replace(place, places=left)


def place_at(table: Table, brand: str, kind: str, position: str) -> Place:
    """Return the set-aside record at a position, or refuse one that is not there."""
    for place in aside(table, brand, kind):
        if place.position == position:
            return place
    held = f"{kind} {held_in(brand)} of {brand_of_group(brand)}"
    raise Refused("position", f"{position!r} is not among the {held}; list them with dead-letters list")


def record_at(raw: RawHits, brand: str, place: Place) -> Record:
    """Return the record as it was taken, or refuse one that is not kept any more."""
    found = raw.record(brand, place.shard, place.sequence)
    if found is None:
        raise Refused("position", f"{place.position}: its raw hits are not kept any more")
    return found


def replay_of(
    record: Record,
    place: Place,
    kind: str,
    *,
    now_ms: int,
    labelled: Callable[[list[HitKey]], list[HitKey]] = list,
) -> Entry:
    """Return the entry that has the record's set-aside hits counted now, at their own times, under these labels."""
    try:
        pack = pack_from_record(record.data)
    except Unreadable as error:
        raise Refused("position", f"{place.position} still cannot be read: {error}") from error
    chosen = place.places or tuple(range(len(pack.keys)))
    if pack.at_ms is not None and max(pack.at_ms[one] for one in chosen) > now_ms:
        raise Refused("position", f"{place.position} has hits whose time has not come yet; replay it when it has")
    again = Pack(
        version=pack.version,
        rules=pack.rules,
        arrived_at_ms=pack.arrived_at_ms,
        keys=labelled([pack.keys[one] for one in chosen]),
        at_ms=_picked(pack.at_ms, chosen),
        weights=_picked(pack.weights, chosen),
        screened=_still_screened(record, pack, chosen),
        replays=(record.sequence, kind),
        trusted=True,
        visitors=_picked(pack.visitors, chosen),
        urls=_picked(pack.urls, chosen),
        referrers=_picked(pack.referrers, chosen),
        places=list(chosen) if kind == UNLABELLED else None,
        agents=_picked(pack.agents, chosen),
    )
    # It was accepted once already, so it weighs nothing now. Counting again looks for it from the time of its hits on,
    # and finds it there because it arrives now.
    return Entry(place.shard, record.group, 0, record_from_pack(again), now_ms)


def _still_screened(record: Record, pack: Pack, chosen: Sequence[int]) -> dict[int, str] | None:
    """Return the hits that are not counted in a replay either: those of a dead record that had another verdict."""
    repeats = frozenset(record.repeats)
    verdicts = {one: "duplicate" if one in repeats else (pack.screened or {}).get(one) for one in chosen}
    screened = {
        place: verdict
        for place, verdict in enumerate(verdicts.values())
        if verdict is not None and verdict not in KINDS
    }
    return screened or None


def require_kind(kind: str) -> None:
    """Refuse a kind that nothing is set aside as."""
    if kind not in KINDS:
        raise Refused("kind", f"{kind!r} is none of {', '.join(KINDS)}")


def _records(value: Value) -> Iterator[tuple[int, tuple[int, ...]]]:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for one in value:
            match one:
                case [int(sequence), [*places]]:
                    yield sequence, tuple(int(str(place)) for place in places)
                case _:
                    continue


def _picked(column: Sequence[_T] | None, chosen: Sequence[int]) -> list[_T] | None:
    return None if column is None else [column[place] for place in chosen]
