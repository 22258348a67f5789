"""All of a thing in the follow graph: handed out, and erased in steps that can be repeated."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from footfall.audience import keys
from footfall.audience.follows import Follows, moment_in
from footfall.audience.heads import counted, followers_in
from footfall.audience.kept_lists import Kept, Row
from footfall.audience.publishing import publication_from
from footfall.audience.things import Thing
from footfall.ports.errors import Changed
from footfall.ports.table import BATCH_ITEMS_MAX, Action, Delete, Equals, Found, Key
from footfall.values.window import instant_text

Step = Callable[[Follows, str, Thing, int], int]


def kept(follows: Follows, brand: str, thing: Thing) -> list[Kept]:
    """Return all that is kept of a thing; who blocks it is nobody's but theirs."""
    table, shards = follows.table, follows.heads.read(brand, thing).shards
    lists = [
        Kept(table, keys.follows(brand, thing), partial(_rows, "follows", keys.second_of)),
        Kept(table, keys.requests_by(brand, thing), partial(_rows, "asked", keys.second_of)),
        Kept(table, keys.requests_to(brand, thing), partial(_rows, "asked by", keys.first_of), index=keys.FOLLOWERS),
        Kept(table, keys.blocks(brand, thing), partial(_rows, "blocks", keys.first_of), index=keys.FOLLOWERS),
        Kept(table, keys.published(brand, thing), _published),
    ]
    # There may be more of these when reading goes on, so they are the last.
    for shard in range(shards):
        partition, told = keys.followers(brand, thing, shard), partial(_rows, "follower", keys.first_of)
        lists.append(Kept(table, partition, told, index=keys.FOLLOWERS, at_most=keys.HEAD_AT_US - 1))
    return lists


def erase_some(follows: Follows, brand: str, thing: Thing, limit: int) -> int:
    """Erase up to so many items of a thing; return how many there were, 0 when nothing is left."""
    for step in _STEPS:
        done = step(follows, brand, thing, limit)
        if done:
            return done
    return 0


def _rows(what: str, other: Callable[[Key], Thing], found: Sequence[Found]) -> Iterator[Row]:
    for one in found:
        yield {"what": what, "thing": str(other(one.key)), "at": instant_text(moment_in(one.item) // 1_000)}


def _published(found: Sequence[Found]) -> Iterator[Row]:
    for one in found:
        told = publication_from(one)
        yield {"what": "published", "id": told.id, "at": instant_text(told.at_ms), "about": told.about}


def _follows(follows: Follows, brand: str, thing: Thing, limit: int) -> int:
    found = follows.table.query(keys.follows(brand, thing), limit=limit).items
    for one in found:
        follows.unfollow(brand, thing, keys.second_of(one.key))
    return len(found)


def _followers(follows: Follows, brand: str, thing: Thing, limit: int) -> int:
    for shard in range(follows.heads.read(brand, thing).shards):
        partition = keys.followers(brand, thing, shard)
        found = follows.table.query(partition, at_most=keys.HEAD_AT_US - 1, limit=limit, index=keys.FOLLOWERS).items
        for one in found:
            follows.unfollow(brand, keys.first_of(one.key), thing)
        if found:
            return len(found)
    return 0


def _others(follows: Follows, brand: str, thing: Thing, limit: int) -> int:
    """Erase what needs no counting: requests and blocks of both directions, and publications."""
    lists: Sequence[tuple[str, str | None]] = (
        (keys.requests_by(brand, thing), None), (keys.requests_to(brand, thing), keys.FOLLOWERS),
        (keys.blocks(brand, thing), keys.FOLLOWERS), (keys.blocked_by(brand, thing), None),
        (keys.published(brand, thing), None),
    )  # fmt: skip
    for partition, index in lists:
        found = follows.table.query(partition, limit=min(limit, BATCH_ITEMS_MAX), index=index).items
        if found:
            follows.table.write([Delete(Key(one.key.partition, one.key.sort)) for one in found])
            return len(found)
    return 0


def _counts(follows: Follows, brand: str, thing: Thing, limit: int) -> int:
    """Erase the counts and the head, unless somebody has begun to follow meanwhile."""
    del limit
    found = counted(follows.table, brand, thing)
    if not found or (followers_in(found) and follows.is_counted(brand)):
        return 0
    actions: list[Action] = [Delete(one.key, expects=(Equals("n", one.item.get("n")),)) for one in found]
    try:
        follows.table.transact(actions)
    except Changed:
        return 0  # The next time finds whoever it was.
    follows.heads.forget(brand, thing)
    return len(found)


_STEPS: Final[Sequence[Step]] = (_follows, _followers, _others, _counts)
