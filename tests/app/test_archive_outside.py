"""Addresses are handed to an outside archive through the gate, once, with its link kept; a member's own never are."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.adapters.gate.gated_fetch import Fetched, GatedFetch
from footfall.app.archive_outside import Outside, hand_over, link_in, outside_from
from footfall.app.settings import Settings
from footfall.archive import keys
from footfall.ports.capturing import CaptureFailed, Reason
from footfall.values.clock import SetClock
from footfall.values.public_addresses import Policy
from tests.archive.archive_world import BRAND, World

PAGE = "https://news.example/story?id=1&b=2"


class StandIn(BaseHTTPRequestHandler):
    """An outside archive that answers a form with the place where it keeps the page."""

    taken: list[str]

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        self.taken.extend(form["url"])
        self.send_response(503 if "down" in self.path else 302)
        self.send_header("location", f"/kept/{len(self.taken)}")
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:
        del format, args


@contextmanager
def stand_in() -> Generator[tuple[int, list[str]]]:
    taken: list[str] = []
    handler = type("Handler", (StandIn,), {"taken": taken})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server.server_port, taken
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def world(tmp_path: Path) -> World:
    clock = SetClock(1_794_753_000_000)
    return World(SqliteTable(":memory:", clock=clock), FileBlobs(tmp_path), clock)


def allowed(port: int) -> GatedFetch:
    return GatedFetch(Policy(allowed=frozenset({("127.0.0.1", port)})))


def test_an_address_that_the_brand_kept_is_handed_over_once_and_its_link_kept(world: World) -> None:
    capture = world.kept("key:1", PAGE, "text", space=keys.brand_space(BRAND))
    with stand_in() as (port, taken):
        outside = Outside(f"http://127.0.0.1:{port}/submit/")
        link = hand_over(world.table, capture.id, outside, allowed(port))
        assert link == f"http://127.0.0.1:{port}/kept/1"
        assert hand_over(world.table, capture.id, outside, allowed(port)) is None
        assert taken == [PAGE]
    assert world.capture(capture.id).outside_url == link


def test_what_is_a_members_own_is_told_to_nobody_until_it_is_shared(world: World) -> None:
    private = world.kept("ann", PAGE, "text")
    shared = world.kept("ann", f"{PAGE}&c=3", "text", is_shared=True)
    with stand_in() as (port, taken):
        for one in (private, shared):
            hand_over(world.table, one.id, Outside(f"http://127.0.0.1:{port}/"), allowed(port))
        assert taken == [f"{PAGE}&c=3"]


def test_an_outside_archive_that_is_down_or_not_public_leaves_the_capture_as_it_is(world: World) -> None:
    capture = world.kept("key:1", PAGE, "text", space=keys.brand_space(BRAND))
    with stand_in() as (port, taken):
        with pytest.raises(CaptureFailed, match="503"):
            hand_over(world.table, capture.id, Outside(f"http://127.0.0.1:{port}/down"), allowed(port))
        with pytest.raises(CaptureFailed) as blocked:
            hand_over(world.table, capture.id, Outside(f"http://127.0.0.1:{port}/"), GatedFetch(Policy()))
        assert (blocked.value.reason, len(taken)) == (Reason.BLOCKED_ADDRESS, 1)
    assert world.capture(capture.id).outside_url is None


@pytest.mark.parametrize(
    ("headers", "link"),
    [
        ({"location": "https://out.example/a"}, "https://out.example/a"),
        ({"content-location": "/web/2026/x"}, "https://out.example/web/2026/x"),
        ({"refresh": "0;url=https://out.example/b"}, "https://out.example/b"),
        ({"link": '<https://news.example>; rel="original", </m>; rel="first memento"'}, "https://out.example/m"),
    ],
)
def test_the_link_is_found_wherever_archives_say_it(headers: dict[str, str], link: str) -> None:
    asked = "https://out.example/submit"
    assert link_in(Fetched(asked, 200, headers, b"", is_cut=False), asked=asked) == link


@pytest.mark.parametrize("headers", [{}, {"location": "javascript:alert(1)"}, {"refresh": "soon"}])
def test_an_answer_without_a_link_is_a_failure(headers: dict[str, str]) -> None:
    with pytest.raises(CaptureFailed):
        link_in(Fetched("https://out.example/", 200, headers, b"", is_cut=False), asked="https://out.example/")


def test_nothing_is_handed_over_unless_it_is_set() -> None:
    assert outside_from(Settings()) is None
    assert outside_from(Settings(archive_outside_url="https://out.example/")) == Outside("https://out.example/", "url")
