"""Hits that were held for want of labels go into the stream again as soon as the catalogue knows them."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import closing

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.flow.count.releasing import Releases
from footfall.flow.stream.raw import StreamRaw
from footfall.ports.errors import PortError, Unavailable
from footfall.ports.stream import Appended, Entry, Stream
from footfall.ports.table import Table
from footfall.shells.http.commits import Committer
from footfall.values.clock import Clock
from footfall.values.groups import brands_of_groups

LOOK_S = 1.0  # How long a hit waits that was held while its labels were on their way.
REST_FACTOR = 5  # A look that took a second is followed by so many without one.
APPEND_S_MAX = 60.0
ASSETS_AT_HAND_MAX = 10_000

_log = logging.getLogger(__name__)


class Releasing:
    """A thread that looks for held hits and has them counted, in the order in which they came."""

    def __init__(
        self,
        settings: Settings,
        committer: Committer,
        *,
        clock: Clock,
        brand_names: Callable[[], Iterable[str]],
        look_s: float = LOOK_S,
    ) -> None:
        self._settings = settings
        self._committer = committer
        self._clock = clock
        self._brand_names = brand_names
        self._look_s = look_s
        self._loop = asyncio.get_running_loop()
        self._wake = threading.Event()
        self._is_stopping = False
        self._versions: dict[str, int] = {}
        self._rests_until_s: dict[str, float] = {}
        self._thread = threading.Thread(target=self._run, name="releasing", daemon=True)

    def start(self) -> None:
        """Begin to look; what was put while nothing ran is found first."""
        self._thread.start()

    def wake(self) -> None:
        """Look at once, because the catalogue has changed."""
        self._wake.set()

    async def stop(self) -> None:
        """End; what is left is found after the next start."""
        self._is_stopping = True
        self._wake.set()
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        settings, clock = self._settings, self._clock
        with (
            closing(wiring.open_store(settings, clock, read_only=True)) as store,
            closing(wiring.open_stream(settings, clock, read_only=True)) as stream,
            closing(wiring.open_catalog_table(settings, clock, read_only=True)) as table,
        ):
            while not self._is_stopping:
                self._look_until_stopped(store, stream, table)

    def _look_until_stopped(self, store: Table, stream: Stream, table: Table) -> None:
        """Look again and again; after a failure everything is read anew."""
        labels = KnownLabels(table, assets_max=ASSETS_AT_HAND_MAX)
        raw = StreamRaw(stream)
        releases = Releases(store, raw, shards=stream.shards, labelled=labels.labelled, now_ms=self._clock.now_ms)
        self._versions.clear()
        try:
            while not self._is_stopping:
                for brand in {*self._brand_names(), *brands_of_groups(stream.appended())}:
                    self._release(brand, Catalogue(table, self._clock), labels, releases)
                self._pause()
        except PortError as error:
            _log.warning("held hits wait for longer: %s", error)
        except Exception:  # noqa: BLE001 - a defect of ours must not end the releasing for good
            _log.exception("held hits could not be released")
        self._pause()

    def _pause(self) -> None:
        self._wake.wait(self._look_s)
        self._wake.clear()

    def _release(self, brand: str, catalogue: Catalogue, labels: KnownLabels, releases: Releases) -> None:
        version = catalogue.version(brand)
        began_s = time.monotonic()
        if version == 0 or began_s < self._rests_until_s.get(brand, 0):
            return
        before = self._versions.get(brand)
        changed = None if before is None else catalogue.changed_since(brand, before)
        if changed is None:
            labels.forget_all()
        else:
            labels.forget(brand, changed)
        for entries in releases.released(brand, changed):
            if self._is_stopping:
                return
            self._append(entries)
        self._versions[brand] = version
        # Where very much is held, looking takes long; it must not take more than its share from the hits that come.
        ended_s = time.monotonic()
        self._rests_until_s[brand] = ended_s + REST_FACTOR * (ended_s - began_s)

    def _append(self, entries: Sequence[Entry]) -> None:
        """Wait until the entries are on disk, so that no more than these go before the hits that come now."""
        done: Future[Sequence[Appended] | PortError] = Future()
        self._loop.call_soon_threadsafe(self._committer.submit, entries, done.set_result)
        try:
            outcome = done.result(APPEND_S_MAX)
        except TimeoutError as error:
            raise Unavailable(f"the stream took nothing within {APPEND_S_MAX:g} s") from error
        if isinstance(outcome, PortError):
            raise outcome
