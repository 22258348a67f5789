"""Figures of the page-hit-counter thesis about functions and containers."""

from collections.abc import Iterator
from decimal import Decimal

from footfall.planning.compared_compute import (
    FUNCTION_MB,
    THESIS_ALWAYS,
    THESIS_BATCH,
    THESIS_FUNCTION,
    batch_runs,
    container_price,
    equal_memory_mb,
    even_batch_seconds,
    even_requests,
    function_price,
    month_by_minutes_usd,
)
from footfall.planning.prices import Region
from footfall.planning.reproduced import Reproduced, rounded, usd

COMPUTE = (
    "The page-hit-counter thesis, section 5.4.1. It multiplies the price of an *hour* by the *minutes* of "
    "a month, which makes a container that is always there 60 times too dear, and takes two different sets of Fargate "
    "prices: $0.04048 and $0.004445 for batch jobs, $0.01980394 and $0.00217462 (49 % of them, without a word why) for "
    "the API."
)


def compute_figures(region: Region) -> Iterator[Reproduced]:
    """Yield the figures of section 5.4.1."""
    place = "thesis, 5.4.1"
    runs = batch_runs()
    yield Reproduced(
        "runs of the batch job a month", place, "28,800", f"{runs:,}", "the same: every 1.5 minutes for 30 days"
    )
    minute = THESIS_BATCH.batch_usd(runs, seconds=1)
    yield Reproduced(
        "batch job in containers, up to a minute each",
        f"{place}, figure 5.2",
        "drawn only",
        usd(minute),
        "each run is billed for a minute at least: 480 hours a month",
    )
    longest = THESIS_FUNCTION.run_usd(duration_ms=60_000) * runs
    yield Reproduced(
        "batch job in functions of 128 MB, a minute each",
        f"{place}, figure 5.2",
        "drawn only",
        usd(longest),
        "cheaper than the container, as the thesis says",
    )
    yield from _even_batches(place)
    yield from _always(place)
    yield from _even(region, place)


def _even_batches(place: str) -> Iterator[Reproduced]:
    yield Reproduced(
        "length from which on a batch job is cheaper in a container",
        place,
        "one minute",
        _never_or_seconds(FUNCTION_MB),
        (
            "128 MB are cheaper by the second than a quarter of a vCPU, so the lines never meet; they also "
            "have only a fourteenth of one"
        ),
    )
    equal = equal_memory_mb()
    yield Reproduced(
        f"the same, with as much processor for both ({equal} MB)",
        place,
        "not asked",
        _never_or_seconds(equal),
        (
            "memory that brings a quarter of a vCPU costs twice as much by the second; until then the "
            "container's first minute is paid in vain"
        ),
    )


def _always(place: str) -> Iterator[Reproduced]:
    yield Reproduced(
        "container for the API, all month",
        f"{place}, figure 5.3",
        "$260.85",
        usd(THESIS_ALWAYS.month_usd()),
        f"an hour's price times minutes gives {usd(month_by_minutes_usd(THESIS_ALWAYS))}, which is 60 times too much",
    )
    yield Reproduced(
        "the same, with the prices of the batch job",
        f"{place}, figure 5.3",
        "not computed",
        usd(THESIS_BATCH.month_usd()),
        "the other set of prices that the thesis names two paragraphs earlier",
    )


def _never_or_seconds(memory_mb: int) -> str:
    found = even_batch_seconds(THESIS_FUNCTION, THESIS_BATCH, memory_mb=memory_mb)
    return "never" if found is None else f"{rounded(found, 1)} s"


def _even(region: Region, place: str) -> Iterator[Reproduced]:
    today = container_price(region).month_usd()
    for duration_ms in (100, 200, 500, 1_000):
        wrong = even_requests(THESIS_FUNCTION, month_by_minutes_usd(THESIS_ALWAYS), duration_ms=duration_ms)
        lower = even_requests(THESIS_FUNCTION, THESIS_ALWAYS.month_usd(), duration_ms=duration_ms)
        right = even_requests(THESIS_FUNCTION, THESIS_BATCH.month_usd(), duration_ms=duration_ms)
        now = even_requests(function_price(region), today, duration_ms=duration_ms)
        yield Reproduced(
            f"requests of {duration_ms} ms a month where the API's curves cross",
            f"{place}, figure 5.3",
            f"{_million(wrong)}, by its line",
            f"{_million(lower)} to {_million(right)}",
            f"by the two sets of prices; {_million(now)} today. The thesis' service has millions of calls "
            "a month (4.5.1), so "
            "this is within reach, not an unrealistic amount of traffic",
        )


def _million(number: int) -> str:
    return f"{rounded(Decimal(number) / 1_000_000, 1)} M"
