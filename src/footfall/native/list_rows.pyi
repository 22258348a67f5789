"""The rows of a list: which of them a filter asks for, and how they are written."""

from typing import Any

from numpy.typing import NDArray

Column = NDArray[Any] | bytes

def first(slices: Column, is_asked: Column, limit: int, /) -> bytes:
    """Return the places of the first rows whose slice is asked for, as 32-bit whole numbers."""

def items(
    assets: Column,
    hits: Column,
    slices: Column,
    before: Column,
    idents: Column,
    ends: Column,
    texts: Column,
    tails: list[bytes],
    /,
) -> bytes | None:
    """Return the entries of a list as JSON, or None for what Python has to write."""
