"""Putting the past right under changed verdicts, on AWS: by the function that keeps house, as long as it has time."""

from collections.abc import Callable

from footfall.app import wiring
from footfall.app.event_counting import ShardWorkers
from footfall.app.settings import Settings
from footfall.app.verdict_wiring import verdict_store
from footfall.flow.count.recount import Recount
from footfall.flow.count.verdict_recounts import VerdictRecounts
from footfall.flow.store.summaries import Summaries
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.raw import ArchiveRaw
from footfall.ports.table import Table
from footfall.values.clock import Clock

PIECE_HOURS = 6  # A function ends in the middle of what it does; it should have come somewhere.


class PastVerdicts:
    """What is left to be counted again, and the workers of all shards to do it with."""

    def __init__(
        self,
        settings: Settings,
        workers: ShardWorkers,
        table: Table,
        archive: Archive,
        *,
        clock: Clock,
        zone_of: Callable[[str], str],
    ) -> None:
        self._settings = settings
        self._workers = workers
        self._table = table
        self._archive = archive
        self._clock = clock
        self._zone_of = zone_of
        self._changes = verdict_store(settings, clock)
        self._labels = wiring.present_labels(settings, clock)

    def run(self, until: Callable[[], bool]) -> int:
        """Count again what is due while there is time; return how many steps were done."""
        # A piece that is cut off is begun anew the next time.
        if not self._workers.verdicts.refresh() and not self._workers.verdicts.versions():
            return 0  # Nobody has any verdict: no shard is looked at for them.
        past, steps = self._recounts(), 0
        while not until() and past.step():
            steps += 1
        return steps

    def _recounts(self) -> VerdictRecounts:
        raw = ArchiveRaw(self._archive)
        how = self._workers.how
        made: list[Recount] = []

        def recount() -> Recount:
            if not made:
                workers = [self._workers.worker(shard) for shard in range(self._settings.stream_shards)]
                made.append(
                    Recount(
                        workers,
                        raw,
                        self._table,
                        Summaries(self._table, self._clock),
                        rules=how.rules,
                        limits=how.limits,
                        keep_rows=self._settings.store_keep_rows,
                        zone_of=self._zone_of,
                        clock=self._clock,
                    )
                )
            return made[0]

        return VerdictRecounts(
            self._table,
            self._workers.verdicts,
            self._changes,
            raw,
            recounted=lambda asked: recount().run(asked, self._labels()),
            zone_of=self._zone_of,
            clock=self._clock,
            ahead_ms=how.rules.future_ms,
            piece_hours=PIECE_HOURS,
        )
