"""How a migration ends: on the new side, whose items stay, or on the old one, where nothing of it is left behind."""

from collections.abc import Iterator, Sequence

from footfall.migrate import keys
from footfall.migrate.copying import CHUNK_ENTITIES, Ground
from footfall.migrate.moved import EPOCH_STEP, moved_from
from footfall.ports.relational import EVERYTHING, Route, Seen, Side
from footfall.ports.table import Delete, Put, Table, everything

KEYS_READ = 5_000  # of the source at a time


def ended_on(table: Table, entity: str) -> Side | None:
    """Return the side that a migration has ended on; None: it has not."""
    item = table.get(keys.ended(entity))
    return None if item is None else Side(str(item["side"]))


def say_ended(table: Table, entity: str, side: Side) -> None:
    """Say that it has ended, for applications that still ask both sides: the old one cannot tell them any more."""
    table.put(Put(keys.ended(entity), {"side": side.value}))


def begin_again(table: Table, entity: str) -> None:
    """Forget that it had ended."""
    table.delete(Delete(keys.ended(entity)))


def forget_all(ground: Ground) -> int:
    """Remove all that was carried over, and all that is known of it; return how many entities that were."""
    entity, forgotten = ground.moving.outline.entity, 0
    for chunk in _chunks(ground):
        forgotten += _forget(ground, chunk)
    ground.table.delete(Delete(keys.moved(entity, EVERYTHING)))
    ground.table.delete(Delete(keys.next_key(entity)))
    partitions = [keys.back(entity, shard) for shard in range(keys.BACK_SHARDS)]
    for partition in [*partitions, keys.bucket(entity, 0).partition, keys.gone_ones(entity)]:
        for found in list(everything(ground.table, partition)):
            ground.table.delete(Delete(found.key))
    return forgotten


def _forget(ground: Ground, chunk: Sequence[str]) -> int:
    """Carry over that entities are gone, which tells others of it, then that they were ever there."""
    entity, seen, routes = ground.moving.outline.entity, list[Seen](), dict[str, Route]()
    for key in chunk:
        item = ground.table.get(keys.moved(entity, key))
        if item is not None:
            held = moved_from(item)
            seen.append(Seen(key, held.fence % EPOCH_STEP + 1, None))
            routes[key] = Route(Side.OLD, held.epoch)
    ground.carrier.carry(seen, routes)
    for one in seen:
        ground.table.delete(Delete(keys.moved(entity, one.key)))
    return len(seen)


def _chunks(ground: Ground) -> Iterator[Sequence[str]]:
    """Yield the keys of all entities that there are, and of those that are gone."""
    outline = ground.moving.outline
    found: list[str] = [one.key.sort for one in everything(ground.table, keys.gone_ones(outline.entity))]
    with ground.relational.snapshot(outline) as snapshot:
        after: str | None = None
        while page := snapshot.keys(after=after, limit=KEYS_READ):
            found += page
            after = page[-1]
    for start in range(0, len(found), CHUNK_ENTITIES):
        yield found[start : start + CHUNK_ENTITIES]
