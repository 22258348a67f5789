"""The planned writes on a simulated table, as the stack has it and as it might be provisioned: what is refused."""

from dataclasses import dataclass

import numpy as np

from footfall.planning.capacity import bounds_for
from footfall.planning.simulated_capacity import Capacity, OnDemand, Provisioned
from footfall.planning.simulated_clients import Paced
from footfall.planning.simulated_limits import TABLE_UNITS_MAX, TARGET
from footfall.planning.simulated_partitions import Keys, Sort
from footfall.planning.simulated_table import Load, TableDesign, TableOutcome, simulate_table
from footfall.planning.summary_sizes import Floats
from footfall.planning.workload import Workload

MINUTES = 720  # Twelve hours around the busiest minute: what is refused waits for quieter ones.


@dataclass(frozen=True, slots=True)
class Simulated:
    """One way to provision the table, and what became of it."""

    name: str
    outcome: TableOutcome
    first_minute: int  # of what was planned for

    @property
    def refused(self) -> float:
        """Return the units that were refused, each time they were."""
        return self.outcome.writes.throttled_total

    @property
    def refused_share(self) -> float:
        """Return them by what was offered."""
        offered = float(self.outcome.writes.offered.sum())
        return self.refused / offered if offered else 0.0

    @property
    def hottest_share(self) -> float:
        """Return how full the hottest partition was in its busiest second."""
        return float(self.outcome.hottest.max())


@dataclass(frozen=True, slots=True)
class Throttling:
    """The ways beside each other."""

    ways: tuple[Simulated, ...]


def throttling(work: Workload, *, seed: int, minutes: int = MINUTES) -> Throttling:
    """Return what becomes of the writes around the busiest minute."""
    minutes = min(minutes, len(work.hits))
    first = min(max(0, int(np.argmax(work.writes)) - minutes // 2), len(work.hits) - minutes)
    loads = _loads(work, first, first + minutes)
    per_s = work.writes[first : first + minutes] / 60
    scaling = bounds_for(per_s)
    ways: list[tuple[str, Capacity]] = [
        ("on demand", OnDemand()),
        ("auto scaling", Provisioned(_within(per_s[0] / TARGET, scaling.units_min), scaling)),
        ("provisioned for the mean", Provisioned(_within(per_s.mean(), 1.0))),
    ]
    return Throttling(
        tuple(Simulated(name, simulate_table(TableDesign(writes=way), loads, seed=seed), first) for name, way in ways)
    )


def _within(units: float, least: float) -> float:
    """Return whole units that a table may be given: its quota is the most."""
    return min(TABLE_UNITS_MAX, max(least, float(np.ceil(units))))


def _loads(work: Workload, start: int, end: int) -> list[Load]:
    """Return writes by the keys that they go to: open minutes of brands, one key a shard, and longer windows."""
    units, brands = work.written.units, work.site.popularity
    shards = work.stack.counting_shards
    paced = Paced(writers=shards)

    def load(name: str, values: Floats, keys: Keys) -> Load:
        return Load(name, np.ascontiguousarray(values[start:end]), keys, client=paced)

    of_brands = Keys(brands.brands, brands.brand_exponent, Sort.SPREAD, moves_every_minutes=1)
    longer = Keys(max(1, brands.brands), brands.brand_exponent, Sort.SPREAD, moves_every_minutes=60)
    return [
        load("minutes", units["minutes"] + units["visitors"], of_brands),
        load("hours and days", units["hours"] + units["days"], longer),
        load("checkpoints", units["checkpoints"], Keys(1, sort=Sort.SPREAD)),
        load(
            "journal, pending, ids",
            units["journal"] + units["pending"] + units["finishing"] + units["ids"],
            Keys(shards, sort=Sort.INCREASING),
        ),
    ]
