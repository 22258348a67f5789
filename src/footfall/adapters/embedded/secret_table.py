"""A table whose deleted items leave no trace: for what must be forgotten on time."""

from pathlib import Path

from footfall.adapters.embedded.database import open_database, rows, translated
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.table import Delete
from footfall.values.clock import Clock


class SecretTable(SqliteTable):
    """A SqliteTable that overwrites what it deletes, in the file and in its log."""

    def __init__(self, path: Path | str, *, clock: Clock) -> None:
        self._db = open_database(path, durable=True)
        with translated(self._db):
            rows(self._db, "PRAGMA secure_delete = on")
        self._may_have_traces = True  # An earlier process may have ended between deleting and emptying the log.
        super().__init__(self._db, clock=clock)

    def delete(self, delete: Delete) -> None:
        """Remove one item; its traces go with the next round of forgetting."""
        super().delete(delete)
        self._may_have_traces = True

    def forget_expired(self) -> int:
        """Remove expired items for good and return how many there were."""
        removed = self.expire(1_000)
        self._may_have_traces = self._may_have_traces or removed > 0
        if self._may_have_traces:
            with translated(self._db):
                is_busy = rows(self._db, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
            self._may_have_traces = bool(is_busy)  # A reader keeps the log; the next round tries again.
        return removed
