"""Every route that readers ask of ready answers, put together for an instance and for a function alike."""

from footfall.accounts.brands import Brands
from footfall.app.settings import Settings
from footfall.flow.serve.query import BRANDS, SCREENING
from footfall.flow.serve.series_query import SERIES
from footfall.shells.http.access import Access
from footfall.shells.http.answers import Answers
from footfall.shells.http.lane import Route
from footfall.shells.http.popular import POPULAR, list_asks
from footfall.shells.http.reading import Asks, OwnersRoute, ReadingRoute
from footfall.shells.http.series import SeriesAsks
from footfall.shells.http.top_brands import TopBrandsRoute
from footfall.shells.http.widget import WIDGET, WidgetAsks, WidgetRoute
from footfall.values.clock import Clock


def reading_routes(
    answers: Answers, brands: Brands, settings: Settings, *, access: Access, clock: Clock
) -> dict[bytes, Route]:
    """Return the routes by their paths; that of series is the one of assets' series as well."""
    lists = list_asks(settings)
    asks: dict[str, Asks] = {**lists, SERIES: SeriesAsks(), WIDGET: WidgetAsks(lists[POPULAR])}
    routes: dict[bytes, Route] = {
        path.encode(): ReadingRoute(one, answers, brands, settings, access=access, clock=clock)
        for path, one in asks.items()
    }
    owners = asks[SCREENING]
    routes[SCREENING.encode()] = OwnersRoute(owners, answers, brands, settings, access=access, clock=clock)
    routes[WIDGET.encode()] = WidgetRoute(routes[WIDGET.encode()])
    routes[BRANDS.encode()] = TopBrandsRoute(answers, brands, settings, access=access, clock=clock)
    return routes
