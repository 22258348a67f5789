"""The pages beside the hot lane."""

from starlette.applications import Starlette

from footfall.shells.http.state import FrontState


def pages(state: FrontState) -> Starlette:
    """Return the application."""
    return Starlette()
