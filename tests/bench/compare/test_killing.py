"""A kill falls anywhere between two acknowledgements, and met a load only if bodies were on their way."""

from random import Random

import pytest

from bench.compare.killing import Pulse


def test_a_pulse_is_the_usual_time_between_two_acknowledgements_and_no_start_is_one() -> None:
    pulse = Pulse(Random(1))
    pulse.begin(10.0)
    pulse.beat(12.0)
    assert pulse.gap_s == pytest.approx(2.0)
    for now_s in (12.4, 12.8, 13.2, 15.0):
        pulse.beat(now_s)
    assert pulse.gap_s == pytest.approx(0.4)
    pulse.begin(30.0)
    pulse.beat(33.0)
    assert pulse.gap_s == pytest.approx(0.4)
