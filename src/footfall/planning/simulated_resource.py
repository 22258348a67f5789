"""A table or an index as something that takes units: its partitions, its capacity, what it has saved up.

In each second a partition takes what its own limit allows, then the table what it has. What is left of a second is
saved, up to the burst. A minute in which nothing is refused is computed at once; that is most of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from footfall.planning.simulated_capacity import (
    Capacity,
    Divided,
    OnDemand,
    OnDemandUnits,
    Provisioned,
    ProvisionedUnits,
    Sharded,
    ShardUnits,
)
from footfall.planning.simulated_limits import HEAT_MINUTES, PARTITION_BYTES, TABLE_UNITS_MAX
from footfall.planning.simulated_outcomes import Cause
from footfall.planning.simulated_partitions import Keys, Layout, Shares, Slots, slots_of, total

_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Kind:
    """What reads and writes differ in."""

    partition_units: float
    first_units: float  # of an on-demand table


@dataclass(frozen=True, slots=True)
class Split:
    """A partition that became two, or should have and could not."""

    minute: int
    why: str  # "capacity", "size", "heat", or "one key": its heat cannot be divided
    partitions: int


@dataclass(frozen=True, slots=True, eq=False)
class Admitted:
    """What one second takes, by load and partition, and what it refuses."""

    served: Shares
    refused: Sequence[tuple[Cause, Shares]]


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """A minute in which nothing was refused: what is saved up after it, and how hot the hottest partition was."""

    partition_saved: Shares
    saved: float
    hottest: float


class Resource:
    """One table or index for reads or for writes."""

    def __init__(  # noqa: PLR0913 - what it is, who uses it, and what it begins with
        self,
        capacity: Capacity | Sharded,
        kind: Kind,
        keys: Sequence[Keys],
        *,
        seed: int,
        partitions: int = 1,
        units_max: float = TABLE_UNITS_MAX,
        heat_minutes: int = HEAT_MINUTES,
    ) -> None:
        self._kind = kind
        self._keys = keys
        self._seed = seed
        self._units_max = units_max if isinstance(capacity, OnDemand) else float("inf")
        self._is_divided = isinstance(capacity, Divided | Sharded)
        self._heat_minutes = 0 if self._is_divided else heat_minutes
        self._cause = Cause.PREVIOUS_PEAK if isinstance(capacity, OnDemand) else Cause.PROVISIONED
        self._units = _units_of(capacity, kind)
        burst_s = 0 if isinstance(capacity, OnDemand | Sharded) else capacity.burst_s
        self._partition_burst_s = burst_s if self._is_divided else 0
        self._burst_s = 0 if self._is_divided else burst_s
        self.layout = Layout(max(partitions, ceil(self.units / kind.partition_units)))
        self.splits: list[Split] = []
        self._epochs = [keys_of.epoch(0) for keys_of in keys]
        self._slots = [self._slots_of(place) for place in range(len(keys))]
        self.shares = self._all_shares()
        # As if it had been idle before: a table that begins with nothing saved would refuse its first noise.
        self._saved = self._burst_s * self.units
        self._partition_saved = np.full(len(self.layout), self._partition_burst_s * self.partition_units)
        self._refusing = np.zeros(len(self.layout), dtype=bool)
        self._hot_minutes = np.zeros(len(self.layout), dtype=np.int64)

    @property
    def units(self) -> float:
        """Return the units a second that the whole has now."""
        return self._units.units

    @property
    def partition_units(self) -> float:
        """Return the units a second that one partition may have now."""
        return self.units / len(self.layout) if self._is_divided else self._kind.partition_units

    @property
    def saved(self) -> float:
        """Return the units that are saved up, of the whole and of all partitions."""
        return self._saved + float(self._partition_saved.sum())

    def begin(self, minute: int, stored_bytes: float, follow: Callable[[int, Shares], None]) -> None:
        """Let capacity, size and keys be what they are in this minute; tell who follows of partitions that split."""
        self._units.begin(minute)
        self._saved = min(self._saved, self._burst_s * self.units)
        while len(self.layout) < ceil(self.units / self._kind.partition_units):
            if not self._divide(minute, int(np.argmax(self.layout.widths)), "capacity", follow):
                break
        while stored_bytes * float(self.layout.widths.max()) > PARTITION_BYTES:
            if not self._divide(minute, int(np.argmax(self.layout.widths)), "size", follow):
                break
        for place, keys in enumerate(self._keys):
            if keys.epoch(minute) != self._epochs[place]:
                self._epochs[place] = keys.epoch(minute)
                self._slots[place] = self._slots_of(place)
                self.shares[place] = self.layout.shares(self._slots[place])
        limit = self._partition_burst_s * self.partition_units
        np.minimum(self._partition_saved, limit, out=self._partition_saved)

    def passed(self, rates: Shares) -> Passed | None:
        """Return what a minute leaves behind if it refuses nothing of these units by load and second, else None."""
        by_second = rates.sum(axis=0)
        if float(by_second.max()) > min(self._units_max, self._most()) + _SLACK:
            return None
        demand = rates.T @ self.shares
        hottest = float(demand.max()) / self.partition_units
        if self._partition_burst_s == 0:
            if hottest > 1 + _SLACK:
                return None
            partition_saved = self._partition_saved
        else:
            found = settled(self._partition_saved, self.partition_units, self._partition_burst_s, demand)
            if found is None:
                return None
            partition_saved = found
        if self._is_divided:
            return Passed(partition_saved, 0.0, hottest)
        saved = settled(np.array([self._saved]), self.units, self._burst_s, by_second[:, None])
        return None if saved is None else Passed(partition_saved, float(saved[0]), hottest)

    def keep(self, passed: Passed) -> None:
        """Go on after a minute that passed."""
        self._partition_saved = passed.partition_saved
        self._saved = passed.saved

    def admitted(self, demand: Shares) -> Admitted:
        """Return what a second takes of a demand by load and partition; nothing is spent yet."""
        refused: list[tuple[Cause, Shares]] = []
        wanted_by = np.add.reduce(demand)
        room = self._partition_saved + self.partition_units
        over = wanted_by > room + _SLACK
        if np.logical_or.reduce(over):
            self._refusing |= over
            part = np.ones(len(room))
            np.divide(room, wanted_by, out=part, where=over)
            refused.append((Cause.KEY_RANGE, demand * (1 - part)))
            demand = demand * part
        for cause, most in ((Cause.ACCOUNT, self._units_max), (self._cause, self._most())):
            wanted = total(demand)
            if wanted > most + _SLACK:
                refused.append((cause, demand * (1 - most / wanted)))
                demand = demand * (most / wanted)
        return Admitted(demand, refused)

    def spend(self, served: Shares) -> float:
        """Take what a second has served, by partition, from what there was; return the hottest's part of its limit."""
        if self._partition_burst_s:
            limit = self._partition_burst_s * self.partition_units
            left = self._partition_saved + self.partition_units - served
            self._partition_saved = np.clip(left, 0, limit)
        if self._burst_s:
            left = self._saved + self.units - total(served)
            self._saved = min(max(left, 0.0), self._burst_s * self.units)
        return float(np.maximum.reduce(served)) / self.partition_units

    def end(self, minute: int, units: float, rates: Shares, follow: Callable[[int, Shares], None]) -> None:
        """Look back on a minute that consumed so many units at these mean rates: alarms, peaks and heat."""
        self._units.end(minute, units / 60)
        if not self._heat_minutes:
            return
        self._hot_minutes = np.where(self._refusing, self._hot_minutes + 1, 0)
        self._refusing = np.zeros(len(self.layout), dtype=bool)
        # From the last on: splitting moves those behind.
        for place in np.flatnonzero(self._hot_minutes >= self._heat_minutes)[::-1].tolist():
            self._hot_minutes[place] = 0
            self._split_for_heat(minute, place, rates, follow)

    def _most(self) -> float:
        return float("inf") if self._is_divided else self.units + self._saved

    def _slots_of(self, place: int) -> Slots:
        keys = self._keys[place]
        return slots_of(keys, salt=keys.salt(seed=self._seed, place=place), epoch=self._epochs[place])

    def _all_shares(self) -> Shares:
        return np.stack([self.layout.shares(slots) for slots in self._slots])

    def _divide(self, minute: int, place: int, why: str, follow: Callable[[int, Shares], None]) -> bool:
        found = self.layout.halved(place)
        if found is not None:
            self._after_split(minute, place, why, follow)
        return found is not None

    def _split_for_heat(self, minute: int, place: int, rates: Shares, follow: Callable[[int, Shares], None]) -> None:
        loads = list(zip(rates.tolist(), self._slots, strict=True))
        if self.layout.split_for_heat(place, loads) is None:
            self.splits.append(Split(minute, "one key", len(self.layout)))
        else:
            self._after_split(minute, place, "heat", follow)

    def _after_split(self, minute: int, place: int, why: str, follow: Callable[[int, Shares], None]) -> None:
        before = self.shares[:, place]
        self.shares = self._all_shares()
        left = np.divide(self.shares[:, place], before, out=np.full(len(before), 0.5), where=before > 0)
        self._partition_saved = np.insert(self._partition_saved, place + 1, self._partition_saved[place])
        self._refusing = np.insert(self._refusing, place + 1, self._refusing[place])
        self._hot_minutes = np.insert(self._hot_minutes, place + 1, 0)
        self.splits.append(Split(minute, why, len(self.layout)))
        follow(place, left)


def _units_of(capacity: Capacity | Sharded, kind: Kind) -> ProvisionedUnits | OnDemandUnits | ShardUnits:
    match capacity:
        case Provisioned():
            return ProvisionedUnits(capacity.units, capacity.scaling)
        case Divided():
            return ProvisionedUnits(capacity.units, None)
        case OnDemand():
            return OnDemandUnits(kind.first_units, capacity.previous_peak)
        case Sharded():
            return ShardUnits(capacity, kind.partition_units)


def settled(saved: Shares, units: float, burst_s: int, demand: Shares) -> Shares | None:
    """Return what is saved after seconds of a demand (seconds x places), None when any second lacks something.

    A second has its units and what is saved; what is left is saved, up to the burst. This is that recursion solved.
    """
    limit = burst_s * units
    gains = np.cumsum(units - demand, axis=0)
    # What is saved after second t, by the last second in which it was full, or by the beginning.
    before = np.minimum.accumulate(np.vstack([saved[None, :], limit - gains]), axis=0)
    if float((gains + before[:-1]).min()) < -_SLACK * max(1.0, units):
        return None
    return np.maximum(gains[-1] + before[-1], 0.0)
