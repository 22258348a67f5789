"""A simulated function: concurrency, its ramp, cold starts, and the batches that a stream makes of records."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.planning.simulated_function import (
    BatchDesign,
    FunctionDesign,
    batches,
    reader_records_per_s,
    simulate_function,
)
from footfall.planning.simulated_outcomes import Cause
from footfall.values.errors import Refused


def test_concurrency_is_calls_a_second_by_their_duration() -> None:
    outcome = simulate_function(FunctionDesign(duration_ms=500), np.full(5, 60 * 200.0), seed=1)
    assert outcome.concurrency.max() == pytest.approx(100, rel=0.3)
    assert outcome.calls.throttled_total == 0
    assert outcome.billed_ms.sum() == pytest.approx(outcome.calls.served.sum() * 500)


def test_short_calls_need_an_environment_for_each_ten_a_second() -> None:
    outcome = simulate_function(FunctionDesign(duration_ms=5), np.full(5, 60 * 1_000.0), seed=1)
    assert outcome.concurrency.max() >= 100


def test_what_an_account_does_not_allow_at_once_is_throttled() -> None:
    outcome = simulate_function(FunctionDesign(duration_ms=1_000, concurrency=50), np.full(5, 60 * 100.0), seed=1)
    assert outcome.concurrency.max() <= 50
    assert set(outcome.calls.throttled) == {Cause.ACCOUNT}
    assert outcome.calls.served.sum() == pytest.approx(5 * 60 * 50, rel=0.05)


def test_a_sudden_wave_waits_for_the_ramp() -> None:
    design = FunctionDesign(duration_ms=1_000, concurrency=10_000)
    outcome = simulate_function(design, np.array([0.0, 60 * 5_000.0, 60 * 5_000.0]), seed=1)
    # 1,000 at once, then 100 a second: 4,000 more take 40 seconds.
    assert outcome.calls.throttled[Cause.RAMP][1] == pytest.approx(5_000 * 60 - sum(served_in_ramp()), rel=0.02)
    assert outcome.calls.throttled[Cause.RAMP][2] < 60 * 100


def served_in_ramp() -> list[float]:
    return [min(5_000.0, 1_000.0 + 100 * second) for second in range(60)]


def test_environments_that_are_idle_go_and_start_cold_again() -> None:
    calls = np.concatenate([np.full(3, 60 * 100.0), np.zeros(20), np.full(3, 60 * 100.0)])
    outcome = simulate_function(FunctionDesign(duration_ms=1_000, cold_ms=700), calls, seed=1)
    assert outcome.environments[12] == 0
    first, second = outcome.cold_starts[:3].sum(), outcome.cold_starts[23:].sum()
    assert first > 80
    assert second > 80
    total = outcome.calls.served.sum() * 1_000 + outcome.cold_starts.sum() * 700
    assert outcome.billed_ms.sum() == pytest.approx(total)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=10), st.floats(1, 5_000), st.integers(1, 3_000))
def test_calls_are_served_or_throttled_and_never_more_at_once_than_allowed(
    calls: list[float], duration_ms: float, concurrency: int
) -> None:
    design = FunctionDesign(duration_ms, concurrency=concurrency)
    outcome = simulate_function(design, np.array(calls), seed=3)
    assert abs(outcome.calls.balance) <= 1e-6 * max(1.0, sum(calls))
    assert outcome.environments.max() <= concurrency
    assert outcome.calls.throttled_total == pytest.approx(float(outcome.calls.given_up.sum()))


def test_a_batch_is_gathered_for_its_window_or_until_it_is_full() -> None:
    design = BatchDesign(window_s=60, duration_ms=500, record_ms=1)
    few = batches(design, np.full(3, 1_000.0), shards=2, bytes_each=200)
    assert few.calls.tolist() == [2, 2, 2]
    assert few.records_each.tolist() == [500, 500, 500]
    assert few.busy[0] == pytest.approx((500 + 500) / 60_000)
    many = batches(design, np.full(1, 80_000.0), shards=2, bytes_each=200)
    assert many.calls[0] == 8
    large = batches(design, np.full(1, 100.0), shards=1, bytes_each=600_000)
    assert large.records_each[0] == 10  # six megabytes


def test_without_a_window_a_shard_is_asked_once_a_second() -> None:
    found = batches(BatchDesign(0, 10, 0), np.full(1, 6_000.0), shards=1, bytes_each=200)
    assert found.calls[0] == 60


def test_a_reader_is_as_fast_as_its_full_batches() -> None:
    design = BatchDesign(window_s=60, duration_ms=1_000, record_ms=0.1, records_max=10_000, parallelisation=2)
    assert reader_records_per_s(design, bytes_each=100) == pytest.approx(2 * 10_000 / 2)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: FunctionDesign(0), "up to 15 minutes"),
        (lambda: FunctionDesign(1, concurrency=0), "one call at a time"),
        (lambda: BatchDesign(301, 1, 1), "not between 0 and 300"),
        (lambda: BatchDesign(1, 1, 1, parallelisation=11), "1 to 10 batches"),
        (lambda: BatchDesign(1, 0, 1), "more than no time"),
        (lambda: batches(BatchDesign(1, 1, 1), np.ones(1), shards=0, bytes_each=1), "one at least"),
        (lambda: simulate_function(FunctionDesign(1), np.array([-1.0]), seed=1), "fewer than none"),
    ],
)
def test_impossible_functions_are_refused(make: object, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        make()  # type: ignore[operator]
