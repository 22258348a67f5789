"""One page fetched from the web on a stranger's word: only from public places, small, soon, and no further than said.

A name is resolved once, every address that it has must be public, and the connection goes to the address that was
checked; so a name that changes its mind in between leads nowhere else. Each redirect is checked anew.
"""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote, urljoin, urlsplit

import httptools

from footfall import __version__
from footfall.catalog.public_places import NotPublic, host_and_port, is_public_place
from footfall.values.errors import FootfallError

PAGE_BYTES_MAX = 512 * 1_024  # The head of a page is far smaller; what comes later is not read.
HEADERS_MAX = 100
REDIRECTS_MAX = 3
READ_BYTES = 16_384
_END = b"</head"

MayConnect = Callable[[str, int], bool]
MayVisit = Callable[[str], bool]


class NotFetched(FootfallError):
    """The page did not come, or is none."""


@dataclass(slots=True)
class Page:
    """A page as it came, or the beginning of a long one."""

    address: str
    content: bytes
    charset: str


@dataclass(slots=True)
class _Response:
    """Takes a response apart as it comes; httptools calls it."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytearray = field(default_factory=bytearray)
    is_whole: bool = False
    has_head: bool = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) < HEADERS_MAX:
            self.headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))

    def on_headers_complete(self) -> None:
        self.has_head = True

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.is_whole = True

    @property
    def is_enough(self) -> bool:
        return (
            self.is_whole
            or len(self.body) > PAGE_BYTES_MAX
            or _END in self.body
            or (self.has_head and not self._is_page)
        )

    @property
    def _is_page(self) -> bool:
        return self.headers.get("content-type", "").lower().startswith(("text/html", "application/xhtml+xml"))


async def fetched_page(
    address: str,
    *,
    seconds_max: float = 5.0,
    may_visit: MayVisit = lambda _address: True,
    may_connect: MayConnect = is_public_place,
) -> Page:
    """Return the page at an address, or raise NotPublic or NotFetched."""
    try:
        async with asyncio.timeout(seconds_max):
            return await _followed(address, may_visit, may_connect)
    except TimeoutError as error:
        raise NotFetched(f"{address[:80]!r} did not come within {seconds_max:g} s") from error
    except (OSError, ValueError, httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
        raise NotFetched(f"{address[:80]!r} did not come: {error}") from error


async def _followed(address: str, may_visit: MayVisit, may_connect: MayConnect) -> Page:
    for _ in range(REDIRECTS_MAX + 1):
        if not may_visit(address):
            raise NotPublic(f"{address[:80]!r} is not among the brand's own pages")
        response = await _asked(address, may_connect)
        location = response.headers.get("location", "")
        if response.status in (301, 302, 303, 307, 308) and location:
            address = urljoin(address, location)
            continue
        kind = response.headers.get("content-type", "")
        if response.status != 200 or not kind.lower().startswith(("text/html", "application/xhtml+xml")):
            raise NotFetched(f"{address[:80]!r} is no page: status {response.status}, {kind[:40]!r}")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise NotFetched(f"{address[:80]!r} came compressed although nobody asked for it")
        return Page(address, bytes(response.body[:PAGE_BYTES_MAX]), _charset(kind))
    raise NotFetched(f"{address[:80]!r} comes after more than {REDIRECTS_MAX} redirects")


async def _asked(address: str, may_connect: MayConnect) -> _Response:
    host, port = host_and_port(address)
    place = await _checked_place(host, port, may_connect)
    parts = urlsplit(address)
    secure = ssl.create_default_context() if parts.scheme == "https" else None
    reader, writer = await asyncio.open_connection(
        place, port, ssl=secure, server_hostname=host if secure is not None else None
    )
    try:
        target = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (
            f"?{quote(parts.query, safe=_QUERY)}" if parts.query else ""
        )
        named = f"[{host}]" if ":" in host else host
        at = named if port in (80, 443) else f"{named}:{port}"
        writer.write(
            f"GET {target} HTTP/1.1\r\nhost: {at}\r\nuser-agent: footfall/{__version__}\r\naccept: text/html\r\n"
            "accept-encoding: identity\r\nconnection: close\r\n\r\n".encode("ascii")
        )
        return await _response(reader)
    finally:
        writer.close()


async def _checked_place(host: str, port: int, may_connect: MayConnect) -> str:
    """Return one of a host's addresses, or raise NotPublic when any of them is not ours to visit."""
    found = await asyncio.get_running_loop().getaddrinfo(host.strip("[]"), port, proto=6)
    places = list(dict.fromkeys(str(one[4][0]) for one in found))
    if not places or not all(may_connect(place, port) for place in places):
        raise NotPublic(f"{host[:80]} port {port} is not on the public web")
    return places[0]


async def _response(reader: asyncio.StreamReader) -> _Response:
    response = _Response()
    parser = httptools.HttpResponseParser(response)
    while not response.is_enough:
        data = await reader.read(READ_BYTES)
        if not data:
            break
        parser.feed_data(data)
        response.status = parser.get_status_code()
    return response


def _charset(kind: str) -> str:
    _, _, rest = kind.lower().partition("charset=")
    return rest.partition(";")[0].strip().strip("\"'")[:40] or "utf-8"


_QUERY = "/?%:@!$&'()*+,;=~-._[]"
