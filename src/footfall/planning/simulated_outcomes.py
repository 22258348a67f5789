"""What a simulation tells: an array for each thing that is drawn, one value a minute, and sums of them.

Units are those of the engine: write or read units of a table, records of a stream, calls of a function.
Everything that was offered is served, was given up, or waits at the end: `balance` says by how much that is untrue.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from footfall.planning.traffic import Minutes, peak_to_mean


class Cause(StrEnum):
    """Why something was throttled."""

    KEY_RANGE = "key-range"  # A partition, or a shard, has a limit of its own.
    PROVISIONED = "provisioned"  # The table's capacity and its burst are used up.
    PREVIOUS_PEAK = "previous-peak"  # On demand, more than double what there was before.
    ACCOUNT = "account"  # The account's quota.
    INDEX = "index"  # A secondary index could not take it, so the table did not.
    RAMP = "ramp"  # A function's environments come no faster.


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """What went into an engine and what came of it, minute by minute."""

    offered: Minutes  # what was to be done, each thing once
    attempted: Minutes  # as the engine saw it: with what was tried again
    served: Minutes
    throttled: Mapping[Cause, Minutes]  # attempts, not things
    wasted: Minutes  # served once more although it had been: a batch that was sent again whole
    given_up: Minutes
    waiting: Minutes  # at the end of each minute
    capacity: Minutes  # units a second that were provisioned, or could be had

    @property
    def throttled_total(self) -> float:
        """Return all attempts that were throttled."""
        return float(sum(float(one.sum()) for one in self.throttled.values()))

    @property
    def balance(self) -> float:
        """Return what is missing of all that was offered: nothing, but for the last digits."""
        waiting = float(self.waiting[-1]) if len(self.waiting) else 0.0
        return float(self.offered.sum() - self.served.sum() - self.given_up.sum()) - waiting

    @property
    def consumed(self) -> Minutes:
        """Return what the engine did, the useless too."""
        return self.served + self.wasted

    @property
    def peak_to_mean(self) -> float:
        """Return how many times the mean minute the busiest consumed."""
        return peak_to_mean(self.consumed)

    def lag_s(self) -> Minutes:
        """Return how long what waits will take at the speed of its minute; infinite where nothing moves."""
        speed = self.served / 60
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.waiting > 0, self.waiting / speed, 0.0)

    def digest(self) -> str:
        """Return a hash of every value: the same seed gives the same one."""
        found = hashlib.sha256()
        arrays = [self.offered, self.attempted, self.served, self.wasted, self.given_up, self.waiting, self.capacity]
        for array in [*arrays, *(self.throttled[cause] for cause in sorted(self.throttled))]:
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()


def hourly(minutes: Minutes) -> Minutes:
    """Return sums of hours; the last one may have begun only."""
    starts = np.arange(0, len(minutes), 60)
    return np.add.reduceat(minutes, starts) if len(minutes) else np.zeros(0)
