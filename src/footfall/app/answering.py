"""The answering process: boards in memory, refreshed from the store, and answers made of them as bytes."""

import contextlib
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice

from footfall.app import child, wiring
from footfall.app.link import Link
from footfall.app.settings import HOUR_MS, Settings
from footfall.flow.serve.board import Board, BoardRules, NotReady
from footfall.flow.serve.loaded import BoardLimits
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import popular_query
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, load_checkpoint
from footfall.flow.store.journal import News, read_journal
from footfall.flow.store.summaries import Summaries
from footfall.ports.errors import PortError
from footfall.ports.table import Table
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import FootfallError
from footfall.values.window import Window

BOARDS_MAX = 200
STORE_WAIT_S = 30.0
RENEWED_AT_ONCE = 4  # Some two milliseconds, which a question may have to wait for.
ASKED_WITHIN_MS = HOUR_MS  # A board that nobody asked for that long is let go.

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Kept:
    """A brand's board, the version of its answers, and when it was last asked for."""

    board: Board
    version: int
    asked_at_ms: int


class Answering:
    """The boards of the brands that are asked for."""

    def __init__(self, settings: Settings, table: Table, *, clock: Clock) -> None:
        self._settings = settings
        self._table = table
        self._clock = clock
        self._summaries = Summaries(table, clock)
        self._zone_of = wiring.zone_of(settings)
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._numbers = dict.fromkeys(range(settings.stream_shards), 0)
        self._missed: dict[str, set[Window]] = {}
        self._versions = 0

    def answer(self, canonical: str) -> list[object]:
        """Return an answer and the version of its board, or the sentence why there is none."""
        query = popular_query(canonical, periods=self._settings.periods)
        try:
            kept = self._board(query.brand)
            made = popular(kept.board, query)
        except (NotReady, PortError) as error:
            return [canonical, 0, str(error), "", 0, b""]
        return [canonical, kept.version, "", made.etag, made.max_age_s, made.body]

    def refresh(self) -> list[tuple[str, int]]:
        """Bring every board up to the moment; return the brands whose answers may differ, with their versions."""
        now_ms = self._clock.now_ms()
        checkpoints = self._checkpoints()
        self._read_news(checkpoints)
        closed_until_ms = min(one.passed_ms for one in checkpoints.values())
        differing: list[tuple[str, int]] = []
        for brand, kept in list(self._kept.items()):
            if now_ms - kept.asked_at_ms > ASKED_WITHIN_MS:
                self._drop(brand)
            elif self._refresh(brand, kept, now_ms=now_ms, closed_until_ms=closed_until_ms):
                differing.append((brand, kept.version))
        return differing

    def _board(self, brand: str) -> Kept:
        kept = self._kept.get(brand)
        now_ms = self._clock.now_ms()
        if kept is None:
            kept = self._kept[brand] = Kept(self._new_board(brand), self._next_version(), now_ms)
            passed_ms = min(one.passed_ms for one in self._checkpoints().values())
            try:
                self._refresh(brand, kept, now_ms=now_ms, closed_until_ms=passed_ms)
            except FootfallError:
                self._drop(brand)
                raise
        self._kept.move_to_end(brand)
        self._make_room()
        kept.asked_at_ms = now_ms
        return kept

    def _make_room(self) -> None:
        """Let go of the boards that were not asked for longest, while all of them together hold too much."""
        rows_max = self._settings.serve_rows_max
        while len(self._kept) > 1 and (
            len(self._kept) > BOARDS_MAX or sum(one.board.rows for one in self._kept.values()) > rows_max
        ):
            self._drop(next(iter(self._kept)))

    def _new_board(self, brand: str) -> Board:
        settings = self._settings
        rules = BoardRules(
            shards=frozenset(keys.shard_name(shard) for shard in range(settings.stream_shards)),
            lateness_ms=settings.count_lateness_hours * HOUR_MS,
            ahead_ms=settings.count_future_ms,
            kept_ms=wiring.retention_ms(settings),
            limits=BoardLimits(rows_max=settings.serve_rows_max),
        )
        return Board(brand, zone=self._zone_of(brand), periods=settings.periods, rules=rules)

    def _refresh(self, brand: str, kept: Kept, *, now_ms: int, closed_until_ms: int) -> bool:
        changed = self._missed.setdefault(brand, set())
        try:
            differs = kept.board.refresh(
                lambda window: self._summaries.live(brand, window),
                now_ms=now_ms,
                closed_until_ms=closed_until_ms,
                changed=changed,
            )
        except PortError as error:
            _log.warning("the lists of %s stay as they are: %s", brand, error)
            return False
        self._missed[brand] = set()
        if differs:
            kept.version = self._next_version()
        return differs

    def _checkpoints(self) -> dict[int, Checkpoint]:
        return {shard: load_checkpoint(self._table, shard) or Checkpoint() for shard in self._numbers}

    def _read_news(self, checkpoints: dict[int, Checkpoint]) -> None:
        for shard, checkpoint in checkpoints.items():
            before = self._numbers[shard]
            news: News = read_journal(self._table, shard, after=before, now_number=checkpoint.number)
            self._numbers[shard] = news.number
            if not news.is_whole:
                for brand in list(self._kept):
                    self._drop(brand)
            for one in news.touched:
                if one.brand in self._kept:
                    self._missed.setdefault(one.brand, set()).add(one.window)

    def _drop(self, brand: str) -> None:
        self._kept.pop(brand, None)
        self._missed.pop(brand, None)

    def _next_version(self) -> int:
        self._versions += 1
        return self._versions


class Turns:
    """Whose turn it is: a question that somebody waits for, a refresh of the boards, or the renewal of an old answer.

    Renewals give way to questions, and a round of them keeps the next refresh waiting for as long as it took: a
    thousand answers that are asked for all the time cost half a core, not all of it.
    """

    def __init__(self, answering: Answering, link: Link, *, refresh_s: float) -> None:
        self._answering = answering
        self._link = link
        self._refresh_s = refresh_s
        self._refresh_at = time.monotonic()
        self._round_began_at = self._refresh_at
        self._renewals: dict[str, None] = {}  # in order, each once

    def take(self) -> bool:
        """Take a turn; return whether to go on."""
        wait_s = 0.0 if self._renewals else max(0.0, self._refresh_at - time.monotonic())
        messages = self._link.receive(timeout_s=wait_s)
        if messages is None:
            return False
        for message in messages:
            if message[0] == "stop":
                self._link.send(["stopped"])
                return False
            if message[0] == "renew":
                self._renewals.update(dict.fromkeys(message[1]))
            else:
                self._link.send(["answers", [self._answering.answer(canonical) for canonical in message[1]]])
        if self._renewals:
            self._renew()
        elif time.monotonic() >= self._refresh_at:
            self._refresh()
        return True

    def _renew(self) -> None:
        some = list(islice(self._renewals, RENEWED_AT_ONCE))
        for canonical in some:
            del self._renewals[canonical]
        self._link.send(["answers", [self._answering.answer(canonical) for canonical in some]])
        if not self._renewals:
            now = time.monotonic()
            self._refresh_at = now + max(self._refresh_s, now - self._round_began_at)

    def _refresh(self) -> None:
        try:
            for brand, version in self._answering.refresh():
                self._link.send(["changed", brand, version])
        except PortError as error:
            _log.warning("lists stay as they are: %s", error)
        self._round_began_at = time.monotonic()
        self._refresh_at = self._round_began_at + self._refresh_s


def main() -> None:
    """Run the process."""
    settings, link = child.begin("answer")
    clock = SystemClock()
    table = _opened_store(settings, clock)
    link.send(["ready"])
    turns = Turns(Answering(settings, table, clock=clock), link, refresh_s=settings.serve_refresh_ms / 1_000)
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


if __name__ == "__main__":
    with contextlib.suppress(ConnectionError):  # The parent is gone.
        main()
