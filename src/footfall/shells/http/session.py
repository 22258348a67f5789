"""/v1/session and /v1/sessions: signing in and out, and who is signed in where."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.people import Person, require_email
from footfall.accounts.signed_in import WrongPassword
from footfall.ports.errors import Changed
from footfall.shells.http.brands import require_no_parameters, told
from footfall.shells.http.reception import Reception, document_of_session, fields_in, without_cookie

Endpoint = Callable[[Request], Awaitable[Response]]


def session_routes(reception: Reception) -> list[Route]:
    """Return the routes of sessions."""
    return [
        Route("/v1/session", _session(reception), methods=["GET", "POST", "DELETE"]),
        Route("/v1/sessions", _sessions(reception), methods=["GET", "DELETE"]),
    ]


def _session(reception: Reception) -> Endpoint:
    async def session(request: Request) -> Response:
        reception.state.access.count_page(request)
        require_no_parameters(request)
        if request.method == "POST":
            return await _sign_in(reception, request)
        if request.method == "DELETE":
            signed = reception.signed(request)
            await reception.asked(lambda people: people.sign_out(signed.person, [signed.session]))
            return without_cookie(told(await reception.document(None)))
        signed = reception.found(request)
        await reception.note_uses()
        return told(await reception.document(signed))

    return session


async def _sign_in(reception: Reception, request: Request) -> Response:
    reception.require_own_page(request)
    asked = await fields_in(request, ("email", "password"))
    email, password = require_email(asked.get("email")), asked.get("password")
    attempt = reception.try_to_sign_in(request, email)
    person = await reception.asked(lambda people: people.by_email(email))
    if not await reception.is_right(person, password) or person is None:
        await reception.asked(lambda people: people.count_failed())
        raise WrongPassword
    reception.signed_in_well(attempt)
    return await reception.welcomed(request, await _kept_anew(reception, person, str(password)))


async def _kept_anew(reception: Reception, person: Person, password: str) -> Person:
    """Return the person, whose password is kept at today's cost from now on."""
    if not reception.passwords.is_outdated(person.password):
        return person
    kept = await reception.hashed(password)
    with suppress(Changed):  # It was changed at this moment, and the sign-in finds out.
        await reception.asked(lambda people: people.set_password(person, kept, act=None))
    return await reception.asked(lambda people: people.person(person.id)) or person


def _sessions(reception: Reception) -> Endpoint:
    async def sessions(request: Request) -> Response:
        reception.state.access.count_page(request)
        signed = reception.signed(request)
        require_no_parameters(request)
        found = await reception.asked(lambda people: people.sessions.of(signed.person.id))
        if request.method == "DELETE":
            await reception.asked(lambda people: people.sign_out(signed.person, found))
            return without_cookie(told({"ended": len(found)}))
        return told({"sessions": [document_of_session(one, signed.session) for one in found]})

    return sessions
