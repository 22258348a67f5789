"""Who is compared: what each does, what it means by durable, and which module is it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class About:
    """One side of the comparison, in words and where to find it."""

    title: str
    made_by: str  # module:class
    does: str
    durable: str  # what an acknowledgement means
    is_durable: bool  # An acknowledged hit survives a kill -9 and a loss of power.
    environment: str = "venv"  # which virtual environment below build/compare has its library; "" is ours
    shows_open_window: bool = True  # Lists have a hit before its window is over.


FOOTFALL = "footfall"
DICTIONARY = "dictionary"
PEERS = {
    FOOTFALL: About(
        "footfall",
        "bench.compare.peer_footfall:Footfall",
        "`footfall serve` as it is installed, over loopback HTTP on 32 connections: decodes, screens, keeps raw hits, counts "
        "by minute, hour and day, answers for any filter. All its processes are charged.",
        "202 is answered after the group's fsync (SQLite, WAL, synchronous=FULL)",
        is_durable=True,
        environment="",
    ),
    DICTIONARY: About(
        "Python dictionary",
        "bench.compare.peer_dictionary:Dictionary",
        "`collections.Counter` in one process: msgspec decodes, hits are added up by window. The limit, no product.",
        "not at all: memory alone",
        is_durable=False,
        environment="",
    ),
    "duckdb": About(
        "DuckDB",
        "bench.compare.peer_duckdb:DuckDb",
        "Rows appended as Arrow tables in the collecting process; one GROUP BY counts them into windows.",
        "COMMIT of a group (its log is synced)",
        is_durable=True,
    ),
}
