"""How vendors round: at the edges of every step, and in between."""

from decimal import Decimal

import pytest

from footfall.planning.units_compute import (
    LAMBDA_STEP_MS_UNTIL_2020,
    express_gb_seconds,
    fargate_hours,
    lambda_billed_ms,
    lambda_gb_seconds,
    lambda_provisioned_gb_seconds,
)
from footfall.planning.units_dynamodb import IndexShape, TableShape, pages, refused, removed_by_expiry, written
from footfall.planning.units_kinesis import billed_on_demand_bytes, put_calls, put_units, shards_needed
from footfall.planning.units_objects import infrequent_bytes, infrequent_days, put_requests
from footfall.ports.items import Item


@pytest.mark.parametrize(("ran_ms", "now", "until_2020"), [(0, 1, 100), (1, 1, 100), (100, 100, 100), (101, 101, 200)])
def test_a_run_is_billed_by_the_millisecond_and_was_billed_by_a_hundred(ran_ms: int, now: int, until_2020: int) -> None:
    assert lambda_billed_ms(ran_ms) == now
    assert lambda_billed_ms(ran_ms, step_ms=LAMBDA_STEP_MS_UNTIL_2020) == until_2020


def test_part_of_a_millisecond_is_billed_as_a_whole_one() -> None:
    assert lambda_billed_ms(Decimal("1.2")) == 2
    assert lambda_gb_seconds(1_000, duration_ms=Decimal("0.1"), memory_mb=1_024) == 1


def test_what_is_kept_ready_is_billed_by_five_minutes() -> None:
    assert lambda_provisioned_gb_seconds(2, seconds=301, memory_mb=512) == 600


@pytest.mark.parametrize(("ran_s", "billed_s"), [(1, 60), (60, 60), (Decimal("60.5"), 61), (3_600, 3_600)])
def test_a_container_is_billed_by_the_second_and_for_a_minute_at_least(ran_s: Decimal | int, billed_s: int) -> None:
    assert fargate_hours(1, seconds=ran_s) == Decimal(billed_s) / 3_600


def test_an_express_workflow_is_billed_by_100_ms_and_64_mb() -> None:
    assert express_gb_seconds(10, duration_ms=101, memory_mb=65) == Decimal("0.25")


@pytest.mark.parametrize(("size", "units"), [(0, 1), (25_600, 1), (25_601, 2), (1_048_576, 41)])
def test_a_record_has_a_unit_for_each_started_25_kb(size: int, units: int) -> None:
    assert put_units(size) == units


def test_a_record_on_demand_counts_by_the_started_kb() -> None:
    assert [billed_on_demand_bytes(size) for size in (0, 1, 1_024, 1_025)] == [1_024, 1_024, 1_024, 2_048]


def test_records_are_sent_500_or_5_mib_at_a_time() -> None:
    assert put_calls([]) == 0
    assert put_calls([100] * 500) == 1
    assert put_calls([100] * 501) == 2
    assert put_calls([1_048_576] * 6) == 2


@pytest.mark.parametrize(
    ("records_per_s", "bytes_per_s", "consumers", "shards"),
    [
        (0, 0, 1, 1),
        (1_000, 1_048_576, 1, 1),
        (1_001, 1_000, 1, 2),
        (10, 1_048_577, 1, 2),
        (10, 1_048_576, 3, 2),
        (Decimal("2500.5"), 0, 1, 3),
    ],
)
def test_shards_follow_from_records_and_bytes_and_readers(
    records_per_s: Decimal | int, bytes_per_s: int, consumers: int, shards: int
) -> None:
    assert shards_needed(records_per_s=records_per_s, in_bytes_per_s=bytes_per_s, consumers=consumers) == shards


def test_an_upload_in_parts_has_two_requests_around_them() -> None:
    assert put_requests(10 << 20) == 1
    assert put_requests(8 << 20, part_bytes=8 << 20) == 1
    assert put_requests((8 << 20) + 1, part_bytes=8 << 20) == 4


def test_small_and_brief_objects_count_for_more_where_access_is_infrequent() -> None:
    assert infrequent_bytes(10) == 131_072
    assert infrequent_bytes(200_000) == 200_000
    assert (infrequent_days(3), infrequent_days(90)) == (30, 90)


def test_nothing_to_read_is_one_page_and_what_expires_costs_nothing() -> None:
    assert [list(page) for page in pages([])] == [[]]
    assert [list(page) for page in pages([1, 2, 3], limit=2)] == [[1, 2], [3]]
    assert removed_by_expiry() == 0


def test_a_refused_write_costs_the_larger_of_what_is_there_and_what_was_wanted() -> None:
    small: Item = {"a": "x"}
    large: Item = {"a": "x" * 3_000}
    assert refused(before=small, wanted=large) == 3
    assert refused(before=large, wanted=small) == 3
    assert refused(before=large) == 3
    assert refused(before=None, wanted=large) == 1
    assert refused(before=small, transaction=True) == 2


def test_a_truth_value_in_the_place_of_a_number_changes_the_index() -> None:
    shape = TableShape(("pk",), (IndexShape("all", ("by",)),))
    before: Item = {"pk": "p", "by": "b", "flag": 1}
    after: Item = {"pk": "p", "by": "b", "flag": True}
    assert written(shape, before=before, after=after).total == 2
    assert written(shape, before=before, after=before).total == 1
