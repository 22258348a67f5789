"""POST /v1/tokens: a short-lived token for a brand's pages, for servers that do not make their own."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.keys import WRITE
from footfall.accounts.origins import require_origin
from footfall.accounts.tokens import LIFE_S_DEFAULT, Claims, require_life_s
from footfall.shells.http.brands import document_in, require_no_parameters, told
from footfall.shells.http.proving import proved_brand
from footfall.shells.http.site import Site
from footfall.values.errors import Refused
from footfall.values.window import instant_text

Endpoint = Callable[[Request], Awaitable[Response]]

_ASKED = ("expiresInSeconds", "origin")


def token_routes(state: Site) -> list[Route]:
    """Return the route of tokens."""
    return [Route("/v1/tokens", _token(state), methods=["POST"])]


def _token(state: Site) -> Endpoint:
    async def token(request: Request) -> Response:
        brand = await proved_brand(request, state, scope=WRITE)
        require_no_parameters(request)
        asked = await document_in(request)
        for name in asked:
            if name not in _ASKED:
                raise Refused(name[:64] or "body", f"is not asked for here; what may be said is {', '.join(_ASKED)}")
        life_s = require_life_s(asked.get("expiresInSeconds", LIFE_S_DEFAULT))
        origin: object = asked.get("origin", "")
        if not isinstance(origin, str):
            raise Refused("origin", "is not a text")
        if origin:
            require_origin(origin)
        expires_at_s = state.clock.now_ms() // 1_000 + life_s
        made = state.access.proofs.token(Claims(brand.name, expires_at_s, origin))
        return told({"token": made, "expires": instant_text(expires_at_s * 1_000)}, status=201)

    return token
