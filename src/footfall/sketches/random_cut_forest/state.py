"""A forest as bytes and back, in the format of docs/formats/forests.md: what it has learned outlives its process."""

import struct

import numpy as np
import zstandard

from footfall.sketches.errors import NotASketch, UnknownSketchVersion
from footfall.sketches.frames import content_of, framed
from footfall.sketches.random_cut_forest.engine import SEED_MAX, WHAT, engine_from_bytes, engine_version
from footfall.sketches.random_cut_forest.forest import Forest
from footfall.sketches.random_cut_forest.shape import BadShape, Shape, require_shape

MAGIC, VERSION = b"ffrf", 1

_HEAD = struct.Struct("<HHHHQBQQ16sQ")
_LEVEL = 3
_BYTES_MAX = 1 << 30  # A forest of the largest shape has less.


def bytes_from_forest(forest: Forest) -> bytes:
    """Return all that a forest is."""
    shape, scaling = forest.shape, forest.scaling
    inside = forest.engine.to_msgpack()
    head = _HEAD.pack(
        *(shape.features, shape.shingle, shape.trees, shape.sample, shape.decay_points, shape.is_scaled),
        *(forest.seed, forest.seen, engine_version().encode(), len(inside)),
    )
    scales = np.array([scaling.means, scaling.variances], "<f8").tobytes()
    return framed(MAGIC, VERSION, head + scales + zstandard.ZstdCompressor(level=_LEVEL).compress(inside))


def forest_from_bytes(data: bytes) -> Forest:
    """Return the forest, or raise NotASketch if the bytes are not whole, UnknownSketchVersion if of another release."""
    content = content_of(data, magic=MAGIC, version=VERSION, what=WHAT)
    if len(content) < _HEAD.size:
        raise NotASketch(f"{WHAT} has {len(content)} bytes of content, too few for any; let it learn again")
    features, shingle, trees, sample, decay_points, scaled, seed, seen, engine, size = _HEAD.unpack_from(content)
    found = engine.rstrip(b"\0").decode("ascii", "replace")
    if found != engine_version():
        raise UnknownSketchVersion(f"{WHAT} was written by {found!r}, here is {engine_version()!r}; let it learn again")
    shape = Shape(features, shingle, trees, sample, decay_points, bool(scaled))
    try:
        require_shape(shape)
    except BadShape as error:
        raise NotASketch(f"{WHAT} has no shape that a forest has ({error}); let it learn again") from error
    if scaled > 1 or seed > SEED_MAX or size > _BYTES_MAX:
        raise NotASketch(f"{WHAT} says {scaled}, {seed} and {size}, which no forest says; let it learn again")
    forest = Forest(shape, seed=seed)
    scales, packed = content[_HEAD.size :][: 16 * features], content[_HEAD.size + 16 * features :]
    _take_scales(forest, scales)
    forest.seen = seen
    forest.engine = engine_from_bytes(_unpacked(packed, size), shape, seed, seen)
    return forest


def _take_scales(forest: Forest, scales: bytes) -> None:
    features = forest.shape.features
    if len(scales) != 16 * features:
        raise NotASketch(f"{WHAT} ends before its {features} features do; let it learn again")
    numbers = np.frombuffer(scales, "<f8")
    if not np.isfinite(numbers).all() or np.any(numbers[features:] < 0):
        raise NotASketch(f"{WHAT} has means or variances that nothing has; let it learn again")
    forest.scaling.means = numbers[:features].tolist()
    forest.scaling.variances = numbers[features:].tolist()


def _unpacked(packed: bytes, size: int) -> bytes:
    try:
        # The size that the packed bytes tell is not believed: they would get as much memory as they ask for.
        with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
            inside = reader.read(size + 1)
    except zstandard.ZstdError as error:
        raise NotASketch(f"{WHAT} cannot be unpacked ({error}); let it learn again") from error
    if len(inside) != size:
        raise NotASketch(f"{WHAT} should hold {size} bytes and holds {len(inside)} or more; let it learn again")
    return inside
