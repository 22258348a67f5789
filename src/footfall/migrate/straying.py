"""Items that are no entity's: lines of metrics that nobody has, and what is left of entities that are gone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footfall.migrate import keys
from footfall.migrate.buckets import Bucket
from footfall.migrate.comparing import Comparing, Difference, differences
from footfall.migrate.copying import Ground
from footfall.migrate.following import concerned
from footfall.migrate.moved import fence_of
from footfall.migrate.shapes import Places
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
        left = [Places((), ()), *(self.ground.moving.target.places(_keys_in(one.item["keys"])) for one in gone)]
        for partition in {partition for one in left for partition in one.own} - own:
            candidates |= {found.key for found in everything(self.ground.table, partition)}
        told = {key for one in gone for key in _keys_in(one.item["keys"])}
        candidates |= {key for key in told - claims if key.partition not in own}
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
        outline, known = self.ground.moving.outline, {key: one for b in self.buckets for key, one in b.entries.items()}
        places: set[Key] = set()
        own: set[str] = set()
        after = None
        while True:
            with self.ground.relational.snapshot(outline) as snapshot:
                page = snapshot.keys(after=after, limit=CHUNK_ENTITIES)
                if not page:
                    break
                after = page[-1]
                clocks = snapshot.clocks(page)
                changed = [key for key in page if key not in known or known[key].fence % 10**12 != clocks.get(key, 0)]
                seen = snapshot.see(changed)
            for one in seen:
                places |= set(self._comparing.expected(one, epoch=0))
        for key in self._in_motion():
            places |= _keys_in((self._comparing.move_item(key) or {}).get("keys"))
        own |= set(self.ground.moving.target.places(places).own)
        return places, own

    def _in_motion(self) -> set[str]:
        """Return entities that the table knows more of than the source, or that wait to be carried over."""
        shards = (keys.back(self._entity, shard) for shard in range(keys.BACK_SHARDS))
        marked = {found.key.sort for partition in shards for found in everything(self.ground.table, partition)}
        notices = self.ground.relational.waiting(self.ground.moving.outline, limit=NOTICES_MAX)
        return marked | set(concerned(self.ground, notices))

    def _revived(self, gone: Sequence[str]) -> Iterator[Difference]:
        """Yield in what the move items of entities that are gone do not say so."""
        outline = self.ground.moving.outline
        for start in range(0, len(gone), CHUNK_ENTITIES):
            chunk = gone[start : start + CHUNK_ENTITIES]
            routes = self.ground.relational.routes(outline, chunk)
            with self.ground.relational.snapshot(outline) as snapshot:
                seen = snapshot.see(chunk)
            moving = self._in_motion()
            for one in seen:
                route, move = routes[one.key], self._comparing.move_item(one.key)
                if one.document is not None or one.key in moving or route.side is not Side.OLD:
                    continue
                if move is not None and move.get("fence") > fence_of(route.epoch, one.clock):  # pyright: ignore[reportOperatorIssue, reportOptionalOperand] - a number, unless it was broken
                    pass
                at = keys.moved(self._entity, one.key)
                expected = self._comparing.expected(one, epoch=route.epoch)
                yield from differences(one.key, expected, {} if move is None else {at: move})


def _keys_in(told: object) -> set[Key]:
    if not isinstance(told, list):
        return set()
    texts = [one for one in told if isinstance(one, str)]
    return {Key(*one.split("\n", 1)) for one in texts if 0 < one.find("\n") < len(one) - 1}
