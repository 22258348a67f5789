"""Which event times a record has, told without unpacking its hits: whoever looks for some hours skips the others."""

import msgspec
from msgspec import Raw, Struct

from footfall.flow.stream.moments import Span, moments_of, span_of

_NONE = b"\xc0"  # MessagePack's null

ALWAYS: Span = (-(1 << 62), 1 << 62)  # of a record that may have hits of any time


class _Times(Struct, array_like=True, frozen=True, gc=False):
    """The columns of a pack that tell its times; what is Raw is stepped over, and what follows is not looked at."""

    version: int
    rules: int
    arrived_at_ms: int
    keys: Raw
    at_ms: Raw = Raw(_NONE)
    weights: Raw = Raw(_NONE)
    screened: Raw = Raw(_NONE)
    replays: Raw = Raw(_NONE)


_decoder = msgspec.msgpack.Decoder(_Times)


def span_of_record(data: bytes) -> Span:
    """Return the first and the last event time of a record; ALWAYS when it comes again or cannot be read."""
    try:
        times = _decoder.decode(data)
        moments = moments_of(times.at_ms) or (times.arrived_at_ms,)
    except msgspec.MsgspecError:
        return ALWAYS
    if bytes(times.replays) != _NONE:
        return ALWAYS
    return span_of(moments)
