"""The catalogue of one brand: every change is a new version, written whole or not at all.

All changes of a brand follow each other: each transaction counts up one number in the catalogue's head and holds only
if nobody else did. So what was checked before it (names, circles, units, who uses what) still holds when it is written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from itertools import islice

from msgspec import structs

from footfall.metrics import keys
from footfall.metrics.altering import USERS_NAMED, Altering
from footfall.metrics.checking import KnownKinds, Lookup, UnknownMetric, checked_unit, is_sound, require_known_kinds
from footfall.metrics.definition import Definition
from footfall.metrics.errors import CatalogueBusy, ChangedMeanwhile, MetricExists, MetricInUse, NoSuchMetric
from footfall.metrics.removing import finish_removal, is_tombstone, tombstone_of
from footfall.metrics.seeing import Carried, Ground, Rehearsed
from footfall.metrics.versions import REASON_BYTES_MAX, Deprecation, Version, differences, version_from
from footfall.metrics.writing import ACTIONS_MAX, Row, Saved, actions_count, actions_of, in_order, row_from
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import Absent, Action, Check, Delete, Equals, Found, Put, Table, everything
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import instant_text

TRIES_MAX = 20
METRICS_MAX = 200_000  # of one brand: ten times the largest catalogue that we know of


class MetricCatalogue:
    """The metrics of all brands in one table."""

    def __init__(
        self, table: Table, *, clock: Clock, rehearsed: Rehearsed | None = None, known: KnownKinds | None = None
    ) -> None:
        self._table = table
        self._clock = clock
        self._known = known or {}
        self._rehearsed = rehearsed

    def rehearsal(self, announced: Mapping[str, Definition] | None = None) -> "MetricCatalogue":
        """Return the catalogue as one that answers and refuses as this one would, and writes nothing.

        `announced` are definitions that are about to be saved with it: what is saved is looked at among them.
        """
        return MetricCatalogue(self._table, clock=self._clock, rehearsed=Rehearsed(announced or {}), known=self._known)

    def together(self) -> AbstractContextManager[None]:
        """Make the changes inside one on a ground that can; on others a crash leaves the first of them."""
        return self._table.together()

    def newest(self, brand: str, name: str) -> Version:
        """Return the newest version of a metric: one get."""
        found = self._newest(brand, name)
        if found is None:
            raise NoSuchMetric("name", f"there is no metric {name!r}")
        return found

    def known(self, brand: str, name: str) -> Version | None:
        """Return the newest version of a metric; None when there is no such metric."""
        return self._newest(brand, name)

    def version(self, brand: str, name: str, number: int) -> Version:
        """Return a version by its number, or raise NoSuchMetric."""
        newest = self.newest(brand, name)  # Of a metric that is being removed there are versions for a while.
        item = self._table.get(keys.version(brand, name, number)) if 0 < number < 10**10 else None
        if item is None:
            raise NoSuchMetric("version", f"{name!r} has versions 1 to {newest.number}, not {number}")
        return version_from(item)

    def by_hash(self, brand: str, name: str, digest: str) -> Version:
        """Return the newest version that has a hash, or raise NoSuchMetric."""
        written = digest.lower()  # Hexadecimal digits are the same in either case.
        item = self._table.get(keys.by_hash(brand, name, written)) if written.isalnum() and len(written) < 100 else None
        if item is None:
            self.newest(brand, name)
            raise NoSuchMetric("hash", f"no version of {name!r} has the hash {digest[:40]!r}")
        number = item["version"]
        assert isinstance(number, int)
        return self.version(brand, name, number)

    def as_of(self, brand: str, name: str, moment_ms: int) -> Version:
        """Return the version that was the newest at a moment, or raise NoSuchMetric."""
        for version in self.versions(brand, name):
            if version.updated_at_ms <= moment_ms:
                return version
        newest = self.newest(brand, name)
        raise NoSuchMetric("asOf", f"{name!r} was created later, at {instant_text(newest.created_at_ms)}")

    def versions(self, brand: str, name: str) -> Iterator[Version]:
        """Yield all versions of a metric, the newest first; none of one that is removed."""
        if self._newest(brand, name) is None:
            return
        first, last = keys.version(brand, name, 1).sort, keys.version(brand, name, 10**10 - 1).sort
        partition = keys.versions(brand, name)
        for found in everything(self._table, partition, at_least=first, at_most=last, backwards=True):
            yield version_from(found.item)

    def removed_at_ms(self, brand: str, name: str) -> int | None:
        """Return when a metric of this name was last removed; None: never."""
        found = (self._table.get(keys.removed(brand, name)) or {}).get("removedAt")
        return found if isinstance(found, int) else None

    def rows(self, brand: str, *, after: str = "") -> Iterator[Row]:
        """Yield the lines of a brand's metrics by name, those after one."""
        for found in everything(self._table, keys.rows(brand), at_least=after or None):
            if found.key.sort != after:
                yield row_from(found)

    def row(self, brand: str, name: str) -> Row | None:
        """Return a metric's line; None when there is no such metric."""
        key = keys.row(brand, name)
        item = self._table.get(key)
        return None if item is None else row_from(Found(key, item))

    def users(self, brand: str, name: str) -> Iterator[str]:
        """Yield the metrics that need one, by name."""
        stored = (found.key.sort for found in everything(self._table, keys.users(brand, name)))
        rehearsed = self._rehearsed.users(brand, name) if self._rehearsed is not None else []
        for user in sorted({*stored, *rehearsed}) if rehearsed else stored:
            by = self._newest(brand, user)
            # What was needed once is only forgotten after the change that needs it no more.
            if by is not None and name in by.definition.needed_metrics:
                yield user

    def revision(self, brand: str) -> int:
        """Return how often the catalogue was changed, which tells whether what was read of it is still so."""
        return self._head(brand)[0]

    def changed_since(self, brand: str, revision: int) -> Iterator[str]:
        """Yield the names of metrics that were changed after a revision; some of them may come twice."""
        for found in everything(self._table, keys.changes(brand), at_least=keys.change(brand, revision + 1).sort):
            names = found.item["names"]
            assert isinstance(names, frozenset)
            yield from sorted(str(name) for name in names)

    def save(self, brand: str, saved: Saved, *, by: str) -> Version:
        """Add a metric or a version of one, and return it; what means the same already is left as it is."""
        # Files are looked at as a whole: there, what it was computed from may become another's.
        if self._rehearsed is None or not self._rehearsed.announced:
            before = self._newest(brand, saved.definition.name)
            if before is not None:
                change = Altering(brand, before.definition, saved.definition)
                change.require_users_keep_numbers(lambda: self.users(brand, before.name))
        return self.save_all(brand, [saved], by=by)[0]

    def save_all(self, brand: str, saved: Sequence[Saved], *, by: str) -> list[Version]:
        """Save several metrics, each after those it needs; raise Refused with none of a transaction's written."""
        done = self.save_steps(brand, [[one] for one in in_order(saved)], by=by)
        return [done[one.definition.name] for one in saved]

    def save_steps(self, brand: str, steps: Sequence[Sequence[Saved]], *, by: str) -> dict[str, Version]:
        """Save several metrics, those of a step in one transaction; whoever is stopped leaves whole steps."""
        done: dict[str, Version] = {}
        carried, at = Carried(), 0
        while at < len(steps):
            made = self._commit(brand, partial(self._versions_that_fit, brand, steps[at:], by), carried)
            done |= made
            while at < len(steps) and all(one.definition.name in made for one in steps[at]):
                at += 1
        return done

    def deprecate(
        self, brand: str, name: str, *, reason: str, by: str, replacement: str = "", based_on: int | None = None
    ) -> Version:
        """Say that a metric should not be used any more; it goes on answering."""
        _require_reason(reason, is_needed=True)

        def changed(ground: Ground) -> list[Version]:
            newest = self._required(ground, name)
            self._require_based(brand, name, based_on, newest)
            if replacement and ground.newest(replacement) is None:
                raise UnknownMetric("replacement", f"there is no metric {replacement!r}")
            gone = Deprecation(ground.now_ms, by, reason, replacement)
            return [self._next(ground, newest.definition, reason=reason, by=by, deprecation=gone)]

        return self._commit(brand, changed)[name]

    def restore(self, brand: str, name: str, *, reason: str, by: str, based_on: int | None = None) -> Version:
        """Take a deprecation back."""
        _require_reason(reason, is_needed=False)

        def changed(ground: Ground) -> list[Version]:
            newest = self._required(ground, name)
            self._require_based(brand, name, based_on, newest)
            if newest.deprecation is None:
                raise Refused("name", f"{name!r} is not deprecated")
            return [self._next(ground, newest.definition, reason=reason, by=by)]

        return self._commit(brand, changed)[name]

    def delete(self, brand: str, name: str) -> None:
        """Remove a metric that nothing needs, with all its versions; raise MetricInUse."""
        for _ in range(TRIES_MAX):
            revision, count = self._head(brand)
            newest = self._newest(brand, name)
            if newest is None:
                self._finish_removals(brand, [name])  # Whoever was stopped while removing it removes it again.
                raise NoSuchMetric("name", f"there is no metric {name!r}")
            if users := self._some_users(brand, name):
                raise MetricInUse(name, users, what="it cannot be removed")
            if self._rehearsed is not None:
                self._rehearsed.versions[brand, name] = None
                return
            gone = [tombstone_of(brand, newest, revision + 1), Delete(keys.row(brand, name))]
            noted = Put(keys.removed(brand, name), {"removedAt": self._clock.now_ms()})
            try:
                self._table.transact([*gone, noted, *self._counted(brand, revision, count - 1, [name])])
            except Changed:
                continue
            self._finish_removals(brand, [name])
            return
        raise CatalogueBusy(f"{name!r} could not be removed: the catalogue is changed all the time; try again.")

    # --- how a change is made ---------------------------------------------------------------------------

    def _commit(
        self, brand: str, change: Callable[[Ground], list[Version]], carried: Carried | None = None
    ) -> dict[str, Version]:
        """Write what a change makes of the newest versions, again when somebody else was faster."""
        carried = carried or Carried()
        for _ in range(TRIES_MAX):
            revision, count = self._head(brand)
            # One moment for all of it: whoever asks for a moment before sees nothing of it.
            ground = Ground(lambda name: self._newest(brand, name), self._clock.now_ms(), carried.seen_at(revision))
            made = change(ground)
            fresh = [one for one in made if ground.seen.get(one.name) is not one]
            if not fresh:
                return {one.name: one for one in made}
            new = sum(ground.newest(one.name) is None for one in fresh)
            if count + new > METRICS_MAX:
                raise Refused("name", f"a brand has at most {METRICS_MAX:,} metrics")
            if self._rehearsed is not None:
                self._rehearsed.versions |= {(brand, one.name): one for one in fresh}
                return {one.name: one for one in made}
            actions = [action for one in fresh for action in actions_of(brand, one, ground.newest(one.name))]
            counted = self._counted(brand, revision, count + new, [one.name for one in fresh])
            try:
                self._table.transact([*actions, *counted])
            except Changed:
                self._finish_removals(brand, (one.name for one in fresh if ground.newest(one.name) is None))
                continue
            self._drop_edges(brand, fresh, ground)
            told = {one.name: one for one in made}
            carried.keep(ground, told, revision + 1)
            return told
        raise CatalogueBusy("the catalogue is changed by others all the time; nothing was written, try again.")

    def _versions_that_fit(self, brand: str, left: Sequence[Sequence[Saved]], by: str, ground: Ground) -> list[Version]:
        """Return as many of the next versions as one transaction holds, whole steps of them."""
        made: dict[str, Version] = {}
        room = ACTIONS_MAX
        for step in left:
            room -= sum(actions_count(one.definition, ground.definition(one.definition.name)) for one in step)
            if room < 0 and made:
                break
            for one in step:
                made[one.definition.name] = self._saved(brand, one, made, ground, by)
            for one in step:
                self._require_sound_users(brand, one.definition.name, made, ground)
        return list(made.values())

    def _lookup(self, brand: str, made: Mapping[str, Version], ground: Ground) -> Lookup:
        """Return how definitions are found by name: as they will be once all is done that is about to be."""

        def lookup(name: str) -> Definition | None:
            if name in made:
                return made[name].definition
            rehearsed = self._rehearsed
            if rehearsed is not None and name in rehearsed.announced and (brand, name) not in rehearsed.versions:
                return rehearsed.announced[name]
            return ground.definition(name)

        return lookup

    def _saved(self, brand: str, one: Saved, made: Mapping[str, Version], ground: Ground, by: str) -> Version:
        lookup = self._lookup(brand, made, ground)
        _require_reason(one.reason, is_needed=False)
        before = ground.newest(one.definition.name)
        self._require_based(brand, one.definition.name, one.based_on, before)
        require_known_kinds(one.definition, None if before is None else before.definition, self._known)
        unit = checked_unit(one.definition, lookup, written=one.written)
        definition = structs.replace(one.definition, unit=str(unit))
        if before is None:
            return Version(
                definition=definition, number=1, updated_at_ms=ground.now_ms, updated_by=by,
                created_at_ms=ground.now_ms, created_by=by, reason=one.reason,
            )  # fmt: skip
        if definition == before.definition:
            return before
        change = Altering(brand, before.definition, definition)
        change.require_loses_nothing(self._table, lambda: self.users(brand, definition.name), ground.definition)
        return self._next(ground, definition, reason=one.reason, by=by, deprecation=before.deprecation)

    def _require_sound_users(self, brand: str, name: str, made: Mapping[str, Version], ground: Ground) -> None:
        """Raise MetricInUse when a change would break metrics that are not changed with it."""
        before, after = ground.definition(name), made[name].definition
        if before is None or not is_other_for_users(before, after):
            return
        lookup = self._lookup(brand, made, ground)
        announced = frozenset(self._rehearsed.announced) if self._rehearsed is not None else frozenset[str]()
        others = (user for user in self.users(brand, name) if user not in announced)
        if users := list(islice((user for user in others if not is_sound(lookup(user), lookup)), USERS_NAMED)):
            style = f"it cannot be aggregated by {after.aggregation_style}"
            what = style if before.unit == after.unit else f"its unit cannot become {after.unit}"
            advice = "change them with it in one folder of footfall metrics apply, or define another metric"
            raise MetricInUse(name, users, what=what, advice=advice)

    def _require_based(self, brand: str, name: str, based_on: int | None, before: Version | None) -> None:
        newest = 0 if before is None else before.number
        if based_on is None or based_on == newest:
            return
        if before is None:
            raise NoSuchMetric("name", f"there is no metric {name!r}")
        if based_on == 0:
            raise MetricExists("name", f"{name!r} was defined before; update it, based on version {newest}")
        based = self.version(brand, name, based_on)
        changes = differences(based, before)
        raise ChangedMeanwhile(name, based_on=based.number, newest=newest, differences=changes)

    def _some_users(self, brand: str, name: str) -> list[str]:
        return list(islice(self.users(brand, name), USERS_NAMED))

    def _next(
        self, ground: Ground, definition: Definition, *, reason: str, by: str, deprecation: Deprecation | None = None
    ) -> Version:
        before = self._required(ground, definition.name)
        # A clock that goes back does not make a version older than the one before it.
        now_ms = max(ground.now_ms, before.updated_at_ms)
        return structs.replace(
            before, definition=definition, number=before.number + 1, updated_at_ms=now_ms, updated_by=by,
            reason=reason, deprecation=deprecation,
        )  # fmt: skip

    def _required(self, ground: Ground, name: str) -> Version:
        found = ground.newest(name)
        if found is None:
            raise NoSuchMetric("name", f"there is no metric {name!r}")
        return found

    def _newest(self, brand: str, name: str) -> Version | None:
        if self._rehearsed is not None and (brand, name) in self._rehearsed.versions:
            return self._rehearsed.versions[brand, name]
        item = self._table.get(keys.version(brand, name, keys.NEWEST))
        return None if item is None or is_tombstone(item) else version_from(item)

    def _head(self, brand: str) -> tuple[int, int]:
        item: Item = self._table.get(keys.head(brand)) or {}
        revision, count = item.get("revision", 0), item.get("metrics", 0)
        assert isinstance(revision, int)
        assert isinstance(count, int)
        return revision, count

    def _counted(self, brand: str, revision: int, count: int, names: Iterable[str]) -> list[Action]:
        is_same = Equals("revision", revision) if revision else Absent()
        head = Put(keys.head(brand), {"revision": revision + 1, "metrics": count}, expects=(is_same,))
        return [head, Put(keys.change(brand, revision + 1), {"names": frozenset(names)})]

    def _drop_edges(self, brand: str, fresh: Iterable[Version], ground: Ground) -> None:
        """Forget what metrics needed before; whoever reads an edge that is still there looks whether it is so."""
        for one in fresh:
            before = ground.newest(one.name)
            needed = frozenset(one.definition.needed_metrics)
            gone = frozenset(before.definition.needed_metrics if before else ()) - needed
            # Whoever has changed it since may need it again: what they have put is theirs.
            is_newest = Check(keys.version(brand, one.name, keys.NEWEST), (Equals("latestVersion", one.number),))
            for name in sorted(gone):
                with suppress(Changed):
                    self._table.transact([Delete(keys.user(brand, name, one.name)), is_newest])

    def _finish_removals(self, brand: str, names: Iterable[str]) -> None:
        if self._rehearsed is None:
            for name in names:
                finish_removal(self._table, self._clock, brand, name)


def is_other_for_users(before: Definition, after: Definition) -> bool:
    """Tell whether a change of a metric may break those that are computed from it or chained to it."""
    return (before.unit, before.aggregation_style) != (after.unit, after.aggregation_style)


def _require_reason(reason: str, *, is_needed: bool) -> None:
    if is_needed and not reason.strip():
        raise Refused("reason", "is missing: those who use the metric want to know why")
    if len(reason.encode("utf-8", "replace")) > REASON_BYTES_MAX:
        raise Refused("reason", f"is longer than {REASON_BYTES_MAX:,} bytes")
