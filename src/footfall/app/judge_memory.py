"""What the judge keeps of a brand from one process to the next, as an object: docs/formats/judging.md draws it."""

import logging
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from footfall.ports.blobs import Blobs
from footfall.screening.hit_columns import code_of
from footfall.screening.judge_state import bytes_from_learned, learned_from_bytes
from footfall.screening.judging import Learned, new_learned
from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import content_of, framed

MAGIC, VERSION = b"ffjm", 1
WHAT = "what the judge keeps of a brand"
_PREFIX = "judging"
_SEEDS = 1 << 31

_log = logging.getLogger(__name__)


class _Content(Struct, array_like=True, frozen=True):
    """The parts in their order."""

    judged_ms: int
    version: int
    learned: bytes


@dataclass(slots=True)
class Memory:
    """What was learned, the end of the last minute that was judged, and the verdicts whose decisions were learned."""

    learned: Learned
    judged_ms: int = 0
    version: int = 0


_decoder = msgspec.msgpack.Decoder(_Content)
_encoder = msgspec.msgpack.Encoder()


def bytes_from_memory(memory: Memory) -> bytes:
    """Return the object."""
    content = _Content(memory.judged_ms, memory.version, bytes_from_learned(memory.learned))
    return framed(MAGIC, VERSION, _encoder.encode(content))


def memory_from_bytes(data: bytes) -> Memory:
    """Return what the object holds, or raise NotASketch if it is not whole or of another release."""
    content = content_of(data, magic=MAGIC, version=VERSION, what=WHAT)
    try:
        parts = _decoder.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotASketch(f"{WHAT} cannot be read ({error}); let it learn again") from error
    return Memory(learned_from_bytes(parts.learned), parts.judged_ms, parts.version)


class Memories:
    """The memories of all brands."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def of(self, brand: str, *, version: int) -> Memory:
        """Return what is kept of a brand; one that nothing is kept of knows the verdicts of this version."""
        data = self._blobs.get(_name(brand))
        if data is not None:
            try:
                return memory_from_bytes(data)
            except NotASketch as error:
                _log.warning("the judge begins anew with %s: %s", brand, error)
        return Memory(new_learned(seed=code_of(brand) % _SEEDS), version=version)

    def keep(self, brand: str, memory: Memory) -> None:
        """Keep it in the place of what was there."""
        self._blobs.put(_name(brand), bytes_from_memory(memory))


def _name(brand: str) -> str:
    return f"{_PREFIX}/{brand}"
