"""/v1/metrics/{name}/data: a metric's numbers are asked for, and the points that they are made of are pushed."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import READ, WRITE
from footfall.flow.collect.inflate import inflate
from footfall.shells.http.access import brand_of
from footfall.shells.http.answers import etag_matches
from footfall.shells.http.brands import require_no_parameters, told
from footfall.shells.http.metric_routes import METRIC
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.wire import JSON
from footfall.values.errors import Refused

if TYPE_CHECKING:  # Data bring numpy along, which a site without metrics never loads.
    from footfall.metrics.data import MetricData, Told
    from footfall.metrics.points import Taken

CSV_KIND = "text/csv; charset=utf-8; header=present"
FORMATS = ("json", "csv")
_LINES = ("ndjson", "jsonl", "json-lines", "json-seq")
HEADERS = {**GUARDS, "cache-control": "private, no-cache", "vary": "accept, authorization, cookie"}

Endpoint = Callable[[Request], Awaitable[Response]]


def metric_data_routes(state: Site) -> list[Route]:
    """Return the route of a metric's data."""
    return [Route(f"{METRIC}/data", _data(state), methods=["GET", "POST"])]


def _data(state: Site) -> Endpoint:
    async def data(request: Request) -> Response:
        if request.method == "POST":
            return await _pushed(state, request)
        from footfall.app.metric_questions import data_parameters, data_query

        brand = (await brand_of(request, state, scope=READ)).name
        given = data_parameters(request.scope["query_string"].decode("latin-1"))
        accepted = request.headers.get("accept", "")
        query, form = data_query(_name(request), given), form_wanted(given.get("format", []), accepted)
        found = await state.metrics.data(brand, query)
        headers = headers_of(found)
        if form == "json":
            return _sent(request, found.body, JSON, {**headers, "etag": found.etag})
        table = await state.metrics.table(brand, found)
        return _sent(request, table.body, CSV_KIND, {**headers, "etag": table.etag})

    return data


async def _pushed(state: Site, request: Request) -> Response:
    from footfall.app.metric_questions import taken_document
    from footfall.metrics.names import require_metric_name

    brand, name = (await brand_of(request, state, scope=WRITE)).name, require_metric_name(_name(request))
    require_no_parameters(request)
    body, bytes_max = await request.body(), state.settings.http_inflated_bytes_max
    encoding = request.headers.get("content-encoding", "").lower()
    form = form_of(request.headers.get("content-type", ""))

    def push(data: "MetricData") -> "Taken":
        return data.push(brand, name, inflate(body, encoding, bytes_max=bytes_max), form)

    return told(taken_document(brand, name, await state.metrics.push(brand, push)))


def form_of(kind: str) -> str:
    """Return how a body of a content type is written; JSON unless the type says otherwise."""
    kind = kind.lower()
    return "csv" if "csv" in kind else "ndjson" if any(word in kind for word in _LINES) else "json"


def _name(request: Request) -> str:
    return str(request.path_params["name"])


def form_wanted(given: Sequence[str], accepted: str) -> str:
    """Return how the answer is to be written: as the address says, else as the client would rather have it."""
    if len(given) > 1:
        raise Refused("format", "is given twice; give it once")
    if given:
        if given[0] not in FORMATS:
            raise Refused("format", f"{given[0][:20]!r} is not one of {', '.join(FORMATS)}")
        return given[0]
    accepted = accepted.lower()
    return "csv" if "text/csv" in accepted and "json" not in accepted else "json"


def headers_of(told: "Told") -> dict[str, str]:
    """Return the headers of an answer: that the metric is deprecated, since when, and what to use instead."""
    if (gone := told.deprecation) is None:
        return HEADERS
    link = f'</v1/metrics/{quote(gone.replacement, safe="")}/data>; rel="successor-version"'
    since = {"deprecation": f"@{gone.at_ms // 1_000}"}  # A date as RFC 9651 writes it, in seconds.
    return {**HEADERS, **since, **({"link": link} if gone.replacement else {})}


def _sent(request: Request, body: bytes, kind: str, headers: Mapping[str, str]) -> Response:
    wanted = request.headers.get("if-none-match", "")
    if wanted and etag_matches(headers["etag"], wanted):
        return Response(b"", status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(body, headers={**headers, "content-type": kind})
