"""Functions against containers, as the page-hit-counter thesis compared them: its arithmetic, and the right one.

The thesis (section 5.4.1) multiplies a price for an hour by the minutes of a month, and takes another price for that
than for its batch jobs. Prices are arguments here, so that the same functions tell what it says, what is right with its
prices, and what is right today.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from footfall.planning.prices import Region
from footfall.planning.units_compute import (
    LAMBDA_STEP_MS,
    LAMBDA_STEP_MS_UNTIL_2020,
    SECONDS_PER_HOUR,
    fargate_hours,
    lambda_billed_ms,
)

DAYS: Final = 30  # of the thesis' month
MONTH_HOURS: Final = DAYS * 24
BATCH_EVERY_MIN: Final = Decimal("1.5")
VCPU: Final = Decimal("0.25")  # the smallest container
CONTAINER_GB: Final = Decimal("0.5")
FUNCTION_MB: Final = 128  # the smallest function
MB_OF_A_VCPU: Final = 1_769  # So much memory comes with one whole vCPU.


@dataclass(frozen=True, slots=True)
class FunctionPrice:
    """What a function's runs cost: by the GB-second and the request, in steps of so many milliseconds."""

    gb_second: Decimal
    request: Decimal
    step_ms: int

    def run_usd(self, *, duration_ms: Decimal | int, memory_mb: int = FUNCTION_MB) -> Decimal:
        """Return what one run costs."""
        billed_ms = lambda_billed_ms(duration_ms, step_ms=self.step_ms)
        return Decimal(billed_ms) / 1_000 * memory_mb / 1_024 * self.gb_second + self.request


@dataclass(frozen=True, slots=True)
class ContainerPrice:
    """What an hour of one vCPU and of one GB cost."""

    vcpu_hour: Decimal
    gb_hour: Decimal

    @property
    def hour_usd(self) -> Decimal:
        """Return what an hour of the smallest container costs."""
        return self.vcpu_hour * VCPU + self.gb_hour * CONTAINER_GB

    def month_usd(self) -> Decimal:
        """Return what the smallest container costs that runs all month."""
        return self.hour_usd * MONTH_HOURS

    def batch_usd(self, runs: int, *, seconds: Decimal | int) -> Decimal:
        """Return what so many runs of containers cost, each of them a minute at least."""
        return self.hour_usd * fargate_hours(runs, seconds=seconds)


# 0.0000002083 USD for 100 ms of 128 MB.
THESIS_FUNCTION: Final = FunctionPrice(
    Decimal("0.0000002083") * 80, Decimal("0.20") / 1_000_000, LAMBDA_STEP_MS_UNTIL_2020
)
THESIS_BATCH: Final = ContainerPrice(Decimal("0.04048"), Decimal("0.004445"))
THESIS_ALWAYS: Final = ContainerPrice(Decimal("0.01980394"), Decimal("0.00217462"))


def function_price(region: Region) -> FunctionPrice:
    """Return what functions cost in a region."""
    return FunctionPrice(region.price("lambda.gb-second").each, region.price("lambda.request").each, LAMBDA_STEP_MS)


def container_price(region: Region) -> ContainerPrice:
    """Return what containers cost in a region."""
    return ContainerPrice(region.price("fargate.vcpu-hour").each, region.price("fargate.gb-hour").each)


def batch_runs() -> int:
    """Return how often a month the thesis' batch job runs."""
    return int(DAYS * 24 * 60 / BATCH_EVERY_MIN)


def month_by_minutes_usd(price: ContainerPrice) -> Decimal:
    """Return what the thesis makes of a container that runs all month: the price of an hour, times all minutes."""
    return price.hour_usd * MONTH_HOURS * 60


def even_requests(
    function: FunctionPrice, container_usd: Decimal, *, duration_ms: int, memory_mb: int = FUNCTION_MB
) -> int:
    """Return the requests a month from which on a container that costs so much is cheaper than the function."""
    return int(container_usd / function.run_usd(duration_ms=duration_ms, memory_mb=memory_mb))


def even_batch_seconds(function: FunctionPrice, container: ContainerPrice, *, memory_mb: int) -> Decimal | None:
    """Return from which length on a batch job is cheaper in a container, or None if it never is.

    A function that is cheaper by the second stays so for ever. A dearer one is still cheaper while the container is
    paid for its whole first minute.
    """
    function_s = function.gb_second * memory_mb / 1_024
    container_s = container.hour_usd / SECONDS_PER_HOUR
    if function_s <= container_s:
        return None
    return (container_s * 60 - function.request) / function_s


def equal_memory_mb() -> int:
    """Return the memory with which a function has as much of a processor as the smallest container."""
    return int(VCPU * MB_OF_A_VCPU)
