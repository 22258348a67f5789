"""The pages that every site has beside its hot routes: the dashboard, the ledger, readiness, brands, keys and assets.

They are asked rarely, so they are written for comfort. Each reads what it needs at that moment.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import READ
from footfall.flow.serve.ledger import counters_balance, follows_balance, ledger_json, pings_balance
from footfall.shells.http.access import brand_of
from footfall.shells.http.alerts import alert_routes
from footfall.shells.http.archive_routes import archive_routes
from footfall.shells.http.assets import asset_routes
from footfall.shells.http.audience_routes import audience_routes
from footfall.shells.http.audit import audit_routes
from footfall.shells.http.brands import brand_routes
from footfall.shells.http.counter_list import counter_list_route
from footfall.shells.http.dashboard import Shell, dashboard_routes, dashboard_shell, wants_page
from footfall.shells.http.digest import digest_routes
from footfall.shells.http.edits import edit_routes
from footfall.shells.http.keys import key_routes
from footfall.shells.http.metric_data_routes import metric_data_routes
from footfall.shells.http.metric_routes import metric_routes
from footfall.shells.http.migration_routes import migration_route
from footfall.shells.http.people_routes import people_routes
from footfall.shells.http.problems import Problem, document_of, problem_document
from footfall.shells.http.referrers import referrers_route
from footfall.shells.http.rules import rules_routes
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.tokens import token_routes
from footfall.shells.http.trials import trial_routes
from footfall.shells.http.uniques import uniques_routes
from footfall.shells.http.verdicts import verdict_routes
from footfall.shells.http.watching import watching_routes
from footfall.shells.http.wire import JSON, PROBLEM
from footfall.values.errors import FootfallError, Refused
from footfall.values.groups import counters_group, follows_name, pings_group, unfollows_name
from footfall.values.window import instant_text

_FRESH = {"cache-control": "no-store"}

Endpoint = Callable[[Request], Awaitable[Response]]


def site_pages(state: Site, more: Mapping[str, Endpoint] | None = None, *, is_live: bool = False) -> Starlette:
    """Return the application that answers every route but the hot ones; `more` are pages that only some sites have."""
    routes: Mapping[str, Endpoint] = {
        "/v1/ledger": _ledger(state),
        "/readyz": _readiness(state),
        **(more or {}),
    }
    shell = dashboard_shell(state, is_live=is_live)
    application = Starlette(
        routes=[
            *metric_data_routes(state),  # First, for they are asked most.
            *(Route(path, endpoint, methods=["GET"]) for path, endpoint in routes.items()),
            *dashboard_routes(shell),
            *asset_routes(state),
            *edit_routes(state),
            *brand_routes(state),
            *key_routes(state),
            *token_routes(state),
            *audit_routes(state),
            *rules_routes(state),
            *digest_routes(state),
            *metric_routes(state),
            migration_route(state),
            referrers_route(state),
            *verdict_routes(state),
            *trial_routes(state),
            *people_routes(state),
            *alert_routes(state),
            *archive_routes(state),
            *audience_routes(state),
            *uniques_routes(state),
            counter_list_route(state),
            *watching_routes(state),
        ],
        exception_handlers={FootfallError: _told, HTTPException: _not_routed(shell), Exception: _failed},
    )
    application.router.redirect_slashes = False  # There is one spelling of each route.
    return application


def page_paths(application: Starlette) -> list[str]:
    """Return the paths that the application answers."""
    return [route.path for route in application.routes if isinstance(route, Route)]


def _ledger(state: Site) -> Endpoint:
    async def ledger(request: Request) -> Response:
        _require_only_brand(request)
        brand = await brand_of(request, state, scope=READ)
        book = msgspec.json.decode(ledger_json(state.ledger(brand.name)), type=dict[str, object])
        counted = state.ledger(counters_group(brand.name))
        if counted.accepted:  # Values that the brand counts by name, in a balance of their own.
            book["uniques"] = counters_balance(counted)
        pings = state.ledger(pings_group(brand.name))
        if pings.accepted:
            book["pings"] = pings_balance(pings)
        for name, group in (("follows", follows_name(brand.name)), ("unfollows", unfollows_name(brand.name))):
            told = state.ledger(group)
            if told.accepted:
                book[name] = follows_balance(told)
        raw_since_ms = state.raw_since_ms()
        book["rawSince"] = instant_text(raw_since_ms) if raw_since_ms else None
        return page_answer(msgspec.json.encode(book), kind=JSON)

    return ledger


def _require_only_brand(request: Request) -> None:
    for name, _ in request.query_params.multi_items():
        if name not in ("brand", "key"):  # What a key may do is said by whoever looks at it.
            raise Refused(name[:64] or "query", "is not a parameter of the ledger; the only one is brand")


def _readiness(state: Site) -> Endpoint:
    async def readiness(_request: Request) -> Response:
        reasons = state.reasons_not_ready()
        if reasons:
            detail = f"not ready: {', '.join(reasons)}"
            return _problem(problem_document(HTTPStatus.SERVICE_UNAVAILABLE, detail=detail))
        return page_answer(b'{"status":"ready"}', kind=JSON)

    return readiness


def page_answer(body: bytes, *, kind: str) -> Response:
    """Return an answer that no cache keeps."""
    return Response(body, headers={**GUARDS, **_FRESH, "content-type": kind})


def _problem(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    more = {**GUARDS, **problem.headers, **(headers or {}), "content-type": PROBLEM}
    return Response(problem.body, status_code=problem.status, headers=more)


async def _told(_request: Request, error: Exception) -> Response:
    assert isinstance(error, FootfallError)
    return _problem(document_of(error))


def _not_routed(shell: Shell) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def not_routed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status = HTTPStatus(error.status_code)
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = ", ".join(sorted((error.headers or {}).get("Allow", "GET, HEAD").split(", ")))
            detail = f"{request.url.path[:200]} is asked with {allowed}, not with {request.method[:20]}"
            return _problem(problem_document(status, detail=detail), {"allow": allowed})
        if status is HTTPStatus.NOT_FOUND and wants_page(request):
            return shell(request, status)  # Whoever mistyped an address is told so by the page, with its menu.
        return _problem(problem_document(status, detail=f"there is nothing at {request.url.path[:200]!r}"))

    return not_routed


async def _failed(_request: Request, _error: Exception) -> Response:
    # Whoever serves the application logs the error, which is raised again once this has been sent.
    return _problem(problem_document(HTTPStatus.INTERNAL_SERVER_ERROR, detail="footfall failed; its log says why"))
