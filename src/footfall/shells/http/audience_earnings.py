"""/v1/audience/earnings: periods closed, corrected, shown as tables and pages, and traced to who watched."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.brands import Brand
from footfall.accounts.keys import ADMIN
from footfall.shells.http.access import brand_of
from footfall.shells.http.audience_asking import require_only, whole_of
from footfall.shells.http.brands import actor_of, told
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.watching import erased_of
from footfall.values.errors import Refused

if TYPE_CHECKING:  # Nobody loads earnings before somebody asks for them.
    from footfall.audience.earnings import Terms, Watched

EARNINGS = "/v1/audience/earnings"
BODY_BYTES_MAX = 8_000_000  # Fees of a hundred thousand members, or owners of as many assets.
HOUR_MS = 3_600_000
_KINDS = {"csv": "text/csv; charset=utf-8", "html": "text/html; charset=utf-8"}
_ALONE = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}

Endpoint = Callable[[Request], Awaitable[Response]]


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
        from footfall.app.audience_earnings import (
            close_period,
            entry_document,
            require_over,
            statements_document,
            terms_from,
        )

        brand = await brand_of(request, state, scope=ADMIN)
        require_only(request)
        if request.method == "GET":
            return told(await state.audience.asked(brand.name, lambda one: statements_document(one.table, brand.name)))
        terms, now_ms = terms_from(await _document(request), zone=brand.zone), state.clock.now_ms()
        require_over(terms, now_ms=now_ms, lateness_ms=state.settings.count_lateness_hours * HOUR_MS)
        rows, by = await _rows(state, brand, terms), actor_of(request)
        entry = await state.audience.asked(
            brand.name, lambda one: close_period(one.table, brand.name, terms, rows, by=by, now_ms=now_ms)
        )
        return told(entry_document(entry), status=201)

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
        body = b"".join(statement_csv(entries)) if form == "csv" else statement_page(brand.name, entries).encode()
        headers = {**GUARDS, **_ALONE, "cache-control": "no-store", "content-type": _KINDS[form]}
        return Response(body, headers=headers)

    return statement


def _corrections(state: Site) -> Endpoint:
    async def corrections(request: Request) -> Response:
        from footfall.app.audience_earnings import correct_period, corrected_terms, entry_document, last_terms

        brand = await brand_of(request, state, scope=ADMIN)
        require_only(request)
        name, document = request.path_params["name"], await _document(request)
        before = await state.audience.asked(brand.name, lambda one: last_terms(one.table, brand.name, name))
        terms, reason = corrected_terms(document, before)
        rows, by, now_ms = await _rows(state, brand, terms), actor_of(request), state.clock.now_ms()
        entry = await state.audience.asked(
            brand.name,
            lambda one: correct_period(one.table, brand.name, terms, rows, reason=reason, by=by, now_ms=now_ms),
        )
        return told(entry_document(entry), status=201)

    return corrections


def _trace(state: Site) -> Endpoint:
    async def trace(request: Request) -> Response:
        from footfall.app.audience_earnings import last_terms, trace_document

        brand = await brand_of(request, state, scope=ADMIN)
        require_only(request, "asset", "cent")
        name, asset = request.path_params["name"], request.query_params.get("asset", "")
        cent = whole_of(request, "cent", default=1, lowest=1, highest=10**15)
        if not asset:
            raise Refused("asset", "is missing; say whose money is traced")
        terms = await state.audience.asked(brand.name, lambda one: last_terms(one.table, brand.name, name))
        rows = await _rows(state, brand, terms)
        return told(
            await state.audience.asked(
                brand.name, lambda one: trace_document(one.table, brand.name, name, rows, asset=asset, cent=cent)
            )
        )

    return trace


async def _rows(state: Site, brand: Brand, terms: "Terms") -> "Sequence[Watched]":
    from footfall.app.audience_earnings import watched_in

    shards, erased = state.counters.shards, await erased_of(state, brand.name)
    return await state.counters.asked(
        brand.name, lambda table: watched_in(table, brand.name, terms, zone=brand.zone, shards=shards, erased=erased)
    )


async def _document(request: Request) -> Mapping[str, Any]:
    body = await request.body()
    if len(body) > BODY_BYTES_MAX:
        raise Refused("body", f"has {len(body):,} bytes, at most {BODY_BYTES_MAX:,} are taken")
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Refused("body", f"is not a JSON object: {error}") from error
