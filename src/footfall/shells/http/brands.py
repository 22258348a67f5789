"""GET and PATCH /v1/brand: a brand's own rules, for its administrators."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import NO_KEY
from footfall.accounts.brands import Brand, KeyNeeded, UnknownBrand
from footfall.accounts.documents import changed_brand, document_of_brand, require_not_lifted
from footfall.accounts.keys import ADMIN
from footfall.accounts.register import Register
from footfall.app import wiring
from footfall.shells.http.access import brand_of, caller_of
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.wire import JSON
from footfall.values.errors import Refused

BODY_BYTES_MAX = 65_536  # A hundred origins and twenty periods are far below it.

Endpoint = Callable[[Request], Awaitable[Response]]


def brand_routes(state: Site) -> list[Route]:
    """Return the route of a brand's rules."""
    return [Route("/v1/brand", _brand(state), methods=["GET", "PATCH"])]


def _brand(state: Site) -> Endpoint:
    retention_ms, limits = wiring.retention_ms(state.settings), wiring.rate_limits(state.settings)

    async def brand(request: Request) -> Response:
        asked = await brand_of(request, state, scope=ADMIN)
        require_no_parameters(request)
        if request.method != "PATCH":
            return told(document_of_brand(asked))
        changes, by = await document_in(request), actor_of(request)
        if state.brands.is_open(asked.name):
            says = f"{asked.name!r} has no rules to change: it is open; footfall brands add {asked.name} stores it"
            raise UnknownBrand("brand", says)

        def change(register: Register) -> Brand:
            before = register.brand(asked.name)
            if before is None:  # Removed while the request was on its way.
                raise KeyNeeded("key", "is not one that works here")
            changed = changed_brand(before, changes, retention_ms=retention_ms)
            require_not_lifted(before, changed, limits=limits)
            register.acting(by).change(changed)
            return changed

        return told(document_of_brand(await state.desk.change(asked.name, change)))

    return brand


def actor_of(request: Request) -> str:
    """Return who asks, as the audit trail names them, once brand_of has looked at the request."""
    caller = caller_of(request)
    return NO_KEY if caller is None else caller.signature


def require_no_parameters(request: Request) -> None:
    """Raise Refused when the address says more than whose request it is."""
    for name in request.query_params:
        if name not in ("brand", "key"):
            raise Refused(name[:64] or "query", "is not a parameter here; the only one is brand")


async def document_in(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request brings, or raise Refused; no body is an empty object."""
    body = await request.body()
    if len(body) > BODY_BYTES_MAX:
        raise Refused("body", f"has {len(body):,} bytes, at most {BODY_BYTES_MAX:,} are taken")
    try:
        return msgspec.json.decode(body, type=dict[str, Any]) if body else {}
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Refused("body", f"is not a JSON object: {error}") from error


def told(document: object, *, status: int = 200) -> Response:
    """Return an answer that no cache keeps."""
    headers = {**GUARDS, "cache-control": "no-store", "content-type": JSON}
    return Response(msgspec.json.encode(document), status_code=status, headers=headers)
