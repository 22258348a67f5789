"""/v1/edits: what editors do to a brand's lists: assets pinned to a place or hidden, and all of it taken back.

Each act is written into the audit trail before it is done. Counts are never changed by any of them.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import Act, Detail
from footfall.accounts.brands import Brand
from footfall.accounts.keys import EDIT
from footfall.catalog.edits import Edits, Hidden, NotHidden, NotPinned, Pin, document_of_act, require_act
from footfall.shells.http.access import brand_of
from footfall.shells.http.audit import note_act
from footfall.shells.http.brands import actor_of, document_in, require_no_parameters, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, require_number, require_text
from footfall.values.window import instant_text, moment_from_text

_OF_PIN = ("place", "sections", "periods", "until")
_OF_HIDDEN = ("reason", "until")

Endpoint = Callable[[Request], Awaitable[Response]]
Reads = Callable[[Request, Brand, str, Site], Awaitable[Pin | Hidden]]


def edit_routes(state: Site) -> list[Route]:
    """Return the routes of what editors do."""
    methods = ["PUT", "DELETE"]
    return [
        Route("/v1/edits", _all(state), methods=["GET"]),
        Route("/v1/edits/pins/{asset_id:path}", _one(state, _pin_in, _unpin), methods=methods),
        Route("/v1/edits/hidden/{asset_id:path}", _one(state, _hidden_in, _show), methods=methods),
    ]


def _all(state: Site) -> Endpoint:
    async def edits(request: Request) -> Response:
        brand = (await brand_of(request, state, scope=EDIT)).name
        require_no_parameters(request)
        acts = await state.catalogue.asked(brand, lambda catalogue: catalogue.edits.acts(brand))
        pins, hidden = ([document_of_act(one) for one in part] for part in (acts.pins, acts.hidden))
        return told({"brand": brand, "pins": pins, "hidden": hidden})

    return edits


def _one(state: Site, read: Reads, take_back: Callable[[Site, Request, str, str], Awaitable[None]]) -> Endpoint:
    async def edit(request: Request) -> Response:
        asked = await brand_of(request, state, scope=EDIT)
        brand = asked.name
        require_no_parameters(request)
        asset = require_text("assetId", str(request.path_params["asset_id"]), bytes_max=ASSET_BYTES_MAX)
        if request.method == "DELETE":
            with state.catalogue.writing(brand):
                await take_back(state, request, brand, asset)
            return told({"brand": brand, "assetId": asset})
        act = await read(request, asked, asset, state)
        require_act(act)
        with state.catalogue.writing(brand):
            await state.catalogue.edit(lambda edits: edits.require_room(brand, act))
            what = Act.ASSET_PINNED if isinstance(act, Pin) else Act.ASSET_HIDDEN
            await note_act(state, request, brand, what, asset, **_details(act))
            await state.catalogue.edit(lambda edits: edits.put(brand, act))
        return told({"brand": brand, **document_of_act(act)})

    return edit


async def _pin_in(request: Request, brand: Brand, asset: str, state: Site) -> Pin:
    sent = await _sent(request, _OF_PIN)
    place: object = sent.get("place")
    if type(place) is not int:
        raise Refused("place", f"{place!r} is not a place; send a whole number from 1 on")
    periods = _names(sent, "periods")
    known = {*brand.periods, *state.settings.periods}
    for period in periods:
        if period not in known:
            raise Refused("periods", f"{period[:64]!r} is not a period; the periods are {', '.join(sorted(known))}")
    return Pin(
        asset=asset,
        place=place,
        by=actor_of(request),
        at_ms=state.clock.now_ms(),
        sections=_names(sent, "sections"),
        periods=periods,
        until_ms=_until(sent),
    )


async def _hidden_in(request: Request, _brand: Brand, asset: str, state: Site) -> Hidden:
    sent = await _sent(request, _OF_HIDDEN)
    reason: object = sent.get("reason") or ""
    if not isinstance(reason, str):
        raise Refused("reason", f"{reason!r} is not a text")
    at_ms, by = state.clock.now_ms(), actor_of(request)
    return Hidden(asset=asset, by=by, at_ms=at_ms, reason=reason, until_ms=_until(sent))


async def _unpin(state: Site, request: Request, brand: str, asset: str) -> None:
    if await state.catalogue.edit(lambda edits: edits.pinned(brand, asset)) is None:
        raise NotPinned(asset)
    await note_act(state, request, brand, Act.ASSET_UNPINNED, asset)
    await _changed(state, lambda edits: edits.unpin(brand, asset))


async def _show(state: Site, request: Request, brand: str, asset: str) -> None:
    if await state.catalogue.edit(lambda edits: edits.hidden(brand, asset)) is None:
        raise NotHidden(asset)
    await note_act(state, request, brand, Act.ASSET_SHOWN, asset)
    await _changed(state, lambda edits: edits.show(brand, asset))


async def _changed(state: Site, change: Callable[[Edits], None]) -> None:
    await state.catalogue.edit(change)


async def _sent(request: Request, names: tuple[str, ...]) -> Mapping[str, Any]:
    sent = await document_in(request)
    for name in sent:
        if name not in names:
            raise Refused(name[:64], f"is not a field here; those are {', '.join(names)}")
    return sent


def _names(sent: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """Return the texts of a list, each once and in order; numbers stand for the same text, as in hits."""
    values: object = sent.get(field) or []
    if not isinstance(values, list):
        raise Refused(field, 'is not a list, such as ["563"]')
    return tuple(sorted({_name(field, value) for value in cast("list[object]", values)}))


def _name(field: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if type(value) is not int:
        raise Refused(field, f"{value!r} is not a text")
    return require_number(field, value)


def _until(sent: Mapping[str, Any]) -> int | None:
    until: object = sent.get("until")
    if until is None:
        return None
    if not isinstance(until, str):
        raise Refused("until", f"{until!r} is not a moment; write it with its zone, as in 2026-11-15T14:30:00Z")
    return moment_from_text(until, field="until")


def _details(act: Pin | Hidden) -> dict[str, Detail]:
    """Return what the audit trail tells of an act, without what was not said."""
    details: dict[str, Detail] = {"until": "" if act.until_ms is None else instant_text(act.until_ms)}
    if isinstance(act, Pin):
        details |= {"place": act.place, "sections": ", ".join(act.sections), "periods": ", ".join(act.periods)}
    else:
        details["reason"] = act.reason
    return {name: value for name, value in details.items() if value != ""}
