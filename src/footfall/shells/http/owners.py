"""/v1/brands and /v1/audit/instance: what only an owner of the instance does, who has all brands."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import document_of_page
from footfall.accounts.brands import require_brand_name
from footfall.accounts.documents import CHANGEABLE, document_of_brand
from footfall.accounts.keyring import NotAllowed
from footfall.accounts.people import Person
from footfall.accounts.register import Register
from footfall.accounts.screening_store import INSTANCE
from footfall.app.brand_control import Ground, new_brand
from footfall.shells.http.audit import page_limit, require_page_parameters
from footfall.shells.http.brands import require_no_parameters, told
from footfall.shells.http.reception import Reception, fields_in
from footfall.values.errors import Refused

BRANDS, INSTANCE_TRAIL = "/v1/brands", "/v1/audit/instance"
OF_NEW: Final = ("brand", "zone", *CHANGEABLE)

Endpoint = Callable[[Request], Awaitable[Response]]


def owner_routes(reception: Reception) -> list[Route]:
    """Return the routes of those who own the instance."""
    return [
        Route(BRANDS, _brands(reception), methods=["POST"]),
        Route(INSTANCE_TRAIL, _trail(reception), methods=["GET"]),
    ]


def _owner(reception: Reception, request: Request) -> Person:
    reception.state.access.count_page(request)
    person = reception.signed(request).person
    if not person.is_owner:
        raise NotAllowed("person", "is no owner of this instance, which this needs; footfall people add makes one")
    return person


def _brands(reception: Reception) -> Endpoint:
    state = reception.state

    async def brands(request: Request) -> Response:
        person = _owner(reception, request)
        require_no_parameters(request)
        asked = await fields_in(request, OF_NEW)
        name: object = asked.get("brand")
        if not isinstance(name, str) or not name:
            raise Refused("brand", "is missing; it is the name that pages and keys say, such as abc")
        require_brand_name(name)
        if not isinstance(asked.get("zone", ""), str):
            raise Refused("zone", "is not a text, such as Europe/Helsinki")
        ground = Ground(state.settings, frozenset(state.hits_of_brands()))
        made = await state.desk.change(name, lambda register: _added(register.acting(person.signature), asked, ground))
        return told(made, status=HTTPStatus.CREATED)

    return brands


def _added(register: Register, asked: Mapping[str, Any], ground: Ground) -> dict[str, Any]:
    """Make a brand with a key for its pages; other keys are made when somebody needs them."""
    name = str(asked["brand"])
    changes = {field: value for field, value in asked.items() if field in CHANGEABLE}
    brand = new_brand(register, name, str(asked.get("zone") or ""), changes, ground=ground)
    return {**document_of_brand(brand), "publicKey": register.add_public_key(name).text}


def _trail(reception: Reception) -> Endpoint:
    async def trail(request: Request) -> Response:
        _owner(reception, request)
        require_page_parameters(request)
        limit, after = page_limit(request), request.query_params.get("after", "")

        def page(register: Register) -> dict[str, object]:
            found = document_of_page(register.trail, INSTANCE, limit=limit, after=after)
            del found["brand"]
            return {**found, "failedSignIns": register.people.failed()}

        return told(await reception.state.desk.look(page))

    return trail
