"""Clients of the simulator wait as our adapters do: the same constants, the same waits, the same cuts."""

from random import Random

import numpy as np
import pytest

from footfall.adapters.aws import pace
from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.dynamodb_calls import Patience
from footfall.adapters.aws.pace import Pace
from footfall.planning.simulated_clients import BackedOff, Paced, sending

NOBODY = np.zeros(1)


class ToldClock:
    """A clock that says what it is told to."""

    def __init__(self) -> None:
        self.at_ms = 0

    def now_ms(self) -> int:
        return self.at_ms


def test_retries_have_the_constants_of_the_adapters() -> None:
    ours, theirs = BackedOff(), Backoff()
    assert (ours.first_ms, ours.cap_ms, ours.attempts_max) == (theirs.first_ms, theirs.cap_ms, theirs.attempts_max)
    assert Patience().backoff == theirs  # tables; streams have it as the default of their own argument


def test_pacing_has_the_constants_of_the_adapter() -> None:
    paced = Paced()
    assert paced.cut == pace.CUT
    assert paced.growth_per_s == pace.GROWTH_PER_S
    assert paced.calm_ms == pace.CALM_MS
    assert paced.calm_growth_per_s == pace.CALM_GROWTH_PER_S
    assert paced.units_per_s_min == pace.UNITS_PER_S_MIN
    assert paced.units_per_s_first == pace.UNITS_PER_S_FIRST
    assert pace.HOLD_MS < 1_000  # A simulated second with refusals is one event, as the adapter has it at most twice.


def test_work_that_is_always_refused_is_attempted_as_often_as_the_adapter_attempts_it() -> None:
    client = sending(BackedOff(), 1)
    attempted, given_up = 0.0, 0.0
    for second in range(60):
        due = client.due(second, np.array([1_000.0 if second == 0 else 0.0]))
        attempted += float(due.sum())
        given_up += client.answered(second, NOBODY, due).given_up
    assert attempted == pytest.approx(1_000 * Backoff().attempts_max)
    assert given_up == pytest.approx(1_000)
    assert client.is_idle()


def test_waits_are_spread_as_those_of_the_adapter_are() -> None:
    # Seven refusals in a row: when the last attempt comes, by a thousand draws of the adapter and by the flow.
    chance = Random(4)
    drawn = [sum(1 + wait // 1_000 for wait in Backoff().waits_ms(chance)) for _ in range(4_000)]
    client = sending(BackedOff(), 1)
    mean = 0.0
    for second in range(60):
        due = client.due(second, np.array([1.0 if second == 0 else 0.0]))
        mean += second * client.answered(second, NOBODY, due).given_up
    assert mean == pytest.approx(sum(drawn) / len(drawn), rel=0.02)


def test_a_paced_client_finds_the_speed_of_a_table_as_the_adapter_does() -> None:
    limit, seconds = 100.0, 300
    assert simulated_speed(limit, seconds) == pytest.approx(adapter_speed(limit, seconds), rel=0.10)
    assert simulated_speed(limit, seconds) > 0.8 * limit


def simulated_speed(limit: float, seconds: int) -> float:
    client, done = sending(Paced(), 1), 0.0
    for second in range(seconds):
        due = client.due(second, np.array([1_000_000.0 if second == 0 else 0.0]))
        served = np.minimum(due, limit)
        done += client.answered(second, served, due - served).done
    return done / seconds


def adapter_speed(limit: float, seconds: int) -> float:
    """Return what the adapter's own pace gets out of a table that takes so many units each second."""
    clock = ToldClock()
    own, done = Pace(clock), 0.0
    second, left = 0, limit
    while clock.at_ms < seconds * 1_000:
        if clock.at_ms // 1_000 != second:
            second, left = clock.at_ms // 1_000, limit
        clock.at_ms += max(1, round(own.wait_ms(1.0)))
        if left >= 1:
            left -= 1
            done += 1
            own.took(1.0)
        else:
            own.refused()
    return done / seconds
