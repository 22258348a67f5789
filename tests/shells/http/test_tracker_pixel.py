"""GET /v1/pixel.gif from a socket to the disk: what is counted, and that image and status tell the truth."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from footfall.accounts.brands import Brand, Brands
from footfall.accounts.keyring import Keyring
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import Acceptance
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.flow.collect.senders import Salts
from footfall.flow.stream.records import Pack, pack_from_record
from footfall.ports.errors import NoSpace
from footfall.ports.stream import Appended, Entry
from footfall.shells.http.commits import Committer
from footfall.shells.http.door import Door, HitLimits
from footfall.shells.http.hits import HitsRoute
from footfall.shells.http.pixel import GIF, PARAMETERS_MAX, PixelRoute
from footfall.shells.http.totals import Totals
from footfall.values.clock import SetClock
from tests.shells.http.clients import NOON_MS, Answer, Client, echo, get, run, served
from tests.shells.http.doorkeepers import doorkeeper

LIMITS = HitLimits(inflated_bytes_max=50_000, batch_hits_max=50, pending_bytes_max=1_000)


class FullDisk(SqliteStream):
    """A real stream on a disk that is full."""

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        raise NoSpace("the disk is full, nothing was written: free some space")


@dataclass(slots=True)
class House:
    """The route at work."""

    client: Client
    path: Path
    clock: SetClock

    async def ask(self, query: str, *headers: str) -> Answer:
        return await self.client.ask(get(f"/v1/pixel.gif?{query}", *headers))

    def packs(self) -> list[Pack]:
        """Return what the stream has on disk."""
        with closing(SqliteStream(self.path, clock=self.clock, read_only=True)) as stream:
            return [pack_from_record(record.data) for record in stream.read(0, after=0)]

    def assets(self) -> list[str]:
        return [key[0] for pack in self.packs() for key in pack.keys]


@asynccontextmanager
async def house(folder: Path, *, kind: type[SqliteStream] = SqliteStream) -> AsyncGenerator[House]:
    clock, path = SetClock(NOON_MS), folder / "stream.db"
    async with AsyncExitStack() as stack:
        table = stack.enter_context(closing(SqliteTable(":memory:", clock=clock)))
        salts = Salts(table, random_bytes=lambda size: bytes(range(size)))
        brands = Brands({"abc": Brand("abc")}, any_brand=False)
        committer = Committer(lambda: kind(path, clock=clock), chores=lambda *_: None)
        await committer.start()
        stack.push_async_callback(committer.stop)
        acceptance = Acceptance(brands, salts, shards=1)
        acceptance.screen_with(Screen(ScreenLimits(), secret=bytes(32)))
        door = Door(
            acceptance,
            committer,
            limits=LIMITS,
            access=doorkeeper(brands, Keyring(), clock),
            clock=clock,
            totals=Totals(),
        )
        here = await stack.enter_async_context(served({b"/v1/pixel.gif": PixelRoute(HitsRoute(door))}, echo))
        yield House(await here.connect(), path, clock)


def test_the_image_is_one_transparent_dot() -> None:
    assert len(GIF) == 43
    assert GIF[:6] == b"GIF89a"
    assert GIF[6:10] == b"\x01\x00\x01\x00"


def test_a_hit_is_on_disk_when_its_image_is_sent(tmp_path: Path) -> None:
    async def work() -> None:
        query = urlencode(
            {
                "brand": "abc", "asset": "7", "section": "Åland & more", "type": "article", "paid": "free",
                "url": "https://example.com/a?utm_source=x&b=1", "referrer": "https://example.com/", "r": "0.123",
            }
        )  # fmt: skip
        async with house(tmp_path) as here:
            answer = await here.ask(query)
            assert (answer.status, answer.body) == (200, GIF)
            assert answer.headers["content-type"] == "image/gif"
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
            assert "footfall-problem" not in answer.headers
            (pack,) = here.packs()
            assert pack.keys == [("7", "Åland & more", "article", "free")]
            assert (pack.urls, pack.referrers) == (["https://example.com/a?b=1"], ["https://example.com/"])
            assert pack.visitors is not None

    run(work())


def test_the_page_that_shows_the_image_is_the_asset_when_none_is_named(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            page = "https://example.com/story?id=7&gclid=x"
            assert (await here.ask("brand=abc", f"referer: {page}")).status == 200
            assert (await here.ask(f"brand=abc&url={quote('https://example.com/other#x')}", "referer: x")).status == 200
            assert here.assets() == ["https://example.com/story?id=7", "https://example.com/other"]
            missing = await here.ask("brand=abc")
            assert (missing.status, missing.body) == (400, GIF)
            assert "asset" in missing.headers["footfall-problem"]

    run(work())


def test_the_tracker_s_own_hit_is_taken_as_if_it_had_been_posted(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            hit = quote(json.dumps({"brand": "abc", "assetId": "7", "sectionId": "a\u00e5&=", "url": "https://x/"}))
            assert (await here.ask(f"hit={hit}&privacy=1", "content-encoding: gzip")).status == 200
            (pack,) = here.packs()
            assert pack.keys == [("7", "aå&=", "", "")]
            assert not any(pack.visitors or [])
            wrong = await here.ask("hit=%7B")
            assert wrong.status == 400
            assert "JSON" in wrong.headers["footfall-problem"]

    run(work())


@pytest.mark.parametrize("wish", ["privacy=1", "sec-gpc: 1", "dnt: 1"])
def test_who_asks_for_privacy_leaves_no_visitor(tmp_path: Path, wish: str) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            await here.ask("brand=abc&asset=1&" + (wish if "=" in wish else ""), *([wish] if ":" in wish else []))
            await here.ask("brand=abc&asset=2&privacy=0&noprivacy=1&privacy=10")
            kept = {
                key[0]: bool(pack.visitors and pack.visitors[place])
                for pack in here.packs()
                for place, key in enumerate(pack.keys)
            }
            assert kept == {"1": False, "2": True}

    run(work())


@pytest.mark.parametrize(
    ("query", "status", "word"),
    [
        ("brand=abc&asset=" + "x" * 257, 400, "256"),
        ("brand=abc&asset=1&asset=2", 400, "twice"),
        ("brand=abc&asset=%FF", 400, "UTF-8"),
        ("&".join(f"p{number}=1" for number in range(PARAMETERS_MAX + 1)), 400, str(PARAMETERS_MAX)),
        ("asset=1", 400, "brand"),
        ("brand=a%0D%0AX-Evil:%201&asset=1", 400, "brand"),
        ("brand=abc&asset=1%0D%0AX-Evil:%201", 400, "assetId"),
        ("brand=%C3%A5%E2%80%A8&asset=1", 400, "brand"),
    ],
)
def test_a_refusal_keeps_the_image_and_says_why(tmp_path: Path, query: str, status: int, word: str) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.ask(query)
            assert (answer.status, answer.body) == (status, GIF)
            assert answer.headers["content-type"] == "image/gif"
            assert word in answer.headers["footfall-problem"]
            assert "x-evil" not in answer.headers
            assert here.packs() == []

    run(work())


def test_a_brand_that_is_not_there_is_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.ask("brand=nobody&asset=1")
            assert answer.status in (400, 404)  # As for hits that are posted.
            assert answer.body == GIF
            assert "nobody" in answer.headers["footfall-problem"]

    run(work())


def test_a_full_disk_is_no_counted_hit(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, kind=FullDisk) as here:
            answer = await here.ask("brand=abc&asset=1")
            assert (answer.status, answer.body) == (503, GIF)
            assert "disk is full" in answer.headers["footfall-problem"]
            assert answer.headers["retry-after"] == "1"

    run(work())


@pytest.mark.parametrize(
    "ahead", ["sec-purpose: prefetch;prerender", "sec-purpose: prefetch", "purpose: prefetch", "x-moz: prefetch"]
)
def test_a_request_ahead_of_a_click_is_taken_as_such_and_one_for_the_head_alone_is_not(
    tmp_path: Path, ahead: str
) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.ask("brand=abc&asset=1", ahead)
            assert (answer.status, answer.body) == (200, GIF)
            assert answer.headers["cache-control"] == "no-store"
            assert [pack.screened for pack in here.packs()] == [{0: "prefetch"}]
            await here.client.send(get("/v1/pixel.gif?brand=abc&asset=1").replace(b"GET", b"HEAD"))
            assert (await here.client.answer(bodiless=True)).status == 204
            assert len(here.packs()) == 1

    run(work())


def test_other_methods_are_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.client.ask(get("/v1/pixel.gif?brand=abc&asset=1").replace(b"GET", b"DELETE"))
            assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")

    run(work())
