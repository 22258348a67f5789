"""GET and PUT /v1/rules: what a brand blocks at the door, for its administrators."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import ADMIN
from footfall.accounts.register import Register
from footfall.accounts.screening_store import StoredRules
from footfall.screening.rules import rules_from_document
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import actor_of, document_in, require_no_parameters, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

Endpoint = Callable[[Request], Awaitable[Response]]


def rules_routes(state: Site) -> list[Route]:
    """Return the route of a brand's rules at the door."""
    return [Route("/v1/rules", _rules(state), methods=["GET", "PUT"])]


def _rules(state: Site) -> Endpoint:
    async def rules(request: Request) -> Response:
        name = (await brand_of(request, state, scope=ADMIN)).name
        require_no_parameters(request)
        if request.method != "PUT":
            stored = await state.desk.look(lambda register: register.screening.rules_of(name))
            return told(stored.document(name))
        if not await request.body():
            raise Refused("body", "is missing; send {} to block nobody")
        wanted, by = rules_from_document(await document_in(request)), actor_of(request)

        def put(register: Register) -> StoredRules:
            return register.acting(by).screening.put_rules(name, wanted)

        return told((await state.desk.change(name, put)).document(name))

    return rules
