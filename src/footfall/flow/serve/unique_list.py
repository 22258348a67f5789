"""The assets with the most visitors, on their way from the store or found already."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.answer import Answer
from footfall.flow.serve.loaded import Read
from footfall.flow.serve.members import matches
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.unique_answer import FoundUniques, UniqueAsset, unique_answer
from footfall.flow.serve.unique_candidates import Threshold, hits_of
from footfall.flow.serve.uniting import Uniting, groups_from
from footfall.flow.serve.view import View
from footfall.flow.serve.visitor_windows import windows_of
from footfall.flow.serve.visits import Visitors, Visits
from footfall.flow.serve.wanted import wanted
from footfall.flow.serve.words import Words
from footfall.flow.store.visitors import group_of_asset
from footfall.sketches.estimation import Estimates
from footfall.values.period import Span
from footfall.values.window import Window


@dataclass(slots=True)
class UniqueList:
    """One question for the assets with the most visitors: batch by batch, and each of them window by window."""

    query: PopularQuery
    visits: Visits
    look: Callable[[], View]  # The sums as they are when it begins.
    words: Words
    reach: int = 0  # How many more assets are looked for than are listed, because editors hide some.
    span: Span = field(init=False)
    found: FoundUniques | None = None
    _view: View | None = None
    _threshold: Threshold = field(init=False)
    _order: NDArray[np.intp] = field(init=False)
    _uniting: Uniting = field(init=False)
    _windows: list[Window] = field(init=False)
    _is_checked: bool = False
    _renumberings: int = 0

    def __post_init__(self) -> None:
        """Begin with nothing looked at."""
        self._begin()

    @property
    def rows(self) -> int:
        """Return how many rows it holds, as a measure of its memory."""
        return self.query.limit if self._view is None else len(self._threshold.hits.assets)

    @property
    def left(self) -> int:
        """Return how many windows are still to be read for the assets that are looked at."""
        return 0 if self.is_read else len(self._uniting.todo)

    @property
    def is_read(self) -> bool:
        """Tell whether the list is there."""
        return self.found is not None

    @property
    def is_final(self) -> bool:
        """Tell whether no hit can change the list any more, except in a backfill."""
        return self.visits.is_final(self.span)

    def touches(self, window: Window) -> bool:
        """Tell whether a window that was written has hits of this list."""
        return self.span.meets(window)

    def step(self, read: Read) -> None:
        """Look at one window for the assets at hand, or at what they have come to."""
        assert self._view is not None, "the list is there already"
        if self._view.directory.renumberings != self._renumberings:
            self._begin()  # The numbers of all assets are others by now.
        if self._uniting.todo:
            self._uniting.step(self.visits.visited)
        if self._uniting.todo:
            return
        told = self._uniting.estimates()
        order = self._order  # that of the batch, which is not that of the groups
        told = Estimates(told.count[order], told.lower[order], told.upper[order])
        self._threshold.take(told)
        self._settle()

    def answer(self, words: Words) -> Answer:
        """Return the answer to the question, with what the catalogue says by now."""
        assert self.found is not None, "windows are still to be read"
        return unique_answer(self.found, self.query, words, zone=self.visits.ground.zone)

    def _begin(self) -> None:
        view = self._view = self.look()
        self._renumberings = view.directory.renumberings
        self.span = view.sheet.span
        self._windows = windows_of(self.span, self.visits.ground)
        asked = wanted(view.directory, self.query, self.words.members(self.query))
        self._is_checked = asked.unseen is None
        self._threshold = Threshold(hits_of(view, asked), limit=self.query.limit + self.reach)
        self._begin_batch()

    def _begin_batch(self) -> None:
        assert self._view is not None
        directory = self._view.directory
        assets = self._threshold.hits.assets[self._threshold.next_batch()].tolist()
        groups = [group_of_asset(directory.asset_text(asset).decode()) for asset in assets]
        rising = groups_from(groups)
        self._order = np.searchsorted(rising, np.array(groups, np.int64))
        self._uniting = Uniting(rising, self._windows.copy() if assets else [])

    def _settle(self) -> None:
        """Find out whether the list is there, or how to go on."""
        threshold = self._threshold
        if not self._uniting.has_visitors:
            threshold.looked_at = len(threshold.hits.assets)  # Nobody is known in any window.
        while threshold.is_settled():
            leaders = self._named(threshold.leaders())
            strange = self._strange(leaders)
            if not len(strange):
                self._finish(leaders)
                return
            threshold.leave_out(strange)
        self._begin_batch()

    def _named(self, leaders: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the list in its order: visitors, then hits, then ids."""
        threshold = self._threshold
        names = {place: self._name(place) for place in leaders.tolist()}
        ranked = sorted(names, key=lambda one: (-threshold.count[one], -threshold.hits.hits[one], names[one]))
        return np.array(ranked[: threshold.limit], np.intp)

    def _name(self, place: int) -> str:
        assert self._view is not None
        return self._view.directory.asset_name(int(self._threshold.hits.assets[place]))

    def _strange(self, leaders: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those that only share an ident with an asset that the catalogue's filters let through."""
        if self._is_checked:
            return np.empty(0, np.intp)
        names = [self._name(place) for place in leaders.tolist()]
        known = self.words.shown(self.query.brand, names) or {}
        return leaders[np.array([not matches(known.get(name), self.query) for name in names], np.bool_)]

    def _finish(self, leaders: NDArray[np.intp]) -> None:
        view, threshold = self._view, self._threshold
        assert view is not None
        hits = threshold.hits
        self.found = FoundUniques(
            span=self.span,
            assets=[
                UniqueAsset(
                    self._name(place),
                    Visitors(int(threshold.count[place]), int(threshold.lower[place]), int(threshold.upper[place])),
                    int(hits.hits[place]),
                    int(hits.missed[place]),
                    view.directory.slices[int(hits.slices[place])],
                )
                for place in leaders.tolist()
            ],
            is_proven=threshold.is_proven(leaders) and view.kept_since_ms is None,
            max_age_s=view.max_age_s,
            final=view.final,
            kept_since_ms=view.kept_since_ms,
        )
        self._view = None  # It may be large, and is not needed any more.
        del self._threshold, self._uniting
