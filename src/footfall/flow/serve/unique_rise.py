"""What rises, told from visitors where they are known: on its way from the store or told already.

A visitor who reloads a page for an hour is one of the hour's visitors, as everybody else is. Hits tell which assets are
worth a look, and they stand in where the windows know of no visitors.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.answer import Answer
from footfall.flow.serve.loaded import Read
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.rise_view import RiseStretch, RiseView
from footfall.flow.serve.rises import STEADY_HITS_MIN, Hits, asked_of, prior_of, rises_of_visitors
from footfall.flow.serve.trending import RiseHits, RiseVisitors, ToldRises, rise_hits, told_from_hits, trending
from footfall.flow.serve.uniting import Uniting, estimates_for, uniques_are
from footfall.flow.serve.visitor_windows import windows_of
from footfall.flow.serve.visits import Visitors, Visits
from footfall.flow.serve.words import Words
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset
from footfall.sketches.estimation import Estimates
from footfall.sketches.grouped import GroupedUniques, Groups, merge_grouped, no_groups
from footfall.values.period import Span
from footfall.values.window import Window

CANDIDATES_MAX = 10_000  # Those with most hits; so far behind them nothing rises that anybody would see.
UNKNOWN_SHARE_MAX = 0.05  # of the hits before may lie in hours without visitors, such as those of few who want no trace
# Hardly anybody sees one asset more often in an hour. Where most assets have more hits for each visitor, most hits come
# from servers, which know of none. Each asset has one vote, so nobody who reloads one of them decides it for all.
HITS_PER_VISITOR_MAX = 10.0

Numbers = NDArray[np.float64]


@dataclass(slots=True)
class UniqueRise:
    """One question for what rises, answered once the visitors of all its windows are known."""

    query: PopularQuery
    visits: Visits
    look: Callable[[], RiseView]
    words: Words
    _hits: RiseHits = field(init=False)
    _candidates: NDArray[np.intp] = field(init=False)  # assets
    _groups: Groups = field(init=False)  # rising: those of the candidates and of the brand
    _place: NDArray[np.intp] = field(init=False)  # of each candidate among them, and of the brand at last
    _todo: list[RiseStretch] = field(init=False)  # the next one last
    _uniting: Uniting | None = None
    _seen: list[Numbers] = field(init=False)  # the visitors of each stretch, by place
    _hour: GroupedUniques = field(init=False)  # the minutes of the last hour, united
    _before: Numbers = field(init=False)  # visitors before it, the least and the most of them, by place
    _from_ms: int = 0
    _renumberings: int = 0
    _answer: Answer | None = None

    def __post_init__(self) -> None:
        """Begin with no window read."""
        self._begin()

    @property
    def rows(self) -> int:
        """Return how much memory it takes, in rows of lists that would take as much."""
        return 0 if self.is_read else len(self._candidates) * (1 + len(self._seen) // 4)

    @property
    def left(self) -> int:
        """Return how many windows are still to be read."""
        return sum(len(one.span.windows) for one in self._todo)

    @property
    def is_read(self) -> bool:
        """Tell whether the answer is there."""
        return self._answer is not None

    @property
    def is_final(self) -> bool:
        """Tell that hits come in all the time."""
        return False

    def touches(self, window: Window) -> bool:
        """Tell whether a window that was written has hits of it."""
        return window.to_ms > self._from_ms

    def step(self, read: Read) -> None:
        """Read one window, and tell the rises after the last."""
        if self._hits.view.directory.renumberings != self._renumberings:
            self._begin()  # The numbers of all assets are others by now.
        if self._todo:
            self._read_some()
        if not self._todo:
            told = self._told() or told_from_hits(self._hits)
            self._answer = trending(self._hits, told, self.query, self.words)
            # They may be large, and are not needed any more.
            del self._hits, self._candidates, self._groups, self._place, self._seen, self._hour, self._before

    def answer(self, _words: Words) -> Answer:
        """Return the answer to the question."""
        assert self._answer is not None, f"{self.left} windows are still to be read"
        return self._answer

    def _begin(self) -> None:
        view = self.look()
        self._from_ms = view.baseline[0].span.from_ms
        self._renumberings = view.directory.renumberings
        self._hits = rise_hits(view, self.query, self.words)
        recent = _sums(self._hits.recent, view.directory.assets, is_asked=False)
        found = np.flatnonzero(recent >= STEADY_HITS_MIN)
        self._candidates = found[np.argsort(-recent[found], kind="stable")[:CANDIDATES_MAX]]
        names = [view.directory.asset_text(asset).decode() for asset in self._candidates.tolist()]
        groups = np.array([*map(group_of_asset, names), BRAND_GROUP], np.int64)
        self._groups = np.unique(groups)
        self._place = np.searchsorted(self._groups, groups)
        self._todo = [*view.recent, *view.baseline][::-1]
        self._uniting, self._seen, self._hour = None, [], no_groups()
        self._before = np.zeros((3, len(groups)))

    def _read_some(self) -> None:
        """Unite one more window of the next stretch."""
        if self._uniting is None:
            self._uniting = Uniting(self._groups, windows_of(self._todo[-1].span, self.visits.ground))
        if self._uniting.todo:
            self._uniting.step(self.visits.visited)
        if self._uniting.todo:
            return
        told = self._uniting.estimates()
        number = len(self._seen)
        self._seen.append(told.count[self._place])
        if number < len(self._hits.recent):
            self._hour = merge_grouped([self._hour, self._uniting.united])
        else:
            self._before += self._bounded([self._hits.baseline[number - len(self._hits.recent)]], told)
        self._uniting = None
        self._todo.pop()

    def _told(self) -> ToldRises | None:
        """Return the rises as visitors tell them; None when too little is known of them."""
        hits = self._hits
        minutes, hours = self._seen[: len(hits.recent)], self._seen[len(hits.recent) :]
        estimated = estimates_for(self._hour, self._groups)
        hour = estimated.count[self._place]
        if not hour[-1] or not self._has_visitors(hits.recent, hour) or not self._had_visitors(hours):
            return None
        assets = hits.view.directory.assets
        united = np.zeros(assets)
        united[self._candidates] = hour[:-1]
        prior = self._prior(united)
        bounds = self._bounded(hits.recent, estimated)
        united[self._candidates] = bounds[0, :-1]
        found = rises_of_visitors(
            [self._as_visitors(one, seen) for one, seen in zip(hits.recent, minutes, strict=True)],
            [self._as_visitors(one, seen) for one, seen in zip(hits.baseline, hours, strict=True)],
            united,
            prior=prior,
            total=float(bounds[0, -1]),
        )
        return ToldRises(found, self._rise_visitors(bounds))

    def _rise_visitors(self, bounds: Numbers) -> RiseVisitors:
        before = self._before
        places = {asset: place for place, asset in enumerate(self._candidates.tolist())}
        span = Span(tuple(window for one in self._hits.view.recent for window in one.span.windows))
        return RiseVisitors(
            uniques_are(span, self.visits.ground.zone),
            hour=_visitors(bounds, -1),
            before=_visitors(before, -1),
            of_hour=lambda asset: _visitors(bounds, places[asset]),
            of_before=lambda asset: _visitors(before, places[asset]),
        )

    def _bounded(self, windows: list[Hits], told: Estimates) -> Numbers:
        """Return the visitors of each place in some windows, the least and the most: nobody visits without a hit."""
        assets = self._hits.view.directory.assets
        asked = _sums(windows, assets, is_asked=True)[self._candidates]
        total = sum(one.total for one in windows)
        # All visitors that an asset has under other labels may be none of those that are asked for.
        outside = _sums(windows, assets, is_asked=False)[self._candidates] - asked
        missed = np.full(len(asked), total - sum(float(one.hits.sum()) for one in windows))
        hits, outside, missed = np.append(asked, total), np.append(outside, 0.0), np.append(missed, 0.0)
        count, lower, upper = (one[self._place] for one in (told.count, told.lower, told.upper))
        at_least = np.minimum(np.maximum(np.floor(lower) - outside, 0.0), hits)
        return np.stack([np.minimum(count, hits), at_least, np.minimum(np.ceil(upper), hits) + missed])

    def _had_visitors(self, hours: list[Numbers]) -> bool:
        """Tell whether visitors are known of nearly all that was before."""
        before = self._hits.baseline
        unknown = sum(one.total for one, seen in zip(before, hours, strict=True) if not self._has_visitors([one], seen))
        return unknown <= UNKNOWN_SHARE_MAX * sum(one.total for one in before)

    def _has_visitors(self, windows: list[Hits], seen: Numbers) -> bool:
        """Tell whether so many visitors, by place, can be those of most hits of some windows, and not of a few."""
        hits = _sums(windows, self._hits.view.directory.assets, is_asked=False)[self._candidates]
        has_vote = hits >= STEADY_HITS_MIN
        if not has_vote.any():
            return bool(seen[-1] * HITS_PER_VISITOR_MAX >= sum(one.total for one in windows))
        is_plausible = seen[:-1][has_vote] * HITS_PER_VISITOR_MAX >= hits[has_vote]
        return bool(2 * np.count_nonzero(is_plausible) >= len(is_plausible))

    def _prior(self, united: Numbers) -> float:
        """Return the mean of all assets seen; those with a few hits only were not looked at, and are taken by these."""
        recent = _sums(self._hits.recent, len(united), is_asked=False)
        taken = np.minimum(united, recent)
        is_other = np.ones(len(united), np.bool_)
        is_other[self._candidates] = False
        taken[is_other] = recent[is_other]
        return prior_of(float(taken.sum()), int(np.count_nonzero(recent)))

    def _as_visitors(self, one: Hits, seen: Numbers) -> Hits:
        """Return a window with the visitors of the candidates in place of hits; all others are only seen."""
        asked = _sums([one], self._hits.view.directory.assets, is_asked=True)[self._candidates]
        visitors = np.minimum(seen[:-1], asked)
        is_there = visitors > 0
        assets = np.concatenate([self._candidates[is_there], one.assets])
        return Hits(
            assets, np.concatenate([visitors[is_there], np.zeros(len(one.assets))]), min(float(seen[-1]), one.total)
        )


def _sums(windows: list[Hits], assets: int, *, is_asked: bool) -> Numbers:
    """Return the hits of every asset, in the rows that are asked for or in all of them."""
    found = [asked_of(one) if is_asked else (one.assets, one.hits) for one in windows]
    numbers, hits = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return np.bincount(numbers, weights=hits, minlength=assets)[:assets].astype(np.float64, copy=False)


def _visitors(bounds: Numbers, place: int) -> Visitors:
    count, at_least, at_most = bounds[:, place].tolist()
    return Visitors(round(count), int(at_least), int(at_most))
