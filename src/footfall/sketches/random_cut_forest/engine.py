"""The one place that calls krcf, the random cut forest of AWS in Rust; points that come here were checked."""

from functools import cache
from typing import Protocol, cast

import krcf

from footfall.sketches.errors import NotASketch
from footfall.sketches.random_cut_forest.shape import Shape

SEED_MAX = 2**63 - 1
WHAT = "the state of a forest"


class Attribution(Protocol):
    """What each dimension adds to a score: for being higher, and for being lower, than what is usual."""

    def __getitem__(self, side: str, /) -> list[float]:
        """Return the values of one side, "high" or "low"."""
        ...


class Engine(Protocol):
    """A forest of krcf, as far as we call it."""

    def update(self, point: list[float], /) -> None:
        """Take in a point."""
        ...

    def score(self, point: list[float], /) -> float:
        """Return how unusual a point is."""
        ...

    def attribution(self, point: list[float], /) -> Attribution:
        """Return what its dimensions add to that."""
        ...

    def to_msgpack(self) -> bytes:
        """Return all of it as bytes."""
        ...

    def entries_seen(self) -> int:
        """Return how many rows of points were taken in."""
        ...

    def options(self) -> dict[str, object]:
        """Return what it was made with."""
        ...


@cache
def engine_version() -> str:
    """Return the release whose states this one reads: until 1.0, that of the same minor version."""
    from importlib.metadata import version  # A tenth of a process's start, and few ask.

    major, minor, *_ = version("krcf").split(".")
    return f"krcf {major}.{minor}"


def new_engine(shape: Shape, seed: int) -> Engine:
    """Return an empty forest."""
    return cast(Engine, krcf.RandomCutForest(_options(shape, seed)))  # pyright: ignore[reportArgumentType]


def engine_from_bytes(data: bytes, shape: Shape, seed: int, seen: int) -> Engine:
    """Return the forest of such bytes, or raise NotASketch if they are none of this shape."""
    try:
        engine = cast(Engine, krcf.RandomCutForest.from_msgpack(data))
        found, asked = engine.options(), _options(shape, seed)
    except (RuntimeError, ValueError, TypeError) as error:
        raise NotASketch(f"{WHAT} has an inside that cannot be read; let it learn again") from error
    rows = max(0, seen - shape.shingle + 1)  # It counts from the first full shingle on.
    if any(found.get(name) != value for name, value in asked.items()) or engine.entries_seen() != rows:
        raise NotASketch(f"{WHAT} is of another shape or age inside than outside; let it learn again")
    return engine


def _options(shape: Shape, seed: int) -> dict[str, object]:
    return {
        "dimensions": shape.features,
        "shingle_size": shape.shingle,
        "num_trees": shape.trees,
        "sample_size": shape.sample,
        "output_after": shape.warm_up,
        "random_seed": seed,
        "lambda": 1 / shape.decay_points,
        "internal_shingling": True,
        "parallel_execution_enabled": False,
    }
