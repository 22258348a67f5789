"""What the sources ran into is seen in the simulator, and gone with our keys, pacing and packing."""

import numpy as np
import pytest

from footfall.planning.simulated_hot_key import hot_key
from footfall.planning.simulated_night import nightly_burst
from footfall.planning.simulated_outcomes import Cause
from footfall.planning.simulated_scenarios import Scenario
from footfall.planning.simulated_snowball import MIDNIGHT, snowball


@pytest.fixture(scope="module")
def key() -> Scenario:
    return hot_key()


@pytest.fixture(scope="module")
def night() -> Scenario:
    return nightly_burst()


@pytest.fixture(scope="module")
def snow() -> Scenario:
    return snowball()


def test_a_day_as_the_key_has_one_tenth_of_the_provisioned_throughput(key: Scenario) -> None:
    then = key.variant("day, then")
    assert then.outcome.partitions[0] == 10
    assert then.figures["served of provisioned"] == pytest.approx(0.1)
    assert set(then.outcome.writes.throttled) == {Cause.KEY_RANGE}


def test_more_provision_helps_a_hot_key_less_and_less(key: Scenario) -> None:
    now = key.variant("day, now")
    assert now.outcome.writes.served.max() == pytest.approx(60 * 1_000)
    assert {split.why for split in now.outcome.splits} == {"one key"}


def test_episodes_are_throttled_by_the_most_popular_and_splitting_helps_only_later(key: Scenario) -> None:
    assert 0.5 < key.variant("episode, then").figures["served share"] < 0.95
    refused = key.variant("episode, now").outcome.writes.throttled[Cause.KEY_RANGE]
    assert refused[:10].sum() > 0
    assert refused[-10:].sum() == 0


def test_a_calculated_suffix_has_all_of_the_throughput_once_partitions_have_split(key: Scenario) -> None:
    flow = key.variant("suffix, now").outcome.writes
    assert flow.served[-10:].sum() == pytest.approx(flow.offered[-10:].sum())
    assert key.variant("suffix, now").figures["served share"] > 0.95


def test_packed_windows_need_a_thousandth_of_it_and_are_never_throttled(key: Scenario) -> None:
    packed = key.variant("packed, now")
    assert packed.figures["throttled units"] == 0
    assert packed.figures["offered units/s"] < 9_900 / 1_000


def test_writes_peak_heavily_at_night_and_a_slow_writer_is_not_throttled(night: Scenario) -> None:
    rows = night.variant("rows")
    flow = rows.outcome.writes
    assert rows.figures["throttled units"] == 0
    assert rows.figures["peak to mean, five minutes"] > 5
    by_hour = flow.consumed[1_440:2_880].reshape(24, 60).sum(axis=1)
    assert int(by_hour.argmax()) == 0
    assert rows.figures["provisioned units/s, most"] > 2 * 50


@pytest.mark.parametrize("without", ["rows, nothing saved", "rows, not scaled"])
def test_neither_scaling_nor_saved_capacity_carries_the_night_alone(night: Scenario, without: str) -> None:
    flow = night.variant(without).outcome.writes
    assert flow.throttled[Cause.PROVISIONED][1_440:1_470].sum() > 1_000


def test_the_same_rows_written_faster_are_throttled_although_the_table_scales(night: Scenario) -> None:
    faster = night.variant("rows, faster")
    assert faster.figures["throttled units"] > 100_000
    assert faster.figures["given up units"] > 10_000
    first = int(np.argmax(faster.outcome.writes.throttled[Cause.PROVISIONED][1_380:] > 0)) + 1_380
    assert 1_440 <= first < 1_450


def test_paced_writers_lose_nothing_of_the_nightly_burst(night: Scenario) -> None:
    paced = night.variant("rows, paced")
    assert paced.figures["given up units"] == 0
    assert paced.figures["waiting at the end"] == 0
    assert paced.figures["throttled units"] < night.variant("rows, faster").figures["throttled units"] / 10


def test_packed_windows_have_no_night(night: Scenario) -> None:
    packed = night.variant("packed")
    assert packed.figures["throttled units"] == 0
    assert packed.figures["peak to mean, five minutes"] < 2
    assert packed.figures["offered units/s"] < night.variant("rows").figures["offered units/s"] / 9


def test_batches_that_are_sent_again_put_the_system_minutes_behind(snow: Scenario) -> None:
    resent = snow.variant("resent")
    behind = np.flatnonzero(resent.outcome.writes.waiting > 1)
    assert behind[0] == MIDNIGHT
    assert 3 <= behind[-1] - behind[0] + 1 <= 10  # theirs: "up to ten minutes"
    assert resent.figures["wasted units"] > 1_000


def test_sent_again_a_little_sooner_it_never_recovers(snow: Scenario) -> None:
    sooner = snow.variant("resent sooner")
    waiting = sooner.outcome.writes.waiting
    assert waiting[-1] > waiting[MIDNIGHT] * 5
    wasted = sooner.outcome.writes.wasted[-60:].sum()
    assert wasted / sooner.outcome.writes.consumed[-60:].sum() > 0.9


def test_rows_tried_again_alone_are_lost_when_their_attempts_are_used_up(snow: Scenario) -> None:
    assert snow.variant("backed off").figures["given up units"] > 500
    assert snow.variant("backed off").figures["wasted units"] == 0


def test_paced_writers_write_everything_once(snow: Scenario) -> None:
    paced = snow.variant("paced")
    assert paced.figures["served share"] == pytest.approx(1)
    assert paced.figures["wasted units"] == paced.figures["given up units"] == 0
    assert paced.figures["throttled units"] < snow.variant("resent").figures["throttled units"]


def test_packed_windows_know_no_midnight(snow: Scenario) -> None:
    assert snow.variant("packed").figures["throttled units"] == 0
    assert (
        snow.variant("packed").outcome.writes.capacity.max() < snow.variant("paced").outcome.writes.capacity.max() / 8
    )


def test_every_variant_can_be_drawn_and_balances(key: Scenario, night: Scenario, snow: Scenario) -> None:
    for scenario in (key, night, snow):
        assert scenario.theirs
        assert scenario.ours
        for variant in scenario.variants:
            lengths = {len(curve.values) for curve in variant.curves}
            assert lengths == {len(variant.outcome.writes.offered)}
            offered = float(variant.outcome.writes.offered.sum())
            assert abs(variant.outcome.writes.balance) <= 1e-6 * offered
