"""The writing of closed windows as rows (`store_layout = rows`), beside the summaries and after them.

What is to be written follows from the store: windows that have closed since the last round, and, now and then, windows
written before that the journal says have changed: late hits, a re-count, a backfill. How far it has come is one item
of the store, written when a round is done; so a round that was cut short is done again, to the same rows.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from footfall.flow.count.building import WindowKey
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, load_checkpoint
from footfall.flow.store.columns import EMPTY, Columns
from footfall.flow.store.journal import read_journal
from footfall.flow.store.merging import merge
from footfall.flow.store.rows import rows_from_columns, write_rows
from footfall.flow.store.summaries import Summaries
from footfall.ports.errors import Corrupt
from footfall.ports.table import Absent, Equals, Item, Put, Table
from footfall.values.clock import Clock
from footfall.values.groups import is_beside
from footfall.values.window import DAY_MS, Grain, Window, parts_of, window_of, windows_between

GRAINS = (Grain.FIVE, Grain.HOUR, Grain.DAY)  # the thesis' windows
LATE_EVERY_MS = 600_000  # A late hit changes the rows of an hour and of a day; many are waited for.

_FINER = {Grain.DAY: Grain.HOUR, Grain.HOUR: Grain.MINUTE, Grain.FIVE: Grain.MINUTE}


@dataclass(frozen=True, slots=True)
class RowRules:
    """Which rows are written, and what of counting has to be known for it."""

    shards: int
    keep_rows: int  # of a window, with all that ties with the last of them; 0: all
    zone_of: Callable[[str], str]
    expires_at_ms: Callable[[Window], int]
    lateness_ms: int = DAY_MS
    future_ms: int = 300_000
    lease_ms: int = 0  # for how long a round keeps others away, where several may begin at the same moment


@dataclass(frozen=True, slots=True)
class _State:
    """How far the rows have come."""

    number: int | None = None  # counts the writes of this item; None: there is none
    closed_ms: int = 0  # every window that closed before is written
    numbers: Mapping[str, int] | None = None  # of each shard's journal that was looked at
    looked_at_ms: int = 0
    leased_until_ms: int = 0


class RowLayout:
    """Keeps the rows of all brands what the summaries are."""

    def __init__(self, store: Table, rows: Table, *, clock: Clock, rules: RowRules) -> None:
        self._store = store
        self._rows = rows
        self._clock = clock
        self._rules = rules
        self._summaries = Summaries(store, clock)
        self._shards = frozenset(keys.shard_name(shard) for shard in range(rules.shards))
        self._round: Iterator[None] | None = None

    def step(self) -> bool:
        """Write one window; return whether there may be more to do at once."""
        if self._round is None:
            self._round = self._windows_due()
        try:
            next(self._round)
        except StopIteration:
            self._round = None
            return False
        except BaseException:
            self._round = None  # The next round begins from what the store says.
            raise
        return True

    def _windows_due(self) -> Iterator[None]:
        now_ms = self._clock.now_ms()
        found = {shard: load_checkpoint(self._store, shard) for shard in range(self._rules.shards)}
        checkpoints = {shard: one for shard, one in found.items() if one is not None}
        if len(checkpoints) < len(found):
            return  # A shard that has never counted has closed nothing.
        state = self._load()
        if now_ms < state.leased_until_ms:
            return
        closed_ms = min(one.passed_ms for one in checkpoints.values())
        if state.number is None:
            state = replace(state, closed_ms=closed_ms - self._rules.lateness_ms, numbers=_numbers(checkpoints))
        due = self._closed(checkpoints, state.closed_ms, closed_ms)
        after = replace(state, closed_ms=max(state.closed_ms, closed_ms))
        if not 0 <= now_ms - state.looked_at_ms < LATE_EVERY_MS:
            due |= self._changed(checkpoints, state)
            after = replace(after, numbers=_numbers(checkpoints), looked_at_ms=now_ms)
        if not due and after.looked_at_ms == state.looked_at_ms:
            return
        if self._rules.lease_ms:
            state = self._save(replace(state, leased_until_ms=now_ms + self._rules.lease_ms))
        for brand, window in sorted(due):
            self._write(brand, window)
            yield
        self._save(replace(after, number=state.number, leased_until_ms=0))

    def _closed(self, checkpoints: Mapping[int, Checkpoint], from_ms: int, to_ms: int) -> set[WindowKey]:
        """Return the windows that closed in a span and may have hits."""
        last_hit_ms: dict[str, int] = {}
        for checkpoint in checkpoints.values():
            for brand, lines in checkpoint.lines.items():
                if is_beside(brand):
                    continue  # Rows are of hits.
                last_hit_ms[brand] = max(last_hit_ms.get(brand, 0), lines.last_hit_ms)
        return {
            (brand, window)
            for brand, hit_ms in last_hit_ms.items()
            for window in self._ended(brand, from_ms, to_ms)
            if window.from_ms <= hit_ms + self._rules.future_ms
        }

    def _ended(self, brand: str, from_ms: int, to_ms: int) -> Iterator[Window]:
        zone = self._rules.zone_of(brand)
        for grain in GRAINS:
            for window in windows_between(grain, from_ms=max(from_ms, 0), to_ms=to_ms, zone=zone):
                if from_ms < window.to_ms <= to_ms:
                    yield window

    def _changed(self, checkpoints: Mapping[int, Checkpoint], state: _State) -> set[WindowKey]:
        """Return the windows that were written before and have changed since."""
        changed: set[WindowKey] = set()
        for shard, checkpoint in checkpoints.items():
            before = (state.numbers or {}).get(keys.shard_name(shard), 0)
            news = read_journal(self._store, shard, after=before, now_number=checkpoint.number)
            if not news.is_whole:
                # Nobody looked for an hour. What was hit meanwhile is not older than hits may be; a backfill that was
                # missed is written when its range is counted again.
                from_ms = state.looked_at_ms - self._rules.lateness_ms
                changed |= self._closed(checkpoints, from_ms, state.closed_ms)
            for touched in news.touched:
                if not is_beside(touched.brand):
                    changed.update((touched.brand, window) for window in self._around(touched.brand, touched.window))
        return {(brand, window) for brand, window in changed if window.to_ms <= state.closed_ms}

    def _around(self, brand: str, window: Window) -> list[Window]:
        """Return the windows of rows that hold a window, or are it."""
        coarser = GRAINS if window.grain is Grain.MINUTE else GRAINS[GRAINS.index(window.grain) :]
        return [window_of(window.from_ms, grain, self._rules.zone_of(brand)) for grain in coarser]

    def _write(self, brand: str, window: Window) -> None:
        expires_at_ms = self._rules.expires_at_ms(window)
        if expires_at_ms <= self._clock.now_ms():
            return
        whole = merge(self._columns(brand, window, frozenset()) or [EMPTY])
        rows = rows_from_columns(whole, self._rules.keep_rows)
        write_rows(self._rows, brand, window, rows, expires_at_ms=expires_at_ms)

    def _columns(self, brand: str, window: Window, covered: frozenset[str]) -> list[Columns]:
        """Return what stands for a window: of each shard its own part, or those of the finer windows."""
        parts = [] if window.grain is Grain.FIVE else self._summaries.live(brand, window)
        names = {part.part for part in parts}
        finer = self._finer(brand, window)
        found: list[Columns] = []
        for part in parts:
            shard = keys.shard_of_part(part.part)
            # Late hits of an hour that a shard has not built lie in its minutes as well.
            is_whole = not finer or keys.ALL in names or shard in names
            if part.part == keys.ALL or (shard not in covered and is_whole):
                found.append(part.columns)
        covered |= names & self._shards
        if keys.ALL not in names and not covered >= self._shards:
            for one in finer:
                found += self._columns(brand, one, covered)
        return found

    def _finer(self, brand: str, window: Window) -> list[Window]:
        """Return the windows that a window is built from, while they are kept."""
        grain = _FINER.get(window.grain)
        if grain is None:
            return []
        kept_ms = self._rules.expires_at_ms(Window(grain, 0, 0))
        is_kept = self._clock.now_ms() - window.to_ms <= kept_ms
        return parts_of(window, self._rules.zone_of(brand)) if is_kept else []

    def _load(self) -> _State:
        item = self._store.get(keys.rows_state())
        return _State() if item is None else _state_from_item(item)

    def _save(self, state: _State) -> _State:
        """Write how far it has come, on the condition that nobody else has."""
        after = replace(state, number=(state.number or 0) + 1)
        condition = Absent() if state.number is None else Equals("number", state.number)
        self._store.put(Put(keys.rows_state(), _item_from(after), expects=(condition,)))
        return after


def _numbers(checkpoints: Mapping[int, Checkpoint]) -> dict[str, int]:
    return {keys.shard_name(shard): one.number for shard, one in checkpoints.items()}


def _item_from(state: _State) -> Item:
    return {
        "number": state.number,
        "closed_ms": state.closed_ms,
        "numbers": dict(state.numbers or {}),
        "looked_at_ms": state.looked_at_ms,
        "leased_until_ms": state.leased_until_ms,
    }


def _state_from_item(item: Item) -> _State:
    match item:
        case {
            "number": int(number),
            "closed_ms": int(closed_ms),
            "numbers": Mapping() as numbers,
            "looked_at_ms": int(looked_at_ms),
            "leased_until_ms": int(leased_until_ms),
        }:
            counted = {shard: one for shard, one in numbers.items() if isinstance(one, int)}
            return _State(number, closed_ms, counted, looked_at_ms, leased_until_ms)
        case _:
            raise Corrupt(
                f"the state of the rows is {dict(item)!r}; delete it, and rows of the last day are written anew"
            )
