"""A Theta sketch as the bytes that we store, and back. The format is drawn in docs/formats/uniques.md."""

from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import content_of, framed
from footfall.sketches.theta import LG_K_MAX, LG_K_MIN, Theta, datasketches_from_theta, theta_from_datasketches

VERSION = 1

_MAGIC = b"ffth"


def bytes_from_theta(sketch: Theta) -> bytes:
    """Return the sketch as bytes, the same for the same sketch."""
    return framed(_MAGIC, VERSION, bytes([sketch.lg_k]) + datasketches_from_theta(sketch))


def theta_from_bytes(data: bytes) -> Theta:
    """Return the sketch that the bytes hold, or raise NotASketch."""
    content = content_of(data, magic=_MAGIC, version=VERSION, what="a Theta sketch")
    lg_k = content[0] if content else 0
    if not LG_K_MIN <= lg_k <= LG_K_MAX:
        raise NotASketch(f"a Theta sketch says lgK {lg_k}, and none has that; count it again")
    sketch = theta_from_datasketches(content[1:], lg_k=lg_k)
    # One form for one content: whatever is written otherwise was not written by us.
    if datasketches_from_theta(sketch) != content[1:]:
        raise NotASketch(f"a Theta sketch of {len(data)} bytes is not written as we write it; count it again")
    return sketch
