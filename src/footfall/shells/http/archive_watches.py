"""/v1/archive/watches: what a brand wants kept by itself; editors say what that is."""

import secrets
from collections.abc import Callable
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.register import Register
from footfall.app import archive_watch_control as control
from footfall.app.archive_control import Archive, Asker, require_editor
from footfall.app.archive_watch_control import WatchChange
from footfall.shells.http.archive_asking import Endpoint, asker_of, require_only
from footfall.shells.http.brands import document_in, told
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS

WATCHES, WATCH = "/v1/archive/watches", "/v1/archive/watches/{id}"
ID_RANDOM_BYTES = 10


def watch_routes(state: Site) -> list[Route]:
    """Return the routes of watches."""
    return [
        Route(WATCHES, _watches(state), methods=["GET", "POST"]),
        Route(WATCH, _watch(state), methods=["GET", "PATCH", "DELETE"]),
    ]


def _watches(state: Site) -> Endpoint:
    async def watches(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request)
        if request.method == "GET":
            found = await state.archive.asked(asker.brand, lambda archive: control.listed(archive, asker))
            return told({"watches": found})
        require_editor(asker)
        document, rules = await document_in(request), await _rules(state, asker)
        random, now_ms = secrets.token_bytes(ID_RANDOM_BYTES), state.clock.now_ms()
        made = await _changed(
            state,
            asker,
            lambda archive: control.adding(archive, asker, document, rules, random=random, now_ms=now_ms),
        )
        return told(made, status=HTTPStatus.CREATED)

    return watches


def _watch(state: Site) -> Endpoint:
    async def watch(request: Request) -> Response:
        asker, watch_id = await asker_of(request, state), str(request.path_params["id"])
        require_only(request)
        if request.method == "GET":
            return told(await state.archive.asked(asker.brand, lambda archive: control.one(archive, asker, watch_id)))
        require_editor(asker)
        if request.method == "DELETE":
            await _changed(state, asker, lambda archive: control.removing(archive, asker, watch_id))
            return Response(status_code=HTTPStatus.NO_CONTENT, headers={**GUARDS, "cache-control": "no-store"})
        document, rules = await document_in(request), await _rules(state, asker)
        return told(
            await _changed(state, asker, lambda archive: control.changing(archive, asker, watch_id, document, rules))
        )

    return watch


async def _rules(state: Site, asker: Asker) -> control.Rules:
    """Return what a watch of the brand may name: public pages, periods of its lists, and its own alerts."""
    from footfall.app.archive_opening import address_rule

    def alerts(register: Register) -> dict[str, str]:
        return {one.id: one.name for one in register.alerts.of(asker.brand)}

    brand = state.brands.named(asker.brand)
    periods = {**state.settings.periods, **({} if brand is None else brand.periods)}
    return control.Rules(address_rule(state.settings), tuple(periods), await state.desk.look(alerts))


async def _changed(state: Site, asker: Asker, prepare: Callable[[Archive], WatchChange]) -> control.Document:
    """Look whether a change may be made, write it down, and make it."""
    change = await state.archive.asked(asker.brand, prepare)
    await state.desk.look(lambda register: register.trail.write(change.note))
    return await state.archive.asked(asker.brand, change.done)
