"""Who asks: from a request's key to its brand and what it may do, and how often it may ask.

The brand comes from the key. A brand without keys is open to whoever names it. Whatever is refused is refused in words
that are the same whether or not another brand exists.
"""

import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

from msgspec import Struct

from footfall.accounts.brands import Brand, Brands, KeyNeeded, key_needed
from footfall.accounts.keyring import Caller, Keyring, NotAllowed, OriginNotAllowed, UnknownKey
from footfall.accounts.keys import ADMIN, EDIT, HITS, READ, SECRET_MARK
from footfall.accounts.limits import Buckets, Limits, Standing
from footfall.accounts.origins import is_allowed_origin, origin_of_page
from footfall.accounts.proofs import Proofs
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.flow.collect.senders import Network, believed_address, is_within, proxied_address
from footfall.shells.http.lane import Exchange
from footfall.shells.http.places import Places, place_of
from footfall.values.clock import Clock
from footfall.values.errors import Refused

if TYPE_CHECKING:  # A function that only takes hits starts without it.
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PROXY_HEADER = b"x-footfall-proxy"
VIEWER_HEADER = b"cloudfront-viewer-address"
KEY_BYTES_MAX = 200  # of a key as it is sent; ours have fewer than 70.
UNLIMITED_MAX = 1_000  # Addresses of proxies that are remembered as such.
CORS_LINE = b"access-control-allow-origin: *\r\n"

_BEARER = b"bearer "
_LINES = "limit_lines"  # where a page's answer finds what to say about limits
_CALLER = "caller"

Headers = Mapping[bytes, bytes]


class Asking(Struct, frozen=True):
    """What a request says of its sender."""

    target: bytes
    headers: Headers
    address: str  # that is believed


class Admission(Struct, frozen=True):
    """A request that may go on: who sends it, and what its answer has to say about that."""

    caller: Caller | None = None
    lines: bytes = b""  # of the answer's head
    cors: bytes = CORS_LINE
    brand: Brand | None = None  # the caller's

    def dressed(self, whole: bytes) -> bytes:
        """Return a response with what the admission has to say."""
        if self.cors is not CORS_LINE:
            whole = whole.replace(CORS_LINE, self.cors, 1)
        if self.lines:
            end = whole.index(b"\r\n") + 2
            whole = whole[:end] + self.lines + whole[end:]
        return whole


OPEN = Admission()


@dataclass(frozen=True, slots=True)
class Rules:
    """How often somebody may ask, and whose word about addresses is believed."""

    limits: Limits
    trusted: Sequence[Network]
    proofs: Proofs
    proxy_secret: bytes = b""  # With it, another proxy is believed; empty: there is none.


class Access:
    """The instance's doorkeeper."""

    def __init__(
        self,
        brands: Brands,
        keyring: Keyring,
        buckets: Buckets,
        *,
        rules: Rules,
        clock: Clock,
        seconds: Callable[[], float],
    ) -> None:
        self._brands = brands
        self._keyring = keyring
        self._buckets = buckets
        self._limits = rules.limits
        self.proofs = rules.proofs
        self._secret = rules.proxy_secret
        self._trusted = rules.trusted
        self._proxies = Places(rules.trusted)
        self._unlimited: set[str] = set()  # addresses that were found to be so, and few: they are our own proxies'
        self._clock = clock
        self._seconds = seconds

    def address(self, exchange: Exchange, headers: Headers) -> str:
        """Return the address that a request on the lane is believed to come from."""
        if b"x-forwarded-for" not in headers:
            return exchange.peer
        # It may stand there several times, so it is asked for in full.
        return believed_address(exchange.peer, exchange.header(b"x-forwarded-for"), trusted=self._trusted)

    def address_of_page(self, request: "Request") -> str:
        """Return the address that a page's request is believed to come from."""
        forwarded = ", ".join(request.headers.getlist("x-forwarded-for"))
        return believed_address(_peer(request), forwarded, trusted=self._trusted)

    def admitted(self, target: bytes, headers: Headers, address: str) -> Admission:
        """Return how a sender of hits is admitted, or raise UnknownKey, NotAllowed or TooOften."""
        has_key = b"authorization" in headers or b"key=" in target
        if not has_key and (not self._limits.address.per_s or self._is_unlimited(address)):
            return OPEN  # Nothing to look up and nothing to count.
        caller, standings = self._counted(Asking(target, headers, address))
        lines = limit_lines(standings)
        if caller is None:
            return Admission(lines=lines)
        _require_scope(caller, HITS)
        brand = self._brands.brand(caller.brand)
        cors = self._cors(caller, brand, headers)
        return Admission(caller=caller, lines=lines, cors=cors, brand=brand)

    def preflight(self, target: bytes, headers: Headers) -> bytes:
        """Return the line that tells a browser whether its page may send with the key in the address."""
        try:
            caller = self._caller(target, headers)
            return CORS_LINE if caller is None else self._cors(caller, self._brands.brand(caller.brand), headers)
        except Refused:
            return b""

    def may_read_freely(self, name: str) -> bool:
        """Tell whether a brand's lists need no key, as do those of no brand at all; raise where none has keys."""
        try:
            self._brands.require_known(name)
        except KeyNeeded:
            return False  # Whoever has a key learns as little from it as whoever has none.
        brand = self._brands.named(name)
        return brand is None or brand.is_public

    def reader(self, exchange: Exchange, headers: Headers, *, name: str) -> Caller:
        """Return whom the request's key speaks for, once it is counted; raise unless it may read the brand, if any."""
        caller, _ = self._counted(Asking(exchange.target, headers, self.address(exchange, headers)))
        if caller is None and not name:
            raise Refused("brand", "is missing; say whose list is asked for, as in brand=abc, or send a key that reads")
        if caller is None:
            raise key_needed(name)
        _require_scope(caller, READ)
        if name not in caller.also_reads:
            _require_same_brand(caller, name)
        return caller

    def count_question(self, exchange: Exchange, headers: Headers, *, brand: str) -> None:
        """Count a question that has to be worked on against its address, or raise TooOften."""
        self._take_address(brand, Asking(exchange.target, headers, self.address(exchange, headers)))

    def brand_for(self, request: "Request", *, scope: str) -> Brand:
        """Return the brand that a page's request is about, or raise unless it may ask."""
        headers: Headers = dict(request.scope["headers"])
        target: bytes = b"?" + request.scope["query_string"]
        caller, standings = self._counted(Asking(target, headers, self.address_of_page(request)))
        name = _only(request.query_params.getlist("brand"))
        if caller is None:
            brand = self._open_brand(name, scope)
        else:
            _require_scope(caller, scope)
            _require_same_brand(caller, name)
            brand = self._brands.brand(caller.brand)
            self._cors(caller, brand, headers)
        request.scope.setdefault("state", {}).update({_LINES: limit_lines(standings), _CALLER: caller})
        return brand

    def reading_brand(self, request: "Request") -> Brand:
        """Return the brand that a page's request reads as readers of lists do: without a key where those need none."""
        name = _only(request.query_params.getlist("brand"))
        if not name or not self.may_read_freely(name):
            return self.brand_for(request, scope=READ)
        headers: Headers = dict(request.scope["headers"])
        target: bytes = b"?" + request.scope["query_string"]
        _, standings = self._counted(Asking(target, headers, self.address_of_page(request)))
        request.scope.setdefault("state", {})[_LINES] = limit_lines(standings)
        return self._brands.named(name) or Brand(name)

    def is_within(self, request: "Request", networks: Sequence[Network]) -> bool:
        """Tell whether a request, and whoever it was forwarded for, come from the networks."""
        return all(is_within(address, networks) for address in (_peer(request), self.address_of_page(request)))

    def _open_brand(self, name: str, scope: str) -> Brand:
        if scope in (ADMIN, EDIT):  # Nobody could say who it was.
            raise KeyNeeded("key", f"is missing; send a secret key with the scope {scope} in Authorization: Bearer")
        if not name and self._brands.has_stored:
            raise KeyNeeded("key", "is missing; send a key in Authorization: Bearer")
        if not name:
            raise Refused("brand", "is missing; say whose it is, as in brand=abc")
        return self._brands.open_brand(name, is_read=scope == READ)

    def _counted(self, asking: Asking) -> tuple[Caller | None, list[Standing]]:
        """Return who asks, once the request was counted against the limits of its key and its address."""
        try:
            caller = self._caller(asking.target, asking.headers)
        except Refused:
            self._take_address("", asking)  # Guessing is limited, too.
            raise
        if caller is None:
            return None, self._take_address("", asking)
        standings: list[Standing] = []
        rate = self._limits.of_key(self._brands.named(caller.brand))
        if rate.per_s:
            standings.append(self._buckets.take_for_key(caller.key_id, rate, now_s=self._seconds()))
        if caller.is_public:  # A server speaks for many readers from one address.
            standings += self._take_address(caller.brand, asking)
        return caller, standings

    def _take_address(self, brand: str, asking: Asking) -> list[Standing]:
        rate = self._limits.of_address(self._brands.named(brand) if brand else None)
        if not rate.per_s:
            return []
        if self._is_unlimited(asking.address):
            return []
        return [self._buckets.take_for_address(place_of(asking.address), brand, rate, now_s=self._seconds())]

    def _is_unlimited(self, address: str) -> bool:
        """Tell whether an address is counted for nobody: a proxy that forwards none speaks for everybody."""
        if address in self._unlimited:
            return True
        place = place_of(address)
        if not place:
            return True
        is_proxy = self._proxies.hold(place)
        if is_proxy and len(self._unlimited) < UNLIMITED_MAX:
            self._unlimited.add(address)
        return is_proxy

    def _caller(self, target: bytes, headers: Headers) -> Caller | None:
        sent = headers.get(b"authorization", b"")
        text = sent[len(_BEARER) :].strip() if sent[: len(_BEARER)].lower() == _BEARER else b""
        in_address = _key_in(target) if b"key=" in target else b""
        if text and in_address:
            raise UnknownKey("key", "is given twice, in Authorization and in the address; give it once")
        if in_address.startswith(SECRET_MARK.encode()):
            raise UnknownKey(
                "key", "is a secret one in an address, which logs and caches keep; send it in Authorization: Bearer"
            )
        key = text or in_address
        return self._keyring.caller(key[:KEY_BYTES_MAX].decode("latin-1"), now_ms=self._clock.now_ms()) if key else None

    def _cors(self, caller: Caller, brand: Brand, headers: Headers) -> bytes:
        """Return the line that lets the page read the answer, or raise OriginNotAllowed for a page not listed."""
        if not caller.is_public or not brand.origins:
            return CORS_LINE
        sent = headers.get(b"origin", b"").decode("latin-1")
        origin = sent or origin_of_page(headers.get(b"referer", b"").decode("latin-1"))
        if not is_allowed_origin(origin, brand.origins):
            raise OriginNotAllowed(
                "origin",
                f"{origin[:80]!r} is not a page that this key is for; the brand's origins say which are"
                if origin
                else "is not told; a public key of a brand that lists its origins is for browsers on those pages",
            )
        return f"access-control-allow-origin: {origin}\r\nvary: origin\r\n".encode("latin-1")


class ProxiedAccess(Access):
    """A doorkeeper who knows a proxy by a secret, whose addresses no list of networks can name: a CDN has too many.

    It is one of its own, so that whoever has no such proxy pays nothing for it.
    """

    def address(self, exchange: Exchange, headers: Headers) -> str:
        """Return the address that a request on the lane is believed to come from."""
        if not self._is_proved(headers):
            return super().address(exchange, headers)
        return self._proxied(exchange.peer, exchange.header(b"x-forwarded-for"), headers)

    def address_of_page(self, request: "Request") -> str:
        """Return the address that a page's request is believed to come from."""
        headers: Headers = dict(request.scope["headers"])
        if not self._is_proved(headers):
            return super().address_of_page(request)
        return self._proxied(_peer(request), ", ".join(request.headers.getlist("x-forwarded-for")), headers)

    def _is_proved(self, headers: Headers) -> bool:
        # In constant time: how long it takes must not tell how much of a guess is right.
        return secrets.compare_digest(headers.get(PROXY_HEADER, b""), self._secret)

    def _proxied(self, peer: str, forwarded: str, headers: Headers) -> str:
        viewer = headers.get(VIEWER_HEADER, b"").decode("latin-1")
        return proxied_address(peer, forwarded, viewer=viewer)


class HasAccess(Protocol):
    """Whatever knows the doorkeeper."""

    @property
    def access(self) -> Access:
        """Return the doorkeeper."""
        ...


async def brand_of(request: "Request", state: HasAccess, *, scope: str) -> Brand:
    """Return the brand that the request is about; raise what becomes 401, 403, 404 or 429 unless it may ask.

    The scope is hits, write, read, edit or admin. The brand is the key's; one without keys is named by `?brand=`.
    """
    return state.access.brand_for(request, scope=scope)


class TellingLimits:
    """An application whose answers say where the asker stands with the limits."""

    def __init__(self, application: "ASGIApp") -> None:
        self._application = application

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass the request on, and put the lines on the head of its answer."""

        async def told(message: "Message") -> None:
            if message["type"] == "http.response.start":
                lines: bytes = scope.get("state", {}).get(_LINES, b"")
                message["headers"] = [*message.get("headers", ()), *_headers_from(lines)]
            await send(message)

        await self._application(scope, receive, told)


def access_from(settings: Settings, brands: Brands, keyring: Keyring, *, proofs: Proofs, clock: Clock) -> Access:
    """Return the doorkeeper that the settings make."""
    secret = settings.http_proxy_secret.encode("utf-8")
    rules = Rules(wiring.rate_limits(settings), wiring.trusted_networks(settings), proofs, secret)
    buckets = Buckets(secrets.token_bytes(32))
    doorkeeper = ProxiedAccess if secret else Access
    return doorkeeper(brands, keyring, buckets, rules=rules, clock=clock, seconds=time.monotonic)


def caller_of(request: "Request") -> Caller | None:
    """Return whom the key of a page's request speaks for, once brand_for has looked at it."""
    return request.scope.get("state", {}).get(_CALLER)


def _peer(request: "Request") -> str:
    return request.client.host if request.client is not None else ""


def limit_lines(standings: Sequence[Standing]) -> bytes:
    """Return the lines of a head that tell of limits: none where there is no limit."""
    if not standings:
        return b""
    if len(standings) == 1:
        one = standings[0]
        return f"ratelimit-policy: {one.policy}\r\nratelimit: {one.state}\r\n".encode("ascii")
    policies, states = ", ".join(one.policy for one in standings), ", ".join(one.state for one in standings)
    return f"ratelimit-policy: {policies}\r\nratelimit: {states}\r\n".encode("ascii")


def _headers_from(lines: bytes) -> Iterable[tuple[bytes, bytes]]:
    for line in lines.split(b"\r\n")[:-1]:
        name, _, value = line.partition(b": ")
        yield name, value


def _require_scope(caller: Caller, scope: str) -> None:
    if scope not in caller.may:
        has = ", ".join(sorted(caller.may))
        raise NotAllowed("key", f"may not do this, which needs the scope {scope}; it has {has}")


def _require_same_brand(caller: Caller, name: str) -> None:
    if name and name != caller.brand:
        raise NotAllowed("brand", f"is not the key's, which speaks for {caller.brand!r} alone; leave it out")


def _only(values: Sequence[str]) -> str:
    if len(values) > 1:
        raise Refused("brand", "is given twice; give it once")
    return values[0] if values else ""


def _key_in(target: bytes) -> bytes:
    """Return the key in an address's query; empty when there is none."""
    found = [part[4:] for part in target.partition(b"?")[2].split(b"&") if part.startswith(b"key=")]
    if len(found) > 1:
        raise UnknownKey("key", "is given twice; give it once")
    key = found[0] if found else b""
    return unquote(key.decode("latin-1")).encode("latin-1", "replace") if b"%" in key else key
