"""Hits that waited for their labels: found when the catalogue knows them, and sent through the stream again.

Nothing of this is kept: what waits is listed in the store, and what came again is remembered there. So whoever looks
after a crash finds what is still to do, and whatever is sent twice is counted once.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from footfall.flow.count.aside import UNLABELLED, Place, aside, replay_of
from footfall.flow.store.checkpoints import load_checkpoint
from footfall.flow.stream.raw import RawHits
from footfall.flow.stream.records import HitKey, Unreadable, pack_from_record
from footfall.ports.stream import Entry, Record
from footfall.ports.table import Table
from footfall.values.errors import Refused

WAITING_MAX = 100_000  # Hits at hand, some 200 bytes each; beyond them a change has all that is held read again.
ENTRIES_AT_ONCE = 200
RECORDS_AHEAD = 50  # Records lie in blocks, so that many cost little more than one.

Labelled = Callable[[str, list[HitKey]], list[HitKey]]


@dataclass(slots=True)
class Waiting:
    """What waits of one brand, by asset, as far as it was read."""

    assets: dict[str, dict[tuple[int, int], list[int]]] = field(
        default_factory=dict[str, dict[tuple[int, int], list[int]]]
    )
    seen: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])  # shard and sequence of each record
    read_from: int = 0  # Every record before it has been seen, in every shard.
    later: list[Place] = field(default_factory=list[Place])  # labelled, but their time has not come
    hits: int = 0
    is_whole: bool = True

    def add(self, asset: str, position: tuple[int, int], at: int) -> None:
        """Let one hit wait for its asset."""
        self.hits += 1
        self.assets.setdefault(asset, {}).setdefault(position, []).append(at)

    def take(self, assets: Iterable[str]) -> dict[tuple[int, int], list[int]]:
        """Return the hits of these assets by record, which wait no more."""
        taken: dict[tuple[int, int], list[int]] = {}
        for asset in assets:
            for position, ats in self.assets.pop(asset, {}).items():
                taken.setdefault(position, []).extend(ats)
                self.hits -= len(ats)
        return taken


class Releases:
    """Finds what may be counted now. It reads only; the entries are for somebody else to append."""

    def __init__(
        self,
        table: Table,
        raw: RawHits,
        *,
        shards: int,
        labelled: Labelled,
        now_ms: Callable[[], int],
        waiting_max: int = WAITING_MAX,
    ) -> None:
        self._table = table
        self._raw = raw
        self._shards = shards
        self._labelled = labelled
        self._now_ms = now_ms
        self._waiting_max = waiting_max
        self._waiting: dict[str, Waiting] = {}
        self._ahead: dict[tuple[int, int], Record] = {}

    def released(self, brand: str, changed: Collection[str] | None) -> Iterator[list[Entry]]:
        """Yield entries for hits that have labels by now: those of the assets that changed, then newly held ones.

        None means that it is not known which assets changed. Entries that were yielded are taken to be appended; when
        that fails, begin anew with another of these.
        """
        waiting = self._waiting.setdefault(brand, Waiting())
        if not waiting.is_whole and (changed is None or changed):
            waiting = self._waiting[brand] = Waiting()
        known = list(waiting.assets) if changed is None else [asset for asset in changed if asset in waiting.assets]
        later, waiting.later = waiting.later, []
        ready = waiting.take(self._with_type(brand, known))
        found = [Place(shard, sequence, tuple(sorted(ats)), UNLABELLED) for (shard, sequence), ats in ready.items()]
        in_order = sorted([*later, *found], key=lambda place: (place.sequence, place.shard))
        yield from self._entries(brand, waiting, in_order)
        yield from self._entries(brand, waiting, self._newly_seen(brand, waiting))

    def _newly_seen(self, brand: str, waiting: Waiting) -> Iterator[Place]:
        """Yield those of the hits not seen before that can be counted now, and let the others wait."""
        read_to = self._counted_to()
        for place in aside(self._table, brand, UNLABELLED, from_sequence=waiting.read_from):
            position = (place.shard, place.sequence)
            if position in waiting.seen:
                continue
            assets = self._assets_at(brand, place)
            typed = frozenset(self._with_type(brand, dict.fromkeys(assets.values())))
            ready = tuple(at for at, asset in assets.items() if asset in typed)
            if place.sequence >= read_to:
                waiting.seen.add(position)
            if waiting.hits + len(assets) > self._waiting_max:
                waiting.is_whole = False
            else:
                for at, asset in assets.items():
                    if asset not in typed:
                        waiting.add(asset, position, at)
            if ready:
                yield replace(place, places=ready)
        waiting.read_from = read_to
        waiting.seen = {position for position in waiting.seen if position[1] >= read_to}

    def _counted_to(self) -> int:
        """Return the record up to which every shard has listed what it set aside."""
        checkpoints = [load_checkpoint(self._table, shard) for shard in range(self._shards)]
        return min(0 if one is None else one.through for one in checkpoints)

    def _assets_at(self, brand: str, place: Place) -> dict[int, str]:
        """Return the assets of the hits that wait in a record; none when it is not kept any more."""
        record = self._record(brand, place)
        try:
            pack = None if record is None else pack_from_record(record.data)
        except Unreadable:
            return {}
        return {} if pack is None else {at: pack.keys[at][0] for at in place.places}

    def _record(self, brand: str, place: Place) -> Record | None:
        """Return a record, reading on a little: those that wait often lie near each other."""
        position = (place.shard, place.sequence)
        if position not in self._ahead:
            records = self._raw.read(brand, place.shard, after=place.sequence - 1, limit=RECORDS_AHEAD)
            self._ahead = {(place.shard, record.sequence): record for record in records}
        return self._ahead.get(position)

    def _with_type(self, brand: str, assets: Iterable[str]) -> list[str]:
        """Return the assets whose resourceType the catalogue knows."""
        labelled = self._labelled(brand, [(asset, "", "", "") for asset in assets])
        return [key[0] for key in labelled if key[2]]

    def _entries(self, brand: str, waiting: Waiting, ready: Iterable[Place]) -> Iterator[list[Entry]]:
        entries: list[Entry] = []
        for place in ready:
            record = self._record(brand, place)
            if record is None:
                continue  # Its raw hits are not kept any more.
            try:
                entries.append(self._entry(brand, record, place))
            except Refused:
                waiting.later.append(place)
            if len(entries) >= ENTRIES_AT_ONCE:
                yield entries
                entries = []
        if entries:
            yield entries

    def _entry(self, brand: str, record: Record, place: Place) -> Entry:
        def labelled(hits: list[HitKey]) -> list[HitKey]:
            return self._labelled(brand, hits)

        return replay_of(record, place, UNLABELLED, now_ms=self._now_ms(), labelled=labelled)
