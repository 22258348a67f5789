"""How many pages SQLite has looked at: what a statement costs, whatever the machine does besides."""

import apsw


def pages_read(connection: apsw.Connection) -> int:
    """Return how many this connection has looked at so far, in its cache or in the file."""
    kinds = (apsw.SQLITE_DBSTATUS_CACHE_HIT, apsw.SQLITE_DBSTATUS_CACHE_MISS)
    return sum(connection.status(kind)[0] for kind in kinds)
