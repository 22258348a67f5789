"""Ranges of network addresses, packed: half a million of them take some megabytes and are searched in microseconds."""

import ipaddress
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import overload

from msgspec import Struct

from footfall.values.errors import Refused

V4_BYTES, V6_BYTES = 4, 16
VALUE_BYTES = 2  # of the text that a range may carry: a country
_COUNT_BYTES = 4

Range = tuple[bytes, bytes, str]  # first and last address, and what is said of them


def network_of(address: str) -> str:
    """Return whose address it is: of IPv6 the first half, since a household has all of the other."""
    if ":" not in address:
        return address
    try:
        return ipaddress.IPv6Address(address).packed[: V6_BYTES // 2].hex()
    except ValueError:
        return address


class Unpackable(Refused):
    """Stored bytes are not ranges."""


class _Column(Sequence[bytes]):
    """Values of one width that stand behind each other, as a sequence that can be searched."""

    __slots__ = ("_data", "_width")

    def __init__(self, data: bytes, width: int) -> None:
        self._data = data
        self._width = width

    def __len__(self) -> int:
        return len(self._data) // self._width

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        start = place * self._width
        return self._data[start : start + self._width]


class _Kind(Struct, frozen=True):
    """The ranges of one kind of address, in order and apart from each other."""

    width: int
    firsts: bytes
    lasts: bytes
    values: bytes

    def place_of(self, packed: bytes) -> int | None:
        """Return which range holds the address."""
        place = bisect_right(_Column(self.firsts, self.width), packed) - 1
        return place if place >= 0 and packed <= _Column(self.lasts, self.width)[place] else None


class Ranges:
    """Ranges of both kinds of addresses."""

    def __init__(self, kinds: Sequence[_Kind]) -> None:
        self._kinds = {kind.width: kind for kind in kinds}

    def __len__(self) -> int:
        return sum(len(kind.firsts) // kind.width for kind in self._kinds.values())

    def holds(self, address: str) -> bool:
        """Tell whether an address lies in one of the ranges; what is no address lies in none."""
        packed = packed_address(address)
        return len(packed) in self._kinds and self._kinds[len(packed)].place_of(packed) is not None

    def value_of(self, address: str) -> str:
        """Return what is said of the range that holds the address; empty when none does."""
        packed = packed_address(address)
        kind = self._kinds.get(len(packed))
        place = None if kind is None else kind.place_of(packed)
        if kind is None or place is None:
            return ""
        return kind.values[place * VALUE_BYTES : (place + 1) * VALUE_BYTES].decode("ascii")

    def packed(self) -> bytes:
        """Return the bytes that the ranges are stored as; docs/formats/screening.md draws them."""
        parts: list[bytes] = []
        for width in (V4_BYTES, V6_BYTES):
            kind = self._kinds.get(width, _Kind(width, b"", b"", b""))
            parts += (
                (len(kind.firsts) // width).to_bytes(_COUNT_BYTES, "big"),
                len(kind.values).to_bytes(_COUNT_BYTES, "big"),
            )
            parts += (kind.firsts, kind.lasts, kind.values)
        return b"".join(parts)


NONE = Ranges(())


def packed_address(text: str) -> bytes:
    """Return an address as bytes, an IPv4 one inside IPv6 as itself; empty when the text is none."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return b""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.packed
    return address.packed


def range_of(text: str, *, value: str = "") -> Range:
    """Return the range that a network like 203.0.113.0/24, or one address, stands for, or raise ValueError."""
    network = ipaddress.ip_network(text, strict=False)
    return network.network_address.packed, network.broadcast_address.packed, value


def ranges_from(found: Iterable[Range]) -> Ranges:
    """Return the ranges in order, those that touch and say the same joined; raise Refused when two disagree."""
    kinds: list[_Kind] = []
    in_order = sorted(found, key=lambda one: (len(one[0]), one[0], one[1]))
    for width in (V4_BYTES, V6_BYTES):
        joined = _joined([one for one in in_order if len(one[0]) == width])
        firsts, lasts = b"".join(one[0] for one in joined), b"".join(one[1] for one in joined)
        kinds.append(_Kind(width, firsts, lasts, "".join(one[2] for one in joined).encode("ascii")))
    return Ranges(kinds)


def ranges_from_packed(data: bytes) -> Ranges:
    """Return the ranges that were stored, or raise Unpackable."""
    kinds: list[_Kind] = []
    at = 0
    for width in (V4_BYTES, V6_BYTES):
        count = int.from_bytes(data[at : at + _COUNT_BYTES], "big") * width
        valued = int.from_bytes(data[at + _COUNT_BYTES : at + 2 * _COUNT_BYTES], "big")
        at += 2 * _COUNT_BYTES
        kinds.append(
            _Kind(
                width,
                data[at : at + count],
                data[at + count : at + 2 * count],
                data[at + 2 * count : at + 2 * count + valued],
            )
        )
        at += 2 * count + valued
    if at != len(data):
        raise Unpackable("list", f"has {len(data):,} bytes where its ranges take {at:,}; bring the file once more")
    return Ranges(kinds)


def _joined(in_order: Sequence[Range]) -> list[Range]:
    joined: list[Range] = []
    for first, last, value in in_order:
        before = joined[-1] if joined else None
        if before is None or first > _after(before[1]):
            joined.append((first, last, value))
        elif value == before[2]:
            joined[-1] = (before[0], max(last, before[1]), value)
        elif first > before[1]:
            joined.append((first, last, value))
        else:
            raise Refused(
                "list",
                f"says both {before[2]} and {value} of {ipaddress.ip_address(first)}; a range may lie in one country",
            )
    return joined


def _after(packed: bytes) -> bytes:
    number = int.from_bytes(packed, "big") + 1
    return number.to_bytes(len(packed), "big") if number < 1 << (8 * len(packed)) else packed
