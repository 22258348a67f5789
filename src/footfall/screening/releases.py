"""What an operator has released, as points that a judge learns from: it was usual after all."""

from footfall.screening.asset_features import AssetFeature
from footfall.screening.findings import SubjectKind
from footfall.screening.verdicts import JUDGE, Change, State, Verdict
from footfall.screening.visitor_features import VisitorFeature


def released_points(change: Change) -> list[tuple[SubjectKind, list[float]]]:
    """Return what is to be learned of a change: points of released verdicts, of those that a forest has found."""
    if change.by == JUDGE:
        return []  # It goes on finding what was released, and learned that when it was.
    points = [(verdict.kind, point_of(verdict)) for verdict in change.verdicts if verdict.state is State.RELEASED]
    return [(kind, point) for kind, point in points if point]


def point_of(verdict: Verdict) -> list[float]:
    """Return the features that a verdict was found by, in their order; none when a rule has found it."""
    values = {note.feature: note.value for note in verdict.notes}
    features = VisitorFeature if verdict.kind is SubjectKind.VISITOR else AssetFeature
    names = [feature.name.lower() for feature in features]
    return [values[name] for name in names] if values.keys() >= set(names) else []
