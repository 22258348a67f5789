"""/v1/members: who has which role in a brand, for its administrators."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import ADMIN
from footfall.accounts.people import document_of_person, require_role
from footfall.accounts.people_store import Member
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import actor_of, require_no_parameters, told
from footfall.shells.http.reception import Reception, fields_in

Endpoint = Callable[[Request], Awaitable[Response]]


def member_routes(reception: Reception) -> list[Route]:
    """Return the routes of a brand's members."""
    return [
        Route("/v1/members", _members(reception), methods=["GET"]),
        Route("/v1/members/{id}", _member(reception), methods=["PUT", "DELETE"]),
    ]


def _members(reception: Reception) -> Endpoint:
    async def members(request: Request) -> Response:
        brand = (await brand_of(request, reception.state, scope=ADMIN)).name
        require_no_parameters(request)
        found = await reception.asked(lambda people: people.members(brand))
        return told({"brand": brand, "members": [_document(one) for one in found]})

    return members


def _member(reception: Reception) -> Endpoint:
    async def member(request: Request) -> Response:
        brand = (await brand_of(request, reception.state, scope=ADMIN)).name
        require_no_parameters(request)
        person_id, by = str(request.path_params["id"]), actor_of(request)
        if request.method == "DELETE":
            gone = await reception.asked(lambda people: people.set_role(brand, person_id, None), by=by)
            return told({"brand": brand, "removed": document_of_person(gone)})
        role = require_role((await fields_in(request, ("role",))).get("role"))
        changed = await reception.asked(
            lambda people: people.set_role(brand, person_id, role, must_be_member=True), by=by
        )
        return told({"brand": brand, **_document(Member(changed, role))})

    return member


def _document(member: Member) -> dict[str, Any]:
    return {**document_of_person(member.person), "role": member.role}
