"""Who follows what: written so that both directions and both counts are there, or none of them.

A follow is one item under its follower; the index `followers` is the other direction. Where follows are counted, one
transaction writes it with two small items. Nothing is read before it is written, unless something stands in the way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import xxhash

from footfall.audience import keys
from footfall.audience.heads import (
    SHARDS_MAX,
    Head,
    Heads,
    changed_head,
    counted,
    followers_in,
    grown,
    number_in,
)
from footfall.audience.things import Thing
from footfall.ports.errors import Changed
from footfall.ports.table import (
    Absent,
    Action,
    Below,
    Check,
    Delete,
    Item,
    Key,
    Present,
    Put,
    Table,
    Update,
    everything,
)
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused

FOLLOWS_MAX = 5_000  # of one thing, so that all of them are one query
RACES_MAX = 20  # Each is lost to somebody who wrote the same edge or head at the same moment.
LOOKED_AT_EVERY = 256  # follows, whether there are so many that they need more shards


class State(StrEnum):
    """What somebody is to a thing."""

    NONE = "none"
    FOLLOWING = "following"
    REQUESTED = "requested"


class FollowsItself(Refused):
    """A thing is asked to follow, or to block, itself."""


class FollowsTooMuch(Refused):
    """Somebody follows as much as anybody may."""


class Blocked(Refused):
    """The thing blocks whoever wants to follow it."""


class NotAsked(Refused):
    """There is no request to follow a thing that could be approved or declined."""


class FollowsBusy(FootfallError):
    """Others write the same follow again and again; it is safe to try again."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What came of a wish to follow: since when it holds, and whether it is new."""

    state: State
    at_us: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """A follower, whom they follow, where that is written, and by which shard of the target's followers."""

    brand: str
    follower: Thing
    target: Thing

    @property
    def key(self) -> Key:
        """Return where the follow lies."""
        return keys.follow(self.brand, self.follower, self.target)

    @property
    def request(self) -> Key:
        """Return where the request lies, if the target is private."""
        return keys.request(self.brand, self.follower, self.target)

    @property
    def block(self) -> Key:
        """Return where it is said that the target blocks the follower."""
        return keys.block(self.brand, self.target, self.follower)

    @property
    def hash(self) -> int:
        """Return a number of 64 bits that is always the follower's: its shard, and whether it is looked at."""
        return xxhash.xxh3_64_intdigest(self.follower.key.encode())

    def shard(self, head: Head) -> int:
        """Return the shard of the target's followers that it lies in."""
        return self.hash % head.shards

    def at_us(self, now_ms: int) -> int:
        """Return its moment: follows of one millisecond are told apart, so that pages seldom meet two of a moment."""
        return now_ms * 1_000 + (self.hash >> 32) % 1_000


class Follows:
    """The follow graph of all brands, as one thread writes it."""

    def __init__(
        self, table: Table, *, clock: Clock, uncounted: Sequence[str] = (), follows_max: int = FOLLOWS_MAX
    ) -> None:
        self.table = table
        self.clock = clock
        self.heads = Heads(table, clock)
        self._uncounted = frozenset(uncounted)
        self._follows_max = follows_max

    def is_counted(self, brand: str) -> bool:
        """Tell whether a brand's follows are counted."""
        return brand not in self._uncounted

    def follow(self, brand: str, follower: Thing, target: Thing) -> Followed:
        """Let one thing follow another, or ask it where it is private; doing so twice changes nothing."""
        edge = edge_of(brand, follower, target)
        at_us = edge.at_us(self.clock.now_ms())
        head = self.head(edge)
        for _ in range(RACES_MAX):
            try:
                self._write(edge, head, at_us)
            except Changed:
                found = self.found(edge)
                if found is not None and found.state is State.FOLLOWING:
                    return found
                head = self._unblocked(edge)
                if found is not None and head.is_private:
                    return found
                self._require_room(edge)
                continue
            if not head.is_private and (edge.hash >> 16) % LOOKED_AT_EVERY == 0:
                self.spread(brand, target)
            return Followed(State.REQUESTED if head.is_private else State.FOLLOWING, at_us, is_new=True)
        raise _busy(edge)

    def unfollow(self, brand: str, follower: Thing, target: Thing) -> bool:
        """Let one thing no longer follow another, nor ask it; return whether it did."""
        edge = edge_of(brand, follower, target)
        head = self.head(edge)
        for _ in range(RACES_MAX):
            try:
                self._take_away(edge, head)
            except Changed:
                found = self.found(edge)
                if found is None:
                    return False
                if found.state is State.REQUESTED:
                    self.table.delete(Delete(edge.request))
                    return True
                head = self.heads.read(brand, target)
                continue
            return True
        raise _busy(edge)

    def approve(self, brand: str, target: Thing, follower: Thing) -> Followed:
        """Let somebody follow who asked for it; raise NotAsked when nobody did."""
        edge = edge_of(brand, follower, target)
        at_us = edge.at_us(self.clock.now_ms())
        for _ in range(RACES_MAX):
            head = self._unblocked(edge)
            try:
                self.table.transact([Delete(edge.request, expects=(Present(),)), *self.additions(edge, head, at_us)])
            except Changed:
                found = self.found(edge)
                if found is None:
                    raise NotAsked("follower", f"{str(follower)!r} did not ask to follow {str(target)!r}") from None
                if found.state is State.FOLLOWING:  # It asked, and followed before that was looked at.
                    self.table.delete(Delete(edge.request))
                    return found
                self._require_room(edge)
                continue
            return Followed(State.FOLLOWING, at_us, is_new=True)
        raise _busy(edge)

    def decline(self, brand: str, target: Thing, follower: Thing) -> None:
        """Refuse somebody who asked; raise NotAsked when nobody did."""
        edge = edge_of(brand, follower, target)
        try:
            self.table.delete(Delete(edge.request, expects=(Present(),)))
        except Changed:
            raise NotAsked("follower", f"{str(follower)!r} did not ask to follow {str(target)!r}") from None

    def spread(self, brand: str, target: Thing, *, followers: int | None = None) -> int:
        """Divide a thing's followers into more shards, if so many as there are need them; return how many there are.

        Of a thing that will have many at once, it is said beforehand how many: then no key is hot at the beginning.
        """
        if followers is None and self.heads.known(brand, target).shards == SHARDS_MAX:
            return SHARDS_MAX  # There are no more, however many follow.
        count = followers if followers is not None else self._about(brand, target)
        for _ in range(RACES_MAX):
            head = self.heads.read(brand, target)
            wanted = grown(head, count)
            if wanted is None:
                return head.shards
            writes = changed_head(brand, target, head, wanted, is_counted=self.is_counted(brand))
            try:
                self.table.transact(list(writes.values()))
            except Changed:
                continue
            self.heads.read(brand, target)
            return wanted.shards
        raise FollowsBusy(f"the followers of {target} could not be divided: others write them; try again")

    def found(self, edge: Edge) -> Followed | None:
        """Return what is written of an edge."""
        for key, state in ((edge.key, State.FOLLOWING), (edge.request, State.REQUESTED)):
            item = self.table.get(key)
            if item is not None:
                return Followed(state, moment_in(item), is_new=False)
        return None

    def head(self, edge: Edge) -> Head:
        """Return the target's head as it has to be known before somebody follows it, or leaves it."""
        # Where nothing is counted, no item is written that could tell that the head is another: it is that of a minute.
        look = self.heads.known if self.is_counted(edge.brand) else self.heads.looked_up
        return look(edge.brand, edge.target)

    def additions(self, edge: Edge, head: Head, at_us: int) -> list[Action]:
        """Return what writes a follow."""
        item: Item = {"to": keys.followers(edge.brand, edge.target, edge.shard(head)), "at_us": at_us}
        actions: list[Action] = [Put(edge.key, item, expects=(Absent(),))]
        if self.is_counted(edge.brand):
            mine = keys.count_of_following(edge.brand, edge.follower)
            actions.append(Update(mine, add={"n": 1}, expects=(Below("n", self._follows_max),)))
            actions.append(self._counted(edge, head, 1))
        elif head.was_private:  # Shards and blocks are no reason to ask one key at every follow.
            actions.append(Check(keys.head(edge.brand, edge.target), head.expected))
        if head.has_blocked:
            actions.append(Check(edge.block, (Absent(),)))
        return actions

    def removals(self, edge: Edge, head: Head) -> list[Action]:
        """Return what takes a follow away."""
        actions: list[Action] = [Delete(edge.key, expects=(Present(),))]
        if self.is_counted(edge.brand):
            mine = keys.count_of_following(edge.brand, edge.follower)
            actions += [Update(mine, add={"n": -1}), self._counted(edge, head, -1)]
        return actions

    def _write(self, edge: Edge, head: Head, at_us: int) -> None:
        if head.is_private:
            item: Item = {"to": keys.requests_to(edge.brand, edge.target), "at_us": at_us}
            private = Check(keys.head(edge.brand, edge.target), head.expected)
            actions: list[Action] = [
                Put(edge.request, item, expects=(Absent(),)),
                Check(edge.key, (Absent(),)),
                private,
            ]
            if head.has_blocked:
                actions.append(Check(edge.block, (Absent(),)))
        else:
            actions = [*self.additions(edge, head, at_us), *_request_gone(edge, head)]
        if len(actions) == 1 and isinstance(actions[0], Put):
            if (edge.hash ^ hash_of(edge.target)) % LOOKED_AT_EVERY == 0:
                self._require_room(edge)
            self.table.put(actions[0])
        else:
            self.table.transact(actions)

    def _take_away(self, edge: Edge, head: Head) -> None:
        actions = [*self.removals(edge, head), *_request_gone(edge, head)]
        if len(actions) == 1 and isinstance(actions[0], Delete):
            self.table.delete(actions[0])
        else:
            self.table.transact(actions)

    def _counted(self, edge: Edge, head: Head, by: int) -> Update:
        key = keys.count_of_followers(edge.brand, edge.target, edge.shard(head))
        return Update(key, add={"n": by}, expects=head.expected)

    def _unblocked(self, edge: Edge) -> Head:
        head = self.heads.read(edge.brand, edge.target)
        if head.has_blocked and self.table.get(edge.block) is not None:
            raise Blocked("target", f"{str(edge.target)!r} blocks {str(edge.follower)!r}")
        return head

    def _require_room(self, edge: Edge) -> None:
        if self.is_counted(edge.brand):
            item = self.table.get(keys.count_of_following(edge.brand, edge.follower))
            count = 0 if item is None else number_in(item)
        else:
            count = sum(1 for _ in everything(self.table, keys.follows(edge.brand, edge.follower)))
        if count >= self._follows_max:
            reason = f"{str(edge.follower)!r} follows {count:,} things, at most {self._follows_max:,} are possible"
            raise FollowsTooMuch("follower", f"{reason}; unfollow some first")

    def _about(self, brand: str, target: Thing) -> int:
        """Return how many followers a thing has; where they are not counted, as many as those looked at stand for."""
        if not self.is_counted(brand):
            key = keys.count_of_followers(brand, target, 0)
            return number_in(self.table.update(Update(key, add={"n": LOOKED_AT_EVERY})))
        return followers_in(counted(self.table, brand, target))


def edge_of(brand: str, follower: Thing, target: Thing) -> Edge:
    """Return the edge between two things, or raise FollowsItself."""
    if follower == target:
        raise FollowsItself("target", f"{str(target)!r} is the follower itself; a thing cannot follow itself")
    return Edge(brand, follower, target)


def hash_of(thing: Thing) -> int:
    """Return a number of 64 bits that is always the thing's."""
    return xxhash.xxh3_64_intdigest(thing.key.encode())


def _request_gone(edge: Edge, head: Head) -> Sequence[Action]:
    """Return what takes a request away of the time when the target was private; else it could be approved for ever."""
    return (Delete(edge.request),) if head.was_private else ()


def moment_in(item: Item) -> int:
    """Return the moment of an edge."""
    at_us = item["at_us"]
    assert isinstance(at_us, int)
    return at_us


def _busy(edge: Edge) -> FollowsBusy:
    return FollowsBusy(f"{edge.follower} and {edge.target} were written by others {RACES_MAX} times: try again")
