"""Titles are fetched from public pages only, within limits, once, and never over what a publisher has put."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.public_places import NotPublic
from footfall.shells.http.page_fetch import PAGE_BYTES_MAX, NotFetched, Page, fetched_page
from footfall.shells.http.titles import PARSED_BYTES_MAX, Titles, put_if_unknown
from footfall.values.clock import SetClock

PAGE = b"<html><head><title>A story</title><meta property=og:image content=/a.jpg></head><body>"
Sends = tuple[int, dict[str, str], bytes]


class Site:
    """A site on loopback: what it sends at which path, and what it was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, Sends] = {}
        self.asked: list[str] = []
        self.together = self.together_max = 0
        self.is_slow = threading.Event()
        self._lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.port = int(self.server.server_address[1])
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def may_connect(self, address: str, port: int) -> bool:
        """Allow this one place, in tests alone."""
        return (address, port) == ("127.0.0.1", self.port)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with site._lock:
                    site.asked.append(self.path)
                    site.together += 1
                    site.together_max = max(site.together_max, site.together)
                status, headers, body = site.pages.get(self.path, (404, {}, b""))
                if self.path == "/slow":
                    site.is_slow.wait(10)
                self.send_response(status)
                for name, value in ({"content-type": "text/html"} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                with site._lock:
                    site.together -= 1
                try:
                    self.wfile.write(body)
                except ConnectionError:
                    return  # Whoever asked has seen enough.

            def log_message(self, format: str, *args: object) -> None:
                """Stay quiet."""

        return Handler


@pytest.fixture
def site() -> Generator[Site]:
    opened = Site()
    yield opened
    opened.is_slow.set()
    opened.server.shutdown()
    opened.server.server_close()


def fetch(site: Site, path: str = "/", **how: object) -> Page:
    return asyncio.run(fetched_page(site.url + path, may_connect=site.may_connect, **how))  # pyright: ignore[reportArgumentType]


def test_a_page_comes_with_the_address_that_it_was_found_at(site: Site) -> None:
    site.pages = {"/": (302, {"location": "/story?a=1"}, b""), "/story?a=1": (200, {}, PAGE)}
    page = fetch(site)
    assert (page.address, page.content) == (f"{site.url}/story?a=1", PAGE)


def test_nothing_but_the_public_web_is_visited_unless_a_test_says_so(site: Site) -> None:
    site.pages = {"/": (200, {}, PAGE)}
    for address in (f"{site.url}/", f"http://localhost:{site.port}/", "http://169.254.169.254/", "http://[::1]/"):
        with pytest.raises(NotPublic):
            asyncio.run(fetched_page(address))
    assert site.asked == []


def test_a_redirect_to_a_place_of_our_own_is_not_followed(site: Site) -> None:
    site.pages = {"/": (302, {"location": "http://169.254.169.254/latest/meta-data/"}, b"")}
    with pytest.raises(NotPublic):
        fetch(site)
    site.pages = {"/": (302, {"location": "file:///etc/passwd"}, b"")}
    with pytest.raises(NotPublic):
        fetch(site)


def test_a_name_with_one_address_of_our_own_is_not_visited(site: Site) -> None:
    allowed: list[str] = []

    def may_connect(address: str, port: int) -> bool:
        allowed.append(address)
        return False

    with pytest.raises(NotPublic):
        asyncio.run(fetched_page(f"http://localhost:{site.port}/", may_connect=may_connect))
    assert allowed
    assert site.asked == []


def test_redirects_come_to_an_end(site: Site) -> None:
    site.pages = {"/": (302, {"location": "/"}, b"")}
    with pytest.raises(NotFetched):
        fetch(site)
    assert len(site.asked) == 4


@pytest.mark.parametrize(
    "sends",
    [
        (404, {}, PAGE),
        (200, {"content-type": "application/pdf"}, PAGE),
        (200, {"content-encoding": "gzip"}, PAGE),
        (301, {}, PAGE),
    ],
)
def test_what_is_no_page_is_not_taken_for_one(site: Site, sends: Sends) -> None:
    site.pages = {"/": sends}
    with pytest.raises(NotFetched):
        fetch(site)


def test_a_page_without_an_end_is_read_to_its_limit(site: Site) -> None:
    site.pages = {"/": (200, {}, b"<title>Long</title>" + b" " * 3 * PAGE_BYTES_MAX)}
    assert len(fetch(site).content) == PAGE_BYTES_MAX


def test_a_site_that_does_not_answer_is_left_in_time(site: Site) -> None:
    with pytest.raises(NotFetched, match=r"within 0\.1 s"):
        fetch(site, "/slow", seconds_max=0.1)


def test_a_site_that_speaks_something_else_is_left(site: Site) -> None:
    async def talk() -> None:
        async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"SSH-2.0-not-a-page\r\n")
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NotFetched):
            await fetched_page(f"http://127.0.0.1:{port}/", may_connect=lambda *_: True)
        server.close()

    asyncio.run(talk())


Act = Callable[[Titles], Awaitable[None]]


def put_by(site: Site, act: Act, *, brand: Brand | None = None, count: int = 0) -> list[tuple[str, Asset]]:
    """Let titles be fetched until so many were put or nothing is left, and return them."""
    found: list[tuple[str, Asset]] = []

    async def put(name: str, asset: Asset) -> None:
        found.append((name, asset))

    async def run() -> None:
        brands = Brands({"abc": brand or Brand("abc", origins=(site.url,))}, any_brand=False)
        titles = Titles(brands, put, may_connect=site.may_connect, host_pause_s=0.01)
        titles.start()
        await act(titles)
        async with asyncio.timeout(10):
            while len(found) < count:
                await asyncio.sleep(0.005)
        await titles.stop()

    asyncio.run(run())
    return found


def test_the_title_of_an_asset_that_is_hit_is_put(site: Site) -> None:
    site.pages = {"/story": (200, {}, PAGE)}

    async def act(titles: Titles) -> None:
        for _ in range(5):
            titles.want("abc", "1", f"{site.url}/story")
        titles.want("abc", "2", "ftp://news.example/")

    expected = Asset("1", title="A story", address=f"{site.url}/story", image=f"{site.url}/a.jpg")
    assert put_by(site, act, count=1) == [("abc", expected)]
    assert site.asked == ["/story"]


def test_pages_of_one_host_come_one_after_another(site: Site) -> None:
    site.pages = {f"/{number}": (200, {}, PAGE) for number in range(6)}

    async def act(titles: Titles) -> None:
        for number in range(6):
            titles.want("abc", str(number), f"{site.url}/{number}")

    assert len(put_by(site, act, count=6)) == 6
    assert site.together_max == 1
    assert sorted(site.asked) == sorted(site.pages)


def test_a_page_that_fails_does_not_keep_others_from_coming(site: Site) -> None:
    site.pages = {"/good": (200, {}, PAGE), "/empty": (200, {}, b"<html>")}

    async def act(titles: Titles) -> None:
        for number, address in enumerate((f"{site.url}/bad", f"{site.url}/empty", "http://[", "http://10.0.0.1/")):
            titles.want("abc", f"bad{number}", address)
        titles.want("gone", "1", f"{site.url}/good")
        titles.want("abc", "good", f"{site.url}/good")

    assert [asset.id for _, asset in put_by(site, act, count=1)] == ["good"]


def test_a_title_that_comes_late_in_a_page_is_not_looked_for(site: Site) -> None:
    late = b"<html><head>" + b"<meta name=a>" * 5_100 + b"<title>Late</title></head>"
    assert PARSED_BYTES_MAX < len(late) < PAGE_BYTES_MAX
    site.pages = {"/late": (200, {}, late), "/good": (200, {}, PAGE)}

    async def act(titles: Titles) -> None:
        titles.want("abc", "late", f"{site.url}/late")
        titles.want("abc", "good", f"{site.url}/good")

    assert [asset.id for _, asset in put_by(site, act, count=1)] == ["good"]


def test_only_a_brand_s_own_pages_are_visited_and_none_when_it_names_none(site: Site) -> None:
    site.pages = {"/story": (200, {}, PAGE)}

    async def act(titles: Titles) -> None:
        titles.want("abc", "1", f"{site.url}/story")
        await asyncio.sleep(0.2)

    assert put_by(site, act, brand=Brand("abc", origins=("https://news.example",))) == []
    assert put_by(site, act, brand=Brand("abc")) == []
    assert site.asked == []
    assert put_by(site, act, brand=Brand("abc", origins=(site.url,)), count=1)


def test_what_a_publisher_has_put_is_not_written_over() -> None:
    catalogue = Catalogue(SqliteTable(":memory:", clock=SetClock(0)), SetClock(0))
    catalogue.put("abc", [Asset("1", title="The publisher's")])
    assert not put_if_unknown(catalogue, "abc", Asset("1", title="The page's"))
    assert put_if_unknown(catalogue, "abc", Asset("2", title="The page's"))
    assert [asset.title for asset in catalogue.page("abc", "", 9)] == ["The publisher's", "The page's"]
