"""The catalogue's one writer: a thread of its own, so that hits are taken while thousands of assets are written."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from footfall.accounts.brands import Brands
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.ports.errors import PortError, Throttled
from footfall.shells.http.commits import Committer
from footfall.shells.http.releasing import Releasing
from footfall.shells.http.titles import Titles, put_if_unknown
from footfall.values.clock import Clock

WAITING_MAX = 32  # Requests; each may hold some megabytes of assets while it waits.
EXPIRED_PER_WRITE = 200  # More than a write adds, so that what has expired goes away.

_T = TypeVar("_T")


class Cataloguing:
    """Reads and writes the catalogue on behalf of the event loop, one request after another."""

    def __init__(self, settings: Settings, brands: Brands, clock: Clock) -> None:
        self._settings = settings
        self._brands = brands
        self._clock = clock
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="catalogue")
        self._table: SqliteTable | None = None
        self._read_table: SqliteTable | None = None
        self._releasing: Releasing | None = None
        self._titles: Titles | None = None
        self._labels: KnownLabels | None = None
        self._waiting = 0

    async def start(self) -> None:
        """Open the catalogue, and make it when there is none; raise what its opening raised."""
        await self.asked(lambda _catalogue: None)
        self._read_table = wiring.open_catalog_table(self._settings, self._clock, read_only=True)
        if self._settings.catalog_fetch_titles:
            self._titles = Titles(self._brands, self._put_found)
            self._titles.start()
        self._labels = KnownLabels(self._read_table, on_unknown=self._titles.want if self._titles else None)

    def release_to(self, committer: Committer, *, brand_names: Callable[[], Iterable[str]]) -> None:
        """Have hits that wait for labels counted when a change gives them some."""
        self._releasing = Releasing(self._settings, committer, clock=self._clock, brand_names=brand_names)
        self._releasing.start()

    async def stop_releasing(self) -> None:
        """Send no more held hits into the stream."""
        if self._releasing is not None:
            await self._releasing.stop()

    @property
    def labels(self) -> KnownLabels:
        """Return the labels that hits get, for whoever runs on the event loop."""
        assert self._labels is not None, "the catalogue is opened before anybody asks it"
        return self._labels

    async def put(self, brand: str, assets: Sequence[Asset]) -> int:
        """Write assets and return the catalogue's version then; hits that come from now on have their labels."""

        def write(catalogue: Catalogue) -> int:
            catalogue.put(brand, assets)
            return catalogue.version(brand)

        return await self._changed(brand, [asset.id for asset in assets], write)

    async def delete(self, brand: str, ids: Sequence[str]) -> int:
        """Forget assets and return how many of them were known."""
        return await self._changed(brand, ids, lambda catalogue: catalogue.delete(brand, ids))

    async def asked(self, question: Callable[[Catalogue], _T]) -> _T:
        """Return what the catalogue answers, once it is its turn."""
        if self._waiting >= WAITING_MAX:
            raise Throttled(f"{WAITING_MAX} requests wait for the catalogue; send this one again in a moment")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, question)
        finally:
            self._waiting -= 1

    async def stop(self) -> None:
        """Finish what waits and close the catalogue."""
        if self._titles is not None:
            await self._titles.stop()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=True)
        if self._read_table is not None:
            self._read_table.close()

    async def _put_found(self, brand: str, asset: Asset) -> None:
        await self._changed(brand, [asset.id], lambda catalogue: put_if_unknown(catalogue, brand, asset))

    async def _changed(self, brand: str, ids: Sequence[str], change: Callable[[Catalogue], int]) -> int:
        def make_room(catalogue: Catalogue) -> int:
            answer = change(catalogue)
            assert self._table is not None
            with contextlib.suppress(PortError):  # The change is made; what has expired goes with a later one.
                self._table.expire(EXPIRED_PER_WRITE)
            return answer

        try:
            return await self.asked(make_room)
        finally:
            # On the loop, where labels are looked up: whoever gets the answer finds them. A change that failed
            # may have been made in part.
            self.labels.forget(brand, ids)
            if self._releasing is not None:
                self._releasing.wake()

    def _ask(self, question: Callable[[Catalogue], _T]) -> _T:
        if self._table is None:
            self._table = wiring.open_catalog_table(self._settings, self._clock)
        return question(Catalogue(self._table, self._clock))

    def _close(self) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None
