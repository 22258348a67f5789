"""The catalogue's one writer and one reader: threads of their own, so that nobody waits while many assets are written.

Whatever a brand sends or asks, the others have room: each may have only a share of what waits.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from footfall.accounts.brands import Brands
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.edits import Edits
from footfall.catalog.labels import KnownLabels
from footfall.ports.errors import PortError, Throttled
from footfall.shells.http.commits import Committer
from footfall.shells.http.releasing import Releasing
from footfall.shells.http.titles import Titles, put_if_unknown
from footfall.values.clock import Clock

WRITING_MAX, WRITING_SHARE = 32, 4  # Requests; each may hold some megabytes of assets while it waits.
READING_MAX, READING_SHARE = 64, 16
EXPIRED_PER_WRITE = 200  # More than a write adds, so that what has expired goes away.

_T = TypeVar("_T")


class Waiting:
    """How many requests wait, of all brands and of each."""

    def __init__(self, *, total_max: int, share: int, what: str = "the catalogue") -> None:
        self._what = what
        self._total_max = total_max
        self._share = share
        self._of_brand: Counter[str] = Counter()

    @contextlib.contextmanager
    def one_of(self, brand: str) -> Generator[None]:
        """Count a request for as long as it lasts, or raise Throttled at once."""
        if self._of_brand[brand] >= self._share:
            raise Throttled(
                f"{self._share} requests of {brand!r} wait for {self._what}; send this one again in a moment"
            )
        if self._of_brand.total() >= self._total_max:
            raise Throttled(f"{self._total_max} requests wait for {self._what}; send this one again in a moment")
        self._of_brand[brand] += 1
        try:
            yield
        finally:
            self._of_brand[brand] -= 1
            if not self._of_brand[brand]:
                del self._of_brand[brand]


class Cataloguing:
    """Reads and writes the catalogue on behalf of the event loop: one write after another, and so the reads."""

    def __init__(self, settings: Settings, brands: Brands, clock: Clock) -> None:
        self._settings = settings
        self._brands = brands
        self._clock = clock
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="catalogue")
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="catalogue-reader")
        self._table: wiring.OpenTable | None = None  # the writing thread's
        self._asked_table: wiring.OpenTable | None = None  # the reading thread's
        self._label_table: wiring.OpenTable | None = None  # the event loop's
        self._releasing: Releasing | None = None
        self._titles: Titles | None = None
        self._labels: KnownLabels | None = None
        self._writing = Waiting(total_max=WRITING_MAX, share=WRITING_SHARE)
        self._reading = Waiting(total_max=READING_MAX, share=READING_SHARE)

    async def start(self) -> None:
        """Open the catalogue, and make it when there is none; raise what its opening raised."""
        await self._written(lambda _catalogue: None)
        self._label_table = wiring.open_catalog_table(self._settings, self._clock, read_only=True)
        if self._settings.catalog_fetch_titles:
            self._titles = Titles(self._brands, self._put_found)
            self._titles.start()
        self._labels = KnownLabels(self._label_table, on_unknown=self._titles.want if self._titles else None)

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

    def writing(self, brand: str) -> contextlib.AbstractContextManager[None]:
        """Have a place among those who write, for as long as the block lasts; raise Throttled when there is none."""
        return self._writing.one_of(brand)

    async def beside(self, work: Callable[[], _T]) -> _T:
        """Do what a write needs before it, beside the event loop, once it is its turn; inside `writing`."""
        return await self._written(lambda _catalogue: work())

    async def put(self, brand: str, assets: Sequence[Asset]) -> int:
        """Write assets and return the catalogue's version then; hits then have their labels; inside `writing`."""

        def write(catalogue: Catalogue) -> int:
            catalogue.put(brand, assets)
            return catalogue.version(brand)

        return await self._changed(brand, [asset.id for asset in assets], write)

    async def delete(self, brand: str, ids: Sequence[str]) -> int:
        """Forget assets and return how many of them were known."""
        with self.writing(brand):
            return await self._changed(brand, ids, lambda catalogue: catalogue.delete(brand, ids))

    async def edit(self, change: Callable[[Edits], _T]) -> _T:
        """Change what editors have done to lists, and return what came of it; inside `writing`."""
        return await self._written(lambda catalogue: change(catalogue.edits))

    async def asked(self, brand: str, question: Callable[[Catalogue], _T]) -> _T:
        """Return what the catalogue answers to a brand's question, once it is its turn; no write is waited for."""
        with self._reading.one_of(brand):
            return await asyncio.get_running_loop().run_in_executor(self._reader, self._ask, question)

    async def stop(self) -> None:
        """Finish what waits and close the catalogue."""
        if self._titles is not None:
            await self._titles.stop()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._reader, self._close_asked)
        await loop.run_in_executor(self._thread, self._close)
        self._reader.shutdown(wait=True)
        self._thread.shutdown(wait=True)
        if self._label_table is not None:
            self._label_table.close()

    async def _put_found(self, brand: str, asset: Asset) -> None:
        with self.writing(brand):
            await self._changed(brand, [asset.id], lambda catalogue: put_if_unknown(catalogue, brand, asset))

    async def _changed(self, brand: str, ids: Sequence[str], change: Callable[[Catalogue], int]) -> int:
        def make_room(catalogue: Catalogue) -> int:
            answer = change(catalogue)
            assert self._table is not None
            with contextlib.suppress(PortError):  # The change is made; what has expired goes with a later one.
                self._table.expire(EXPIRED_PER_WRITE)
            return answer

        try:
            return await self._written(make_room)
        finally:
            # On the loop, where labels are looked up: whoever gets the answer finds them. A change that failed
            # may have been made in part.
            self.labels.forget(brand, ids)
            if self._releasing is not None:
                self._releasing.wake()

    async def _written(self, write: Callable[[Catalogue], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._write, write)

    def _write(self, write: Callable[[Catalogue], _T]) -> _T:
        if self._table is None:
            self._table = wiring.open_catalog_table(self._settings, self._clock)
        return write(Catalogue(self._table, self._clock))

    def _ask(self, question: Callable[[Catalogue], _T]) -> _T:
        if self._asked_table is None:
            self._asked_table = wiring.open_catalog_table(self._settings, self._clock, read_only=True)
        return question(Catalogue(self._asked_table, self._clock))

    def _close(self) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None

    def _close_asked(self) -> None:
        if self._asked_table is not None:
            self._asked_table.close()
            self._asked_table = None
