"""Who asks: from a request's key to its brand and what it may do, and how often it may ask.

The brand comes from the key. A brand without keys is open to whoever names it. Whatever is refused is refused in words
that are the same whether or not another brand exists.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from footfall.accounts.brands import Brand, Brands, KeyNeeded, key_needed
from footfall.accounts.keyring import Caller, Keyring, OriginNotAllowed
from footfall.accounts.keys import HITS, READ, WRITE
from footfall.accounts.limits import Buckets, Limits, Standing
from footfall.accounts.origins import is_allowed_origin, origin_of_page
from footfall.accounts.people_store import People
from footfall.accounts.permissions import brand_without_key, only_brand, require_same_brand, require_scope
from footfall.accounts.proofs import Proofs
from footfall.accounts.signed_in import SignedIn
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.flow.collect.senders import Network, believed_address, is_within, proxied_address
from footfall.shells.http.lane import Exchange
from footfall.shells.http.limit_lines import LINES, limit_lines
from footfall.shells.http.places import Places, place_of
from footfall.shells.http.sent_keys import key_sent
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused

if TYPE_CHECKING:  # A function that only takes hits starts without it.
    from starlette.requests import Request

PROXY_HEADER = b"x-footfall-proxy"
VIEWER_HEADER = b"cloudfront-viewer-address"
UNLIMITED_MAX = 1_000  # Addresses of proxies that are remembered as such.
CORS_LINE = b"access-control-allow-origin: *\r\n"

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
    signed_in: SignedIn | None = None  # None: nobody has an account.


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
        self.signed_in = rules.signed_in
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
        require_scope(caller, HITS)
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
        return self._reading(caller, exchange, headers, name=name)

    def may_still_read(self, exchange: Exchange, headers: Headers, *, name: str) -> bool:
        """Tell whether a request that was let in would be let in now; it is counted against nobody."""
        try:
            if not self.may_read_freely(name):
                self._reading(self._caller(exchange.target, headers), exchange, headers, name=name)
        except FootfallError:  # Whoever cannot be looked up is asked to come again.
            return False
        return True

    def _reading(self, caller: Caller | None, exchange: Exchange, headers: Headers, *, name: str) -> Caller:
        if caller is None:
            caller = self._signed(exchange.method.decode("latin-1"), headers, name=name, scope=READ)
        if caller is None and not name:
            raise Refused("brand", "is missing; say whose list is asked for, as in brand=abc, or send a key that reads")
        if caller is None:
            raise key_needed(name)
        require_scope(caller, READ)
        if name not in caller.also_reads:
            require_same_brand(caller, name)
        return caller

    def known_key(self, headers: Headers) -> Caller | None:
        """Return whom a secret key in a request's head speaks for, None where there is no such; nothing is counted."""
        try:
            caller = self._caller(b"", headers) if b"authorization" in headers else None
        except Refused:
            return None
        return None if caller is None or caller.is_public else caller

    def counted_lines(self, exchange: Exchange, headers: Headers) -> bytes:
        """Count a request against its limits, or raise TooOften; return what its answer says of them."""
        return limit_lines(self._counted(Asking(exchange.target, headers, self.address(exchange, headers)))[1])

    def count_question(self, exchange: Exchange, headers: Headers, *, brand: str) -> None:
        """Count a question that has to be worked on against its address, or raise TooOften."""
        self._take_address(brand, Asking(exchange.target, headers, self.address(exchange, headers)))

    def brand_for(self, request: "Request", *, scope: str, named: str = "") -> Brand:
        """Return the brand that a page's request is about, or raise unless it may ask; its body may name it as well."""
        headers: Headers = dict(request.scope["headers"])
        target: bytes = b"?" + request.scope["query_string"]
        caller, standings = self._counted(Asking(target, headers, self.address_of_page(request)))
        name = only_brand([*request.query_params.getlist("brand"), *([named] if named else [])])
        if caller is None:
            caller = self._signed(request.method, headers, name=name, scope=scope)
        if caller is None:
            brand = brand_without_key(self._brands, name, scope)
        else:
            require_scope(caller, scope)
            require_same_brand(caller, name)
            brand = self._brands.brand(caller.brand)
            self._cors(caller, brand, headers)
        request.scope.setdefault("state", {}).update({LINES: limit_lines(standings), _CALLER: caller})
        return brand

    def reading_brand(self, request: "Request") -> Brand:
        """Return the brand that a page's request reads as readers of lists do: without a key where those need none."""
        name = only_brand(request.query_params.getlist("brand"))
        if not name or not self.may_read_freely(name):
            return self.brand_for(request, scope=READ)
        headers: Headers = dict(request.scope["headers"])
        target: bytes = b"?" + request.scope["query_string"]
        _, standings = self._counted(Asking(target, headers, self.address_of_page(request)))
        request.scope.setdefault("state", {})[LINES] = limit_lines(standings)
        return self._brands.named(name) or Brand(name)

    def is_within(self, request: "Request", networks: Sequence[Network]) -> bool:
        """Tell whether a request, and whoever it was forwarded for, come from the networks."""
        return all(is_within(address, networks) for address in (_peer(request), self.address_of_page(request)))

    def count_page(self, request: "Request") -> None:
        """Count a page's request that is about no brand against its address, or raise TooOften."""
        self._take_address("", Asking(b"", {}, self.address_of_page(request)))

    def place_of_page(self, request: "Request") -> bytes:
        """Return the place that a page's request comes from; empty for a proxy that does not say for whom it asks."""
        address = self.address_of_page(request)
        return b"" if self._is_unlimited(address) else place_of(address)

    def _signed(self, method: str, headers: Headers, *, name: str, scope: str) -> Caller | None:
        """Return whom a request's session speaks for; None when nobody is signed in, or nobody has to be."""
        if self.signed_in is None or scope == HITS or b"cookie" not in headers:
            return None  # Pages that send hits are other people's: what their readers' cookies say is not looked at.
        if name and scope in (READ, WRITE) and self._brands.is_everybodys(name):
            return None
        if name:
            return self.signed_in.caller(method, headers, brand=name, scope=scope)
        if self.signed_in.find(headers) is not None:
            raise Refused("brand", "is missing; say which of your brands it is, as in brand=abc")
        return None

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
        key = key_sent(target, headers)
        return self._keyring.caller(key, now_ms=self._clock.now_ms()) if key else None

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


async def brand_of(request: "Request", state: HasAccess, *, scope: str, named: str = "") -> Brand:
    """Return the brand that the request is about; raise what becomes 401, 403, 404 or 429 unless it may ask.

    The scope is hits, write, read, edit or admin. The brand is the key's; one without keys is named by `?brand=`.
    """
    return state.access.brand_for(request, scope=scope, named=named)


def access_from(
    settings: Settings,
    brands: Brands,
    keyring: Keyring,
    *,
    proofs: Proofs,
    clock: Clock,
    people: Callable[[], People],
) -> Access:
    """Return the doorkeeper that the settings make."""
    signed_in = SignedIn(people, clock=clock, own_origin=settings.people_url)
    secret = settings.http_proxy_secret.encode("utf-8")
    rules = Rules(wiring.rate_limits(settings), wiring.trusted_networks(settings), proofs, secret, signed_in)
    buckets = Buckets(secrets.token_bytes(32))
    doorkeeper = ProxiedAccess if secret else Access
    return doorkeeper(brands, keyring, buckets, rules=rules, clock=clock, seconds=time.monotonic)


def caller_of(request: "Request") -> Caller | None:
    """Return whom the key of a page's request speaks for, once brand_for has looked at it."""
    return request.scope.get("state", {}).get(_CALLER)


def _peer(request: "Request") -> str:
    return request.client.host if request.client is not None else ""
