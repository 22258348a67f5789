"""One moment of a database file, held still and copied while its writer goes on."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from footfall.adapters.embedded.database import open_database, rows, translated
from footfall.ports.errors import Corrupt

PAGES_AT_ONCE = 512  # 4 MB: some milliseconds of a disk, between which others get their turn.


def sqlite_version() -> str:
    """Return the version of the SQLite that reads and writes the files."""
    return apsw.sqlite_lib_version()


def require_sound(path: Path) -> None:
    """Raise Corrupt unless the file is a database whose pages fit together."""
    with closing(open_database(path, durable=False, read_only=True)) as db, translated(db):
        found = rows(db, "PRAGMA quick_check(1)")
    if found != [("ok",)]:
        raise Corrupt(f"{path.name} is damaged ({str(found[0][0])[:200]}): take another backup")


class Snapshot:
    """A database as it was when this was made; whoever writes it is neither waited for nor kept waiting.

    Its log cannot be cleared past this moment until the snapshot is closed, so it should not be kept for long.
    """

    def __init__(self, path: Path) -> None:
        self._db = open_database(path, durable=False, read_only=True)
        try:
            with translated(self._db):
                rows(self._db, "BEGIN")
                # A transaction sees the moment of its first read, not that of its beginning.
                self._pages = int(rows(self._db, "PRAGMA page_count")[0][0])
                self._page_bytes = int(rows(self._db, "PRAGMA page_size")[0][0])
                self.format = int(rows(self._db, "PRAGMA user_version")[0][0])
        except BaseException:
            self._db.close()
            raise

    @property
    def size_bytes(self) -> int:
        """Return what a copy takes."""
        return self._pages * self._page_bytes

    def copy_to(self, path: Path, *, between: Callable[[], None]) -> None:
        """Write the moment into a new file, in steps, calling `between` after each."""
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        target = apsw.Connection(os.fspath(path))
        try:
            with translated(target):
                # A copy that is not finished is thrown away, so nothing has to be undone or synced on the way.
                rows(target, "PRAGMA journal_mode = off")
                rows(target, "PRAGMA synchronous = off")
                with target.backup("main", self._db, "main") as copying:
                    while not copying.done:
                        copying.step(PAGES_AT_ONCE)
                        between()
        finally:
            target.close()

    def close(self) -> None:
        """Let the moment go."""
        self._db.close()
