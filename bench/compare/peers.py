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
    asked: str = "within its process"  # how lists are asked for
    is_keyed: bool = False  # Every body bears an Idempotency-Key: one that is sent again is told by it.
    environment: str = "venv"  # which virtual environment below build/compare has its library; "" is ours
    keeps_all_rows: bool = True  # Its lists can be held against hits that were sent: nothing is cut away.
    keeps_hits: bool = True  # It can be counted again, by another rule or after a fault.
    shows_open_window: bool = True  # Lists have a hit before its window is over.


CONSTRAINTS = {"venv": "constraints.txt", "venv-flink": "constraints-flink.txt"}  # beside this module
FOOTFALL, FOOTFALL_KEYED = "footfall", "footfall-keyed"
OURS = (FOOTFALL, FOOTFALL_KEYED)
DICTIONARY = "dictionary"
DUCKDB_SUMMED = "duckdb-summed"
ONE_SIZE = (DUCKDB_SUMMED, "redis-everysec")  # Variants, of which the hour has no room for loads of other sizes.
PEERS = {
    FOOTFALL: About(
        "footfall",
        "bench.compare.peer_footfall:Footfall",
        "`footfall serve` as it is installed, over loopback HTTP on 64 connections: decodes, screens, keeps raw hits, "
        "counts by minute, hour and day, answers for any filter. All its processes are charged. Two settings differ "
        "from their defaults: `count_lateness_hours=48`, since the day's first hits are sent more than a day later, "
        "and `--log-level error`.",
        "202 is answered after the group's fsync (SQLite, WAL, synchronous=FULL)",
        is_durable=True,
        asked="over loopback HTTP",
        environment="",
    ),
    FOOTFALL_KEYED: About(
        "footfall, a key in every body",
        "bench.compare.peer_footfall:Footfall",
        "The same, and every body bears an `Idempotency-Key`, by which one that is sent again is told: each key is "
        "looked up and kept for a day.",
        "the same",
        is_durable=True,
        asked="over loopback HTTP",
        is_keyed=True,
        environment="",
    ),
    DICTIONARY: About(
        "Python dictionary",
        "bench.compare.peer_dictionary:Dictionary",
        "`collections.Counter` in one process: msgspec decodes, hits are added up by window. The limit, no product.",
        "not at all: memory alone",
        is_durable=False,
        environment="",
        keeps_hits=False,
    ),
    "duckdb": About(
        "DuckDB",
        "bench.compare.peer_duckdb:DuckDb",
        "Rows appended as Arrow tables in the collecting process; one GROUP BY counts them into windows.",
        "COMMIT of a group (its log is synced)",
        is_durable=True,
    ),
    DUCKDB_SUMMED: About(
        "DuckDB, summed first",
        "bench.compare.peer_duckdb:Summed",
        "Equal hits of a group are added up in the collecting process, in the quickest way that was found, and sums "
        "alone are appended; one GROUP BY adds the groups up. No hit is kept, so nothing can be counted again.",
        "COMMIT of a group (its log is synced)",
        is_durable=True,
        keeps_hits=False,
    ),
    "clickhouse-summing": About(
        "ClickHouse, summing",
        "bench.compare.peer_clickhouse:Summing",
        "Embedded (chdb); equal hits of a group are added up in the collecting process in the same way, and the sums "
        "are inserted as an Arrow table; SummingMergeTree by brand, window, section and asset.",
        "an INSERT of a group, its part synced",
        is_durable=True,
        keeps_hits=False,
    ),
    "clickhouse-raw": About(
        "ClickHouse, raw",
        "bench.compare.peer_clickhouse:Raw",
        "Embedded (chdb), reads the JSON itself (no other way in was tried); a row a hit, grouped when a list is asked "
        "for.",
        "an INSERT of a group, its part synced",
        is_durable=True,
    ),
    "postgres": About(
        "PostgreSQL, summed first",
        "bench.compare.peer_postgres:Aggregated",
        "The old system of the page-hit-counter thesis, with its table (figure 4.4), in a better way: equal hits are "
        "added up before they are sent, COPY and one merging upsert.",
        "COMMIT of a group, synchronous_commit on",
        is_durable=True,
        asked="over loopback TCP, by psycopg",
        keeps_hits=False,
    ),
    "postgres-row-a-hit": About(
        "PostgreSQL, an upsert a hit",
        "bench.compare.peer_postgres:RowAHit",
        "The old system of that thesis as the thesis has it: the same table; every hit is an upsert, pipelined.",
        "COMMIT of a group, synchronous_commit on",
        is_durable=True,
        asked="over loopback TCP, by psycopg",
        keeps_hits=False,
    ),
    "redis": About(
        "Redis, synced",
        "bench.compare.peer_redis:Always",
        "ZINCRBY into sorted sets by brand, window and section, PFADD; equal hits added up first, pipelined. It drops "
        "resourceType and paidType: a question for those it cannot answer.",
        "EXEC of a group, appendfsync always",
        is_durable=True,
        asked="over loopback TCP, by redis-py",
        keeps_hits=False,
    ),
    "redis-everysec": About(
        "Redis, synced each second",
        "bench.compare.peer_redis:EverySecond",
        "The same with its default, appendfsync everysec.",
        "in the log, not yet synced: a loss of power takes up to a second of hits",
        is_durable=False,
        asked="over loopback TCP, by redis-py",
        keeps_hits=False,
    ),
    "dynamodb": About(
        "DynamoDB, rows of the top 500",
        "bench.compare.peer_dynamodb:DynamoDbRows",
        "The new system of that thesis (its chapter 6): a row an asset of a brand's top 500 of each window of five "
        "minutes and an hour, on DynamoDB Local; a synced log stands for its stream, and its client keeps what it has "
        "read.",
        "the log's fsync; rows are made of it when a window is over",
        is_durable=True,
        asked="over loopback HTTP, by boto3; rows that were read before are in the client's memory",
        keeps_all_rows=False,
        shows_open_window=False,
    ),
    "flink": About(
        "Apache Flink SQL",
        "bench.compare.peer_flink:Flink",
        "The query of that thesis' figure 6.2 in today's dialect, a bounded job over a synced folder of what was "
        "collected; Flink serves no lists, so its collecting process reads the job's rows and answers from memory.",
        "the file's fsync; windows are counted when they are over",
        is_durable=True,
        environment="venv-flink",
        shows_open_window=False,
    ),
}


def is_ours(peer: str) -> bool:
    """Tell whether it is footfall, in whichever way it is fed."""
    return peer in OURS
