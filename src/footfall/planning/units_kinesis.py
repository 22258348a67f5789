"""What a stream of Kinesis is billed by and how many shards it needs, by the rules that AWS documents."""

from collections.abc import Iterable
from decimal import Decimal
from math import ceil
from typing import Final

KIB: Final = 1_024
PUT_UNIT_BYTES: Final = 25 * KIB
RECORD_BYTES_MAX: Final = 1_048_576  # with its partition key
PUT_RECORDS_MAX: Final = 500  # of one PutRecords
PUT_BYTES_MAX: Final = 5 * 1_048_576
SHARD_RECORDS_PER_S: Final = 1_000
SHARD_IN_BYTES_PER_S: Final = 1_048_576
SHARD_OUT_BYTES_PER_S: Final = 2 * 1_048_576  # shared by all consumers that have no fan-out of their own
SHARD_READS_PER_S: Final = 5
READ_BYTES_MAX: Final = 10 * 1_048_576  # of one GetRecords


def put_units(record_bytes: int) -> int:
    """Return the PUT payload units of one record: one for each started 25 KB."""
    return max(1, -(-record_bytes // PUT_UNIT_BYTES))


def billed_on_demand_bytes(record_bytes: int) -> int:
    """Return what a record counts for in a stream on demand: by the started KB."""
    return max(1, -(-record_bytes // KIB)) * KIB


def put_calls(records_bytes: Iterable[int]) -> int:
    """Return how many PutRecords it takes to send these records in their order."""
    calls, count, total = 0, 0, 0
    for size in records_bytes:
        if calls == 0 or count == PUT_RECORDS_MAX or total + size > PUT_BYTES_MAX:
            calls, count, total = calls + 1, 0, 0
        count, total = count + 1, total + size
    return calls


def shards_needed(*, records_per_s: Decimal | int, in_bytes_per_s: Decimal | int, consumers: int = 1) -> int:
    """Return the shards that such a stream needs if its keys spread it evenly: by records, bytes in and bytes out."""
    out_bytes_per_s = in_bytes_per_s * consumers
    return max(
        1,
        ceil(Decimal(records_per_s) / SHARD_RECORDS_PER_S),
        ceil(Decimal(in_bytes_per_s) / SHARD_IN_BYTES_PER_S),
        ceil(Decimal(out_bytes_per_s) / SHARD_OUT_BYTES_PER_S),
    )
