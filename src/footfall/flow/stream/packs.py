"""Columns of a record that are packed already: MessagePack's arrays, joined without a look at what they hold."""

from collections.abc import Sequence

_SHORT_MAX, _SHORT, _LONG = 15, 0x90, 0xDC  # of MessagePack's arrays: up to 15 elements, and up to 65,535


def joined_packs(packs: Sequence[bytes], count: int) -> bytes:
    """Return arrays as one of so many elements, at most 65,535."""
    head = bytes([_SHORT | count]) if count <= _SHORT_MAX else bytes([_LONG]) + count.to_bytes(2, "big")
    return head + b"".join([one[1 if one[0] != _LONG else 3 :] for one in packs])
