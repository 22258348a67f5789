"""GET /footfall.js and /widget.js: the scripts that pages carry, which browsers and caches keep for a day."""

from http import HTTPStatus

from xxhash import xxh3_64_hexdigest

from footfall.shells.http.answers import etag_matches
from footfall.shells.http.lane import Exchange, Route
from footfall.shells.http.problems import not_allowed
from footfall.shells.http.static_files import static_text
from footfall.shells.http.wire import response

CACHED_S = 86_400
TRACKER, WIDGET = NAMES = ("footfall.js", "widget.js")


class ScriptRoute:
    """A script as ready bytes, for any site, also one that loads only what agrees to be loaded."""

    def __init__(self, name: str) -> None:
        body = static_text(name).encode()
        self._etag = f'"{xxh3_64_hexdigest(body)}"'
        headers = {
            "access-control-allow-origin": "*",
            "cache-control": f"public, max-age={CACHED_S}",
            "cross-origin-resource-policy": "cross-origin",
            "etag": self._etag,
            "x-content-type-options": "nosniff",
        }
        self._whole = response(HTTPStatus.OK, body, kind="text/javascript; charset=utf-8", headers=headers)
        self._not_modified = response(HTTPStatus.NOT_MODIFIED, b"", headers=headers)

    def __call__(self, exchange: Exchange) -> None:
        """Send the script, or that it has not changed."""
        if exchange.method not in (b"GET", b"HEAD"):
            exchange.reply(not_allowed("GET, HEAD", detail="the script is read with GET"))
            return
        wanted = exchange.header(b"if-none-match")
        exchange.reply(self._not_modified if wanted and etag_matches(self._etag, wanted) else self._whole)


def script_routes() -> dict[bytes, Route]:
    """Return the routes of all scripts by their paths."""
    return {f"/{name}".encode(): ScriptRoute(name) for name in NAMES}
