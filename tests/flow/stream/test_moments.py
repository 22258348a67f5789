"""Packed times are the numbers that they stand for, whichever way they are asked."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.stream.moments import (
    PackedMoments,
    column_of_moments,
    joined_moments,
    moments_of,
    span_of,
)
from footfall.native import span_of_moments

at_ms = st.integers(100_000_000_000, 253_370_764_799_999)
columns = st.lists(at_ms, min_size=1, max_size=70)


def packed(moments: list[int]) -> PackedMoments:
    return PackedMoments(msgspec.msgpack.encode(moments), len(moments), (min(moments), max(moments)))


@given(moments=columns)
def test_a_column_that_is_read_has_its_times_its_first_and_its_last(moments: list[int]) -> None:
    found = moments_of(msgspec.Raw(msgspec.msgpack.encode(moments)))
    assert found is not None
    assert isinstance(found, PackedMoments) == (span_of_moments is not None)
    assert (list(found), len(found), found[0], found[1:]) == (moments, len(moments), moments[0], moments[1:])
    assert span_of(found) == (min(moments), max(moments))


@given(moments=st.lists(at_ms | st.integers(-(2**63), 2**64 - 1), max_size=20))
def test_a_column_of_any_numbers_is_read(moments: list[int]) -> None:
    found = moments_of(msgspec.Raw(msgspec.msgpack.encode(moments)))
    assert found is not None
    assert list(found) == moments


@pytest.mark.parametrize("column", [b"", b"\xc0"])
def test_a_column_that_is_not_there_has_no_times(column: bytes) -> None:
    assert moments_of(msgspec.Raw(column)) is None


@pytest.mark.parametrize("value", ["text", [None], ["a"], [1.5], {"a": 1}, 7, True])
def test_what_is_no_column_of_times_is_refused(value: object) -> None:
    with pytest.raises(msgspec.MsgspecError):
        moments_of(msgspec.Raw(msgspec.msgpack.encode(value)))


@given(several=st.lists(columns, min_size=1, max_size=5), plain=st.integers(-1, 4))
def test_columns_are_joined_in_order_packed_or_not(several: list[list[int]], plain: int) -> None:
    joined = joined_moments([one if place == plain else packed(one) for place, one in enumerate(several)])
    moments = [one for column in several for one in column]
    assert list(joined) == moments
    assert span_of(joined) == (min(moments), max(moments))
    assert msgspec.msgpack.encode(column_of_moments(joined)) == msgspec.msgpack.encode(moments)


def test_no_times_are_written_as_none() -> None:
    assert column_of_moments(None) is None
