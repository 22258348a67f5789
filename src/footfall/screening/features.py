"""What a forest is shown of visitors and assets: features by name and in words, and which sides are suspicious."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum

from footfall.screening.asset_features import AssetFeature
from footfall.screening.visitor_features import VisitorFeature
from footfall.sketches.random_cut_forest.forest import Direction, Explanation

_SURE = 0.8  # From this strength on the direction is said without a doubt.
_WORTH_SAYING = 0.1  # Smaller parts of a score are not put into words.


class Unit(Enum):
    """What a feature is told in; a forest is shown most of them as logarithms, which nobody reads."""

    HITS = "hits"
    ASSETS = "assets"
    SECTIONS = "sections"
    SECONDS = "seconds"
    TIMES = "times"
    KINDS = "kinds"
    EVENNESS = "times as even as by chance"
    RARITY = "hits for each with this agent"
    SLOTS = "of six"
    SHARE = "of all"

    def told(self, value: float) -> float:
        """Return the value of a feature, as a forest is shown it, in this unit."""
        if self in (Unit.SLOTS, Unit.SHARE):
            return round(value, 3)
        return round(2.0**value - (1.0 if self in _PLUS_ONE else 0.0), 3)


_PLUS_ONE = frozenset({Unit.HITS, Unit.ASSETS, Unit.SECTIONS, Unit.SECONDS})  # so that none at all has a logarithm


@dataclass(frozen=True, slots=True)
class Side:
    """How a feature is spoken of, in which unit, and which of its sides speak for a program."""

    words: str
    unit: Unit
    suspicious: frozenset[Direction] = frozenset()


@dataclass(frozen=True, slots=True)
class FeatureNote:
    """What one feature has to do with a verdict, as in Kinesis Analytics' explanations."""

    feature: str
    value: float  # as the forest is shown it, which a release teaches; `told` says it to people
    attribution: float
    direction: str
    strength: float


HIGH, LOW = frozenset({Direction.HIGH}), frozenset({Direction.LOW})
EITHER = HIGH | LOW  # Who comes often to one asset is as suspicious as who comes to all.
VISITOR_SIDES: Mapping[IntEnum, Side] = {
    VisitorFeature.HITS: Side("hits in the hour", Unit.HITS, HIGH),
    VisitorFeature.ASSETS: Side("different assets", Unit.ASSETS, EITHER),
    VisitorFeature.REPEATS: Side("hits on each asset", Unit.TIMES, HIGH),
    VisitorFeature.STEADINESS: Side("evenness of the time between hits", Unit.EVENNESS, HIGH),
    VisitorFeature.COVERAGE: Side("parts of the hour with a hit", Unit.SLOTS, HIGH),
    VisitorFeature.BARE: Side("share without a referrer", Unit.SHARE, HIGH),
    VisitorFeature.SECTIONS: Side("different sections", Unit.SECTIONS, EITHER),
    VisitorFeature.DELAY: Side("time between hit and arrival", Unit.SECONDS, HIGH),
    VisitorFeature.AGENT: Side("rarity of the agent", Unit.RARITY),
}
ASSET_SIDES: Mapping[IntEnum, Side] = {
    AssetFeature.HITS: Side("hits in five minutes", Unit.HITS),
    AssetFeature.RISE: Side("rise against what is usual", Unit.TIMES),
    AssetFeature.REPEATS: Side("hits of each visitor", Unit.TIMES, HIGH),
    AssetFeature.ONCE: Side("share of visitors who came once", Unit.SHARE),
    AssetFeature.BARE: Side("share without a referrer", Unit.SHARE, HIGH),
    AssetFeature.AGENTS: Side("kinds of agent, against what is usual", Unit.TIMES, LOW),
    AssetFeature.AGENT_SHIFT: Side("share of one agent, against what is usual", Unit.TIMES, HIGH),
    AssetFeature.REFERRERS: Side("kinds of referrer", Unit.KINDS, LOW),
    AssetFeature.STEADINESS: Side("evenness of the time between hits", Unit.EVENNESS, HIGH),
    AssetFeature.DELAY: Side("time between hit and arrival", Unit.SECONDS, HIGH),
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
        f"{_said(note, named[note.feature])} ({note.attribution / whole:.0%} of the score)"
        for note in notes
        if note.attribution / whole >= _WORTH_SAYING and note.feature in named
    ]
    return "; ".join(said) if said else "no feature stands out"


def told_value(note: FeatureNote, sides: Mapping[IntEnum, Side]) -> tuple[float, str]:
    """Return a note's value in its unit, and the unit; as it is when the feature is of another release."""
    side = next((side for feature, side in sides.items() if feature.name.lower() == note.feature), None)
    return (note.value, "") if side is None else (side.unit.told(note.value), side.unit.value)


def _said(note: FeatureNote, side: Side) -> str:
    value = side.unit.told(note.value)
    told = f"{value:.0%}" if side.unit is Unit.SHARE else f"{value:,.4g} {side.unit.value}"
    return f"{side.words} {_how(note)}: {told}"


def _how(note: FeatureNote) -> str:
    how = "higher than usual" if note.direction == Direction.HIGH.value else "lower than usual"
    return how if note.strength >= _SURE else f"probably {how}"
