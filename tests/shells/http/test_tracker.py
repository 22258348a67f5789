"""GET /footfall.js over a real connection: what browsers and caches are told, and that it is what the source says."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

from footfall.shells.http.static_files import static_text
from footfall.shells.http.tracker import TrackerRoute
from scripts.tracker import BYTES_MAX, RESULT, SOURCE, complaint
from tests.shells.http.clients import Client, echo, get, run, served

HOUSE = Path(__file__).resolve().parents[3]


def asking(work: Callable[[Client], Awaitable[None]]) -> None:
    async def ask() -> None:
        async with served({b"/footfall.js": TrackerRoute()}, echo) as here:
            await work(await here.connect())

    run(ask())


def test_any_site_may_load_the_tracker_and_keep_it_for_a_day() -> None:
    async def work(client: Client) -> None:
        answer = await client.ask(get("/footfall.js"))
        assert answer.status == 200
        assert answer.body.decode() == static_text("footfall.js")
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert answer.headers["cache-control"] == "public, max-age=86400"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"

    asking(work)


def test_a_tracker_that_has_not_changed_is_not_sent_again() -> None:
    async def work(client: Client) -> None:
        etag = (await client.ask(get("/footfall.js"))).headers["etag"]
        again = await client.ask(get("/footfall.js", f"if-none-match: W/{etag}"))
        assert (again.status, again.headers["etag"], again.body) == (304, etag, b"")
        assert (await client.ask(get("/footfall.js?v=2", 'if-none-match: "other"'))).status == 200

    asking(work)


def test_other_methods_are_refused_with_those_that_are_known() -> None:
    async def work(client: Client) -> None:
        answer = await client.ask(get("/footfall.js").replace(b"GET", b"PUT"))
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
        await client.send(get("/footfall.js").replace(b"GET", b"HEAD"))
        assert (await client.answer(bodiless=True)).status == 200

    asking(work)


def test_the_tracker_is_under_two_kilobytes() -> None:
    assert 0 < RESULT.stat().st_size <= BYTES_MAX < 2_048


def test_the_check_sees_a_stale_and_a_large_tracker() -> None:
    assert complaint("a", "a") == ""
    assert "stale" in complaint("a", "b")
    assert "2,048 bytes" in complaint("a" * 2_048, "a" * 2_048)


def test_every_attribute_and_meta_in_the_how_to_is_one_that_the_tracker_reads() -> None:
    page = (HOUSE / "docs" / "how-to" / "add-the-tracker.md").read_text(encoding="utf-8")
    source = SOURCE.read_text(encoding="utf-8")
    labels = set(re.findall(r'label\("(\w+)"\)', source))
    read = labels | set(re.findall(r"\btag\.(\w+)", source)) | set(re.findall(r'given\("(\w+)"\)', source))
    assert set(re.findall(r"\bdata-([a-z]+)", page)) == read
    assert set(re.findall(r"footfall:(\w+)", page)) == labels | set(re.findall(r'said\("(\w+)"\)', source))
