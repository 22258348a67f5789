"""Every route of an instance, as a function serves it: each is made, and its modules imported, when first asked for.

So whoever only takes hits never loads what lists need, and an instance and a function cannot answer differently.
"""

from collections.abc import Callable, Mapping

from footfall.shells.http.hits import HitsRoute, PageHitsRoute
from footfall.shells.http.lane import Exchange, Route
from footfall.shells.http.pixel import PixelRoute
from footfall.shells.http.problems import problem_of
from footfall.shells.http.wire import response
from footfall.shells.lambdas.function_site import FunctionSite
from footfall.values.errors import FootfallError

Maker = Callable[[FunctionSite], Route]

READ_PATHS = (
    b"/v1/popular",
    b"/v1/trending",
    b"/v1/top/sections",
    b"/v1/top/types",
    b"/v1/screening",
    b"/v1/top/brands",
    b"/v1/series",
    b"/v1/widget",
)
SERIES, ASSETS = b"/v1/series", b"/v1/assets/"
HEALTHY = response(200, b'{"status":"ok"}', headers={"cache-control": "no-store"})


class FunctionRoutes:
    """The routes that were asked for so far."""

    def __init__(self, site: FunctionSite) -> None:
        self._site = site
        self._made: dict[bytes, Route] = {}

    def route(self, path: bytes) -> Route:
        """Return the route of a path; what is no hot route is for the pages, which know what is nothing at all."""
        known = path if path in MAKERS else ASSETS if path.startswith(ASSETS) else b""
        if known not in self._made:
            self._made[known] = MAKERS.get(known, _pages)(self._site)
        return self._made[known]


def _knowing(site: FunctionSite, make: Callable[[], Route], *, with_lists: bool = False) -> Route:
    """Return a route that knows the brands and keys as they are, and the counts if it needs them."""
    made: list[Route] = []

    def route(exchange: Exchange) -> None:
        try:
            site.desk.refresh()
            if with_lists:
                site.lists.refresh()
            if not made:
                made.append(make())
        except FootfallError as error:
            exchange.reply(problem_of(error))
            return
        made[0](exchange)

    return route


def _hits(site: FunctionSite) -> Route:
    return _knowing(site, lambda: HitsRoute(site.door))


def _pings(site: FunctionSite) -> Route:
    def made() -> Route:
        from footfall.shells.http.pings import PingsRoute

        return PingsRoute(site.door)

    return _knowing(site, made)


def _page_hits(site: FunctionSite) -> Route:
    return _knowing(site, lambda: PageHitsRoute(site.door))


def _pixel(site: FunctionSite) -> Route:
    return _knowing(site, lambda: PixelRoute(HitsRoute(site.door)))


def _read(path: bytes) -> Maker:
    def make(site: FunctionSite) -> Route:
        def made() -> Route:
            from footfall.shells.http.reading_routes import reading_routes

            routes = reading_routes(
                site.lists.answers, site.brands, site.settings, access=site.access, clock=site.clock
            )
            return routes[path]

        return _knowing(site, made, with_lists=True)

    return make


def _series_or_pages(site: FunctionSite) -> Route:
    """Return the route of what begins like an asset's address: its series, or what the catalogue knows."""
    from footfall.shells.http.series import series_or

    return series_or(_read(SERIES)(site), _pages(site))


def _script(name: str) -> Maker:
    def make(_site: FunctionSite) -> Route:
        from footfall.shells.http.page_scripts import ScriptRoute

        return ScriptRoute(name)

    return make


def _static(path: bytes) -> Maker:
    def make(_site: FunctionSite) -> Route:
        from footfall.shells.http.static_files import static_routes

        return static_routes()[path]

    return make


def _described(path: bytes) -> Maker:
    def make(_site: FunctionSite) -> Route:
        from footfall.shells.http.description import description_routes

        return description_routes()[path]

    return make


def _healthy(_site: FunctionSite) -> Route:
    return lambda exchange: exchange.reply(HEALTHY)


def _pages(site: FunctionSite) -> Route:
    def made() -> Route:
        from footfall.shells.http.asgi import AsgiRoute
        from footfall.shells.http.limit_lines import TellingLimits
        from footfall.shells.lambdas.function_pages import function_pages

        pages = AsgiRoute()
        pages.serve(TellingLimits(function_pages(site)), site)
        return pages

    return _knowing(site, made)


MAKERS: Mapping[bytes, Maker] = {
    b"/v1/hits": _hits,
    b"/v1/pixel.gif": _pixel,
    b"/v1/pagehits": _page_hits,
    b"/v1/pings": _pings,
    **{path: _read(path) for path in READ_PATHS},
    ASSETS: _series_or_pages,
    b"/healthz": _healthy,
    b"/footfall.js": _script("footfall.js"),
    b"/widget.js": _script("widget.js"),
    b"/player.js": _script("player.js"),
    b"/static/page.css": _static(b"/static/page.css"),
    b"/openapi.json": _described(b"/openapi.json"),
    b"/docs": _described(b"/docs"),
    b"/static/docs.css": _described(b"/static/docs.css"),
}
