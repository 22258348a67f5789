"""From parsed hits to stream entries: everything that decides where a hit goes is frozen here."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct, structs

from footfall.accounts.brands import Brand, Brands, KeyNeeded
from footfall.accounts.keyring import NotAllowed
from footfall.catalog.labels import KnownLabels
from footfall.flow.collect.claims import claim_of
from footfall.flow.collect.fields import Draft, Hit, Parsed, Refusal
from footfall.flow.collect.plain import Plain, Taken, apart
from footfall.flow.collect.screen import Screen
from footfall.flow.collect.senders import (
    SALT_MS,
    Salts,
    Sender,
    keyed_hash,
    visitor_hash,
    visitor_under,
    visitors_under,
)
from footfall.flow.stream.moments import column_of_moments, span_of
from footfall.flow.stream.packed_keys import column_of
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack
from footfall.flow.stream.shards import places_by_shard, shard_of
from footfall.ports.stream import Claim, Entry
from footfall.screening.agent_codes import NOT_KNOWN, agent_code
from footfall.values.errors import Refused
from footfall.values.window import MINUTE_MS

LATENESS_MS = 86_400_000
FUTURE_MS = 300_000
LATE, FUTURE = "late", "future"
_TIMES = (LATE, FUTURE)  # These are set aside, and replayed as they came, so no rule speaks before them.
UNLABELLED = "unlabelled"  # The verdict on a hit without resourceType where the brand wants to know first.
LEAN_HITS_PER_RECORD_MAX = 2_000  # of at most 460 bytes each: an id and three labels
FULL_HITS_PER_RECORD_MAX = 200  # of at most 4,700 bytes each: url, referrer and visitor as well
QUARTER_MS = 900_000
_DAY_SALTS_MAX = 4_000
_ID_BYTES = 16
_T = TypeVar("_T")
_AHEAD_MS_MAX = 300_000  # Beyond it an event's day is not believed, so no salt is made for it.


class Request(Struct, frozen=True, gc=False):
    """How hits came: when, from whom, and under which Idempotency-Key."""

    arrived_at_ms: int
    sender: Sender
    is_batch: bool
    idempotency_key: str = ""
    body: bytes = b""
    sent_at_ms: int | None = None  # Hits without a time are of then, and lateness is judged from it; None: at arrival.


class Single(Struct, frozen=True, gc=False):
    """A hit that came alone and goes into the stream with others that did."""

    brand: Brand
    hit: Hit
    verdict: str  # empty: it is counted
    visitor: bytes
    arrived_at_ms: int
    agent: int = NOT_KNOWN


class Acceptance:
    """What it takes to accept: the brands, the visitors' salts, the shards of the stream and the catalogue's labels."""

    def __init__(
        self,
        brands: Brands,
        salts: Salts,
        *,
        shards: int,
        lateness_ms: int = LATENESS_MS,
        future_ms: int = FUTURE_MS,
        labels: KnownLabels | None = None,
    ) -> None:
        self._brands = brands
        self.labels = labels
        self._screen: Screen | None = None
        self.lateness_ms = lateness_ms
        self.future_ms = future_ms
        self.salts = salts
        self.shards = shards
        self._day_hashes: dict[tuple[str, int], hashlib.blake2b | None] = {}
        self._quarter = 0

    def screen_with(self, screen: Screen) -> None:
        """Have the door's rules speak on every hit from now on."""
        self._screen = screen

    def single(self, hit: Hit, sender: Sender, *, arrived_at_ms: int) -> Single:
        """Return a hit that came alone, ready for the stream, or raise Refused for an unknown brand."""
        brand = self.brand_of(hit.brand, sender)
        labels = self.labels
        if labels is not None and (labels.wants_addresses or labels.has_any(brand.name)):
            hit = _labelled_hit(hit, brand, labels)
        visitor = b"" if sender.wants_privacy else self._visitor(brand, hit, sender, arrived_at_ms)
        # Nearly every hit is of now and counted, which needs no further look.
        is_plain = hit.at_ms is None and brand.unlabelled == "count"
        verdict = "" if is_plain else self._verdict(brand, hit.key, hit.at_ms, arrived_at_ms)
        if self._screen is not None and verdict not in _TIMES:
            screened = self._screen.of_single(brand.name, hit, sender, visitor=visitor, now_ms=arrived_at_ms)
            verdict = screened or verdict
        return Single(brand, hit, verdict, visitor, arrived_at_ms, agent_code(_agent(hit, sender)))

    def entries(self, parsed: Parsed, request: Request) -> list[Entry]:
        """Return the entries to append, each with hits of this request alone."""
        return [apart(one) for one in self.taken(parsed, request)]

    def taken(self, parsed: Parsed, request: Request) -> list[Taken]:
        """Return what to append; hits of unknown brands join the refused ones; raise when none may be sent."""
        entries: list[Taken] = []
        denied: Refused | None = None
        parts: dict[str, int] = {}
        for draft in parsed.drafts:
            try:
                brand = self.brand_of(draft.brand, request.sender)
            except Refused as error:
                if isinstance(error, KeyNeeded | NotAllowed):
                    denied = denied or error
                parsed.refused.extend(Refusal(place, error.field, error.reason) for place in draft.places)
                continue
            if self.labels is not None:
                _label_draft(draft, brand, self.labels)
            claim = claim_of(brand.name, request.idempotency_key, request.body)
            for shard, picked in self._parts(draft, brand.name):
                # Some of a key's hits may name its brand and others not: they are parts of one request all the same.
                part = parts.get(brand.name, 0)
                parts[brand.name] = part + 1
                of_part = Claim(claim.key, claim.body, part) if claim is not None and part else claim
                entries.append(self._entry(brand, shard, picked, request, of_part))
        if denied is not None and not entries:
            raise denied  # Nothing of it may be sent, so the whole request is told why.
        if request.idempotency_key and len(entries) > 1:
            return [apart(one) for one in entries]  # They are parts of one act.
        return entries

    def brand_of(self, named: str, sender: Sender) -> Brand:
        """Return the brand of the sender's key; without a key, the one that the hit names."""
        if sender.brand:
            if named not in ("", sender.brand):
                raise NotAllowed("brand", f"is {named[:64]!r} and the key is not that brand's; leave it out")
            return self._brands.brand(sender.brand)
        if not named:
            missing = KeyNeeded if self._brands.has_stored else Refused
            raise missing("brand", "is missing: name it, or send a key, which is a brand's")
        return self._brands.open_brand(named)

    def _parts(self, draft: Draft, brand: str) -> list[tuple[int, Draft]]:
        """Split a draft by shard and by what a record holds."""
        if self.shards == 1:
            by_shard = {0: range(len(draft.keys))}
        else:
            by_shard = places_by_shard(brand, draft.keys, shards=self.shards)
        hits_max = LEAN_HITS_PER_RECORD_MAX if draft.hits is None else FULL_HITS_PER_RECORD_MAX
        if len(by_shard) == 1 and len(draft.keys) <= hits_max:
            return [(next(iter(by_shard)), draft)]
        return [
            (shard, _picked(draft, places[start : start + hits_max]))
            for shard, places in by_shard.items()
            for start in range(0, len(places), hits_max)
        ]

    def _entry(self, brand: Brand, shard: int, draft: Draft, request: Request, claim: Claim | None) -> Taken:
        hits = draft.hits
        moment_ms = request.arrived_at_ms if request.sent_at_ms is None else request.sent_at_ms
        at_ms = draft.at_ms or _event_times(hits, moment_ms)
        if at_ms is None and request.sent_at_ms is not None:
            at_ms = [moment_ms] * len(draft.keys)
        visitors = self._visitors(brand, draft, request)
        verdicts = self._verdicts(brand, draft.keys, at_ms, moment_ms)
        screened = self._screened(brand, draft, request, visitors, verdicts)
        agents = _agents(draft, request)
        if not (hits or draft.weights or visitors or screened or agents):
            return Plain(shard, brand.name, draft.keys, request.arrived_at_ms, at_ms, claim)
        pack = Pack(
            version=VERSION,
            rules=RULES,
            arrived_at_ms=request.arrived_at_ms,
            keys=column_of(draft.keys),
            at_ms=column_of_moments(at_ms),
            weights=draft.weights,
            screened=screened,
            trusted=at_ms is not None,  # The times were judged here, for good.
            visitors=visitors,
            urls=_column([hit.url for hit in hits]) if hits else None,
            referrers=_column([hit.referrer for hit in hits]) if hits else None,
            agents=agents,
        )
        return Entry(
            shard=shard,
            group=brand.name,
            weight=draft.weight,
            data=record_from_pack(pack),
            arrived_at_ms=request.arrived_at_ms,
            ids=_ids(brand.name, hits) if hits else (),
            claim=claim,
        )

    def _screened(
        self,
        brand: Brand,
        draft: Draft,
        request: Request,
        visitors: list[bytes] | None,
        verdicts: dict[int, str] | None,
    ) -> dict[int, str] | None:
        """Return the verdicts with the door's rules among them; one that is late or of the future stays that."""
        if self._screen is None:
            return verdicts
        found = self._screen.of_draft(
            brand.name, draft, request.sender, visitors=visitors, now_ms=request.arrived_at_ms
        )
        if not found or not verdicts:
            return found or verdicts
        kept = {place: verdict for place, verdict in verdicts.items() if place not in found or verdict in _TIMES}
        return found | kept

    def _verdicts(
        self, brand: Brand, keys: Sequence[HitKey], at_ms: Sequence[int] | None, arrived_at_ms: int
    ) -> dict[int, str] | None:
        """Return the hits that are not counted, each with its line of the ledger."""
        if brand.unlabelled != "hold" and (at_ms is None or self._are_in_time(at_ms, arrived_at_ms)):
            return None
        verdicts = [
            self._verdict(brand, key, None if at_ms is None else at_ms[place], arrived_at_ms)
            for place, key in enumerate(keys)
        ]
        return {place: verdict for place, verdict in enumerate(verdicts) if verdict} or None

    def _are_in_time(self, at_ms: Sequence[int], arrived_at_ms: int) -> bool:
        first_ms, last_ms = span_of(at_ms)
        return arrived_at_ms - first_ms <= self.lateness_ms and last_ms - arrived_at_ms <= self.future_ms

    def _verdict(self, brand: Brand, key: HitKey, at_ms: int | None, arrived_at_ms: int) -> str:
        if brand.unlabelled == "hold" and not key[2]:
            return UNLABELLED
        if at_ms is None:
            return ""
        if arrived_at_ms - at_ms > self.lateness_ms:
            return LATE
        return FUTURE if at_ms - arrived_at_ms > self.future_ms else ""

    def _visitors(self, brand: Brand, draft: Draft, request: Request) -> list[bytes] | None:
        """Return each hit's visitor: the brand's own id if sent, else the sender if it speaks for itself alone."""
        if request.sender.wants_privacy or (request.is_batch and not draft.hits):
            return None
        if request.is_batch:  # A server's batch says nothing about who reads but by its own ids.
            named = [hit.visitor for hit in draft.hits or ()]
            if not any(named):
                return None
            return visitors_under(keyed_hash(self.salts.of_brand(brand.name, now_ms=request.arrived_at_ms)), named)
        hits: Sequence[Hit | None] = draft.hits or [None] * len(draft.keys)
        visitors = [self._visitor(brand, hit, request.sender, request.arrived_at_ms) for hit in hits]
        return visitors if any(visitors) else None

    def _visitor(self, brand: Brand, hit: Hit | None, sender: Sender, now_ms: int) -> bytes:
        if hit is not None and hit.visitor:
            return visitor_hash(self.salts.of_brand(brand.name, now_ms=now_ms), hit.visitor)
        at_ms = now_ms if hit is None or hit.at_ms is None else hit.at_ms
        if not now_ms - SALT_MS < at_ms <= now_ms + _AHEAD_MS_MAX:
            return b""  # An old day's salt is gone.
        keyed = self._day_hash(brand, at_ms=at_ms, now_ms=now_ms)
        return b"" if keyed is None else visitor_under(keyed, sender.address, sender.agent, brand.name)

    def _day_hash(self, brand: Brand, *, at_ms: int, now_ms: int) -> hashlib.blake2b | None:
        """Return the hash under the event's day's salt, at hand for a quarter of an hour: days begin on quarters."""
        if now_ms // QUARTER_MS != self._quarter or len(self._day_hashes) >= _DAY_SALTS_MAX:
            self._quarter = now_ms // QUARTER_MS
            self._day_hashes.clear()
        key = (brand.name, at_ms // QUARTER_MS)
        if key not in self._day_hashes:
            salt = self.salts.of_day(brand.name, brand.zone, at_ms=at_ms, now_ms=now_ms)
            self._day_hashes[key] = None if salt is None else keyed_hash(salt)
        return self._day_hashes[key]


def _label_draft(draft: Draft, brand: Brand, labels: KnownLabels) -> None:
    """Give a draft's hits the labels that the catalogue has for them."""
    if labels.wants_addresses and draft.hits:
        labels.notice(brand.name, [(hit.key[0], hit.url) for hit in draft.hits if hit.url])
    draft.keys = labels.labelled(brand.name, draft.keys)


def _labelled_hit(hit: Hit, brand: Brand, labels: KnownLabels) -> Hit:
    if labels.wants_addresses and hit.url:
        labels.notice(brand.name, [(hit.key[0], hit.url)])
    (key,) = labels.labelled(brand.name, [hit.key])
    return hit if key is hit.key else structs.replace(hit, key=key)


def entries_of_singles(singles: Sequence[Single], *, shards: int) -> list[Entry]:
    """Return entries that hold many senders' single hits: a record each would cost more than all the rest.

    Hits of one entry share a minute, so that their arrival is one; those that bring a time of their own lie apart.
    """
    groups: dict[tuple[str, int, int], list[Single]] = {}
    for single in singles:
        shard = shard_of(single.brand.name, single.hit.key[0], shards=shards) if shards > 1 else 0
        minute = -1 if single.hit.at_ms is not None else single.arrived_at_ms // MINUTE_MS
        groups.setdefault((single.brand.name, shard, minute), []).append(single)
    return [
        _entry_of_singles(shard, group[start : start + FULL_HITS_PER_RECORD_MAX])
        for (_, shard, _), group in groups.items()
        for start in range(0, len(group), FULL_HITS_PER_RECORD_MAX)
    ]


def _entry_of_singles(shard: int, group: Sequence[Single]) -> Entry:
    brand, arrived_at_ms = group[0].brand, group[0].arrived_at_ms
    hits = [single.hit for single in group]
    keys = [hit.key for hit in hits]
    visitors = [single.visitor for single in group]
    at_ms = _event_times(hits, arrived_at_ms)
    pack = Pack(
        version=VERSION,
        rules=RULES,
        arrived_at_ms=arrived_at_ms,
        keys=keys,
        at_ms=at_ms,
        screened={place: single.verdict for place, single in enumerate(group) if single.verdict} or None,
        trusted=at_ms is not None,
        visitors=visitors if any(visitors) else None,
        urls=_column([hit.url for hit in hits]),
        referrers=_column([hit.referrer for hit in hits]),
        agents=_column([single.agent for single in group]),
    )
    return Entry(shard, brand.name, len(keys), record_from_pack(pack), arrived_at_ms)


def _picked(draft: Draft, places: Sequence[int]) -> Draft:
    hits = draft.hits
    return Draft(
        brand=draft.brand,
        keys=[draft.keys[place] for place in places],
        places=[draft.places[place] for place in places],
        hits=[hits[place] for place in places] if hits is not None else None,
        weights=[draft.weights[place] for place in places] if draft.weights is not None else None,
        at_ms=[draft.at_ms[place] for place in places] if draft.at_ms is not None else None,
    )


def _event_times(hits: list[Hit] | None, arrived_at_ms: int) -> list[int] | None:
    if hits is None or all(hit.at_ms is None for hit in hits):
        return None
    return [arrived_at_ms if hit.at_ms is None else hit.at_ms for hit in hits]


def _column(values: list[_T]) -> list[_T] | None:
    return values if any(values) else None


def _agent(hit: Hit, sender: Sender) -> str:
    """Return the reader's agent: the sender's, but of a server what it says of its readers."""
    return hit.agent if sender.is_server else sender.agent


def _agents(draft: Draft, request: Request) -> list[int] | None:
    """Return each hit's agent; of a batch, as with visitors, only what it says itself."""
    if not request.is_batch and request.sender.agent and not request.sender.is_server:
        return [agent_code(request.sender.agent)] * len(draft.keys)
    return _column([agent_code(hit.agent) for hit in draft.hits]) if draft.hits else None


def _ids(brand: str, hits: list[Hit]) -> tuple[tuple[int, bytes], ...]:
    # With the asset, because shards of AWS look for ids each by itself, and an asset is always in the same one.
    return tuple((place, _id(brand, "hit", hit.id, hit.key[0])) for place, hit in enumerate(hits) if hit.id)


def _id(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=_ID_BYTES).digest()
