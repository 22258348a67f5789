"""Parts of the plain table (plain_table.py): what it counts, how its capacity changes, clients that try again."""

from dataclasses import dataclass, field
from math import ceil

from footfall.planning.simulated_capacity import Scaling
from footfall.planning.simulated_clients import BackedOff, Lost, Paced, Resent
from footfall.planning.simulated_table import Load


@dataclass
class Counts:
    attempted: float = 0.0
    served: float = 0.0
    wasted: float = 0.0
    given_up: float = 0.0
    waiting: float = 0.0
    capacity: float = 0.0
    throttled: dict[str, float] = field(default_factory=dict)

    def throttle(self, cause: str, units: float) -> None:
        if units > 0:
            self.throttled[cause] = self.throttled.get(cause, 0.0) + units


class PlainScaling:
    """Auto scaling as the vendor's pages tell it, from the whole list of minutes so far."""

    def __init__(self, units: float, scaling: Scaling | None, fault: str) -> None:
        self.units = units
        self.scaling = scaling
        self.since: list[float] = []  # units a second of the minutes since the capacity changed
        self.asked: tuple[int, float] | None = None
        self.lowered: list[int] = []
        self.patience = 1 if fault == "scaling" else 2

    def begin(self, minute: int) -> None:
        if self.asked and minute >= self.asked[0]:
            self.units, self.asked, self.since = self.asked[1], None, []

    def end(self, minute: int, consumed: float) -> None:
        if not self.scaling or self.asked:
            return
        self.since.append(consumed)
        target = self.scaling.target
        last, low = self.since[-self.patience :], self.since[-15:]
        if len(last) == self.patience and all(one / self.units > target for one in last):
            self._ask(minute, consumed / target, up=True)
        elif len(low) == 15 and all(one / self.units <= target - 0.2 for one in low):
            self._ask(minute, max(low) / target, up=False)

    def _ask(self, minute: int, wanted: float, *, up: bool) -> None:
        assert self.scaling
        units = min(max(ceil(wanted - 1e-6), self.scaling.units_min), self.scaling.units_max)
        today = [at for at in self.lowered if at // 1440 == minute // 1440]
        may_lower = len(today) < 4 or (len(today) < 27 and minute - today[-1] >= 60)
        if (up and units > self.units) or (not up and units < self.units and may_lower):
            self.asked = (minute + 1 + self.scaling.applied_minutes, float(units))
            if not up:
                self.lowered.append(minute)


class PlainOnDemand:
    def __init__(self, first: float, previous_peak: float) -> None:
        self.units = max(first, 2 * previous_peak)
        self.first = self.units
        self.had: list[float] = []

    def begin(self, minute: int) -> None:
        old_enough = self.had[: max(0, len(self.had) - 30)]
        self.units = max([self.first, *(2 * one for one in old_enough)])

    def end(self, minute: int, consumed: float) -> None:
        self.had.append(consumed)


class PlainClient:
    """One load's unfinished work: units by second when they are due, attempt and key, which is where it lies."""

    def __init__(self, load: Load, fault: str) -> None:
        self.client = load.client
        self.work: dict[tuple[int, int, int], float] = {}
        self.rate: float | None = None
        self.growth, self.cut_at = 0.0, 0
        self.fault = fault

    def due(self, second: int, new: dict[int, float]) -> list[tuple[int, int, float]]:
        for key, units in new.items():
            self._put(second, 0, key, units)
        now = [(attempt, key, units) for (at, attempt, key), units in self.work.items() if at <= second]
        self.work = {place: units for place, units in self.work.items() if place[0] > second}
        client = self.client
        if isinstance(client, Paced) and self.rate is not None and sum(units for _, _, units in now) > 1e-9:
            calm = (second - self.cut_at) * 1000 >= client.calm_ms
            self.rate += self.rate * client.calm_growth_per_s if calm else self.growth
            part = min(1.0, self.rate / sum(units for _, _, units in now))
            for _, key, units in now:
                self._put(second + 1, 0, key, units * (1 - part))
            now = [(attempt, key, units * part) for attempt, key, units in now]
        return now

    def answer(self, second: int, now: list[tuple[int, int, float]], taken: dict[int, float], counts: Counts) -> None:
        served = sum(units * taken[key] for _, key, units in now)
        refused = [(attempt, key, units * (1 - taken[key])) for attempt, key, units in now if taken[key] < 1]
        over = sum(units for _, _, units in refused)
        match self.client:
            case Lost():
                counts.served += served
                counts.given_up += over
            case BackedOff() as client:
                counts.served += served
                for attempt, key, units in refused:
                    self._again(client, second, attempt, key, units, counts)
            case Paced() as client:
                counts.served += served
                for _, key, units in refused:
                    self._put(second + 1, 0, key, units)
                self._pace(client, second, served, over)
            case Resent() as client:
                whole = (served / (served + over)) ** client.batch if over > 1e-9 else 1.0
                counts.served += whole * (served + over)
                counts.wasted += served - whole * (served + over)
                for _, key, units in now:
                    self._put(second + client.wait_s, 0, key, (1 - whole) * units)

    def _again(self, client: BackedOff, second: int, attempt: int, key: int, units: float, counts: Counts) -> None:
        if attempt + 1 >= client.attempts_max:
            counts.given_up += units
            return
        longest = min(client.cap_ms, client.first_ms * 2**attempt)
        if self.fault == "waits":
            longest *= 2
        for ahead in range(ceil(longest / 1000)):
            part = (min(longest, 1000 * (ahead + 1)) - 1000 * ahead) / longest
            self._put(second + 1 + ahead, attempt + 1, key, units * part)

    def _pace(self, client: Paced, second: int, served: float, over: float) -> None:
        if over > 1e-9:
            fastest = (served or client.units_per_s_first * client.writers) if self.rate is None else self.rate
            self.rate = max(client.units_per_s_min * client.writers, fastest * client.cut)
            self.growth, self.cut_at = self.rate * client.growth_per_s, second
        elif self.rate is not None and second - self.cut_at >= 60 and self.waiting() <= 1e-9:
            self.rate = None

    def waiting(self) -> float:
        return sum(self.work.values())

    def _put(self, at: int, attempt: int, key: int, units: float) -> None:
        if units:
            self.work[at, attempt, key] = self.work.get((at, attempt, key), 0.0) + units
