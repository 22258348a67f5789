"""Where the persons of a run of records came from, added up by hour, key and source; pure, and beside the counting.

A hit is taken here when it is counted as a person's by its record alone: verdicts that come later change nothing here.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from footfall.flow.count.timing import COUNTED, Rules, is_in_time, line_by_time
from footfall.flow.store.referrers import Hour
from footfall.flow.stream.moments import span_of
from footfall.flow.stream.records import (
    Counted,
    Referred,
    Unreadable,
    key_from_raw,
    outline_from_record,
    referred_from_record,
)
from footfall.native import new_key_table
from footfall.ports.stream import Record
from footfall.screening.labels import Label, label_of
from footfall.values.groups import is_beside
from footfall.values.source import DIRECT, INTERNAL, UNKNOWN, site_of, site_of_address, source_of
from footfall.values.window import Grain, window_of

if TYPE_CHECKING:
    from footfall.native.key_table import KeyTable

REMEMBERED_MAX = 10_000  # of referrers and of addresses, those met lately: some 3 MB each
CHARS_MAX = 300  # of one that is remembered
DIRECT_PER_PAIR = 5  # A key of hits without a source takes a fifth of what a pair does,
PAIR_BYTES = 500  # unless it is a long one: then by its bytes, of which a pair takes so many.

HourKey = tuple[str, int]  # brand, start of its hour
Sites = tuple[str, ...]  # a brand's own
PlacesOf = Callable[[Record, tuple[int, str]], Collection[int] | None]


@dataclass(frozen=True, slots=True)
class ReferredRules:
    """Which hits are counted where."""

    times: Rules
    keep_ms: int  # Hits that were older when they arrived, as those of old logs may be, are not counted.
    zone_of: Callable[[str], str]
    sites_of: Callable[[str], Sites]  # the sites that a brand says are its own


class Remembered(dict[str, str]):
    """What a function makes of a text: `remembered[text]`; it remembers the last."""

    def __init__(self, made: Callable[[str], str]) -> None:
        super().__init__()
        self._made = made

    def __missing__(self, text: str) -> str:
        found = self._made(text)
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        if len(text) <= CHARS_MAX:
            self[text] = found
        return found


class ReferredTally:
    """What a run of records of one shard amounts to."""

    def __init__(self, rules: ReferredRules) -> None:
        self._rules = rules
        self._sources = Remembered(source_of)
        self._sites = Remembered(site_of_address)
        self._hosts = Remembered(site_of)
        self._counts: dict[tuple[HourKey, Sites], Counter[tuple[bytes, str]]] = {}
        self._direct: dict[HourKey, KeyTable] = {}  # hits of records that say nothing of where any came from
        self._weighed: Counter[HourKey] = Counter()  # how many keys of each such table are in `_direct_bytes`
        self._direct_bytes = 0

    @property
    def pairs(self) -> int:
        """Return how much is in hand."""
        direct = sum(map(len, self._direct.values()))
        self._weigh()
        in_direct = max(direct // DIRECT_PER_PAIR, self._direct_bytes // PAIR_BYTES)
        return sum(map(len, self._counts.values())) + in_direct

    def hours(self) -> set[HourKey]:
        """Return the hours that have hits in it."""
        return {*(hour for hour, _ in self._counts), *self._direct}

    def add(self, record: Record, *, has: Callable[[HourKey, int], bool], counted_again: PlacesOf) -> None:
        """Take one record in, but for hours that have it already.

        Of hits that were set aside and come again, those are taken whose places `counted_again` tells; None is all.
        """
        if record.repeated or record.dead or is_beside(record.group) or self._is_added_packed(record, has):
            return
        try:
            pack = referred_from_record(record.data)
        except Unreadable:
            return  # Whoever counts sets it aside.
        places: Collection[int] | None = None
        if pack.replays is not None:
            places = counted_again(record, pack.replays)
        taken = self._taken(record, pack, places)
        sources = [self._sources[one] for one in pack.referrers] if pack.referrers else [DIRECT] * len(pack.keys)
        own = tuple(sorted(set(map(self._sites.__getitem__, pack.urls)) - {""})) if pack.urls else ()
        for hour_ms, chosen in self._by_hour(record, pack, taken):
            hour = (record.group, hour_ms)
            if has(hour, record.sequence):
                continue
            counts = self._counts.setdefault((hour, own), Counter())
            pairs = zip(map(bytes, pack.keys), sources, strict=True)
            _add_chosen(counts, pairs, pack.weights, chosen)

    def _is_added_packed(self, record: Record, has: Callable[[HourKey, int], bool]) -> bool:
        """Take in a record that tells of no source, by the bytes of its keys; return whether it was one."""
        pack = outline_from_record(record.data)
        if pack is None or not pack.is_only_keys or record.repeats:
            return False
        if pack.at_ms is not None and len(pack.at_ms) != record.weight:
            return False
        hours = list(self._by_hour(record, pack, None))
        if len(hours) != 1 or hours[0][1] is not None or not is_in_time(pack, self._rules.times):
            return False
        hour = (record.group, hours[0][0])
        if has(hour, record.sequence):
            return True
        table = self._direct.get(hour) or new_key_table()
        if table is None or not table.count(pack.keys, record.weight):
            return False
        self._direct[hour] = table
        return True

    def poured(self, hour_of: Callable[[HourKey], Hour]) -> Iterator[HourKey]:
        """Add all of it to the hours, one after the other; yield each when it has all, and begin anew."""
        for key in sorted(self.hours()):
            self._pour(key, hour_of(key))
            yield key
        self._counts.clear()
        self._direct.clear()
        self._weighed.clear()
        self._direct_bytes = 0

    def _weigh(self) -> None:
        """Add up the bytes of keys that have come since it was last asked."""
        for hour, table in self._direct.items():
            if len(table) > self._weighed[hour]:
                self._direct_bytes += table.text_bytes(self._weighed[hour])
                self._weighed[hour] = len(table)

    def _pour(self, hour_key: HourKey, hour: Hour) -> None:
        brand = hour_key[0]
        if hour_key in self._direct:
            hour.add_table(self._direct[hour_key], DIRECT)
        for (_, own), counts in [one for one in self._counts.items() if one[0][0] == hour_key]:
            sites = frozenset((*own, *self._rules.sites_of(brand)))
            for (key, source), hits in counts.items():
                try:
                    asset, section, *_ = key_from_raw(key)
                except Unreadable:
                    continue
                hour.add(asset, section, self._told(source, asset, sites), hits)

    def _told(self, source: str, asset: str, sites: Collection[str]) -> str:
        """Return the source, or that it is the brand's own: by what it says, by its pages, by an id that is one."""
        if source in (DIRECT, UNKNOWN):
            return source
        site = self._hosts[source]
        is_own = site in sites or (asset.startswith("http") and self._sites[asset] == site)
        return INTERNAL if is_own else source

    def _taken(self, record: Record, pack: Referred, places: Collection[int] | None) -> list[bool] | None:
        """Return which hits are counted as persons'; None for all."""
        rules = self._rules
        is_plain = not (pack.screened or record.repeats) and is_in_time(pack, rules.times)
        if is_plain and places is None:
            return None
        screened, repeats = pack.screened or {}, frozenset(record.repeats)
        return [
            at not in repeats
            and label_of(screened.get(at, "")) is Label.PERSON
            and line_by_time(pack, at, rules.times) == COUNTED
            and (places is None or (at if pack.places is None else pack.places[at]) in places)
            for at in range(len(pack.keys))
        ]

    def _by_hour(
        self, record: Record, pack: Counted, taken: list[bool] | None
    ) -> Iterator[tuple[int, Sequence[bool] | None]]:
        """Yield the hours that a record has hits in, with which of its hits those are; None for all."""
        zone = self._rules.zone_of(record.group)
        if taken is not None and not any(taken):
            return
        if not pack.at_ms:
            yield window_of(pack.arrived_at_ms, Grain.HOUR, zone).from_ms, taken
            return
        first_ms, last_ms = span_of(pack.at_ms)
        first = window_of(first_ms, Grain.HOUR, zone)
        oldest_ms = pack.arrived_at_ms - self._rules.keep_ms
        if last_ms < first.to_ms and first.from_ms >= oldest_ms:
            yield first.from_ms, taken
            return
        hours = [window_of(at_ms, Grain.HOUR, zone).from_ms for at_ms in pack.at_ms]
        for hour_ms in sorted(set(hours)):
            if hour_ms >= oldest_ms:
                is_in = [one == hour_ms for one in hours]
                yield hour_ms, is_in if taken is None else [a and b for a, b in zip(is_in, taken, strict=True)]


def _add_chosen(
    counts: Counter[tuple[bytes, str]],
    pairs: Iterable[tuple[bytes, str]],
    weights: Sequence[int] | None,
    chosen: Sequence[bool] | None,
) -> None:
    """Add the pairs that are chosen, each for as much as it weighs; None: all of them, for one."""
    of_these = pairs if chosen is None else compress(pairs, chosen)
    if weights is None:
        counts.update(of_these)
        return
    for pair, weight in zip(of_these, weights if chosen is None else compress(weights, chosen), strict=True):
        counts[pair] += weight
