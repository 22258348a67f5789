"""Count page views of an ASGI application, such as FastAPI or Starlette. How to: docs/how-to/count-from-fastapi.md.

It speaks ASGI itself and imports no framework.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any
from urllib.parse import quote

from footfall.client.footfall import Footfall
from footfall.client.pages import COUNT_HEADER, HEADERS, Page, Rules, View, count_page

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
PageOf = Callable[[Mapping[str, Any]], Page | None]  # from the scope, when the response starts

FLUSH_S = 5.0
_OURS = frozenset(name.encode("ascii") for name in (*HEADERS, COUNT_HEADER))


class FootfallMiddleware:
    """Counts what the application answers.

    A page is described by `page_of`, or by the route itself: `request.state.footfall = Page(...)`, or the response's
    `Footfall-…` headers, which do not leave the server.
    """

    def __init__(
        self, app: App, *, client: Footfall, page_of: PageOf | None = None, rules: Rules | None = None
    ) -> None:
        self._app = app
        self._client = client
        self._page_of = page_of
        self._rules = rules or Rules()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the exchange on, and look at how its response starts."""
        if scope["type"] == "http":
            await self._app(scope, receive, self._counting(scope, send))
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, self._flushing(send))
        else:
            await self._app(scope, receive, send)

    def _counting(self, scope: Scope, send: Send) -> Send:
        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list[tuple[bytes, bytes]](message.get("headers", ()))
                kept = [(name, value) for name, value in headers if name.lower() not in _OURS]
                count_page(
                    self._client,
                    lambda: _view(scope, int(message["status"]), headers),
                    page_of=lambda: self._page(scope),
                    rules=self._rules,
                )
                message = {**message, "headers": kept}
            await send(message)

        return counting

    def _page(self, scope: Scope) -> Page | None:
        found = self._page_of(scope) if self._page_of is not None else None
        found = found or scope.get("state", {}).get("footfall")
        return found if isinstance(found, Page) else None

    def _flushing(self, send: Send) -> Send:
        async def flushing(message: Message) -> None:
            if message["type"].startswith("lifespan.shutdown."):
                # Some servers end by the signal that stopped them, and no other hook would run.
                await asyncio.get_running_loop().run_in_executor(None, self._client.flush, FLUSH_S)
            await send(message)

        return flushing


def _view(scope: Scope, status: int, headers: Iterable[tuple[bytes, bytes]]) -> View:
    asked = _texts(scope["headers"])
    host = asked.get("host") or "{}:{}".format(*(scope.get("server") or ("localhost", 80)))
    address = f"{scope.get('scheme', 'http')}://{host}{quote(scope['path'])}"
    return View(str(scope["method"]), address, asked, status, _texts(headers))


def _texts(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}
