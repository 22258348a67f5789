"""GET /v1/pixel.gif: one hit in an address, for pages without scripts; an image whatever happens, and a true status."""

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import parse_qsl

import msgspec

from footfall.flow.collect.page_address import asset_from_address, cleaned_address
from footfall.shells.http.lane import Exchange, Route
from footfall.shells.http.problems import not_allowed
from footfall.shells.http.wire import response
from footfall.values.errors import Refused

PARAMETERS_MAX = 50  # Ours are ten; the rest are the page's own.
REASON_BYTES_MAX = 500
# A transparent pixel: header, two colours, the one that is transparent, one dot, the end.
GIF = bytes.fromhex(
    "474946383961 0100 0100 80 00 00 000000 ffffff 21f904 01 0000 00 00 2c 0000 0000 0100 0100 00 02 02 4401 00 3b"
)
PROBLEM_HEADER = "footfall-problem"

_NAMES: Mapping[str, str] = {
    "brand": "brand",
    "asset": "assetId",
    "section": "sectionId",
    "type": "resourceType",
    "paid": "paidType",
    "url": "url",
    "referrer": "referrer",
}
_GUARDS = {"cache-control": "no-store", "cross-origin-resource-policy": "cross-origin"}
_NOT_COUNTED = response(
    HTTPStatus.NO_CONTENT,
    b"",
    headers={
        **_GUARDS,
        "access-control-allow-origin": "*",
        PROBLEM_HEADER: "not counted: nobody looks at the page yet",
    },
)
_OF_A_BODY = (b"content-type", b"content-encoding", b"content-length")


class PixelRoute:
    """The route of the image. Its hit goes the way of all others: as if it had been posted."""

    def __init__(self, hits: Route) -> None:
        self._hits = hits

    def __call__(self, exchange: Exchange) -> None:
        """Take the hit and send the image."""
        if exchange.method not in (b"GET", b"HEAD"):
            exchange.reply(not_allowed("GET, HEAD", detail="the pixel is read with GET"))
        elif exchange.method == b"HEAD":
            exchange.reply(_NOT_COUNTED)
        else:
            try:
                self._hits(_Posted(exchange, hit_from_query(exchange)))
            except Refused as error:
                exchange.reply(_image(HTTPStatus.BAD_REQUEST, reason=str(error)))


def hit_from_query(exchange: Exchange) -> bytes:
    """Return the hit that an address describes, as the JSON that would have been posted, or raise Refused."""
    fields = _parameters(exchange.target)
    if "hit" in fields:  # The tracker's last resort: what it would have posted.
        return fields["hit"].encode()
    url = fields.get("url") or exchange.header(b"referer")
    hit = {name: fields[short] for short, name in _NAMES.items() if fields.get(short)}
    if url:
        hit["url"] = cleaned_address(url)
        hit.setdefault("assetId", asset_from_address(url))
    if "assetId" not in hit:
        raise Refused("asset", "is missing, and so are url and the Referer header that could stand for it")
    return msgspec.json.encode(hit)


class _Posted(Exchange):
    """The request as a POST of its hit, whose answer becomes the image's."""

    __slots__ = ("_asked",)

    def __init__(self, asked: Exchange, body: bytes) -> None:
        super().__init__(asked.connection, b"POST", asked.target)
        self.headers = [header for header in asked.headers if header[0] not in _OF_A_BODY]
        self.body = body
        self._asked = asked

    def reply(self, whole: bytes) -> None:
        """Answer with the image: with 200 when the hit is on disk, else with the status that it got and the reason."""
        head, _, body = whole.partition(b"\r\n\r\n")
        line, *lines = head.decode("latin-1").split("\r\n")
        status = int(line.split(" ")[1])
        headers = dict(one.split(": ", 1) for one in lines)
        if status == HTTPStatus.ACCEPTED:
            self._asked.reply(_image(HTTPStatus.OK, headers))
        else:
            self._asked.reply(_image(status, headers, reason=reason_of(body)))


class _Told(msgspec.Struct):
    """What a problem document says to a person."""

    detail: str = ""


def _parameters(target: bytes) -> dict[str, str]:
    query = target.partition(b"?")[2].decode("latin-1")
    try:
        pairs = parse_qsl(query, max_num_fields=PARAMETERS_MAX, errors="strict")
    except UnicodeDecodeError as error:
        raise Refused("query", "is not UTF-8 where its %-escapes are read") from error
    except ValueError as error:
        raise Refused("query", f"has more than {PARAMETERS_MAX} parameters") from error
    fields: dict[str, str] = {}
    for name, value in pairs:
        if name in fields and (name in _NAMES or name == "hit"):
            raise Refused(name, "stands twice")
        fields[name] = value
    return fields


def _image(status: int, headers: Mapping[str, str] | None = None, *, reason: str = "") -> bytes:
    kept = {name: value for name, value in (headers or {}).items() if not name.startswith("content-")}
    told = {PROBLEM_HEADER: header_text(reason)} if reason else {}
    return response(status, GIF, kind="image/gif", headers={**kept, **_GUARDS, **told})


def reason_of(document: bytes) -> str:
    """Return what a problem document says to a person."""
    return msgspec.json.decode(document, type=_Told).detail


def header_text(reason: str) -> str:
    """Return a sentence that a header can hold: what a sender put into it must not end the line."""
    plain = "".join(character if character.isprintable() else " " for character in reason[:REASON_BYTES_MAX])
    return plain.encode("ascii", "backslashreplace")[:REASON_BYTES_MAX].decode("ascii")
