"""Cheaper ways: the same traffic with one thing changed, what that saves, and what it costs in other ways."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from footfall.planning.bill import Bill, bill_of
from footfall.planning.figures import Figure, assumed, derived, measured
from footfall.planning.prices import PriceBook, Region
from footfall.planning.site import Site, Stack
from footfall.planning.workload import Workload, workload_of_minutes

BATCHED = 20
SINGLES_PER_S, BATCHED_PER_S = 19_528, 384_785  # bench/results/ingest.json, on two cores
LARGE_TIMES = 4  # eight cores for two; the processes that collect and count do not all grow with them
USED_SHARE = 0.5  # of what was measured, so that a busy minute finds room
SMALL_DISK_GB, LARGE_DISK_GB = 40, 1_000
SAVES_MIN = Decimal("0.01")  # of the bill; less is no reason to change anything
MACHINES_MAX = 1

HOLDS = measured(
    "machine.hits-per-second",
    SINGLES_PER_S,
    "hits/s",
    "Single hits that one instance on two cores takes durably and counts; 384,785 in batches of 100.",
    "bench/results/ingest.json",
)
LARGER = assumed(
    "machine.larger",
    LARGE_TIMES,
    "times",
    "Eight cores are taken to carry four times what two do: nobody has measured it yet.",
)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One change."""

    name: str
    what: str  # what is changed, as a sentence to do
    cost: Figure  # a month, all of it
    saves: Decimal
    gives_up: str


@dataclass(frozen=True, slots=True)
class Machine:
    """footfall on one rented machine: whether it carries the traffic, and its price."""

    name: str
    cost: Figure
    carries: Figure  # hits a second
    fits: bool


def alternatives(
    work: Workload, bill: Bill, region: Region, book: PriceBook, *, after_days: float
) -> list[Alternative]:
    """Return every change that saves something worth it, the largest first."""

    def priced(changed: Workload, where: Region = region) -> Figure:
        return bill_of(changed, where, after_days=after_days, ways=False).total

    found = [
        *_of_stack(work, bill, priced),
        *_of_capacity(bill),
        *_of_regions(work, bill, region, book, priced),
        *_of_machines(work, bill, region, after_days=after_days),
    ]
    least = bill.usd * SAVES_MIN
    return sorted((one for one in found if one.saves > least), key=lambda one: -one.saves)


@dataclass(frozen=True, slots=True)
class _Change:
    name: str
    what: str
    gives_up: str
    changed: Callable[[Site, Stack], tuple[Site, Stack] | None]  # None: it is so already


_CHANGES = (
    _Change(
        "batches",
        f"Have servers send hits in batches of {BATCHED}, or put a log's objects into a bucket.",
        "browsers cannot: each sends its own hit",
        lambda site, stack: (replace(site, batch=BATCHED), stack) if site.batch < BATCHED else None,
    ),
    _Change(
        "no-edge-for-hits",
        "Send hits to the API itself (the output ApiAddress), and only lists through CloudFront.",
        "readers far away wait longer for the answer to a hit, which nobody sees",
        lambda site, stack: (site, replace(stack, edge=False)) if stack.edge else None,
    ),
    _Change(
        "no-uniques",
        "--set Uniques=false: count no visitors.",
        "lists by visitors, and who came again",
        lambda site, stack: (site, replace(stack, uniques=False)) if stack.uniques else None,
    ),
    _Change(
        "short-retention",
        "--set StreamRetentionHours=24: keep hits in the stream for a day.",
        "a standstill of more than a day loses hits",
        lambda site, stack: (site, replace(stack, retention_h=24)) if stack.retention_h > 24 else None,
    ),
    _Change(
        "older-lists",
        "--freshness 300: write counts every five minutes.",
        "lists are up to five minutes old",
        lambda site, stack: (site, replace(stack, freshness_s=300)) if stack.freshness_s < 300 else None,
    ),
    _Change(
        "arm",
        "--set Architecture=arm64: pack the functions for AWS's own processors.",
        "nothing; measure once, as durations differ",
        lambda site, stack: (site, replace(stack, arm=True)) if not stack.arm else None,
    ),
)


def _of_stack(work: Workload, bill: Bill, priced: Callable[..., Figure]) -> Iterator[Alternative]:
    for one in _CHANGES:
        changed = one.changed(work.site, work.stack)
        if changed is not None:
            cost = priced(workload_of_minutes(*changed, work.readers, work.hits))
            yield Alternative(one.name, one.what, cost, bill.usd - Decimal(cost.value), one.gives_up)


def _of_capacity(bill: Bill) -> Iterator[Alternative]:
    if not bill.capacity.ways:
        return
    now, best = bill.capacity.ways[0], bill.capacity.cheapest
    if best.usd < now.usd:
        saves = now.usd - best.usd
        cost = derived(
            f"alternative.{best.name.replace(' ', '-')}",
            bill.usd - saves,
            "USD",
            "The bill with the table's units bought that way.",
            best.cost,
        )
        gives_up = "a spike above it is refused until it has grown" + (
            ", and the years are paid whatever comes" if "reserved" in best.name else ""
        )
        yield Alternative(
            "capacity",
            f"Buy the table's units {best.name}: {best.write_units:,.0f} write and {best.read_units:,.0f} read units.",
            cost,
            saves,
            gives_up,
        )


def _of_regions(
    work: Workload, bill: Bill, region: Region, book: PriceBook, priced: Callable[..., Figure]
) -> Iterator[Alternative]:
    costs = {name: priced(work, other) for name, other in book.regions.items() if name != region.name}
    if costs:
        best = min(costs, key=lambda name: Decimal(costs[name].value))
        saves = bill.usd - Decimal(costs[best].value)
        yield Alternative(
            "region",
            f"Deploy in {best} ({book.regions[best].title}).",
            costs[best],
            saves,
            "where data lie, and how far readers are from it",
        )


def _of_machines(work: Workload, bill: Bill, region: Region, *, after_days: float) -> Iterator[Alternative]:
    for machine in machines(work, region, after_days=after_days):
        if machine.fits:
            yield Alternative(
                "machine",
                f"Run one instance on a rented {machine.name} (`footfall serve`) instead of the stack.",
                machine.cost,
                bill.usd - Decimal(machine.cost.value),
                "somebody who keeps the machine, and a second one when it must never be away",
            )
            return


def machines(work: Workload, region: Region, *, after_days: float) -> list[Machine]:
    """Return the two sizes of rented machines, the smaller first."""
    per_s = measured_per_s(work.site.batch)
    peak = float(work.hits.max()) / 60
    size_gb = (work.raw_bytes(after_days=after_days) + sum(work.table_bytes(after_days=after_days).values())) / 10**9
    found: list[Machine] = []
    for name, price, times, disk in (
        ("machine with 2 cores", "machine.small-month", 1, SMALL_DISK_GB),
        ("machine with 8 cores", "machine.large-month", LARGE_TIMES, LARGE_DISK_GB),
    ):
        more = max(0.0, size_gb * 1.3 - disk)
        usd = region.cost(price, 1) + region.cost("machine.disk-gb-month", Decimal(repr(more)))
        holds = per_s * times * USED_SHARE
        carries = derived(
            f"machine.carries-{times}",
            holds,
            "hits/s",
            "Half of what was measured, so that a busy minute finds room.",
            HOLDS,
            LARGER,
        )
        stored = derived(
            f"machine.stored-{times}", size_gb, "GB", "Raw hits and windows, as on AWS; a third more is kept free."
        )
        cost = derived(
            f"machine.cost-{times}",
            usd,
            "USD",
            "The machine's price, and more disk where its own is too small.",
            stored,
        )
        found.append(Machine(name, cost, carries, peak <= holds))
    return found


def measured_per_s(batch: int) -> float:
    """Return how many hits a second an instance was measured with, between single ones and batches of 100."""
    share = min(1.0, (batch - 1) / 99)
    return SINGLES_PER_S + (BATCHED_PER_S - SINGLES_PER_S) * share
