"""The extension in a real Flask: pages are counted, and what describes them stays inside."""

from typing import Any

import pytest
from flask import Flask, Response, g
from flask.testing import FlaskClient

from footfall.client import Footfall, Page
from footfall.client.flask import count_pages
from tests.client.conftest import Opening
from tests.client.listener import Listener

BROWSER = {"User-Agent": "Mozilla/5.0 Firefox/131.0"}


@pytest.fixture
def client(opened: Opening) -> Footfall:
    return opened()


def site(client: Footfall, **more: Any) -> FlaskClient:
    app = Flask("news")

    @app.get("/story")
    def story() -> str:
        g.footfall = Page(asset=132141398, section=563, type="article", paid="free", visitor="m-7")
        return "<h1>A story</h1>"

    @app.get("/described")
    def described() -> Response:
        return Response("<h1>A story</h1>", headers={"Footfall-Asset": "7", "Footfall-Section": "9"})

    @app.get("/plain")
    def plain() -> str:
        return "<h1>A page</h1>"

    @app.get("/data")
    def data() -> dict[str, int]:
        return {}

    _ = (story, described, plain, data)
    count_pages(app, client, **more)
    return app.test_client()


def sent(client: Footfall, listener: Listener) -> list[dict[str, Any]]:
    assert client.flush()
    return [hit for heard in listener.heard for hit in heard.hits()]


def test_a_view_describes_its_page(client: Footfall, listener: Listener) -> None:
    assert site(client).get("/story?token=secret", headers=BROWSER).text == "<h1>A story</h1>"
    (hit,) = sent(client, listener)
    assert isinstance(hit.pop("at"), int)
    assert hit == {
        "brand": "abc",
        "assetId": 132141398,
        "sectionId": 563,
        "resourceType": "article",
        "paidType": "free",
        "url": "http://localhost/story",
        "visitor": "m-7",
        "agent": BROWSER["User-Agent"],
    }


def test_headers_that_describe_a_page_stay_inside(client: Footfall, listener: Listener) -> None:
    answer = site(client).get("/described", headers=BROWSER)
    assert not [name for name, _ in answer.headers if name.lower().startswith("footfall-")]
    (hit,) = sent(client, listener)
    assert (hit["assetId"], hit["sectionId"]) == ("7", "9")


def test_only_pages_count(client: Footfall, listener: Listener) -> None:
    pages = site(client)
    pages.get("/data", headers=BROWSER)
    pages.get("/missing", headers=BROWSER)
    pages.head("/plain", headers=BROWSER)
    pages.get("/plain", headers={"User-Agent": "Examplebot/1.0"})
    pages.get("/plain", headers=BROWSER)
    assert [hit["assetId"] for hit in sent(client, listener)] == ["http://localhost/plain"]


def test_a_function_describes_pages(client: Footfall, listener: Listener) -> None:
    site(client, page_of=lambda request, _: Page(asset=f"page {request.path}")).get("/plain", headers=BROWSER)
    assert [hit["assetId"] for hit in sent(client, listener)] == ["page /plain"]


def test_a_function_that_fails_breaks_no_page(client: Footfall, listener: Listener) -> None:
    answer = site(client, page_of=lambda request, _: request.nothing).get("/plain", headers=BROWSER)
    assert answer.text == "<h1>A page</h1>"
    assert sent(client, listener) == []
