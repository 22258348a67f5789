"""The door before the scenario: keys, ids and times as the flow judges them, then the door's own rules, hit by hit."""

import ipaddress
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bench.attack_scenario import Scenario
from bench.attack_world import CLIENTS, DAY_MS, MINUTE_MS, REFERRER_TEXTS, SECTIONS, SPAM_LISTED
from footfall.accounts.keyring import Keyring, UnknownKey
from footfall.accounts.keys import PUBLIC_MARK, SECRET_MARK, new_public_key
from footfall.flow.collect.fields import Hit
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.flow.collect.senders import Sender
from footfall.flow.stream.seen_ids import ID_BYTES, SeenIds
from footfall.ports.stream import Record
from footfall.screening.lists import Lists

BRAND = "abc"
FUTURE_MS = 5 * MINUTE_MS
LATE_MS = DAY_MS


def forged_key(real: str, place: int) -> str:
    """Return a key that nobody was given, in turn of three kinds: made up, a secret of a known id, and cut short."""
    made_up = f"{PUBLIC_MARK}{place:024d}", real.replace(PUBLIC_MARK, SECRET_MARK) + f"_{place:040d}", real[:-1]
    return made_up[place % len(made_up)]


class Doorway:
    """Lets a scenario's hits through one door, in their order."""

    def __init__(self, day: Scenario) -> None:
        self._day = day
        self._screen = Screen(ScreenLimits(), secret=bytes(32))
        self._keyring, made = Keyring(), new_public_key(BRAND, label="", now_ms=0, random_bytes=bytes)
        self._keyring.replace(BRAND, [made.record])
        self._key = made.text
        self._screen.take_lists(Lists(spam_domains=frozenset(SPAM_LISTED)))

    def kept_out(self) -> NDArray[np.bool_]:
        """Return which hits are refused, repeats, set aside, or not taken for a person's."""
        hits = self._day.hits
        ahead_ms = hits.at_ms - hits.arrived_ms
        out = self._is_refused()
        out[~out] = self._is_repeat(np.flatnonzero(~out))
        out |= (ahead_ms > FUTURE_MS) | (-ahead_ms > LATE_MS)
        passing = np.flatnonzero(~out)
        out[passing] = [bool(reason) for reason in self._reasons(passing)]
        return out

    def _is_refused(self) -> NDArray[np.bool_]:
        """Return which hits bring a key that the keyring does not know."""
        out: list[bool] = []
        for place, (has_key, now_ms) in enumerate(
            zip(self._day.hits.has_key.tolist(), self._day.hits.arrived_ms.tolist(), strict=True)
        ):
            sent = self._key if has_key else forged_key(self._key, place)
            try:
                out.append(self._keyring.caller(sent, now_ms=now_ms).brand != BRAND)
            except UnknownKey:
                out.append(True)
        return np.array(out, np.bool_)

    def _is_repeat(self, places: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of the hits bring an id that a shard has seen, as counting on a stream decides it."""
        hits, seen = self._day.hits.chosen(places), SeenIds()
        minute = hits.arrived_ms // MINUTE_MS
        repeats = np.zeros(len(hits), np.bool_)
        starts = np.flatnonzero(np.diff(minute, prepend=-1)).tolist()
        # A record holds the hits of a minute; what was seen is packed every hour, as a flush does.
        for sequence, (start, stop) in enumerate(pairwise([*starts, len(hits)]), 1):
            ids = tuple((at, _id_bytes(id_)) for at, id_ in enumerate(hits.id[start:stop].tolist()) if id_)
            record = Record(sequence, BRAND, stop - start, b"", int(hits.arrived_ms[start]), ids=ids)
            repeats[start + np.array(seen.verdicts([record])[0].repeats, np.intp)] = True
            if sequence % 60 == 0:
                seen.fresh_blocks(through=sequence)
        return repeats

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


def _id_bytes(id_: int) -> bytes:
    """Return what a stream is given of an id: a hash, as collecting makes it."""
    return blake2b(f"{BRAND}\0{id_}".encode(), digest_size=ID_BYTES).digest()
