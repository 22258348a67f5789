"""Finding captures: of a page by day, the latest, on a calendar, in libraries, by words, and two beside each other."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.app import archive_questions as questions
from footfall.app.archive_questions import SEARCH_DEFAULT, SEARCH_MAX, YEAR_MAX, YEAR_MIN
from footfall.ports.searching import QUERY_CHARACTERS_MAX
from footfall.shells.http.archive_asking import (
    Endpoint,
    asker_of,
    key_of_url,
    require_only,
    required_of,
    span_of,
    whole_of,
)
from footfall.shells.http.archive_captures import told_capture
from footfall.shells.http.brands import told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

ARCHIVE = "/v1/archive"


def finding_routes(state: Site) -> list[Route]:
    """Return the routes that find captures."""
    return [
        Route(f"{ARCHIVE}/captures", _captures(state), methods=["GET"]),
        Route(f"{ARCHIVE}/latest", _latest(state), methods=["GET"]),
        Route(f"{ARCHIVE}/calendar", _calendar(state), methods=["GET"]),
        Route(f"{ARCHIVE}/library", _library(state), methods=["GET"]),
        Route(f"{ARCHIVE}/search", _search(state), methods=["GET"]),
        Route(f"{ARCHIVE}/compare", _compare(state), methods=["GET"]),
    ]


def _captures(state: Site) -> Endpoint:
    async def captures(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request, "url", "day", "limit", "after")
        key, day, span = key_of_url(request), request.query_params.get("day", ""), span_of(request)
        return told(
            await state.archive.asked(
                asker.brand, lambda archive: questions.captures_of(archive, asker, key, day=day, span=span)
            )
        )

    return captures


def _latest(state: Site) -> Endpoint:
    async def latest(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request, "url")
        key = key_of_url(request)
        found = await state.archive.asked(asker.brand, lambda archive: questions.latest_of(archive, asker, key))
        return told(told_capture(state, asker, found))

    return latest


def _calendar(state: Site) -> Endpoint:
    async def calendar(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request, "url", "year")
        key, now = key_of_url(request), questions.this_year(state.clock.now_ms())
        year = whole_of(request, "year", default=now, lowest=YEAR_MIN, highest=YEAR_MAX)
        return told(
            await state.archive.asked(
                asker.brand, lambda archive: questions.calendar_of(archive, asker, key, year=year)
            )
        )

    return calendar


def _library(state: Site) -> Endpoint:
    async def library(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request, "of", "limit", "after")
        whose, span = request.query_params.get("of", ""), span_of(request)
        if whose not in ("", "brand"):
            raise Refused("of", f"{whose[:20]!r} is not brand; leave it out for your own")
        return told(
            await state.archive.asked(
                asker.brand,
                lambda archive: questions.library_of(archive, asker, of_brand=whose == "brand", span=span),
            )
        )

    return library


def _search(state: Site) -> Endpoint:
    async def search(request: Request) -> Response:
        asker = await asker_of(request, state)
        require_only(request, "q", "limit", "after")
        words, span = (
            required_of(request, "q", "say what to look for"),
            span_of(request, default=SEARCH_DEFAULT, most=SEARCH_MAX),
        )
        if len(words) > QUERY_CHARACTERS_MAX:
            raise Refused("q", f"has {len(words):,} characters, at most {QUERY_CHARACTERS_MAX} are looked for")
        return told(
            await state.archive.asked(asker.brand, lambda archive: questions.searched(archive, asker, words, span=span))
        )

    return search


def _compare(state: Site) -> Endpoint:
    async def compare(request: Request) -> Response:
        from footfall.app.archive_comparing import compared

        asker = await asker_of(request, state)
        require_only(request, "a", "b")
        ids = [required_of(request, name, "name the two captures, as in a=ID&b=ID") for name in ("a", "b")]
        return told(await state.archive.made(asker.brand, lambda archive: compared(archive, asker, ids)))

    return compare
