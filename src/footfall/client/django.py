"""Count page views of a Django site. How to: docs/how-to/count-from-django.md."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from importlib import import_module
from typing import Any, Protocol, cast

from footfall.client.footfall import Footfall
from footfall.client.pages import COUNT_HEADER, HEADERS, LEFT_OUT, Page, Rules, View, count_page


class Request(Protocol):
    """What is needed of Django's HttpRequest."""

    method: str | None
    path: str
    headers: Mapping[str, str]

    def build_absolute_uri(self, location: str | None = None) -> str:
        """Return the address with scheme and host."""
        ...


class Response(Protocol):
    """What is needed of Django's responses."""

    status_code: int
    headers: MutableMapping[str, str]


PageOf = Callable[[Request, Response], Page | None]

_clients: dict[tuple[str, str, str], Footfall] = {}  # by address, key and brand


def client() -> Footfall:
    """Return the client that the site's FOOTFALL setting describes, the same one each time."""
    chosen = _setting()
    name = (str(chosen["URL"]), str(chosen.get("KEY", "")), str(chosen.get("BRAND", "")))
    found = _clients.get(name)
    if found is None:
        found = _clients.setdefault(name, Footfall(name[0], key=name[1], brand=name[2]))
    return found


class FootfallMiddleware:
    """Counts what the site answers, under WSGI and ASGI.

    A page is described by the function that `PAGE_OF` names, or by the view itself: `request.footfall = Page(...)`,
    or the response's `Footfall-…` headers, which do not leave the server.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[Request], Any]) -> None:
        self._get_response = get_response
        chosen = _setting()
        named = chosen.get("PAGE_OF")
        loading = import_module("django.utils.module_loading")
        self._page_of: PageOf | None = loading.import_string(named) if isinstance(named, str) else named
        self._rules = Rules(
            left_out=tuple(chosen.get("LEFT_OUT", LEFT_OUT)), sends_agent=bool(chosen.get("SENDS_AGENT", True))
        )
        self._client = client()
        sync = import_module("asgiref.sync")  # It comes with Django.
        self._is_async = bool(sync.iscoroutinefunction(get_response))
        if self._is_async:
            sync.markcoroutinefunction(self)

    def __call__(self, request: Request) -> Response | Awaitable[Response]:
        """Pass the request on, and count the page that comes back."""
        if self._is_async:
            return self._awaited(request)
        return self._counted(request, self._get_response(request))

    async def _awaited(self, request: Request) -> Response:
        return self._counted(request, await self._get_response(request))

    def _counted(self, request: Request, response: Response) -> Response:
        def page() -> Page | None:
            found: object = self._page_of(request, response) if self._page_of is not None else None
            found = found or getattr(request, "footfall", None)
            return found if isinstance(found, Page) else None

        count_page(self._client, lambda: _view(request, response), page_of=page, rules=self._rules)
        for name in (*HEADERS, COUNT_HEADER):
            if name in response.headers:
                del response.headers[name]
        return response


def _setting() -> Mapping[str, Any]:
    chosen: object = getattr(import_module("django.conf").settings, "FOOTFALL", None)
    if not isinstance(chosen, Mapping) or "URL" not in chosen:
        raise import_module("django.core.exceptions").ImproperlyConfigured(
            'FOOTFALL is missing: add FOOTFALL = {"URL": "http://127.0.0.1:8080", "BRAND": "abc"} to the settings.'
        )
    return cast(Mapping[str, Any], chosen)


def _view(request: Request, response: Response) -> View:
    asked = {name.lower(): value for name, value in request.headers.items()}
    answered = {name.lower(): value for name, value in response.headers.items()}
    try:
        address = request.build_absolute_uri(request.path)
    except import_module("django.core.exceptions").DisallowedHost:
        address = ""  # Somebody names a host that is not ours; there is no page of that name to count.
    return View(str(request.method), address, asked, response.status_code, answered)
