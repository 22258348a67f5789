"""/v1/audience/earnings: periods closed, corrected, shown as tables and pages, and traced to who watched."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.brands import Brand
from footfall.accounts.keys import ADMIN
from footfall.flow.collect.inflate import inflate
from footfall.shells.http.access import brand_of
from footfall.shells.http.audience_asking import require_only, whole_of
from footfall.shells.http.audit import note_act
from footfall.shells.http.brands import actor_of, told
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.watching import erased_of
from footfall.values.errors import Refused

if TYPE_CHECKING:  # Nobody loads earnings before somebody asks for them.
    from footfall.app.audience_earnings import Drawn
    from footfall.app.earnings_log import WatchLog

EARNINGS = "/v1/audience/earnings"
HOUR_MS = 3_600_000
_KINDS = {"csv": "text/csv; charset=utf-8", "html": "text/html; charset=utf-8"}
_ALONE = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}

Endpoint = Callable[[Request], Awaitable[Response]]
T = TypeVar("T")


def earnings_routes(state: Site) -> list[Route]:
    """Return the routes of earnings."""
    return [
        Route(EARNINGS, _periods(state), methods=["GET", "POST"]),
        Route(f"{EARNINGS}/{{name}}", _statement(state), methods=["GET"]),
        Route(f"{EARNINGS}/{{name}}/corrections", _corrections(state), methods=["POST"]),
        Route(f"{EARNINGS}/{{name}}/trace", _trace(state), methods=["GET"]),
    ]


def _periods(state: Site) -> Endpoint:
    async def periods(request: Request) -> Response:
        from footfall.app.audience_earnings import asked_to_close, draw_statement, read_to_close, statements_document

        brand = await brand_of(request, state, scope=ADMIN)
        require_only(request)
        if request.method == "GET":
            return told(await state.audience.asked(brand.name, lambda one: statements_document(one.table, brand.name)))
        asked = asked_to_close(await _document(request, state), zone=brand.zone)
        now_ms, by = state.clock.now_ms(), actor_of(request)
        read = await _of_log(state, brand, lambda log: read_to_close(log, asked, now_ms=now_ms, **_late(state)))
        drawn = await state.audience.asked(
            brand.name, lambda one: draw_statement(one.table, brand.name, asked, read, by=by, now_ms=now_ms)
        )
        return await _written(request, state, brand.name, drawn, is_dry=asked.is_dry)

    return periods


def _statement(state: Site) -> Endpoint:
    async def statement(request: Request) -> Response:
        from footfall.app.audience_earnings import entry_document, told_entries
        from footfall.audience.statement_text import statement_csv, statement_page

        brand = await brand_of(request, state, scope=ADMIN)
        require_only(request, "format")
        form = request.query_params.get("format", "json")
        if form not in ("json", *_KINDS):
            raise Refused("format", f"{form[:20]!r} is none of json, csv, html")
        name = request.path_params["name"]
        entries = await state.audience.asked(brand.name, lambda one: told_entries(one.table, brand.name, name))
        if form == "json":
            return told({"entries": [entry_document(entry, lines) for entry, lines in entries]})
        if form == "csv":
            body = b"".join(statement_csv(entries, zone=brand.zone))
        else:
            body = statement_page(brand.name, entries, zone=brand.zone).encode()
        headers = {**GUARDS, **_ALONE, "cache-control": "no-store", "content-type": _KINDS[form]}
        return Response(body, headers=headers)

    return statement


def _corrections(state: Site) -> Endpoint:
    async def corrections(request: Request) -> Response:
        from footfall.app.audience_earnings import asked_to_correct, draw_correction, read_to_correct, standing

        brand = await brand_of(request, state, scope=ADMIN)
        require_only(request)
        name, document = request.path_params["name"], await _document(request, state)
        stands = await state.audience.asked(brand.name, lambda one: standing(one.table, brand.name, name))
        asked = asked_to_correct(document, stands.terms, zone=brand.zone)
        now_ms, by = state.clock.now_ms(), actor_of(request)
        read = await _of_log(
            state, brand, lambda log: read_to_correct(log, asked, stands, now_ms=now_ms, **_late(state))
        )
        drawn = await state.audience.asked(
            brand.name, lambda one: draw_correction(one.table, brand.name, asked, read, by=by, now_ms=now_ms)
        )
        return await _written(request, state, brand.name, drawn, is_dry=asked.is_dry)

    return corrections


def _trace(state: Site) -> Endpoint:
    async def trace(request: Request) -> Response:
        from footfall.app.audience_earnings import standing, trace_document

        brand = await brand_of(request, state, scope=ADMIN)
        require_only(request, "asset", "cent")
        name, asset = request.path_params["name"], request.query_params.get("asset", "")
        cent = whole_of(request, "cent", default=1, lowest=1, highest=10**15)
        if not asset:
            raise Refused("asset", "is missing; say whose money is traced")
        stands = await state.audience.asked(brand.name, lambda one: standing(one.table, brand.name, name))
        return told(await _of_log(state, brand, lambda log: trace_document(log, stands, asset=asset, cent=cent)))

    return trace


async def _of_log(state: Site, brand: Brand, question: "Callable[[WatchLog], T]") -> T:
    """Return what the watch log answers."""
    from footfall.app.earnings_log import WatchLog

    shards, erased = state.counters.shards, await erased_of(state, brand.name)
    until_s = time.monotonic() + state.counters.reading_s_max

    def has_time() -> bool:
        return time.monotonic() < until_s

    return await state.counters.asked(
        brand.name, lambda table: question(WatchLog(table, brand.name, brand.zone, shards, erased, has_time))
    )


async def _written(request: Request, state: Site, brand: str, drawn: "Drawn", *, is_dry: bool) -> Response:
    """Note an entry and write it, unless it was only asked what it would be."""
    from footfall.app.audience_earnings import drawn_document, note_of, write

    if is_dry:
        return told(drawn_document(drawn, is_dry=True))
    note = note_of(brand, drawn)
    await note_act(state, request, brand, note.act, note.subject, **note.details)
    await state.audience.asked(brand, lambda one: write(one.table, brand, drawn))
    return told(drawn_document(drawn, is_dry=False), status=201)


def _late(state: Site) -> dict[str, int]:
    return {"lateness_ms": state.settings.count_lateness_hours * HOUR_MS}


async def _document(request: Request, state: Site) -> Mapping[str, Any]:
    encoding = request.headers.get("content-encoding", "")
    body = inflate(await request.body(), encoding, bytes_max=state.settings.http_inflated_bytes_max)
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Refused("body", f"is not a JSON object: {error}") from error
