"""What the sources ran into, simulated: the talk's hot key, the thesis' nightly burst and its snowball, and each gone.

A scenario has variants of one workload; the first is the source's own. Each has figures and curves that can be drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.planning.simulated_outcomes import Flow
from footfall.planning.simulated_partitions import Keys, Sort
from footfall.planning.simulated_table import Load, TableDesign, TableOutcome, simulate_table
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.traffic import Minutes, Traffic, peak_to_mean
from footfall.planning.traffic_popularity import Popularity
from footfall.planning.workload import workload_of_minutes

TALK = "Falling In and Out of Love with DynamoDB (the DynamoDB talk)"
THESIS = "The page-hit-counter thesis"


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Something to draw, a value for each minute."""

    name: str
    unit: str
    values: Minutes


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One way to do the same work, and what became of it."""

    name: str
    says: str
    outcome: TableOutcome
    figures: Mapping[str, float]

    @property
    def curves(self) -> Sequence[Curve]:
        """Return what is drawn of every variant: what is there, what is used, what is refused, what waits."""
        flow = self.outcome.writes
        refused = sum(flow.throttled.values(), np.zeros(len(flow.offered)))
        return (
            Curve("provisioned", "write units/s", flow.capacity),
            Curve("consumed", "write units/s", flow.consumed / 60),
            Curve("throttled", "write units/s", refused / 60),
            Curve("waiting", "write units", flow.waiting),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """Something that a source tells of, and what the simulator makes of it."""

    name: str
    title: str
    source: str
    theirs: str  # what the source says
    ours: str  # what is seen here, and why it may differ
    variants: tuple[Variant, ...]

    def variant(self, name: str) -> Variant:
        """Return one of the variants."""
        return next(one for one in self.variants if one.name == name)


def run(name: str, says: str, design: TableDesign, load: Load, *, seed: int) -> Variant:
    """Return a variant with the figures that all scenarios have."""
    outcome = simulate_table(design, [load], seed=seed)
    return Variant(name, says, outcome, figures_of(outcome.writes))


def figures_of(flow: Flow) -> dict[str, float]:
    """Return what is told of a flow in numbers."""
    offered = float(flow.offered.sum())
    five = flow.consumed[: len(flow.consumed) // 5 * 5].reshape(-1, 5).sum(axis=1)
    behind = np.flatnonzero(flow.waiting > 1)
    return {
        "offered units/s": offered / 60 / len(flow.offered),
        "served share": float(flow.served.sum()) / offered if offered else 1.0,
        "served of provisioned": float(flow.served.sum() / (60 * flow.capacity.sum())),
        "throttled units": flow.throttled_total,
        "wasted units": float(flow.wasted.sum()),
        "given up units": float(flow.given_up.sum()),
        "peak to mean, five minutes": peak_to_mean(five),
        "minutes behind": float(len(behind)),
        "waiting at the end": float(flow.waiting[-1]),
        "provisioned units/s, mean": float(flow.capacity.mean()),
        "provisioned units/s, most": float(flow.capacity.max()),
    }


def packed_units(traffic: Traffic, popularity: Popularity, *, minutes: int, batch: int = 1) -> Minutes:
    """Return the write units that footfall itself has for the same hits, as the model of its workload counts them."""
    site = Site(traffic, popularity, batch=batch, visitors=0.0)
    return workload_of_minutes(site, Stack(), Readers(), traffic.hits(minutes)).writes


def packed_keys(brands: int) -> Keys:
    """Return the keys of footfall's open minutes: one a brand and minute, `brand#M#start`."""
    return Keys(brands, 0.5, Sort.SPREAD, moves_every_minutes=1)
