"""GET /v1/series and /v1/assets/{id}/series: how a brand, some labels or one asset did over time."""

from collections.abc import Mapping

from footfall.flow.serve.parameters import Given
from footfall.flow.serve.series_query import (
    asset_in,
    require_series,
    series_canonical,
    series_parameters,
    series_query_from,
)
from footfall.shells.http.lane import Exchange, Route
from footfall.shells.http.reading import Question
from footfall.values.period import Period

_ASSET = "assetId"  # No parameter of a series has this name; the path gives it.


class SeriesAsks:
    """What may be asked of a series."""

    def given(self, target: bytes) -> Given:
        """Return the parameters of an address, the asset that its path names among them."""
        path, _, raw_query = target.decode("latin-1").partition("?")
        asset = asset_in(path)
        given = series_parameters(raw_query, of_asset=asset is not None)
        return given if asset is None else {**given, _ASSET: [asset]}

    def question(self, given: Given, _periods: Mapping[str, Period]) -> Question:
        """Return the question that the parameters ask."""
        query = series_query_from(given, asset=given.get(_ASSET, [""])[0])

        def require(zone: str, now_ms: int) -> None:
            require_series(query, zone=zone, now_ms=now_ms)

        return Question(series_canonical(query), is_of_the_past=True, require=require)


def is_series_of_asset(exchange: Exchange) -> bool:
    """Tell whether an address is that of an asset's series; an id that ends in `/series` has that slash escaped."""
    path = exchange.target.partition(b"?")[0]
    return path.startswith(b"/v1/assets/") and path.endswith(b"/series") and len(path) > len(b"/v1/assets//series")


def series_or(series: Route, otherwise: Route) -> Route:
    """Return a route that knows the series of assets, and passes on everything else."""

    def route(exchange: Exchange) -> None:
        (series if is_series_of_asset(exchange) else otherwise)(exchange)

    return route
