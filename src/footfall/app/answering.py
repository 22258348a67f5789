"""The answering process: boards in memory, refreshed from the store, and answers made of them as bytes."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qs

from footfall.app import child, wiring
from footfall.app.brand_facts import BrandFacts
from footfall.app.followed_words import FollowedWords
from footfall.app.past_reading import KeptSpan, PastReading, SeriesKey, SpanKey, TooManySpans
from footfall.app.settings import HOUR_MS, Settings
from footfall.app.sights import Past, PastKey, Sights, board_rules
from footfall.app.turns import Told, Turns, failed, told_of
from footfall.app.visitor_reading import VisitorKey, VisitorReading
from footfall.catalog.catalogue import Catalogue
from footfall.flow.serve.board import Between, Board, NotReady, nothing
from footfall.flow.serve.lists import LISTS
from footfall.flow.serve.parameters import brand_from
from footfall.flow.serve.past import PastList
from footfall.flow.serve.query import (
    RISING,
    SCREENING,
    UNIQUES,
    PopularQuery,
    counted_in,
    query_from,
    rising_parameters,
    screening_parameters,
)
from footfall.flow.serve.screening import screening
from footfall.flow.serve.series import SeriesReading
from footfall.flow.serve.series_answer import series_answer
from footfall.flow.serve.series_query import SeriesQuery, read_for, series_query_from_canonical
from footfall.flow.serve.series_spans import series_span
from footfall.flow.serve.span_reasons import reasons_in
from footfall.flow.serve.tables import formatted
from footfall.flow.serve.trending import rise_hits, told_from_hits, trending
from footfall.flow.serve.view import View
from footfall.flow.serve.watched import in_words_of
from footfall.flow.serve.words import Words
from footfall.flow.store.checkpoints import Checkpoint, unbuilt_of
from footfall.flow.store.journal import News, read_journal
from footfall.flow.store.retention import RULE_KNOWN_AFTER_MS, KeptFor, load_retention
from footfall.flow.store.summaries import Summaries
from footfall.ports.errors import PortError
from footfall.ports.table import Table
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import FootfallError, Refused
from footfall.values.groups import brands_of_groups, names_of
from footfall.values.window import Window

BOARDS_MAX = 200
STORE_WAIT_S = 30.0
ASKED_WITHIN_MS = HOUR_MS  # A board that nobody asked for that long is let go.

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Kept:
    """A brand's board, the version of its answers, and when it was last asked for."""

    board: Board
    version: int
    asked_at_ms: int


class Answering:
    """The boards of the brands that are asked for, and the past spans."""

    def __init__(
        self,
        settings: Settings,
        table: Table,
        *,
        clock: Clock,
        catalogue: Callable[[], Catalogue | None] = lambda: None,
        brands: BrandFacts | None = None,
    ) -> None:
        self._settings = settings
        self._table = table
        self._clock = clock
        self._summaries = Summaries(table, clock)
        self._brands = brands or wiring.brand_lookup(settings, clock)
        self._words = Words(catalogue, now_ms=clock.now_ms)
        self._followed = FollowedWords(self._words, self._brands.shows_suspected)
        self._rules = board_rules(settings)
        self._sights = Sights(table, self._brands, self._rules, shards=settings.stream_shards, clock=clock)
        self._past: PastReading[PastKey, Past] = PastReading(
            self._sights.new_past, self._summaries.live, size_of=self._sights.size_of_past, now_ms=clock.now_ms
        )
        self._visitors = VisitorReading(table, self._sights.sight, rows_max=settings.serve_rows_max)
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._numbers = dict.fromkeys(range(settings.stream_shards), 0)
        self._missed: dict[str, set[Window]] = {}
        self._kept_before: Sequence[KeptFor] = ()
        self._versions = self._retention_at_ms = 0
        self._is_renewing = False
        self._dropped: dict[str, int] = {}
        self._moved: set[str] = set()  # brands whose boards were brought up to the moment outside of a refresh
        self.checkpoints: Mapping[int, Checkpoint] = {}  # as the last refresh found them

    def answer(self, canonical: str) -> Told | None:
        """Return an answer and its version, or the sentence why there is none; None while its span is being read."""
        try:
            path, _, raw_query = canonical.rpartition("?")
            if path in LISTS or path == SCREENING:
                return self._listed(canonical, path, raw_query)
            return self._rising(canonical, raw_query) if path == RISING else self._series(canonical)
        # The front has looked at the question; what it knew and this process does not, it will know in a moment.
        except (NotReady, PortError, Refused) as error:
            return failed(canonical, str(error))

    def renew(self, canonical: str) -> Told | None:
        """Return an answer that nobody waits for; one that cannot be made now stays as it is until it is asked for."""
        self._is_renewing = True
        try:
            told = self.answer(canonical)
        finally:
            self._is_renewing = False
        return None if told is None or told[2] else told

    @property
    def is_reading(self) -> bool:
        """Tell whether a past span is on its way."""
        return self._past.is_busy

    def read_some(self) -> list[Told]:
        """Read one window of a past span; return the answers that this was all they waited for."""
        waiting = self._past.first_waiting()
        try:
            ready = self._past.step()
        except (PortError, Refused, NotReady) as error:
            return [failed(canonical, str(error)) for canonical in waiting]
        made = [self.answer(question) if is_asked else self.renew(question) for question, is_asked in ready]
        return [told for told in made if told is not None]

    def is_at_hand(self, canonical: str) -> bool:
        """Tell whether a question is one of a board that is there, which it is answered from also while it changes."""
        path, _, raw_query = canonical.rpartition("?")
        is_of_board = path in LISTS and not parse_qs(raw_query).keys() & {"from", "to", "sort"}
        return is_of_board and counted_in(canonical) in self._kept

    def refresh(self, between: Between = nothing) -> list[tuple[str, int]]:
        """Bring every board up to the moment; return the brands whose answers may differ, with their versions."""
        now_ms = self._clock.now_ms()
        checkpoints = self.checkpoints = self._sights.checkpoints()
        if not 0 <= now_ms - self._retention_at_ms < RULE_KNOWN_AFTER_MS:
            self._kept_before, self._retention_at_ms = load_retention(self._table), now_ms
        moved, self._moved = self._moved, set()
        differing = moved | self._read_news(checkpoints) | self._past.brands_outdated_by_age() | self._look_at_brands()
        differing |= self._past.brands_to_be_read_again()
        for brand, kept in list(self._kept.items()):
            if now_ms - kept.asked_at_ms > ASKED_WITHIN_MS:
                self._drop(brand)
            elif self._refresh(brand, kept, checkpoints, now_ms=now_ms, between=between):
                differing.add(brand)
            between()
        return [(brand, self._new_version(brand)) for brand in sorted(differing)]

    def take_dropped(self) -> list[tuple[str, int]]:
        """Return the brands whose boards were let go, with a version that no answer of theirs has."""
        dropped, self._dropped = self._dropped, {}
        return list(dropped.items())

    def _listed(self, canonical: str, path: str, raw_query: str) -> Told | None:
        given = LISTS[path].parameters(raw_query) if path in LISTS else screening_parameters(raw_query)
        brand, known = brand_from(given), self._brands
        query = query_from(given, periods=known.periods(brand), shows_suspected=known.shows_suspected(brand))
        self._followed.begin(brand)
        query = query if (name := query.counted_as) == brand else replace(query, brand=name)
        if query.from_ms is not None and query.to_ms is not None:
            found = self._find(SpanKey(name, query.from_ms, query.to_ms), canonical)
            if found is None:
                return None
            assert isinstance(found.past, PastList)
            viewed, version, began_at_ms = found.past, self._versions, found.began_at_ms
        else:
            kept = self._board(name)
            viewed, version, began_at_ms = kept.board, kept.version, 0
        if query.sort == UNIQUES:
            key = self._visitors.list_key(path, query, lambda: self._view(query), self._words, began_at_ms=began_at_ms)
            return self._visited(key, canonical, query)
        if path == SCREENING:
            view, lines = viewed.view(query), (self.checkpoints or self._sights.checkpoints()).values()
            zone, now_ms = self._brands.zone_of(brand), self._clock.now_ms()
            reasons = reasons_in(self._table, brand, view.sheet.span, lines, zone=zone, now_ms=now_ms)
            made = screening(view, query, self._words, reasons, judged=self._brands.judged(brand, view.sheet.span))
        else:
            made = in_words_of(query, LISTS[path].make(viewed, query, self._words))
        return told_of(formatted(made, query.format), canonical, version)

    def _visited(self, key: VisitorKey, canonical: str, query: PopularQuery | SeriesQuery) -> Told | None:
        """Return an answer that is told from visitors; None while they are being read."""
        found = self._find(key, canonical)
        if found is None:
            return None
        assert not isinstance(found.past, PastList | SeriesReading)
        made = formatted(in_words_of(query, found.past.answer(self._words)), query.format)
        return told_of(made, canonical, self._versions)

    def _view(self, query: PopularQuery) -> View:
        if query.from_ms is None or query.to_ms is None:
            return self._board(query.brand).board.view(query)
        past = self._past.kept(SpanKey(query.brand, query.from_ms, query.to_ms))
        if not isinstance(past, PastList):
            raise NotReady("the span is not in memory any more; ask again in a moment")
        return past.view(query)

    def _rising(self, canonical: str, raw_query: str) -> Told | None:
        given = rising_parameters(raw_query)
        brand = brand_from(given)
        query = query_from(given, periods={}, shows_suspected=self._brands.shows_suspected(brand))
        self._followed.begin(brand)
        kept = self._board(brand)
        if kept.board.ask_for_rise():
            self._refresh(brand, kept, self._sights.checkpoints(), now_ms=self._clock.now_ms())
            self._moved.add(brand)
        key = self._visitors.rise_key(query, lambda: self._board(brand).board.rise_view(), self._words)
        try:
            return self._visited(key, canonical, query)
        except TooManySpans:
            if self._is_renewing:
                raise
            # Hits are in memory; told from them it is there at once, and an old version has it asked for again.
            hits = rise_hits(kept.board.rise_view(), query, self._words)
            made = trending(hits, told_from_hits(hits), query, self._words)
            return told_of(formatted(made, query.format), canonical, 1)

    def _series(self, canonical: str) -> Told | None:
        query = series_query_from_canonical(canonical)
        brand = query.brand
        query = replace(query, brand=query.counted_as, shows_suspected=self._brands.shows_suspected(brand))
        self._followed.begin(brand)
        span = series_span(query, zone=self._brands.zone_of(brand), now_ms=self._clock.now_ms())
        if query.measure == UNIQUES:
            return self._visited(self._visitors.series_key(query, span), canonical, query)
        key = SeriesKey(query.brand, replace(read_for(query), from_ms=span.from_ms, to_ms=span.to_ms))
        found = self._find(key, canonical)
        if found is None:
            return None
        assert isinstance(found.past, SeriesReading)
        made = formatted(in_words_of(query, series_answer(found.past, query, self._words)), query.format)
        return told_of(made, canonical, self._versions)

    def _find(self, key: PastKey, canonical: str) -> KeptSpan[Past] | None:
        return self._past.find(key, canonical, is_renewal=self._is_renewing)

    def look_at_edits(self) -> list[tuple[str, int]]:
        """Take in what editors did since the last look, in one read when that is nothing; return as a refresh does."""
        names = {*self._kept, *self._past.brands()}
        differing = names_of(self._followed.edited(brands_of_groups(names)), among=names)
        return [(brand, self._new_version(brand)) for brand in sorted(differing)]

    def _look_at_brands(self) -> set[str]:
        """Return the brands that show or know something else than when their answers were made."""
        known = {*self._kept, *self._past.brands()}
        differing = names_of(self._followed.differing(brands_of_groups(known)), among=known)
        for brand in known:
            try:
                if self._has_other_facts(brand):
                    differing.add(brand)
            except PortError as error:
                _log.warning("what is shown of %s stays as it is: %s", brand, error)
        return differing

    def _has_other_facts(self, brand: str) -> bool:
        kept = self._kept.get(brand)
        if kept is None or kept.board.is_for(self._brands.zone_of(brand), self._brands.periods(brand)):
            return False
        self._drop(brand)
        self._past.forget(brand)
        return True

    def _board(self, brand: str) -> Kept:
        kept = self._kept.get(brand)
        now_ms = self._clock.now_ms()
        if kept is None:
            self._kept_before = load_retention(self._table)
            kept = self._kept[brand] = Kept(self._new_board(brand), self._new_version(brand), now_ms)
            try:
                self._refresh(brand, kept, self._sights.checkpoints(), now_ms=now_ms)
            except FootfallError:
                self._drop(brand)
                raise
        self._kept.move_to_end(brand)
        self._make_room()
        kept.asked_at_ms = now_ms
        return kept

    @property
    def rows(self) -> int:
        """Return how many rows of lists are held in memory."""
        return sum(one.board.rows for one in self._kept.values())

    def _make_room(self) -> None:
        """Let go of the boards that were not asked for longest, while all of them together hold too much."""
        while len(self._kept) > 1 and (len(self._kept) > BOARDS_MAX or self.rows > self._settings.serve_rows_max):
            self._drop(next(iter(self._kept)))

    def _new_board(self, brand: str) -> Board:
        return Board(brand, zone=self._brands.zone_of(brand), periods=self._brands.periods(brand), rules=self._rules)

    def _refresh(
        self,
        brand: str,
        kept: Kept,
        checkpoints: Mapping[int, Checkpoint],
        *,
        now_ms: int,
        between: Between = nothing,
    ) -> bool:
        changed = self._missed.setdefault(brand, set())
        kept.board.keep_in_mind(self._kept_before)
        kept.board.look_for_unbuilt(unbuilt_of(checkpoints))
        try:
            differs = kept.board.refresh(
                lambda window: self._summaries.live(brand, window),
                now_ms=now_ms,
                closed_until_ms=min(one.passed_ms for one in checkpoints.values()),
                changed=changed,
                between=between,
            )
        except PortError as error:
            _log.warning("the lists of %s stay as they are: %s", brand, error)
            return False
        self._missed[brand] = set()
        return differs

    def _read_news(self, checkpoints: dict[int, Checkpoint]) -> set[str]:
        """Take in what was written; return the brands that have past spans which that makes outdated."""
        outdated: set[str] = set()
        if not self._kept and not self._past.brands():  # Nothing is held that news could be about.
            self._numbers = {shard: one.number for shard, one in checkpoints.items()}
            self._visitors.windows.clear()
            return outdated
        for shard, checkpoint in checkpoints.items():
            before = self._numbers[shard]
            news: News = read_journal(self._table, shard, after=before, now_number=checkpoint.number)
            self._numbers[shard] = news.number
            if not news.is_whole:
                self._visitors.windows.clear()
                for brand in list(self._kept):
                    self._drop(brand)
                outdated |= {brand for brand in self._past.brands() if self._past.touch_all(brand)}
            for one in news.touched:
                self._visitors.windows.touch(one.brand, one.window)
                if one.brand in self._kept:
                    self._missed.setdefault(one.brand, set()).add(one.window)
                if self._past.touch(one.brand, one.window):
                    outdated.add(one.brand)
        return outdated

    def _drop(self, brand: str) -> None:
        """Let go of a board; nobody tells any more when its answers change, so they have to be asked for again."""
        self._missed.pop(brand, None)
        if self._kept.pop(brand, None) is not None:
            self._dropped[brand] = self._new_version(brand)

    def _new_version(self, brand: str) -> int:
        self._versions += 1
        if brand in self._kept:
            self._kept[brand].version = self._versions
        return self._versions


def main() -> None:
    """Run the process."""
    settings, link = child.begin("answer")
    clock = SystemClock()
    table = _opened_store(settings, clock)
    link.send(["ready"])
    answering = Answering(settings, table, clock=clock, catalogue=lambda: wiring.catalogue_if_there(settings, clock))
    turns = Turns(answering, link, refresh_s=settings.serve_refresh_ms / 1_000)
    while turns.take():
        pass


def _opened_store(settings: Settings, clock: Clock) -> Table:
    """Open the store; on a new directory the counting process, started at the same time, is about to make it."""
    give_up_at = time.monotonic() + STORE_WAIT_S
    while True:
        try:
            return wiring.open_store(settings, clock, read_only=True)
        except PortError:
            if time.monotonic() >= give_up_at:
                raise
            time.sleep(0.02)
