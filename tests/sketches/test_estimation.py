"""Estimates are as near as promised, over the whole range, and their bounds hold as often as they say.

Registers are drawn from their exact distribution with fixed seeds: thousands of sketches in a second, and the same
ones in every run.
"""

from functools import cache

import numpy as np
import pytest

from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.estimation import CONFIDENCE, Estimates, estimates_of_coupons, estimates_of_registers
from footfall.sketches.uniques import added, estimate, no_uniques
from tests.sketches.drawn import drawn_registers

DISTINCT = [500, 1_000, 4_000, 15_000, 100_000, 1_000_000, 10_000_000]


@cache
def told_of(distinct: int, lg_k: int) -> Estimates:
    sketches = {12: 600, 14: 150}[lg_k]
    return estimates_of_registers(
        drawn_registers(np.random.default_rng([distinct, lg_k]), distinct, lg_k=lg_k, sketches=sketches)
    )


@pytest.mark.parametrize("distinct", DISTINCT)
@pytest.mark.parametrize(("lg_k", "error_max"), [(12, 0.017), (14, 0.009)])
def test_the_error_is_as_small_as_promised(distinct: int, lg_k: int, error_max: float) -> None:
    errors = told_of(distinct, lg_k).count / distinct - 1
    assert np.sqrt(np.mean(errors**2)) <= error_max
    assert abs(np.mean(errors)) <= 3.5 * error_max / np.sqrt(len(errors))


@pytest.mark.parametrize("distinct", DISTINCT)
def test_bounds_hold_as_often_as_they_say(distinct: int) -> None:
    told = told_of(distinct, 12)
    held = np.mean((told.lower <= distinct) & (distinct <= told.upper))
    # Of 600 sketches the share that is held has a standard error of 0.9 %; three of them are allowed for.
    assert held >= CONFIDENCE - 0.027
    assert np.all((told.lower <= told.count) & (told.count <= told.upper))


def test_real_values_are_counted_as_drawn_ones_are() -> None:
    errors: list[float] = []
    for seed in range(40):
        numbers = np.random.default_rng(seed).integers(0, 2**63, 30_000)
        told = estimate(added(no_uniques(12), coupons_of_numbers(numbers)))
        errors.append(told.count / 30_000 - 1)
    assert np.sqrt(np.mean(np.square(errors))) < 0.021  # 40 sketches tell it to about a tenth


def test_no_registers_in_use_mean_nobody() -> None:
    told = estimates_of_registers(np.zeros((1, 4096), np.uint8))
    assert (told.count[0], told.lower[0], told.upper[0]) == (0, 0, 0)


def test_even_registers_that_no_set_could_have_give_a_number() -> None:
    told = estimates_of_registers(np.full((1, 4096), 63, np.uint8))
    assert np.isfinite(told.count[0])
    assert told.upper[0] >= told.count[0] > 1e18


def test_registers_in_use_are_a_lower_bound() -> None:
    rows = drawn_registers(np.random.default_rng(5), 400, lg_k=12, sketches=500)
    told = estimates_of_registers(rows)
    assert np.all(told.lower >= np.count_nonzero(rows, axis=1))


def test_coupons_are_exact_while_two_values_rarely_share_one() -> None:
    told = estimates_of_coupons(np.array([0, 1, 1_536, 6_144]))
    assert told.count.tolist() == told.lower.tolist() == [0, 1, 1_536, 6_144]
    assert told.upper.tolist() == [0, 1, 1_536, 6_145]


def test_many_rows_are_estimated_as_each_would_be_alone() -> None:
    rows = drawn_registers(np.random.default_rng(6), 9_000, lg_k=9, sketches=300)
    together = estimates_of_registers(rows).count
    assert together.tolist() == [estimates_of_registers(row[np.newaxis]).count[0] for row in rows]
