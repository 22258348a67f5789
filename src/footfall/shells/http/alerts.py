"""/v1/alerts: what a brand wants to be told of, tests of it, and the history of what was told."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import Alert, document_of_alert
from footfall.accounts.brands import UnknownBrand
from footfall.accounts.keys import ADMIN, READ
from footfall.app.alert_control import PAGE_DEFAULT, PAGE_MAX, history_of, may_be_told
from footfall.app.alert_sending import senders_from, tried_out
from footfall.shells.http.access import brand_of, caller_of
from footfall.shells.http.brands import actor_of, document_in, require_no_parameters, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

HISTORY = "history"

Endpoint = Callable[[Request], Awaitable[Response]]


def alert_routes(state: Site) -> list[Route]:
    """Return the routes of alerts."""
    return [
        Route("/v1/alerts", _alerts(state), methods=["GET", "POST"]),
        Route(f"/v1/alerts/{HISTORY}", _history(state), methods=["GET"]),
        Route("/v1/alerts/{id}", _alert(state), methods=["PUT", "DELETE"]),
        Route("/v1/alerts/{id}/test", _test(state), methods=["POST"]),
        Route("/v1/alerts/{id}/rotate", _rotation(state), methods=["POST"]),
    ]


def _alerts(state: Site) -> Endpoint:
    async def alerts(request: Request) -> Response:
        if request.method == "POST":
            brand = await _changed_brand(request, state)
            document, by, rules = await document_in(request), actor_of(request), may_be_told(state.settings)
            made = await state.desk.look(lambda register: register.acting(by).alerts.add(brand, document, **rules))
            return told({**document_of_alert(made, is_admin=True), "secret": made.secret}, status=HTTPStatus.CREATED)
        brand = (await brand_of(request, state, scope=READ)).name
        require_no_parameters(request)
        found = await state.desk.look(lambda register: register.alerts.of(brand))
        is_admin = _is_admin(request)
        return told({"brand": brand, "alerts": [document_of_alert(one, is_admin=is_admin) for one in found]})

    return alerts


def _alert(state: Site) -> Endpoint:
    async def alert(request: Request) -> Response:
        if request.path_params["id"] == HISTORY:  # That path is another route's.
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        brand = await _changed_brand(request, state)
        alert_id, by, rules = str(request.path_params["id"]), actor_of(request), may_be_told(state.settings)
        if request.method == "DELETE":
            gone = await _stored(state, by, lambda store: store.remove(brand, alert_id))
            return told({"removed": document_of_alert(gone, is_admin=True)})
        document = await document_in(request)
        after = await _stored(state, by, lambda store: store.change(brand, alert_id, document, **rules))
        return told(document_of_alert(after, is_admin=True))

    return alert


def _test(state: Site) -> Endpoint:
    async def test(request: Request) -> Response:
        brand = await _changed_brand(request, state)
        alert_id = str(request.path_params["id"])
        found = await state.desk.look(lambda register: register.alerts.one(brand, alert_id))
        senders = senders_from(state.settings, state.clock)
        return told({"id": found.id, "deliveries": await asyncio.to_thread(tried_out, found, senders)})

    return test


def _rotation(state: Site) -> Endpoint:
    async def rotation(request: Request) -> Response:
        brand = await _changed_brand(request, state)
        alert_id, by = str(request.path_params["id"]), actor_of(request)
        after: Alert = await _stored(state, by, lambda store: store.rotate(brand, alert_id))
        return told({**document_of_alert(after, is_admin=True), "secret": after.secret}, status=HTTPStatus.CREATED)

    return rotation


def _history(state: Site) -> Endpoint:
    async def history(request: Request) -> Response:
        brand = (await brand_of(request, state, scope=READ)).name
        for name in request.query_params:
            if name not in ("brand", "key", "limit", "after"):
                raise Refused(name[:64] or "query", "is not a parameter here; those are limit, after and brand")
        limit, after, is_admin = _limit(request), request.query_params.get("after", ""), _is_admin(request)
        page = await state.desk.look(
            lambda register: history_of(register.alerts, brand, limit=limit, after=after, is_admin=is_admin)
        )
        return told(page)

    return history


async def _changed_brand(request: Request, state: Site) -> str:
    brand = (await brand_of(request, state, scope=ADMIN)).name
    require_no_parameters(request)
    if state.brands.is_open(brand):
        raise UnknownBrand("brand", f"{brand!r} has no alerts: it is open; footfall brands add {brand} stores it")
    return brand


async def _stored(state: Site, by: str, do: Callable[[AlertStore], Any]) -> Any:
    return await state.desk.look(lambda register: do(register.acting(by).alerts))


def _is_admin(request: Request) -> bool:
    caller = caller_of(request)
    return caller is not None and ADMIN in caller.may


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(PAGE_DEFAULT))
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= PAGE_MAX):
        raise Refused("limit", f"{text[:20]!r} is not a whole number from 1 to {PAGE_MAX:,}")
    return int(text)
