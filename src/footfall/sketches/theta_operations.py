"""The one place that calls Apache DataSketches: set operations on Theta sketches, and their bounds.

Bytes go in and come out, in the compact form; those that go in were made or checked by `theta_bytes.py`.
"""

from collections.abc import Sequence
from typing import Protocol, cast

import datasketches  # pyright: ignore[reportMissingTypeStubs] # It brings none; the protocols below say what we use.


class Sketch(Protocol):
    """A compact Theta sketch of DataSketches."""

    def get_estimate(self) -> float:
        """Return how many distinct values it stands for."""
        ...

    def get_lower_bound(self, num_std_devs: int, /) -> float:
        """Return the lower bound, so many standard deviations away."""
        ...

    def get_upper_bound(self, num_std_devs: int, /) -> float:
        """Return the upper bound, so many standard deviations away."""
        ...

    def serialize(self) -> bytes:
        """Return it as bytes."""
        ...


class _Gathering(Protocol):
    def update(self, sketch: Sketch, /) -> None: ...
    def get_result(self) -> Sketch: ...


class _Difference(Protocol):
    def compute(self, a: Sketch, b: Sketch, /) -> Sketch: ...


class _CompactSketches(Protocol):
    def deserialize(self, data: bytes, /) -> Sketch: ...


class _Library(Protocol):
    compact_theta_sketch: _CompactSketches

    def theta_union(self, lg_k: int, /) -> _Gathering: ...
    def theta_intersection(self) -> _Gathering: ...
    def theta_a_not_b(self) -> _Difference: ...


_LIBRARY = cast(_Library, datasketches)


def read(data: bytes) -> Sketch:
    """Return the sketch of checked bytes."""
    return _LIBRARY.compact_theta_sketch.deserialize(data)


def union(sketches: Sequence[bytes], *, lg_k: int) -> bytes:
    """Return what is in any of the sketches."""
    return _result(_LIBRARY.theta_union(lg_k), sketches)


def intersection(sketches: Sequence[bytes]) -> bytes:
    """Return what is in all of the sketches."""
    return _result(_LIBRARY.theta_intersection(), sketches)


def difference(sketch: bytes, minus: bytes) -> bytes:
    """Return what is in the first sketch and not in the other."""
    return bytes(_LIBRARY.theta_a_not_b().compute(read(sketch), read(minus)).serialize())


def _result(gathering: _Gathering, sketches: Sequence[bytes]) -> bytes:
    for sketch in sketches:
        gathering.update(read(sketch))
    return bytes(gathering.get_result().serialize())
