"""GET /v1/widget over a real connection: what servers that include it and caches are told."""

import json
from collections.abc import Awaitable, Callable

from footfall.accounts.brands import Brand, Brands
from footfall.accounts.keyring import Keyring
from footfall.app.link import Message
from footfall.app.settings import Settings
from footfall.shells.http.answers import Answers
from footfall.shells.http.reading_routes import reading_routes
from footfall.values.clock import SetClock
from tests.shells.http.clients import NOON_MS, Answer, echo, get, run, served
from tests.shells.http.doorkeepers import doorkeeper

ITEMS = [{"rank": 1, "assetId": "a", "hits": 2, "title": "A & B", "address": "https://example.com/a"}]
Ask = Callable[..., Awaitable[Answer]]


def asking(work: Callable[[Ask], Awaitable[None]], items: object = ITEMS, *, fails: str = "") -> list[str]:
    """Run a test with one public and one private brand; return what was asked of the lists."""
    asked: list[str] = []

    async def inside() -> None:
        brands = Brands({}, any_brand=False)
        brands.take_stored([Brand("abc"), Brand("closed", is_public=False)])

        def answered(message: Message) -> bool:
            asked.extend(message[1])
            body = json.dumps({"items": items}).encode()
            answers.on_message(["answers", [[one, 1, fails, '"tag"', 120, body] for one in message[1]]])
            return True

        answers, clock = Answers(answered, bytes_max=1_000_000), SetClock(NOON_MS)
        access = doorkeeper(brands, Keyring(), clock)
        routes = reading_routes(answers, brands, Settings(), access=access, clock=clock)
        async with served(routes, echo) as here:
            client = await here.connect()

            async def ask(query: str, *headers: str, method: str = "GET") -> Answer:
                await client.send(get(f"/v1/widget?{query}", *headers).replace(b"GET", method.encode(), 1))
                return await client.answer(bodiless=method == "HEAD")

            await work(ask)

    run(inside())
    return asked


def test_a_box_is_html_that_caches_keep_as_long_as_its_list() -> None:
    async def work(ask: Ask) -> None:
        answer = await ask("brand=abc")
        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert '<a class="footfall-link" dir="auto" href="https://example.com/a">A &amp; B</a>' in answer.body.decode()
        assert answer.headers["cache-control"] == "public, max-age=120, stale-if-error=86400"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        assert "content-location" not in answer.headers
        assert "vary" not in answer.headers  # It is the same for everybody.
        head = await ask("brand=abc", method="HEAD")
        assert (head.status, head.headers["etag"]) == (200, answer.headers["etag"])

    assert asking(work) == ["brand=abc&limit=10&period=day"]


def test_a_box_that_has_not_changed_is_not_sent_again() -> None:
    async def work(ask: Ask) -> None:
        first = await ask("brand=abc")
        again = await ask("brand=abc", f"if-none-match: {first.headers['etag']}")
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
        assert again.headers["cache-control"] == first.headers["cache-control"]
        assert (await ask("brand=abc", 'if-none-match: "tag"')).status == 200  # That one is the list's.

    asking(work)


def test_boxes_that_differ_in_their_looks_share_a_list_and_no_id() -> None:
    bodies: list[bytes] = []

    async def work(ask: Ask) -> None:
        for query in ("brand=abc", "brand=abc&title=Tops", "brand=abc&lang=de&level=4"):
            bodies.append((await ask(query)).body)

    assert len(asking(work)) == 1
    ids = [body.partition(b'id="')[2].partition(b'"')[0] for body in bodies]
    assert len(set(ids)) == 3


def test_whoever_cannot_have_a_box_gets_nothing_with_the_reason_in_a_header() -> None:
    async def work(ask: Ask) -> None:
        for query, status, word in (
            ("brand=abc&limit=1000", 400, "limit"),
            ("brand=abc&other=%0d%0ax:y", 400, "other"),
            ("brand=closed", 401, "key"),
            ("brand=nobody", 401, "key"),
        ):
            answer = await ask(query)
            assert (answer.status, answer.body) == (status, b""), query
            assert word in answer.headers["footfall-problem"]
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert answer.headers["cache-control"] == "no-store"
        refused = await ask("brand=abc", "content-length: 0", method="POST")
        assert (refused.status, refused.body, refused.headers["allow"]) == (405, b"", "GET, HEAD, OPTIONS")
        assert (await ask("brand=abc", method="OPTIONS")).status == 204

    asking(work)


def test_a_list_that_is_not_ready_is_no_box() -> None:
    async def work(ask: Ask) -> None:
        answer = await ask("brand=abc")
        assert (answer.status, answer.body) == (503, b"")
        assert answer.headers["footfall-problem"] == "the lists are being read"

    asking(work, fails="the lists are being read")


def test_a_list_without_anything_to_show_is_an_empty_page() -> None:
    async def work(ask: Ask) -> None:
        answer = await ask("brand=abc")
        assert (answer.status, answer.body) == (200, b"")

    asking(work, [{"rank": 1, "assetId": "a"}])
