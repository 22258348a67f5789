"""Which log this is and how far it was read, told from its text: names, sizes and compression may change.

A log is known by its first data line. Two servers may write the same first line in the same second, so that a *mark*
holds, beside the position, a checksum of the text before it: a log that goes on differently there is another one,
and is known by its first two lines, or four, and so on.
"""

import hashlib
import zlib
from collections.abc import Iterator, Sequence

TAIL_BYTES = 4_096  # What a mark looks back on: a dozen lines.
FINGERPRINT_BYTES = 16
OFFSET_MAX = 2**40 - 1  # A terabyte of one log; a mark is a positive 64-bit number.
_CHECK_BITS = 23


def is_data(line: bytes) -> bool:
    """Tell whether a line may be about a request rather than about the log."""
    return not line.startswith(b"#") and bool(line.strip(b"\0\r\n\t "))


def fingerprints(lines: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the names that a log with these first data lines may have, the shortest first."""
    count = 1
    while count <= len(lines):
        text = b"\n".join(line.strip(b"\0\r ") for line in lines[:count])
        yield hashlib.blake2b(text, digest_size=FINGERPRINT_BYTES, person=b"footfall-log").digest()
        count *= 2


def mark_at(offset: int, tail: bytes) -> int:
    """Return the mark of a position in a log and the text that ends there."""
    assert 0 <= offset <= OFFSET_MAX
    return offset << _CHECK_BITS | _check(tail) if offset else 0


def offset_of(mark: int) -> int:
    """Return the position that a mark names."""
    return mark >> _CHECK_BITS


def is_at(mark: int, tail: bytes) -> bool:
    """Tell whether the text that ends at a mark's position is the one that the mark was made of."""
    return mark & (1 << _CHECK_BITS) - 1 == _check(tail)


def _check(tail: bytes) -> int:
    return zlib.crc32(tail[-TAIL_BYTES:]) & (1 << _CHECK_BITS) - 1
