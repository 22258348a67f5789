"""Whether a database file is whole, looked at without changing it."""

from contextlib import closing
from pathlib import Path

from footfall.adapters.embedded.database import open_database, rows, translated
from footfall.ports.errors import Corrupt

WHOLE_BYTES_MAX = 500_000_000  # Some seconds of a disk; a larger file is opened and not read from end to end.


def require_whole(path: Path) -> bool:
    """Raise a PortError when the file is damaged; tell whether all of it was read, which takes too long for a big one.

    What is found are pages that are not where or what they should be; a changed letter inside a text is not found.
    """
    with closing(open_database(path, durable=False, read_only=True)) as database, translated(database):
        rows(database, "SELECT count(*) FROM sqlite_schema")
        if path.stat().st_size > WHOLE_BYTES_MAX:
            return False
        said = str(rows(database, "PRAGMA quick_check(1)")[0][0])
    if said != "ok":
        raise Corrupt(f"the database {path} is damaged ({said}): restore it from a backup")
    return True
