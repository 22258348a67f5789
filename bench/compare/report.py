"""What a run leaves: its points in one file, and its goals as rows like those of every benchmark."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.compare.goals import goal_rows
from bench.compare.points import Point
from bench.results import RESULTS, save

POINTS = "compare/points.json"


class Result(msgspec.Struct, frozen=True):
    """One run."""

    command: str
    took_s: float
    hits: int
    assets: int
    points: list[Point]
    remark: str = ""  # what a reader of the figures has to know of this run


def save_result(result: Result, directory: Path = RESULTS) -> None:
    """Write the points, and the goals that they tell of."""
    path = directory / POINTS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    save("compare", goal_rows(result.points), directory)


def read_result(directory: Path = RESULTS) -> Result | None:
    """Return the last run that was kept."""
    path = directory / POINTS
    return msgspec.json.decode(path.read_bytes(), type=Result) if path.exists() else None


def shown(points: Sequence[Point], kind: str) -> list[Point]:
    """Return the points of a kind."""
    return [one for one in points if one.size.kind == kind]
