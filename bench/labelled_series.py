"""Series whose anomalies are known: made from a seed, or read from a folder of the Numenta Anomaly Benchmark."""

import csv
import gzip
import io
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
LEARNING = 256  # points at the start, in which nothing is judged
DAY = 96  # points: windows of a quarter of an hour


@dataclass(frozen=True, slots=True)
class Series:
    """Points in their order, and the spans (first point, and the one after the last) that are not as usual."""

    name: str
    points: Points
    spans: tuple[tuple[int, int], ...]
    shingle: int

    def cut(self, start: int, stop: int) -> "Series":
        """Return a part of the series, with the spans that lie in it whole."""
        spans = tuple((a - start, b - start) for a, b in self.spans if start + LEARNING <= a and b <= stop)
        return Series(self.name, self.points[start:stop], spans, self.shingle)


def made_series(seed: int, length: int) -> list[Series]:
    """Return one series of each kind: an asset's hits, visitors' windows, and an asset's windows."""
    return [_hits(seed, length), _visitors(seed, length), _asset(seed, length)]


def _spans(chance: np.random.Generator, length: int, count: int, size: int) -> tuple[tuple[int, int], ...]:
    """Return spans that are well apart, after what is learned from."""
    room = (length - LEARNING) // count
    starts = [LEARNING + room * at + int(chance.integers(0, room - 2 * size)) for at in range(count)]
    return tuple((start, start + size) for start in starts)


def _hits(seed: int, length: int) -> Series:
    """Hits of an asset with a daily rhythm: a burst, a stand-still, a steady drip and a fall, in turns."""
    chance = np.random.default_rng([seed, 1])
    usual = 200 * (1.3 + np.sin(2 * np.pi * np.arange(length) / DAY))
    hits = chance.poisson(usual).astype(np.float64)
    spans = _spans(chance, length, 8, 6)
    for turn, (start, stop) in enumerate(spans):
        if turn % 4 == 0:
            hits[start:stop] += 700
        elif turn % 4 == 1:
            hits[start:stop] = 0
        elif turn % 4 == 2:
            hits[start:stop] = hits[start]
        else:
            hits[start:stop] *= 0.3
    return Series("an asset's hits", hits[:, None], spans, shingle=4)


def _visitors(seed: int, length: int) -> Series:
    """Windows of visitors in eight features; programs differ from people in two of them, never the same two twice."""
    chance = np.random.default_rng([seed, 2])
    rate = chance.lognormal(0.7, 0.5, length)
    points = np.column_stack(
        [
            rate,
            np.minimum(rate, chance.lognormal(0.6, 0.4, length)),  # assets
            chance.gamma(4, 0.25, length),  # deviation of the time between hits, by its mean
            chance.beta(2, 5, length),  # hits without a referrer
            chance.beta(2, 2, length),  # hits of one agent
            chance.lognormal(0.3, 0.3, length),  # sections
            chance.beta(1.5, 6, length),  # hits at night
            chance.beta(1.2, 8, length),  # repeats
        ]
    )
    spans = _spans(chance, length, 10, 3)
    away = [(0, 30.0), (2, 0.01), (3, 0.99), (5, 9.0), (7, 0.95)]
    for turn, (start, stop) in enumerate(spans):
        for feature, value in (away[turn % 5], away[(turn + 1 + turn // 5) % 5]):
            points[start:stop, feature] = value
    return Series("visitors' windows", points, spans, shingle=1)


def _asset(seed: int, length: int) -> Series:
    """Windows of one asset in three features that move together, until hits rise and visitors do not."""
    chance = np.random.default_rng([seed, 3])
    wave = 1.3 + np.sin(2 * np.pi * np.arange(length) / DAY)
    hits = chance.poisson(300 * wave).astype(np.float64)
    visitors = chance.binomial(hits.astype(np.int64), 0.7).astype(np.float64)
    networks = chance.binomial(visitors.astype(np.int64), 0.3).astype(np.float64)
    spans = _spans(chance, length, 8, 5)
    for start, stop in spans:
        hits[start:stop] += 400
        visitors[start:stop] += 20
    return Series("an asset's windows", np.column_stack([hits, visitors, networks]), spans, shingle=2)


def nab_series(folder: Path) -> list[Series]:
    """Return the series of a folder: compressed tables with `windows.json` beside them."""
    windows: dict[str, list[tuple[str, str]]] = msgspec.json.decode((folder / "windows.json").read_bytes())
    return [_nab(folder, name, spans) for name, spans in sorted(windows.items())]


def _nab(folder: Path, name: str, windows: list[tuple[str, str]]) -> Series:
    with gzip.open(folder / f"{name}.gz") as packed:
        lines = list(csv.reader(io.TextIOWrapper(packed, encoding="utf-8")))[1:]
    times = [time for time, _ in lines]  # Equal forms: their order as texts is that of the times.
    spans = tuple(
        (int(np.searchsorted(times, a[:19])), int(np.searchsorted(times, b[:19], "right"))) for a, b in windows
    )
    return Series(name, np.array([[float(value)] for _, value in lines]), spans, shingle=4)
