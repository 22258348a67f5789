"""A visitor's hour as numbers, the same however its hits were handed over."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.screening.visitor_features import SLOT_MS, SLOTS, VisitorFeature, VisitorPoints, VisitorWindow
from tests.screening.made_hits import START_MS, hits, together


def window_of(arrived_ms: np.ndarray, **columns: int | np.ndarray) -> VisitorWindow:
    """Return a window that was given all the hits at once."""
    window = VisitorWindow()
    window.add(hits(arrived_ms, **columns))
    return window


def only(points: VisitorPoints, feature: VisitorFeature) -> float:
    assert len(points.visitor) == 1
    return float(points.points[0, feature])


def test_a_visitor_with_too_few_hits_is_not_judged() -> None:
    assert len(window_of(START_MS + np.arange(11) * 1_000).points().visitor) == 0
    assert window_of(START_MS + np.arange(12) * 1_000).points().visitor.tolist() == [7]


def test_hits_of_nobody_in_particular_are_left_aside() -> None:
    assert len(window_of(START_MS + np.arange(50) * 1_000, visitor=0).points().visitor) == 0


def test_a_clock_is_steadier_than_chance() -> None:
    clock = window_of(START_MS + np.arange(60) * 5_000).points()
    gaps = np.random.default_rng(1).exponential(5_000, 60)
    chance = window_of(START_MS + np.cumsum(gaps).astype(np.int64)).points()
    assert only(clock, VisitorFeature.STEADINESS) == 6
    assert -1 < only(chance, VisitorFeature.STEADINESS) < 1


def test_hits_that_were_sent_together_have_no_rhythm() -> None:
    assert only(window_of(START_MS + np.arange(60) // 20).points(), VisitorFeature.STEADINESS) == 0


def test_features_say_what_a_visitor_did() -> None:
    found = window_of(
        START_MS + np.arange(64) * 1_000,
        asset=np.arange(64) % 4 + 1,
        referrer=np.arange(64) % 2,
        section=np.arange(64) % 2 + 1,
        late_ms=7_000,
    ).points()
    assert found.hits.tolist() == [64]
    assert only(found, VisitorFeature.HITS) == pytest.approx(np.log2(65))
    assert only(found, VisitorFeature.ASSETS) == pytest.approx(np.log2(5))
    assert only(found, VisitorFeature.REPEATS) == 4
    assert only(found, VisitorFeature.BARE) == 0.5
    assert only(found, VisitorFeature.SECTIONS) == pytest.approx(np.log2(3))
    assert only(found, VisitorFeature.DELAY) == 3
    assert only(found, VisitorFeature.COVERAGE) == 1
    assert (found.first_ms.tolist(), found.last_ms.tolist()) == ([START_MS - 7_000], [START_MS + 56_000])


def test_many_assets_are_told_from_few_by_their_bitmap() -> None:
    count = 600
    found = window_of(START_MS + np.arange(count) * 1_000, asset=np.arange(count) + 1).points()
    assert only(found, VisitorFeature.ASSETS) == pytest.approx(np.log2(count), abs=0.3)


def test_an_hour_is_six_slots_and_what_was_before_is_forgotten() -> None:
    window = VisitorWindow(hits_min=1)
    for slot in range(SLOTS + 2):
        window.add(hits(START_MS + slot * SLOT_MS + np.arange(10) * 1_000))
        found = window.points()
        assert found.hits.tolist() == [10 * min(slot + 1, SLOTS)]
        assert only(found, VisitorFeature.COVERAGE) == min(slot + 1, SLOTS)
        window.begin_slot()
    assert len(window.points().visitor) == 0  # Nobody came in the slot that has just begun.


def test_the_rarest_visitors_are_forgotten_when_there_are_too_many() -> None:
    window = VisitorWindow(visitors_max=3, hits_min=1)
    window.add(hits(START_MS + np.arange(100), visitor=np.r_[np.arange(1, 91), np.repeat([500, 501], 5)]))
    window.add(hits(START_MS + 1_000 + np.arange(2), visitor=np.array([500, 501])))
    found = window.points()
    assert len(found.visitor) == 3
    assert dict(zip(found.visitor.tolist(), found.hits.tolist(), strict=True)).items() >= {(500, 6), (501, 6)}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 500_000), st.integers(0, 3), st.integers(1, 5), st.integers(0, 2)),
        max_size=80,
    ),
    st.lists(st.integers(0, 80), max_size=4),
)
def test_all_but_the_rarity_of_agents_does_not_depend_on_the_pieces_that_hits_came_in(
    rows: list[tuple[int, int, int, int]], cuts: list[int]
) -> None:
    rows = sorted(rows)
    columns = np.array(rows, np.int64).reshape(-1, 4)
    arrived, visitor, asset, referrer = columns.T
    every = hits(START_MS + arrived, visitor=visitor, asset=asset, referrer=referrer)
    whole, pieces = VisitorWindow(hits_min=2), VisitorWindow(hits_min=2)
    whole.add(every)
    ends = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    for start, stop in pairwise(ends):
        pieces.add(every.chosen(np.arange(start, stop)))
    one, other = whole.points(), pieces.points()
    assert one.visitor.tolist() == other.visitor.tolist()
    assert one.hits.tolist() == other.hits.tolist()
    exact = [VisitorFeature.HITS, VisitorFeature.ASSETS, VisitorFeature.REPEATS, VisitorFeature.BARE]
    np.testing.assert_allclose(one.points[:, exact], other.points[:, exact])
    steady = VisitorFeature.STEADINESS
    np.testing.assert_allclose(one.points[:, steady], other.points[:, steady], atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 100_000), st.integers(1, 4)), max_size=60))
def test_hits_and_assets_are_those_of_a_plain_count(rows: list[tuple[int, int]]) -> None:
    columns = np.array(sorted(rows), np.int64).reshape(-1, 2)
    window = VisitorWindow(hits_min=1)
    window.add(hits(START_MS + columns[:, 0], visitor=columns[:, 1]))
    found = window.points()
    counted = {who: [one[1] for one in rows].count(who) for who in {one[1] for one in rows}}
    assert dict(zip(found.visitor.tolist(), found.hits.tolist(), strict=True)) == counted
    assert np.isfinite(found.points).all()


def test_nothing_is_judged_of_nothing() -> None:
    assert len(VisitorWindow().points().visitor) == 0
    assert len(together().asset) == 0
