"""The pages of an instance: those that every site has, and its gauges."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from footfall.accounts.keyring import NotAllowed
from footfall.app import wiring
from footfall.shells.http.brands import require_no_parameters
from footfall.shells.http.gauges import GAUGES_KIND, gauge_registry, gauges_text
from footfall.shells.http.planning import PLAN, Planning
from footfall.shells.http.site_pages import Endpoint, page_answer, site_pages
from footfall.shells.http.site_pages import page_paths as page_paths
from footfall.shells.http.state import FrontState
from footfall.shells.http.wire import JSON


def pages(state: FrontState) -> Starlette:
    """Return the application that answers every route but the lane's own."""
    return site_pages(state, {"/metrics": _gauges(state), PLAN: _plan(state)}, is_live=True)


def _plan(state: FrontState) -> Endpoint:
    planning = Planning(state.settings, state.clock)
    networks = wiring.metrics_networks(state.settings)

    async def plan(request: Request) -> Response:
        require_no_parameters(request)
        if not state.access.is_within(request, networks) and not _is_owners(state, request):
            why = "is not one that may read the plan; http_metrics_networks says which may, and owners who signed in"
            raise NotAllowed("address", why)
        return page_answer(await planning.told(), kind=JSON)

    return plan


def _gauges(state: FrontState) -> Endpoint:
    registry = gauge_registry(state)
    networks = wiring.metrics_networks(state.settings)

    async def gauges(request: Request) -> Response:
        if not state.access.is_within(request, networks) and not _is_owners(state, request):
            why = "is not one that may read the gauges; http_metrics_networks says which may, and owners who signed in"
            raise NotAllowed("address", why)
        return page_answer(gauges_text(registry), kind=GAUGES_KIND)

    return gauges


def _is_owners(state: FrontState, request: Request) -> bool:
    """Tell whether an owner of the instance asks, wherever they are; networks are for programs."""
    signed_in = state.access.signed_in
    signed = None if signed_in is None else signed_in.find(dict(request.scope["headers"]))
    return signed is not None and signed.person.is_owner
