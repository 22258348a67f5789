"""GET /footfall.js, /widget.js and /player.js: scripts that pages carry, which browsers and caches keep for a day."""

import gzip
from http import HTTPStatus

from xxhash import xxh3_64_hexdigest

from footfall.shells.http.answers import etag_matches
from footfall.shells.http.lane import Exchange, Route
from footfall.shells.http.problems import not_allowed
from footfall.shells.http.static_files import static_text
from footfall.shells.http.wire import response

CACHED_S = 86_400
TRACKER, WIDGET, PLAYER = NAMES = ("footfall.js", "widget.js", "player.js")


class ScriptRoute:
    """A script as ready bytes, for any site, also one that loads only what agrees to be loaded."""

    def __init__(self, name: str) -> None:
        body = static_text(name).encode()
        self._etag = f'"{xxh3_64_hexdigest(body)}"'
        headers = {
            "access-control-allow-origin": "*",
            "cache-control": f"public, max-age={CACHED_S}",
            "cross-origin-resource-policy": "cross-origin",
            "etag": f"W/{self._etag}",  # It names what the script says, however it is packed.
            "vary": "accept-encoding",
            "x-content-type-options": "nosniff",
        }
        self._whole = response(HTTPStatus.OK, body, kind="text/javascript; charset=utf-8", headers=headers)
        packed = {**headers, "content-encoding": "gzip"}
        squeezed = gzip.compress(body, 9, mtime=0)
        self._packed = response(HTTPStatus.OK, squeezed, kind="text/javascript; charset=utf-8", headers=packed)
        self._not_modified = response(HTTPStatus.NOT_MODIFIED, b"", headers=headers)

    def __call__(self, exchange: Exchange) -> None:
        """Send the script, or that it has not changed."""
        if exchange.method not in (b"GET", b"HEAD"):
            exchange.reply(not_allowed("GET, HEAD", detail="the script is read with GET"))
            return
        wanted = exchange.header(b"if-none-match")
        if wanted and etag_matches(self._etag, wanted):
            exchange.reply(self._not_modified)
        else:
            exchange.reply(self._packed if takes_gzip(exchange.header(b"accept-encoding")) else self._whole)


def takes_gzip(accepted: str) -> bool:
    """Tell whether a browser takes gzip: it names it, and does not give it a weight of none."""
    for one in accepted.lower().split(","):
        name, _, weight = one.partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "").rstrip("0.") not in ("q=",)
    return False


def script_routes() -> dict[bytes, Route]:
    """Return the routes of all scripts by their paths."""
    return {f"/{name}".encode(): ScriptRoute(name) for name in NAMES}
