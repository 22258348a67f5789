"""/v1/audience: what members do: whom they follow, where they were, what they play, what that earned."""

from starlette.routing import Route

from footfall.shells.http.audience_earnings import earnings_routes
from footfall.shells.http.audience_history import history_routes
from footfall.shells.http.audience_playbacks import playback_routes
from footfall.shells.http.site import Site

AUDIENCE = "/v1/audience"


def audience_routes(state: Site) -> list[Route]:
    """Return the routes of all parts of the audience."""
    return [*history_routes(state), *playback_routes(state), *earnings_routes(state)]
