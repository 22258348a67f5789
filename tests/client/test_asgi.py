"""The middleware around a real FastAPI: pages are counted, and what describes them stays inside."""

import asyncio
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse

from footfall.client import Footfall, Page
from footfall.client.asgi import FootfallMiddleware
from tests.client.conftest import Opening
from tests.client.listener import Listener

BROWSER = (b"user-agent", b"Mozilla/5.0 Firefox/131.0")


@pytest.fixture
def client(opened: Opening) -> Footfall:
    return opened()


def site(client: Footfall, **more: Any) -> FastAPI:
    app = FastAPI(openapi_url=None)
    app.add_middleware(FootfallMiddleware, client=client, **more)

    @app.get("/story", response_class=HTMLResponse)
    async def story(request: Request) -> str:
        request.state.footfall = Page(asset=132141398, section=563, type="article", paid="free")
        return "<h1>A story</h1>"

    @app.get("/described")
    def described() -> HTMLResponse:
        return HTMLResponse("<h1>A story</h1>", headers={"Footfall-Asset": "7", "Footfall-Paid": "paid"})

    @app.get("/plain/{name}", response_class=HTMLResponse)
    def plain(name: str) -> str:
        return f"<h1>{name}</h1>"

    @app.get("/data")
    def data() -> dict[str, int]:
        return {}

    _ = (story, described, plain, data)
    return app


def asked(app: FastAPI, target: str, *headers: tuple[bytes, bytes]) -> tuple[int, list[bytes], bytes]:
    """Return status, names of headers and body, as a server would get them."""
    path, _, query = target.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "https",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"news.example"), *headers],
        "server": ("127.0.0.1", 443),
        "client": ("198.51.100.1", 5),
    }
    messages = exchanged(app, scope, [{"type": "http.request", "body": b"", "more_body": False}])
    body = b"".join(message.get("body", b"") for message in messages)
    return messages[0]["status"], [name for name, _ in messages[0]["headers"]], body


def exchanged(app: FastAPI, scope: dict[str, Any], incoming: list[dict[str, Any]]) -> list[Any]:
    messages: list[Any] = []

    async def exchange() -> None:
        left = list(incoming)

        async def receive() -> dict[str, Any]:
            if left:
                return left.pop(0)
            await asyncio.Event().wait()
            raise AssertionError("nobody sends more")

        async def send(message: Any) -> None:
            messages.append(message)

        await app(scope, receive, send)

    asyncio.run(exchange())
    return messages


def sent(client: Footfall, listener: Listener) -> list[dict[str, Any]]:
    assert client.flush()
    return [hit for heard in listener.heard for hit in heard.hits()]


def test_a_route_describes_its_page(client: Footfall, listener: Listener) -> None:
    assert asked(site(client), "/story?token=secret", BROWSER)[2] == b"<h1>A story</h1>"
    (hit,) = sent(client, listener)
    assert isinstance(hit.pop("at"), int)
    assert hit == {
        "brand": "abc",
        "assetId": 132141398,
        "sectionId": 563,
        "resourceType": "article",
        "paidType": "free",
        "url": "https://news.example/story",
        "agent": BROWSER[1].decode(),
    }


def test_headers_that_describe_a_page_stay_inside(client: Footfall, listener: Listener) -> None:
    assert not [name for name in asked(site(client), "/described", BROWSER)[1] if name.startswith(b"footfall-")]
    (hit,) = sent(client, listener)
    assert (hit["assetId"], hit["paidType"]) == ("7", "paid")


def test_only_pages_count_under_the_address_that_a_browser_shows(client: Footfall, listener: Listener) -> None:
    app = site(client)
    asked(app, "/data", BROWSER)
    asked(app, "/missing", BROWSER)
    asked(app, "/plain/a", (b"user-agent", b"Examplebot/1.0"))
    asked(app, "/plain/a", BROWSER, (b"sec-purpose", b"prefetch"))
    asked(app, "/plain/é", BROWSER)
    assert [hit["assetId"] for hit in sent(client, listener)] == ["https://news.example/plain/%C3%A9"]


def test_a_function_describes_pages(client: Footfall, listener: Listener) -> None:
    asked(site(client, page_of=lambda scope: Page(asset=f"page {scope['path']}")), "/plain/a", BROWSER)
    assert [hit["assetId"] for hit in sent(client, listener)] == ["page /plain/a"]


def test_the_end_of_the_application_waits_for_what_is_queued(opened: Opening, listener: Listener) -> None:
    client = opened(options=None)
    app = site(client)
    client.hit("a")
    exchanged(
        app,
        {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}},
        [
            {"type": "lifespan.startup"},
            {"type": "lifespan.shutdown"},
        ],
    )
    assert client.counts().sent == 1
