"""A Lambda function under load: environments that start and idle, their ramp, cold starts; and batches of a stream."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.planning.simulated_lane import Tally
from footfall.planning.simulated_limits import (
    BATCH_BYTES_MAX,
    BATCH_RECORDS_MAX,
    BATCH_WINDOW_S_MAX,
    FUNCTION_CONCURRENCY,
    FUNCTION_IDLE_MINUTES,
    FUNCTION_RAMP,
    FUNCTION_RAMP_S,
    FUNCTION_REQUESTS_EACH,
    PARALLELISATION_MAX,
)
from footfall.planning.simulated_outcomes import Cause, Flow
from footfall.planning.traffic import DAY_MINUTES, Minutes, require_possible
from footfall.values.errors import Refused

POLL_S = (
    1.0  # "Using Lambda to process records", docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html: once a second.
)


@dataclass(frozen=True, slots=True)
class FunctionDesign:
    """A function that is called: how long a call takes, and how many may run at once."""

    duration_ms: float
    cold_ms: float = 0.0  # what a start adds to the first call of an environment
    concurrency: int = FUNCTION_CONCURRENCY
    idle_minutes: int = FUNCTION_IDLE_MINUTES

    def __post_init__(self) -> None:
        if not 0 < self.duration_ms <= 900_000 or not 0 <= self.cold_ms <= 900_000:
            raise Refused("duration", f"{self.duration_ms:g} and {self.cold_ms:g} ms: a call takes up to 15 minutes")
        if self.concurrency < 1 or self.idle_minutes < 1:
            raise Refused("concurrency", "one call at a time at least, and environments stay for a minute at least")


@dataclass(frozen=True, slots=True, eq=False)
class FunctionOutcome:
    """What became of calls, minute by minute."""

    calls: Flow
    concurrency: Minutes  # the most calls at once
    environments: Minutes  # that are there at the end of the minute, busy or not
    cold_starts: Minutes
    billed_ms: Minutes


def simulate_function(design: FunctionDesign, calls: Minutes, *, seed: int) -> FunctionOutcome:
    """Return what becomes of calls that come by chance, so many in each minute; callers do not call again."""
    require_possible(calls)
    environments = _Environments(design, len(calls))
    for first in range(0, len(calls), DAY_MINUTES):
        day = calls[first : first + DAY_MINUTES]
        chance = np.random.Generator(np.random.PCG64([seed, first]))
        arriving = chance.poisson(np.repeat(day / 60, 60)).reshape(-1, 60).astype(np.float64)
        for minute, seconds in enumerate(arriving, first):
            environments.minute(minute, seconds)
    return environments.outcome()


class _Environments:
    def __init__(self, design: FunctionDesign, minutes: int) -> None:
        self._design = design
        self._tally = Tally(minutes)
        self._concurrency, self._there, self._cold = np.zeros(minutes), np.zeros(minutes), np.zeros(minutes)
        self._count = 0.0
        self._ramp = float(FUNCTION_RAMP)
        self._lately: deque[float] = deque(maxlen=design.idle_minutes)

    def minute(self, minute: int, arriving: NDArray[np.float64]) -> None:
        """Let a minute pass; one that needs no new environment is computed at once."""
        needed = self._needed(arriving)
        busiest = float(needed.max())
        total = float(arriving.sum())
        self._tally.offered[minute] = self._tally.attempted[minute] = total
        self._tally.capacity[minute] = self._design.concurrency
        if busiest <= self._count:
            self._tally.served[minute] = total
            self._ramp = min(FUNCTION_RAMP, self._ramp + 60 * FUNCTION_RAMP / FUNCTION_RAMP_S)
        else:
            for calls, environments in zip(arriving.tolist(), needed.tolist(), strict=True):
                self._second(minute, calls, environments)
        self._concurrency[minute] = min(busiest, self._count)
        self._lately.append(self._concurrency[minute])
        self._count = max(self._lately)
        self._there[minute] = self._count

    def outcome(self) -> FunctionOutcome:
        """Return what all minutes came to."""
        served = self._tally.served
        billed = served * self._design.duration_ms + self._cold * self._design.cold_ms
        return FunctionOutcome(self._tally.flow(), self._concurrency, self._there, self._cold, billed)

    def _needed(self, arriving: NDArray[np.float64]) -> NDArray[np.float64]:
        by_time = arriving * (self._design.duration_ms / 1_000)
        needed = np.ceil(np.maximum(by_time, arriving / FUNCTION_REQUESTS_EACH))
        return np.where(arriving > 0, np.maximum(needed, 1.0), 0.0)

    def _second(self, minute: int, calls: float, needed: float) -> None:
        missing = max(0.0, min(needed, self._design.concurrency) - self._count)
        started = min(missing, self._ramp)
        self._count += started
        self._cold[minute] += started
        self._ramp = min(FUNCTION_RAMP, self._ramp - started + FUNCTION_RAMP / FUNCTION_RAMP_S)
        served = calls * min(1.0, self._count / needed) if needed > 0 else 0.0
        self._tally.served[minute] += served
        if calls > served:
            is_full = self._count >= self._design.concurrency
            self._tally.throttle(Cause.ACCOUNT if is_full else Cause.RAMP, minute, calls - served)
            self._tally.given_up[minute] += calls - served


@dataclass(frozen=True, slots=True)
class BatchDesign:
    """How records reach a function: gathered for so long, so many at most, one batch of a shard at a time."""

    window_s: float
    duration_ms: float  # of a call, whatever is in it
    record_ms: float  # for each record
    records_max: int = BATCH_RECORDS_MAX
    parallelisation: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.window_s <= BATCH_WINDOW_S_MAX:
            raise Refused("window", f"{self.window_s:g} s is not between 0 and {BATCH_WINDOW_S_MAX}")
        if not 1 <= self.records_max <= BATCH_RECORDS_MAX or not 1 <= self.parallelisation <= PARALLELISATION_MAX:
            raise Refused(
                "batch", f"1 to {BATCH_RECORDS_MAX} records, and 1 to {PARALLELISATION_MAX} batches of a shard at once"
            )
        if not self.duration_ms > 0 or not self.record_ms >= 0:
            raise Refused("duration", "a call takes more than no time")


@dataclass(frozen=True, slots=True, eq=False)
class BatchOutcome:
    """The calls that a stream makes, minute by minute, over all shards."""

    calls: Minutes
    records_each: Minutes
    busy: Minutes  # the part of a shard's time in which its batches run; above 1 the reader falls behind
    billed_ms: Minutes


def batches(design: BatchDesign, records: Minutes, *, shards: int, bytes_each: float) -> BatchOutcome:
    """Return the calls for records that are spread evenly over shards: by the window, or as soon as a batch is full."""
    require_possible(records)
    if shards < 1 or not bytes_each > 0:
        raise Refused("shards", "one at least, of records with bytes")
    of_shard = records / shards
    full = min(float(design.records_max), max(1.0, BATCH_BYTES_MAX / bytes_each))
    by_window = 60 / max(design.window_s, POLL_S)
    waiting = np.minimum(by_window * design.parallelisation, of_shard)
    calls = np.maximum(waiting, of_shard / full)
    each = np.divide(of_shard, calls, out=np.zeros_like(of_shard), where=calls > 0)
    took_ms = calls * design.duration_ms + of_shard * design.record_ms
    return BatchOutcome(calls * shards, each, took_ms / 60_000 / design.parallelisation, took_ms * shards)


def reader_records_per_s(design: BatchDesign, *, bytes_each: float) -> float:
    """Return the most that the batches of one shard can read in a second, when all of them are full."""
    full = min(float(design.records_max), max(1.0, BATCH_BYTES_MAX / bytes_each))
    return design.parallelisation * full * 1_000 / (design.duration_ms + full * design.record_ms)
