"""What a record of named counters looks like: values of one counter as hashes, or an act upon the counter.

Values are hashed before they come here, so none of them is ever stored. docs/formats/records.md draws it.
"""

from enum import IntEnum
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct

from footfall.flow.stream.records import Unreadable
from footfall.sketches.coupons import RHO_MAX, rhos_of
from footfall.sketches.errors import NotASketch
from footfall.sketches.murmur import Hashes
from footfall.sketches.stored_theta import theta_from_bytes
from footfall.sketches.theta import THETA_LG_K
from footfall.sketches.uniques import NAMED_LG_K
from footfall.sketches.uniques_bytes import uniques_from_bytes
from footfall.values.window import Grain, Window

VERSION = 1
VALUES_PER_RECORD_MAX = 50_000  # of nine bytes each: half of what a record holds

_WORD = 8


class Act(IntEnum):
    """What a record does to its counter."""

    ADD = 0
    DELETE = 1
    PUT_UNIQUES = 2
    PUT_THETA = 3


class CounterRecord(Struct, array_like=True, frozen=True, gc=False):
    """One act upon one counter, and the brand's local day in which it came."""

    magic: Literal["ffuc"]
    version: int
    name: str
    from_ms: int
    to_ms: int
    act: int
    firsts: bytes = b""  # the first halves of the hashes, eight bytes each, little-endian
    rhos: bytes = b""  # of their second halves: one more than the leading zero bits, a byte each
    sketch: bytes = b""  # as we store one

    @property
    def day(self) -> Window:
        """Return the day in which it came."""
        return Window(Grain.DAY, self.from_ms, self.to_ms)

    def hashes(self) -> Hashes:
        """Return the hashes, as far as sketches look at them."""
        firsts = np.frombuffer(self.firsts, "<u8").astype(np.uint64)
        # Of the second half only its leading zero bits count, so one bit stands for it.
        seconds = np.uint64(1) << (np.uint64(64) - np.frombuffer(self.rhos, np.uint8).astype(np.uint64))
        return Hashes(firsts, seconds)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(CounterRecord)


def record_of_values(name: str, day: Window, hashes: Hashes) -> bytes:
    """Return the record that adds hashed values to a counter."""
    firsts, rhos = hashes.first.astype("<u8").tobytes(), rhos_of(hashes.second).astype(np.uint8).tobytes()
    return _encoder.encode(_record(name, day, Act.ADD, firsts=firsts, rhos=rhos))


def record_of_act(name: str, day: Window, act: Act, sketch: bytes = b"") -> bytes:
    """Return the record of a deletion or an import."""
    return _encoder.encode(_record(name, day, act, sketch=sketch))


def counter_record(data: bytes) -> CounterRecord:
    """Return what a record says, or raise Unreadable."""
    try:
        record = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"not a record of a counter: {error}") from error
    if record.version != VERSION:
        raise Unreadable(f"a counter's record of version {record.version}; this release reads version {VERSION}")
    rhos = np.frombuffer(record.rhos, np.uint8)
    if len(record.firsts) != _WORD * len(rhos) or np.any((rhos == 0) | (rhos > RHO_MAX)):
        raise Unreadable(f"a counter's record of {len(rhos)} values with {len(record.firsts)} bytes of hashes")
    if record.act not in list(Act) or not record.name or record.from_ms >= record.to_ms:
        raise Unreadable(f"a counter's record with the act {record.act}, or without a name or a day")
    _require_sketch(record)
    return record


def _require_sketch(record: CounterRecord) -> None:
    """Raise Unreadable unless a record that brings a sketch brings one of the size that counters have."""
    try:
        if record.act == Act.PUT_UNIQUES and (lg_k := uniques_from_bytes(record.sketch).lg_k) != NAMED_LG_K:
            raise Unreadable(f"a counter's record with a sketch of lgK {lg_k}, not {NAMED_LG_K}")
        if record.act == Act.PUT_THETA and (lg_k := theta_from_bytes(record.sketch).lg_k) != THETA_LG_K:
            raise Unreadable(f"a counter's record with a Theta sketch of lgK {lg_k}, not {THETA_LG_K}")
    except NotASketch as error:
        raise Unreadable(f"a counter's record with something else than a sketch: {error}") from error


def _record(
    name: str, day: Window, act: Act, *, firsts: bytes = b"", rhos: bytes = b"", sketch: bytes = b""
) -> CounterRecord:
    return CounterRecord("ffuc", VERSION, name, day.from_ms, day.to_ms, int(act), firsts, rhos, sketch)
