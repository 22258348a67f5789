"""Count page views of a Flask application. How to: docs/how-to/count-from-flask.md."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from footfall.client.footfall import Footfall
from footfall.client.pages import COUNT_HEADER, HEADERS, Page, Rules, View, count_page

if TYPE_CHECKING:
    from flask import Flask, Request, Response

PageOf = Callable[["Request", "Response"], Page | None]


def count_pages(app: "Flask", client: Footfall, *, page_of: PageOf | None = None, rules: Rules | None = None) -> None:
    """Count what the application answers from now on.

    A page is described by `page_of`, or by the view itself: `flask.g.footfall = Page(...)`, or the response's
    `Footfall-…` headers, which do not leave the server.
    """
    from flask import g, request

    rules = rules or Rules()

    def counted(response: "Response") -> "Response":
        def page() -> Page | None:
            found: object = page_of(request, response) if page_of is not None else None
            found = found or g.get("footfall")
            return found if isinstance(found, Page) else None

        count_page(client, lambda: _view(request, response), page_of=page, rules=rules)
        for name in (*HEADERS, COUNT_HEADER):
            response.headers.pop(name, None)
        return response

    app.after_request(counted)


def _view(request: "Request", response: "Response") -> View:
    asked = {name.lower(): value for name, value in request.headers}
    answered = {name.lower(): value for name, value in response.headers}
    return View(request.method, request.base_url, asked, response.status_code, answered)
