"""Writing the digest of each brand's day, once, when the day is over: into the store, and as Markdown beside it."""

import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from footfall.accounts.audit import PAGE_MAX, Entry, Trail
from footfall.accounts.verdict_store import VerdictStore
from footfall.app import wiring
from footfall.app.kept_blobs import open_blobs
from footfall.app.settings import DAY_MS, MINUTE_MS, Settings
from footfall.flow.serve.digest import SUSPECTED_MAX, acts_of_day, digest_document, verdicts_of_day
from footfall.flow.serve.digest_markdown import digest_markdown
from footfall.flow.serve.query import SCREENING
from footfall.flow.store.digests import store_digest, stored_digest
from footfall.flow.store.reason_days import load_reasons
from footfall.ports.blobs import Blobs, everything
from footfall.ports.errors import Changed, PortError, Unavailable
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.groups import is_beside
from footfall.values.window import Grain, Window, instant_text, previous_window, window_of, zone_named

if TYPE_CHECKING:
    from footfall.app.answering import Answering

DELAY_MS = 10 * MINUTE_MS  # after midnight: hits that came a little late are in
LOOK_EVERY_MS = MINUTE_MS
CATCH_UP_DAYS = 3  # that were missed because nothing ran
PAGES_MAX = 10  # of the audit trail that are looked through for a day

_DIGESTS = "digests"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DigestGround:
    """What digests are put together from, and where their Markdown goes."""

    table: Table
    blobs: Blobs
    trail: Trail
    verdicts: VerdictStore
    answering: "Callable[[], Answering]"  # made for each round, and let go after it


class Digesting:
    """Writes what is due, a little at a time."""

    def __init__(self, ground: DigestGround, *, clock: Clock, zone_of: Callable[[str], str], keep_ms: int) -> None:
        self._ground = ground
        self._clock = clock
        self._zone_of = zone_of
        self._keep_ms = keep_ms
        self._written: dict[str, int] = {}  # the day that is over and done with, for each brand
        self._work: Iterator[None] | None = None
        self._looked_at_ms: int | None = None

    def step(self, groups: Callable[[], Iterable[str]]) -> bool:
        """Do some of what is due for these brands; return whether there may be more to do at once."""
        if self._work is None:
            now_ms = self._clock.now_ms()
            if self._looked_at_ms is not None and 0 <= now_ms - self._looked_at_ms < LOOK_EVERY_MS:
                return False
            self._looked_at_ms = now_ms
            self._work = self._all(sorted(group for group in groups() if not is_beside(group)), now_ms)
        try:
            next(self._work)
        except StopIteration:
            self._work = None
            return False
        except BaseException:
            self._work = None
            raise
        return True

    def _all(self, brands: list[str], now_ms: int) -> Iterator[None]:
        """Write what is due for each brand; what fails for one is told when all the others are done."""
        due = [brand for brand in brands if self._is_due(brand, now_ms)]
        answering = self._ground.answering() if due else None
        failed: PortError | None = None
        for brand in due:
            assert answering is not None
            try:
                yield from self._one_brand(answering, brand, now_ms)
            except PortError as error:
                _log.warning("the digest of %s waits: %s", brand, error)
                failed = error
        if failed is not None:
            raise failed

    def _is_due(self, brand: str, now_ms: int) -> bool:
        """Tell whether a brand's day is over, all that came on it is counted, and its digest may be still to write."""
        today = window_of(now_ms, Grain.DAY, self._zone_of(brand))
        if self._written.get(brand) == today.from_ms or now_ms < today.from_ms + DELAY_MS:
            return False
        return load_reasons(self._ground.table, brand, today.from_ms) is not None

    def _one_brand(self, answering: "Answering", brand: str, now_ms: int) -> Iterator[None]:
        zone = self._zone_of(brand)
        today = window_of(now_ms, Grain.DAY, zone)
        days = [previous_window(today, zone)]
        while len(days) < CATCH_UP_DAYS:
            days.append(previous_window(days[-1], zone))
        for day in reversed(days):
            yield from self._one_day(answering, brand, day, zone)
        yield from self._forget(brand, before_ms=now_ms - self._keep_ms)
        self._written[brand] = today.from_ms

    def _one_day(self, answering: "Answering", brand: str, window: Window, zone: str) -> Iterator[None]:
        table, day = self._ground.table, day_name(window, zone)
        content = stored_digest(table, brand, day)
        if content is None:
            screened, before = yield from self._answers(answering, brand, (window, previous_window(window, zone)))
            verdicts = self._verdicts(brand, window, zone)
            acts = acts_of_day(self._entries(brand, window), window)
            if not (screened["hits"] or acts or verdicts["settled"]):
                return  # Nobody came and nobody did anything.
            document = digest_document(brand, day, window, screened=screened, before=before, verdicts=verdicts)
            content = msgspec.json.encode({**document, "acts": acts})
            try:
                store_digest(table, document, content, expires_at_ms=self._clock.now_ms() + self._keep_ms)
            except Changed:  # Somebody was faster.
                content = stored_digest(table, brand, day) or content
        yield
        name = f"{_DIGESTS}/{brand}/{day}.md"
        if self._ground.blobs.size_bytes(name) is None:
            self._ground.blobs.put(name, digest_markdown(msgspec.json.decode(content)).encode())

    def _answers(
        self, answering: "Answering", brand: str, windows: tuple[Window, Window]
    ) -> Generator[None, None, list[Mapping[str, Any]]]:
        """Read what screening found on some days, a window at a time; return the answers."""
        found: list[Mapping[str, Any]] = []
        for window in windows:
            ends = {"from": instant_text(window.from_ms), "to": instant_text(window.to_ms)}
            asked = f"{SCREENING}?{urlencode({'brand': brand, **ends, 'limit': SUSPECTED_MAX})}"
            told = answering.answer(asked)
            while told is None:
                yield
                told = next(iter(answering.read_some()), None)
            if told[2]:
                raise Unavailable(f"the digest of {brand} has to wait: {told[2]}")
            body = told[5]
            assert isinstance(body, bytes)
            found.append(msgspec.json.decode(body))
        return found

    def _verdicts(self, brand: str, window: Window, zone: str) -> dict[str, Any]:
        before = stored_digest(self._ground.table, brand, day_name(previous_window(window, zone), zone))
        through: int = msgspec.json.decode(before)["verdictsThrough"] if before is not None else 0
        told = verdicts_of_day(self._ground.verdicts.changes(brand, after_version=through), window)
        return {**told, "verdictsThrough": max(through, told["verdictsThrough"])}

    def _entries(self, brand: str, window: Window) -> Iterator[Entry]:
        after = ""
        for _ in range(PAGES_MAX):
            entries, after = self._ground.trail.page(brand, limit=PAGE_MAX, after=after)
            yield from entries
            if not after or entries[-1].at_ms < window.from_ms:
                return

    def _forget(self, brand: str, *, before_ms: int) -> Iterator[None]:
        prefix = f"{_DIGESTS}/{brand}/"
        first_kept = instant_text(before_ms)[: len("2026-11-15")]
        for one in everything(self._ground.blobs, prefix):
            if one.name.removeprefix(prefix) >= first_kept:
                return
            self._ground.blobs.delete(one.name)
            yield


def day_name(window: Window, zone: str) -> str:
    """Return the date that a brand's day has there."""
    # Its middle, since a day may begin at any time of its date.
    middle = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=(window.from_ms + window.to_ms) // 2)
    return middle.astimezone(zone_named(zone)).date().isoformat()


class DigestsOfDirectory:
    """The digests of an instance in a directory, whose accounts are made while counting starts."""

    def __init__(self, settings: Settings, table: Table, clock: Clock) -> None:
        self._settings, self._table, self._clock = settings, table, clock
        self._opened: Digesting | None = None
        self._waits_until_ms = 0

    def step(self, groups: Callable[[], Iterable[str]]) -> bool:
        """Do some of what is due; what fails is told, and tried again in a minute: counting goes on meanwhile."""
        now_ms = self._clock.now_ms()
        if now_ms < self._waits_until_ms:
            return False
        try:
            if self._opened is None:
                if not wiring.has_table(self._settings, wiring.ACCOUNTS_FILE):
                    return False
                self._opened = open_digesting(self._settings, self._table, self._clock)
            return self._opened.step(groups)
        except PortError as error:
            _log.warning("digests wait: %s", error)
            self._waits_until_ms = now_ms + LOOK_EVERY_MS
            return False


def open_digesting(settings: Settings, table: Table, clock: Clock) -> Digesting:
    """Open what digests are put together from."""
    accounts = wiring.open_accounts(settings, clock, read_only=True)
    register, brands = accounts.register, wiring.brand_lookup(settings, clock)

    def answering() -> "Answering":
        # With it come all that answers are made of: once a day, when a digest is due.
        from footfall.app.answering import Answering

        has_catalogue = wiring.has_table(settings, wiring.CATALOG_FILE)
        catalogue = wiring.open_catalogue(settings, clock, read_only=True) if has_catalogue else None
        return Answering(settings, table, clock=clock, catalogue=lambda: catalogue, brands=brands)

    ground = DigestGround(
        table,
        open_blobs(settings),
        register.trail,
        VerdictStore(accounts.table, register.trail, clock=clock),
        answering,
    )
    keep_ms = settings.screening_keep_days * DAY_MS
    return Digesting(ground, clock=clock, zone_of=brands.zone_of, keep_ms=keep_ms)
