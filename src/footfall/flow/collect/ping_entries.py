"""From parsed beats to stream entries: everything that decides what a beat is credited is frozen here.

A beat's shard is that of its session, so that a series which everybody watches is spread over all of them.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from footfall.accounts.brands import Brand, KeyNeeded
from footfall.accounts.keyring import NotAllowed
from footfall.flow.collect.accept import FUTURE, LATE, Acceptance, Request
from footfall.flow.collect.claims import claim_of
from footfall.flow.collect.fields import Refusal
from footfall.flow.collect.pings import ParsedPings, Ping
from footfall.flow.collect.senders import Sender, keyed_hash, visitors_under
from footfall.flow.stream.beats import INTERVAL_MS, RATE_ONE, VERSION, Beats, record_from_beats
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import Entry
from footfall.values.errors import Refused
from footfall.values.groups import pings_group

BEATS_PER_RECORD_MAX = 500  # of at most 1,700 bytes each

_T = TypeVar("_T")


class PingAcceptance:
    """Accepts beats by what hits are accepted by: brands, salts, labels, the shards of the stream and its limits."""

    def __init__(self, acceptance: Acceptance) -> None:
        self._acceptance = acceptance

    def entries(self, parsed: ParsedPings, request: Request) -> list[Entry]:
        """Return the entries to append; beats of unknown brands join the refused ones; raise when none may be sent."""
        denied: Refused | None = None
        by_brand: dict[str, list[Ping]] = {}
        brands: dict[str, Brand | Refused] = {}
        for place, ping in parsed.pings:
            found = brands.get(ping.brand)
            if found is None:
                found = brands[ping.brand] = self._brand_or_refused(ping.brand, request.sender)
            if isinstance(found, Refused):
                denied = found if isinstance(found, KeyNeeded | NotAllowed) else denied
                parsed.refused.append(Refusal(place, found.field, found.reason))
            else:
                by_brand.setdefault(found.name, []).append(ping)
        known = {found.name: found for found in brands.values() if isinstance(found, Brand)}
        entries = [
            entry
            for name, pings in by_brand.items()
            for entry in self._entries_of(known[name], pings, request, parsed.aside)
        ]
        if denied is not None and not entries:
            raise denied  # Nothing of it may be sent, so the whole request is told why.
        return entries

    def _brand_or_refused(self, named: str, sender: Sender) -> Brand | Refused:
        try:
            return self._acceptance.brand_of(named, sender)
        except Refused as error:
            return error

    def _entries_of(self, brand: Brand, pings: Sequence[Ping], request: Request, aside: Counter[str]) -> list[Entry]:
        group = pings_group(brand.name)
        by_shard: dict[int, list[Ping]] = {}
        shards: dict[str, int] = {}
        for ping in pings:
            shard = shards.get(ping.session)
            if shard is None:
                shard = shards[ping.session] = shard_of(brand.name, ping.session, shards=self._acceptance.shards)
            by_shard.setdefault(shard, []).append(ping)
        entries: list[Entry] = []
        for shard, some in by_shard.items():
            for start in range(0, len(some), BEATS_PER_RECORD_MAX):
                few = some[start : start + BEATS_PER_RECORD_MAX]
                beats = self._beats(brand, few, request)
                if beats.aside:  # Its sender is told how many.
                    aside.update(beats.aside.values())
                claim = claim_of(group, request.idempotency_key, request.body, part=len(entries))
                data = record_from_beats(beats)
                entries.append(Entry(shard, group, len(few), data, request.arrived_at_ms, claim=claim))
        return entries

    def _beats(self, brand: Brand, pings: Sequence[Ping], request: Request) -> Beats:
        now_ms, labels = request.arrived_at_ms, self._acceptance.labels
        keys = [ping.key for ping in pings]
        at_ms = [now_ms if ping.at_ms is None else ping.at_ms for ping in pings]
        return Beats(
            magic="ffpg",
            version=VERSION,
            arrived_at_ms=now_ms,
            keys=keys if labels is None else labels.labelled(brand.name, keys),
            sessions=[ping.session for ping in pings],
            numbers=[ping.number for ping in pings],
            at_ms=at_ms,
            playheads_ms=[ping.playhead_ms for ping in pings],
            states=bytes([ping.state for ping in pings]),
            rates=_column([ping.rate for ping in pings], RATE_ONE),
            intervals_ms=_column([ping.interval_ms for ping in pings], INTERVAL_MS),
            durations_ms=_column([ping.duration_ms for ping in pings], 0),
            series=_column([ping.series for ping in pings], ""),
            members=_column([ping.member for ping in pings], ""),
            devices=_column([ping.device for ping in pings], ""),
            visitors=self._visitors(brand, pings, request),
            aside=self._aside(at_ms, now_ms),
        )

    def _visitors(self, brand: Brand, pings: Sequence[Ping], request: Request) -> list[bytes] | None:
        """Return each beat's viewer: the member if it says which, else whoever watches in its session."""
        if request.sender.wants_privacy:
            return None
        names = [ping.member or ping.session for ping in pings]
        once = list(dict.fromkeys(names))
        keyed = keyed_hash(self._acceptance.salts.of_brand(brand.name, now_ms=request.arrived_at_ms))
        found = dict(zip(once, visitors_under(keyed, once), strict=True))
        return [found[name] for name in names]

    def _aside(self, at_ms: Sequence[int], now_ms: int) -> dict[int, str] | None:
        """Return the beats that are set aside, each with its line of the ledger."""
        earliest_ms, latest_ms = now_ms - self._acceptance.lateness_ms, now_ms + self._acceptance.future_ms
        if earliest_ms <= min(at_ms) and max(at_ms) <= latest_ms:
            return None
        return {
            place: LATE if moment_ms < earliest_ms else FUTURE
            for place, moment_ms in enumerate(at_ms)
            if not earliest_ms <= moment_ms <= latest_ms
        }


def _column(values: list[_T], default: _T) -> list[_T] | None:
    return values if any(value != default for value in values) else None
