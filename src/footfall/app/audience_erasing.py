"""The chore that takes the names of erased members out of the watch log: counting's, or that of maintenance on AWS."""

from contextlib import closing

from footfall.app import wiring
from footfall.app.settings import MINUTE_MS, Settings
from footfall.ports.table import Table
from footfall.values.clock import Clock

EVERY_MS = 10 * MINUTE_MS  # Readers see no erased name from the first moment on; rows lose theirs soon enough.
ERASED_AT_ONCE = 500  # rows of one step, for which hits wait


class ErasingWatched:
    """Takes the names of erased members out of the watch log, a little at a time."""

    def __init__(self, settings: Settings, store: Table, clock: Clock) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._looked_at_ms = 0

    def step(self) -> bool:
        """Do some of it when it is due; return whether there may be more to do at once."""
        now_ms = self._clock.now_ms()
        if 0 <= now_ms - self._looked_at_ms < EVERY_MS or not self._has_audience():
            return False
        self._looked_at_ms = now_ms
        if self._erase_some() < ERASED_AT_ONCE:
            return False
        self._looked_at_ms = 0
        return True

    def _has_audience(self) -> bool:
        settings = self._settings
        is_there = settings.ground != "aws" or bool(settings.aws_audience_table)
        return is_there and wiring.has_table(settings, wiring.AUDIENCE_FILE)

    def _erase_some(self) -> int:
        # Whoever counts hits only need not wait for any of this at its start.
        from footfall.app.audience_opening import open_audience_table
        from footfall.audience.erased import marks
        from footfall.flow.store.watched_by import erase_rows_of

        with closing(open_audience_table(self._settings, self._clock, read_only=True)) as table:
            erased = list(marks(table))
        done = 0
        with self._store.together():
            for one in erased:
                if done < ERASED_AT_ONCE:
                    limit = ERASED_AT_ONCE - done
                    done += erase_rows_of(self._store, one.brand, one.member, before_ms=one.before_ms, limit=limit)
        return done
