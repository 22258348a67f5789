"""What all routes of the audience begin with: whose key it is, which things are meant, which part of a list."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from footfall.accounts.keys import AUDIENCE
from footfall.shells.http.access import brand_of
from footfall.shells.http.archive_asking import require_only as require_only
from footfall.shells.http.archive_asking import whole_of as whole_of
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.values.errors import Refused

if TYPE_CHECKING:  # Nobody loads the audience before somebody asks for it.
    from footfall.audience.kept_lists import SomeRows

LINES = "application/x-ndjson"
AFTER_CHARACTERS_MAX = 3_000  # A place may name two ids of 256 bytes, each of them escaped.
PAGE_DEFAULT, PAGE_MAX = 20, 100

_AFTER = re.compile(r"[A-Za-z0-9_-]+")

Endpoint = Callable[[Request], Awaitable[Response]]


def lines_told(request: Request, some: "SomeRows") -> Response:
    """Return rows as JSON lines; where there are more, the answer's Link says where they are."""
    headers = {**GUARDS, "cache-control": "no-store", "content-type": LINES}
    if some.after is not None:
        asked = {name: value for name, value in request.query_params.items() if name != "after"}
        headers["link"] = f'<{request.url.path}?{urlencode({**asked, "after": some.after})}>; rel="next"'
    return Response(b"".join(msgspec.json.encode(row) + b"\n" for row in some.rows), headers=headers)


async def audience_brand(request: Request, state: Site) -> str:
    """Return the brand whose members a request is about, or raise unless its key has the scope audience."""
    brand = (await brand_of(request, state, scope=AUDIENCE)).name
    require_text_in_address(request)
    return brand


def require_text_in_address(request: Request) -> None:
    """Raise Refused when an address has bytes that are no text: decoded, many ids would be one, of U+FFFD."""
    _require_text("id", request.scope.get("raw_path", b""))
    for part in bytes(request.scope["query_string"]).split(b"&"):
        _require_text(part.partition(b"=")[0].decode("ascii", "replace")[:64], part)


def one_of(request: Request, name: str) -> str:
    """Return a text of the address that must be there, such as the name of a thing."""
    text = request.query_params.get(name, "")
    if not text:
        raise Refused(name, f"is missing; name a thing by kind and id, as in {name}=member:42")
    return text


def limit_of(request: Request, *, default: int = PAGE_DEFAULT, most: int = PAGE_MAX) -> int:
    """Return how much of a list is asked for."""
    return whole_of(request, "limit", default=default, lowest=1, highest=most)


def after_of(request: Request) -> str:
    """Return where a list goes on, as an answer said it; empty at its beginning."""
    after = request.query_params.get("after", "")
    if after and (len(after) > AFTER_CHARACTERS_MAX or _AFTER.fullmatch(after) is None):
        raise Refused("after", f"{after[:40]!r} is not what an answer said; send it as it was")
    return after


def _require_text(field: str, escaped: bytes) -> None:
    try:
        unquote_to_bytes(escaped).decode()
    except UnicodeDecodeError as error:
        raise Refused(field, "is not UTF-8; escape the UTF-8 bytes of an id, as in caf%C3%A9") from error


def require_fields(document: Mapping[str, Any], *names: str) -> None:
    """Raise Refused when a body has a field that the route does not know."""
    for name in document:
        if name not in names:
            raise Refused(name[:64] or "body", f"is no field here; those are {', '.join(names)}")
