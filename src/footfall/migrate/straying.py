"""Items that are no entity's: lines of metrics that nobody has, and what is left of entities that are gone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footfall.migrate import keys
from footfall.migrate.buckets import Bucket
from footfall.migrate.comparing import Comparing, Difference, differences, told_keys
from footfall.migrate.copying import Ground
from footfall.migrate.following import concerned
from footfall.migrate.moved import fence_of
from footfall.ports.relational import NOTICES_MAX, Side
from footfall.ports.table import Key, everything

CHUNK_ENTITIES = 500


@dataclass(slots=True)
class Strays:
    """Looks for them where any entity lies, once all entities were compared."""

    ground: Ground
    buckets: Sequence[Bucket]

    @property
    def _entity(self) -> str:
        return self.ground.moving.outline.entity

    @property
    def _comparing(self) -> Comparing:
        return Comparing(self.ground.table, self._entity, self.ground.moving.target)

    def found(self) -> list[Difference]:
        """Return items that are no entity's, and entities that are gone and yet there."""
        claims = {key for one in self.buckets for key in one.claims}
        own = {partition for one in self.buckets for partition in one.own}
        shared = {partition for one in self.buckets for partition in one.shared}
        shared |= set(self.ground.moving.target.places(()).shared)
        candidates = {found.key for partition in shared for found in everything(self.ground.table, partition)} - claims
        gone = list(everything(self.ground.table, keys.gone_ones(self._entity)))
        told = {key for one in gone for key in told_keys(one.item)}
        for partition in {*self.ground.moving.target.places(told).own} - own:
            candidates |= {found.key for found in everything(self.ground.table, partition)}
        elsewhere = (key for key in told - claims if key.partition not in own)
        candidates |= {key for key in elsewhere if self.ground.table.get(key) is not None}
        return [*self._confirmed(candidates), *self._revived([one.key.sort for one in gone])]

    def _confirmed(self, candidates: set[Key]) -> Iterator[Difference]:
        """Yield those that are still there and that nobody has come to own since."""
        if not candidates:
            return
        claimed, own = self._claims_since()
        for at in sorted(candidates - claimed):
            item = None if at.partition in own else self.ground.table.get(at)
            if item is not None:
                yield from differences("", {}, {at: item})

    def _claims_since(self) -> tuple[set[Key], set[str]]:
        """Return where entities lie that changed since they were compared: by the source, and by the table."""
        outline = self.ground.moving.outline
        fences = {key: one.fence for bucket in self.buckets for key, one in bucket.entries.items()}
        places: set[Key] = set()
        after = None
        while True:
            with self.ground.relational.snapshot(outline) as snapshot:
                page = snapshot.keys(after=after, limit=CHUNK_ENTITIES)
                if not page:
                    break
                after = page[-1]
                clocks, routes = snapshot.clocks(page), snapshot.routes(page)
                now = {key: fence_of(routes[key].epoch, clocks.get(key, 0)) for key in page}
                seen = snapshot.see([key for key in page if fences.get(key) != now[key]])
            for one in seen:
                places |= set(self._comparing.expected(one, epoch=0))
        for key in self._in_motion():
            places |= told_keys(self._comparing.move_item(key))
        return places, set(self.ground.moving.target.places(places).own)

    def _in_motion(self) -> set[str]:
        """Return entities that the table knows more of than the source, or that wait to be carried over."""
        shards = (keys.back(self._entity, shard) for shard in range(keys.BACK_SHARDS))
        marked = {found.key.sort for partition in shards for found in everything(self.ground.table, partition)}
        notices = self.ground.relational.waiting(self.ground.moving.outline, limit=NOTICES_MAX)
        return marked | set(concerned(self.ground, notices))

    def _revived(self, gone: Sequence[str]) -> Iterator[Difference]:
        """Yield in what the move items of entities that are gone do not say so."""
        for start in range(0, len(gone), CHUNK_ENTITIES):
            chunk = gone[start : start + CHUNK_ENTITIES]
            with self.ground.relational.snapshot(self.ground.moving.outline) as snapshot:
                seen, routes = snapshot.see(chunk), snapshot.routes(chunk)
            moving = self._in_motion()
            for one in seen:
                route = routes[one.key]
                if one.document is None and one.key not in moving and route.side is Side.OLD:
                    expected = self._comparing.expected(one, epoch=route.epoch)
                    yield from differences(one.key, expected, self._comparing.actual(one.key))
