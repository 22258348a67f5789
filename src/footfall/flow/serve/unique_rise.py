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
from footfall.flow.serve.trending import RiseHits, ToldRises, rise_hits, told_from_hits, trending
from footfall.flow.serve.uniting import VISITORS, Uniting, estimates_for, uniques_are
from footfall.flow.serve.visitor_windows import windows_of
from footfall.flow.serve.visits import Visits
from footfall.flow.serve.words import Words
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset
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
            del self._hits, self._candidates, self._groups, self._place, self._seen, self._hour

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

    def _read_some(self) -> None:
        """Unite one more window of the next stretch."""
        if self._uniting is None:
            self._uniting = Uniting(self._groups, windows_of(self._todo[-1].span, self.visits.ground))
        if self._uniting.todo:
            self._uniting.step(self.visits.visited)
        if self._uniting.todo:
            return
        self._seen.append(self._uniting.estimates().count[self._place])
        if len(self._seen) <= len(self._hits.recent):
            self._hour = merge_grouped([self._hour, self._uniting.united])
        self._uniting = None
        self._todo.pop()

    def _told(self) -> ToldRises | None:
        """Return the rises as visitors tell them; None when too little is known of them."""
        hits = self._hits
        minutes, hours = self._seen[: len(hits.recent)], self._seen[len(hits.recent) :]
        hour = estimates_for(self._hour, self._groups).count[self._place]
        if not hour[-1] or not self._has_visitors(hits.recent, hour) or not self._had_visitors(hours):
            return None
        assets = hits.view.directory.assets
        united = np.zeros(assets)
        united[self._candidates] = hour[:-1]
        prior = self._prior(united)
        # Nobody visits without a hit under the labels that are asked for.
        united = np.minimum(united, _sums(hits.recent, assets, is_asked=True))
        found = rises_of_visitors(
            [self._as_visitors(one, seen) for one, seen in zip(hits.recent, minutes, strict=True)],
            [self._as_visitors(one, seen) for one, seen in zip(hits.baseline, hours, strict=True)],
            united,
            prior=prior,
            total=float(hour[-1]),
        )
        before = round(sum(float(seen[-1]) for seen in hours))
        are = uniques_are(Span(tuple(one for part in hits.view.recent for one in part.span.windows)), self.visits.ground.zone)
        return ToldRises(found, VISITORS, are, uniques=round(float(hour[-1])), baseline_uniques=before)

    def _had_visitors(self, hours: list[Numbers]) -> bool:
        """Tell whether visitors are known of nearly all that was before."""
        before = self._hits.baseline
        unknown = sum(
            one.total for one, seen in zip(before, hours, strict=True) if not self._has_visitors([one], seen)
        )
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
        return Hits(assets, np.concatenate([visitors[is_there], np.zeros(len(one.assets))]), float(seen[-1]))


def _sums(windows: list[Hits], assets: int, *, is_asked: bool) -> Numbers:
    """Return the hits of every asset, in the rows that are asked for or in all of them."""
    sums = np.zeros(assets)
    for one in windows:
        numbers, hits = asked_of(one) if is_asked else (one.assets, one.hits)
        sums += np.bincount(numbers, weights=hits, minlength=assets)[:assets]
    return sums
