"""GET /v1/migrations: how far moves of databases into a brand's metric catalogue are."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import READ
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

MIGRATIONS = "/v1/migrations"

Endpoint = Callable[[Request], Awaitable[Response]]


def migration_route(state: Site) -> Route:
    """Return the route of migrations."""
    return Route(MIGRATIONS, _migrations(state), methods=["GET"])


def _migrations(state: Site) -> Endpoint:
    async def migrations(request: Request) -> Response:
        from footfall.app.migrations_told import migrations_of  # A site that nothing moves into never loads it.

        # It names no metric and tells less than the catalogue does, so whoever may read that may read this.
        brand = (await brand_of(request, state, scope=READ)).name
        for name in request.query_params:
            if name not in ("brand", "key"):
                raise Refused(name[:64] or "query", "is not a parameter here; the only one is brand")
        now_ms = state.clock.now_ms()
        return told(await state.metrics.asked(brand, lambda metrics: migrations_of(metrics, brand, now_ms=now_ms)))

    return migrations
