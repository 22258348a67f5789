"""Suggestions: what those follow who follow the same things, as far as a bounded number of queries can tell.

At most 43 queries: what somebody follows, whom they block and who blocks them, one page of followers for each of the
20 things that they followed last, and a page of what each of the 20 follows who have most in common with them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from footfall.audience import keys
from footfall.audience.following import followed
from footfall.audience.follows import Follows, hash_of
from footfall.audience.things import Thing
from footfall.ports.table import Table, everything

LOOKED_AT = 20  # of what somebody follows, and of those who are like them
FOLLOWERS_EACH = 50
FOLLOWS_EACH = 100


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A thing, and how many of those who are like somebody follow it, weighed by how much they have in common."""

    thing: Thing
    weight: int


def suggested(follows: Follows, brand: str, follower: Thing, *, limit: int, kind: str = "") -> list[Suggestion]:
    """Return what somebody might follow, the likeliest first."""
    mine = followed(follows, brand, follower)
    alike: Counter[Thing] = Counter()
    for thing in islice(mine, LOOKED_AT):
        alike.update(one for one in _some_followers(follows, brand, thing, of=follower) if one != follower)
    weights: Counter[Thing] = Counter()
    # Things lie by their kinds: of a kind that is asked for, a page of nothing else.
    first, last = keys.of_kind(kind) if kind else (None, None)
    for other, common in sorted(alike.items(), key=lambda one: (-one[1], one[0]))[:LOOKED_AT]:
        page = follows.table.query(keys.follows(brand, other), at_least=first, at_most=last, limit=FOLLOWS_EACH)
        weights.update({keys.second_of(found.key): common for found in page.items})
    best = sorted(weights.items(), key=lambda one: (-one[1], one[0]))
    known = {*mine, *_apart(follows.table, brand, follower), follower}
    return list(islice((Suggestion(*one) for one in best if one[0] not in known), limit))


def _apart(table: Table, brand: str, thing: Thing) -> Iterator[Thing]:
    """Yield those that a thing blocks, and those that block it: who could not be followed is not suggested."""
    blocks = everything(table, keys.blocks(brand, thing), index=keys.FOLLOWERS)
    yield from (keys.first_of(one.key) for one in blocks)
    yield from (keys.second_of(one.key) for one in everything(table, keys.blocked_by(brand, thing)))


def _some_followers(follows: Follows, brand: str, thing: Thing, *, of: Thing) -> list[Thing]:
    """Return some of a thing's followers: the last of one shard, which is as good a sample as those of all."""
    shards = follows.heads.known(brand, thing).shards
    page = follows.table.query(
        keys.followers(brand, thing, hash_of(of) % shards), backwards=True, limit=FOLLOWERS_EACH, index=keys.FOLLOWERS
    )
    return [keys.first_of(one.key) for one in page.items if one.key.sort == thing.key]  # The head is none of them.
