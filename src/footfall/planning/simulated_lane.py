"""Reads or writes of a table: its loads and their clients against the table and its indexes, minute by minute."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.planning.simulated_clients import Client, sending
from footfall.planning.simulated_outcomes import Cause, Flow
from footfall.planning.simulated_partitions import Shares, total
from footfall.planning.simulated_resource import Resource
from footfall.planning.traffic import Minutes


@dataclass(frozen=True, slots=True, eq=False)
class IndexUse:
    """An index of the table: what each unit of a load costs there, by load."""

    name: str
    resource: Resource
    units_each: Shares


class Tally:
    """The arrays that a simulation fills."""

    def __init__(self, minutes: int) -> None:
        self.offered, self.attempted, self.served = np.zeros(minutes), np.zeros(minutes), np.zeros(minutes)
        self.wasted, self.given_up, self.waiting = np.zeros(minutes), np.zeros(minutes), np.zeros(minutes)
        self.capacity, self.hottest, self.partitions = np.zeros(minutes), np.zeros(minutes), np.zeros(minutes)
        self.throttled: dict[Cause, Minutes] = {}

    def throttle(self, cause: Cause, minute: int, units: float) -> None:
        """Add to what was refused for a cause."""
        if cause not in self.throttled:
            self.throttled[cause] = np.zeros(len(self.offered))
        self.throttled[cause][minute] += units

    def flow(self) -> Flow:
        """Return it all as what a simulation tells."""
        return Flow(
            offered=self.offered,
            attempted=self.attempted,
            served=self.served,
            throttled=dict(sorted(self.throttled.items())),
            wasted=self.wasted,
            given_up=self.given_up,
            waiting=self.waiting,
            capacity=self.capacity,
        )


class Lane:
    """All reads, or all writes, of one table."""

    def __init__(
        self, resource: Resource, clients: Sequence[Client], indexes: Sequence[IndexUse], minutes: int
    ) -> None:
        self._resource = resource
        self._senders = [sending(client, len(resource.layout)) for client in clients]
        self._indexes = indexes
        self.tally = Tally(minutes)
        self.index_consumed = {use.name: np.zeros(minutes) for use in indexes}
        self.index_capacity = {use.name: np.zeros(minutes) for use in indexes}

    def rest(self) -> None:
        """Let all minutes pass without any load."""
        self.tally.capacity[:] = self._resource.units
        self.tally.partitions[:] = len(self._resource.layout)

    def minute(self, minute: int, rates: Shares, stored_bytes: float) -> None:
        """Let a minute pass in which so many units are offered, by load and second."""
        self._begin(minute, stored_bytes)
        self.tally.offered[minute] = rates.sum()
        if not self._passes(minute, rates):
            for second in range(rates.shape[1]):
                self._second(minute, minute * 60 + second, rates[:, second])
        self.tally.waiting[minute] = sum(sender.waiting() for sender in self._senders)
        mean = rates.mean(axis=1)
        consumed = self.tally.served[minute] + self.tally.wasted[minute]
        self._resource.end(minute, consumed, mean, self._follow)
        for use in self._indexes:
            use.resource.end(minute, float(self.index_consumed[use.name][minute]), mean * use.units_each, _nobody)

    def _begin(self, minute: int, stored_bytes: float) -> None:
        self._resource.begin(minute, stored_bytes, self._follow)
        self.tally.capacity[minute] = self._resource.units
        self.tally.partitions[minute] = len(self._resource.layout)
        for use in self._indexes:
            use.resource.begin(minute, 0.0, _nobody)
            self.index_capacity[use.name][minute] = use.resource.units

    def _passes(self, minute: int, rates: Shares) -> bool:
        """Do a whole minute at once, if nobody waits and nothing would be refused."""
        if not all(sender.is_idle() for sender in self._senders):
            return False
        passed = self._resource.passed(rates)
        if passed is None:
            return False
        of_indexes = [(use, use.resource.passed(rates * use.units_each[:, None])) for use in self._indexes]
        if any(one is None for _, one in of_indexes):
            return False
        self._resource.keep(passed)
        units = float(rates.sum())
        self.tally.attempted[minute] = self.tally.served[minute] = units
        self.tally.hottest[minute] = passed.hottest
        for use, one in of_indexes:
            if one is not None:
                use.resource.keep(one)
            self.index_consumed[use.name][minute] = float((rates.sum(axis=1) * use.units_each).sum())
        return True

    def _second(self, minute: int, second: int, new: Shares) -> None:
        demand = new[:, None] * self._resource.shares
        for place, sender in enumerate(self._senders):
            demand[place] = sender.due(second, demand[place])
        self.tally.attempted[minute] += total(demand)
        admitted = self._resource.admitted(demand)
        for cause, units in admitted.refused:
            self.tally.throttle(cause, minute, total(units))
        served = self._through_indexes(minute, admitted.served)
        hottest = self._resource.spend(np.add.reduce(served))
        self.tally.hottest[minute] = max(self.tally.hottest[minute], hottest)
        refused = demand - served
        for place, sender in enumerate(self._senders):
            answered = sender.answered(second, served[place], refused[place])
            self.tally.served[minute] += answered.done
            self.tally.wasted[minute] += answered.wasted
            self.tally.given_up[minute] += answered.given_up

    def _through_indexes(self, minute: int, served: Shares) -> Shares:
        """Return what the indexes take as well: a write that one of them cannot take is not done."""
        if not self._indexes:
            return served
        for use in self._indexes:
            units = served.sum(axis=1) * use.units_each
            taken = use.resource.admitted(units[:, None] * use.resource.shares).served.sum(axis=1)
            part = np.divide(taken, units, out=np.ones_like(units), where=units > 0)
            refused = float((served * (1 - part)[:, None]).sum())
            if refused > 0:
                self.tally.throttle(Cause.INDEX, minute, refused)
            served = served * part[:, None]
        for use in self._indexes:
            units = served.sum(axis=1) * use.units_each
            use.resource.spend((units[:, None] * use.resource.shares).sum(axis=0))
            self.index_consumed[use.name][minute] += float(units.sum())
        return served

    def _follow(self, place: int, left: Shares) -> None:
        for sender, part in zip(self._senders, left.tolist(), strict=True):
            sender.divide(place, part)


def _nobody(place: int, left: Shares) -> None:
    """Follow nothing: nobody waits at an index."""
    del place, left
