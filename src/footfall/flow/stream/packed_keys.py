"""Keys of hits as they stand in a record, so that nobody makes objects of them who does not look at them."""

from collections.abc import Sequence
from typing import cast

import msgspec

from footfall.flow.stream.packs import Packed, joined_packs
from footfall.flow.stream.records import HitKey

_decode = msgspec.msgpack.Decoder(list[HitKey]).decode


class PackedKeys(Packed[HitKey]):
    """A column of keys; tuples of texts are made of it when somebody asks for one."""

    __slots__ = ()

    def _decoded(self) -> list[HitKey]:
        return _decode(self.packed)


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
