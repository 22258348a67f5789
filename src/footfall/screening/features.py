"""What a forest is shown of visitors and assets: features by name and in words, and which sides are suspicious."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from footfall.screening.asset_features import AssetFeature
from footfall.screening.visitor_features import VisitorFeature
from footfall.sketches.random_cut_forest.forest import Direction, Explanation

_SURE = 0.8  # From this strength on the direction is said without a doubt.
_WORTH_SAYING = 0.1  # Smaller parts of a score are not put into words.


@dataclass(frozen=True, slots=True)
class Side:
    """How a feature is spoken of, and which of its sides speak for a program."""

    words: str
    suspicious: frozenset[Direction] = frozenset()


@dataclass(frozen=True, slots=True)
class FeatureNote:
    """What one feature has to do with a verdict, as in Kinesis Analytics' explanations."""

    feature: str
    value: float
    attribution: float
    direction: str
    strength: float


HIGH, LOW = frozenset({Direction.HIGH}), frozenset({Direction.LOW})
EITHER = HIGH | LOW  # Who comes often to one asset is as suspicious as who comes to all.
VISITOR_SIDES: Mapping[IntEnum, Side] = {
    VisitorFeature.HITS: Side("hits in the hour", HIGH),
    VisitorFeature.ASSETS: Side("different assets", EITHER),
    VisitorFeature.REPEATS: Side("hits on each asset", HIGH),
    VisitorFeature.STEADINESS: Side("evenness of the time between hits", HIGH),
    VisitorFeature.COVERAGE: Side("parts of the hour with a hit", HIGH),
    VisitorFeature.BARE: Side("share without a referrer", HIGH),
    VisitorFeature.SECTIONS: Side("different sections", EITHER),
    VisitorFeature.DELAY: Side("time between hit and arrival", HIGH),
    VisitorFeature.AGENT: Side("rarity of the agent"),
}
ASSET_SIDES: Mapping[IntEnum, Side] = {
    AssetFeature.HITS: Side("hits in five minutes"),
    AssetFeature.RISE: Side("rise against what is usual"),
    AssetFeature.REPEATS: Side("hits of each visitor", HIGH),
    AssetFeature.ONCE: Side("share of visitors who came once"),
    AssetFeature.BARE: Side("share without a referrer", HIGH),
    AssetFeature.AGENTS: Side("kinds of agent, against what is usual", LOW),
    AssetFeature.AGENT_SHIFT: Side("share of one agent, against what is usual", HIGH),
    AssetFeature.REFERRERS: Side("kinds of referrer", LOW),
    AssetFeature.STEADINESS: Side("evenness of the time between hits", HIGH),
    AssetFeature.DELAY: Side("time between hit and arrival", HIGH),
}


def suspicious_share(explanation: Explanation, sides: Mapping[IntEnum, Side]) -> float:
    """Return which share of a score comes from sides that speak for a program."""
    parts = explanation.features
    spoken = sum(parts[at].attribution for at, side in sides.items() if parts[at].direction in side.suspicious)
    return spoken / explanation.score if explanation.score > 0 else 0.0


def notes_of(
    explanation: Explanation, point: Sequence[float], sides: Mapping[IntEnum, Side]
) -> tuple[FeatureNote, ...]:
    """Return what each feature has to do with a score, the largest part first."""
    notes = [
        FeatureNote(
            *(feature.name.lower(), round(point[feature], 3), round(explanation.features[feature].attribution, 4)),
            *(explanation.features[feature].direction.value, round(explanation.features[feature].strength, 3)),
        )
        for feature in sides
    ]
    return tuple(sorted(notes, key=lambda note: (-note.attribution, note.feature)))


def words_of(notes: Sequence[FeatureNote], sides: Mapping[IntEnum, Side]) -> str:
    """Return the explanation as people read it."""
    named = {feature.name.lower(): side for feature, side in sides.items()}
    whole = sum(note.attribution for note in notes) or 1.0
    said = [
        f"{named[note.feature].words} {_how(note)} ({note.attribution / whole:.0%} of the score)"
        for note in notes
        if note.attribution / whole >= _WORTH_SAYING and note.feature in named
    ]
    return "; ".join(said) if said else "no feature stands out"


def _how(note: FeatureNote) -> str:
    how = "higher than usual" if note.direction == Direction.HIGH.value else "lower than usual"
    return how if note.strength >= _SURE else f"probably {how}"
