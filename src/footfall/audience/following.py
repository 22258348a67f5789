"""What the follow graph answers: who follows whom, how many, which of these, and who follows each other."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from footfall.audience import keys
from footfall.audience.follows import Edge, Follows, State, edge_of, moment_in
from footfall.audience.heads import counted, followers_in, head_from_item, number_in
from footfall.audience.merging import (
    Listing,
    Place,
    Row,
    merged,
    newest,
    place_from_text,
    some_of,
    text_from_place,
)
from footfall.audience.things import Thing
from footfall.ports.table import Found, Key, Page, Table, everything
from footfall.values.errors import Refused

ASKED_MAX = 100  # things in one question
LOOKED_UP_MAX = 100  # of what somebody follows, one by one, for who follows back
SCANNED_AT_ONCE = 1_000  # followers, for who is followed back


@dataclass(frozen=True, slots=True)
class Other:
    """The other end of an edge, and since when."""

    thing: Thing
    at_us: int


@dataclass(frozen=True, slots=True)
class Others:
    """Some of a list, the newest first, and where it goes on; None when it does not."""

    items: Sequence[Other]
    after: str | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a thing follows, and how many follow it; None where a brand does not count them."""

    following: int | None
    followers: int | None


def state_of(follows: Follows, brand: str, follower: Thing, target: Thing) -> tuple[State, int | None]:
    """Return what one thing is to another, and since when; one get, and another where it does not follow."""
    found = follows.found(edge_of(brand, follower, target))
    return (State.NONE, None) if found is None else (found.state, found.at_us)


def which_of(follows: Follows, brand: str, follower: Thing, targets: Sequence[Thing]) -> Mapping[Thing, int]:
    """Return which of some things somebody follows, and since when; one query."""
    if not 1 <= len(targets) <= ASKED_MAX:
        raise Refused("targets", f"has {len(targets):,} things, from 1 to {ASKED_MAX} are taken")
    wanted = {one.key: one for one in targets}
    found = everything(follows.table, keys.follows(brand, follower), at_least=min(wanted), at_most=max(wanted))
    return {wanted[one.key.sort]: moment_in(one.item) for one in found if one.key.sort in wanted}


def counts(follows: Follows, brand: str, thing: Thing) -> Counts:
    """Return how much a thing follows and how many follow it; one query, and a get for each further shard."""
    if not follows.is_counted(brand):
        return Counts(None, None)
    found = counted(follows.table, brand, thing)
    mine = keys.count_of_following(brand, thing)
    return Counts(sum(number_in(one.item) for one in found if one.key == mine), followers_in(found))


def following(follows: Follows, brand: str, follower: Thing, *, limit: int, after: str = "", kind: str = "") -> Others:
    """Return what somebody follows, of one kind or of all; one query."""
    rows = iter(_all_followed(follows.table, keys.follows(brand, follower), kind=kind))
    return _others(_behind(rows, place_from_text(after)), limit=limit, named=keys.second_of)


def followed(follows: Follows, brand: str, follower: Thing) -> Mapping[Thing, int]:
    """Return all that somebody follows, the newest first; one query."""
    rows = _all_followed(follows.table, keys.follows(brand, follower))
    return {keys.second_of(row.found.key): row.at for row in rows}


def followed_keys(follows: Follows, brand: str, follower: Thing) -> frozenset[str]:
    """Return the keys of all that somebody follows; one query."""
    return frozenset(one.key.sort for one in everything(follows.table, keys.follows(brand, follower)))


def followers(follows: Follows, brand: str, target: Thing, *, limit: int, after: str = "") -> Others:
    """Return who follows a thing; one query for each shard, which most things have one of."""
    rows, shards = follower_rows(follows.table, brand, target, step=limit + 2, after=place_from_text(after))
    return _others(rows, limit=limit, named=keys.first_of, shards=shards)


def requests(follows: Follows, brand: str, target: Thing, *, limit: int, after: str = "") -> Others:
    """Return who asked to follow a private thing; one query."""
    return _first_ones(follows, keys.requests_to(brand, target), limit=limit, after=after)


def blocked(follows: Follows, brand: str, blocker: Thing, *, limit: int, after: str = "") -> Others:
    """Return whom a thing blocks; one query."""
    return _first_ones(follows, keys.blocks(brand, blocker), limit=limit, after=after)


def mutual(follows: Follows, brand: str, thing: Thing, *, limit: int, after: str = "") -> Others:
    """Return those that a thing follows and that follow it, by when they began to; a page may have fewer than asked.

    Of a thing that follows up to 100, these are looked up one by one, once. Of others, a page is one query for what it
    follows and those for a thousand of its followers.
    """
    mine = followed(follows, brand, thing)
    if len(mine) <= LOOKED_UP_MAX:
        rows = iter(sorted(_following_back(follows, brand, thing, mine), key=lambda row: row.rank))
        return _others(_behind(rows, place_from_text(after)), limit=limit, named=keys.first_of)
    place = place_from_text(after)
    rows, shards = follower_rows(follows.table, brand, thing, step=SCANNED_AT_ONCE + 2, after=place)
    found: list[Row] = []
    for looked_at, row in enumerate(rows, 1):
        if keys.first_of(row.found.key) in mine:
            found.append(row)
        if len(found) > limit or looked_at > SCANNED_AT_ONCE:
            last = found[limit - 1] if len(found) > limit else row
            items = [Other(keys.first_of(one.found.key), one.at) for one in found[:limit]]
            return Others(items, text_from_place(Place(last.at, last.name, shards)))
    return _others(iter(found), limit=limit, named=keys.first_of, shards=shards)


def follower_rows(
    table: Table, brand: str, target: Thing, *, step: int, after: Place | None
) -> tuple[Iterator[Row], int]:
    """Return those who follow a thing, the newest first, and in how many shards they lie.

    The head stands in the index before the followers of the first shard. So the query for these tells of the others.
    """
    first: Page | None = None
    shards = 1 if after is None else after.shards
    if after is None:
        first = table.query(keys.followers(brand, target, 0), backwards=True, limit=step + 1, index=keys.FOLLOWERS)
        if first.items and first.items[0].key == keys.head(brand, target):
            shards = head_from_item(first.items[0].item).shards
            first = Page(first.items[1:], first.after)
    # Each shard has its share of a page, and a little more; those that have more of it are asked again.
    share = step if shards == 1 else min(step, 2 * (step // shards) + 4)
    return (
        merged(
            newest(table, _shard(brand, target, shard), after=after, step=share, first=None if shard else first)
            for shard in range(shards)
        ),
        shards,
    )


def _first_ones(follows: Follows, partition: str, *, limit: int, after: str) -> Others:
    listing = Listing(keys.FOLLOWERS, partition, _follower_name)
    rows = newest(follows.table, listing, after=place_from_text(after), step=limit + 2)
    return _others(rows, limit=limit, named=keys.first_of)


def _shard(brand: str, target: Thing, shard: int) -> Listing:
    return Listing(keys.FOLLOWERS, keys.followers(brand, target, shard), _follower_name)


def _follower_name(found: Found) -> str:
    return keys.first_key_of(found.key)


def _all_followed(table: Table, partition: str, *, kind: str = "") -> list[Row]:
    first, last = keys.of_kind(kind) if kind else (None, None)
    rows = [
        Row(moment_in(one.item), one.key.sort, one)
        for one in everything(table, partition, at_least=first, at_most=last)
    ]
    return sorted(rows, key=lambda row: row.rank)


def _following_back(follows: Follows, brand: str, thing: Thing, mine: Iterable[Thing]) -> Iterator[Row]:
    for other in mine:
        key = Edge(brand, other, thing).key
        item = follows.table.get(key)
        if item is not None:
            yield Row(moment_in(item), other.key, Found(key, item))


def _behind(rows: Iterator[Row], place: Place | None) -> Iterator[Row]:
    return rows if place is None else (row for row in rows if row.rank > (-place.at, place.name))


def _others(rows: Iterator[Row], *, limit: int, named: Callable[[Key], Thing], shards: int = 1) -> Others:
    taken, after = some_of(rows, limit=limit, shards=shards)
    return Others([Other(named(row.found.key), row.at) for row in taken], after)
