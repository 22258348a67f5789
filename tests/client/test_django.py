"""The middleware in a real Django: pages are counted, and what describes them stays inside."""

import asyncio
from collections.abc import Generator
from typing import Any

import django
import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.wsgi import WSGIHandler
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.test import AsyncRequestFactory, RequestFactory, override_settings
from django.urls import path

from footfall.client import Page
from footfall.client import django as footfall_django
from tests.client.listener import Listener

BROWSER = {"HTTP_USER_AGENT": "Mozilla/5.0 Firefox/131.0", "HTTP_HOST": "news.example"}


def story(request: HttpRequest) -> HttpResponse:
    request.footfall = Page(asset=132141398, section=563, type="article", paid="free")  # pyright: ignore[reportAttributeAccessIssue]
    return HttpResponse(b"<h1>A story</h1>")


def described(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"<h1>A story</h1>", headers={"Footfall-Asset": "7", "Footfall-Type": "video"})


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"<h1>A page</h1>")


def data(request: HttpRequest) -> HttpResponse:
    return JsonResponse({})


def missing(request: HttpRequest) -> HttpResponse:
    raise Http404("no such page")


urlpatterns = [path(f"{view.__name__}/", view) for view in (story, described, plain, data, missing)]


def page_of(request: Any, response: Any) -> Page | None:
    return Page(asset=f"from the function {request.path}")


@pytest.fixture
def site(listener: Listener) -> Generator[WSGIHandler]:
    if not settings.configured:
        settings.configure(
            ROOT_URLCONF=__name__,
            ALLOWED_HOSTS=["news.example", "testserver"],
            MIDDLEWARE=["footfall.client.django.FootfallMiddleware"],
            LOGGING_CONFIG=None,
        )
        django.setup()
    with override_settings(FOOTFALL={"URL": listener.url, "BRAND": "abc", "KEY": "ffsec_x"}):
        yield WSGIHandler()
        footfall_django.client().close(2)


def answered(site: WSGIHandler, target: str, **more: str) -> HttpResponse:
    factory: Any = RequestFactory()
    response = site.get_response(factory.get(target, **{**BROWSER, **more}))
    assert isinstance(response, HttpResponse)
    return response


def sent(listener: Listener) -> list[dict[str, Any]]:
    assert footfall_django.client().flush()
    hits = [hit for heard in listener.heard for hit in heard.hits()]
    for hit in hits:
        assert isinstance(hit.pop("at"), int)
    return hits


def test_a_view_describes_its_page(site: WSGIHandler, listener: Listener) -> None:
    assert answered(site, "/story/?token=secret").content == b"<h1>A story</h1>"
    assert sent(listener) == [
        {
            "brand": "abc",
            "assetId": 132141398,
            "sectionId": 563,
            "resourceType": "article",
            "paidType": "free",
            "url": "http://news.example/story/",
            "agent": BROWSER["HTTP_USER_AGENT"],
        }
    ]


def test_a_site_may_keep_its_readers_agents(site: WSGIHandler, listener: Listener) -> None:
    with override_settings(FOOTFALL={**settings.FOOTFALL, "SENDS_AGENT": False}):
        factory: Any = RequestFactory()
        footfall_django.FootfallMiddleware(plain)(factory.get("/plain/", **BROWSER))  # pyright: ignore[reportArgumentType]
    assert ["agent" in hit for hit in sent(listener)] == [False]
    assert listener.heard[0].headers["authorization"] == "Bearer ffsec_x"


def test_headers_that_describe_a_page_stay_inside(site: WSGIHandler, listener: Listener) -> None:
    assert not [name for name in answered(site, "/described/").headers if name.lower().startswith("footfall-")]
    (hit,) = sent(listener)
    assert (hit["assetId"], hit["resourceType"]) == ("7", "video")


def test_only_pages_count(site: WSGIHandler, listener: Listener) -> None:
    statuses = [answered(site, target).status_code for target in ("/data/", "/missing/", "/plain/")]
    assert statuses == [200, 404, 200]
    answered(site, "/plain/", HTTP_USER_AGENT="Examplebot/1.0")
    answered(site, "/plain/", HTTP_SEC_PURPOSE="prefetch")
    assert [hit["assetId"] for hit in sent(listener)] == ["http://news.example/plain/"]


def test_a_host_that_the_site_does_not_know_counts_nothing(
    site: WSGIHandler, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    assert answered(site, "/plain/", HTTP_HOST="forged.example").status_code == 200
    assert sent(listener) == []
    assert [record for record in caplog.records if record.name == "footfall.client"] == []


def test_a_function_describes_pages(site: WSGIHandler, listener: Listener) -> None:
    with override_settings(FOOTFALL={**settings.FOOTFALL, "PAGE_OF": f"{__name__}.page_of"}):
        factory: Any = RequestFactory()
        footfall_django.FootfallMiddleware(plain)(factory.get("/plain/", **BROWSER))  # pyright: ignore[reportArgumentType]
    assert [hit["assetId"] for hit in sent(listener)] == ["from the function /plain/"]


def test_an_asynchronous_site_is_counted_too(site: WSGIHandler, listener: Listener) -> None:
    async def view(request: HttpRequest) -> HttpResponse:
        return plain(request)

    factory: Any = AsyncRequestFactory()
    request = factory.get("/plain/", headers={"user-agent": "Mozilla/5.0"})
    middleware = footfall_django.FootfallMiddleware(view)  # pyright: ignore[reportArgumentType]

    async def awaited() -> Any:
        answer: Any = middleware(request)
        return await answer

    assert asyncio.run(awaited()).status_code == 200
    assert [hit["assetId"] for hit in sent(listener)] == ["http://testserver/plain/"]


def test_a_site_without_the_setting_is_told_what_to_add(site: WSGIHandler) -> None:
    with override_settings(FOOTFALL=None), pytest.raises(ImproperlyConfigured, match="add FOOTFALL = "):
        footfall_django.FootfallMiddleware(plain)  # pyright: ignore[reportArgumentType]
