"""What the counting step leaves in the store, acted out in plain dictionaries, with the truth beside it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from footfall.flow.serve.query import PopularQuery
from footfall.flow.store import keys
from footfall.flow.store.columns import CountKey, columns_from_counts
from footfall.flow.store.cutting import cut
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Summary
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window, parts_of, window_of

BUILT_AFTER_MS = 4 * HOUR_MS
GRAINS = (Grain.MINUTE, Grain.HOUR, Grain.DAY)


def summary(window: Window, counts: Mapping[CountKey, int], part: str = "s00", *, keep: int = 0) -> Summary:
    """Return a summary of these counts, cut to the top rows of each slice unless 0."""
    return Summary(window, part, 1, {}, cut(columns_from_counts(counts), keep), final=keep > 0, rules=1)


@dataclass
class Counting:
    """The store of one brand: hits come in minute by minute, and are built into hours and days, folded and cut."""

    zone: str
    truth: dict[Window, Counter[CountKey]] = field(default_factory=lambda: defaultdict(Counter))  # per minute
    parts: dict[Window, dict[str, Counter[CountKey]]] = field(default_factory=lambda: defaultdict(dict))
    final: dict[Window, Summary] = field(default_factory=dict)
    changed: set[Window] = field(default_factory=set)
    reads: list[Window] = field(default_factory=list)

    def read(self, window: Window) -> list[Summary]:
        """Return the parts that a reader adds up."""
        self.reads.append(window)
        if window in self.final:
            return [self.final[window]]
        return [summary(window, counts, part) for part, counts in self.parts.get(window, {}).items()]

    def take_changed(self) -> list[Window]:
        """Return the journal since the last time."""
        changed, self.changed = sorted(self.changed), set()
        return changed

    def hit(self, key: CountKey, at_ms: int, *, shard: int, hits: int, is_late: bool) -> None:
        """Count a hit; a late one goes to the late part of its minute, and of each longer window that is built."""
        minute, hour, day = (window_of(at_ms, grain, self.zone) for grain in GRAINS)
        if not {minute, hour, day}.isdisjoint(self.final):
            return
        self.truth[minute][key] += hits
        self._add(minute, keys.late_part(shard) if is_late else keys.shard_name(shard), key, hits)
        for window in (hour, day):
            if keys.shard_name(shard) in self.parts.get(window, {}):
                self._add(window, keys.late_part(shard), key, hits)

    def build(self, window: Window, shard: int) -> None:
        """Build an hour or a day of one shard from everything that the shard has in it."""
        total = Counter[CountKey]()
        for minute in self._minutes(window):
            for part in (keys.shard_name(shard), keys.late_part(shard)):
                total.update(self.parts.get(minute, {}).get(part, {}))
        if total and window not in self.final:
            self.parts[window][keys.shard_name(shard)] = total
            self.parts[window].pop(keys.late_part(shard), None)
            self.changed.add(window)

    def build_what_is_due(self, now_ms: int, shards: Iterable[int]) -> None:
        """Build the hours that have ended long ago."""
        shards = list(shards)
        for hour in {window_of(minute.from_ms, Grain.HOUR, self.zone) for minute in self.truth}:
            if hour.to_ms <= now_ms - BUILT_AFTER_MS:
                for shard in shards:
                    if keys.shard_name(shard) not in self.parts.get(hour, {}):
                        self.build(hour, shard)

    def fold(self, window: Window) -> None:
        """Add late parts to the parts that they were late for."""
        parts = self.parts.get(window, {})
        for late in [part for part in parts if keys.is_late_part(part)]:
            parts.setdefault(keys.shard_of_part(late), Counter()).update(parts.pop(late))
            self.changed.add(window)

    def finish(self, window: Window, *, keep: int) -> None:
        """Merge all parts of a window that is final, and cut it."""
        parts = self.parts.get(window, {})
        mains = {part for part in parts if not keys.is_late_part(part)}
        if not mains or window in self.final:
            return
        columns = cut(merge([columns_from_counts(counts) for counts in parts.values()]), keep)
        throughs = {keys.shard_of_part(part): 1 for part in parts}
        self.final[window] = Summary(window, keys.ALL, 1, throughs, columns, final=True, rules=1)
        self.changed.add(window)

    def finish_what_is_final(self, now_ms: int, *, keep: int) -> None:
        """Finish the hours and days that ended a day ago."""
        for window in list(self.parts):
            if window.to_ms + DAY_MS <= now_ms and window.grain is not Grain.MINUTE:
                self.finish(window, keep=keep)

    def counts(self, *, from_ms: int, to_ms: int) -> Counter[CountKey]:
        """Return the truth about a span."""
        total = Counter[CountKey]()
        for minute, counts in self.truth.items():
            if from_ms <= minute.from_ms < to_ms:
                total.update(counts)
        return total

    def _add(self, window: Window, part: str, key: CountKey, hits: int) -> None:
        self.parts[window].setdefault(part, Counter())[key] += hits
        self.changed.add(window)

    def _minutes(self, window: Window) -> Iterator[Window]:
        if window.grain is Grain.MINUTE:
            yield window
        for finer in parts_of(window, self.zone):
            yield from self._minutes(finer)


def is_asked(key: CountKey, query: PopularQuery) -> bool:
    """Tell whether a filter lets the labels through."""
    asked = (query.sections, query.resource_types, query.paid_types)
    label = key[4] if len(key) == 5 else ""
    is_shown = label == "" or label in query.include or (label == "suspected" and query.shows_suspected)
    return is_shown and all(not texts or one in texts for one, texts in zip(key[1:4], asked, strict=True))


def plain_totals(counts: Mapping[CountKey, int], query: PopularQuery) -> Counter[str]:
    """Return the hits of every asset in the slices asked for."""
    totals = Counter[str]()
    for key, hits in counts.items():
        if is_asked(key, query):
            totals[key[0]] += hits
    return totals


def plain_list(counts: Mapping[CountKey, int], query: PopularQuery, limit: int) -> list[tuple[str, int]]:
    """Return the list as it should be."""
    return sorted(plain_totals(counts, query).items(), key=lambda one: (-one[1], one[0].encode()))[:limit]


def plain_labels(counts: Mapping[CountKey, int], query: PopularQuery, asset: str) -> tuple[str, ...]:
    """Return the labels of the asset's largest row, the first labels among equals."""
    rows = [(-hits, key[1:]) for key, hits in counts.items() if key[0] == asset and is_asked(key, query)]
    return min(rows)[1][:3]
