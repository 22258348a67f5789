"""Files of the page as ready bytes, straight on the lane."""

from http import HTTPStatus
from importlib import resources

from xxhash import xxh3_64_hexdigest

from footfall.shells.http.answers import etag_matches
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import not_allowed
from footfall.shells.http.wire import response

# Ids, labels and brands come from strangers. Should one ever reach the page as markup, it can load and run nothing.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
GUARDS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def static_text(name: str) -> str:
    """Return a file of the page."""
    return (resources.files("footfall.shells.http") / "static" / name).read_text(encoding="utf-8")


class StaticRoute:
    """Bytes that do not change; asked for each time and mostly answered with 304, so that no old script is met."""

    def __init__(self, body: bytes, kind: str, *, is_for_all: bool = False) -> None:
        self._etag = f'"{xxh3_64_hexdigest(body)}"'
        headers = {**GUARDS, "cache-control": "no-cache", "etag": self._etag}
        if is_for_all:
            headers["access-control-allow-origin"] = "*"
        self._whole = response(HTTPStatus.OK, body, kind=kind, headers=headers)
        self._not_modified = response(HTTPStatus.NOT_MODIFIED, b"", headers=headers)

    def __call__(self, exchange: Exchange) -> None:
        """Send the file, or that it has not changed."""
        if exchange.method not in (b"GET", b"HEAD"):
            exchange.reply(not_allowed("GET, HEAD", detail="files are read with GET"))
            return
        wanted = exchange.header(b"if-none-match")
        exchange.reply(self._not_modified if wanted and etag_matches(self._etag, wanted) else self._whole)


def static_routes() -> dict[bytes, StaticRoute]:
    """Return the routes of all files."""
    return {
        b"/static/page.css": StaticRoute(static_text("page.css").encode(), "text/css; charset=utf-8"),
    }
