"""/v1/counters: which named counters a brand has.

A name may tell more than a number, so a brand that has keys shows its names only to those that may read.
"""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import READ
from footfall.ports.table import Table
from footfall.shells.http.access import brand_of
from footfall.shells.http.counter_names import names_of
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.wire import JSON
from footfall.values.counter import require_counter_name
from footfall.values.errors import Refused

PAGE_MAX, PAGE_DEFAULT = 1_000, 100

_HEADERS = {**GUARDS, "cache-control": "no-store", "access-control-allow-origin": "*", "content-type": JSON}
_PARAMETERS = ("after", "limit", "brand", "key")


def counter_list_route(state: Site) -> Route:
    """Return the route that lists counters."""

    async def counters(request: Request) -> Response:
        brand = (await brand_of(request, state, scope=READ)).name
        _require_known(request)
        limit, after = _limit(request), "".join(names_of(request, "after"))
        if after:
            require_counter_name(after, field="after")

        def listed(table: Table) -> list[str]:
            from footfall.flow.serve.uniques import names_after

            return names_after(table, brand, after=after, limit=limit + 1)

        names = await state.counters.asked(brand, listed)
        answer: dict[str, object] = {"brand": brand, "items": [{"name": name} for name in names[:limit]]}
        if len(names) > limit:
            answer["after"] = names[limit - 1]
        return Response(msgspec.json.encode(answer), headers=_HEADERS)

    return Route("/v1/counters", counters, methods=["GET"])


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(PAGE_DEFAULT))
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= PAGE_MAX):
        raise Refused("limit", f"{text[:20]!r} is not a whole number from 1 to {PAGE_MAX:,}")
    return int(text)


def _require_known(request: Request) -> None:
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in _PARAMETERS:
            raise Refused(name[:64] or "query", "is not a parameter here; those are after, limit, brand")
        if given.count(name) > 1:
            raise Refused(name, "is given twice; give it once")
