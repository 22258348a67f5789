"""GET /v1/referrers: where the readers of a brand, a section or an asset came from."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import READ
from footfall.app.kept_blobs import open_blobs
from footfall.ports.blobs import Blobs
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import told
from footfall.shells.http.site import Site


def referrers_route(state: Site) -> Route:
    """Return the route."""
    opened: list[Blobs] = []

    async def referrers(request: Request) -> Response:
        brand = await brand_of(request, state, scope=READ)
        # Loaded when it is first asked for: whoever only takes hits on AWS starts without it.
        from footfall.flow.serve.referrers import referrers_document, referrers_query
        from footfall.flow.store.referrers import EVERYBODY

        query = referrers_query(
            request.url.query,
            brand.name,
            zone=brand.zone,
            periods={**state.settings.periods, **brand.periods},
            now_ms=state.clock.now_ms(),
        )
        if not opened:
            opened.append(open_blobs(state.settings))
        reader = brand.name if state.settings.ground == "aws" else EVERYBODY
        document = await state.counters.beside(brand.name, lambda: referrers_document(opened[0], query, reader=reader))
        return told(document)

    return Route("/v1/referrers", referrers, methods=["GET"])
