"""A threshold follows what is usual, and says nothing before it has seen enough."""

import math

from hypothesis import given
from hypothesis import strategies as st

from footfall.screening.thresholds import SCORES_MAX, SCORES_MIN, Threshold


def made() -> Threshold:
    return Threshold(quantile=0.99, margin=1.3, floor=2.0)


def test_nothing_is_unusual_until_enough_was_seen() -> None:
    threshold = made()
    threshold.add([1.0] * (SCORES_MIN - 1))
    assert threshold.value == math.inf
    threshold.add([1.0])
    assert threshold.value == 2.0


def test_it_rises_with_the_scores_and_forgets_old_ones() -> None:
    threshold = made()
    threshold.add([4.0] * SCORES_MAX)
    assert threshold.value == 1.3 * 4.0
    threshold.add([1.0] * SCORES_MAX)
    assert threshold.value == 2.0


@given(st.lists(st.floats(0, 10), min_size=SCORES_MIN, max_size=400))
def test_at_most_a_hundredth_of_what_it_has_seen_lies_above_it(scores: list[float]) -> None:
    threshold = made()
    threshold.add(scores)
    assert sum(score > threshold.value for score in scores) <= len(scores) / 100
    assert threshold.value >= 2.0
