"""A simulated stream: its shards' limits, producers that try again, and readers that fall behind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.planning.simulated_capacity import Sharded, resharded
from footfall.planning.simulated_clients import BackedOff, Lost
from footfall.planning.simulated_outcomes import Cause
from footfall.planning.simulated_partitions import Keys
from footfall.planning.simulated_stream import (
    Records,
    StreamDesign,
    StreamOutcome,
    record_units,
    shards_for,
    simulate_stream,
)
from footfall.values.errors import Refused


def steady(per_s: float, *, minutes: int = 10, bytes_each: float = 100.0, keys: Keys | None = None) -> Records:
    return Records("hits", np.full(minutes, 60 * per_s), bytes_each, keys or Keys(1), client=Lost(), is_noisy=False)


def run(shards: int, *loads: Records, reads: float = float("inf")) -> StreamOutcome:
    return simulate_stream(StreamDesign(Sharded(shards), reads), loads, seed=2)


def test_a_shard_takes_a_thousand_records_a_second() -> None:
    assert run(1, steady(1_000)).writes.throttled_total == 0
    over = run(1, steady(1_500))
    assert over.writes.served.sum() == pytest.approx(600_000)
    assert set(over.writes.throttled) == {Cause.KEY_RANGE}


def test_a_shard_takes_a_megabyte_a_second() -> None:
    assert run(1, steady(20, bytes_each=50_000)).writes.throttled_total == 0
    over = run(1, steady(40, bytes_each=50_000))
    assert over.writes.served.sum() / over.writes.offered.sum() == pytest.approx(0.5)
    assert record_units(50_000) == 50


def test_one_key_has_one_shard_however_many_there_are() -> None:
    assert run(64, steady(1_500)).writes.throttled_total == pytest.approx(500 * 600)
    assert run(64, steady(1_500, keys=Keys(2_000))).writes.throttled_total == 0


def test_a_reader_that_is_too_slow_falls_behind_and_catches_up() -> None:
    records = np.array([60 * 100.0] * 5 + [60 * 900.0] * 10 + [0.0] * 25)
    load = Records("hits", records, 100.0, Keys(1), is_noisy=False)
    outcome = simulate_stream(StreamDesign(Sharded(1), reader_records_per_s=300), [load], seed=2)
    assert outcome.lag_s[4] == 0
    assert outcome.unread.max() == pytest.approx(10 * 60 * 600)
    assert outcome.lag_s.max() == pytest.approx(10 * 60 * 600 / 300)
    assert outcome.unread[-1] == 0


def test_two_readers_share_what_a_shard_gives() -> None:
    load = steady(30, bytes_each=30_000)
    one = simulate_stream(StreamDesign(Sharded(1), readers=1), [load], seed=2)
    three = simulate_stream(StreamDesign(Sharded(1), readers=3), [load], seed=2)
    assert one.unread.max() == 0
    assert three.unread[-1] > 0


def test_a_shard_answers_five_reads_a_second() -> None:
    design = StreamDesign(Sharded(2), readers=3, reads_per_s=2)
    assert simulate_stream(design, [steady(5)], seed=2).reads_throttled.tolist() == [60.0 * 2] * 10
    design = StreamDesign(Sharded(2), readers=5)
    assert simulate_stream(design, [steady(5)], seed=2).reads_throttled.max() == 0


def test_new_shards_are_made_one_after_another() -> None:
    assert resharded(100, 4, 8) == (102, 8)


def test_more_shards_come_when_they_were_asked_for() -> None:
    load = steady(1_800, minutes=30, keys=Keys(2_000))
    outcome = simulate_stream(StreamDesign(Sharded(1, reshards=((10, 2), (12, 4)))), [load], seed=2)
    assert outcome.shards[[9, 10, 12]].tolist() == [1, 2, 4]
    refused = outcome.writes.throttled[Cause.KEY_RANGE]
    assert refused[:10].min() > 0
    assert refused[12:].sum() == 0


def test_on_demand_doubles_the_peak_after_a_quarter_of_an_hour() -> None:
    load = steady(3_900, minutes=60, keys=Keys(100_000))
    outcome = simulate_stream(StreamDesign(Sharded(4, is_on_demand=True)), [load], seed=2)
    assert outcome.shards[15] == 4
    assert outcome.shards[-1] == 8


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 8),
    st.lists(st.floats(0, 300_000), min_size=1, max_size=8),
    st.floats(1, 20_000),
    st.floats(10, 3_000),
    st.integers(1, 40),
)
def test_everything_is_read_or_waits_or_was_given_up(
    shards: int, records: list[float], bytes_each: float, reads: float, keys: int
) -> None:
    load = Records("any", np.array(records), bytes_each, Keys(keys), client=BackedOff())
    outcome = simulate_stream(StreamDesign(Sharded(shards), reads), [load], seed=7)
    total = max(1.0, float(outcome.writes.offered.sum()))
    assert abs(outcome.writes.balance) <= 1e-6 * total
    assert abs(outcome.balance) <= 1e-6 * total
    assert outcome.hottest.max() <= 1 + 1e-9
    assert (outcome.read <= 60 * shards * reads * record_units(bytes_each) + 1e-6).all()


def test_shards_are_chosen_so_that_none_is_too_full() -> None:
    assert shards_for(7_000, 100) == 10
    assert shards_for(70, 100_000) == 10
    assert shards_for(0, 100) == 1
    with pytest.raises(Refused, match=r"one key has 3\.5 shards' worth"):
        shards_for(7_000, 100, hottest_share=0.5)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Sharded(0), "not between 1"),
        (lambda: Sharded(1, reshards=((5, 3),)), "up to double"),
        (lambda: Sharded(8, reshards=((5, 4),)), "in order, up to double"),
        (lambda: Sharded(100, reshards=tuple((m, 101 + m) for m in range(11))), "more than 10 within 24 hours"),
        (lambda: run(1), "a stream has loads"),
        (lambda: run(1, steady(5, bytes_each=2_000_000)), "bytes of hits"),
        (lambda: run(1, steady(-5)), "fewer than none"),
        (lambda: run(1, steady(5), reads=0), "more than nothing"),
    ],
)
def test_impossible_streams_are_refused(make: object, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        make()  # type: ignore[operator]
