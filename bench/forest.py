"""The forest: points a second, and what it finds in series whose anomalies are known, beside the package rrcf.

Sketch. A point goes down 40 trees to be scored and down a part of them to be kept: some 90 us in krcf, so 11,000 points
a second on a core; measuring it in deviations adds 10 us. rrcf does the same in Python at 60 a second, so it is given
no more than 5,000 points. What runs out first is the processor.

Both see the same points, in deviations, with the same shingles, 40 trees and 256 points a tree. An alarm is a score
among the highest three hundredths of its series. Precision is the share of alarms that lie in a span that is not as
usual, recall the share of those spans with an alarm, delay how many points into them it comes. Measures, series and
seeds were settled before the two were compared. `python -m bench.forest --nab DIR` adds series of the Numenta Anomaly
Benchmark.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
import rrcf  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from bench.labelled_series import LEARNING, Series, made_series, nab_series
from bench.plan import SECONDS, Plan
from bench.results import RESULTS, Row, row, save, show
from footfall.sketches.random_cut_forest.forest import Forest
from footfall.sketches.random_cut_forest.scaling import Scaling
from footfall.sketches.random_cut_forest.shape import Shape
from footfall.sketches.random_cut_forest.state import bytes_from_forest, forest_from_bytes

TREES, SAMPLE = 40, 256
DECAY_POINTS = 10_000
ALARMS = 0.03
SEED = 20
LENGTH = 1_100  # of each of three series that both see: with two parts of NAB's, under 5,000
NAB_PARTS, NAB_LENGTH = 2, 800
MORE_SEEDS, MORE_LENGTH = 10, 4_000  # of series that only ours sees
RATE_MIN = 8_000
RATE_POINTS = 10_000

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Found:
    """What alarms say of spans, summed over series."""

    alarms: int = 0
    right: int = 0
    spans: int = 0
    found: int = 0
    delay: int = 0

    def __add__(self, other: "Found") -> "Found":
        return Found(
            *(self.alarms + other.alarms, self.right + other.right, self.spans + other.spans),
            *(self.found + other.found, self.delay + other.delay),
        )

    @property
    def measures(self) -> dict[str, float]:
        """Return what is printed, by its name."""
        return {
            "precision": 100 * self.right / max(1, self.alarms),
            "recall": 100 * self.found / max(1, self.spans),
            "delay": self.delay / max(1, self.found),
        }


def run(plan: Plan) -> list[Row]:
    """Measure speed, and detection on the made series."""
    return rows(plan, None)


def rows(plan: Plan, nab: Path | None) -> list[Row]:
    """Measure the same, and detection on NAB's series if their folder is given."""
    measured = _speed_rows(plan.scaled(RATE_POINTS))
    measured += _compared_rows("made series", made_series(SEED, LENGTH))
    more = [one for seed in range(plan.scaled(MORE_SEEDS)) for one in made_series(SEED + 1 + seed, MORE_LENGTH)]
    for name in dict.fromkeys(one.name for one in more):
        measured += _rows_of(f"{name}, more of them", _sum(_ours(one) for one in more if one.name == name))
    if nab is not None:
        series = [one for one in nab_series(nab) if one.spans]
        measured += _compared_rows(f"{NAB_PARTS} parts of NAB", _parts(series))
        measured += _rows_of(f"{len(series)} series of NAB", _sum(_ours(one) for one in series))
    return measured


def _speed_rows(count: int) -> list[Row]:
    points = np.random.default_rng(1).normal(size=(count, 8)).tolist()
    forest = Forest(Shape(8, trees=TREES, sample=SAMPLE, decay_points=DECAY_POINTS), seed=SEED)
    forest.judged(points[: count // 5])  # Full trees are the slower ones.
    started = process_time()
    forest.judged(points)
    judged = process_time() - started
    some = points[: count // 10]
    started = process_time()
    for point in some:
        forest.explained(point)
    explained = process_time() - started
    state = bytes_from_forest(forest)
    started = process_time()
    forest_from_bytes(state)
    return [
        row(f"points of 8 features, {TREES} trees x {SAMPLE}", count / judged, "points/s", at_least=RATE_MIN),
        row("points explained", len(some) / explained, "points/s"),
        row("state", len(state) / 1_000, "KB"),
        row("reading it", 1_000 * (process_time() - started), "ms"),
    ]


def _compared_rows(what: str, series: Sequence[Series]) -> list[Row]:
    ours = _sum(_ours(one) for one in series)
    started = process_time()
    theirs = _sum(_found(one, _rrcf_scores(one)) for one in series)
    rate = sum(len(one.points) for one in series) / (process_time() - started)
    goals = theirs.measures
    return [
        *_rows_of(f"{what}, ours", ours, goals),
        *_rows_of(f"{what}, rrcf", theirs),
        row(f"{what}, rrcf", rate, "points/s"),
    ]


def _rows_of(what: str, found: Found, goals: dict[str, float] | None = None) -> list[Row]:
    values, goals = found.measures, goals or {}
    return [
        row(f"{what}: precision", values["precision"], "%", at_least=goals.get("precision")),
        row(f"{what}: recall of {found.spans} spans", values["recall"], "%", at_least=goals.get("recall")),
        row(f"{what}: delay", values["delay"], "points", at_most=goals.get("delay")),
    ]


def _ours(series: Series) -> Found:
    shape = Shape(series.points.shape[1], series.shingle, TREES, SAMPLE, DECAY_POINTS)
    return _found(series, np.array(Forest(shape, seed=SEED).judged(series.points.tolist())))


def _rrcf_scores(series: Series) -> Scores:
    """Return rrcf's scores as its own documentation makes them of a stream: the oldest point of a tree goes first."""
    np.random.seed(SEED)  # It takes no generator.
    trees = [rrcf.RCTree() for _ in range(TREES)]
    scores = np.zeros(len(series.points))
    rows_of = np.lib.stride_tricks.sliding_window_view(_scaled(series), series.shingle, axis=0)
    for at, shingled in enumerate(rows_of.reshape(len(rows_of), -1)):
        for tree in trees:
            if len(tree.leaves) >= SAMPLE:
                tree.forget_point(at - SAMPLE)
            tree.insert_point(shingled, index=at)
            scores[at + series.shingle - 1] += tree.codisp(at) / TREES
    return scores


def _scaled(series: Series) -> Scores:
    scaling = Scaling(series.points.shape[1], DECAY_POINTS)
    shown: list[list[float]] = []
    for seen, point in enumerate(series.points.tolist()):
        shown.append(scaling.scaled(point))
        scaling.add(point, seen=seen)
    return np.array(shown)


def _found(series: Series, scores: Scores) -> Found:
    judged = scores[LEARNING:]
    alarms = np.flatnonzero(judged > np.quantile(judged, 1 - ALARMS)) + LEARNING
    right, found, delay = 0, 0, 0
    spans = [(start, stop) for start, stop in series.spans if start >= LEARNING]
    for start, stop in spans:
        inside = alarms[(alarms >= start) & (alarms < stop)]
        right += len(inside)
        if len(inside):
            found += 1
            delay += int(inside[0]) - start
    return Found(len(alarms), right, len(spans), found, delay)


def _sum(founds: Iterable[Found]) -> Found:
    return sum(founds, Found())


def _parts(series: Sequence[Series]) -> list[Series]:
    """Return parts around the first span of the first series in which there is room for one."""
    parts: list[Series] = []
    for one in series:
        first, last = one.spans[0]
        start = max(0, first - NAB_LENGTH // 2)
        part = one.cut(start, start + NAB_LENGTH)
        if part.spans and last - first < NAB_LENGTH // 2:
            parts.append(part)
    return parts[:NAB_PARTS]


def main() -> None:
    """Measure, with NAB's series if they are given, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.forest", description="What the forest finds, and how fast.")
    parser.add_argument("--nab", type=Path, metavar="DIR", help="a folder of NAB series with their windows.json")
    measured = rows(Plan(Path(), SECONDS), parser.parse_args().nab)
    save("forest", measured, RESULTS)
    show([("forest", measured)])


if __name__ == "__main__":
    main()
