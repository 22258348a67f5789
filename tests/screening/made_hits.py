"""Hits as columns, made from a generator: people with many agents and referrers, and whoever a test is about."""

import numpy as np

from footfall.screening.hit_columns import HitColumns, joined

START_MS = 1_794_700_800_000
MINUTE_MS = 60_000
KINDS = 40  # agents of people


def hits(
    arrived_ms: list[int] | np.ndarray,
    *,
    asset: int | np.ndarray = 1,
    visitor: int | np.ndarray = 7,
    agent: int | np.ndarray = 1,
    referrer: int | np.ndarray = 0,
    section: int | np.ndarray = 1,
    late_ms: int | np.ndarray = 0,
) -> HitColumns:
    """Return hits; what is one number is so for all of them."""
    arrived = np.asarray(arrived_ms, np.int64)

    def column(value: int | np.ndarray) -> np.ndarray:
        return np.broadcast_to(np.asarray(value, np.uint64), arrived.shape).copy()

    parts = (column(asset), column(section), column(visitor), column(referrer), column(agent))
    return HitColumns(*parts, arrived - np.asarray(late_ms, np.int64), arrived)


def people(chance: np.random.Generator, minute: int, count: int = 300, readers: int = 60) -> HitColumns:
    """Return a minute of people who read what they like; each of some readers has his own agent."""
    visitor = chance.integers(1, readers + 1, count)
    asset = chance.integers(100, 160, count)
    return hits(
        START_MS + minute * MINUTE_MS + np.sort(chance.integers(0, MINUTE_MS, count)),
        asset=asset,
        visitor=visitor + 1_000_000 + 1_000 * (minute // 20),
        agent=1 + visitor % KINDS,
        referrer=chance.integers(0, 6, count),
        section=asset % 10,
    )


def together(*parts: HitColumns) -> HitColumns:
    """Return all the hits."""
    return joined(parts)
