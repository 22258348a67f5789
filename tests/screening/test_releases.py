"""What an operator releases is learned as the point that it was found by, and only once."""

import msgspec

from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.releases import point_of, released_points
from footfall.screening.verdicts import JUDGE, Change, State, Verdict
from footfall.screening.visitor_features import VisitorFeature

NOTES = tuple(
    FeatureNote(feature.name.lower(), float(feature), 0.5, "high", 1.0) for feature in reversed(VisitorFeature)
)
FOUND = Verdict(
    SubjectKind.VISITOR, "00000000000000ff", 1, 2, Cause.UNUSUAL_VISITOR, State.RELEASED, 3, notes=NOTES, by="key"
)


def test_a_point_has_its_features_in_their_order() -> None:
    assert point_of(FOUND) == [float(feature) for feature in VisitorFeature]


def test_what_a_rule_has_found_is_no_point() -> None:
    assert point_of(msgspec.structs.replace(FOUND, kind=SubjectKind.ASSET, notes=NOTES[:1])) == []


def test_only_an_operators_releases_are_learned() -> None:
    held = msgspec.structs.replace(FOUND, state=State.HELD)
    assert released_points(Change(1, 5, "key", (FOUND, held))) == [(SubjectKind.VISITOR, point_of(FOUND))]
    assert released_points(Change(2, 6, JUDGE, (FOUND,))) == []  # The judge goes on with what was released.
