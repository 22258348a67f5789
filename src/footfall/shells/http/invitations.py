"""/v1/invitations: how an administrator lets people into a brand, and how they come in."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.brands import UnknownBrand
from footfall.accounts.invitations import Invitation, document_of_invitation
from footfall.accounts.keys import ADMIN
from footfall.accounts.people import require_email, require_role
from footfall.accounts.signed_in import Signed
from footfall.app.people_links import INVITATION, letter_of_invitation
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import actor_of, require_no_parameters, told
from footfall.shells.http.reception import Reception, fields_in
from footfall.shells.http.setup import ABOUT_PERSON, new_person
from footfall.values.errors import Refused

ACCEPT, OFFER = "accept", "offer"

Endpoint = Callable[[Request], Awaitable[Response]]


def invitation_routes(reception: Reception) -> list[Route]:
    """Return the routes of invitations."""
    return [
        Route("/v1/invitations", _invitations(reception), methods=["GET", "POST"]),
        Route(f"/v1/invitations/{ACCEPT}", _accept(reception), methods=["POST"]),
        Route(f"/v1/invitations/{OFFER}", _offer(reception), methods=["POST"]),
        Route("/v1/invitations/{id}", _invitation(reception), methods=["DELETE"]),
    ]


def _invitations(reception: Reception) -> Endpoint:
    async def invitations(request: Request) -> Response:
        if request.method == "POST":
            return await _invite(reception, request)
        brand = (await brand_of(request, reception.state, scope=ADMIN)).name
        require_no_parameters(request)
        found = await reception.asked(lambda people: people.invitations.of(brand))
        return told({"brand": brand, "invitations": [document_of_invitation(one) for one in found]})

    return invitations


async def _invite(reception: Reception, request: Request) -> Response:
    asked = await fields_in(request, ("brand", "role", "email"))
    named = asked.get("brand") or ""
    if not isinstance(named, str):
        raise Refused("brand", "is not a text")
    is_said_twice = named == request.query_params.get("brand")
    brand = (await brand_of(request, reception.state, scope=ADMIN, named="" if is_said_twice else named)).name
    require_no_parameters(request)
    if reception.state.brands.is_open(brand):
        raise UnknownBrand("brand", f"{brand!r} has no members: it is open; footfall brands add {brand} stores it")
    role, email = require_role(asked.get("role")), asked.get("email")
    to, by = require_email(email) if email else "", actor_of(request)
    token, made = await reception.asked(lambda people: people.invite(brand, role=role, email=to), by=by)
    link = reception.link(INVITATION, token, request)
    is_mailed = bool(to) and await reception.mailed(
        letter_of_invitation(to, link, brand=brand, role=role, by=by.partition(" (p_")[0])
    )
    return told({**document_of_invitation(made), "link": link, "isMailed": is_mailed}, status=HTTPStatus.CREATED)


def _invitation(reception: Reception) -> Endpoint:
    async def invitation(request: Request) -> Response:
        invitation_id = str(request.path_params["id"])
        if invitation_id in (ACCEPT, OFFER):  # Those paths are other routes'.
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "POST"})
        brand = (await brand_of(request, reception.state, scope=ADMIN)).name
        require_no_parameters(request)
        by = actor_of(request)
        gone = await reception.asked(lambda people: people.withdraw(brand, invitation_id), by=by)
        return told({"withdrawn": document_of_invitation(gone)})

    return invitation


def _accept(reception: Reception) -> Endpoint:
    async def accept(request: Request) -> Response:
        reception.state.access.count_page(request)
        return await _accepted(reception, request)

    return accept


def _offer(reception: Reception) -> Endpoint:
    """Return what tells where an invitation leads; the secret is in the body, as addresses end up in logs."""

    async def offer(request: Request) -> Response:
        reception.state.access.count_page(request)
        require_no_parameters(request)
        reception.require_own_page(request)
        asked = await fields_in(request, ("token",))
        found = await _behind(reception, request, asked.get("token"))
        brand = reception.state.brands.named(found.brand)
        title = "" if brand is None else brand.title
        return told({"brand": found.brand, "title": title, "role": found.role, "email": found.email or None})

    return offer


async def _accepted(reception: Reception, request: Request) -> Response:
    require_no_parameters(request)
    asked = await fields_in(request, ("token", *ABOUT_PERSON))
    signed = reception.found(request)
    if signed is None:
        reception.require_own_page(request)
    else:
        signed = reception.signed(request)
    found = await _behind(reception, request, asked.get("token"))
    if signed is not None:
        _require_invited(found, signed.person.email)
        person = await reception.asked(
            lambda people: people.take_invitation(signed.person, found), by=signed.person.signature
        )
        return told(await reception.document(Signed(person, signed.session)))
    new = await new_person(reception, asked)
    _require_invited(found, new.email)
    roles = {found.brand: found.role}
    person = await reception.asked(lambda people: people.add(new, roles=roles, also=[found.removal]))
    return await reception.welcomed(request, person, status=HTTPStatus.CREATED)


async def _behind(reception: Reception, request: Request, token: object) -> Invitation:
    attempt = reception.try_once(request, "invitation")
    found = await reception.asked(lambda people: people.invitations.behind(token))
    reception.went_well(attempt)
    return found


def _require_invited(found: Invitation, email: str) -> None:
    if found.email not in ("", email):
        raise Refused("email", "is not the one that is invited; the invitation is for that address alone")
