"""/v1/metrics: a brand's metric definitions: added, changed, deprecated, found, compared and traced."""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import NO_KEY
from footfall.accounts.keys import EDIT, READ
from footfall.metrics.errors import RESERVED_ENDS, ChangedMeanwhile
from footfall.shells.http.access import brand_of, caller_of
from footfall.shells.http.answers import etag_matches
from footfall.shells.http.brands import document_in, told
from footfall.shells.http.problems import problem_document
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.wire import JSON, PROBLEM
from footfall.values.errors import Refused
from footfall.values.window import moment_from_text

if TYPE_CHECKING:  # Formulas bring a parser along, which a site without metrics never loads.
    from footfall.app.metric_acts import MetricChange, Metrics

METRICS, METRIC = "/v1/metrics", "/v1/metrics/{name:metric}"
OWN = f"{METRICS}/own"  # A metric of this name is asked for, saved and removed there as every other is.
PAGE_MAX, PAGE_DEFAULT = 1_000, 100
DEPTH_MAX = 20
NUMBER_MAX = 10**9
_ETAG = re.compile(r'(?:W/)?"([0-9]{1,9})-[0-9a-f]{32}(?:-[0-9a-f]{8})?"')

Endpoint = Callable[[Request], Awaitable[Response]]


class _Named(Convertor[str]):
    """The part of an address that is a metric's name: it may have slashes, and ends where a route goes on."""

    regex = ".+" + "".join(f"(?<!/{end})" for end in RESERVED_ENDS)

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("metric", _Named())


def metric_routes(state: Site) -> list[Route]:
    """Return the routes of metric definitions; those with more behind a name come before the name alone."""
    return [
        Route(METRICS, _many(state), methods=["GET", "POST"]),
        Route(OWN, _own(state), methods=["POST"]),
        Route(f"{METRIC}/versions", _versions(state), methods=["GET"]),
        Route(f"{METRIC}/diff", _diff(state), methods=["GET"]),
        Route(f"{METRIC}/lineage", _lineage(state), methods=["GET"]),
        Route(f"{METRIC}/deprecate", _deprecate(state), methods=["POST"]),
        Route(f"{METRIC}/restore", _restore(state), methods=["POST"]),
        Route(METRIC, _one(state), methods=["GET", "PUT", "DELETE"]),
    ]


def _many(state: Site) -> Endpoint:
    async def metrics(request: Request) -> Response:
        from footfall.app.metric_acts import adding, listed

        if request.method == "POST":
            brand = (await brand_of(request, state, scope=EDIT)).name
            _require_only(request, ())
            change = adding(brand, await document_in(request), by=_actor(request))
            return _answer(await _changed(state, brand, change), status=HTTPStatus.CREATED)
        brand = (await brand_of(request, state, scope=READ)).name
        _require_only(request, ("q", "prefix", "valueType", "deprecated", "uses", "limit", "after"))
        sought, limit = _sought(request), _whole(request, "limit", PAGE_DEFAULT, 1, PAGE_MAX)
        after = request.query_params.get("after", "")
        return told(await state.metrics.asked(brand, lambda of: listed(of, brand, sought, limit=limit, after=after)))

    return metrics


def _own(state: Site) -> Endpoint:
    async def own(request: Request) -> Response:
        from footfall.app.metric_acts import adding
        from footfall.app.own_metrics import documents_of, to_define

        brand = (await brand_of(request, state, scope=EDIT)).name
        _require_only(request, ())
        for name in await document_in(request):
            raise Refused(name[:64], "is not a field here; nothing is sent")
        defined = await state.metrics.change(brand, lambda catalogue: to_define(catalogue, brand))
        for document in documents_of(defined):
            await _changed(state, brand, adding(brand, document, by=_actor(request)))
        return told({"brand": brand, **asdict(defined)})

    return own


def _one(state: Site) -> Endpoint:
    async def metric(request: Request) -> Response:
        if request.method == "PUT":
            return await _put(state, request)
        if request.method == "DELETE":
            return await _delete(state, request)
        brand = (await brand_of(request, state, scope=READ)).name
        _require_only(request, ("version", "hash", "asOf"))
        name, asked = _name(request), _version_asked(request)

        def found(metrics: "Metrics") -> dict[str, Any]:
            from footfall.app.metric_acts import shown, version_asked

            return shown(metrics.catalogue, brand, version_asked(metrics, brand, name, asked))

        return _answer(await state.metrics.asked(brand, found), wanted=request.headers.get("if-none-match", ""))

    return metric


async def _put(state: Site, request: Request) -> Response:
    from footfall.app.metric_acts import updating

    brand = (await brand_of(request, state, scope=EDIT)).name
    _require_only(request, ())
    based_on = _if_match(request)
    change = updating(brand, _name(request), await document_in(request), by=_actor(request), based_on=based_on)
    return await _changed_from(state, brand, change, based_on)


async def _delete(state: Site, request: Request) -> Response:
    from footfall.app.metric_acts import removing

    brand = (await brand_of(request, state, scope=EDIT)).name
    _require_only(request, ())
    change = removing(brand, _name(request), by=_actor(request))
    return told(await _changed(state, brand, change))


def _deprecate(state: Site) -> Endpoint:
    async def deprecate(request: Request) -> Response:
        from footfall.app.metric_acts import deprecating

        brand = (await brand_of(request, state, scope=EDIT)).name
        _require_only(request, ())
        name, document, based_on = _name(request), await document_in(request), _if_match(request)
        change = deprecating(brand, name, document, by=_actor(request), based_on=based_on)
        return await _changed_from(state, brand, change, based_on)

    return deprecate


def _restore(state: Site) -> Endpoint:
    async def restore(request: Request) -> Response:
        from footfall.app.metric_acts import restoring

        brand = (await brand_of(request, state, scope=EDIT)).name
        _require_only(request, ())
        name, document, based_on = _name(request), await document_in(request), _if_match(request)
        change = restoring(brand, name, document, by=_actor(request), based_on=based_on)
        return await _changed_from(state, brand, change, based_on)

    return restore


def _versions(state: Site) -> Endpoint:
    async def versions(request: Request) -> Response:
        from footfall.app import metric_acts

        brand = (await brand_of(request, state, scope=READ)).name
        _require_only(request, ("limit", "before"))
        name, limit = _name(request), _whole(request, "limit", PAGE_DEFAULT, 1, PAGE_MAX)
        before = _number(request, "before")
        return told(
            await state.metrics.asked(
                brand, lambda of: metric_acts.versions(of, brand, name, limit=limit, before=before)
            )
        )

    return versions


def _diff(state: Site) -> Endpoint:
    async def diff(request: Request) -> Response:
        from footfall.app.metric_acts import compared

        brand = (await brand_of(request, state, scope=READ)).name
        _require_only(request, ("from", "to"))
        name, earlier, later = _name(request), _number(request, "from"), _number(request, "to")
        return told(
            await state.metrics.asked(brand, lambda of: compared(of, brand, name, earlier=earlier, later=later))
        )

    return diff


def _lineage(state: Site) -> Endpoint:
    async def lineage(request: Request) -> Response:
        from footfall.app import metric_acts

        brand = (await brand_of(request, state, scope=READ)).name
        _require_only(request, ("depth",))
        name, depth = _name(request), _whole(request, "depth", DEPTH_MAX, 1, DEPTH_MAX)
        return told(await state.metrics.asked(brand, lambda of: metric_acts.lineage(of, brand, name, depth=depth)))

    return lineage


async def _changed_from(state: Site, brand: str, change: "MetricChange", matched: int | None) -> Response:
    """Make a change of a version, and answer with the one it made; `matched` is the one that If-Match named."""
    try:
        return _answer(await _changed(state, brand, change))
    except ChangedMeanwhile as error:
        if matched is None:
            raise
        problem = problem_document(HTTPStatus.PRECONDITION_FAILED, detail=str(error), more=error.more)
        return Response(problem.body, problem.status, {**GUARDS, **problem.headers, "content-type": PROBLEM})


async def _changed(state: Site, brand: str, change: "MetricChange") -> dict[str, Any]:
    """Rehearse a change, write it down, do it, and return the version that it made."""
    note = await state.metrics.change(brand, change.rehearsed)
    if note is not None:
        await state.desk.look(lambda register: register.trail.write(note))
    return await state.metrics.change(brand, change.done)


def _answer(document: Mapping[str, Any], *, status: HTTPStatus = HTTPStatus.OK, wanted: str = "") -> Response:
    etag = _etag_of(document)
    headers = {**GUARDS, "cache-control": "no-cache", "content-type": JSON, "etag": etag}
    if wanted and etag_matches(etag, wanted):
        del headers["content-type"]
        return Response(b"", status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(msgspec.json.encode(document), status_code=status, headers=headers)


def _etag_of(document: Mapping[str, Any]) -> str:
    """Return the mark of an answer: version and hash, and what it can be grouped by where others decide that."""
    dimensions: Sequence[str] = document.get("dimensions", document["relatedDimensions"])
    more = ""
    if dimensions != document["relatedDimensions"]:
        more = "-" + hashlib.sha256("\n".join(dimensions).encode()).hexdigest()[:8]
    return f'"{document["version"]}-{document["hash"]}{more}"'


def _if_match(request: Request) -> int | None:
    sent = request.headers.get("if-match", "")
    if not sent:
        return None
    found = _ETAG.fullmatch(sent.strip())
    if found is None:
        raise Refused("If-Match", f"{sent[:60]!r} is not the ETag of a metric; send the one that an answer had")
    return int(found[1])


def _actor(request: Request) -> str:
    """Return who asks as the metric's page tells it."""
    caller = caller_of(request)
    return NO_KEY if caller is None else caller.called


def _name(request: Request) -> str:
    return str(request.path_params["name"])


def _sought(request: Request) -> Any:
    from footfall.metrics.definition import ValueType
    from footfall.metrics.listing import Sought

    given = request.query_params
    kind, deprecated = given.get("valueType", ""), given.get("deprecated", "")
    if kind and kind not in set(ValueType):
        raise Refused("valueType", f"{kind[:40]!r} is not one of {', '.join(ValueType)}")
    if deprecated not in ("", "true", "false"):
        raise Refused("deprecated", f"{deprecated[:40]!r} is neither true nor false")
    return Sought(
        words=given.get("q", ""),
        prefix=given.get("prefix", ""),
        value_type=kind,
        uses=given.get("uses", ""),
        is_deprecated=None if not deprecated else deprecated == "true",
    )


def _version_asked(request: Request) -> Mapping[str, Any]:
    moment = request.query_params.get("asOf")
    return {
        "version": _number(request, "version"),
        "hash": request.query_params.get("hash"),
        "asOf": None if moment is None else moment_from_text(moment, field="asOf"),
    }


def _number(request: Request, name: str) -> int | None:
    return None if name not in request.query_params else _whole(request, name, 1, 1, NUMBER_MAX)


def _whole(request: Request, name: str, default: int, lowest: int, highest: int) -> int:
    text = request.query_params.get(name, str(default))
    is_number = text.isascii() and text.isdigit() and len(text) <= 10 and str(int(text)) == text
    if not (is_number and lowest <= int(text) <= highest):
        raise Refused(name, f"{text[:20]!r} is not a whole number from {lowest} to {highest:,}")
    return int(text)


def _require_only(request: Request, names: tuple[str, ...]) -> None:
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in (*names, "brand", "key"):
            raise Refused(name[:64] or "query", f"is not a parameter here; those are {', '.join((*names, 'brand'))}")
        if given.count(name) > 1:
            raise Refused(name, "is given twice; give it once")
