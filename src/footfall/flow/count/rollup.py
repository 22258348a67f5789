"""Hours from minutes, days from hours, and late hits folded in.

A window that a shard has written into is *expected* until it is final. Once it is closed it is built from its parts;
hits that come later go to its late part, which is folded in now and then. Work is done in small steps between the
flushes, so that building a large day keeps nobody waiting.
"""

from collections.abc import Callable, Iterable

from footfall.flow.count.building import (
    PIECES_APART_MS,
    PIECES_APART_MS_MIN,
    Build,
    BuildTiming,
    Expected,
    WindowKey,
    bounded_sum,
    turns_of,
)
from footfall.flow.count.held import Held
from footfall.flow.count.visitors import Union, Visitors
from footfall.flow.count.written import minutes_of, minutes_written
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import ALL_BUILT
from footfall.flow.store.columns import EMPTY, Columns, without_row
from footfall.flow.store.journal import Touched
from footfall.flow.store.visitors import kept_groups, only_groups
from footfall.ports.table import Absent, Delete, Put, Table, Value, everything
from footfall.sketches.grouped import GroupedUniques
from footfall.values.window import HOUR_MS, Grain, Window, parts_of, window_of

PARTS_PER_STEP = 20
STEP_ROWS_MAX = 30_000  # Read and decoded in some milliseconds; a step goes no further when its parts have so many.
WAITING_ROWS_MAX = 100_000  # Parts are added up at once, for each time takes the whole sum in hand anew; some 3 MB.
ATTEMPTS_MAX = 3  # Late hits that keep touching a window must not keep it from ever being built.
LATE_ROWS_MAX = 50_000  # A late part beyond this is folded in at once: it is written anew with every flush.


class Rollup:
    """The building of one shard's larger windows."""

    def __init__(
        self,
        table: Table,
        held: Held,
        visitors: Visitors,
        shard: int,
        *,
        zone_of: Callable[[str], str],
        timing: BuildTiming,
    ) -> None:
        self._table = table
        self._held = held
        self._visitors = visitors
        self._shard = shard
        self._main = keys.shard_name(shard)
        self._late = keys.late_part(shard)
        self._zone_of = zone_of
        self._timing = timing
        self._expected: dict[WindowKey, Expected] = {}
        self._build: Build | None = None
        self._unconfirmed: dict[WindowKey, bool] = {}  # written whole: whether they were built, not folded
        self._fresh: set[WindowKey] = set()  # those around the minutes that were written last
        self.reload()

    def reload(self) -> None:
        """Read from the store which windows are expected."""
        expected: dict[WindowKey, Expected] = {}
        for found in everything(self._table, keys.pending_partition(self._shard)):
            pending = keys.pending_from_key(found.key)
            window = window_of(pending.start_ms, pending.grain, self._zone_of(pending.brand))
            late_since_ms = 0 if found.item.get("late") else None
            open_until_ms = found.item.get("open", 0)
            assert isinstance(open_until_ms, int)
            since = found.item.get("since")
            assert since is None or isinstance(since, int)
            built = bool(found.item.get("built"))
            expected[pending.brand, window] = Expected(built, late_since_ms, open_until_ms=open_until_ms, since=since)
        self._expected, self._build, self._unconfirmed = expected, None, {}

    def is_built(self, brand: str, window: Window) -> bool:
        """Tell whether hits for the window have to go to its late part."""
        expected = self._expected.get((brand, window))
        return expected.is_built if expected is not None else self._held.throughs(brand, window).is_stored

    def is_unbuilt(self, brand: str, window: Window) -> bool:
        """Tell whether the window has hits here and is still to be built from its parts."""
        expected = self._expected.get((brand, window))
        return expected is not None and not expected.is_built

    def unbuilt(self) -> list[WindowKey]:
        """Return the windows that have hits here and are still to be built from their parts."""
        return [key for key, one in self._expected.items() if not one.is_built]

    def unbuilt_since(self) -> dict[Grain, int]:
        """Return where the first hour and the first day begin that are still to be built, for readers to know of."""
        since_ms = dict(ALL_BUILT)
        for key, one in self._expected.items():
            # One that has just been written is there for readers, whether or not that is confirmed.
            if not one.is_built and not self._unconfirmed.get(key):
                since_ms[key[1].grain] = min(since_ms[key[1].grain], key[1].from_ms)
        return since_ms

    def expect(self, brand: str, window: Window, *, since: int | None = None) -> None:
        """Remember a window that has hits and is not built, whose minutes are written from a checkpoint on."""
        if (brand, window) not in self._expected:
            minutes = None if since is None else set[int]()
            self._remember(brand, window, Expected(is_built=False, since=since, minutes=minutes), is_new=True)

    def expect_rewritten(self, brand: str, window: Window, *, since: int) -> None:
        """Remember a window whose minutes were replaced; only where each shard has a journal does that name them."""
        if self._timing.is_shared:
            self.expect(brand, window, since=since)
        else:
            self._remember(brand, window, Expected(is_built=False))

    def note_written(self, touched: Iterable[Touched]) -> None:
        """Remember which minutes were written, for the hours that are still to be built of them."""
        fresh: set[WindowKey] = set()
        for brand, from_ms in minutes_of(touched):
            hour, day = (window_of(from_ms, grain, self._zone_of(brand)) for grain in (Grain.HOUR, Grain.DAY))
            expected = self._expected.get((brand, hour))
            if expected is not None and expected.minutes is not None:
                expected.minutes.add(from_ms)
            fresh |= {(brand, hour), (brand, day)}
        self._fresh = fresh or self._fresh

    def make(self, brand: str, window: Window) -> None:
        """Remember a window that is made of hits of long ago, for there is nothing else to build it from."""
        self._remember(brand, window, Expected(is_built=True))

    def note_late(self, brand: str, window: Window, *, rows: int, now_ms: int) -> None:
        """Remember that late hits wait beside a built window."""
        expected = self._expected.get((brand, window))
        if expected is None:
            expected = Expected(is_built=True)
        was_late = expected.late_since_ms is not None
        expected.late_since_ms = now_ms if expected.late_since_ms is None else expected.late_since_ms
        expected.late_rows = rows
        if not was_late:
            self._remember(brand, window, expected)

    def keep_open(self, brand: str, window: Window, *, until_ms: int) -> None:
        """Have a window that hits of long ago came into be finished later, so that they are not cut one by one."""
        expected = self._expected[brand, window]
        # To the full hour, so that a long import does not write this with every flush.
        until_ms = -(-until_ms // HOUR_MS) * HOUR_MS
        if expected.open_until_ms < until_ms:
            expected.open_until_ms = until_ms
            self._remember(brand, window, expected)

    def interrupt(self, brand: str, window: Window) -> None:
        """Begin a build anew whose parts have just changed."""
        build = self._build
        if build is not None and build.done and build.brand == brand and build.window == window:
            # Pieces that were written for nothing are paid for once: the next time it is written at once.
            is_wasted = build.laid is not None and build.laid.written > 0
            build.attempts = ATTEMPTS_MAX + 1 if is_wasted else build.attempts + 1
            build.done, build.merged, build.laid = 0, EMPTY, None
            build.waiting.clear()

    def begin_anew(self) -> None:
        """Begin whatever build is on its way anew, because windows were replaced."""
        self._build = None

    def step(self, *, passed_ms: int, through: int, now_ms: int, is_busy: bool = False) -> list[WindowKey] | None:
        """Do a little; return the windows that were finished and written, or None when there is nothing to do.

        While hits keep coming (`is_busy`), windows that the last flush has written into are left alone for a while.
        """
        if self._build is not None and self._has_open_parts(self._build.brand, self._build.window):
            self._build = None  # Late hits have opened one of its hours, which comes first.
        if self._build is None:
            fold = self._due_fold(now_ms, through)
            if fold is not None:
                return [self._fold(fold, through=through)]
            self._build = self._due_build(passed_ms, through, busy_at_ms=now_ms if is_busy else None)
            if self._build is None:
                return None
        build = self._build
        if not self._merge_more(build, through):
            self._build = None
            return None
        if build.done < len(build.parts):
            return []
        # The last turn is at the end of the spread, and takes a while; after that, others are waiting.
        is_behind = build.window.to_ms + self._timing.spread_ms * 3 // 2 <= passed_ms
        if build.laid is None:
            self._sum_up(build, through=through, in_pieces=not is_behind)
        return self._write_out(build, now_ms=build.next_piece_ms if is_behind else now_ms)

    def confirm(self) -> None:
        """Remember what was written whole, once a checkpoint has said that nobody else was at work meanwhile.

        Until then a window that was built is one that is still to be built: its next builder writes over it.
        """
        for (brand, window), is_build in self._unconfirmed.items():
            if is_build:
                self.built_anew(brand, window)
            else:
                self._remember_built(brand, window)
            if self._timing.is_shared:
                self._held.retire_late(brand, window)
            else:
                self._held.remove(brand, window, self._late)
        self._unconfirmed = {}

    def take_in_sealed(self, brand: str, window: Window) -> None:
        """Take a late part into its window to which nothing may be added any more."""
        throughs = self._held.throughs(brand, window)
        if throughs.is_late_sealed and not throughs.is_late_taken_in:
            self._fold((brand, window), through=0)
            self._held.retire_late(brand, window)

    def final_windows(self, *, passed_ms: int, lateness_ms: int) -> list[WindowKey]:
        """Return the expected windows that no hit can reach any more."""
        return sorted(
            key
            for key, one in self._expected.items()
            if one.is_built and key[1].to_ms <= passed_ms - lateness_ms and one.open_until_ms <= passed_ms
        )

    def built_anew(self, brand: str, window: Window) -> None:
        """Remember a window that was written whole; it will be finished, and the day around an hour built."""
        if window.grain is Grain.HOUR:
            # Before the hour, so that no moment is left at which the day could be forgotten.
            day = window_of(window.from_ms, Grain.DAY, self._zone_of(brand))
            if not self.is_built(brand, day):
                self.expect(brand, day)
        self._remember_built(brand, window)

    def settle(self, brand: str, window: Window) -> None:
        """Forget a window that is final now."""
        if self._expected.pop((brand, window), None) is not None:
            self._table.delete(Delete(keys.pending(self._shard, window.grain, window.from_ms, brand)))

    def _remember(self, brand: str, window: Window, expected: Expected, *, is_new: bool = False) -> None:
        self._expected[brand, window] = expected
        item: dict[str, Value] = {"built": expected.is_built, "late": expected.late_since_ms is not None}
        if expected.open_until_ms:
            item["open"] = expected.open_until_ms
        if expected.since is not None and not expected.is_built:
            item["since"] = expected.since
        # One that slept must not call a window unbuilt that another has built meanwhile.
        expects = (Absent(),) if is_new and self._timing.is_shared else ()
        self._table.put(Put(keys.pending(self._shard, window.grain, window.from_ms, brand), item, expects=expects))

    def _remember_built(self, brand: str, window: Window) -> None:
        before = self._expected.get((brand, window))
        open_until_ms = 0 if before is None else before.open_until_ms
        self._remember(brand, window, Expected(is_built=True, open_until_ms=open_until_ms))

    def _due_fold(self, now_ms: int, through: int) -> WindowKey | None:
        for key, one in self._expected.items():
            waited = one.late_since_ms is not None and now_ms - one.late_since_ms >= self._timing.fold_ms
            if one.is_built and (waited or one.late_rows > LATE_ROWS_MAX) and self._is_known(*key, through):
                return key
        return None

    def _due_build(self, passed_ms: int, through: int, *, busy_at_ms: int | None) -> Build | None:
        waiting = [key for key in self.unbuilt() if key[1].to_ms <= passed_ms]
        if busy_at_ms is not None:
            fresh = [key for key in waiting if key in self._fresh and self._expected[key].may_wait(busy_at_ms)]
            waiting = [key for key in waiting if key not in fresh]
        if self._timing.spread_ms and waiting:
            turns_ms = turns_of(self._expected, shard=self._shard, spread_ms=self._timing.spread_ms)
            waiting = [key for key in waiting if turns_ms[key] <= passed_ms]
        # Of many the latest first: its parts are in hand still.
        for brand, window in sorted(waiting, key=lambda key: (key[1].to_ms - key[1].from_ms, -key[1].from_ms, key)):
            if not self._has_open_parts(brand, window) and self._is_known(brand, window, through):
                return self._build_of(brand, window, through)
        return None

    def _build_of(self, brand: str, window: Window, through: int) -> Build:
        def write(sketches: GroupedUniques) -> None:
            # Without a condition: what a build has written that is not finished comes again with the next.
            kept = only_groups(sketches, kept_groups(build.merged))
            self._visitors.write(brand, window, kept, through=through)

        build = Build(brand, window, Union(write))
        return build

    def _parts_of(self, brand: str, window: Window) -> list[Window]:
        """Return the windows that one is built of; of an hour's minutes those that were written, if that is known."""
        parts = parts_of(window, self._zone_of(brand))
        expected = self._expected[brand, window]
        if window.grain is not Grain.HOUR or expected.since is None:
            return parts
        if expected.minutes is None:
            self._look_up_minutes(window, expected.since)
        return parts if expected.minutes is None else [part for part in parts if part.from_ms in expected.minutes]

    def _look_up_minutes(self, hour: Window, since: int) -> None:
        """Read from the journal which minutes of an hour were written, for all brands of which it can tell."""
        asked = [
            (brand, one)
            for (brand, window), one in self._expected.items()
            if window == hour and one.minutes is None and one.since is not None and one.since >= since
        ]
        written = minutes_written(self._table, self._shard, since=since)
        for brand, one in asked:
            if written is None:
                one.since = None  # Another look would find no more, and every minute is asked for.
            else:
                one.minutes = {at for of, at in written if of == brand and hour.from_ms <= at < hour.to_ms}

    def _has_open_parts(self, brand: str, window: Window) -> bool:
        """Tell whether a part of the window has still to be built itself."""
        return window.grain is Grain.DAY and any(
            of == brand and part.grain is Grain.HOUR and window.from_ms <= part.from_ms < window.to_ms
            for of, part in self.unbuilt()
        )

    def _is_known(self, brand: str, window: Window, through: int) -> bool:
        """Tell whether the window holds nothing that the checkpoint does not.

        A flush that was cut short leaves windows behind that are ahead of the checkpoint, each by itself. They are
        not made into others before the same records have been flushed again.
        """
        return self._held.throughs(brand, window).counted <= through

    def _merge_more(self, build: Build, through: int) -> bool:
        """Add some parts, or all of them when that was interrupted too often; return whether they could be."""
        if not build.done:
            build.parts = self._parts_of(build.brand, build.window)
        while build.done < len(build.parts):
            if not self._merge_some(build, through):
                return False
            if build.attempts <= ATTEMPTS_MAX:
                break
        return True

    def _merge_some(self, build: Build, through: int) -> bool:
        """Add some parts; return whether they could be."""
        parts: list[Window] = []
        found: list[Columns] = []
        rows = 0
        for part in build.parts[build.done : build.done + PARTS_PER_STEP]:
            if not self._is_known(build.brand, part, through):
                return False
            both = [self._held.part(build.brand, part, name).columns for name in (self._main, self._late)]
            found += [one for one in both if len(one.ident) or without_row(one)]
            parts.append(part)
            rows += sum(len(one.ident) for one in both)
            if rows >= STEP_ROWS_MAX:
                break
        build.visitors.add(self._visitors.of_windows(build.brand, parts))
        build.waiting += found  # Last: when reading fails, the same parts are read again.
        build.done += len(parts)
        if build.done >= len(build.parts) or sum(len(one.ident) for one in build.waiting) >= WAITING_ROWS_MAX:
            build.merged = bounded_sum([build.merged, *build.waiting])
            build.waiting.clear()
        return True

    def _sum_up(self, build: Build, *, through: int, in_pieces: bool) -> None:
        """Add what was late, and have the window written in pieces where much at once is refused."""
        late = self._held.late_of_unbuilt(build.brand, build.window)
        build.merged, build.through = bounded_sum([build.merged, late]), through
        if in_pieces and build.attempts <= ATTEMPTS_MAX:
            self._lay_out(build)

    def _write_out(self, build: Build, *, now_ms: int) -> list[WindowKey] | None:
        """Write the next piece of a window, or all that is left of it with its head."""
        laid = build.laid
        if laid is not None and build.next_piece_ms > now_ms:
            return None
        if laid is not None and laid.left:
            build.next_piece_ms = now_ms + build.pieces_apart_ms
            self._held.write_piece(build.window, laid)
            return []
        self._build = None
        build.visitors.close()
        self._held.save(build.brand, build.window, self._main, build.merged, through=build.through, laid=laid)
        self._unconfirmed[build.brand, build.window] = True
        return [(build.brand, build.window)]

    def _lay_out(self, build: Build) -> None:
        """Have a window written in pieces, if there is time for them before the next one's turn."""
        laid = self._held.lay(build.brand, build.window, build.merged, through=build.through)
        brands = sum(1 for _, window in self._expected if window == build.window)
        # Hours and days have their turns between each other.
        apart_ms = min(PIECES_APART_MS, self._timing.spread_ms // (2 * brands * (len(laid.blocks) + 1)))
        if not laid.blocks or apart_ms >= PIECES_APART_MS_MIN:
            build.laid, build.pieces_apart_ms = laid, apart_ms

    def _fold(self, key: WindowKey, *, through: int) -> WindowKey:
        brand, window = key
        if self._timing.is_shared:
            self._held.seal_late(brand, window)
            throughs = self._held.throughs(brand, window)
            # No more than it holds: whoever merges the same parts meanwhile covers this one.
            through = max(throughs.main or 0, throughs.late or 0)
        columns = [self._held.part(brand, window, name).columns for name in (self._main, self._late)]
        self._visitors.gather(brand, window, through=through)
        self._held.save(brand, window, self._main, bounded_sum(columns), through=through)
        self._unconfirmed[key] = False
        return key
