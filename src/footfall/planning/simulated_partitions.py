"""Where keys lie: partitions are stretches of the space that keys are hashed into, split when too large or too hot.

Every key has a position by its hash. A key whose items are asked for all over may be divided between two partitions;
one item, or a key that is always written at its end, cannot: that is the heat that splitting never helps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from footfall.planning.traffic_popularity import harmonic
from footfall.values.errors import Refused

Positions = NDArray[np.uint64]
Shares = NDArray[np.float64]

SPACE = 2.0**64
TOP_KEYS = 2_048  # Keys beyond are so many and so alike that they are spread evenly over the space.
PIECES = 16  # What a divisible key is cut into: it may lie on so many partitions.
PIECED_KEYS = 256
PARTITIONS_MAX = 20_000
_BACKGROUND_POINTS = 32
_ALIKE = 1e-12


def total(array: Shares) -> float:
    """Return the sum of everything; the method `sum` takes twice as long, and a simulated second has ten of them."""
    return float(np.add.reduce(array, axis=None))


class Sort(StrEnum):
    """How the items under one partition key are reached, which decides whether the key can be divided."""

    ONE = "one-item"
    INCREASING = "increasing"
    SPREAD = "spread"


@dataclass(frozen=True, slots=True)
class Keys:
    """The partition keys of a load, by rank; with `moves_every_minutes` they are other keys after that time."""

    count: int
    exponent: float = 0.0
    sort: Sort = Sort.ONE
    moves_every_minutes: int = 0
    hot_share: float = 0.0  # of one key before all others, as an asset that goes viral has it
    top: tuple[float, ...] = ()  # shares of the first keys, where they are no plain Zipf; the others share the rest
    named: str = ""  # Loads with keys of one name ask for the same keys; without a name, keys are a load's own.

    def __post_init__(self) -> None:
        if self.count < 1 or self.moves_every_minutes < 0:
            raise Refused("keys", "there is one at least, and they move after so many minutes, or 0 for never")
        if not 0 <= self.exponent <= 5 or not 0 <= self.hot_share <= 1:
            raise Refused("keys", "the exponent lies between 0 and 5, the share of the hot key between 0 and 1")
        if (
            len(self.top) > min(self.count, TOP_KEYS)
            or not 0 <= sum(self.top) <= 1 + 1e-9
            or min(self.top, default=0) < 0
        ):
            raise Refused("keys", "the shares of the first keys are no more than the keys, and come to 1 at most")

    @property
    def hottest_share(self) -> float:
        """Return the share of the key with the most."""
        hottest = max(self.top) if self.top else 1 / harmonic(self.count, self.exponent)
        return self.hot_share + (1 - self.hot_share) * hottest

    def epoch(self, minute: int) -> int:
        """Return a number that changes when the keys do."""
        return minute // self.moves_every_minutes if self.moves_every_minutes else 0

    def salt(self, *, seed: int, place: int) -> int:
        """Return what the keys are hashed with: by their name, so that a key lies where it is for whoever asks."""
        # A load's place is under a thousand, so no name falls on one.
        return seed * 1_000 + (1_000 * 2**32 + crc32(self.named.encode()) if self.named else place)


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Keys, or pieces of keys, in the order of their positions, and what lies evenly between them."""

    positions: Positions
    weights: Shares
    background: float


def slots_of(keys: Keys, *, salt: int, epoch: int) -> Slots:
    """Return where a load's keys lie during an epoch."""
    weights = _weights_of(keys)
    top = len(weights)
    background = max(0.0, 1 - float(weights.sum())) if keys.count > top else 0.0
    weights *= 1 - keys.hot_share
    weights[0] += keys.hot_share
    positions = hashed(np.arange(top, dtype=np.uint64), salt=salt, epoch=epoch)
    if keys.sort is Sort.SPREAD:
        pieces = np.where(np.arange(top) < PIECED_KEYS, PIECES, 1)
        within = np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        positions, weights = (
            np.repeat(positions, pieces) + within.astype(np.uint64),
            np.repeat(weights / pieces, pieces),
        )
    order = np.argsort(positions, kind="stable")
    return Slots(positions[order], weights[order], background * (1 - keys.hot_share))


def _weights_of(keys: Keys) -> Shares:
    if keys.top:
        return np.array(keys.top)
    ranks = np.arange(1, min(keys.count, TOP_KEYS) + 1, dtype=np.float64)
    return ranks**-keys.exponent / harmonic(keys.count, keys.exponent)


def hashed(keys: Positions, *, salt: int, epoch: int) -> Positions:
    """Return the positions of numbered keys (SplitMix64), with room for a key's pieces behind each."""
    start = (salt * 0x9E3779B97F4A7C15 + epoch * 0xD1B54A32D192ED03) % 2**64
    with np.errstate(over="ignore"):
        mixed = keys * np.uint64(0xA24BAED4963EE407) + np.uint64(start)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed & np.uint64(2**64 - PIECES)


class Layout:
    """The partitions of a table or an index, as the first position of each."""

    def __init__(self, partitions: int) -> None:
        count = max(1, min(partitions, PARTITIONS_MAX))
        self.starts: Positions = np.array([2**64 * place // count for place in range(count)], dtype=np.uint64)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def widths(self) -> Shares:
        """Return the part of the space that each partition has."""
        return np.diff(self.starts.astype(np.float64), append=SPACE) / SPACE

    def shares(self, slots: Slots) -> Shares:
        """Return which share of a load each partition has."""
        places = np.searchsorted(self.starts, slots.positions, side="right") - 1
        return np.bincount(places, slots.weights, len(self)) + slots.background * self.widths

    def halved(self, place: int) -> int | None:
        """Split a partition in the middle; return its place, or None when it cannot be."""
        start, end = self._bounds(place)
        return self._cut(place, start + (end - start) // 2) if end - start > PIECES else None

    def split_for_heat(self, place: int, loads: Sequence[tuple[float, Slots]]) -> int | None:
        """Split a partition where its heat is best divided; None when one slot has it all, and nothing would help."""
        start, end = self._bounds(place)
        points, heat = _heat_within(start, end, loads)
        total = float(heat.sum())
        if len(points) < 2 or total <= 0:
            return None
        before = np.cumsum(heat)[:-1]
        before[points[1:] == points[:-1]] = 0  # No boundary between two at one place.
        worse = np.maximum(before, total - before)
        best = int(np.argmax(worse <= worse.min() * (1 + _ALIKE)))  # The first of those that are alike.
        if worse[best] >= total * 0.999:
            return None
        return self._cut(place, int(points[best + 1]))

    def _bounds(self, place: int) -> tuple[int, int]:
        start = int(self.starts[place])
        return start, int(self.starts[place + 1]) if place + 1 < len(self) else 2**64

    def _cut(self, place: int, position: int) -> int | None:
        if len(self) >= PARTITIONS_MAX:
            return None
        self.starts = np.insert(self.starts, place + 1, np.uint64(position))
        return place


def _heat_within(start: int, end: int, loads: Sequence[tuple[float, Slots]]) -> tuple[Positions, Shares]:
    points: list[Positions] = []
    heats: list[Shares] = []
    for rate, slots in loads:
        first = int(np.searchsorted(slots.positions, np.uint64(start), side="left"))
        last = int(np.searchsorted(slots.positions, np.uint64(end - 1), side="right"))
        points.append(slots.positions[first:last])
        heats.append(rate * slots.weights[first:last])
        if slots.background > 0:
            step = (end - start) / _BACKGROUND_POINTS
            middles = [start + int((place + 0.5) * step) for place in range(_BACKGROUND_POINTS)]
            points.append(np.array(middles, dtype=np.uint64))
            part = rate * slots.background * (end - start) / SPACE
            heats.append(np.full(_BACKGROUND_POINTS, part / _BACKGROUND_POINTS))
    together, heat = np.concatenate(points), np.concatenate(heats)
    order = np.argsort(together, kind="stable")
    return together[order], heat[order]
