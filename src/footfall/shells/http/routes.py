"""Every route, once: the lane's own and the pages'."""

from collections.abc import Mapping

ROUTES: Mapping[str, str] = {
    "/": "GET: a page with each brand's live list and ledger, and three lines to try.",
    "/v1/hits": "POST: one hit, an array of hits, or one hit a line.",
    "/v1/popular": "GET: the most popular assets of a period, for any filter.",
    "/v1/ledger": "GET: where every accepted hit of a brand has gone.",
    "/healthz": "GET: whether the process answers.",
    "/readyz": "GET: whether hits are taken and lists are served.",
    "/metrics": "GET: gauges for Prometheus.",
    "/static/page.js": "GET: the page's script.",
    "/static/page.css": "GET: the page's style.",
}
