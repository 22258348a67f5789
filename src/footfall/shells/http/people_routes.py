"""Every route of people's accounts, put together."""

from starlette.routing import Route

from footfall.shells.http.invitations import invitation_routes
from footfall.shells.http.members import member_routes
from footfall.shells.http.owners import owner_routes
from footfall.shells.http.password import password_routes
from footfall.shells.http.reception import Reception
from footfall.shells.http.session import session_routes
from footfall.shells.http.setup import setup_routes
from footfall.shells.http.site import Site


def people_routes(state: Site) -> list[Route]:
    """Return the routes of people's accounts; they count attempts together."""
    reception = Reception(state)
    return [
        *session_routes(reception),
        *setup_routes(reception),
        *invitation_routes(reception),
        *password_routes(reception),
        *member_routes(reception),
        *owner_routes(reception),
    ]
