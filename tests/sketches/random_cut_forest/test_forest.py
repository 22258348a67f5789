"""A forest that learns: what is unusual scores high and is explained, and old points fade."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.sketches.random_cut_forest.forest import BadPoint, Direction, Forest
from footfall.sketches.random_cut_forest.scaling import SCALED_MAX, Scaling
from footfall.sketches.random_cut_forest.shape import BadShape, Shape
from footfall.sketches.random_cut_forest.state import bytes_from_forest

SMALL = Shape(features=2, trees=10, sample=32, decay_points=200)
Points = Sequence[Sequence[float]]


def points_around(centre: Sequence[float], count: int, seed: int = 1) -> list[list[float]]:
    return np.random.default_rng(seed).normal(centre, 1, (count, len(centre))).tolist()


def learned(shape: Shape, points: Points, seed: int = 7) -> Forest:
    forest = Forest(shape, seed=seed)
    forest.judged(points)
    return forest


numbers = st.floats(-1e6, 1e6, width=32)


def series(features: int = 2) -> st.SearchStrategy[list[list[float]]]:
    return st.lists(st.lists(numbers, min_size=features, max_size=features), max_size=60)


@settings(max_examples=30, deadline=None)
@given(series(), st.lists(st.integers(1, 7), min_size=1, max_size=60), st.integers(1, 4))
def test_scores_do_not_depend_on_how_points_are_batched(points: Points, sizes: list[int], shingle: int) -> None:
    shape = Shape(features=2, shingle=shingle, trees=5, sample=16, decay_points=50)
    whole, parts = Forest(shape, seed=3), Forest(shape, seed=3)
    scores: list[float] = []
    at = 0
    for size in sizes * len(points):
        scores += parts.judged(points[at : at + size])
        at += size
        if at >= len(points):
            break
    assert whole.judged(points) == scores
    assert bytes_from_forest(whole) == bytes_from_forest(parts)


@settings(max_examples=20, deadline=None)
@given(series())
def test_asking_changes_nothing(points: Points) -> None:
    asked, silent = Forest(SMALL, seed=3), Forest(SMALL, seed=3)
    for point in points:
        assert asked.score(point) == asked.explained(point).score
        asked.add(point)
        silent.add(point)
    assert bytes_from_forest(asked) == bytes_from_forest(silent)


@settings(max_examples=20, deadline=None)
@given(series(), st.lists(numbers, min_size=2, max_size=2))
def test_attributions_add_up_to_the_score_and_strength_is_a_share(points: Points, asked: list[float]) -> None:
    explanation = learned(Shape(2, shingle=3, trees=5, sample=16), points).explained(asked)
    assert math.isclose(sum(part.attribution for part in explanation.features), explanation.score, abs_tol=1e-5)
    assert all(part.attribution >= 0 and 0 <= part.strength <= 1 for part in explanation.features)


def test_the_same_seed_gives_the_same_scores_and_another_gives_others() -> None:
    points = points_around([0, 0], 200)
    scores = Forest(SMALL, seed=1).judged(points)
    assert Forest(SMALL, seed=1).judged(points) == scores
    assert Forest(SMALL, seed=2).judged(points) != scores


def test_nothing_is_said_before_the_forest_is_warm() -> None:
    scores = Forest(SMALL, seed=1).judged(points_around([0, 0], 100))
    assert set(scores[: SMALL.warm_up]) == {0.0}
    assert min(scores[SMALL.warm_up + 1 :]) > 0


@pytest.mark.parametrize(("value", "direction"), [(14.0, Direction.HIGH), (6.0, Direction.LOW)])
@pytest.mark.parametrize("feature", [0, 1, 2])
def test_an_unusual_feature_is_named_with_its_direction(feature: int, value: float, direction: Direction) -> None:
    centre = [10.0, 10.0, 10.0]
    forest = learned(Shape(3, decay_points=1_000), points_around(centre, 600))
    explanation = forest.explained([value if at == feature else 10.0 for at in range(3)])
    usual = forest.explained(centre)
    assert explanation.score > 1.5 * usual.score
    parts = [part.attribution for part in explanation.features]
    assert parts.index(max(parts)) == feature
    assert explanation.features[feature].direction is direction
    assert explanation.features[feature].strength > 0.8


def test_a_shingle_sees_a_change_that_no_single_point_shows() -> None:
    # Up and down in turn; then down again, where it has been half of the time.
    shaken = np.random.default_rng(4).normal(0, 0.1, 600).tolist()
    points = [[at % 2 + shaken[at]] for at in range(600)]
    alone, in_rows = learned(Shape(1), [*points, [0.0]]), learned(Shape(1, shingle=4), [*points, [0.0]])
    assert in_rows.score([0.0]) > 1.5 * in_rows.score([1.0])
    assert alone.score([0.0]) < 1.5 * alone.score([1.0])


def test_old_points_fade_and_the_faster_the_shorter_the_decay() -> None:
    before, after = points_around([0, 0], 500), points_around([30, 30], 100, seed=2)

    def surprise(decay_points: int) -> float:
        forest = learned(Shape(2, trees=20, sample=64, decay_points=decay_points, is_scaled=False), [*before, *after])
        return forest.score([0.0, 0.0]) / forest.score([30.0, 30.0])

    # With a short memory the old place is the strange one; with a long one it is not.
    assert surprise(20) > 1.5 * surprise(100_000)


def test_units_do_not_matter_to_a_scaled_forest() -> None:
    points = points_around([5, 5], 400)
    scores = Forest(SMALL, seed=1).judged(points)
    in_other_units = Forest(SMALL, seed=1).judged([[x * 1_024, y * 1_024] for x, y in points])
    assert np.corrcoef(scores[50:], in_other_units[50:])[0, 1] > 0.99


def test_memory_does_not_grow_once_the_trees_are_full() -> None:
    forest = learned(SMALL, points_around([0, 0], 1_000))
    full = len(forest.engine.to_msgpack())
    forest.judged(points_around([0, 0], 3_000, seed=2))
    assert len(forest.engine.to_msgpack()) < 1.1 * full


@pytest.mark.parametrize("point", [[1.0], [1.0, 2.0, 3.0], [math.nan, 0.0], [0.0, math.inf], [1e16, 0.0]])
def test_a_point_that_is_none_is_refused_and_changes_nothing(point: list[float]) -> None:
    forest = learned(SMALL, points_around([0, 0], 100))
    before = bytes_from_forest(forest)
    for act in (forest.add, forest.score, forest.explained, lambda bad: forest.judged([bad])):
        with pytest.raises(BadPoint):
            act(point)
    assert bytes_from_forest(forest) == before


@pytest.mark.parametrize(
    "shape",
    [Shape(0), Shape(65), Shape(2, shingle=31), Shape(64, shingle=5), Shape(2, trees=0), Shape(2, sample=4_096)],
)
def test_a_shape_out_of_bounds_is_refused(shape: Shape) -> None:
    with pytest.raises(BadShape, match="must be 1 to"):
        Forest(shape, seed=1)
    with pytest.raises(BadShape, match="seed"):
        Forest(SMALL, seed=-1)


@given(st.lists(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=1), min_size=1, max_size=50))
def test_scaled_features_stay_within_bounds(points: Points) -> None:
    scaling = Scaling(1, decay_points=10)
    for seen, point in enumerate(points):
        assert abs(scaling.scaled(point)[0]) <= SCALED_MAX
        scaling.add(point, seen=seen)
        assert scaling.variances[0] >= 0
        assert math.isfinite(scaling.means[0])


def test_mean_and_variance_are_those_of_all_points_until_old_ones_fade() -> None:
    values = np.random.default_rng(5).normal(3, 2, 500)
    scaling = Scaling(1, decay_points=1_000)
    for seen, value in enumerate(values.tolist()):
        scaling.add([value], seen=seen)
    assert scaling.means[0] == pytest.approx(values.mean())
    assert scaling.variances[0] == pytest.approx(values.var())
