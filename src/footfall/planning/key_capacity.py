"""Whether a key design is refused for want of capacity, whatever its keys are: told apart from heat by its cause."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from footfall.planning.key_schemas import Provision, Schema
from footfall.planning.simulated_limits import TABLE_UNITS_MAX, TARGET
from footfall.planning.simulated_outcomes import Cause, Flow
from footfall.planning.simulated_table import TableOutcome
from footfall.ports.capacity import write_units

THROTTLED_MAX = 0.001  # of what is offered: less is the noise of single seconds
LAST = slice(-10, None)  # The end of the hour: what was saved up for a burst is spent by then.
LAST_S = 600


@dataclass(frozen=True, slots=True)
class Lacking:
    """A table or an index that has fewer units than are asked of it."""

    what: str  # as "write units of the table"
    asked: float  # units a second, at the peak
    has: float
    refused_share: float
    is_quota: bool  # the account's, and not a provision that somebody has chosen

    @property
    def says(self) -> str:
        """Return the sentence."""
        whose = "the account's quota is" if self.is_quota else "there are"
        return (
            f"{self.what}: {self.asked:,.0f} a second are asked for at the peak, and {whose} {self.has:,.0f}: "
            f"{self.refused_share:.1%} is refused for want of capacity, whatever the keys are."
        )

    @property
    def suggestion(self) -> str:
        """Return what to do about it."""
        if self.is_quota:
            return f"Have the quota raised above {self.asked:,.0f} {self.what}, or divide the table."
        return (
            f"Provision {ceil(self.asked / TARGET):,} {self.what}, of which {TARGET:.0%} are used then, or let the "
            "table be on demand."
        )


def lacking(schema: Schema, outcome: TableOutcome) -> list[Lacking]:
    """Return what has too little capacity at the end of the simulated hour, the table first."""
    return [
        *_of_flow(schema, outcome.writes, "write"),
        *_of_flow(schema, outcome.reads, "read"),
        *_of_indexes(schema, outcome),
    ]


def _of_flow(schema: Schema, flow: Flow, unit: str) -> Iterator[Lacking]:
    asked, has = float(flow.offered[LAST].sum()) / LAST_S, float(flow.capacity[LAST].mean())
    causes = {Cause.PROVISIONED, Cause.PREVIOUS_PEAK, Cause.ACCOUNT}
    if isinstance(schema.capacity, Provision) and schema.capacity.divided and asked > has:
        causes.add(Cause.KEY_RANGE)  # Divided, a table refuses by partition even when all of them are full.
    share = _refused_share(flow, causes)
    if share > THROTTLED_MAX:
        is_quota = _refused_share(flow, {Cause.ACCOUNT}) > share / 2
        yield Lacking(f"{unit} units of the table", asked, TABLE_UNITS_MAX if is_quota else has, share, is_quota)


def _of_indexes(schema: Schema, outcome: TableOutcome) -> Iterator[Lacking]:
    requests = sum(one.per_second * one.peak for one in schema.access if one.does == "writes")
    share = _refused_share(outcome.writes, {Cause.INDEX})
    for index in schema.indexes:
        asked, has = requests * write_units(index.bytes), float(outcome.index_capacity[index.name][LAST].mean())
        # An index that has enough and refuses nevertheless is hot, which its keys tell.
        if share > THROTTLED_MAX and asked > has:
            yield Lacking(f"write units of the index {index.name}", asked, has, share, is_quota=False)


def _refused_share(flow: Flow, causes: set[Cause]) -> float:
    offered = float(flow.offered[LAST].sum())
    refused = sum(float(units[LAST].sum()) for cause, units in flow.throttled.items() if cause in causes)
    return refused / offered if offered else 0.0
