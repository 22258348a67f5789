"""How a table's units can be bought: by the request, by the hour, or reserved for years; and where that turns."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from footfall.planning.figures import Figure, Origin, derived, documented
from footfall.planning.prices import Region
from footfall.planning.simulated_capacity import ProvisionedUnits, Scaling
from footfall.planning.simulated_limits import TABLE_UNITS_MAX, TARGET
from footfall.planning.summary_sizes import Floats
from footfall.planning.workload import Workload

MONTH_HOURS = 720
YEAR_HOURS = 8_760
RESERVED_STEP = 100  # Reserved capacity is sold by the hundred units.
ON_DEMAND, PROVISIONED, SCALED, RESERVED_1Y, RESERVED_3Y = (
    "on demand",
    "provisioned",
    "auto scaling",
    "reserved 1 y",
    "reserved 3 y",
)

TARGET_FIGURE = documented(
    "capacity.target",
    TARGET,
    "share",
    "Auto scaling keeps use at 70 % of what is provisioned, so 1.43 times the use is paid for.",
    "DynamoDB, Managing throughput capacity automatically",
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to buy a table's units, and its monthly cost."""

    name: str
    cost: Figure
    write_units: float  # a second that are paid for, at the peak
    read_units: float

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is reserved: less than a hundred units are not sold."""
        return self.name in (RESERVED_1Y, RESERVED_3Y) and not self.write_units and not self.read_units

    @property
    def usd(self) -> Decimal:
        """Return the cost as a number."""
        return Decimal(self.cost.value)


@dataclass(frozen=True, slots=True)
class Capacity:
    """All ways."""

    ways: tuple[Way, ...]

    @property
    def cheapest(self) -> Way:
        """Return the one that costs least."""
        return min(self.ways, key=lambda way: way.usd)

    def way(self, name: str) -> Way:
        """Return one by its name."""
        return next(way for way in self.ways if way.name == name)


def capacity_costs(work: Workload, region: Region, *, months: float) -> Capacity:
    """Return what the units of a workload would cost by each way, a month."""
    writes, reads = work.writes / 60, work.reads / 60  # a second, in each minute
    per_month = 1 / months
    ways = [_on_demand(work, region, per_month)]
    peak = {"w": float(writes.max()) / TARGET, "r": float(reads.max()) / TARGET}
    flat = {name: max(1.0, float(np.ceil(value))) for name, value in peak.items()}
    ways.append(_provisioned(region, flat))
    hourly = {"w": followed_by_hour(writes), "r": followed_by_hour(reads)}
    ways.append(_scaled(region, hourly, per_month))
    ways += [_reserved(region, hourly, per_month, years=years) for years in (1, 3)]
    return Capacity(tuple(ways))


def bounds_for(per_s: Floats) -> Scaling:
    """Return bounds that a careful owner would give: down to the quietest minutes, up to twice the busiest."""
    least = min(TABLE_UNITS_MAX, max(1.0, float(np.ceil(np.quantile(per_s, 0.05) / TARGET))))
    most = min(TABLE_UNITS_MAX, max(least, float(np.ceil(float(per_s.max()) * 2 / TARGET))))
    return Scaling(least, most)


def followed_by_hour(per_s: Floats) -> Floats:
    """Return the units that auto scaling has in each hour, as the simulated table does: late, and slow to go down."""
    # A table beyond the default quota is simulated as a part of itself; the vendor raises the quota when asked.
    part = min(1.0, TABLE_UNITS_MAX * TARGET / max(2 * float(per_s.max()), 1e-9))
    scaling = bounds_for(per_s * part)
    first = min(max(float(np.ceil(per_s[0] * part / TARGET)), scaling.units_min), scaling.units_max)
    table = ProvisionedUnits(first, scaling)
    units: list[float] = []
    for minute, consumed in enumerate((per_s * part).tolist()):
        table.begin(minute)
        units.append(table.units)
        table.end(minute, consumed)
    starts = np.arange(0, len(units), 60)
    return np.add.reduceat(np.array(units), starts) / 60 / part


def _on_demand(work: Workload, region: Region, per_month: float) -> Way:
    writes, reads = float(work.writes.sum()) * per_month, float(work.reads.sum()) * per_month
    usd = region.cost("dynamodb.write-request", _decimal(writes)) + region.cost(
        "dynamodb.read-request", _decimal(reads)
    )
    told = (
        derived("capacity.writes", writes, "write units", "All writes of a month."),
        derived("capacity.reads", reads, "read units", "All reads of a month."),
        _price(region, "dynamodb.write-request"),
        _price(region, "dynamodb.read-request"),
    )
    cost = derived("capacity.on-demand", usd, "USD", "Every unit at the price of a request; nothing to set.", *told)
    return Way(ON_DEMAND, cost, float(work.writes.max()) / 60, float(work.reads.max()) / 60)


def _provisioned(region: Region, flat: Mapping[str, float]) -> Way:
    usd = _hours(region, flat["w"] * MONTH_HOURS, flat["r"] * MONTH_HOURS)
    told = (
        derived(
            "capacity.provisioned-writes", flat["w"], "units", "The busiest minute's writes a second, by the target."
        ),
        TARGET_FIGURE,
        _price(region, "dynamodb.wcu-hour"),
        _price(region, "dynamodb.rcu-hour"),
    )
    cost = derived(
        "capacity.provisioned",
        usd,
        "USD",
        "Enough for the busiest minute, all month, whether it is used or not.",
        *told,
    )
    return Way(PROVISIONED, cost, flat["w"], flat["r"])


def _scaled(region: Region, hourly: Mapping[str, Floats], per_month: float) -> Way:
    usd = _hours(region, float(hourly["w"].sum()) * per_month, float(hourly["r"].sum()) * per_month)
    why = (
        "The units that the simulated table has in each minute: raised after two minutes above the target, lowered "
        "after fifteen well below it, and only so often a day."
    )
    told = (TARGET_FIGURE, _price(region, "dynamodb.wcu-hour"), _price(region, "dynamodb.rcu-hour"))
    cost = derived("capacity.auto-scaling", usd, "USD", why, *told)
    return Way(SCALED, cost, float(hourly["w"].max()), float(hourly["r"].max()))


def _reserved(region: Region, hourly: Mapping[str, Floats], per_month: float, *, years: int) -> Way:
    """Return the cheapest number of reserved units, with the rest by the hour."""
    usd, reserved = Decimal(0), dict[str, float]()
    for name, unit in (("w", "wcu"), ("r", "rcu")):
        units = hourly[name]
        choices = np.unique(np.floor(np.quantile(units, np.linspace(0, 1, 21)) / RESERVED_STEP) * RESERVED_STEP)
        costs = {float(one): _with_reserved(region, unit, units, float(one), per_month, years=years) for one in choices}
        best = min(costs, key=lambda one: costs[one])
        usd += costs[best]
        reserved[name] = best
    why = (
        f"{reserved['w']:,.0f} write and {reserved['r']:,.0f} read units reserved for {years} year{'s' * (years > 1)}, "
        "a twelfth of the year's part of what is paid at once and the hours; the rest by the hour. They are "
        "sold by the hundred."
    )
    told = tuple(
        _price(region, f"dynamodb.{unit}-reserved-{years}y-{what}")
        for unit in ("wcu", "rcu")
        for what in ("upfront", "hour")
    )
    cost = derived(f"capacity.reserved-{years}y", usd, "USD", why, *told)
    return Way(RESERVED_1Y if years == 1 else RESERVED_3Y, cost, reserved["w"], reserved["r"])


def _with_reserved(
    region: Region, unit: str, units: Floats, reserved: float, per_month: float, *, years: int
) -> Decimal:
    rest = float(np.maximum(0.0, units - reserved).sum()) * per_month
    usd = region.cost(f"dynamodb.{unit}-hour", _decimal(rest))
    if reserved:
        upfront = region.cost(f"dynamodb.{unit}-reserved-{years}y-upfront", _decimal(reserved))
        hours = region.cost(f"dynamodb.{unit}-reserved-{years}y-hour", _decimal(reserved * MONTH_HOURS))
        usd += upfront * MONTH_HOURS / (years * YEAR_HOURS) + hours
    return usd


def break_even_share(region: Region) -> Figure:
    """Return the steady use from which on a provisioned write unit is cheaper than requests."""
    hour, request = region.price("dynamodb.wcu-hour").each, region.price("dynamodb.write-request").each
    value = float(hour / (request * 3_600))
    return derived(
        "capacity.break-even",
        value,
        "share",
        "A unit's hour, by what 3,600 writes cost one by one.",
        _price(region, "dynamodb.wcu-hour"),
        _price(region, "dynamodb.write-request"),
    )


def _hours(region: Region, write_hours: float, read_hours: float) -> Decimal:
    return region.cost("dynamodb.wcu-hour", _decimal(write_hours)) + region.cost(
        "dynamodb.rcu-hour", _decimal(read_hours)
    )


def _price(region: Region, name: str) -> Figure:
    price = region.price(name)
    return Figure(
        f"price.{name}",
        price.usd,
        "USD",
        f"{region.title}, for {price.per:,} of: {price.unit}.",
        Origin.PRICED,
        f"{price.source}, {price.address}",
    )


def _decimal(value: float) -> Decimal:
    return Decimal(repr(float(value)))
