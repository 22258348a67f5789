"""Where a server of ours may go on a stranger's word: to public addresses, on the web's own ports."""

import ipaddress
from urllib.parse import urlsplit

from footfall.values.errors import FootfallError

WEB_PORTS = (80, 443)
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Where IPv6 addresses of the public Internet lie, and what of it is set apart: tunnels, behind which may be anything,
# documentation, and what was given back.
_PUBLIC_V6 = ipaddress.ip_network("2000::/3")
_SET_APART = tuple(
    ipaddress.ip_network(network)
    for network in (
        "2001::/23",  # protocols' own, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address inside
        "2620:4f:8000::/48",  # answers for private addresses
        "3ffe::/16",  # given back
        "3fff::/20",  # documentation
        "192.0.0.0/24",  # protocols' own
        "192.31.196.0/24",  # answers for private addresses
        "192.52.193.0/24",  # multicast through tunnels
        "192.88.99.0/24",  # 6to4 relays
        "192.175.48.0/24",  # answers for private addresses
        "168.63.129.16/32",  # a cloud's own services, reached from inside it alone
    )
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
    if place.version == 6 and (place.scope_id is not None or place not in _PUBLIC_V6):
        return False
    return not any(place in network for network in _SET_APART)


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
