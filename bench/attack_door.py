"""The door before the scenario: keys, ids and times as the flow judges them, then the door's own rules, hit by hit."""

import ipaddress

import numpy as np
from numpy.typing import NDArray

from bench.attack_scenario import Scenario
from bench.attack_world import CLIENTS, DAY_MS, MINUTE_MS, REFERRER_TEXTS, SECTIONS, SPAM_LISTED
from footfall.flow.collect.fields import Hit
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.flow.collect.senders import Sender
from footfall.screening.lists import Lists

BRAND = "abc"
FUTURE_MS = 5 * MINUTE_MS
LATE_MS = DAY_MS


class Doorway:
    """Lets a scenario's hits through one door, in their order."""

    def __init__(self, day: Scenario) -> None:
        self._day = day
        self._screen = Screen(ScreenLimits(), secret=bytes(32))
        self._screen.take_lists(Lists(spam_domains=frozenset(SPAM_LISTED)))

    def kept_out(self) -> NDArray[np.bool_]:
        """Return which hits are refused, repeats, set aside, or not taken for a person's."""
        hits = self._day.hits
        ahead_ms = hits.at_ms - hits.arrived_ms
        out = (hits.has_key == 0) | (ahead_ms > FUTURE_MS) | (-ahead_ms > LATE_MS)
        _, first = np.unique(np.where(out, -np.arange(len(hits)) - 1, hits.id), return_index=True)
        is_first = np.zeros(len(hits), np.bool_)
        is_first[first] = True
        out |= ~is_first
        passing = np.flatnonzero(~out)
        out[passing] = [bool(reason) for reason in self._reasons(passing)]
        return out

    def _reasons(self, places: NDArray[np.intp]) -> list[str]:
        hits = self._day.hits.chosen(places)
        senders, screen = self._senders(places), self._screen
        pairs = zip(
            hits.asset.tolist(),
            hits.referrer.tolist(),
            hits.client.tolist(),
            hits.arrived_ms.tolist(),
            senders,
            strict=True,
        )
        told: list[str] = []
        for asset, referrer, client, now_ms, (sender, visitor) in pairs:
            key = (str(asset), str(asset % SECTIONS), "", "")
            hit = Hit(BRAND, key, referrer=REFERRER_TEXTS[referrer], client=CLIENTS[client])
            told.append(screen.of_single(BRAND, hit, sender, visitor=visitor, now_ms=now_ms))
        return told

    def _senders(self, places: NDArray[np.intp]) -> list[tuple[Sender, bytes]]:
        """Return who sent each hit, and the visitor that is kept of it."""
        hits, agents = self._day.hits.chosen(places), self._day.agents
        known: dict[tuple[int, int, int], tuple[Sender, bytes]] = {}
        found: list[tuple[Sender, bytes]] = []
        for who in zip(hits.address.tolist(), hits.agent.tolist(), hits.is_private.tolist(), strict=True):
            one = known.get(who)
            if one is None:
                address, agent, private = who
                sender = Sender(str(ipaddress.IPv4Address(address)), agents[agent], bool(private), BRAND)
                visitor = b"" if private else (address << 12 | agent).to_bytes(8, "big")
                one = known[who] = sender, visitor
            found.append(one)
        return found
