"""Every exchange of a page is recorded, in whichever way it was made, and an answer without an end is cut."""

from urllib.parse import urlsplit

import pytest

from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
from footfall.ports.capturing import Exchange, Wanted
from tests.archive_site import Site
from tests.archive_site.images import image


@pytest.fixture(scope="module")
def exchanges(site: Site, capturing: ChromiumCapturing) -> list[Exchange]:
    site.asked.clear()
    return list(capturing.capture(Wanted(site.url("/mix"))).exchanges)


def one(exchanges: list[Exchange], path: str) -> Exchange:
    found = [exchange for exchange in exchanges if urlsplit(exchange.url).path == path]
    assert len(found) == 1, (path, [exchange.url for exchange in exchanges])
    return found[0]


def test_all_that_the_site_was_asked_for_is_recorded_but_events(site: Site, exchanges: list[Exchange]) -> None:
    recorded = {f"{urlsplit(exchange.url).port}{_path(exchange.url)}" for exchange in exchanges}
    assert set(site.asked) - recorded == {f"{site.port}/events"}
    assert recorded <= set(site.asked)


def test_bodies_are_what_was_sent_and_unpacked(exchanges: list[Exchange]) -> None:
    assert one(exchanges, "/image/1").body == image(1)
    packed = one(exchanges, "/packed.css")
    assert packed.body == b"h1{color:#0a0}" * 50
    assert ("Content-Encoding", "gzip") in packed.response_headers
    assert one(exchanges, "/status/404").status == 404


def test_a_redirect_is_an_exchange_of_its_own(exchanges: list[Exchange]) -> None:
    moved = one(exchanges, "/moved/image/0")
    assert (moved.status, moved.body) == (302, b"")
    assert ("Location", "/image/0") in moved.response_headers
    assert one(exchanges, "/image/0").body == image(0)


def test_what_was_posted_is_recorded_with_its_answer(exchanges: list[Exchange]) -> None:
    posted = one(exchanges, "/echo")
    assert (posted.method, posted.request_body, posted.body) == ("POST", b"what was sent", b"heard: what was sent")


def test_exchanges_are_in_their_order_and_none_is_cut(exchanges: list[Exchange]) -> None:
    assert [exchange.at_us for exchange in exchanges] == sorted(exchange.at_us for exchange in exchanges)
    assert urlsplit(exchanges[0].url).path == "/mix"
    assert [exchange.url for exchange in exchanges if exchange.is_cut] == []


def test_an_answer_without_an_end_is_cut(site: Site, capturing: ChromiumCapturing) -> None:
    captured = capturing.capture(Wanted(site.url("/streaming")))
    assert one(list(captured.exchanges), "/endless/slow").is_cut


def _path(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")
