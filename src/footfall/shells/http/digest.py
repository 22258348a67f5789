"""GET /v1/screening/digest: what a day of screening came to, as it was written down when the day was over."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import ADMIN, READ
from footfall.flow.serve.digest_markdown import digest_markdown
from footfall.flow.store.digests import NoDigest, newest_digest, require_day, stored_digest
from footfall.ports.table import Table
from footfall.shells.http.access import brand_of, caller_of
from footfall.shells.http.brands import told
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.values.errors import Refused

DIGEST: Final = "/v1/screening/digest"
MARKDOWN: Final = "text/markdown; charset=utf-8"
FORMATS: Final = ("json", "markdown")

Endpoint = Callable[[Request], Awaitable[Response]]


def digest_routes(state: Site) -> list[Route]:
    """Return the route of digests."""
    return [Route(DIGEST, _digest(state), methods=["GET"])]


def _digest(state: Site) -> Endpoint:
    async def digest(request: Request) -> Response:
        brand = (await brand_of(request, state, scope=READ)).name
        day, shown_as = _asked(request)

        def question(table: Table) -> bytes | None:
            return stored_digest(table, brand, day) if day else newest_digest(table, brand)

        content = await state.counters.asked(brand, question)
        if content is None:
            raise NoDigest(day or "the last day")
        document = msgspec.json.decode(content, type=dict[str, Any])
        del document["verdictsThrough"]
        if not _may_read_acts(request, brand):
            del document["acts"]
        if shown_as == "json":
            return told(document)
        headers = {**GUARDS, "cache-control": "no-store", "content-type": MARKDOWN}
        return Response(digest_markdown(document), headers=headers)

    return digest


def _asked(request: Request) -> tuple[str, str]:
    for name, _ in request.query_params.multi_items():
        if name not in ("brand", "key", "day", "format"):
            raise Refused(name[:64] or "query", "is not a parameter here; those are brand, day and format")
    given = request.query_params
    shown_as = given.get("format", FORMATS[0])
    if shown_as not in FORMATS:
        raise Refused("format", f"{shown_as[:20]!r} is not one of {', '.join(FORMATS)}")
    return (require_day(given["day"]) if "day" in given else ""), shown_as


def _may_read_acts(request: Request, brand: str) -> bool:
    """Tell whether whoever asks may read the audit trail, which the acts are from."""
    caller = caller_of(request)
    return caller is not None and caller.brand == brand and ADMIN in caller.may
