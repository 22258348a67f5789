"""How windows that were counted again are swapped in: alone, or beside others who write the same shards.

Where others write too, a window is never put back before what it holds, and each step leaves readers with all of the
old window or all of the new one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from footfall.flow.count.worker import Worker
from footfall.flow.store import keys
from footfall.flow.store.columns import Columns, is_same, total_hits
from footfall.flow.store.cutting import cut
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Head, Summaries, Summary
from footfall.flow.store.visitors import load_visitors, only_groups, piece_keys, remove_keys
from footfall.flow.stream.records import RULES
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.table import Table
from footfall.sketches.grouped import GroupedUniques, merge_grouped, no_groups
from footfall.values.clock import Clock
from footfall.values.window import HOUR_MS, Grain, Window

UNCUT_MS = 6 * HOUR_MS  # How long windows that were final stay whole, so that days can be made of them.


@dataclass(frozen=True, slots=True)
class Content:
    """What a shard has counted of a window: its hits, and the visitors of its assets, its sections and the brand."""

    columns: Columns
    visitors: GroupedUniques = field(default_factory=no_groups)


class Swapping:
    """Writes windows of all shards, and remembers which, and which of them differ from what was there."""

    def __init__(
        self, workers: Sequence[Worker], table: Table, summaries: Summaries, *, keep_rows: int, clock: Clock
    ) -> None:
        self._workers = workers
        self._table = table
        self._summaries = summaries
        self._keep_rows = keep_rows
        self._clock = clock
        self._is_shared = any(worker.is_shared for worker in workers)
        self._is_sparing = False
        self._mains = {keys.shard_name(worker.shard) for worker in workers}
        self.written: set[Window] = set()
        self.differing: set[Window] = set()

    def begin(self, *, is_sparing: bool) -> None:
        """Forget what was written before; from now on leave windows alone that are as they were, or write them too."""
        # Where others write as well, they must find out that a window was counted again.
        self._is_sparing = is_sparing and not self._is_shared
        self.written, self.differing = set(), set()

    def write(self, brand: str, window: Window, contents: Sequence[Content]) -> bool:
        """Store each shard's part of a window in the place of all that was there; return whether readers must know."""
        heads = self._summaries.heads(brand, window)
        sums = [one.columns for one in contents]
        if not heads and not any(total_hits(columns) for columns in sums):
            return False
        self.written.add(window)
        if self._differs(brand, window, sums):
            self.differing.add(window)
        elif self._is_sparing and {head.part for head in heads} <= self._mains:
            return self._write_visitors(
                brand, window, contents
            )  # Nothing late, nothing cut: the hits stay as they lie.
        if self._is_shared:
            self._cover(brand, window, heads)
            self._require_caught_up(brand, window)
        for worker, columns in zip(self._workers, sums, strict=True):
            if self._is_shared:
                self._write_shared(worker, brand, window, columns)
                continue
            if worker.held.throughs(brand, window).main is not None or total_hits(columns):
                self._write_main(worker, brand, window, columns)
            worker.held.remove(brand, window, keys.late_part(worker.shard))
        self._write_visitors(brand, window, contents)
        self._clear_merged(brand, window)
        return True

    def _write_visitors(self, brand: str, window: Window, contents: Sequence[Content]) -> bool:
        """Store each shard's visitors of a window in the place of those that were there, unless they are the same."""
        merged = [key for key in piece_keys(self._table, brand, window) if keys.part_from_visitors(key) == keys.ALL]
        after = merge_grouped([one.visitors for one in contents])
        if self._are_others(brand, window, after, is_cut=bool(merged)):
            self.differing.add(window)
        elif not merged:
            return False
        for worker, content in zip(self._workers, contents, strict=True):
            worker.visitors.replace(brand, window, content.visitors, through=worker.checkpoint.through)
        remove_keys(self._table, merged)
        return True

    def _are_others(self, brand: str, window: Window, after: GroupedUniques, *, is_cut: bool) -> bool:
        """Tell whether a window's visitors are others now; one that was cut has those of its assets that were kept."""
        try:
            before = load_visitors(self._table, brand, window)
        except Corrupt:
            return True
        return before != (only_groups(after, before.groups) if is_cut else after)

    def _write_main(self, worker: Worker, brand: str, window: Window, columns: Columns) -> None:
        name = keys.shard_name(worker.shard)
        worker.held.save(brand, window, name, columns, through=worker.checkpoint.through)
        if window.grain is not Grain.MINUTE:
            worker.rollup.built_anew(brand, window)

    def _write_shared(self, worker: Worker, brand: str, window: Window, columns: Columns) -> None:
        """Store a shard's part where others may write beside it: what is late is sealed before, and stays."""
        throughs = worker.held.throughs(brand, window)
        worker.held.seal_late(brand, window)
        if throughs.main is not None or not throughs.is_late_taken_in or total_hits(columns):
            self._write_main(worker, brand, window, columns)
            if window.grain is not Grain.MINUTE:
                worker.rollup.keep_open(brand, window, until_ms=self._clock.now_ms() + UNCUT_MS)
        worker.held.retire_late(brand, window)

    def _require_caught_up(self, brand: str, window: Window) -> None:
        """Raise Changed when the window holds records that were not counted here: they must not be lost."""
        for worker in self._workers:
            if worker.held.throughs(brand, window).counted > worker.checkpoint.through:
                raise Changed(f"{window} of {brand} has hits beyond the checkpoint of shard {worker.shard}")

    def _cover(self, brand: str, window: Window, heads: Sequence[Head]) -> None:
        """Have the merged part of a window cover the shards' parts until all of them are written: it goes at last."""
        merged = next((head for head in heads if head.part == keys.ALL), None)
        if merged is None:
            return
        throughs = {keys.shard_name(worker.shard): worker.checkpoint.through for worker in self._workers}
        try:
            live = self._summaries.sealed(brand, window)
        except Corrupt:
            return  # There is nothing to cover them with, and nobody can read it anyway.
        if any(part.through > throughs.get(keys.shard_of_part(part.part), part.through) for part in live):
            raise Changed(f"{window} of {brand} has hits beyond the checkpoints")
        columns = cut(merge([part.columns for part in live]), self._keep_rows)
        through = max(merged.through, *throughs.values())
        cover = Summary(window, keys.ALL, through, throughs, columns, final=True, rules=RULES)
        expires_at_ms = self._workers[0].expires_at_ms(window)
        self._summaries.save(brand, cover, replaces=merged.through, expires_at_ms=expires_at_ms)
        for worker in self._workers:
            worker.held.forget(brand, window)

    def _differs(self, brand: str, window: Window, sums: Sequence[Columns]) -> bool:
        """Tell whether the window says something else now; a final one is compared as it will be cut."""
        try:
            live = self._summaries.live(brand, window)
        except Corrupt:
            return True
        after = merge(sums)
        if any(part.part == keys.ALL for part in live):
            after = cut(after, self._keep_rows)
        return not is_same(merge([part.columns for part in live]), after)

    def _clear_merged(self, brand: str, window: Window) -> None:
        """Remove what was merged and cut; the shards' parts hold all of it again."""
        head = self._summaries.head(brand, window, keys.ALL)
        if head is not None:
            self._summaries.remove(brand, window, keys.ALL, replaces=head.through)
            for worker in self._workers:
                worker.held.forget(brand, window)
