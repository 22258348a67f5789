"""/v1/archive: pages as they were: asked for, found, seen, shared, held, removed and watched."""

import secrets
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.app.archive_control import ask_for, request_of, requests_of, retry, wish_from
from footfall.app.archive_told import document_of_request
from footfall.archive.captures import State
from footfall.shells.http.archive_asking import Endpoint, asker_of, require_only, span_of
from footfall.shells.http.archive_captures import capture_routes
from footfall.shells.http.archive_finding import finding_routes
from footfall.shells.http.archive_mementos import memento_routes
from footfall.shells.http.archive_watches import watch_routes
from footfall.shells.http.brands import document_in, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

ARCHIVE = "/v1/archive"
REQUESTS, REQUEST = f"{ARCHIVE}/requests", f"{ARCHIVE}/requests/{{id}}"
ID_RANDOM_BYTES = 10


def archive_routes(state: Site) -> list[Route]:
    """Return the routes of the archive."""
    return [
        Route(ARCHIVE, _ask(state), methods=["POST"]),
        Route(REQUESTS, _requests(state), methods=["GET"]),
        Route(REQUEST, _request(state), methods=["GET"]),
        Route(f"{REQUEST}/retry", _retry(state), methods=["POST"]),
        *finding_routes(state),
        *capture_routes(state),
        *watch_routes(state),
        *memento_routes(state),
    ]


def _ask(state: Site) -> Endpoint:
    async def ask(request: Request) -> Response:
        from footfall.app.archive_opening import address_rule

        asker = await asker_of(request, state)
        require_only(request)
        wish = wish_from(await document_in(request), address_of=address_rule(state.settings))
        now_ms, random = state.clock.now_ms(), secrets.token_bytes(ID_RANDOM_BYTES)
        opened, is_new = await state.archive.asked(
            asker.brand, lambda archive: ask_for(archive, asker, wish, now_ms=now_ms, random=random)
        )
        status = HTTPStatus.ACCEPTED if is_new else HTTPStatus.OK
        return told({"request": document_of_request(opened)}, status=status)

    return ask


def _requests(state: Site) -> Endpoint:
    async def requests(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request, "state", "limit", "after")
        span, wanted = span_of(request), _state(request)
        found, after = await state.archive.asked(
            asker.brand, lambda archive: requests_of(archive, asker, state=wanted, limit=span.limit, after=span.after)
        )
        return told({"requests": [document_of_request(one) for one in found], "after": after})

    return requests


def _request(state: Site) -> Endpoint:
    async def request_(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request)
        request_id = str(request.path_params["id"])
        found = await state.archive.asked(asker.brand, lambda archive: request_of(archive, asker, request_id))
        return told(document_of_request(found))

    return request_


def _retry(state: Site) -> Endpoint:
    async def retry_(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request)
        request_id, now_ms = str(request.path_params["id"]), state.clock.now_ms()
        again = await state.archive.asked(asker.brand, lambda archive: retry(archive, asker, request_id, now_ms=now_ms))
        return told(document_of_request(again), status=HTTPStatus.ACCEPTED)

    return retry_


def _state(request: Request) -> State | None:
    text = request.query_params.get("state", "")
    if not text:
        return None
    if text not in set(State):
        raise Refused("state", f"{text[:20]!r} is none of {', '.join(State)}")
    return State(text)
