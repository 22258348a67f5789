"""The watch log as money is divided by it: whether it is all there, what it comes to, and the rows behind a cent."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from footfall.audience.earnings import Fold, Terms, Watched, folded
from footfall.audience.statement_errors import LogTooLong, NotOver
from footfall.flow.collect.pings import INTERVAL_S_MAX
from footfall.flow.count.open_credit import open_credit
from footfall.flow.count.sessions import SWEEP_MS
from footfall.flow.store.checkpoints import load_checkpoints
from footfall.flow.store.watch_log import rows_of_day
from footfall.flow.store.watched_by import Erased, without_erased
from footfall.flow.stream.beats import SILENT_MS
from footfall.ports.table import Table
from footfall.values.window import Grain, instant_text, walk

SETTLED_MS = 15 * 60_000  # A session that nobody hears of is over after ten minutes, and its row is written then.
CREDIT_MS_MAX = INTERVAL_S_MAX * 1_500  # A beat is credited for so much before its moment, at most.


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class WatchLog:
    """A brand's rows of the watch log, where members who were erased are not named; read as long as there is time."""

    table: Table
    brand: str
    zone: str
    shards: int
    erased: Erased
    has_time: Callable[[], bool] = _always

    def folded(self, terms: Terms) -> Fold:
        """Return what a period's rows come to."""
        return folded(terms, (row for day_ms in self._days(terms) for row in self._rows(day_ms)))

    def rows_of_asset(self, terms: Terms, asset: str) -> Iterator[Watched]:
        """Yield a period's rows of one asset in the order of time, as far as days and beginnings tell it."""
        for day_ms in self._days(terms):
            yield from sorted(self._rows(day_ms, asset), key=lambda row: (row.from_ms, row.session, row.number))

    def require_whole(self, terms: Terms, *, lateness_ms: int) -> None:
        """Raise NotOver while there may be credit of the period that is in no row yet, and say until when to wait.

        Counting writes rows before the sessions that they came from, and those before how far it has come. So whoever
        looks in the opposite order, at the rows last, misses none.
        """
        self._require_counted(terms, lateness_ms=lateness_ms)
        self._require_over(terms)

    def _require_counted(self, terms: Terms, *, lateness_ms: int) -> None:
        until_ms, checkpoints = terms.to_ms + lateness_ms + CREDIT_MS_MAX, load_checkpoints(self.table)
        for shard in range(self.shards):
            passed_ms = checkpoints[shard].passed_ms if shard in checkpoints else 0
            if passed_ms < until_ms:
                far = f"what arrived until {instant_text(passed_ms)}" if passed_ms else "nothing yet"
                raise NotOver(
                    f"counting has read {far} of shard {shard}, and beats of {terms.name!r} may have arrived until "
                    f"{instant_text(until_ms)}; wait until it has read them, then close it"
                )

    def _require_over(self, terms: Terms) -> None:
        span = {"from_ms": terms.from_ms, "to_ms": terms.to_ms}
        found = [open_credit(self.table, shard, self.brand, **span) for shard in range(self.shards)]
        sessions = sum(one.sessions for one in found)
        if sessions:
            until_ms = max(one.heard_at_ms for one in found) + SILENT_MS + SWEEP_MS
            raise NotOver(
                f"{sessions:,} playback sessions that are open have watched something of {terms.name!r} that is in no "
                f"row of the log yet; wait until {instant_text(until_ms)}, then close it"
            )

    def _days(self, terms: Terms) -> Iterator[int]:
        for day in walk(Grain.DAY, from_ms=terms.from_ms, to_ms=terms.to_ms, zone=self.zone):
            yield day.from_ms

    def _rows(self, day_ms: int, asset: str = "") -> Iterator[Watched]:
        for one in rows_of_day(self.table, self.brand, day_ms, shards=self.shards, asset=asset):
            if not self.has_time():
                raise LogTooLong(
                    f"the watch log of {self.brand} has more rows of these days than a request can read here, and "
                    "nothing was written; `footfall earnings` does the same by command and takes the time it needs"
                )
            row = without_erased(one, self.erased)
            yield Watched(
                row.session, row.member, row.asset, row.from_ms, row.to_ms, row.ms, day_ms=day_ms, number=row.number
            )


def require_past(terms: Terms, *, now_ms: int, lateness_ms: int) -> None:
    """Raise NotOver while anything may still be sent that belongs to the period."""
    at_ms = terms.to_ms + lateness_ms + SETTLED_MS
    if now_ms < at_ms:
        raise NotOver(f"beats of {terms.name!r} are taken until they are late; close it after {instant_text(at_ms)}")
