"""/v1/assets: what a brand tells of its assets, put there whole, read back and forgotten."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import Act
from footfall.catalog.asset import Asset
from footfall.catalog.sent import SentAssets, assets_from_csv, assets_from_json, assets_from_lines
from footfall.catalog.shown import UnknownAsset, fields_of
from footfall.flow.collect.fields import Refusal
from footfall.flow.collect.inflate import inflate
from footfall.shells.http.access import brand_of
from footfall.shells.http.audit import note_act
from footfall.shells.http.problems import problem_document, refusals
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.wire import JSON, PROBLEM
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, require_text

IDS_MAX = 100  # in one question
PAGE_MAX, PAGE_DEFAULT = 1_000, 100

_HEADERS = {**GUARDS, "cache-control": "no-store", "access-control-allow-origin": "*", "content-type": JSON}
_LINES = ("ndjson", "jsonl", "json-lines", "json-seq")

Endpoint = Callable[[Request], Awaitable[Response]]


def asset_routes(state: Site) -> list[Route]:
    """Return the routes of the catalogue."""
    return [
        Route("/v1/assets", _many(state), methods=["GET", "PUT"]),
        Route("/v1/assets/{asset_id:path}", _one(state), methods=["GET", "DELETE"]),
    ]


def _many(state: Site) -> Endpoint:
    async def assets(request: Request) -> Response:
        if request.method == "PUT":
            brand = (await brand_of(request, state, scope="write")).name
            return await _put(state, brand, request)
        brand = (await brand_of(request, state, scope="read")).name
        return _answer(await _listed(state, brand, request))

    return assets


def _one(state: Site) -> Endpoint:
    async def asset(request: Request) -> Response:
        scope = "write" if request.method == "DELETE" else "read"
        brand = (await brand_of(request, state, scope=scope)).name
        _require_only(request, ())
        asset_id = require_text("assetId", str(request.path_params["asset_id"]), bytes_max=ASSET_BYTES_MAX)
        if request.method == "DELETE":
            await _require_known(state, brand, asset_id)
            await note_act(state, request, brand, Act.ASSET_DELETED, asset_id)
            if not await state.catalogue.delete(brand, [asset_id]):
                raise UnknownAsset(asset_id)
            return _answer({"deleted": 1})
        return _answer({"brand": brand, **fields_of(await _require_known(state, brand, asset_id))})

    return asset


async def _require_known(state: Site, brand: str, asset_id: str) -> Asset:
    found = await state.catalogue.asked(brand, lambda catalogue: catalogue.get(brand, [asset_id]))
    if asset_id not in found:
        raise UnknownAsset(asset_id)
    return found[asset_id]


async def _put(state: Site, brand: str, request: Request) -> Response:
    _require_only(request, ())
    settings = state.settings
    body = await request.body()
    encoding = request.headers.get("content-encoding", "").lower()
    kind = request.headers.get("content-type", "").lower()

    def read() -> SentAssets:
        whole = inflate(body, encoding, bytes_max=settings.http_inflated_bytes_max)
        if not whole.strip():
            raise Refused("body", "is empty")
        by_kind = assets_from_csv if "csv" in kind else assets_from_json
        if any(word in kind for word in _LINES):
            by_kind = assets_from_lines
        return by_kind(whole, brand=brand, assets_max=state.assets_max)

    with state.catalogue.writing(brand):
        sent = await state.catalogue.beside(read)  # A full body takes a tenth of a second.
        if not sent.assets and sent.refused:
            return _nothing_taken(sent)
        version = await state.catalogue.put(brand, sent.assets)
    result: dict[str, object] = {"stored": len(sent.assets), "version": version}
    if sent.ignored:
        result["ignored"] = list(sent.ignored)
    if sent.refused:
        result |= {"refusedCount": len(sent.refused), "refused": refusals(_refusals(sent))}
    return _answer(result)


async def _listed(state: Site, brand: str, request: Request) -> Mapping[str, object]:
    _require_only(request, ("ids", "after", "limit"))
    ids = [one for one in request.query_params.getlist("ids") if one]
    if ids:
        if len(ids) > IDS_MAX:
            raise Refused("ids", f"has {len(ids)} entries, at most {IDS_MAX} are answered at once")
        for one in ids:
            require_text("ids", one, bytes_max=ASSET_BYTES_MAX)
        found = await state.catalogue.asked(brand, lambda catalogue: catalogue.get(brand, ids))
        return {"brand": brand, "items": [fields_of(found[one]) for one in dict.fromkeys(ids) if one in found]}
    limit, after = _limit(request), request.query_params.get("after", "")
    require_text("after", after, bytes_max=ASSET_BYTES_MAX)
    page, version = await state.catalogue.asked(
        brand, lambda catalogue: (catalogue.page(brand, after, limit + 1), catalogue.version(brand))
    )
    answer: dict[str, object] = {"brand": brand, "version": version, "items": [fields_of(one) for one in page[:limit]]}
    if len(page) > limit:
        answer["after"] = page[limit - 1].id
    return answer


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(PAGE_DEFAULT))
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= PAGE_MAX):
        raise Refused("limit", f"{text[:20]!r} is not a whole number from 1 to {PAGE_MAX:,}")
    return int(text)


def _require_only(request: Request, names: tuple[str, ...]) -> None:
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in (*names, "brand", "key"):
            raise Refused(name[:64] or "query", f"is not a parameter here; those are {', '.join((*names, 'brand'))}")
        if name != "ids" and given.count(name) > 1:
            raise Refused(name, "is given twice; give it once")


def _refusals(sent: SentAssets) -> list[Refusal]:
    return [Refusal(one.index, one.field, one.reason) for one in sent.refused]


def _nothing_taken(sent: SentAssets) -> Response:
    first = sent.refused[0]
    detail = f"{first.field}: {first.reason}"
    is_batch = sent.count > 1
    if is_batch:
        detail = f"none of the {sent.count:,} assets can be taken; the first: {detail}"
    problem = problem_document(
        HTTPStatus.BAD_REQUEST, detail=detail, field=first.field, refused=_refusals(sent) if is_batch else ()
    )
    headers = {**GUARDS, **problem.headers, "content-type": PROBLEM}
    return Response(problem.body, status_code=problem.status, headers=headers)


def _answer(content: Mapping[str, object]) -> Response:
    return Response(msgspec.json.encode(content), headers=_HEADERS)
