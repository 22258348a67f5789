"""What a judge has learned as bytes and back, in the format of docs/formats/judging.md: it outlives its process."""

import msgspec
import numpy as np
from msgspec import Struct

from footfall.screening.asset_features import AssetFeature
from footfall.screening.judging import Case, Learned, new_learned
from footfall.screening.thresholds import SCORES_MAX, Threshold
from footfall.screening.visitor_features import VisitorFeature
from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import content_of, framed
from footfall.sketches.random_cut_forest.forest import Forest
from footfall.sketches.random_cut_forest.state import bytes_from_forest, forest_from_bytes

MAGIC, VERSION = b"ffjg", 1
WHAT = "what a judge has learned"

_Cases = dict[int, Case]


class _Content(Struct, array_like=True, frozen=True):
    """The parts in their order."""

    visitors: bytes
    assets: bytes
    visitor_scores: bytes  # 8-byte floats, little-endian, the oldest first
    asset_scores: bytes
    usual: dict[int, float]
    visitor_cases: _Cases
    asset_cases: _Cases
    told_cases: _Cases


_decoder = msgspec.msgpack.Decoder(_Content)
_encoder = msgspec.msgpack.Encoder()


def bytes_from_learned(learned: Learned) -> bytes:
    """Return all that a judge has learned."""
    content = _Content(
        bytes_from_forest(learned.visitors),
        bytes_from_forest(learned.assets),
        _packed(learned.visitor_threshold),
        _packed(learned.asset_threshold),
        dict(sorted(learned.usual.items())),  # The same knowledge is the same bytes; cases stay in their order.
        *(learned.visitor_cases, learned.asset_cases, learned.told_cases),
    )
    return framed(MAGIC, VERSION, _encoder.encode(content))


def learned_from_bytes(data: bytes) -> Learned:
    """Return what was learned, or raise NotASketch if the bytes are not whole or of another release."""
    content = content_of(data, magic=MAGIC, version=VERSION, what=WHAT)
    try:
        parts = _decoder.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotASketch(f"{WHAT} cannot be read ({error}); let it learn again") from error
    fresh = new_learned(seed=0)
    fresh.visitors = _forest(parts.visitors, len(VisitorFeature))
    fresh.assets = _forest(parts.assets, len(AssetFeature))
    fresh.visitor_threshold.add(_scores(parts.visitor_scores))
    fresh.asset_threshold.add(_scores(parts.asset_scores))
    fresh.usual = _usual(parts.usual)
    fresh.visitor_cases, fresh.asset_cases = parts.visitor_cases, parts.asset_cases
    fresh.told_cases = parts.told_cases
    return fresh


def _packed(threshold: Threshold) -> bytes:
    return np.array(threshold.scores, "<f8").tobytes()


def _scores(data: bytes) -> list[float]:
    if len(data) % 8 or len(data) > 8 * SCORES_MAX:
        raise NotASketch(f"{WHAT} has {len(data)} bytes of scores, at most {8 * SCORES_MAX} are; let it learn again")
    scores = np.frombuffer(data, "<f8")
    if not np.isfinite(scores).all():
        raise NotASketch(f"{WHAT} has a score that is no number; let it learn again")
    return scores.tolist()


def _forest(data: bytes, features: int) -> Forest:
    forest = forest_from_bytes(data)
    if forest.shape.features != features:
        found = forest.shape.features
        raise NotASketch(f"{WHAT} has a forest of {found} features, here are {features}; let it learn again")
    return forest


def _usual(usual: dict[int, float]) -> dict[int, float]:
    if not np.isfinite(np.array(list(usual.values()), np.float64)).all():
        raise NotASketch(f"{WHAT} has an asset with no number of usual hits; let it learn again")
    return usual
