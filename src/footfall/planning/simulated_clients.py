"""What becomes of work that was refused: lost, tried again after growing waits, paced, or sent again in whole batches.

Each is a flow in steps of a second, one number for each partition that the work is for. Backing off and pacing have
the constants of the adapters for AWS as arguments; a test holds that they are the same. A wait shorter than a second
ends with the second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from footfall.planning.simulated_partitions import Shares, total

FORGOTTEN_S = 60  # A pace that grows by a fifth each second is no limit any more after a minute without a refusal.
NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Lost:
    """What is refused is not tried again."""


@dataclass(frozen=True, slots=True)
class BackedOff:
    """Each refused part is tried again by itself, after waits with full jitter, and given up after the last attempt."""

    first_ms: int = 50
    cap_ms: int = 5_000
    attempts_max: int = 8


@dataclass(frozen=True, slots=True)
class Paced:
    """What was refused waits, and the writers together become slower: additive increase, multiplicative decrease."""

    writers: int = 1
    cut: float = 0.8
    growth_per_s: float = 0.03
    calm_ms: int = 10_000
    calm_growth_per_s: float = 0.2
    units_per_s_min: float = 1.0
    units_per_s_first: float = 5.0


@dataclass(frozen=True, slots=True)
class Resent:
    """A batch of which anything was refused is sent again whole, what was written of it as well."""

    batch: int = 25
    wait_s: int = 1


Client = Lost | BackedOff | Paced | Resent


@dataclass(frozen=True, slots=True)
class Answered:
    """What one second came to for a client, in units."""

    done: float
    wasted: float = 0.0
    given_up: float = 0.0


class Sending(Protocol):
    """A client at work on one load."""

    def due(self, second: int, new: Shares) -> Shares:
        """Return what is attempted this second, new work included."""
        ...

    def answered(self, second: int, served: Shares, refused: Shares) -> Answered:
        """Take note of what the engine did with it."""
        ...

    def waiting(self) -> float:
        """Return what is still to be done."""
        ...

    def is_idle(self) -> bool:
        """Tell whether nothing waits and nothing limits what comes next."""
        ...

    def divide(self, place: int, left: float) -> None:
        """Follow a partition that was split: the left one keeps this part of what is for it."""
        ...


def sending(client: Client, partitions: int) -> Sending:
    """Return a client that begins with nothing."""
    match client:
        case Lost():
            return _Losing()
        case BackedOff():
            return _BackingOff(client, partitions)
        case Paced():
            return _Pacing(client, partitions)
        case Resent():
            return _Resending(client, partitions)


class _Losing:
    def due(self, second: int, new: Shares) -> Shares:
        del second
        return new

    def answered(self, second: int, served: Shares, refused: Shares) -> Answered:
        del second
        return Answered(done=total(served), given_up=total(refused))

    def waiting(self) -> float:
        return 0.0

    def is_idle(self) -> bool:
        return True

    def divide(self, place: int, left: float) -> None:
        del place, left


class _BackingOff:
    """Work by attempt and by the second it is due; what was refused is spread over the seconds of its wait."""

    def __init__(self, client: BackedOff, partitions: int) -> None:
        waits = [_seconds_of(min(client.cap_ms, client.first_ms * 2**n)) for n in range(client.attempts_max - 1)]
        self._ahead = max((len(parts) for parts in waits), default=1)
        # Attempt 0 is new work; column n of the ring has attempt n + 1.
        self._spread = np.zeros((self._ahead, len(waits), 1))
        for attempt, parts in enumerate(waits):
            self._spread[: len(parts), attempt, 0] = parts
        self._ring = np.zeros((self._ahead + 1, len(waits), partitions))
        self._now = np.zeros((len(waits) + 1, partitions))

    def due(self, second: int, new: Shares) -> Shares:
        place = second % len(self._ring)
        self._now[0] = new
        self._now[1:] = self._ring[place]
        self._ring[place] = 0
        return np.add.reduce(self._now)

    def answered(self, second: int, served: Shares, refused: Shares) -> Answered:
        done, over = total(served), total(refused)
        if over <= 0:
            return Answered(done=done)
        tried = served + refused
        tried[tried <= 0] = 1.0
        left = self._now * (refused / tried)
        # What is due after one second, two, three ..., by attempt.
        places = np.arange(second + 1, second + 1 + self._ahead) % len(self._ring)
        self._ring[places] += self._spread * left[:-1]
        return Answered(done=done, given_up=total(left[-1]))

    def waiting(self) -> float:
        return total(self._ring)

    def is_idle(self) -> bool:
        return not self._ring.any()

    def divide(self, place: int, left: float) -> None:
        self._ring = _divided(self._ring, place, left)
        self._now = _divided(self._now, place, left)


class _Pacing:
    def __init__(self, client: Paced, partitions: int) -> None:
        self._client = client
        self._queue = np.zeros(partitions)
        self._rate: float | None = None
        self._growth = 0.0
        self._cut_at = 0

    def due(self, second: int, new: Shares) -> Shares:
        self._queue = self._queue + new
        waiting = total(self._queue)
        if self._rate is None or waiting <= NOTHING:
            now = self._queue
        else:
            calm = (second - self._cut_at) * 1_000 >= self._client.calm_ms
            self._rate += self._rate * self._client.calm_growth_per_s if calm else self._growth
            now = self._queue * min(1.0, self._rate / waiting)
        self._queue = self._queue - now
        return now

    def answered(self, second: int, served: Shares, refused: Shares) -> Answered:
        done, over = total(served), total(refused)
        self._queue = self._queue + refused
        if over > NOTHING:
            client = self._client
            fastest = (done or client.units_per_s_first * client.writers) if self._rate is None else self._rate
            self._rate = max(client.units_per_s_min * client.writers, fastest * client.cut)
            self._growth = self._rate * client.growth_per_s
            self._cut_at = second
        elif self._rate is not None and second - self._cut_at >= FORGOTTEN_S and self.waiting() <= NOTHING:
            self._rate = None
        return Answered(done=done)

    def waiting(self) -> float:
        return total(self._queue)

    def is_idle(self) -> bool:
        return self._rate is None and self.waiting() <= NOTHING

    def divide(self, place: int, left: float) -> None:
        self._queue = _divided(self._queue, place, left)


class _Resending:
    def __init__(self, client: Resent, partitions: int) -> None:
        self._client = client
        self._ring = np.zeros((client.wait_s + 1, partitions))
        self._now = np.zeros(partitions)

    def due(self, second: int, new: Shares) -> Shares:
        place = second % len(self._ring)
        self._now = new + self._ring[place]
        self._ring[place] = 0
        return self._now

    def answered(self, second: int, served: Shares, refused: Shares) -> Answered:
        written, over = total(served), total(refused)
        if over <= NOTHING:
            return Answered(done=written)
        # A batch is done when all of it was taken; which parts are refused is chance, so a power of the share.
        whole = (written / (written + over)) ** self._client.batch
        done = whole * (written + over)
        self._ring[(second + self._client.wait_s) % len(self._ring)] += (1 - whole) * (served + refused)
        return Answered(done=done, wasted=written - done)

    def waiting(self) -> float:
        return total(self._ring)

    def is_idle(self) -> bool:
        return not self._ring.any()

    def divide(self, place: int, left: float) -> None:
        self._ring = _divided(self._ring, place, left)
        self._now = _divided(self._now, place, left)


def _seconds_of(wait_ms: float) -> Sequence[float]:
    """Return which parts of a wait with full jitter, at most so long, end after one second, two, three ..."""
    parts: list[float] = []
    while sum(parts) < 1 - NOTHING:
        parts.append(min(1_000, wait_ms - 1_000 * len(parts)) / wait_ms)
    return parts


def _divided(array: Shares, place: int, left: float) -> Shares:
    """Return the array with the column of a split partition as two."""
    column = array[..., place]
    wider = np.insert(array, place + 1, column * (1 - left), axis=-1)
    wider[..., place] = column * left
    return wider
