"""Which event times a record has, told without unpacking its hits: whoever looks for some hours skips the others."""

import msgspec
from msgspec import Raw, Struct

_NONE = b"\xc0"  # MessagePack's null


class _Times(Struct, array_like=True, frozen=True, gc=False):
    """The columns of a pack that tell its times; what is Raw is stepped over, and what follows is not looked at."""

    version: int
    rules: int
    arrived_at_ms: int
    keys: Raw
    at_ms: list[int] | None = None
    weights: Raw = Raw(_NONE)
    screened: Raw = Raw(_NONE)
    replays: Raw = Raw(_NONE)


_decoder = msgspec.msgpack.Decoder(_Times)


def is_within(data: bytes, from_ms: int, to_ms: int) -> bool:
    """Tell whether a record may have hits of a span; of one that comes again, or cannot be read, it always may."""
    try:
        times = _decoder.decode(data)
    except msgspec.MsgspecError:
        return True
    if bytes(times.replays) != _NONE:
        return True
    if not times.at_ms:
        return from_ms <= times.arrived_at_ms < to_ms
    return min(times.at_ms) < to_ms and max(times.at_ms) >= from_ms
