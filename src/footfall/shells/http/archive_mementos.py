"""Memento (RFC 7089) and CDX: a brand's captures for tools that know other archives.

They need what reading the archive needs, or nothing where the brand says so: then what all members see is everybody's.
The address that is asked about stands in the path as it is, with its own query; nothing in it is said to us.
"""

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.app.archive_control import Asker
from footfall.shells.http.archive_asking import Endpoint, key_of_url, require_only, viewer_of, whole_of
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.values.errors import Refused

if TYPE_CHECKING:  # They bring along how mail writes dates, which few ever ask for.
    from footfall.app.archive_mementos import Page, Told

CDX_DEFAULT, CDX_MAX = 1_000, 10_000
BRAND = "/archive/{brand}"
TIMEGATE, TIMEMAP, WEB = "timegate", "timemap/link", "web"


def memento_routes(state: Site) -> list[Route]:
    """Return the routes that other archives have as well."""
    return [
        Route(f"{BRAND}/{TIMEGATE}/{{url:path}}", _time_gate(state), methods=["GET"]),
        Route(f"{BRAND}/{TIMEMAP}/{{url:path}}", _time_map(state), methods=["GET"]),
        Route(f"{BRAND}/{WEB}/{{digits}}/{{url:path}}", _memento(state), methods=["GET"]),
        Route(f"{BRAND}/cdx", _cdx(state), methods=["GET"]),
    ]


def _time_gate(state: Site) -> Endpoint:
    async def time_gate(request: Request) -> Response:
        from footfall.app import archive_mementos as mementos

        asker, page = await _asker(request, state), _page(request, state, TIMEGATE)
        wanted, now_ms = request.headers.get("accept-datetime", ""), state.clock.now_ms()
        return _answer(
            await state.archive.asked(
                asker.brand, lambda archive: mementos.time_gate(archive, asker, page, wanted, now_ms=now_ms)
            )
        )

    return time_gate


def _time_map(state: Site) -> Endpoint:
    async def time_map(request: Request) -> Response:
        from footfall.app import archive_mementos as mementos

        asker, page = await _asker(request, state), _page(request, state, TIMEMAP)
        return _answer(await state.archive.asked(asker.brand, lambda archive: mementos.time_map(archive, asker, page)))

    return time_map


def _memento(state: Site) -> Endpoint:
    async def memento(request: Request) -> Response:
        from footfall.app import archive_mementos as mementos

        digits = str(request.path_params["digits"])
        asker, page = await _asker(request, state), _page(request, state, f"{WEB}/{digits}")
        return _answer(
            await state.archive.asked(
                asker.brand,
                lambda archive: mementos.memento(archive, asker, page, digits, replayed=state.archive.replay_address),
            )
        )

    return memento


def _cdx(state: Site) -> Endpoint:
    async def cdx(request: Request) -> Response:
        from footfall.app import archive_mementos as mementos

        asker = await _asker(request, state)
        require_only(request, "url", "from", "to", "limit", "output")
        key, given = key_of_url(request), request.query_params
        limit = whole_of(request, "limit", default=CDX_DEFAULT, lowest=1, highest=CDX_MAX)
        output = given.get("output", "")
        if output not in ("", "json", "cdxj"):
            raise Refused("output", f"{output[:20]!r} is neither cdxj nor json")
        ends = (given.get("from", ""), given.get("to", ""))
        return _answer(
            await state.archive.asked(
                asker.brand,
                lambda archive: mementos.cdx(archive, asker, key, ends=ends, limit=limit, as_json=output == "json"),
            )
        )

    return cdx


async def _asker(request: Request, state: Site) -> Asker:
    """Return who asks about the brand of the path."""
    name = str(request.path_params["brand"])
    request.scope.setdefault("state", {})  # The copy's is the same, so that limits are told.
    # What stands behind the question mark is the page's, and neither a brand nor a key of ours.
    return await viewer_of(Request({**request.scope, "query_string": f"brand={quote(name, safe='')}".encode()}), state)


def _page(request: Request, state: Site, kind: str) -> "Page":
    """Return the page that an address is about, as it stands there: with its own query and its own percent signs."""
    from footfall.app.archive_mementos import Page

    brand = str(request.path_params["brand"])
    begin = f"/archive/{brand}/{kind}/"
    raw: bytes = request.scope.get("raw_path") or quote(request.scope["path"], safe="/:?#[]@!$&'()*+,;=%").encode()
    path = raw.decode("latin-1")
    begin = begin if path.startswith(begin) else f"/archive/{quote(brand, safe='')}/{kind}/"
    query = request.scope["query_string"].decode("latin-1")
    url = path[len(begin) :] + (f"?{query}" if query else "")
    site = state.settings.people_url or f"http://{request.headers.get('host', 'localhost')}"
    return Page(url, brand, site)


def _answer(told: "Told") -> Response:
    headers = {**GUARDS, "cache-control": "private, no-cache", **told.headers}
    return Response(told.body, status_code=told.status, headers=headers)
