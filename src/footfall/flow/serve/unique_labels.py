"""The visitors of sections and of a whole brand, on their way from the store or read already."""

from collections.abc import Callable
from dataclasses import dataclass, field

from footfall.flow.serve.answer import Answer
from footfall.flow.serve.loaded import Read
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.top import LabelVisitors, brand_by_visitors, sections_by_visitors
from footfall.flow.serve.uniting import Uniting, among, groups_from, together, uniques_are
from footfall.flow.serve.view import View
from footfall.flow.serve.visitor_windows import windows_of
from footfall.flow.serve.visits import Visits, visitors_from
from footfall.flow.serve.words import Words
from footfall.flow.store.visitors import BRAND_GROUP, group_of_section
from footfall.sketches.grouped import GroupedUniques
from footfall.values.period import Span
from footfall.values.window import Window


@dataclass(slots=True)
class UniqueLabels:
    """One question for the visitors of sections, or of all of a brand."""

    query: PopularQuery
    visits: Visits
    look: Callable[[], View]  # The sums as they are at the moment.
    by_section: bool
    span: Span = field(init=False)
    _sections: list[str] = field(init=False)
    _uniting: Uniting = field(init=False)
    _answer: Answer | None = None

    def __post_init__(self) -> None:
        """Begin with no window read."""
        view = self.look()
        self.span = view.sheet.span
        asked = self.query.sections
        seen = {one.section for one in view.directory.slices} if self.by_section else set[str]()
        self._sections = sorted(seen.intersection(asked) if asked and self.by_section else seen | {*asked})
        groups = [BRAND_GROUP, *map(group_of_section, self._sections)]
        self._uniting = Uniting(groups_from(groups), windows_of(self.span, self.visits.ground))

    @property
    def rows(self) -> int:
        """Return how much memory it takes, in rows of lists that would take as much."""
        return 1 + len(self._sections)

    @property
    def left(self) -> int:
        """Return how many windows are still to be read."""
        return len(self._uniting.todo)

    @property
    def is_read(self) -> bool:
        """Tell whether the answer is there."""
        return self._answer is not None

    @property
    def is_final(self) -> bool:
        """Tell whether no hit can change it any more, except in a backfill."""
        return self.visits.is_final(self.span)

    def touches(self, window: Window) -> bool:
        """Tell whether a window that was written has hits of it."""
        return self.span.meets(window)

    def step(self, read: Read) -> None:
        """Read the next window."""
        if self._uniting.todo:
            self._uniting.step(self.visits.visited)
        if not self._uniting.todo:
            make = sections_by_visitors if self.by_section else brand_by_visitors
            self._answer = make(self.look(), self.query, self._visitors())

    def answer(self, _words: Words) -> Answer:
        """Return the answer to the question."""
        assert self._answer is not None, f"{self.left} windows are still to be read"
        return self._answer

    def _visitors(self) -> LabelVisitors:
        united = self._uniting.united

        def of(*groups: int) -> GroupedUniques:
            return among(united, groups_from(groups))

        all_asked = [group_of_section(one) for one in self._sections] if self.query.sections else [BRAND_GROUP]
        return LabelVisitors(
            uniques_are(self.span, self.visits.ground.zone),
            visitors_from(together(of(*all_asked))),
            {one: visitors_from(together(of(group_of_section(one)))) for one in self._sections},
        )
