"""footfall is compared with a key in every body and without: keys are sent where that is said, and only there."""

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from bench.compare.measuring import Fed, feed
from bench.compare.peer_footfall import Footfall
from bench.compare.peers import FOOTFALL, FOOTFALL_KEYED, OURS
from bench.compare.sides import Side, side_of
from bench.compare.traffic import BODY_HITS, Shape, Traffic, made

HITS, ASSETS = 20_000, 1_000
BODIES = HITS // BODY_HITS
SHOWN_S_MAX = 20.0


class Noting(BaseHTTPRequestHandler):
    """Takes every body, and notes the key that it bore."""

    protocol_version = "HTTP/1.1"
    keys: list[str | None]

    def do_POST(self) -> None:
        """Take a body."""
        self.rfile.read(int(self.headers["content-length"]))
        self.keys.append(self.headers["idempotency-key"])
        self.send_response(202)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Listens for as many connections as whoever feeds opens at once."""

    request_queue_size = 128
    daemon_threads = True


@pytest.fixture
def port() -> Iterator[int]:
    """Where whoever notes keys listens."""
    Noting.keys = []
    with Server(("127.0.0.1", 0), Noting) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module")
def traffic(tmp_path_factory: pytest.TempPathFactory) -> Traffic:
    return made(Shape(HITS, ASSETS), tmp_path_factory.mktemp("traffic"))


@pytest.mark.parametrize("peer", OURS)
def test_every_body_bears_a_key_of_its_own_or_none_does(peer: str, port: int, traffic: Traffic, tmp_path: Path) -> None:
    side = side_of(peer, tmp_path)
    assert isinstance(side, Footfall)
    side._port = port
    first = feed(side, traffic.bodies, count=BODIES // 2, seconds=30)
    assert first == Fed(BODIES // 2, (), "")
    feed(side, traffic.bodies, count=BODIES, seconds=30, after=Fed(BODIES // 2 - 1, (), ""))  # one of them once more
    for _ in range(2):
        side.mark(b"[]")
    side._connected().close()
    assert len(Noting.keys) == BODIES + 1 + 2
    if peer == FOOTFALL:
        assert set(Noting.keys) == {None}
    else:
        assert None not in Noting.keys
        assert len(set(Noting.keys)) == BODIES + 2


@pytest.mark.soak
def test_a_load_that_is_sent_twice_is_counted_once_if_its_bodies_bear_keys(traffic: Traffic, tmp_path: Path) -> None:
    expected = {FOOTFALL: 2 * HITS, FOOTFALL_KEYED: HITS}
    for peer in OURS:
        side = side_of(peer, tmp_path / peer)
        side.start()
        try:
            for _ in range(2):
                assert feed(side, traffic.bodies, count=BODIES, seconds=60).why == ""
                side.end_feeding()
                side.settle()
            assert settled_total(side, expected[peer]) == expected[peer]
        finally:
            side.kill()


def settled_total(side: Side, expected: int) -> int:
    """Return how many hits are counted, once they are as many; a moment later, if there are more to come."""
    give_up_at = time.monotonic() + SHOWN_S_MAX
    while side.total() < expected and time.monotonic() < give_up_at:
        time.sleep(0.1)
    time.sleep(1.0)
    return side.total()
