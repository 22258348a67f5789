"""A table whose deleted items leave no trace: for what must be forgotten on time."""

from pathlib import Path

from footfall.adapters.embedded.database import open_database, rows, translated
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.values.clock import Clock


class SecretTable(SqliteTable):
    """A SqliteTable that overwrites what it deletes, in the file and in its log."""

    def __init__(self, path: Path | str, *, clock: Clock) -> None:
        self._db = open_database(path, durable=True)
        with translated(self._db):
            rows(self._db, "PRAGMA secure_delete = on")
        super().__init__(self._db, clock=clock)

    def forget_expired(self) -> int:
        """Remove expired items for good and return how many there were."""
        removed = self.expire(1_000)
        if removed:
            with translated(self._db):
                rows(self._db, "PRAGMA wal_checkpoint(TRUNCATE)")
        return removed
