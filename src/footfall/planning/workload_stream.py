"""What hits are on their way: requests, records and bytes of Kinesis, and the events that the count function gets.

An event ends when its time is over, at 10,000 records or at 6 MB, whichever comes first; so a busy stream is flushed
more often than the freshness asks for, and that is what single hits of browsers cost in writes.
"""

from dataclasses import dataclass

import numpy as np

from footfall.planning.figures import Figure, assumed, documented, measured
from footfall.planning.simulated_limits import BATCH_BYTES_MAX, BATCH_RECORDS_MAX
from footfall.planning.site import Site, Stack
from footfall.planning.summary_sizes import Floats

# Real hits through the real door, with address, referrer, time and visitor; tests/planning/test_workload_stream.py
# makes them again and compares.
_BATCHES = (1, 2, 10, 100)
_RECORD_BYTES = (198.0, 238.0, 473.0, 2_425.0)  # of a request with so many hits for one shard
_ARCHIVED_BYTES = (25.9, 23.7, 20.9, 19.3)  # of each hit
ID_BYTES = 17.2  # more of each hit that brings an id, in both
EVENT_RECORD_BYTES = 600  # beside its data in base64; app/event_counting.py
FLUSH_S = 1.0  # An event is gathered for its time, and then counted: bench/counted_day.py.

RECORD_BYTES_WHY = measured(
    "stream.bytes-per-record",
    _RECORD_BYTES[0],
    "bytes",
    "A Kinesis record with one hit of a browser; with 2, 10 and 100 hits it has 238, 473 and 2,425 bytes.",
    "tests/planning/test_workload_stream.py, docs/formats/stream.md",
)
ARCHIVED_BYTES_WHY = measured(
    "archive.bytes-per-hit",
    _ARCHIVED_BYTES[0],
    "bytes",
    "A raw hit in its object on S3, packed with those of its flush; of batches of 100 it is 19.3.",
    "tests/planning/test_workload_stream.py, docs/formats/archive.md",
)
EVENT_LIMITS = documented(
    "stream.event-records",
    BATCH_RECORDS_MAX,
    "records",
    "An event of the count function ends with its batching window, at 10,000 records or at 6 MB.",
    "deploy/aws/template.yaml (CountMapping); Lambda's parameters for Kinesis",
)
DRIFT = assumed(
    "stream.flush-seconds",
    FLUSH_S,
    "s",
    "An event takes a second to be counted before the next is gathered, so flushes drift through the minute.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """What a minute with so many hits is to the stream; arrays by the minutes asked for."""

    requests: Floats
    records: Floats
    bytes: Floats
    flush_s: Floats  # between two events of a Kinesis shard
    events: Floats  # in the minute, of all Kinesis shards

    @property
    def put_units(self) -> Floats:
        """Return payload units: 25 KB of a record, or a part of it."""
        each = np.divide(self.bytes, self.records, out=np.zeros_like(self.bytes), where=self.records > 0)
        return self.records * np.maximum(1.0, np.ceil(each / 25_600))


def shards_of_request(batch: int, shards: int) -> float:
    """Return to how many counting shards a request's hits are expected to go: a record for each."""
    return shards * -np.expm1(batch * np.log1p(-1 / shards)) if shards > 1 else 1.0


def record_bytes(hits: float, *, ids: float) -> float:
    """Return the bytes of a record with so many hits, its key with it."""
    if hits <= _BATCHES[-1]:
        size = float(np.interp(hits, _BATCHES, _RECORD_BYTES))
    else:
        size = _RECORD_BYTES[-1] + (hits - _BATCHES[-1]) * (_RECORD_BYTES[-1] - _RECORD_BYTES[-2]) / 90
    return size + ids * ID_BYTES * max(hits, 1.0)


def archived_bytes(batch: int, *, ids: float) -> float:
    """Return the bytes of a hit in the archive, when requests have so many."""
    known = [float(one) for one in np.log(_BATCHES)]
    return float(np.interp(float(np.log(batch)), known, _ARCHIVED_BYTES)) + ids * ID_BYTES


def carried(site: Site, stack: Stack, hits: Floats) -> Carried:
    """Return what minutes with so many hits are to the stream."""
    requests = hits / site.batch
    records = requests * shards_of_request(site.batch, stack.counting_shards)
    each = site.batch / shards_of_request(site.batch, stack.counting_shards)
    size = record_bytes(each, ids=site.ids)
    per_s = records / 60 / stack.kinesis_shards
    with np.errstate(divide="ignore"):
        by_records = BATCH_RECORDS_MAX / per_s
        by_bytes = BATCH_BYTES_MAX / (per_s * (size * 4 / 3 + EVENT_RECORD_BYTES))
        first_s = 1 / per_s  # Lambda begins to wait when the first record is there.
    gathered = np.minimum(np.minimum(by_records, by_bytes), stack.freshness_s)
    # A full batch follows the one before it at once; only one that ends by its time begins with a new first record.
    by_time = stack.freshness_s + FLUSH_S + np.minimum(first_s, 1e9)
    flush_s = np.where(gathered >= stack.freshness_s, by_time, np.maximum(gathered, FLUSH_S))
    events = np.where(hits > 0, 60 / flush_s * stack.kinesis_shards, 0.0)
    return Carried(requests, records, records * size, flush_s, events)


def stream_figures() -> tuple[Figure, ...]:
    """Return what the stream's part rests on."""
    return (RECORD_BYTES_WHY, ARCHIVED_BYTES_WHY, EVENT_LIMITS, DRIFT)
