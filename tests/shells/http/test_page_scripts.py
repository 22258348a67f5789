"""The scripts that pages carry, over a real connection: what browsers are told, and that sources say the same."""

import gzip
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from footfall.shells.http.page_scripts import NAMES, script_routes
from footfall.shells.http.static_files import static_text
from scripts.tracker import PLAYER, SCRIPTS, TRACKER, WIDGET, complaint
from tests.shells.http.clients import Client, echo, get, run, served

HOUSE = Path(__file__).resolve().parents[3]

each_script = pytest.mark.parametrize("name", NAMES)


def asking(work: Callable[[Client], Awaitable[None]]) -> None:
    async def ask() -> None:
        async with served(script_routes(), echo) as here:
            await work(await here.connect())

    run(ask())


@each_script
def test_any_site_may_load_a_script_and_keep_it_for_a_day(name: str) -> None:
    async def work(client: Client) -> None:
        answer = await client.ask(get(f"/{name}"))
        assert answer.status == 200
        assert answer.body.decode() == static_text(name)
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert answer.headers["cache-control"] == "public, max-age=86400"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"

    asking(work)


@each_script
def test_a_script_is_packed_for_whoever_takes_it_so(name: str) -> None:
    async def work(client: Client) -> None:
        for accepted, encoding in (
            ("gzip, deflate, br", "gzip"), ("GZIP;q=0.5", "gzip"), ("br", None), ("gzip;q=0", None),
            ("gzip; q=0.0, br", None), ("x-gzip", None),
        ):  # fmt: skip
            answer = await client.ask(get(f"/{name}", f"accept-encoding: {accepted}"))
            assert (answer.status, answer.headers.get("content-encoding")) == (200, encoding), accepted
            assert answer.headers["vary"] == "accept-encoding"
            body = gzip.decompress(answer.body) if encoding else answer.body
            assert body.decode() == static_text(name)
            if encoding:
                assert len(answer.body) < len(body) / 1.5

    asking(work)


@each_script
def test_a_script_that_has_not_changed_is_not_sent_again(name: str) -> None:
    async def work(client: Client) -> None:
        etag = (await client.ask(get(f"/{name}"))).headers["etag"]
        again = await client.ask(get(f"/{name}", f"if-none-match: {etag}"))
        assert (again.status, again.headers["etag"], again.body) == (304, etag, b"")
        assert (await client.ask(get(f"/{name}?v=2", 'if-none-match: "other"'))).status == 200

    asking(work)


@each_script
def test_other_methods_are_refused_with_those_that_are_known(name: str) -> None:
    async def work(client: Client) -> None:
        answer = await client.ask(get(f"/{name}").replace(b"GET", b"PUT"))
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
        await client.send(get(f"/{name}").replace(b"GET", b"HEAD"))
        assert (await client.answer(bodiless=True)).status == 200

    asking(work)


def test_the_scripts_are_as_small_as_we_promise() -> None:
    assert 0 < TRACKER.result.stat().st_size <= TRACKER.bytes_max < 2_048
    assert 0 < WIDGET.result.stat().st_size <= WIDGET.bytes_max < 5_120
    assert 0 < PLAYER.result.stat().st_size <= PLAYER.bytes_max < 4_096


def test_the_check_sees_a_stale_and_a_large_script() -> None:
    for script in SCRIPTS:
        large = "a" * (script.bytes_max + 1)
        assert complaint(script, fresh="a", present="a") == ""
        assert "stale" in complaint(script, fresh="a", present="b")
        assert f"{script.bytes_max + 1:,} bytes" in complaint(script, fresh=large, present=large)


def test_every_attribute_and_meta_in_the_how_to_is_one_that_the_tracker_reads() -> None:
    page = (HOUSE / "docs" / "how-to" / "add-the-tracker.md").read_text(encoding="utf-8")
    source = TRACKER.source.read_text(encoding="utf-8")
    labels = set(re.findall(r'label\("(\w+)"\)', source))
    read = labels | set(re.findall(r"\btag\.(\w+)", source)) | set(re.findall(r'given\("(\w+)"\)', source))
    assert set(re.findall(r"\bdata-([a-z]+)", page)) == read
    assert set(re.findall(r"footfall:(\w+)", page)) == labels | set(re.findall(r'said\("(\w+)"\)', source))


def test_every_attribute_and_variable_in_the_how_to_is_one_that_the_box_reads() -> None:
    page = (HOUSE / "docs" / "how-to" / "most-read-box.md").read_text(encoding="utf-8")
    source = WIDGET.source.read_text(encoding="utf-8")
    assert set(re.findall(r"\bdata-([a-z]+)", page)) == set(re.findall(r"\btag\.(\w+)", source))
    assert set(re.findall(r"--footfall-[a-z-]+", page)) == set(re.findall(r"--footfall-[a-z-]+", source))


def test_the_box_writes_no_html_and_keeps_nothing() -> None:
    source = WIDGET.source.read_text(encoding="utf-8")
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval", "Storage", "cookie ="):
        assert word not in source, word


def test_every_attribute_and_fact_in_the_how_to_is_one_that_the_script_for_players_reads() -> None:
    page = (HOUSE / "docs" / "how-to" / "count-watch-time.md").read_text(encoding="utf-8")
    source = PLAYER.source.read_text(encoding="utf-8")
    read = set(re.findall(r"\btag\.(\w+)", source)) | set(re.findall(r'given\("(\w+)"\)', source))
    assert set(re.findall(r"\bdata-([a-z]+)", page)) == read
    facts = page.split("| fact |")[1].split("\n\n")[0]
    named = {name for line in facts.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == set(re.findall(r"\bfacts\.(\w+)", source))
