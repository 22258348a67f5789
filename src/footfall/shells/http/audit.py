"""GET /v1/audit: who did what with a brand and when, for its administrators; and how pages write such acts down."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import PAGE_MAX, Act, Detail, Note, document_of_page
from footfall.accounts.keys import ADMIN
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import actor_of, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

PAGE_DEFAULT = 100

Endpoint = Callable[[Request], Awaitable[Response]]


def audit_routes(state: Site) -> list[Route]:
    """Return the route of the audit trail."""
    return [Route("/v1/audit", _audit(state), methods=["GET"])]


async def note_act(state: Site, request: Request, brand: str, act: Act, subject: str, **details: Detail) -> None:
    """Write an act down before it is done."""
    note = Note(brand, actor_of(request), act, subject, details)
    await state.desk.look(lambda register: register.trail.write(note))


def _audit(state: Site) -> Endpoint:
    async def audit(request: Request) -> Response:
        name = (await brand_of(request, state, scope=ADMIN)).name
        require_page_parameters(request)
        limit, after = page_limit(request), request.query_params.get("after", "")
        page = await state.desk.look(lambda register: document_of_page(register.trail, name, limit=limit, after=after))
        return told(page)

    return audit


def require_page_parameters(request: Request) -> None:
    """Raise Refused when the address says more than which page of which trail."""
    for parameter in request.query_params:
        if parameter not in ("brand", "key", "limit", "after"):
            raise Refused(parameter[:64] or "query", "is not a parameter here; those are limit, after and brand")


def page_limit(request: Request) -> int:
    """Return how many acts are asked for, or raise Refused."""
    text = request.query_params.get("limit", str(PAGE_DEFAULT))
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= PAGE_MAX):
        raise Refused("limit", f"{text[:20]!r} is not a whole number from 1 to {PAGE_MAX:,}")
    return int(text)
