"""The pages of a function: those that every site has."""

from starlette.applications import Starlette

from footfall.shells.http.site_pages import site_pages
from footfall.shells.lambdas.function_site import FunctionSite


def function_pages(site: FunctionSite) -> Starlette:
    """Return the application that answers every route but the hot ones."""
    return site_pages(site)
