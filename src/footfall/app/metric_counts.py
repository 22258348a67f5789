"""Footfall's own counts for metrics: read from the store window by window, as lists and series of the past are.

Hits are what lists show, sums of labels with what cuts left out. Visitors are sets that are united over a span, and a
number is at most that of the hits, as in a series. What is watched and who is followed are the same of windows beside.

A window is known from the day of the brand's first hit on: there nobody came is 0, and before that nobody was counting.
What can only come after something else is known from the first day of that: a day of playbacks without one completed.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from footfall.app.brand_facts import BrandFacts
from footfall.app.metric_windows import Label, Totals, VisitorSets, VisitorsTold, WindowMemory
from footfall.app.sights import Sights
from footfall.flow.serve.resolution import Ground, Resolution, is_kept
from footfall.flow.serve.shown import EVERYBODY, PERSONS, labels_shown_for
from footfall.flow.serve.uniting import among, estimates_for, groups_from
from footfall.flow.serve.visitor_windows import windows_of
from footfall.flow.serve.visits import Visitors, visitors_from
from footfall.flow.store.checkpoints import NEVER_MS, first_counted_ms
from footfall.flow.store.visitors import BRAND_GROUP, group_of_section
from footfall.metrics.counts import CountMark, CountQuestion, CountTold, Where
from footfall.metrics.definition import COUNTED_ONCE, Counted
from footfall.ports.table import Table
from footfall.sketches.estimation import Estimate
from footfall.sketches.grouped import GroupedUniques, merge_grouped, regrouped
from footfall.values.clock import Clock
from footfall.values.groups import completions_name, follows_name, plays_name, unfollows_name, watch_name
from footfall.values.period import Span
from footfall.values.window import MINUTE_MS, MOMENT_MS_MAX, Grain, Window, walk, window_of

READ_KEPT = 4  # windows as they were read, for the second look at each
TICK_MS = 15 * MINUTE_MS  # Days and hours begin at such moments, wherever on earth.

# Where counts lie that are not of hits: the windows of each, then those whose first day is theirs as well.
BESIDE: Mapping[Counted, tuple[Callable[[str], str], ...]] = {
    Counted.MINUTES: (watch_name,),  # in milliseconds
    Counted.VIEWERS: (watch_name,),
    Counted.PLAYBACKS: (plays_name,),
    Counted.COMPLETIONS: (completions_name, plays_name),
    Counted.FOLLOWS: (follows_name, unfollows_name),
    Counted.UNFOLLOWS: (unfollows_name, follows_name),
}
# A follow is labelled by kinds in the places where a hit has its section and its type.
PLACES = {"section": 0, "resourceType": 1, "paidType": 2, "kind": 0, "followerKind": 1}


@dataclass(frozen=True, slots=True)
class _First:
    """The day of a brand's first hit as far as it was looked for, and what was counted then."""

    day_ms: int = MOMENT_MS_MAX
    numbers: tuple[int, ...] = ()


class StoredCounts:
    """The counts of all brands in one store."""

    def __init__(self, table: Table, sights: Sights, brands: BrandFacts, *, clock: Clock) -> None:
        self._sights = sights
        self._brands = brands
        self._clock = clock
        self._memory = WindowMemory(table, clock, sights.checkpoints)
        self._first: dict[str, _First] = {}

    def mark(self, brand: str) -> CountMark:
        """Return what the counts of a brand are made of now."""
        checkpoints = self._sights.checkpoints()
        shows_suspected = self._brands.shows_suspected(brand)
        numbers = [one.number for _, one in sorted(checkpoints.items())]
        # As time passes windows begin, and go.
        state = (*numbers, self._clock.now_ms() // TICK_MS, int(shows_suspected))
        return CountMark(state, min((one.passed_ms for one in checkpoints.values()), default=0))

    def read(self, brand: str, question: CountQuestion) -> CountTold:
        """Return the counts that are asked for."""
        ground, _ = self._sights.sight(brand)
        names = [name_of(brand) for name_of in BESIDE.get(question.counts, ())] or [brand]
        name = names[0]
        self._memory.follow()  # What is kept is then as new as what the ground was made of, or newer.
        grain = Grain.HOUR if question.is_hourly else Grain.DAY
        since_ms = min(self._counted_since_ms(one, question.spans, ground) for one in names)
        spans = [
            [
                window
                for window in walk(grain, from_ms=from_ms, to_ms=min(to_ms, ground.now_ms), zone=ground.zone)
                if window.from_ms >= since_ms and is_kept(ground, window)
            ]
            for from_ms, to_ms in question.spans
        ]
        if question.counts in COUNTED_ONCE:
            return self._visitors(name, question, spans, ground)
        labels = labels_shown_for((), shows_suspected=self._brands.shows_suspected(brand))
        told = _hits(question, self._totals(name, spans, ground, labels), spans)
        return replace(told, values=told.values / MINUTE_MS) if question.counts is Counted.MINUTES else told

    def _counted_since_ms(self, brand: str, spans: Sequence[tuple[int, int]], ground: Ground) -> int:
        """Return a day from which on a brand was counted: that of its first hit, or one before all spans."""
        start_ms = min((from_ms for from_ms, _ in spans), default=ground.now_ms)
        first = self._first.get(brand, _First())
        if first.day_ms <= start_ms:
            return first.day_ms
        # A day before may have come since, from older logs: it is looked for again when anything was counted.
        checkpoints = self._sights.checkpoints()
        numbers = tuple(one.number for _, one in sorted(checkpoints.items()))
        if first.numbers != numbers:
            noted_ms = first_counted_ms(checkpoints.values(), brand)
            start = window_of(start_ms, Grain.DAY, ground.zone)
            if noted_ms == NEVER_MS:
                first = _First(numbers=numbers)
            elif noted_ms is not None:
                first = _First(window_of(noted_ms, Grain.DAY, ground.zone).from_ms, numbers)
            elif self._is_counted(brand, start, ground):  # Most brands were there long before what is asked for.
                first = _First(start.from_ms)
            else:
                first = _First(self._first_day_ms(brand, ground, until_ms=first.day_ms), numbers)
            self._first[brand] = first
        return first.day_ms

    def _first_day_ms(self, brand: str, ground: Ground, *, until_ms: int) -> int:
        """Look for the first day in a store that counted before it took note of it, a question a day."""
        oldest_ms, newest_ms = ground.now_ms - ground.kept_ms[Grain.DAY], min(until_ms, ground.now_ms)
        for window in walk(Grain.DAY, from_ms=max(oldest_ms, 0), to_ms=newest_ms, zone=ground.zone):
            if self._is_counted(brand, window, ground):
                return window.from_ms
        return until_ms

    def _is_counted(self, brand: str, window: Window, ground: Ground) -> bool:
        """Tell whether anybody came in a window that is kept."""
        if window.from_ms >= ground.now_ms or not is_kept(ground, window):
            return False
        held = self._memory.totals(brand, EVERYBODY)
        resolution = Resolution(ground=ground, loaded=held, read=partial(self._memory.live, brand), fresh={})
        return bool(resolution.units(Span((window,))))

    def _totals(
        self, brand: str, spans: Sequence[Sequence[Window]], ground: Ground, labels: frozenset[str]
    ) -> list[Totals]:
        """Return the hits of each span; a window that several have is read once."""
        held = self._memory.totals(brand, labels)
        # What stands for a window is looked for first and added up then; it is read once for both.
        read = lru_cache(maxsize=READ_KEPT)(partial(self._memory.live, brand))
        resolution = Resolution(ground=ground, loaded=held, read=read, fresh={})
        made: list[Totals] = []
        for windows in spans:
            total = Totals()
            for unit in resolution.units(Span(tuple(windows))) if windows else ():
                found = held.reached[unit.window].parts[unit.part]
                assert found is not None, "what counts was entered"
                total.add(found)
            made.append(total)
        return made

    def _visitors(
        self, brand: str, question: CountQuestion, spans: Sequence[Sequence[Window]], ground: Ground
    ) -> CountTold:
        totals = self._totals(brand, spans, ground, PERSONS)
        asked = self._asked(question, totals)
        values, is_exact = np.full((len(spans), len(asked.groups)), np.nan), True
        for row, (windows, total) in enumerate(zip(spans, totals, strict=True)):
            if windows:
                told = self._told(brand, windows_of(Span(tuple(windows)), ground), asked)
                found = zip(told.visitors, asked.most(total), strict=True)
                values[row] = [min(one.uniques, most) for one, most in found]
                is_exact &= told.is_exact
        return CountTold(asked.groups, values, _lengths(spans), is_exact, _starts(spans), _met(question, totals))

    def _told(self, brand: str, windows: Sequence[Window], asked: "_Asked") -> VisitorsTold:
        def make() -> VisitorsTold:
            sets = self._sets(brand, windows, asked)
            told = asked.visitors(merge_grouped([one.sketches for one in sets]))
            is_exact = all(one.at_least == one.at_most for one in told) and all(one.is_whole for one in sets)
            return VisitorsTold(told, is_exact)

        return self._memory.told(brand, windows, asked.key, make)

    def _sets(self, brand: str, windows: Sequence[Window], asked: "_Asked") -> list[VisitorSets]:
        if asked.sections is None:
            return self._memory.label_sets(brand, windows)
        return self._memory.section_sets(brand, windows, asked.sections)

    def _asked(self, question: CountQuestion, totals: Sequence[Totals]) -> "_Asked":
        """Return whose visitors are asked for: of the brand, of sections, or of labels, which several assets have."""
        met = {label for one in totals for label in one.hits if _fits(label, question.where)}
        places = [PLACES[name] for name in question.by]
        groups: list[Label] = sorted({tuple(label[at] for at in places) for label in met}) if places else [()]
        numbers = {group: at for at, group in enumerate(groups)}
        of_label = {label: numbers[tuple(label[at] for at in places)] for label in met}
        if not {*question.by, *(name for name, _ in question.where)} <= {"section"}:
            sets = {self._memory.number_of_label(label): at for label, at in of_label.items()}
            return _Asked(groups, of_label, sets, sections=None)
        sections = {label[0]: at for label, at in of_label.items()}
        if question.by or question.where:
            return _Asked(groups, of_label, {group_of_section(one): at for one, at in sections.items()}, [*sections])
        return _Asked(groups, of_label, {BRAND_GROUP: 0}, [])


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whose visitors are asked for: each group of the answer has some sets, and no two groups have one."""

    groups: Sequence[Label]
    of_label: Mapping[Label, int]  # the group of each label that was met
    of_set: Mapping[int, int]  # the group of each set
    sections: Sequence[str] | None  # None: sets are of labels

    @property
    def key(self) -> Hashable:
        """Return what visitors are kept under: which sets make which group."""
        return (self.sections is None, len(self.groups), frozenset(self.of_set.items()))

    def visitors(self, sketches: GroupedUniques) -> list[Visitors]:
        """Return the visitors of each group, of all its sets together."""
        found = among(sketches, groups_from(sorted(self.of_set)))
        into = np.array([self.of_set[one] for one in found.groups.tolist()], np.int64)
        told = estimates_for(regrouped(found, into), np.arange(len(self.groups)))
        columns = zip(told.count.tolist(), told.lower.tolist(), told.upper.tolist(), strict=True)
        return [visitors_from(Estimate(*one)) for one in columns]

    def most(self, total: Totals) -> list[float]:
        """Return how many hits, and so visitors, each group has at most."""
        if not total.is_known:
            return [float("inf")] * len(self.groups)
        hits: list[float] = [total.unlabelled] * len(self.groups)
        for label, count in total.hits.items():
            if label in self.of_label:
                hits[self.of_label[label]] += count
        return hits


def _hits(question: CountQuestion, totals: Sequence[Totals], spans: Sequence[Sequence[Window]]) -> CountTold:
    """Return the hits of each span by the dimensions that are asked for; where nobody came there are none."""
    places = [PLACES[name] for name in question.by]
    found: list[Counter[Label]] = []
    for one in totals:
        counted = Counter[Label]()
        for label, hits in (*one.hits.items(), (("", "", ""), one.unlabelled)):
            if hits and _fits(label, question.where):
                counted[tuple(label[at] for at in places)] += hits
        found.append(counted)
    groups = sorted(set[Label]().union(*found)) if question.by else [()]
    values = np.full((len(spans), len(groups)), np.nan)
    for row, (counted, windows) in enumerate(zip(found, spans, strict=True)):
        if windows:
            values[row] = [counted[group] for group in groups]
    is_plain = not question.by and not question.where
    is_exact = all(one.is_known and (is_plain or not one.unlabelled) for one in totals)
    return CountTold(groups, values, _lengths(spans), is_exact, _starts(spans), _met(question, totals))


def _fits(label: Label, where: Where) -> bool:
    return all(label[PLACES[name]] in values for name, values in where)


def _lengths(spans: Sequence[Sequence[Window]]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array([len(windows) for windows in spans], np.int64)


def _starts(spans: Sequence[Sequence[Window]]) -> list[int]:
    return [window.from_ms for windows in spans for window in windows]


def _met(question: CountQuestion, totals: Sequence[Totals]) -> dict[str, set[str]]:
    """Return which values the dimensions have that conditions name."""
    labels = [label for one in totals for label in (*one.hits, *([("", "", "")] if one.unlabelled else []))]
    return {name: {label[PLACES[name]] for label in labels} for name, _ in question.where}
