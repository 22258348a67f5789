"""Sums by cell are exact, whatever the order of rows."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.metrics.adding import exact_sums, weighted_averages

NUMBERS = st.floats(-1e60, 1e60).filter(lambda one: one == 0 or abs(one) > 1e-60)
ROWS = st.lists(st.tuples(st.integers(0, 3), NUMBERS, NUMBERS.map(abs)), max_size=40)


@given(ROWS)
def test_sums_are_the_floats_nearest_to_the_true_ones(rows: list[tuple[int, float, float]]) -> None:
    cells, values = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
    found = exact_sums(cells, values, 4).tolist()
    for cell in range(4):
        mine = [value for at, value, _ in rows if at == cell]
        assert found[cell] == math.fsum(mine) if mine else math.isnan(found[cell])


@given(ROWS)
def test_weighted_averages_lose_nothing_but_the_last_rounding(rows: list[tuple[int, float, float]]) -> None:
    cells = np.array([row[0] for row in rows], np.int64)
    values, weights = (np.array([row[at] for row in rows], np.float64) for at in (1, 2))
    found = weighted_averages(cells, values, weights, 4).tolist()
    for cell in range(4):
        mine = [(Fraction(value), Fraction(weight)) for at, value, weight in rows if at == cell]
        total = sum(weight for _, weight in mine)
        if not total:
            assert math.isnan(found[cell])
            continue
        above = float(sum(value * weight for value, weight in mine))
        assert found[cell] == above / float(total)


def test_rows_that_cancel_leave_what_is_left() -> None:
    cells = np.zeros(3, np.int64)
    assert exact_sums(cells, np.array([1e100, 1.0, -1e100]), 1).tolist() == [1.0]
    assert exact_sums(cells, np.array([0.1, 0.2, -0.3]), 1).tolist() == [math.fsum([0.1, 0.2, -0.3])]
