"""The same table once more, slowly and plainly: every second, every key, no arrays; what the fast one is compared with.

It shares with the fast one only where a key lies and how many requests come, which have tests of their own. A `fault`
makes it wrong on purpose, to see that the comparison notices.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from footfall.planning.simulated_capacity import Capacity, Divided, OnDemand, Provisioned
from footfall.planning.simulated_outcomes import Flow
from footfall.planning.simulated_partitions import Keys, slots_of
from footfall.planning.simulated_table import Load, TableDesign, arrivals, partitions_of
from tests.planning.plain_parts import Counts, PlainClient, PlainOnDemand, PlainScaling

SPACE = 2**64


class PlainResource:
    """Partitions as a list of where they begin; what each and the whole have saved."""

    def __init__(
        self,
        capacity: Capacity,
        keys: Sequence[Keys],
        *,
        limit: float,
        first: float,
        seed: int,
        partitions: int,
        fault: str,
    ) -> None:
        self.capacity, self.limit, self.keys, self.seed = capacity, limit, keys, seed
        if fault == "limit":
            self.limit = limit - 1
        match capacity:
            case OnDemand():
                self.scale = PlainOnDemand(first, capacity.previous_peak)
                self.burst_s = 0
            case Divided():
                self.scale = PlainScaling(capacity.units, None, fault)
                self.burst_s = capacity.burst_s
            case Provisioned():
                self.scale = PlainScaling(capacity.units, capacity.scaling, fault)
                self.burst_s = capacity.burst_s - (1 if fault == "burst" else 0)
        count = max(partitions, ceil(self.scale.units / limit))
        self.starts = [SPACE * place // count for place in range(count)]
        self.place(0)
        self.saved = self.burst_s * self.scale.units
        self.of_each = [self.burst_s * self.scale.units / count] * count
        self.hot: dict[int, int] = {}  # minutes in a row, by where a partition begins
        self.refusing: set[int] = set()

    def place(self, minute: int) -> None:
        epochs = [keys.moves_every_minutes and minute // keys.moves_every_minutes for keys in self.keys]
        found = [
            slots_of(keys, salt=keys.salt(seed=self.seed, place=number), epoch=epoch)
            for number, (keys, epoch) in enumerate(zip(self.keys, epochs, strict=True))
        ]
        assert all(slots.background == 0 for slots in found), "a plain table has few keys"
        self.slots = [list(zip(slots.positions.tolist(), slots.weights.tolist(), strict=True)) for slots in found]

    def lies(self, key: int) -> int:
        return bisect_right(self.starts, key) - 1

    def take(self, wanted: Sequence[dict[int, float]]) -> tuple[list[dict[int, float]], dict[str, float]]:
        """Return which part of each load's keys is taken, and what was refused by cause."""
        by_partition = self._by_partition(wanted)
        causes: dict[str, float] = {}
        parts = [1.0] * len(self.starts)
        each = self.scale.units / len(self.starts) if isinstance(self.capacity, Divided) else self.limit
        for place, units in enumerate(by_partition):
            room = each + (self.of_each[place] if isinstance(self.capacity, Divided) else 0.0)
            if units > room + 1e-9:
                parts[place] = room / units
                causes["key-range"] = causes.get("key-range", 0.0) + units - room
                self.refusing.add(self.starts[place])
        total = sum(units * part for units, part in zip(by_partition, parts, strict=True))
        whole = 1.0
        if not isinstance(self.capacity, Divided):
            for cause, most in self._bounds():
                if total > most + 1e-9:
                    causes[cause] = total - most
                    whole, total = whole * most / total, most
        return [{key: parts[self.lies(key)] * whole for key in units} for units in wanted], causes

    def _by_partition(self, wanted: Sequence[dict[int, float]]) -> list[float]:
        by_partition = [0.0] * len(self.starts)
        for units in wanted:
            for key, unit in units.items():
                by_partition[self.lies(key)] += unit
        return by_partition

    def _bounds(self) -> list[tuple[str, float]]:
        own = "previous-peak" if isinstance(self.capacity, OnDemand) else "provisioned"
        first = [("account", 40_000.0)] if isinstance(self.capacity, OnDemand) else []
        return [*first, (own, self.scale.units + self.saved)]

    def spend(self, taken: Sequence[dict[int, float]]) -> None:
        by_partition = self._by_partition(taken)
        if isinstance(self.capacity, Divided):
            each = self.scale.units / len(self.starts)
            for place, units in enumerate(by_partition):
                self.of_each[place] = min(max(self.of_each[place] + each - units, 0), self.burst_s * each)
        else:
            left = self.saved + self.scale.units - sum(by_partition)
            self.saved = min(max(left, 0.0), self.burst_s * self.scale.units)

    def begin(self, minute: int) -> None:
        self.scale.begin(minute)
        self.saved = min(self.saved, self.burst_s * self.scale.units)
        while len(self.starts) < ceil(self.scale.units / self.limit):
            ends = [*self.starts[1:], SPACE]
            widths = [float(end) - float(start) for start, end in zip(self.starts, ends, strict=True)]
            widest = widths.index(max(widths))
            self._split(self.starts[widest], self.starts[widest] + (ends[widest] - self.starts[widest]) // 2)
        self.place(minute)

    def end(self, minute: int, consumed: float, rates: Sequence[float], heat_minutes: int) -> None:
        self.scale.end(minute, consumed / 60)
        if isinstance(self.capacity, Divided):
            return
        self.hot = {start: self.hot.get(start, 0) + 1 for start in self.refusing}
        self.refusing = set()
        for start in sorted((one for one, minutes in self.hot.items() if minutes >= heat_minutes), reverse=True):
            self.hot[start] = 0
            self._split_for_heat(start, rates)
        self.place(minute)

    def _split_for_heat(self, start: int, rates: Sequence[float]) -> None:
        place = self.starts.index(start)
        end = self.starts[place + 1] if place + 1 < len(self.starts) else SPACE
        inside = sorted(
            (at, rate * weight)
            for rate, slots in zip(rates, self.slots, strict=True)
            for at, weight in slots
            if start <= at < end
        )
        total = sum(heat for _, heat in inside)
        cuts: dict[int, float] = {}
        for number in range(1, len(inside)):
            left = sum(heat for _, heat in inside[:number])
            if inside[number][0] != inside[number - 1][0]:
                cuts[inside[number][0]] = max(left, total - left)
        if cuts and min(cuts.values()) < 0.999 * total:
            best = min(cuts.values())
            self._split(start, next(at for at, heat in sorted(cuts.items()) if heat <= best * (1 + 1e-12)))

    def _split(self, start: int, at: int) -> None:
        place = self.starts.index(start)
        self.starts.insert(place + 1, at)
        self.of_each.insert(place + 1, self.of_each[place])


def plain_minutes(design: TableDesign, loads: Sequence[Load], *, seed: int, fault: str = "") -> list[Counts]:
    """Return what each minute of writing comes to."""
    own = PlainResource(
        design.writes,
        [load.keys for load in loads],
        limit=1000.0,
        first=4000.0,
        seed=seed,
        partitions=partitions_of(design),
        fault=fault,
    )
    indexes = _indexes(design, len(loads), seed=seed, fault=fault)
    clients = [PlainClient(load, fault) for load in loads]
    minutes = len(loads[0].requests)
    drawn = [arrivals(load, 0, minutes, seed=seed, place=place).tolist() for place, load in enumerate(loads)]
    found: list[Counts] = []
    for minute in range(minutes):
        counts = Counts()
        for resource in (own, *(index for _, index in indexes)):
            resource.begin(minute)
        counts.capacity = own.scale.units
        spent = [0.0] * len(indexes)
        for second in range(60):
            new = [units[minute][second] for units in drawn]
            _second(minute * 60 + second, new, own, indexes, clients, counts, spent)
        counts.waiting = sum(client.waiting() for client in clients)
        rates = [sum(units[minute]) / 60 for units in drawn]
        own.end(minute, counts.served + counts.wasted, rates, design.heat_minutes)
        for (each, index), units in zip(indexes, spent, strict=True):
            index.end(minute, units, [rate * each for rate in rates], design.heat_minutes)
        found.append(counts)
    return found


def _indexes(design: TableDesign, loads: int, *, seed: int, fault: str) -> list[tuple[float, PlainResource]]:
    found: list[tuple[float, PlainResource]] = []
    for number, index in enumerate(design.indexes):
        own = PlainResource(
            index.capacity,
            [index.keys] * loads,
            limit=1000.0,
            first=4000.0,
            seed=seed + 7919 * (number + 1),
            partitions=1,
            fault="",
        )
        found.append((index.units_each * (2 if fault == "index" else 1), own))
    return found


def _second(
    second: int,
    new: Sequence[float],
    own: PlainResource,
    indexes: Sequence[tuple[float, PlainResource]],
    clients: Sequence[PlainClient],
    counts: Counts,
    spent: list[float],
) -> None:
    nows: list[list[tuple[int, int, float]]] = []
    wanted: list[dict[int, float]] = []
    for number, client in enumerate(clients):
        now = client.due(second, {at: new[number] * weight for at, weight in own.slots[number]})
        units: dict[int, float] = {}
        for _, key, part in now:
            units[key] = units.get(key, 0.0) + part
        nows.append(now)
        wanted.append(units)
        counts.attempted += sum(units.values())
    taken, causes = own.take(wanted)
    for cause, refused in causes.items():
        counts.throttle(cause, refused)
    through = [1.0] * len(clients)
    for each, index in indexes:
        totals = [_taken(wanted[n], taken[n]) * through[n] * each for n in range(len(clients))]
        spread = _spread(totals, index)
        parts, _ = index.take(spread)
        for number, total in enumerate(totals):
            part = _taken(spread[number], parts[number]) / total if total else 1.0
            counts.throttle("index", total / each * (1 - part))
            through[number] *= part
    taken = [{key: part * through[number] for key, part in parts.items()} for number, parts in enumerate(taken)]
    own.spend([{key: wanted[n][key] * part for key, part in parts.items()} for n, parts in enumerate(taken)])
    for place, (each, index) in enumerate(indexes):
        totals = [_taken(wanted[n], taken[n]) * each for n in range(len(clients))]
        spent[place] += sum(totals)
        index.spend(_spread(totals, index))
    for number, client in enumerate(clients):
        client.answer(second, nows[number], taken[number], counts)


def _taken(units: dict[int, float], parts: dict[int, float]) -> float:
    return sum(unit * parts[key] for key, unit in units.items())


def _spread(totals: Sequence[float], index: PlainResource) -> list[dict[int, float]]:
    return [{at: total * weight for at, weight in slots} for total, slots in zip(totals, index.slots, strict=True)]


def differences(flow: Flow, plain: Sequence[Counts]) -> list[str]:
    """Return where the fast table and the plain one say different things, as sentences."""
    columns: dict[str, tuple[np.ndarray, Callable[[Counts], float]]] = {
        "attempted": (flow.attempted, lambda counts: counts.attempted),
        "served": (flow.served, lambda counts: counts.served),
        "wasted": (flow.wasted, lambda counts: counts.wasted),
        "given up": (flow.given_up, lambda counts: counts.given_up),
        "waiting": (flow.waiting, lambda counts: counts.waiting),
        "capacity": (flow.capacity, lambda counts: counts.capacity),
    }
    causes = {*(str(cause) for cause in flow.throttled), *(name for counts in plain for name in counts.throttled)}
    told = {str(cause): units for cause, units in flow.throttled.items()}
    for name in sorted(causes):
        units = told.get(name, np.zeros(len(plain)))
        columns[f"throttled: {name}"] = (units, lambda counts, name=name: counts.throttled.get(name, 0.0))
    found: list[str] = []
    for name, (fast, of_plain) in columns.items():
        for minute, counts in enumerate(plain):
            slow = of_plain(counts)
            if abs(fast[minute] - slow) > 1e-6 * max(1.0, abs(slow)):
                found.append(f"minute {minute}: {name} is {fast[minute]!r}, and plainly {slow!r}")
                break
    return found
