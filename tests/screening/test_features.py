"""Explanations name each feature once, the largest part first, and say them in words."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.screening.asset_features import AssetFeature
from footfall.screening.features import (
    ASSET_SIDES,
    VISITOR_SIDES,
    FeatureNote,
    Unit,
    notes_of,
    suspicious_share,
    told_value,
    words_of,
)
from footfall.screening.visitor_features import VisitorFeature
from footfall.sketches.random_cut_forest.forest import Direction, Explanation, FeaturePart

parts = st.builds(FeaturePart, st.floats(0, 5), st.sampled_from(Direction), st.floats(0, 1))


def explanation_of(*drawn: FeaturePart) -> Explanation:
    return Explanation(sum(part.attribution for part in drawn), tuple(drawn))


def test_every_feature_has_words() -> None:
    assert list(VISITOR_SIDES) == list(VisitorFeature)
    assert list(ASSET_SIDES) == list(AssetFeature)
    assert all(side.words for side in (*VISITOR_SIDES.values(), *ASSET_SIDES.values()))


@given(st.lists(parts, min_size=len(VisitorFeature), max_size=len(VisitorFeature)))
def test_notes_are_all_features_by_their_part_of_the_score(drawn: list[FeaturePart]) -> None:
    explanation = explanation_of(*drawn)
    notes = notes_of(explanation, list(range(len(drawn))), VISITOR_SIDES)
    assert {note.feature for note in notes} == {feature.name.lower() for feature in VisitorFeature}
    assert [note.attribution for note in notes] == sorted((note.attribution for note in notes), reverse=True)
    assert words_of(notes, VISITOR_SIDES)
    assert -1e-9 <= suspicious_share(explanation, VISITOR_SIDES) <= 1 + 1e-9


def test_words_say_what_stands_out_and_how_sure_it_is() -> None:
    quiet = FeaturePart(0.0, Direction.LOW, 0.0)
    drawn = [quiet] * len(VisitorFeature)
    drawn[VisitorFeature.STEADINESS] = FeaturePart(3.0, Direction.HIGH, 0.99)
    drawn[VisitorFeature.HITS] = FeaturePart(1.0, Direction.LOW, 0.5)
    explanation = explanation_of(*drawn)
    words = words_of(notes_of(explanation, np.zeros(len(drawn)).tolist(), VISITOR_SIDES), VISITOR_SIDES)
    assert words == (
        "evenness of the time between hits higher than usual: 1 times as even as by chance (75% of the score); "
        "hits in the hour probably lower than usual: 0 hits (25% of the score)"
    )
    assert suspicious_share(explanation, VISITOR_SIDES) == 0.75


def test_a_score_of_nothing_has_no_suspicious_part() -> None:
    assert suspicious_share(explanation_of(*[FeaturePart(0.0, Direction.HIGH, 0.0)] * 9), VISITOR_SIDES) == 0


def test_values_are_told_in_their_unit_and_not_as_logarithms() -> None:
    def told(feature: str, value: float) -> tuple[float, str]:
        return told_value(FeatureNote(feature, value, 1.0, "high", 1.0), ASSET_SIDES)

    assert told("hits", np.log2(1 + 102)) == (102.0, "hits")
    assert told("repeats", 0.0) == (1.0, "times")
    assert told("rise", 3.0) == (8.0, "times")
    assert told("bare", 0.25) == (0.25, "of all")
    assert told("steadiness", 6.0) == (64.0, "times as even as by chance")
    assert told("of another release", 0.5) == (0.5, "")
    assert Unit.SECONDS.told(0.0) == 0.0


def test_a_share_is_said_in_hundredths() -> None:
    note = FeatureNote("bare", 0.25, 1.0, "high", 1.0)
    assert words_of([note], ASSET_SIDES) == "share without a referrer higher than usual: 25% (100% of the score)"
