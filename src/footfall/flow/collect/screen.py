"""The door's rules: which hits are not a person's by what is known when they come. The verdict is frozen with the hit.

What it remembers (who came how often) is in memory only, under a key that ends with the process, and is bounded
whatever is sent. Senders that want privacy leave no visitor behind, and meet the same rules.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from footfall.flow.collect.fields import Draft, Hit
from footfall.flow.collect.senders import Sender, keyed_hash, visitor_under
from footfall.screening.clients import Clients
from footfall.screening.labels import Label, Reason
from footfall.screening.lists import Lists
from footfall.screening.recent_counts import RecentCounts
from footfall.screening.referrers import SpamReferrers
from footfall.screening.rules import BrandRules
from footfall.values.window import MINUTE_MS

if TYPE_CHECKING:
    from footfall.screening.agents import AgentLabel

ENTRIES_MAX = 100_000  # of each rule that counts: some 12 MB
ADDRESSES_MAX = 20_000  # whose networks are remembered

_OF_AGENTS: Mapping[Label, Reason] = {
    Label.PERSON: Reason.NONE,
    Label.BOT: Reason.AGENT_BOT,
    Label.AI: Reason.AGENT_AI,
    Label.PREFETCH: Reason.PREFETCH,
}


class ScreenLimits(Struct, frozen=True):
    """How much is too much of one sender; 0 is never."""

    repeats_max: int = 10  # of one asset by one visitor
    repeats_ms: int = 10 * MINUTE_MS
    visitor_per_minute_max: int = 120
    key_per_minute_max: int = 0
    entries_max: int = ENTRIES_MAX


class Screen:
    """Labels hits by what is known at the door."""

    def __init__(
        self,
        limits: ScreenLimits,
        *,
        secret: bytes,
        agents: "Callable[[], Mapping[str, AgentLabel]] | None" = None,
    ) -> None:
        self._limits = limits
        self._agents = agents or _known_agents
        self._lists = Lists()
        self._spam = SpamReferrers()
        self._rules: dict[str, BrandRules] = {}
        self._clients = Clients()
        self._in_data_centre: dict[str, bool] = {}
        self._keyed: hashlib.blake2b = keyed_hash(secret)
        entries_max = limits.entries_max
        self._repeats = RecentCounts(window_ms=limits.repeats_ms, entries_max=entries_max)
        self._visitors = RecentCounts(window_ms=MINUTE_MS, entries_max=entries_max)
        self._keys = RecentCounts(window_ms=MINUTE_MS, entries_max=entries_max)

    def __len__(self) -> int:
        """Return how many counts it remembers."""
        return len(self._repeats) + len(self._visitors) + len(self._keys)

    def take_lists(self, lists: Lists) -> None:
        """Go by other lists from now on."""
        self._lists, self._spam, self._in_data_centre = lists, SpamReferrers(lists.spam_domains), {}

    def take_rules(self, rules: Mapping[str, BrandRules]) -> None:
        """Go by other rules of all brands from now on."""
        self._rules = dict(rules)

    def of_single(self, brand: str, hit: Hit, sender: Sender, *, visitor: bytes, now_ms: int) -> str:
        """Return why a hit that came alone is not a person's; empty when it is one."""
        rules = self._rules.get(brand)
        if rules is not None and not rules.is_on:
            return ""
        reason = self._of_sender(rules, sender) or self._of_key(sender, 1, now_ms)
        if reason:
            return reason
        if sender.is_server:
            who = self._visitor(hit, visitor)
        else:
            who = visitor if visitor and not hit.visitor else self._sender(brand, sender)
        return self._of_hit(rules, hit, who, now_ms)

    def of_draft(
        self, brand: str, draft: Draft, sender: Sender, *, visitors: Sequence[bytes] | None, now_ms: int
    ) -> dict[int, str]:
        """Return which hits of a request are not a person's and why.

        A server is not judged by its own agent and address, but by what it says of its readers.
        """
        rules = self._rules.get(brand)
        if rules is not None and not rules.is_on:
            return {}
        reason = self._of_sender(rules, sender) or self._of_key(sender, len(draft.keys), now_ms)
        if reason:
            return dict.fromkeys(range(len(draft.keys)), str(reason))
        if draft.hits is None and sender.is_server and (rules is None or not rules.paths):
            return {}
        hits = draft.hits or [Hit(brand, key) for key in draft.keys]
        if sender.is_server:
            seen = visitors or [b""] * len(hits)
            whose = [self._visitor(hit, visitor) for hit, visitor in zip(hits, seen, strict=True)]
        else:
            # A script can make up a visitor for each of its hits, so a page's word on it is not taken here.
            whose = [self._sender(brand, sender)] * len(hits)
        found = [self._of_hit(rules, hit, who, now_ms) for hit, who in zip(hits, whose, strict=True)]
        return {place: str(reason) for place, reason in enumerate(found) if reason}

    def _of_sender(self, rules: BrandRules | None, sender: Sender) -> Reason:
        """Return what a sender that speaks for itself says against itself."""
        if sender.is_server:
            return Reason.NONE
        if rules is not None:
            reason = rules.on_address(sender.address, self._lists.countries) or rules.on_agent(sender.agent)
            if reason:
                return reason
        if sender.is_ahead:
            return Reason.PREFETCH
        return self._of_agent(sender.agent) or self._of_network(sender.address)

    def _of_agent(self, agent: str) -> Reason:
        found = self._agents()[agent]
        if found.reason is Reason.AUTOMATION:
            return Reason.HEADLESS
        return _OF_AGENTS.get(found.label, found.reason)

    def _of_network(self, address: str) -> Reason:
        if not len(self._lists.data_centres):
            return Reason.NONE
        known = self._in_data_centre
        if address not in known:
            if len(known) >= ADDRESSES_MAX:
                known.clear()
            known[address] = self._lists.data_centres.holds(address)
        return Reason.DATA_CENTRE if known[address] else Reason.NONE

    def _of_key(self, sender: Sender, hits: int, now_ms: int) -> Reason:
        most = self._limits.key_per_minute_max
        if not most or not sender.key_id:
            return Reason.NONE
        is_over = self._keys.add(hash(sender.key_id), now_ms=now_ms, times=hits) > most
        return Reason.KEY_RATE if is_over else Reason.NONE

    def _of_hit(self, rules: BrandRules | None, hit: Hit, who: bytes, now_ms: int) -> Reason:
        if rules is not None:
            reason = rules.on_page(hit.url or hit.key[0]) or (rules.on_agent(hit.agent) if hit.agent else Reason.NONE)
            if reason:
                return reason
        if hit.agent and (reason := self._of_agent(hit.agent)):
            return reason
        if hit.client and (reason := self._clients[hit.client]):
            return reason
        if hit.referrer and self._spam.sent(hit.referrer):
            return Reason.REFERRER_SPAM
        return self._of_counts(hit.key[0], who, now_ms) if who else Reason.NONE

    def _of_counts(self, asset: str, who: bytes, now_ms: int) -> Reason:
        """Count what somebody sends, and return why it is too much. Hashes of texts are keyed anew in each process."""
        limits = self._limits
        most = limits.visitor_per_minute_max
        if most and self._visitors.add(hash(who), now_ms=now_ms) > most:
            return Reason.RATE
        most = limits.repeats_max
        if most and self._repeats.add(hash((who, asset)), now_ms=now_ms) > most:
            return Reason.RELOAD
        return Reason.NONE

    def _visitor(self, hit: Hit, visitor: bytes) -> bytes:
        """Return who a server says that its reader is."""
        if not hit.visitor:
            return b""
        return visitor or visitor_under(self._keyed, hit.brand, hit.visitor)

    def _sender(self, brand: str, sender: Sender) -> bytes:
        return visitor_under(self._keyed, sender.address, sender.agent, brand)


def _known_agents() -> "Mapping[str, AgentLabel]":
    # With the first hit of a page, and in no process that takes none: the automaton takes 25 MB.
    from footfall.screening.agents import known_agents

    return known_agents()
