"""Times of hits as they stand in a record: nearly always what is asked is which was the first and which the last."""

from collections.abc import Sequence
from typing import cast

import msgspec

from footfall.flow.stream.packs import Packed, joined_packs
from footfall.native import span_of_moments

Span = tuple[int, int]

_decode = msgspec.msgpack.Decoder(list[int]).decode
_NOTHING = (b"", b"\xc0")  # a column that is not there, or that no hit uses


class PackedMoments(Packed[int]):
    """A column of times; numbers are made of it when somebody asks for one."""

    __slots__ = ("span",)

    def __init__(self, packed: bytes, count: int, span: Span) -> None:
        super().__init__(packed, count)
        self.span = span  # the first and the last

    def _decoded(self) -> list[int]:
        return _decode(self.packed)


def span_of(moments: Sequence[int]) -> Span:
    """Return the first and the last of some times."""
    return moments.span if isinstance(moments, PackedMoments) else (min(moments), max(moments))


def moments_of(column: msgspec.Raw) -> Sequence[int] | None:
    """Return the times of a pack, None if it has none; raise what msgspec raises for what is no column of them."""
    packed = bytes(column)
    if packed in _NOTHING:
        return None
    found = None if span_of_moments is None else span_of_moments(packed)
    return _decode(packed) if found is None else PackedMoments(packed, found[0], found[1:])


def column_of_moments(moments: Sequence[int] | None) -> list[int] | None:
    """Return times for a pack that is only written: those that are packed go into it as they are."""
    column = msgspec.Raw(moments.packed) if isinstance(moments, PackedMoments) else moments
    return cast("list[int] | None", column)


def joined_moments(columns: Sequence[Sequence[int]]) -> Sequence[int]:
    """Return the times of all columns, packed if all of them are; at most 65,535."""
    packed = [column for column in columns if isinstance(column, PackedMoments)]
    if len(packed) != len(columns):
        return [moment for column in columns for moment in column]
    count = sum(map(len, packed))
    span = min(one.span[0] for one in packed), max(one.span[1] for one in packed)
    return PackedMoments(joined_packs([one.packed for one in packed], count), count, span)
