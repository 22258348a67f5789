"""Columns of a record that are packed already: arrays of MessagePack, kept and joined without a look into them."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

_SHORT_MAX, _SHORT, _LONG = 15, 0x90, 0xDC  # of MessagePack's arrays: up to 15 elements, and up to 65,535

T = TypeVar("T")


class Packed(Sequence[T]):
    """A column that is packed; what it holds becomes objects when somebody asks for one."""

    __slots__ = ("_count", "_unpacked", "packed")

    def __init__(self, packed: bytes, count: int) -> None:
        self.packed = packed
        self._count = count
        self._unpacked: list[T] | None = None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        return iter(self.unpacked())

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        return self.unpacked()[place]

    def unpacked(self) -> list[T]:
        """Return what the column holds."""
        if self._unpacked is None:
            self._unpacked = self._decoded()
        return self._unpacked

    @abstractmethod
    def _decoded(self) -> list[T]: ...


def joined_packs(packs: Sequence[bytes], count: int) -> bytes:
    """Return arrays as one of so many elements, at most 65,535."""
    head = bytes([_SHORT | count]) if count <= _SHORT_MAX else bytes([_LONG]) + count.to_bytes(2, "big")
    return head + b"".join([one[1 if one[0] != _LONG else 3 :] for one in packs])
