"""How `store_layout = rows` is put together on either ground: the table of rows, and who writes it."""

from pathlib import Path

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.settings import HOUR_MS, Settings
from footfall.app.wiring import OpenTable
from footfall.flow.count.row_layout import RowLayout, RowRules
from footfall.flow.store.rows import PARTITION_NAME, SORT_NAME
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.period import expires_at_ms
from footfall.values.window import MINUTE_MS, Window

ROWS_FILE = "rows.db"
LEASE_MS = 15 * MINUTE_MS  # The longest that a function of AWS may run: then whoever had the lease is gone.
EXPIRED_AT_ONCE = 500


class KeptRows:
    """The rows of an instance, and the table that they lie in."""

    def __init__(self, table: OpenTable, layout: RowLayout) -> None:
        self.table = table
        self._layout = layout

    def step(self) -> bool:
        """Write one window that is due; return whether there may be more, and let expired rows go when there is not."""
        if self._layout.step():
            return True
        self.table.expire(EXPIRED_AT_ONCE)
        return False


def open_rows(settings: Settings, store: Table, clock: Clock) -> KeptRows | None:
    """Open the table of rows and its writer; None when the settings ask for none."""
    if settings.store_layout != "rows" or (settings.ground == "aws" and not settings.aws_rows_table):
        return None
    table = open_row_table(settings, clock)
    return KeptRows(table, RowLayout(store, table, clock=clock, rules=_rules(settings, clock)))


def open_row_table(settings: Settings, clock: Clock) -> OpenTable:
    """Open the table of rows, under the names that the page-hit-counter thesis has for its keys."""
    if settings.ground == "aws":
        from footfall.app import aws_wiring

        return aws_wiring.open_table(settings, "aws_rows_table", clock, key_names=(PARTITION_NAME, SORT_NAME))
    return SqliteTable(Path(settings.data_dir) / ROWS_FILE, clock=clock)


def _rules(settings: Settings, clock: Clock) -> RowRules:
    retention_ms, periods = wiring.retention_ms(settings), tuple(settings.periods.values())
    lateness_ms = settings.count_lateness_hours * HOUR_MS

    def expiry(window: Window) -> int:
        return expires_at_ms(window, retention_ms=retention_ms, periods=periods, lateness_ms=lateness_ms)

    return RowRules(
        shards=settings.stream_shards,
        keep_rows=settings.store_keep_rows,
        zone_of=wiring.zone_of(settings, clock),
        expires_at_ms=expiry,
        lateness_ms=lateness_ms,
        future_ms=settings.count_future_ms,
        lease_ms=LEASE_MS if settings.ground == "aws" else 0,
    )
