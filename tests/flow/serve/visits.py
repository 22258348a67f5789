"""Visits acted out in plain sets: hours of hits and who came, as the counting step stores them, and the truth."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from footfall.flow.serve.past import Moments, PastList
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.unique_list import UniqueList
from footfall.flow.serve.visits import Visits
from footfall.flow.serve.words import Words
from footfall.flow.store.columns import CountKey, rows
from footfall.flow.store.summaries import Summary
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section
from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.grouped import GroupedUniques, grouped_from, no_groups
from footfall.values.period import Span
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window, window_of
from tests.flow.serve.counting import is_asked, summary

NOW_MS = 1_794_744_000_000  # 2026-11-15T12:00Z
KEPT_MS = dict.fromkeys(Grain, 1000 * DAY_MS)
NO_WORDS = Words(lambda: None)


def hour(back: int) -> Window:
    """Return the hour so many hours before the last one that is over."""
    return window_of(NOW_MS - (back + 1) * HOUR_MS, Grain.HOUR, "UTC")


def sketches_of(sets: Mapping[int, set[int]]) -> GroupedUniques:
    """Return the sketches of sets of visitors."""
    pairs = [(group, visitor) for group, visitors in sets.items() for visitor in visitors]
    if not pairs:
        return no_groups()
    groups, visitors = np.array([one for one, _ in pairs]), np.array([one for _, one in pairs], np.uint64)
    # Visitors are hashes already.
    return grouped_from(groups, coupons_of_numbers(visitors * np.uint64(0x9E3779B97F4A7C15)))


@dataclass
class Visited:
    """Who saw what in each hour."""

    keep: int = 0  # rows of each slice that a window is cut to; 0: it is not cut
    hits: dict[Window, Counter[CountKey]] = field(default_factory=lambda: defaultdict(Counter))
    people: dict[Window, dict[CountKey, set[int]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    asked_for: list[Window] = field(default_factory=list)

    def visit(self, window: Window, key: CountKey, visitor: int | None, *, hits: int = 1) -> None:
        """Count hits of one visitor, or of one who wants to be none."""
        self.hits[window][key] += hits
        if visitor is not None:
            self.people[window][key].add(visitor)

    def read(self, window: Window) -> list[Summary]:
        """Return the window's summary."""
        return [summary(window, self.hits[window], "all", keep=self.keep)] if window in self.hits else []

    def visited(self, window: Window) -> GroupedUniques:
        """Return the window's visitors, those of assets that a cut left out not among them."""
        self.asked_for.append(window)
        kept = {asset for one in self.read(window) for asset in _assets(one)}
        sets: dict[int, set[int]] = defaultdict(set)
        for (asset, section, *_), visitors in self.people.get(window, {}).items():
            sets[BRAND_GROUP] |= visitors
            sets[group_of_section(section)] |= visitors
            if asset in kept:
                sets[group_of_asset(asset)] |= visitors
        return sketches_of(sets)

    def truth(self, windows: Sequence[Window], query: PopularQuery) -> dict[str, set[int]]:
        """Return who saw each asset under the labels asked for."""
        found: dict[str, set[int]] = defaultdict(set)
        for window in windows:
            for key, visitors in self.people.get(window, {}).items():
                if is_asked(key, query) and visitors:
                    found[key[0]] |= visitors
        return found


def _assets(one: Summary) -> set[str]:
    return {row.asset for row in rows(one.columns)}


def ground() -> Ground:
    """Return a ground on which every hour is built."""
    built = {Grain.HOUR: NOW_MS, Grain.DAY: NOW_MS}
    return Ground("UTC", frozenset({"s00"}), KEPT_MS, now_ms=NOW_MS, seen_until_ms=NOW_MS, unbuilt={"s00": built})


def list_of(store: Visited, query: PopularQuery, windows: Sequence[Window]) -> UniqueList:
    """Return the list of a span, read to its end."""
    past = PastList(Span(tuple(windows)), ground(), Moments(NOW_MS, DAY_MS))
    while not past.is_read:
        past.step(store.read)
    visits = Visits(ground(), Moments(NOW_MS, DAY_MS), store.visited)
    reading = UniqueList(query, visits, lambda: past.view(query), NO_WORDS)
    while not reading.is_read:
        reading.step(store.read)
    return reading
