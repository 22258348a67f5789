"""Titles for assets that are hit and not known, fetched from their pages in the background, few at a time."""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from footfall.accounts.brands import Brands
from footfall.accounts.origins import is_allowed_origin, origin_of_page
from footfall.catalog.asset import Asset, require_asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.page_facts import facts_from_page
from footfall.catalog.public_places import is_public_place
from footfall.shells.http.page_fetch import MayConnect, fetched_page
from footfall.values.errors import FootfallError

QUEUE_MAX = 1_000  # Beyond it assets wait until they are hit again.
TRIED_MAX = 50_000  # Assets that were tried and are not tried again while they are remembered.
FETCHERS = 2
PARSED_BYTES_MAX = 64 * 1_024  # A head is smaller, and what a stranger's page makes of a parser stays short.
HOST_PAUSE_S = 1.0  # between two pages of one host

Put = Callable[[str, Asset], Awaitable[None]]
Wanted = tuple[str, str, str]  # brand, asset, address

_log = logging.getLogger(__name__)


class Titles:
    """Hears of unknown assets on the event loop, and puts what their pages say into the catalogue."""

    def __init__(
        self,
        brands: Brands,
        put: Put,
        *,
        may_connect: MayConnect = is_public_place,
        host_pause_s: float = HOST_PAUSE_S,
    ) -> None:
        self._brands = brands
        self._put = put
        self._may_connect = may_connect
        self._host_pause_s = host_pause_s
        self._queue: asyncio.Queue[Wanted] = asyncio.Queue(QUEUE_MAX)
        self._tried: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._hosts: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to fetch."""
        self._tasks = [asyncio.get_running_loop().create_task(self._work()) for _ in range(FETCHERS)]

    async def stop(self) -> None:
        """Stop in the middle of whatever is fetched: it is wanted again when it is hit again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def want(self, brand: str, asset: str, address: str) -> None:
        """Ask for the title of an asset that is not known; nothing happens when it was asked for lately.

        A brand that lists no origins has no pages that we know to be its own: then whoever sends a hit would send us
        anywhere.
        """
        if (brand, asset) in self._tried or not address.lower().startswith(("http://", "https://")):
            return
        named = self._brands.named(brand)
        if named is None or not named.origins:
            return
        with contextlib.suppress(asyncio.QueueFull):
            self._queue.put_nowait((brand, asset, address))
            self._tried[(brand, asset)] = None
            if len(self._tried) > TRIED_MAX:
                self._tried.popitem(last=False)

    async def _work(self) -> None:
        while True:
            wanted = await self._queue.get()
            host = _host_of(wanted[2])
            if host in self._hosts:
                await self._put_back(wanted)
                continue
            self._hosts.add(host)
            try:
                await self._fetch(*wanted)
            except FootfallError as error:
                _log.debug("no title for an asset of %s: %s", wanted[0], error)
            except Exception:  # noqa: BLE001 - whatever a stranger's page does, the next one is fetched
                _log.exception("a page could not be read")
            finally:
                asyncio.get_running_loop().call_later(self._host_pause_s, self._hosts.discard, host)

    async def _put_back(self, wanted: Wanted) -> None:
        """Let a page wait whose host is busy; when others wait as well it goes behind them."""
        with contextlib.suppress(asyncio.QueueFull):
            self._queue.put_nowait(wanted)
        await asyncio.sleep(self._host_pause_s / 10)

    async def _fetch(self, brand: str, asset: str, address: str) -> None:
        origins = self._brands.brand(brand).origins

        def may_visit(page: str) -> bool:
            return is_allowed_origin(origin_of_page(page), origins)

        page = await fetched_page(address, may_visit=may_visit, may_connect=self._may_connect)
        content = page.content[:PARSED_BYTES_MAX]
        facts = await asyncio.to_thread(facts_from_page, content, address=page.address, charset=page.charset)
        if facts.title:
            found = Asset(asset, title=facts.title, address=facts.address or page.address, image=facts.image)
            await self._put(brand, require_asset(found))


def put_if_unknown(catalogue: Catalogue, brand: str, asset: Asset) -> bool:
    """Put an asset unless somebody who knows better has put it meanwhile; tell whether it was put."""
    if catalogue.get(brand, [asset.id]):
        return False
    catalogue.put(brand, [asset])
    return True


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
