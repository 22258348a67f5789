"""Bytes of a record and of an archived hit are those of real hits through the real door."""

import pytest

from footfall.planning.workload_stream import archived_bytes, record_bytes, shards_of_request
from tests.planning.real_records import archived_bytes as really_archived
from tests.planning.real_records import raw_records

HITS = 3_000


@pytest.mark.parametrize("batch", [1, 2, 10, 100])
@pytest.mark.parametrize("ids", [False, True])
def test_records_and_archived_hits_are_as_large_as_real_ones(batch: int, ids: bool) -> None:
    raws = list(raw_records(HITS, batch=batch, ids=ids, per_s=HITS / 60))
    size = sum(len(raw.data) + len(raw.partition_key) for raw in raws) / len(raws)
    assert record_bytes(batch, ids=float(ids)) == pytest.approx(size, rel=0.03)
    assert archived_bytes(batch, ids=float(ids)) == pytest.approx(really_archived(raws) / HITS, rel=0.06)


def test_a_larger_record_goes_on_growing_by_the_hit() -> None:
    raws = list(raw_records(2_000, batch=500, ids=False, per_s=100))
    size = sum(len(raw.data) + len(raw.partition_key) for raw in raws) / len(raws)
    assert record_bytes(500, ids=0.0) == pytest.approx(size, rel=0.15)


def test_a_batch_is_a_record_for_each_shard_that_its_hits_go_to() -> None:
    raws = list(raw_records(4_000, batch=10, ids=False, per_s=100, shards=4))
    assert shards_of_request(10, 4) == pytest.approx(len(raws) / 400, rel=0.05)
    assert shards_of_request(10, 1) == 1
    assert shards_of_request(1, 200) == pytest.approx(1)
