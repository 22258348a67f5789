"""Final windows: no hit can reach them any more, so their shards' parts become one and are cut for the reader.

The cut is never for the counter: larger windows are built from uncut ones, and those are built long before.
"""

from collections.abc import Callable, Sequence

from footfall.flow.count.building import WindowKey
from footfall.flow.count.visitors import Union
from footfall.flow.count.worker import Worker
from footfall.flow.count.writing import writing
from footfall.flow.store import keys
from footfall.flow.store.columns import Columns
from footfall.flow.store.cutting import cut
from footfall.flow.store.journal import Touched
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Summaries, Summary
from footfall.flow.store.visitors import kept_groups, load_pieces, only_groups, remove_pieces, save_visitors
from footfall.flow.stream.records import RULES
from footfall.ports.table import Key, Table
from footfall.sketches.grouped import GroupedUniques
from footfall.values.window import Grain, Window, parts_of, window_of


class Finisher:
    """Finishes the windows of all shards; the workers run in the same thread."""

    def __init__(
        self,
        workers: Sequence[Worker],
        table: Table,
        summaries: Summaries,
        *,
        keep_rows: int,
        lateness_ms: int,
        zone_of: Callable[[str], str],
    ) -> None:
        self._workers = workers
        self._table = table
        self._summaries = summaries
        self._keep_rows = keep_rows
        self._lateness_ms = lateness_ms
        self._zone_of = zone_of

    def step(self) -> bool:
        """Finish one window of those that are due; return whether there was one."""
        for worker in self._workers:
            worker.settle_doubts()
        passed_ms = min(worker.checkpoint.passed_ms for worker in self._workers)
        unbuilt = {self._day_of(key) for worker in self._workers for key in worker.rollup.unbuilt()}
        due = [
            key
            for worker in self._workers
            for key in worker.rollup.final_windows(passed_ms=passed_ms, lateness_ms=self._lateness_ms)
            # Finished windows are cut, and days are built of uncut hours only.
            if self._day_of(key) not in unbuilt
        ]
        if not due:
            return False
        self._finish(min(due, key=lambda key: (key[1].to_ms, key)))
        return True

    def _day_of(self, key: WindowKey) -> WindowKey:
        brand, window = key
        return brand, window_of(window.from_ms, Grain.DAY, self._zone_of(brand))

    def _finish(self, key: WindowKey) -> None:
        brand, window = key
        with writing(self._table, self._workers):
            is_changed = self._merge(brand, window)
            for worker in self._workers:
                worker.rollup.settle(brand, window)
            if is_changed:
                self._workers[0].commit_touched([Touched(brand, window)])

    def _merge(self, brand: str, window: Window) -> bool:
        """Merge the parts of a window, and of an hour's minutes; return whether readers find anything else now."""
        if window.grain not in self._workers[0].how.merged_grains:
            return False
        parts = parts_of(window, self._zone_of(brand)) if window.grain is Grain.HOUR else []
        is_changed = False
        for one in (*parts, window):
            is_changed = self._merge_parts(brand, one) or is_changed
            for worker in self._workers:
                worker.held.forget(brand, one)
        return is_changed

    def _unite_visitors(self, brand: str, window: Window, columns: Columns, *, through: int) -> None:
        """Have one part hold the window's visitors, without those of assets that are cut out.

        What is left out had few hits, and no more visitors than hits. What was read is removed when all of it is
        written elsewhere; what comes meanwhile stays.
        """
        pieces = load_pieces(self._table, brand, window)
        if not pieces:
            return
        kept = kept_groups(columns)
        written: set[Key] = set()

        def write(sketches: GroupedUniques) -> None:
            expires_at_ms = self._workers[0].expires_at_ms(window)
            made = save_visitors(
                self._table, brand, window, sketches, part=keys.ALL, through=through, expires_at_ms=expires_at_ms
            )
            written.update(piece.key for piece in made)

        union = Union(write)
        union.add(only_groups(piece.sketches, kept) for piece in pieces)
        union.close()
        remove_pieces(self._table, [piece for piece in pieces if piece.key not in written])
        for worker in self._workers:
            worker.visitors.forget(brand, window)

    def _is_full(self, parts: Sequence[Summary]) -> bool:
        """Tell whether every shard has a part of its own, so that no reader looks for it in finer windows."""
        shards = {keys.shard_of_part(part.part) for part in parts if not keys.is_late_part(part.part)}
        return shards == {keys.shard_name(worker.shard) for worker in self._workers}

    def _merge_parts(self, brand: str, window: Window) -> bool:
        is_shared = self._workers[0].is_shared
        parts = self._summaries.sealed(brand, window) if is_shared else self._summaries.live(brand, window)
        throughs = _throughs(parts)
        before = next((part for part in parts if part.part == keys.ALL), None)
        if len(parts) > (before is not None):
            whole = merge([part.columns for part in parts])
            columns = cut(whole, self._keep_rows)
            if (
                self._workers[0].how.merges_only_cuts
                and len(columns.ident) == len(whole.ident)
                and self._is_full(parts)
            ):
                return False
            self._unite_visitors(brand, window, columns, through=max(throughs.values()))
            merged = Summary(window, keys.ALL, max(throughs.values()), throughs, columns, final=True, rules=RULES)
            replaces = None if before is None else before.through
            self._summaries.save(brand, merged, replaces=replaces, expires_at_ms=self._workers[0].expires_at_ms(window))
        # Whatever part is there besides is in the merged one now, or was when this was cut short; unless somebody else
        # has just written it.
        for head in self._summaries.heads(brand, window):
            if is_shared and keys.is_late_part(head.part):
                continue  # It stays, so that one that slept finds it changed.
            if head.part != keys.ALL and head.through <= throughs.get(keys.shard_of_part(head.part), -1):
                self._summaries.remove(brand, window, head.part, replaces=head.through)
        return True


def _throughs(parts: Sequence[Summary]) -> dict[str, int]:
    """Return how much of each shard the parts hold together."""
    throughs: dict[str, int] = {}
    for part in parts:
        held = part.throughs if part.part == keys.ALL else {keys.shard_of_part(part.part): part.through}
        for shard, through in held.items():
            throughs[shard] = max(throughs.get(shard, 0), through)
    return throughs
