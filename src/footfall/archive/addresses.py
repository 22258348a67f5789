"""Addresses of pages: what somebody typed, what a browser makes of it, and by what pages are the same.

A URL is taken apart as browsers do it (WHATWG), so that what is checked here is what is visited. An address without
a scheme keeps none until one was found by trial (archive/schemes.py); its `url` begins with the host then.
"""

import re
import unicodedata
from dataclasses import dataclass

from footfall.archive.tracking_parameters import is_tracking
from footfall.values.errors import Refused
from footfall.values.public_addresses import NotPublic, Policy
from footfall.values.web_urls import DEFAULT_PORTS, SCHEMES, NotAWebUrl, WebUrl, web_url

URL_CHARACTERS_MAX = 2_000  # What every browser, proxy and server takes.

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(.*)", re.IGNORECASE | re.DOTALL)
_PORT_FOLLOWS = re.compile(r"[0-9]{1,5}(?:[/?#]|$)")
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class UnfitAddress(Refused):
    """What was typed is no address of a page."""

    def __init__(self, reason: str) -> None:
        super().__init__("url", reason)


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


def address_from(typed: str) -> Address:
    """Return the address that somebody typed or pasted; raise UnfitAddress with a sentence that says what is wrong."""
    written = typed.strip()
    _require_plain(written)
    scheme, rest = _split(written)
    parsed = _parsed(f"{scheme or 'https'}:{rest}")
    if not scheme and parsed.port == DEFAULT_PORTS["http"]:
        parsed = _parsed(f"http:{rest}")  # The port says nothing that the trial would not find.
    query = [piece for piece in parsed.query.split("&") if not is_tracking(piece)]
    fragment = f"#{parsed.fragment}" if parsed.fragment.startswith(("!", "/")) else ""
    url = parsed.place + parsed.path + ("?" + "&".join(query) if any(query) else "") + fragment
    if len(url) > URL_CHARACTERS_MAX:
        raise UnfitAddress(f"has {len(url)} characters; an address has at most {URL_CHARACTERS_MAX}")
    pieces = sorted(_spelled(piece) for piece in query if piece)
    key = parsed.place + _spelled(parsed.path) + ("?" + "&".join(pieces) if pieces else "") + _spelled(fragment)
    return Address(typed, f"{scheme}://{url}" if scheme else url, key, has_scheme=bool(scheme))


def same_page_key(url: str) -> str:
    """Return by what pages are the same: host, path, sorted query; neither scheme nor fragment nor tracking."""
    return address_from(url).key


def require_reachable(address: Address, policy: Policy) -> None:
    """Raise UnfitAddress for an address that could never be visited; what its name stands for is seen when it is."""
    reasons: list[str] = []
    for url in address.candidates:
        parsed = _parsed(url)
        try:
            policy.require_host(parsed.host, parsed.port)
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


def _parsed(url: str) -> WebUrl:
    try:
        return web_url(url)
    except NotAWebUrl as error:
        raise UnfitAddress(str(error)) from error


def _spelled(text: str) -> str:
    """Return text in the one spelling that its percent signs could have."""
    return _ENCODED.sub(_spelled_once, text)


def _spelled_once(found: re.Match[str]) -> str:
    if found[1] is None:
        return "%25"
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()
