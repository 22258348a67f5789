"""The door's rules: which hits are not a person's by what is known when they come. The verdict is frozen with the hit.

What it remembers (who came how often) is in memory only, under a key that ends with the process, and is bounded
whatever is sent. Senders that want privacy leave no visitor behind, and meet the same rules.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from footfall.flow.collect.fields import Draft, Hit
from footfall.flow.collect.senders import Sender, keyed_hash, visitor_under
from footfall.flow.stream.records import HitKey
from footfall.screening.ahead import is_purpose_ahead
from footfall.screening.clients import Clients
from footfall.screening.labels import Label, Reason
from footfall.screening.lists import Lists
from footfall.screening.ranges import network_of
from footfall.screening.recent_counts import RecentCounts
from footfall.screening.referrers import SpamReferrers
from footfall.screening.rules import BrandRules
from footfall.values.window import MINUTE_MS

if TYPE_CHECKING:
    from footfall.screening.agents import AgentLabel

ENTRIES_MAX = 100_000  # of each rule that counts: some 12 MB
SENDERS_MAX = 20_000  # that are remembered, in memory alone: some 5 MB, and 15 MB if agents are made up
REMEMBERED_CHARS_MAX = 512  # of an agent

_NONE: Final = Reason.NONE
_purpose = attrgetter("purpose")
_Counts = tuple[Counter[Hashable], Counter[Hashable]]  # of visitors, and of visitors with an asset

_OF_AGENTS: Mapping[Label, Reason] = {
    Label.PERSON: Reason.NONE,
    Label.BOT: Reason.AGENT_BOT,
    Label.AI: Reason.AGENT_AI,
    Label.PREFETCH: Reason.PREFETCH,
}


class ScreenLimits(Struct, frozen=True):
    """How much is too much of one sender; 0 is never."""

    repeats_max: int = 10  # of one asset by one visitor
    address_repeats_max: int = 100  # of one asset from one address, whatever agents it has
    repeats_ms: int = 10 * MINUTE_MS
    visitor_per_minute_max: int = 120
    key_per_minute_max: int = 0
    entries_max: int = ENTRIES_MAX


class _AgentReasons(dict[str, Reason]):
    """What agents say against their senders or readers: those that were asked for lately are remembered."""

    def __init__(self, found: Callable[[str], Reason]) -> None:
        super().__init__()
        self._found = found

    def __missing__(self, agent: str) -> Reason:
        reason = self._found(agent)
        if len(self) >= SENDERS_MAX:
            self.clear()
        if len(agent) <= REMEMBERED_CHARS_MAX:
            self[agent] = reason
        return reason


class Screen:
    """Labels hits by what is known at the door."""

    def __init__(
        self,
        limits: ScreenLimits,
        *,
        secret: bytes,
        agents: "Mapping[str, AgentLabel] | None" = None,
    ) -> None:
        self._limits = limits
        self._agents = agents
        self._lists = Lists()
        self._spam = SpamReferrers()
        self._rules: dict[str, BrandRules] = {}
        self._clients = Clients()
        self._senders: dict[tuple[str, str, str], Reason] = {}
        self._agent_reasons = _AgentReasons(self._found_of_agent)
        self._keyed: hashlib.blake2b = keyed_hash(secret)
        entries_max = limits.entries_max
        self._repeats = RecentCounts(window_ms=limits.repeats_ms, entries_max=entries_max)
        self._addresses = RecentCounts(window_ms=limits.repeats_ms, entries_max=entries_max)
        self._visitors = RecentCounts(window_ms=MINUTE_MS, entries_max=entries_max)
        self._recent: _Counts = (Counter(), Counter())  # at hand for all that comes in one millisecond
        self._recent_at_ms = -1
        self._keys = RecentCounts(window_ms=MINUTE_MS, entries_max=entries_max)

    def __len__(self) -> int:
        """Return how many counts it remembers."""
        return len(self._repeats) + len(self._addresses) + len(self._visitors) + len(self._keys)

    def take_lists(self, lists: Lists) -> None:
        """Go by other lists from now on."""
        self._lists, self._spam, self._senders = lists, SpamReferrers(lists.spam_domains), {}

    def take_rules(self, rules: Mapping[str, BrandRules]) -> None:
        """Go by other rules of all brands from now on."""
        self._rules, self._senders = dict(rules), {}

    def of_single(self, brand: str, hit: Hit, sender: Sender, *, visitor: bytes, now_ms: int) -> str:
        """Return why a hit that came alone is not a person's; empty when it is one."""
        rules = self._rules.get(brand)
        if rules is not None and not rules.is_on:
            return ""
        if sender.is_server:
            who = self._visitor(hit, visitor)
        else:
            reason = self._of_sender(brand, sender)
            if reason:
                return reason
            # A script can make up a visitor for each of its hits, so a page's word on it is not taken.
            who = visitor if visitor and not hit.visitor else self._sender(brand, sender)
        if self._limits.key_per_minute_max and (reason := self._of_key(sender, 1, now_ms)):
            return reason
        if reason := self._of_hit(rules, hit):
            return reason
        found: dict[int, str] = {}
        self._add_excess(found, (hit,), (who,), self._counts(now_ms))
        if not sender.is_server and not found:
            self._add_crowds(found, brand, (hit,), sender.address, now_ms)
        return found.get(0, "")

    def of_draft(
        self, brand: str, draft: Draft, sender: Sender, *, visitors: Sequence[bytes] | None, now_ms: int
    ) -> dict[int, str]:
        """Return which hits of a request are not a person's and why.

        A server is not judged by its own agent and address, but by what it says of its readers.
        """
        rules = self._rules.get(brand)
        if rules is not None and not rules.is_on:
            return {}
        reason = self._of_sender(brand, sender) if not sender.is_server else Reason.NONE
        reason = reason or self._of_key(sender, len(draft.keys), now_ms)
        if reason:
            return dict.fromkeys(range(len(draft.keys)), str(reason))
        if draft.hits is None and sender.is_server:
            return _of_keys(rules, draft.keys) if rules is not None and rules.judges_pages else {}
        hits = draft.hits or [Hit(brand, key) for key in draft.keys]
        if sender.is_past:
            whose = [b""] * len(hits)  # An hour of a reader's hits that are read in one second are no flood.
        elif sender.is_server:
            seen = visitors or [b""] * len(hits)
            named = self._visitor
            whose = [
                visitor if visitor and hit.visitor else named(hit, visitor)
                for hit, visitor in zip(hits, seen, strict=True)
            ]
        else:
            whose = [self._sender(brand, sender)] * len(hits)
        found = self._spoken_against(rules, hits)
        self._add_excess(found, hits, whose, self._counts(now_ms))
        if not sender.is_server:
            self._add_crowds(found, brand, hits, sender.address, now_ms)
        return found

    def _spoken_against(self, rules: BrandRules | None, hits: Sequence[Hit]) -> dict[int, str]:
        """Return what speaks against hits, each by itself; where nothing can, they are not looked at one by one."""
        agents = {hit.agent for hit in hits}
        agents.discard("")
        if not (
            any(map(self._agent_reasons.__getitem__, agents))
            or any(map(self._spam.__getitem__, {hit.referrer for hit in hits}))
            or any(map(self._clients.__getitem__, {hit.client for hit in hits}))
            or any(map(_purpose, hits))
            or (rules is not None and rules.may_block([hit.url or hit.key[0] for hit in hits], agents))
        ):
            return {}
        found = [self._of_hit(rules, hit) for hit in hits]
        return {place: reason.value for place, reason in enumerate(found) if reason}

    def _add_excess(self, found: dict[int, str], hits: Sequence[Hit], whose: Sequence[bytes], counts: _Counts) -> None:
        """Count the hits that nothing speaks against, and add those that are too much of one visitor."""
        visitors, repeats = counts
        places: Sequence[int] = range(len(hits))
        if found or not all(whose):
            places = [place for place, who in enumerate(whose) if who and place not in found]
        if self._limits.visitor_per_minute_max:
            over = _over(visitors, [whose[place] for place in places], self._limits.visitor_per_minute_max)
            if over:
                found |= {places[number]: Reason.RATE.value for number in over}
                places = [place for place in places if place not in found]
        if self._limits.repeats_max:
            # Python's hashes are keyed anew in each process, and take less room than the asset's name.
            pairs = [hash((whose[place], hits[place].key[0])) for place in places]
            over = _over(repeats, pairs, self._limits.repeats_max)
            found |= {places[number]: Reason.RELOAD.value for number in over}

    def _add_crowds(self, found: dict[int, str], brand: str, hits: Sequence[Hit], address: str, now_ms: int) -> None:
        """Add hits of one asset that are too many from one address: a script makes up an agent for each of its hits."""
        most = self._limits.address_repeats_max
        if not most:
            return
        places = [place for place in range(len(hits)) if place not in found]
        network = network_of(address)
        pairs = [hash((brand, network, hits[place].key[0])) for place in places]
        over = _over(self._addresses.counts_at(now_ms), pairs, most)
        found |= {places[number]: Reason.ONE_ADDRESS.value for number in over}

    def _of_sender(self, brand: str, sender: Sender) -> Reason:
        """Return what a sender that speaks for itself says against itself; those of late are remembered."""
        if sender.is_ahead:
            return Reason.PREFETCH
        # Rules change in another thread, which puts an empty dict here: what was judged by the old ones goes with it.
        senders, key = self._senders, (brand, sender.address, sender.agent)
        known = senders.get(key)
        if known is not None:
            return known
        reason = self._judged(self._rules.get(brand), sender)
        if len(senders) >= SENDERS_MAX:
            senders.clear()
        if len(sender.agent) <= REMEMBERED_CHARS_MAX:
            senders[key] = reason
        return reason

    def _judged(self, rules: BrandRules | None, sender: Sender) -> Reason:
        if rules is not None:
            reason = rules.on_address(sender.address, self._lists.countries) or rules.on_agent(sender.agent)
            if reason:
                return reason
        reason = self._agent_reasons[sender.agent]
        if not reason and self._lists.data_centres.holds(sender.address):
            return Reason.DATA_CENTRE
        return reason

    def _found_of_agent(self, agent: str) -> Reason:
        if self._agents is None:
            self._agents = _known_agents()
        found = self._agents[agent]
        if found.reason is Reason.AUTOMATION:
            return Reason.HEADLESS
        return _OF_AGENTS.get(found.label, found.reason)

    def _of_key(self, sender: Sender, hits: int, now_ms: int) -> Reason:
        most = self._limits.key_per_minute_max
        if not most or not sender.key_id:
            return Reason.NONE
        is_over = self._keys.add(sender.key_id, now_ms=now_ms, times=hits) > most
        return Reason.KEY_RATE if is_over else Reason.NONE

    def _counts(self, now_ms: int) -> _Counts:
        visitors, repeats = counts = self._recent
        most = self._limits.entries_max
        if now_ms != self._recent_at_ms or len(visitors) > most or len(repeats) > most:
            self._recent_at_ms = now_ms
            self._recent = counts = self._visitors.counts_at(now_ms), self._repeats.counts_at(now_ms)
        return counts

    def _of_hit(self, rules: BrandRules | None, hit: Hit) -> Reason:
        """Return what speaks against a hit by itself."""
        agent = hit.agent
        if rules is not None:
            if rules.judges_pages and rules.pages[hit.url or hit.key[0]]:
                return Reason.RULE_PATH
            if agent and rules.blocked_agents[agent]:
                return Reason.RULE_AGENT
        if agent and (reason := self._agent_reasons[agent]):
            return reason
        if hit.purpose and is_purpose_ahead(hit.purpose):
            return Reason.PREFETCH
        if hit.client and (reason := self._clients[hit.client]):
            return reason
        return Reason.REFERRER_SPAM if hit.referrer and self._spam[hit.referrer] else _NONE

    def _visitor(self, hit: Hit, visitor: bytes) -> bytes:
        """Return who a server says that its reader is."""
        if not hit.visitor:
            return b""
        return visitor or visitor_under(self._keyed, hit.brand, hit.visitor)

    def _sender(self, brand: str, sender: Sender) -> bytes:
        return visitor_under(self._keyed, sender.address, sender.agent, brand)


def _over(counts: Counter[Hashable], keys: Sequence[Hashable], most: int) -> list[int]:
    """Count keys, and return the places of those that came more often by then."""
    counts.update(keys)
    if max(map(counts.__getitem__, keys), default=0) <= most:
        return []
    later, over = Counter(keys), list[int]()
    for place, key in enumerate(keys):
        later[key] -= 1
        if counts[key] - later[key] > most:
            over.append(place)
    return over


def _of_keys(rules: BrandRules, keys: Sequence[HitKey]) -> dict[int, str]:
    """Return which assets are pages that an operator blocks, where nothing but their ids was sent."""
    return {place: str(Reason.RULE_PATH) for place, key in enumerate(keys) if "/" in key[0] and rules.pages[key[0]]}


def _known_agents() -> "Mapping[str, AgentLabel]":
    # With the first hit of a page, and in no process that takes none: the automaton takes 25 MB.
    from footfall.screening.agents import known_agents

    return known_agents()
