"""Which pages a brand's browsers may send from: origins, compared as browsers write them."""

import re
from collections.abc import Sequence

from footfall.values.errors import Refused

ORIGIN_BYTES_MAX = 255

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = rf"(?:\*\.)?{_LABEL}(?:\.{_LABEL})*|\[[0-9a-f:.]+\]"
_ORIGIN = re.compile(rf"https?://(?:{_HOST})(?::[0-9]{{1,5}})?")
_PAGE = re.compile(r"(https?://[^/?#]*)", re.IGNORECASE)
_ANY_HOST = "://*."


def require_origin(text: str) -> None:
    """Raise Refused unless the text is an origin as browsers write it, perhaps of all subdomains."""
    if len(text) > ORIGIN_BYTES_MAX or _ORIGIN.fullmatch(text) is None or text != _without_default_port(text):
        raise Refused(
            "origins",
            f"{text[:80]!r} is not an origin; write https://www.example.com, with :port if it is not the usual one, "
            "or https://*.example.com for every subdomain; in small letters, without a path",
        )


def origin_of_page(address: str) -> str:
    """Return the origin of a page's address as a browser would write it; empty when it has none."""
    found = _PAGE.match(address)
    return _without_default_port(found[1].lower()) if found is not None else ""


def is_allowed_origin(origin: str, allowed: Sequence[str]) -> bool:
    """Tell whether the origin is one of those allowed, or a subdomain where those are."""
    if origin in allowed:
        return True
    return any(_is_subdomain(origin, one) for one in allowed if _ANY_HOST in one)


def _is_subdomain(origin: str, pattern: str) -> bool:
    scheme, _, host = pattern.partition(_ANY_HOST)
    prefix, suffix = f"{scheme}://", f".{host}"
    middle = origin[len(prefix) : len(origin) - len(suffix)]
    return origin.startswith(prefix) and origin.endswith(suffix) and re.fullmatch(r"[a-z0-9.-]+", middle) is not None


def _without_default_port(origin: str) -> str:
    port = ":443" if origin.startswith("https:") else ":80"
    return origin.removesuffix(port)
