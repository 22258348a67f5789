"""Keys of hits as they stand in a record, so that nobody makes objects of them who does not look at them."""

from collections.abc import Iterator, Sequence
from typing import cast, overload

import msgspec

from footfall.flow.stream.packs import joined_packs
from footfall.flow.stream.records import HitKey

_decode = msgspec.msgpack.Decoder(list[HitKey]).decode


class PackedKeys(Sequence[HitKey]):
    """A column of keys that is packed already; keys are made of it when somebody asks for one."""

    __slots__ = ("_count", "_keys", "packed")

    def __init__(self, packed: bytes, count: int) -> None:
        self.packed = packed
        self._count = count
        self._keys: list[HitKey] | None = None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[HitKey]:
        return iter(self.unpacked())

    @overload
    def __getitem__(self, place: int) -> HitKey: ...
    @overload
    def __getitem__(self, place: slice) -> list[HitKey]: ...
    def __getitem__(self, place: int | slice) -> HitKey | list[HitKey]:
        return self.unpacked()[place]

    def unpacked(self) -> list[HitKey]:
        """Return the keys as tuples of texts."""
        if self._keys is None:
            self._keys = _decode(self.packed)
        return self._keys


def column_of(keys: Sequence[HitKey]) -> list[HitKey]:
    """Return keys for a pack that is only written: those that are packed go into it as they are."""
    column = msgspec.Raw(keys.packed) if isinstance(keys, PackedKeys) else keys
    return cast("list[HitKey]", column)


def joined_keys(columns: Sequence[Sequence[HitKey]]) -> Sequence[HitKey]:
    """Return the keys of all columns, packed if all of them are; at most 65,535."""
    packed = [column.packed for column in columns if isinstance(column, PackedKeys)]
    if len(packed) != len(columns):
        return [key for column in columns for key in column]
    count = sum(map(len, columns))
    return PackedKeys(joined_packs(packed, count), count)
