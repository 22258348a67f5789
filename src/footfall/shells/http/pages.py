"""The pages beside the hot lane: the live page, the ledger, readiness and the gauges.

They are asked rarely, so they are written for comfort. Each reads what it needs at that moment.
"""

import html
import re
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

import msgspec
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall import __version__
from footfall.flow.serve.ledger import ledger_json
from footfall.shells.http.gauges import GAUGES_KIND, gauge_registry, gauges_text
from footfall.shells.http.problems import Problem, document_of, problem_document
from footfall.shells.http.state import FrontState
from footfall.shells.http.static_files import GUARDS, static_text
from footfall.shells.http.wire import JSON, PROBLEM
from footfall.values.errors import FootfallError, Refused
from footfall.values.window import instant_text

_FRESH = {"cache-control": "no-store"}
_MARK = re.compile(r"\{\{\w+\}\}")

Endpoint = Callable[[Request], Awaitable[Response]]


def pages(state: FrontState) -> Starlette:
    """Return the application that answers every route but the lane's own."""
    routes: Mapping[str, Endpoint] = {
        "/": _page(state),
        "/v1/ledger": _ledger(state),
        "/readyz": _readiness(state),
        "/metrics": _gauges(gauge_registry(state)),
    }
    application = Starlette(
        routes=[Route(path, endpoint, methods=["GET"]) for path, endpoint in routes.items()],
        exception_handlers={FootfallError: _told, HTTPException: _not_routed, Exception: _failed},
    )
    application.router.redirect_slashes = False  # There is one spelling of each route.
    return application


def _page(state: FrontState) -> Endpoint:
    template = static_text("index.html")

    async def page(_request: Request) -> Response:
        appended = state.stream.appended()
        brands = sorted(state.known_brands(), key=lambda brand: (-appended.get(brand, 0), brand))
        values = {
            "{{brands}}": _attribute(brands),
            "{{periods}}": _attribute(list(state.settings.periods)),
            "{{version}}": html.escape(__version__),
        }
        # In one pass: a brand that is spelled like a mark is not one.
        text = _MARK.sub(lambda mark: values[mark[0]], template)
        return _answer(text.encode(), kind="text/html; charset=utf-8", headers=_FRESH)

    return page


def _attribute(names: list[str]) -> str:
    """Return names as JSON inside an attribute: a script element would be refused by the policy."""
    return html.escape(msgspec.json.encode(names).decode(), quote=True)


def _ledger(state: FrontState) -> Endpoint:
    async def ledger(request: Request) -> Response:
        name = _only_brand(request)
        state.brands.require_known(name)
        book = msgspec.json.decode(ledger_json(state.ledger(name)), type=dict[str, object])
        kept_since_ms = state.stream.kept_since_ms()
        book["rawSince"] = instant_text(kept_since_ms) if kept_since_ms else None
        return _answer(msgspec.json.encode(book), kind=JSON, headers=_FRESH)

    return ledger


def _only_brand(request: Request) -> str:
    given = request.query_params.multi_items()
    for name, _ in given:
        if name != "brand":
            raise Refused(name[:64] or "query", "is not a parameter of the ledger; the only one is brand")
    if len(given) > 1:
        raise Refused("brand", "is given twice; give it once")
    if not given or not given[0][1]:
        raise Refused("brand", "is missing; say whose ledger is asked for, as in brand=abc")
    return given[0][1]


def _readiness(state: FrontState) -> Endpoint:
    async def readiness(_request: Request) -> Response:
        reasons: list[str] = []
        if state.lane.is_draining:
            reasons.append("the instance is stopping")
        if not state.counting.is_ready.is_set():
            reasons.append("the counting process is not up")
        if not state.answering.is_ready.is_set():
            reasons.append("the answering process is not up")
        if reasons:
            detail = f"not ready: {', '.join(reasons)}"
            return _problem(problem_document(HTTPStatus.SERVICE_UNAVAILABLE, detail=detail))
        return _answer(b'{"status":"ready"}', kind=JSON, headers=_FRESH)

    return readiness


def _gauges(registry: CollectorRegistry) -> Endpoint:
    async def gauges(_request: Request) -> Response:
        return _answer(gauges_text(registry), kind=GAUGES_KIND, headers=_FRESH)

    return gauges


def _answer(body: bytes, *, kind: str, headers: Mapping[str, str]) -> Response:
    more = {**GUARDS, **headers}
    return Response(body, headers={**more, "content-type": kind})


def _problem(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    more = {**GUARDS, **problem.headers, **(headers or {}), "content-type": PROBLEM}
    return Response(problem.body, status_code=problem.status, headers=more)


async def _told(_request: Request, error: Exception) -> Response:
    assert isinstance(error, FootfallError)
    return _problem(document_of(error))


async def _not_routed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        detail = f"{request.url.path} is read with GET, not with {request.method[:20]}"
        return _problem(problem_document(status, detail=detail), {"allow": "GET, HEAD"})
    return _problem(problem_document(status, detail=f"there is nothing at {request.url.path[:200]!r}"))


async def _failed(_request: Request, _error: Exception) -> Response:
    # Whoever serves the application logs the error, which is raised again once this has been sent.
    return _problem(problem_document(HTTPStatus.INTERNAL_SERVER_ERROR, detail="footfall failed; its log says why"))
