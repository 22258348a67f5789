"""What an operator asks about people: who has an account, links that let somebody in, and who did what."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from footfall.accounts.audit import PAGE_MAX, document_of_page
from footfall.accounts.brands import UnknownBrand, require_brand_name
from footfall.accounts.invitations import document_of_invitation
from footfall.accounts.people import (
    NewPerson,
    Person,
    document_of_person,
    require_email,
    require_person_name,
    require_role,
)
from footfall.accounts.people_store import FIRST_PASSWORD_MS, UnknownPerson
from footfall.accounts.register import Register
from footfall.accounts.screening_store import INSTANCE
from footfall.app.people_links import INVITATION, RESET, SETUP, link_to
from footfall.app.settings import Settings
from footfall.values.errors import Refused
from footfall.values.window import instant_text

Request = Mapping[str, Any]
Answer = dict[str, Any]


class LastOwner(Refused):
    """Without the person nobody would own the instance."""


def list_people(register: Register, _request: Request, _settings: Settings) -> Answer:
    """Return everybody who has an account."""
    return {"people": [_document(one) for one in register.people.all()]}


def add_person(register: Register, request: Request, settings: Settings) -> Answer:
    """Make an account, and a link with which its owner chooses a password."""
    email, is_owner = require_email(request.get("email")), bool(request.get("is_owner"))
    name = require_person_name(request.get("name") or email.partition("@")[0])
    brand, role = str(request.get("brand") or ""), request.get("role")
    if bool(brand) != bool(role):
        raise Refused("role", "and --brand belong together: say both, or neither")
    if brand:
        _require_stored(register, brand)
    roles = {brand: require_role(role)} if brand else {}
    person = register.people.add(NewPerson(email, name), roles=roles, is_owner=is_owner)
    token = register.people.new_reset(person, life_ms=FIRST_PASSWORD_MS)
    return {**_document(person), "link": link_to(settings, RESET, token)}


def invite(register: Register, request: Request, settings: Settings) -> Answer:
    """Make an invitation to a brand."""
    brand, email = str(request.get("brand")), request.get("email")
    _require_stored(register, brand)
    to = require_email(email) if email else ""
    token, made = register.people.invite(brand, role=require_role(request.get("role")), email=to)
    return {**document_of_invitation(made), "link": link_to(settings, INVITATION, token)}


def reset(register: Register, request: Request, settings: Settings) -> Answer:
    """Make a link with which somebody chooses a new password."""
    person = _named(register, request)
    token = register.people.new_reset(person)
    return {**_document(person), "link": link_to(settings, RESET, token)}


def remove_person(register: Register, request: Request, _settings: Settings) -> Answer:
    """Forget somebody."""
    person = _named(register, request)
    is_last = person.is_owner and not register.people.has_other_owner(person)
    if is_last and not request.get("is_last_owner"):
        raise LastOwner(
            "email",
            f"{person.email!r} is the last owner's; make another first with footfall people add EMAIL --owner, or say "
            "--last-owner, and whoever has the code of a new set-up owns the instance",
        )
    register.people.remove(person)
    return {**_document(person), "wasLastOwner": is_last}


def show_setup_code(register: Register, _request: Request, settings: Settings) -> Answer:
    """Return the code that makes the first owner, and where it is taken."""
    return {"code": register.people.setup_code(), "link": link_to(settings, SETUP, "")}


def show_history(register: Register, request: Request, _settings: Settings) -> Answer:
    """Return who came, went and signed in, the newest first, and how many sign-ins failed on each day."""
    after = str(request.get("after") or "")
    page = document_of_page(register.trail, INSTANCE, limit=PAGE_MAX, after=after)
    return {**page, "failedSignIns": register.people.failed()}


def _named(register: Register, request: Request) -> Person:
    email = require_email(request.get("email"))
    person = register.people.by_email(email)
    if person is None:
        raise UnknownPerson("email", f"{email!r} is nobody's here; footfall people list shows whose there are")
    return person


def _require_stored(register: Register, brand: str) -> None:
    require_brand_name(brand)
    if register.brand(brand) is None:
        raise UnknownBrand("brand", f"{brand!r} is not a stored brand; footfall brands add {brand} makes it one")


def _document(person: Person) -> Answer:
    return {**document_of_person(person), "roles": person.roles, "created": instant_text(person.created_at_ms)}


ABOUT_PEOPLE: Final[Mapping[str, Callable[[Register, Request, Settings], Answer]]] = {
    "people-list": list_people,
    "people-add": add_person,
    "people-invite": invite,
    "people-reset": reset,
    "people-remove": remove_person,
    "people-setup-code": show_setup_code,
    "people-history-show": show_history,
}
