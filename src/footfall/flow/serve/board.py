"""The board of one brand: all that is needed to answer any question about it, kept up to date in memory.

What changes most is the open minute. A refresh then reads that one window, takes away what it gave before and adds
what it gives now; how many windows a list covers does not matter.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from footfall.flow.serve.directory import Directory
from footfall.flow.serve.hollow import Hollow
from footfall.flow.serve.loaded import BoardLimits, LoadedWindows, Read
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.resolution import Ground, Resolution, Unbuilt
from footfall.flow.serve.rise_view import RiseStretch, RiseView, rise_spans
from footfall.flow.serve.sheets import Sheet, Unit
from footfall.flow.serve.view import View
from footfall.flow.store.retention import KeptFor
from footfall.flow.store.summaries import Summary
from footfall.values.errors import FootfallError
from footfall.values.period import RETENTION_MS, Period, Span, closed_span, earlier, open_span
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window

Between = Callable[[], None]

RISE_KEPT_MS = HOUR_MS  # After that, nobody who asks for what rises is around.
CLOSED_SHEET_KEPT_MS = HOUR_MS  # After that, nobody who asks for closed lists is around.
CLOSED_UNTIL_MS_MIN = 20 * 365 * DAY_MS  # Before anything is closed; leaves room for the longest period.


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRules:
    """What the counting step promises to a board, and what the board may use."""

    shards: frozenset[str] = frozenset({"s00"})  # every shard that may hold hits of the brand
    lateness_ms: int = DAY_MS
    ahead_ms: int = 5 * MINUTE_MS  # A hit may be so much ahead of its arrival; no window that begins later has any.
    kept_ms: Mapping[Grain, int] = field(default_factory=lambda: RETENTION_MS)
    limits: BoardLimits = field(default_factory=BoardLimits)


def nothing() -> None:
    """Do nothing where somebody else could have a turn."""


class NotReady(FootfallError):
    """The board has not read what it needs to answer."""


class SheetKey(NamedTuple):
    """Which sum is meant: a period's, of closed windows only or not, now or one window earlier."""

    period: str
    closed: bool
    previous: bool


class Plan(NamedTuple):
    """What a sheet is the sum of."""

    span: Span
    units: tuple[Unit, ...]
    kept_since_ms: int | None  # Windows of the span that ended by then are not kept any more; None: all are.


class SpanUnits(NamedTuple):
    """A span, and the summaries that stand for it."""

    span: Span
    units: tuple[Unit, ...]


class Board:
    """Everything that serving knows of one brand."""

    def __init__(
        self, brand: str, *, zone: str, periods: Mapping[str, Period], rules: BoardRules | None = None
    ) -> None:
        self.brand = brand
        self.periods = periods
        self._zone = zone
        self._rules = rules or BoardRules()
        self._loaded = LoadedWindows(self._rules.limits)
        self._hollow = Hollow(zone)
        self._plans: dict[SheetKey, Plan] = {}
        self._sheets: dict[SheetKey, Sheet] = {}
        self._kept_before: Sequence[KeptFor] = ()
        self._unbuilt: Unbuilt = {}
        self._now_ms = 0
        self._closed_until_ms = 0
        self._rise: tuple[list[SpanUnits], list[SpanUnits]] | None = None  # recent ones, and those before
        self._rise_asked_at_ms: int | None = None
        self._renumberings = 0
        self._is_settled = False

    @property
    def directory(self) -> Directory:
        """Return the numbers of all assets, slices and rows."""
        return self._loaded.directory

    @property
    def rows(self) -> int:
        """Return how many rows the board holds, as a measure of its memory: those of windows and those of sums."""
        return self._loaded.rows + self._loaded.directory.rows * len(self._sheets)

    def view(self, query: PopularQuery) -> View:
        """Return the sums that a question about a period is answered from."""
        sheet, earlier = (
            self.sheet(query.period, closed=query.closed, previous=previous) for previous in (False, True)
        )
        now, before = (SheetKey(query.period, query.closed, previous) for previous in (False, True))
        return View(
            directory=self.directory,
            sheet=sheet,
            before=earlier if self._plans[before].kept_since_ms is None else None,
            max_age_s=self.periods[query.period].cache_s,
            final=self.is_final(sheet.span) if query.closed else None,
            kept_since_ms=self._plans[now].kept_since_ms,
        )

    def is_for(self, zone: str, periods: Mapping[str, Period]) -> bool:
        """Tell whether the board follows these rules of its brand."""
        return self._zone == zone and self.periods == periods

    def sheet(self, period: str, *, closed: bool, previous: bool) -> Sheet:
        """Return the sum over the period's span; those over closed windows are made when first asked for."""
        key = SheetKey(period, closed, previous)
        sheet = self._sheets.get(key)
        if key not in self._plans or (sheet is None and not self._is_settled):
            raise NotReady(f"the lists of {self.brand} have not been read yet; ask again in a moment")
        if sheet is None:
            sheet = self._sheets[key] = Sheet(self._plans[key].span)
            self._move(key, sheet)
        sheet.asked_at_ms = self._now_ms
        return sheet

    def ask_for_rise(self) -> bool:
        """Have read what rises are told from, as long as somebody asks; return whether that is still to be done."""
        self._rise_asked_at_ms = self._now_ms
        if self._rise is None:
            self._is_settled = False
        return self._rise is None

    def rise_view(self) -> RiseView:
        """Return what the windows of the last hour gave, and those of the day before it."""
        if self._rise is None:
            raise NotReady(f"the last hours of {self.brand} have not been read yet; ask again in a moment")
        recent, baseline = (
            [RiseStretch(span, [self._loaded.contribution(unit) for unit in units]) for span, units in one]
            for one in self._rise
        )
        return RiseView(self.directory, recent, baseline)

    def is_final(self, span: Span) -> bool:
        """Tell whether no hit can change the span any more, except in a backfill."""
        return span.to_ms + self._rules.lateness_ms <= self._closed_until_ms

    def keep_in_mind(self, kept_before: Sequence[KeptFor]) -> None:
        """Take note of how long windows have been kept over time; it counts from the next look at all spans on."""
        self._kept_before = kept_before

    def look_for_unbuilt(self, unbuilt: Unbuilt) -> None:
        """Take note of which windows may have to be read as finer ones."""
        if unbuilt != self._unbuilt:
            self._unbuilt = unbuilt
            self._is_settled = False  # What was taken to be empty may not be so any more.

    def refresh(
        self,
        read: Read,
        *,
        now_ms: int,
        closed_until_ms: int,
        changed: Collection[Window],
        between: Between = nothing,
    ) -> bool:
        """Bring everything up to the moment, reading only what is needed; return whether any answer may differ.

        `changed` are the windows that were written since the refresh before; others are taken to be as they were.
        When reading fails, the board keeps answering as before; the next refresh must name the same windows again.
        `between` is called wherever every sheet is the sum of something: as it was before, or as it is now.
        """
        closed_until_ms = max(closed_until_ms, CLOSED_UNTIL_MS_MIN)
        fresh = {window: read(window) for window in dict.fromkeys(changed) if self._loaded.held(window) is not None}
        between()
        has_moved = (
            self._hollow.fill(changed)
            or not self._is_settled
            or now_ms // MINUTE_MS != self._now_ms // MINUTE_MS
            or closed_until_ms // MINUTE_MS != self._closed_until_ms // MINUTE_MS
        )
        self._now_ms, self._closed_until_ms = now_ms, closed_until_ms
        self._is_settled = False
        try:
            self._bring_up(read, fresh, has_moved=has_moved, between=between)
            self._is_settled = True
        finally:
            if self._renumberings != self._loaded.renumberings:
                self._plans.clear()  # The sums that are left are in numbers that are void by now.
                self._rise = None
        return has_moved or bool(fresh)

    def _bring_up(
        self, read: Read, fresh: Mapping[Window, Collection[Summary]], *, has_moved: bool, between: Between
    ) -> None:
        has_other_parts = [self._enter_again(window, summaries) for window, summaries in fresh.items()]
        self._loaded.fit(read, now_ms=self._now_ms)
        if has_moved or any(has_other_parts):
            self._resolve(read, fresh)
            self._loaded.tidy(now_ms=self._now_ms)
            self._move_sheets(None)
        else:
            self._move_sheets(fresh, between)
        self.directory.rank_new_assets()

    def _enter_again(self, window: Window, summaries: Collection[Summary]) -> bool:
        """Enter what a window has now in place of what it had, and return whether it has other parts than before."""
        before = self._loaded.held(window)
        assert before is not None
        entered = {part for part, one in before.parts.items() if one is not None}
        after = self._loaded.note(window, summaries)
        for summary in summaries:
            if summary.part in entered:
                self._loaded.enter(window, summary)
        return before.parts.keys() != after.parts.keys() or before.merged != after.merged

    def _resolve(self, read: Read, fresh: Mapping[Window, Collection[Summary]]) -> None:
        rules = self._rules
        seen_until_ms = self._now_ms + rules.ahead_ms
        ground = Ground(
            self._zone,
            rules.shards,
            rules.kept_ms,
            now_ms=self._now_ms,
            seen_until_ms=seen_until_ms,
            kept_before=self._kept_before,
            unbuilt=self._unbuilt,
        )
        resolution = Resolution(ground=ground, loaded=self._loaded, read=read, fresh=fresh, hollow=self._hollow)
        self._plans = {
            key: Plan(span, resolution.units(span), resolution.kept_since_ms(span))
            for key, span in self._spans().items()
        }
        self._rise = None
        if self._rise_asked_at_ms is not None and self._now_ms - self._rise_asked_at_ms <= RISE_KEPT_MS:
            recent, baseline = rise_spans(self._now_ms, self._zone)
            self._rise = _span_units(resolution, recent), _span_units(resolution, baseline)
        self._loaded.forget_all_but(resolution.reached)
        self._hollow.forget_all_but(resolution.reached)

    def _spans(self) -> dict[SheetKey, Span]:
        spans: dict[SheetKey, Span] = {}
        for period, closed in product(self.periods.values(), (False, True)):
            if closed:
                span = closed_span(period, closed_until_ms=self._closed_until_ms, zone=self._zone)
            else:
                span = open_span(period, at_ms=self._now_ms, zone=self._zone)
            spans[SheetKey(period.name, closed=closed, previous=False)] = span
            spans[SheetKey(period.name, closed=closed, previous=True)] = earlier(span, self._zone)
        return spans

    def _move_sheets(self, changed: Collection[Window] | None, between: Between = nothing) -> None:
        """Bring the sums up to date with these windows, or with whatever differs when None."""
        if self._renumberings != self._loaded.renumberings:
            self._renumberings = self._loaded.renumberings
            self._sheets = {key: Sheet(self._plans[key].span, sheet.asked_at_ms) for key, sheet in self._sheets.items()}
            changed = None
        for key in list(self._plans):
            sheet = self._sheets.get(key)
            if key.closed and sheet is not None and self._now_ms - sheet.asked_at_ms > CLOSED_SHEET_KEPT_MS:
                del self._sheets[key]
            elif changed is not None and sheet is not None:
                self._replace(sheet, changed)
                self._give_way(between)
            elif sheet is not None or not key.closed:
                self._move(key, self._sheets.setdefault(key, sheet or Sheet(self._plans[key].span)))

    def _give_way(self, between: Between) -> None:
        """Let somebody else have a turn; plans stand, so that a sheet that is first asked for now can be made."""
        self._is_settled = True
        try:
            between()
        finally:
            self._is_settled = False

    def _replace(self, sheet: Sheet, changed: Collection[Window]) -> None:
        for window in changed:
            held = self._loaded.held(window)
            assert held is not None
            for part, new in held.parts.items():
                unit = Unit(window, part)
                if sheet.has(unit):
                    sheet.replace(unit, new)

    def _move(self, key: SheetKey, sheet: Sheet) -> None:
        plan = self._plans[key]
        sheet.move(plan.span, {unit: self._loaded.contribution(unit) for unit in plan.units})


def _span_units(resolution: Resolution, spans: Sequence[Span]) -> list[SpanUnits]:
    return [SpanUnits(span, resolution.units(span)) for span in spans]
