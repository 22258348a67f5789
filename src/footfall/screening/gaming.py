"""The rule against gaming: what rises steeply by too few kinds of visitor is held; a viral story has many kinds."""

import math
from dataclasses import dataclass

from footfall.screening.asset_features import AssetFeature, AssetPoints, Floats
from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause

RISE_MIN = 2.0  # doublings against what is usual of the asset
AGENTS_LEAST = 0.35  # of the kinds of agent that so many hits usually have
AGENTS_ENOUGH = 0.5  # What is held stays so until it has as many.
KINDS_FEW = 10.0  # Readers of one application have fewer kinds than all readers, and yet more than this.
KINDS_ENOUGH = 14.0
REPEATS_MAX = 3.0  # hits of each visitor in five minutes
REPEATS_FEW = 2.0
STEADY = 1.0  # halvings of the deviation between hits that chance gives
STEADY_ENOUGH = 0.6


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why an asset's hits are not those of many people."""

    cause: Cause
    words: str
    notes: tuple[FeatureNote, ...]
    strength: float  # how far beyond the limit, in doublings


def suspicion_of(found: AssetPoints, row: int, *, rise: float, is_held: bool) -> Suspicion | None:
    """Return why an asset is to be held, or stays so; nothing when it is read by people, as far as one can tell."""
    if not is_held and rise < RISE_MIN:
        return None
    point = found.points[row]
    agents = 2.0 ** float(point[AssetFeature.AGENTS])
    repeats = 2.0 ** float(point[AssetFeature.REPEATS])
    steady = float(point[AssetFeature.STEADINESS])
    hits, times = int(found.hits[row]), 2.0**rise
    rose = f"{hits} hits in five minutes, {times:.1f} times what is usual"
    least, few = (AGENTS_ENOUGH, KINDS_ENOUGH) if is_held else (AGENTS_LEAST, KINDS_FEW)
    if agents < least and found.agents[row] < few:
        words = f"{rose}, by {found.agents[row]:.1f} kinds of agent where {found.agents_usual[row]:.1f} are usual"
        return _suspicion(point, Cause.FEW_AGENTS, words, (AssetFeature.AGENTS, "low"), AGENTS_LEAST / agents)
    if repeats > (REPEATS_FEW if is_held else REPEATS_MAX):
        words = f"{rose}, by {int(found.visitors[row])} visitors with {repeats:.1f} hits each"
        return _suspicion(point, Cause.FEW_VISITORS, words, (AssetFeature.REPEATS, "high"), repeats / REPEATS_MAX)
    if steady > (STEADY_ENOUGH if is_held else STEADY):
        words = f"{rose}, with {2.0**-steady:.0%} of the deviation that chance gives the time between them"
        return _suspicion(point, Cause.CLOCKWORK, words, (AssetFeature.STEADINESS, "high"), 2 ** (steady - STEADY))
    return None


def _suspicion(point: Floats, cause: Cause, words: str, what: tuple[AssetFeature, str], beyond: float) -> Suspicion:
    feature, direction = what
    beyond = max(0.0, math.log2(beyond))
    note = FeatureNote(
        feature.name.lower(), round(float(point[feature]), 3), 1.0, direction, round(min(1.0, beyond), 3)
    )
    return Suspicion(cause, words, (note,), beyond)
