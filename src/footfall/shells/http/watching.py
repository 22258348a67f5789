"""GET /v1/audience/viewers, /completion and /watched: who watches now, how far, and what each session came to."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.brands import Brand
from footfall.accounts.keys import READ
from footfall.ports.table import Table
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import told
from footfall.shells.http.site import Site

Endpoint = Callable[[Request], Awaitable[Response]]
Document = Callable[[Table, Brand, Request], dict[str, object]]


def watching_routes(state: Site) -> list[Route]:
    """Return the routes."""
    return [
        Route("/v1/audience/viewers", _asked(state, _viewers(state)), methods=["GET"]),
        Route("/v1/audience/completion", _asked(state, _completion(state)), methods=["GET"]),
        Route("/v1/audience/watched", _asked(state, _watched(state)), methods=["GET"]),
    ]


def _asked(state: Site, document: Document) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        brand = await brand_of(request, state, scope=READ)
        return told(await state.counters.asked(brand.name, lambda table: document(table, brand, request)))

    return endpoint


def _viewers(state: Site) -> Document:
    def document(table: Table, brand: Brand, request: Request) -> dict[str, object]:
        from footfall.flow.serve.audience import viewers_document, viewers_parameters

        given = {**viewers_parameters(request.url.query), "brand": [brand.name]}
        return viewers_document(table, given, now_ms=state.clock.now_ms())

    return document


def _completion(state: Site) -> Document:
    def document(table: Table, brand: Brand, request: Request) -> dict[str, object]:
        from footfall.flow.serve.audience import completion_document, completion_parameters

        given = {**completion_parameters(request.url.query), "brand": [brand.name]}
        now_ms, shards = state.clock.now_ms(), state.counters.shards
        return completion_document(table, given, zone=brand.zone, shards=shards, now_ms=now_ms)

    return document


def _watched(state: Site) -> Document:
    def document(table: Table, brand: Brand, request: Request) -> dict[str, object]:
        from footfall.flow.serve.audience import watched_document, watched_parameters

        given = {**watched_parameters(request.url.query), "brand": [brand.name]}
        now_ms, shards = state.clock.now_ms(), state.counters.shards
        return watched_document(table, given, zone=brand.zone, shards=shards, now_ms=now_ms)

    return document
