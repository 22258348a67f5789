"""The rule on walks: whoever goes through a hundred assets in an hour like a clock is a program, whatever others do.

The forest compares, and a site whose readers seldom come twelve times in an hour gives it nothing to compare with.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from footfall.screening.features import FeatureNote, Unit
from footfall.screening.findings import Cause, Finding, SubjectKind
from footfall.screening.visitor_features import VisitorFeature

ASSETS_MIN = 100  # different ones in the hour
STEADY_MIN = 1.0  # halvings of the deviation between hits that chance gives; people pause far more unevenly


@dataclass(frozen=True, slots=True)
class Walk:
    """What was seen of a walk."""

    words: str
    notes: tuple[FeatureNote, ...]
    score: float

    def finding(self, visitor: int, span: tuple[int, int]) -> Finding:
        """Return it as a finding about a visitor."""
        return Finding(SubjectKind.VISITOR, visitor, *span, Cause.WALK, self.score, self.notes, self.words)


def walk_of(point: Sequence[float]) -> Walk | None:
    """Return the walk that a visitor's hour is, if it is one."""
    assets, steady = Unit.ASSETS.told(point[VisitorFeature.ASSETS]), point[VisitorFeature.STEADINESS]
    if assets < ASSETS_MIN or steady < STEADY_MIN:
        return None
    words = f"{assets:,.0f} different assets in the hour, {2.0**steady:.1f} times as even as by chance"
    notes = tuple(
        FeatureNote(feature.name.lower(), round(point[feature], 3), 0.5, "high", 1.0)
        for feature in (VisitorFeature.ASSETS, VisitorFeature.STEADINESS)
    )
    return Walk(words, notes, steady - STEADY_MIN + 1.0)
