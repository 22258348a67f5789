"""/v1/setup and /v1/register: how the first person comes in, and, where that is allowed, anybody."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.brands import Brand
from footfall.accounts.keyring import NotAllowed
from footfall.accounts.passwords import require_password
from footfall.accounts.people import VIEWER, NewPerson, Person, require_email, require_person_name
from footfall.accounts.register import AlreadyThere, Register
from footfall.accounts.screening_store import INSTANCE
from footfall.app.brand_control import Ground, zone_in_use
from footfall.app.settings_of_people import register_brands
from footfall.shells.http.brands import require_no_parameters
from footfall.shells.http.reception import Reception, fields_in
from footfall.values.errors import Refused

ABOUT_PERSON = ("email", "password", "name")

Endpoint = Callable[[Request], Awaitable[Response]]


def setup_routes(reception: Reception) -> list[Route]:
    """Return the routes by which people come in without being invited."""
    return [
        Route("/v1/setup", _setup(reception), methods=["POST"]),
        Route("/v1/register", _register(reception), methods=["POST"]),
    ]


async def new_person(reception: Reception, asked: Mapping[str, Any]) -> NewPerson:
    """Return somebody who is to have an account, or raise Refused for what cannot be."""
    email, name = require_email(asked.get("email")), require_person_name(asked.get("name"))
    password = require_password(asked.get("password"), email=email)
    return NewPerson(email, name, await reception.hashed(password))


def _setup(reception: Reception) -> Endpoint:
    state = reception.state

    async def setup(request: Request) -> Response:
        reception.state.access.count_page(request)
        reception.require_own_page(request)
        require_no_parameters(request)
        asked = await fields_in(request, ("code", *ABOUT_PERSON, "brand", "title", "zone"))
        attempt = reception.try_once(request, "setup")  # Nobody locks others out: a code has 80 bits.
        await reception.asked(lambda people: people.require_setup_code(asked.get("code")))
        reception.went_well(attempt)
        brand, new = _brand_in(asked), await new_person(reception, asked)
        ground = Ground(state.settings, frozenset(state.hits_of_brands()))
        name = INSTANCE if brand is None else brand.name
        made = await state.desk.change(name, lambda register: _owner(register, new, brand, asked["code"], ground))
        return await reception.welcomed(request, made, status=HTTPStatus.CREATED)

    return setup


def _owner(register: Register, new: NewPerson, brand: Brand | None, code: object, ground: Ground) -> Person:
    """Make the first owner, and the first brand with a key for its pages."""
    people = register.acting("").people
    used_up = people.require_setup_code(code)
    zone = None
    if brand is not None:
        if register.brand(brand.name) is not None:
            raise AlreadyThere(f"{brand.name!r} is a brand already; leave it out: an owner has all brands")
        zone = zone_in_use(register, brand.name, ground)
        if zone not in (None, brand.zone):
            raise Refused("zone", f"is {brand.zone!r} and hits of {brand.name!r} were counted in {zone!r}; take that")
    person = people.add(new, is_owner=True, also=[used_up])
    if brand is not None:
        acting = register.acting(person.signature)
        acting.add(brand, zone_in_use=zone)
        acting.add_public_key(brand.name)
    return person


def _brand_in(asked: Mapping[str, Any]) -> Brand | None:
    for name in ("brand", "title", "zone"):
        if not isinstance(asked.get(name, ""), str):
            raise Refused(name, "is not a text")
    if not asked.get("brand"):
        if asked.get("title") or asked.get("zone"):
            raise Refused("brand", "is missing; title and zone are those of the first brand")
        return None
    return Brand(asked["brand"], zone=asked.get("zone") or "UTC", title=asked.get("title", ""))


def _register(reception: Reception) -> Endpoint:
    settings = reception.state.settings

    async def register(request: Request) -> Response:
        reception.state.access.count_page(request)
        reception.require_own_page(request)
        require_no_parameters(request)
        if settings.people_register != "open":
            raise NotAllowed("register", "is closed here; ask an administrator of the brand to invite you")
        asked = await fields_in(request, ABOUT_PERSON)
        reception.try_once(request, "register")  # Each counts: they all write.
        new, brands = await new_person(reception, asked), reception.state.brands
        known = [name for name in register_brands(settings) if brands.named(name) and not brands.is_open(name)]
        person = await reception.asked(lambda people: people.add(new, roles=dict.fromkeys(known, VIEWER)))
        return await reception.welcomed(request, person, status=HTTPStatus.CREATED)

    return register
