"""What requests bring as proof, on the lane and on pages: a signature in a header, a token in the address."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from footfall.accounts.brands import Brand
from footfall.accounts.origins import origin_of_page
from footfall.accounts.proofs import Proofs, Shown
from footfall.accounts.tokens import TOKEN_BYTES_MAX
from footfall.shells.http.access import Admission, HasAccess, brand_of, caller_of
from footfall.shells.http.lane import Exchange

if TYPE_CHECKING:  # A function that only takes hits starts without it.
    from starlette.requests import Request

SIGNATURE_HEADER = b"footfall-signature"
TOKEN_PARAMETER = "token"  # noqa: S105 - its name in an address

_TOKEN = b"token="


def require_proof_on_lane(
    proofs: Proofs, admission: Admission, exchange: Exchange, headers: Mapping[bytes, bytes]
) -> None:
    """Raise Unproven unless a request on the lane proves what its brand asks for."""
    if admission.caller is None and SIGNATURE_HEADER not in headers:
        return
    shown = Shown(
        exchange.body,
        exchange.header(SIGNATURE_HEADER) if SIGNATURE_HEADER in headers else "",
        _token_in(exchange.target) if _TOKEN in exchange.target else "",
        _origin(headers),
        headers.get(b"idempotency-key", b"").decode("latin-1"),
    )
    proofs.require(admission.caller, admission.brand, shown)


async def proved_brand(request: "Request", state: HasAccess, *, scope: str) -> Brand:
    """Return the brand that a page's request is about, as brand_of does; raise Unproven unless it proves itself."""
    brand = await brand_of(request, state, scope=scope)
    caller = caller_of(request)
    headers: Mapping[bytes, bytes] = dict(request.scope["headers"])
    shown = Shown(
        await request.body(),
        ", ".join(request.headers.getlist(SIGNATURE_HEADER.decode())),
        _token_in(b"?" + request.scope["query_string"]),
        _origin(headers),
        request.headers.get("idempotency-key", ""),
    )
    state.access.proofs.require(caller, brand if caller is not None else None, shown)
    return brand


def _token_in(target: bytes) -> str:
    """Return the token in an address's query; empty when there is none."""
    found = [part[len(_TOKEN) :] for part in target.partition(b"?")[2].split(b"&") if part.startswith(_TOKEN)]
    # Its letters need no escaping, so what is escaped is none, and two of them are none either. One that is too long is
    # told so, not held.
    return b",".join(found)[: TOKEN_BYTES_MAX + 1].decode("latin-1")


def _origin(headers: Mapping[bytes, bytes]) -> str:
    sent = headers.get(b"origin", b"").decode("latin-1")
    return sent or origin_of_page(headers.get(b"referer", b"").decode("latin-1"))
