"""Who asks for the archive, and what the address of a request says: what all of its routes begin with."""

import re
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from footfall.accounts.brands import KeyNeeded
from footfall.accounts.keyring import NotAllowed
from footfall.accounts.keys import READ
from footfall.app.archive_control import Asker, asker_from
from footfall.app.archive_questions import PAGE_DEFAULT, PAGE_MAX, Span
from footfall.shells.http.access import brand_of, caller_of
from footfall.shells.http.site import Site
from footfall.values.errors import Refused

AFTER_CHARACTERS_MAX = 200

_AFTER = re.compile(r"[\w#:.=-]+", re.ASCII)

Endpoint = Callable[[Request], Awaitable[Response]]


async def asker_of(request: Request, state: Site) -> Asker:
    """Return who asks and in which brand; raise what becomes 401, 403 or 429 unless they may see anything of it."""
    brand = (await brand_of(request, state, scope=READ)).name
    caller = caller_of(request)
    signed_in = state.access.signed_in
    if caller is None and signed_in is not None:
        # An open brand asks nobody who they are, and yet whoever is signed in has captures of their own.
        headers: dict[bytes, bytes] = dict(request.scope["headers"])
        signed = signed_in.find(headers)
        if signed is not None and signed.person.may(brand):
            signed_in.require_own(signed, request.method, headers)
            caller = signed.caller(brand)
    return asker_from(brand, caller)


async def viewer_of(request: Request, state: Site) -> Asker:
    """Return who looks at one capture; where the brand's archive is everybody's, that may be nobody in particular."""
    try:
        return await asker_of(request, state)
    except (KeyNeeded, NotAllowed):
        name = request.query_params.get("brand", "")
        brand = state.brands.named(name)
        if brand is None or not brand.is_archive_public:
            raise
        return asker_from(name, None)


def require_only(request: Request, *names: str) -> None:
    """Raise Refused when the address says what the route does not know, or something twice."""
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in (*names, "brand", "key"):
            raise Refused(name[:64] or "query", f"is not a parameter here; those are {', '.join((*names, 'brand'))}")
        if given.count(name) > 1:
            raise Refused(name, "is given twice; give it once")


def span_of(request: Request, *, default: int = PAGE_DEFAULT, most: int = PAGE_MAX) -> Span:
    """Return which part of a list is asked for."""
    after = request.query_params.get("after") or None
    if after is not None and (len(after) > AFTER_CHARACTERS_MAX or _AFTER.fullmatch(after) is None):
        raise Refused("after", f"{after[:40]!r} is not what an answer said; send it as it was")
    return Span(whole_of(request, "limit", default=default, lowest=1, highest=most), after)


def whole_of(request: Request, name: str, *, default: int, lowest: int, highest: int) -> int:
    """Return a whole number of the address."""
    text = request.query_params.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and lowest <= int(text) <= highest):
        raise Refused(name, f"{text[:20]!r} is not a whole number from {lowest} to {highest:,}")
    return int(text)


def required_of(request: Request, name: str, says: str) -> str:
    """Return a text of the address that must be there."""
    text = request.query_params.get(name, "")
    if not text:
        raise Refused(name, f"is missing; {says}")
    return text


def key_of_url(request: Request) -> str:
    """Return by what the page is known whose address is asked about."""
    from footfall.archive.addresses import same_page_key

    return same_page_key(required_of(request, "url", "say which page, as in url=https://example.com/"))
