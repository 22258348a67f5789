"""Addresses of pages: what somebody typed, what a browser makes of it, and by what pages are the same.

A URL is taken apart as browsers do it (WHATWG), so that what is checked here is what is visited. An address without
a scheme keeps none until one was found by trial (archive/schemes.py); its `url` begins with the host then.
"""

import re
import unicodedata
from dataclasses import dataclass
from types import ModuleType

from footfall.archive.tracking_parameters import is_tracking
from footfall.values.errors import FootfallError, Refused
from footfall.values.public_addresses import NotPublic, Policy

URL_CHARACTERS_MAX = 2_000  # What every browser, proxy and server takes.
SCHEMES = ("https", "http")

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(.*)", re.IGNORECASE | re.DOTALL)
_PORT_FOLLOWS = re.compile(r"[0-9]{1,5}(?:[/?#]|$)")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class UnfitAddress(Refused):
    """What was typed is no address of a page."""

    def __init__(self, reason: str) -> None:
        super().__init__("url", reason)


class NotInstalled(FootfallError):
    """A library that the archive needs is not there."""


@dataclass(frozen=True, slots=True)
class Address:
    """A page's address."""

    typed: str
    url: str  # as a browser writes it, without what follows a reader; without `https://` when has_scheme is False
    key: str  # equal for pages that are the same
    has_scheme: bool

    @property
    def candidates(self) -> tuple[str, ...]:
        """Return what may be visited, the better one first."""
        return (self.url,) if self.has_scheme else tuple(f"{scheme}://{self.url}" for scheme in SCHEMES)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A URL that a browser could open, in pieces."""

    scheme: str
    host: str  # with brackets if it is an IPv6 address
    port: str  # empty: the scheme's own
    path: str
    query: tuple[str, ...]  # in their order, without those that follow a reader
    fragment: str  # empty, or a route that begins with ! or /

    @property
    def place(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host

    @property
    def rest(self) -> str:
        query = "?" + "&".join(self.query) if self.query else ""
        return f"{self.place}{self.path}{query}{self.fragment}"

    @property
    def key(self) -> str:
        pieces = sorted(_spelled(piece) for piece in self.query if piece)
        query = "?" + "&".join(pieces) if pieces else ""
        return f"{self.place}{_spelled(self.path)}{query}{_spelled(self.fragment)}"


def address_from(typed: str) -> Address:
    """Return the address that somebody typed or pasted; raise UnfitAddress with a sentence that says what is wrong."""
    written = typed.strip()
    _require_plain(written)
    scheme, rest = _split(written)
    parts = _parts(f"{scheme or 'https'}:{rest}", shown=written)
    if not scheme and parts.port == _DEFAULT_PORTS["http"]:
        parts = _parts(f"http:{rest}", shown=written)  # The port says nothing that the trial would not find.
    url = f"{parts.scheme}://{parts.rest}" if scheme else parts.rest
    if len(url) > URL_CHARACTERS_MAX:
        raise UnfitAddress(f"has {len(url)} characters; an address has at most {URL_CHARACTERS_MAX}")
    return Address(typed, url, parts.key, has_scheme=bool(scheme))


def same_page_key(url: str) -> str:
    """Return by what pages are the same: host, path, sorted query; neither scheme nor fragment nor tracking."""
    return address_from(url).key


def require_reachable(address: Address, policy: Policy) -> None:
    """Raise UnfitAddress for an address that could never be visited; what its name stands for is seen when it is."""
    reasons: list[str] = []
    for url in address.candidates:
        parts = _parts(url, shown=url)
        try:
            policy.require_host(parts.host, int(parts.port or _DEFAULT_PORTS[parts.scheme]))
        except NotPublic as error:
            reasons.append(str(error))
    if len(reasons) == len(address.candidates):
        raise UnfitAddress(f"{reasons[0]}; only pages of the public web are kept")


def _require_plain(written: str) -> None:
    if not written:
        raise UnfitAddress("is empty; type an address such as https://news.example/story")
    if len(written) > 2 * URL_CHARACTERS_MAX:
        raise UnfitAddress(f"has {len(written)} characters; an address has at most {URL_CHARACTERS_MAX}")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in written):
        raise UnfitAddress("has a control character in it; copy the address again, without line breaks")
    if "\\" in written:
        raise UnfitAddress("has a backslash in it, which browsers and servers read differently; write /")


def _split(written: str) -> tuple[str, str]:
    """Return the scheme, empty if there is none, and what follows it, as `//host/path`."""
    found = _SCHEME.fullmatch(written)
    if found is None or (not found[2].startswith("//") and _PORT_FOLLOWS.match(found[2])):
        return "", "//" + written.removeprefix("//")  # `news.example:8080/a` is a host and its port.
    scheme = found[1].lower()
    if scheme not in SCHEMES:
        raise UnfitAddress(f"begins with {scheme[:20]}:, and only pages that begin with https: or http: are kept")
    return scheme, found[2]


def _parts(url: str, *, shown: str) -> _Parts:
    try:
        parsed = _ada().URL(url)
    except ValueError as error:
        raise UnfitAddress(f"{shown[:80]!r} is not an address that a browser could open") from error
    if parsed.username or parsed.password:
        raise UnfitAddress("has a name or a password before its host; pages are kept as everybody may see them")
    host = parsed.hostname.removesuffix(".")
    if not host or any(not label for label in host.strip("[]").split(".")):
        raise UnfitAddress(f"{shown[:80]!r} has no host that a browser could ask")
    fragment = parsed.hash if parsed.hash.startswith(("#!", "#/")) else ""
    query = [piece for piece in parsed.search.removeprefix("?").split("&") if not is_tracking(piece)]
    kept = tuple(query) if any(query) else ()
    return _Parts(parsed.protocol.removesuffix(":"), host, parsed.port, parsed.pathname, kept, fragment)


def _spelled(text: str) -> str:
    """Return text in the one spelling that its percent signs could have."""
    return _ENCODED.sub(_spelled_once, text)


def _spelled_once(found: re.Match[str]) -> str:
    if found[1] is None:
        return "%25"
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()


def _ada() -> ModuleType:
    try:
        import ada_url
    except ImportError as error:
        raise NotInstalled(
            f"the archive needs ada-url, which is not installed: `pip install 'footfall[archive]'` ({error})"
        ) from error
    return ada_url
