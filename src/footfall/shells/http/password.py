"""/v1/password: changing it, and a link to a new one for whoever has forgotten it."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import Act
from footfall.accounts.passwords import require_password
from footfall.accounts.people import Person, require_email
from footfall.accounts.signed_in import WrongPassword
from footfall.app.logs import OwnLink, fields
from footfall.app.people_links import RESET, letter_of_reset
from footfall.ports.errors import Changed, PortError
from footfall.shells.http.brands import require_no_parameters, told
from footfall.shells.http.reception import Reception, fields_in
from footfall.values.errors import Refused

ANSWER_EVERY_S = 1.0  # Where an answer has to wait for the mail, it comes on the next full second of waiting.

_log = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]


def password_routes(reception: Reception) -> list[Route]:
    """Return the routes of passwords."""
    return [
        Route("/v1/password", _password(reception), methods=["POST"]),
        Route("/v1/password/reset", _reset(reception), methods=["POST"]),
        Route("/v1/password/reset/accept", _accept(reception), methods=["POST"]),
    ]


def _password(reception: Reception) -> Endpoint:
    async def password(request: Request) -> Response:
        reception.state.access.count_page(request)
        signed = reception.signed(request)
        require_no_parameters(request)
        asked = await fields_in(request, ("old", "new"))
        person = signed.person
        attempt = reception.try_once(request, "password", person.id)
        if not await reception.is_right(person, asked.get("old")):
            await reception.asked(lambda people: people.count_failed())
            raise WrongPassword
        reception.went_well(attempt)
        new = require_password(asked.get("new"), email=person.email, field="new")
        await _set(reception, person, new, Act.PASSWORD_CHANGED, but=signed.session.digest)
        return told({"changed": True})

    return password


def _reset(reception: Reception) -> Endpoint:
    async def reset(request: Request) -> Response:
        reception.state.access.count_page(request)
        reception.require_own_page(request)
        require_no_parameters(request)
        email = require_email((await fields_in(request, ("email",))).get("email"))
        reception.try_once(request, "reset", email)  # Each counts: they all may mail.
        began_s = time.monotonic()
        if reception.state.settings.ground == "aws":
            # A function stands still once it has answered, so it has to wait; whole seconds tell nobody what for.
            await send_link(reception, email, is_waited_for=True)
            await asyncio.sleep(ANSWER_EVERY_S - (time.monotonic() - began_s) % ANSWER_EVERY_S)
        else:
            reception.do_later(lambda: send_link(reception, email, is_waited_for=False))
        says = "if there is an account under that address, a link to a new password is on its way"
        return told({"status": says}, status=HTTPStatus.ACCEPTED)

    return reset


async def send_link(reception: Reception, email: str, *, is_waited_for: bool) -> None:
    """Send somebody a link to a new password; where the answer waits for it, it takes as long for nobody."""
    try:
        person = await reception.asked(lambda people: people.by_email(email))
        if person is None:
            if is_waited_for:
                await reception.seem_to_mail()
            return
        token = await reception.asked(lambda people: people.new_reset(person))
    except PortError as error:
        _log.warning("a link to a new password could not be made: %s", error)
        return
    link = reception.link(RESET, token)
    if not await reception.mailed(letter_of_reset(person.email, link)):
        said = "%s chooses a new password within an hour behind the link"
        _log.info(said, person.email, extra=fields(link=OwnLink(link)))


def _accept(reception: Reception) -> Endpoint:
    async def accept(request: Request) -> Response:
        reception.state.access.count_page(request)
        reception.require_own_page(request)
        require_no_parameters(request)
        asked = await fields_in(request, ("token", "password"))
        attempt = reception.try_once(request, "reset-link")
        person = await reception.asked(lambda people: people.behind_reset(asked.get("token")))
        reception.went_well(attempt)
        password = require_password(asked.get("password"), email=person.email)
        await _set(reception, person, password, Act.PASSWORD_RESET)
        return told({"email": person.email})

    return accept


async def _set(reception: Reception, person: Person, password: str, act: Act, *, but: str = "") -> None:
    kept = await reception.hashed(password)
    try:
        await reception.asked(lambda people: people.set_password(person, kept, act=act, but=but))
    except Changed as error:
        raise Refused("password", "was changed at this moment; look whether it was you") from error
