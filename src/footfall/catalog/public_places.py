"""Where a server of ours may go on a stranger's word: to public addresses, on the web's own ports."""

import ipaddress
from urllib.parse import urlsplit

from footfall.values.errors import FootfallError

WEB_PORTS = (80, 443)
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Addresses that hold another one inside: behind them may be anything.
_TUNNELS = tuple(
    ipaddress.ip_network(network)
    for network in ("::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
)


class NotPublic(FootfallError):
    """An address leads to where nobody else may send us."""


def is_public_place(address: str, port: int) -> bool:
    """Tell whether a connection there reaches the public web and no machine or network of our own."""
    try:
        place = ipaddress.ip_address(address)
    except ValueError:
        return False
    if port not in WEB_PORTS or not place.is_global or place.is_multicast or place.is_reserved:
        return False
    return place.version == 4 or not any(place in network for network in _TUNNELS)


def host_and_port(address: str) -> tuple[str, int]:
    """Return where an http address leads, or raise NotPublic for one that no page of the web has."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
        name = host.encode("idna").decode() if not host.isascii() else host
    except ValueError as error:
        raise NotPublic(f"{address[:80]!r} is not an address of the web: {error}") from error
    if parts.scheme not in _DEFAULT_PORTS or not name or "@" in parts.netloc:
        raise NotPublic(f"{address[:80]!r} is not an address of a page that anybody may read")
    return name, port
