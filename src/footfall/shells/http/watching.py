"""GET /v1/audience/viewers, /completion and /watched: who watches now, how far, and what each session came to."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.brands import Brand
from footfall.accounts.keys import AUDIENCE, READ
from footfall.ports.table import Table
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import told
from footfall.shells.http.site import Site

if TYPE_CHECKING:
    from footfall.flow.store.watched_by import Erased

Endpoint = Callable[[Request], Awaitable[Response]]
Document = Callable[[Table, Brand, Request], dict[str, object]]


def watching_routes(state: Site) -> list[Route]:
    """Return the routes."""
    return [
        Route("/v1/audience/viewers", _asked(state, _viewers(state)), methods=["GET"]),
        Route("/v1/audience/completion", _asked(state, _completion(state)), methods=["GET"]),
        Route("/v1/audience/watched", _watched(state), methods=["GET"]),
    ]


async def erased_of(state: Site, brand: str) -> "Erased":
    """Return the members of a brand who were erased."""
    from footfall.app.audience_opening import has_audience
    from footfall.audience.erased import erased_members

    if not has_audience(state.settings):
        return {}  # Nobody was, and asking would make the table.
    return await state.audience.asked(brand, lambda audience: erased_members(audience.table, brand))


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


def _watched(state: Site) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        from footfall.flow.serve.audience import watched_document, watched_parameters

        # Rows name members: whoever may see how much is watched need not know who watches it.
        brand = await brand_of(request, state, scope=AUDIENCE)
        given = {**watched_parameters(request.url.query), "brand": [brand.name]}
        now_ms, shards, zone = state.clock.now_ms(), state.counters.shards, brand.zone
        erased = await erased_of(state, brand.name)
        return told(
            await state.counters.asked(
                brand.name,
                lambda table: watched_document(table, given, zone=zone, shards=shards, now_ms=now_ms, erased=erased),
            )
        )

    return endpoint
