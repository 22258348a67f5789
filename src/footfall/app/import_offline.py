"""An import into a directory that no instance runs on: it is the instance for as long as it lasts."""

import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from footfall.accounts.brands import Brand, UnknownBrand, require_brand_name
from footfall.app import wiring
from footfall.app.control import OFFLINE_WAIT_S
from footfall.app.counting import Counting
from footfall.app.import_stretches import Labelled, Stretches, Sums, import_rules, mark_name, told_of
from footfall.app.importing import HITS_PER_MESSAGE, ImportDone, done_of, part_of
from footfall.app.kept_settings import kept_settings
from footfall.app.lock import take_lock
from footfall.app.settings import Settings
from footfall.catalog.labels import KnownLabels
from footfall.flow.collect.import_salts import ImportSalts, run_of_days
from footfall.flow.collect.imported import ImportedHits
from footfall.ports.stream import Stream
from footfall.values.clock import Clock, SystemClock

COUNT_EVERY_HITS = 100_000


class OwnImport:
    """An import that stores and counts by itself."""

    def __init__(
        self, brand: Brand, stretches: Stretches, stream: Stream, counting: Counting, salts: ImportSalts, clock: Clock
    ) -> None:
        self._brand = brand
        self._stretches = stretches
        self._stream = stream
        self._counting = counting
        self._salts = salts
        self._clock = clock
        self._sums = Sums()
        self._uncounted = 0

    def position(self, file: bytes) -> int:
        """Return how far a log was imported."""
        return self._stream.mark(mark_name(self._brand.name, file))

    def salt(self, day_start_ms: int) -> bytes:
        """Return the visitor salt of an imported day."""
        now_ms = self._clock.now_ms()
        days = run_of_days(day_start_ms, zone=self._brand.zone, now_ms=now_ms)
        return self._salts.of_days(self._brand.name, days, now_ms=now_ms)[day_start_ms]

    def take(self, file: bytes, *, begins: int, ends: int, hits: ImportedHits) -> None:
        """Store a stretch, and count now and then what was stored."""
        for start in range(0, len(hits.keys), HITS_PER_MESSAGE):
            part = part_of(hits, start, start + HITS_PER_MESSAGE)
            self._stretches.add(part, now_ms=self._clock.now_ms())
        closed = self._stretches.close(file, begins=begins, ends=ends, now_ms=self._clock.now_ms())
        told = told_of(closed, self._stream.append(closed.entries))
        self._sums.add(told)
        self._uncounted += told.stored
        if self._uncounted >= COUNT_EVERY_HITS:
            self._counting.drain()
            self._counting.step()  # What was counted is also folded in, as time goes by.
            self._uncounted = 0

    def flush(self) -> None:
        """Do nothing: what was taken is on disk."""

    def finish(self) -> ImportDone:
        """Count what is left and destroy the salts."""
        self._counting.drain()
        self._salts.forget(self._brand.name)
        return done_of(self._sums)


@contextmanager
def opened_offline(settings: Settings, brand: str) -> Generator[OwnImport]:
    """Be the instance of the directory; raise InUse when there is one after all."""
    with ExitStack() as opened:
        lock = take_lock(Path(settings.data_dir), wait_s=OFFLINE_WAIT_S)
        opened.callback(os.close, lock)
        settings = kept_settings(settings.data_dir) or settings
        clock = SystemClock()
        found = brand_named(brand, settings, clock)
        stream = opened.enter_context(closing(wiring.open_stream_to_write(settings, clock)))
        store = opened.enter_context(closing(wiring.open_store(settings, clock)))
        salt_table = opened.enter_context(closing(wiring.open_salt_table(settings, clock)))
        wiring.forget_expired(salt_table)  # Those of an import that was broken off, when nothing ran since.
        counting = Counting(settings, stream, store, clock=clock)
        counting.drain()
        rules = import_rules(settings, shards=stream.shards)
        stretches = Stretches(brand, rules, brand=lambda: found, labelled=_labelled(settings, clock, opened.callback))
        yield OwnImport(found, stretches, stream, counting, wiring.import_salts(salt_table), clock)


def brand_named(name: str, settings: Settings, clock: Clock) -> Brand:
    """Return a brand of the directory, or raise UnknownBrand."""
    require_brand_name(name)
    lookup = wiring.brand_lookup(settings, clock)
    if not settings.dev and not lookup.is_known(name):
        raise UnknownBrand("brand", f"{name!r} is not a brand of {settings.data_dir}; footfall brands add makes one")
    return lookup.brand(name)


def _labelled(settings: Settings, clock: Clock, on_close: Callable[[Callable[[], None]], object]) -> Labelled:
    if not (Path(settings.data_dir) / wiring.CATALOG_FILE).exists():
        return lambda _, keys: keys
    table = wiring.open_catalog_table(settings, clock, read_only=True)
    on_close(table.close)
    return KnownLabels(table).labelled
