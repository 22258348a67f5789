"""Proves that the table has what the source has: entity by entity, in buckets, while both are written.

Of each entity the source is read first, then which notices wait, then the table. So what the table lacks is either
waiting, or lost; and what it has more was written since, or comes from nowhere.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from footfall.migrate import keys
from footfall.migrate.buckets import Bucket, Entry, keep, kept
from footfall.migrate.comparing import Comparing, Difference, differences
from footfall.migrate.copying import Ground
from footfall.migrate.following import concerned
from footfall.migrate.merkle import bucket_of, buckets_for, digest_of, tree_of
from footfall.migrate.moved import Items, fence_of
from footfall.ports.relational import NOTICES_MAX, Route, Seen, Side, State
from footfall.ports.table import Key

KEYS_READ = 5_000  # of the source at a time
LOOKS = 2  # A difference counts only if it is there each time.


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification found."""

    run: str
    at_ms: int
    entities: int
    buckets: int
    source_root: str  # the digest of all entities as the source has them ...
    table_root: str  # ... and as the table has
    differing: int
    differences: tuple[Difference, ...]
    behind: int  # entities that changed, which is still to be carried over
    left: int  # entities that were not copied yet
    set_aside: int

    @property
    def is_sound(self) -> bool:
        """Tell whether nothing differs; what is behind, left or set aside is told beside it."""
        return self.differing == 0


@dataclass(slots=True)
class Verifier:
    """Verifies one migration; a run of the same name goes on behind the last bucket that it has finished."""

    ground: Ground
    run: str
    pause: Callable[[], None] = field(default=lambda: None)  # before a second look

    @property
    def comparing(self) -> Comparing:
        """Return who looks at items."""
        return Comparing(self.ground.table, self.ground.moving.outline.entity, self.ground.moving.target)

    def verify(self, *, now_ms: int, before_each: Callable[[int], None] | None = None) -> Verified:
        """Compare everything; `before_each` may wait before so many entities are read."""
        buckets = self.buckets()
        for number, members in enumerate(buckets):
            if not self.is_done(number, buckets=len(buckets)):
                if before_each is not None:
                    before_each(len(members))
                self.check(number, members, buckets=len(buckets))
        return self.finish(buckets=len(buckets), now_ms=now_ms)

    def buckets(self) -> list[list[str]]:
        """Return the keys of all entities at the source, bucket by bucket."""
        found: list[str] = []
        with self.ground.relational.snapshot(self.ground.moving.outline) as snapshot:
            after = None
            while page := snapshot.keys(after=after, limit=KEYS_READ):
                found += page
                after = page[-1]
        buckets: list[list[str]] = [[] for _ in range(buckets_for(len(found)))]
        for key in found:
            buckets[bucket_of(key, buckets=len(buckets))].append(key)
        return buckets

    def is_done(self, number: int, *, buckets: int) -> bool:
        """Tell whether this run has finished a bucket."""
        before = self._kept(number, buckets)
        return before is not None and before.run == self.run

    def check(self, number: int, members: Sequence[str], *, buckets: int) -> Bucket:
        """Compare the entities of a bucket, and write down what was found."""
        before = self._kept(number, buckets)
        known = {} if before is None else before.entries
        bucket = Bucket(self.run, buckets)
        suspects: list[str] = []
        for one in self._looked(members, known):
            if one.source == one.table:
                self._add(bucket, one)
            else:
                suspects.append(one.key)
        if suspects:
            self._look_again(bucket, suspects)
        keep(self.ground.table, self.ground.moving.outline.entity, number, bucket)
        return bucket

    def finish(self, *, buckets: int, now_ms: int) -> Verified:
        """Return what all buckets came to, having looked for items that are no entity's."""
        from footfall.migrate.straying import Strays  # It looks at all buckets together.

        found = [one for number in range(buckets) if (one := self._kept(number, buckets)) is not None]
        assert len(found) == buckets, "every bucket was checked before"
        strays = Strays(self.ground, found).found()
        told = [*(difference for one in found for difference in one.differences), *strays]
        told += [*self._miscounted(sum(one.set_aside for one in found)), *self._mistold(told)]
        return Verified(
            run=self.run, at_ms=now_ms, entities=sum(len(one.entries) for one in found), buckets=buckets,
            source_root=tree_of([one.source_leaf for one in found]).root,
            table_root=tree_of([one.table_leaf for one in found]).root,
            differing=sum(one.differing for one in found) + len(told) - sum(len(one.differences) for one in found),
            differences=tuple(told), behind=sum(one.behind for one in found), left=sum(one.left for one in found),
            set_aside=sum(one.set_aside for one in found),
        )  # fmt: skip

    def _miscounted(self, set_aside: int) -> list[Difference]:
        """Return a difference when the table has set aside more than the source knows of."""
        known = self.ground.relational.states(self.ground.moving.outline).get(State.SET_ASIDE, 0)
        if set_aside <= known:
            return []
        return [Difference("", "", "", "set aside", str(known), str(set_aside))]

    def _mistold(self, found: Sequence[Difference]) -> list[Difference]:
        """Return where the table tells another number of entities than it has, each time it is looked at."""
        same: set[Difference] | None = None
        for _ in range(LOOKS):
            told = set(self._totals_wrong(found))
            same = told if same is None else same & told
            if not same:
                return []
            self.pause()
        return sorted(same or ())

    def _totals_wrong(self, found: Sequence[Difference]) -> Iterator[Difference]:
        for one in self.ground.moving.target.totals(self.ground.table):
            # A line that is lacking, or is nobody's, is a difference of its own and no fault of who counts.
            lines = [line for line in found if line.partition == one.partition and not line.attribute]
            wanted = one.lines + sum(line.actual is None for line in lines)
            wanted -= sum(line.expected is None for line in lines)
            if wanted != (one.told if type(one.told) is int else None):
                told = None if one.told is None else repr(one.told)
                yield Difference("", one.at.partition, one.at.sort, one.attribute, str(wanted), told)

    def _kept(self, number: int, buckets: int) -> Bucket | None:
        before = kept(self.ground.table, self.ground.moving.outline.entity, number)
        return before if before is not None and before.buckets == buckets else None

    def _looked(self, members: Sequence[str], known: Mapping[str, Entry]) -> Iterator["_Look"]:
        """Yield both halves of entities; the source's is not read where its clock stands."""
        outline = self.ground.moving.outline
        with self.ground.relational.snapshot(outline) as snapshot:
            clocks, routes = snapshot.clocks(members), snapshot.routes(members)
            fences = {key: fence_of(routes[key].epoch, clocks.get(key, 0)) for key in members}
            changed = [key for key in members if not _stands(known.get(key), fences[key], routes[key])]
            seen = {one.key: one for one in snapshot.see(changed)}
        pending = self._pending() if changed else None
        for key in members:
            if key in seen:
                yield self._look(seen[key], routes[key], pending)
            else:
                actual = self.comparing.actual(key)
                yield _Look(key, fences[key], known[key].source, digest_of(actual), {}, actual)

    def _look(self, seen: Seen, route: Route, pending: "_Pending | None") -> "_Look":
        comparing = self.comparing
        epoch = self._epoch(seen.key, route)
        expected: Items | None = comparing.expected(seen, epoch=epoch)
        actual = comparing.actual(seen.key, also=expected)
        fence = fence_of(epoch, seen.clock)
        if route.side is not Side.OLD and _side(self._move(actual, seen.key)) != Side.OLD.value:
            expected = comparing.expected_here(seen.key, actual) or expected
        elif (aside := comparing.expected_aside(seen, actual, epoch=epoch)) is not None:
            expected = aside
        is_behind = pending is not None and seen.key in pending and self._is_lower(actual, seen.key, fence)
        return _Look(seen.key, fence, digest_of(expected), digest_of(actual), expected, actual, is_behind=is_behind)

    def _epoch(self, key: str, route: Route) -> int:
        """Return the epoch of what the table should have by the source: in doubt it may not have begun there."""
        move = self.comparing.move_item(key) if route.side is Side.DOUBT else None
        told = None if move is None else move.get("epoch")
        return told if isinstance(told, int) and told == route.epoch - 1 else route.epoch

    def _look_again(self, bucket: Bucket, suspects: Sequence[str]) -> None:
        """Find out what is the matter with entities that differ, some of which are being written just now."""
        same: dict[str, frozenset[Difference]] = {}
        looks: dict[str, _Look] = {}
        for _ in range(LOOKS):
            self.pause()
            for one in self._looked(suspects, {}):
                is_moving = one.is_behind or self._is_ahead(one)
                found = frozenset(() if is_moving else differences(one.key, one.expected, one.actual))
                same[one.key] = same.get(one.key, found) & found
                looks[one.key] = one
        unmoved = self._unmoved()
        for key in suspects:
            one = looks[key]
            if unmoved and self._move(one.actual, key) is None:
                bucket.left += 1
                same[key] = frozenset()
            elif one.source != one.table and not same[key]:
                bucket.behind += 1
            bucket.add_differences(sorted(same[key]))
            self._add(bucket, one)

    def _add(self, bucket: Bucket, one: "_Look") -> None:
        bucket.entries[one.key] = Entry(one.fence, one.source, one.table)
        move = self._move(one.actual, one.key) or {}
        bucket.set_aside += "refused" in move
        places = {at for at in (*one.expected, *one.actual) if at != self._move_key(one.key)}
        found = self.ground.moving.target.places(places)
        bucket.own |= set(found.own)
        bucket.shared |= set(found.shared)
        bucket.claims |= {at for at in places if at.partition not in found.own}

    def _pending(self) -> "_Pending":
        notices = self.ground.relational.waiting(self.ground.moving.outline, limit=NOTICES_MAX)
        return _Pending(frozenset(concerned(self.ground, notices)), is_all=len(notices) == NOTICES_MAX)

    def _unmoved(self) -> int:
        states = self.ground.relational.states(self.ground.moving.outline)
        return states.get(State.NOT_MIGRATED, 0) + states.get(State.IN_MIGRATION, 0)

    def _is_lower(self, actual: Items, key: str, fence: int) -> bool:
        told = (self._move(actual, key) or {}).get("fence", -1)
        return isinstance(told, int) and told < fence

    def _is_ahead(self, one: "_Look") -> bool:
        """Tell whether the table has what the source came to since it was read."""
        told = (self._move(one.actual, one.key) or {}).get("fence", -1)
        if not isinstance(told, int) or told <= one.fence:
            return False
        outline = self.ground.moving.outline
        with self.ground.relational.snapshot(outline) as snapshot:
            clock, route = snapshot.clocks([one.key]).get(one.key, 0), snapshot.routes([one.key])[one.key]
        return told <= fence_of(route.epoch, clock) or route.side is not Side.OLD

    def _move(self, actual: Items, key: str) -> Mapping[str, object] | None:
        return actual.get(self._move_key(key))

    def _move_key(self, key: str) -> Key:
        return keys.moved(self.ground.moving.outline.entity, key)


@dataclass(frozen=True, slots=True)
class _Look:
    key: str
    fence: int
    source: str
    table: str
    expected: Items
    actual: Items
    is_behind: bool = False


@dataclass(frozen=True, slots=True)
class _Pending:
    keys: frozenset[str]
    is_all: bool  # There are more than were read: any entity may be among them.

    def __contains__(self, key: str) -> bool:
        return self.is_all or key in self.keys


def _stands(known: Entry | None, fence: int, route: Route) -> bool:
    return known is not None and route.side is Side.OLD and known.fence == fence and known.source == known.table


def _side(move: Mapping[str, object] | None) -> object:
    return (move or {}).get("side")
