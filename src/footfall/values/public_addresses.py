"""The one rule of where a server of ours may go on a stranger's word: public addresses, the web's ports, public names.

Python's own `is_global` is no such rule: it takes multicast, tunnels and IPv4 addresses inside IPv6 ones for public.
"""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass

from footfall.values.errors import FootfallError

WEB_PORTS = frozenset({80, 443})
HOST_CHARACTERS_MAX = 253

_Place = ipaddress.IPv4Address | ipaddress.IPv6Address

_NOT_PUBLIC = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",  # this machine, as some systems have it
        "10.0.0.0/8",
        "100.64.0.0/10",  # behind a provider's translation
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's own services, reached from inside it alone
        "169.254.0.0/16",  # link-local; clouds tell secrets here
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocols' own
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # answers for private addresses
        "192.52.193.0/24",  # multicast through tunnels
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",  # answers for private addresses
        "198.18.0.0/15",  # measurements
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # never given out, and broadcast
        "2001::/23",  # protocols' own: Teredo, ORCHID, measurements
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address inside
        "2620:4f:8000::/48",  # answers for private addresses
        "3ffe::/16",  # given back
        "3fff::/20",  # documentation
    )
)
# All others of IPv6 are none of the public Internet: unspecified, loopback, mapped, NAT64, discard, segment routing,
# unique local, link-local, site-local, multicast.
_PUBLIC_V6 = ipaddress.ip_network("2000::/3")
_NAT64 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))

# Names that mean something else on every network, or nothing on the public one.
_PRIVATE_ENDINGS = frozenset(
    {
        "localhost", "local", "localdomain", "internal", "intranet", "private", "lan", "home", "corp", "home.arpa",
        "onion", "svc", "consul",
    }
)  # fmt: skip
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


class NotPublic(FootfallError):
    """An address leads to where nobody else may send us."""


def is_public_address(address: str) -> bool:
    """Tell whether an IP address, written as usual, is one of the public Internet."""
    place = _place(address)
    if place is None or not place.is_global or place.is_multicast or place.is_reserved:
        return False
    if place.version == 6 and (place.scope_id is not None or place not in _PUBLIC_V6):
        return False
    return not any(place in network for network in _NOT_PUBLIC)


def unwrapped(address: str) -> str:
    """Return the IPv4 address that an IPv6 one stands for (mapped, NAT64, 6to4, Teredo), or the address itself."""
    place = _place(address)
    if not isinstance(place, ipaddress.IPv6Address):
        return address if place is None else str(place)
    inside = place.ipv4_mapped or place.sixtofour or (place.teredo[1] if place.teredo is not None else None)
    if inside is None and int(place) > 1 and any(place in network for network in _NAT64):
        inside = ipaddress.IPv4Address(int(place) & 0xFFFFFFFF)
    return str(place if inside is None else inside)


def host_from(written: str) -> str:
    """Return a host as it is compared: lower case, no brackets, no dot at its end, an IP address in its usual form."""
    host = written.strip("[]").lower().removesuffix(".")
    place = _place(host)
    return host if place is None else str(place)


@dataclass(frozen=True, slots=True)
class Policy:
    """Which hosts may be reached at which ports.

    A pair of host and port that is allowed by name is reached wherever it leads; nothing else that leads to the same
    place is. Pairs are given by whoever makes the policy, never by the environment.
    """

    allowed: frozenset[tuple[str, int]] = frozenset()
    ports: frozenset[int] = WEB_PORTS
    refused_names: frozenset[str] = frozenset()  # Our own host names, and whatever else nobody is to be sent to.

    def is_allowed(self, host: str, port: int) -> bool:
        """Tell whether the very pair is allowed."""
        return (host_from(host), port) in self.allowed

    def require_host(self, host: str, port: int) -> None:
        """Raise NotPublic for what may not be reached whatever its name stands for."""
        if self.is_allowed(host, port):
            return
        name = host_from(host)
        if _place(name) is not None:
            _require_public(name, name)
        elif not _is_public_name(name) or name in self.refused_names:
            raise NotPublic(f"{name[:80]!r} is no name of the public web")
        if port not in self.ports:
            ports = " and ".join(str(one) for one in sorted(self.ports))
            raise NotPublic(f"{name[:80]} port {port} is not one of the web's ports, which are {ports}")

    def checked(self, host: str, port: int, addresses: Sequence[str]) -> tuple[str, ...]:
        """Return the addresses to connect to, or raise NotPublic when any that the host has may not be reached."""
        self.require_host(host, port)
        if not addresses:
            raise NotPublic(f"{host[:80]} has no address")
        if not self.is_allowed(host, port):
            for address in addresses:
                _require_public(host, address)
        return tuple(addresses)

    def require_peer(self, peer: str, *, picked: str) -> None:
        """Raise NotPublic when a connection has another end than the address that was picked."""
        if unwrapped(peer) != unwrapped(picked):
            raise NotPublic(f"a connection to {picked} ended at {peer[:80]}")


def _require_public(host: str, address: str) -> None:
    if is_public_address(address):
        return
    inside = unwrapped(address)
    meant = address if inside == address else f"{address} (that is {inside})"
    led = meant if host == address else f"{host[:80]} leads to {meant[:120]}, which"
    raise NotPublic(f"{led} is not an address of the public web")


def _place(address: str) -> _Place | None:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None


def _is_public_name(name: str) -> bool:
    labels = name.split(".")
    if len(name) > HOST_CHARACTERS_MAX or len(labels) < 2 or not all(_LABEL.fullmatch(label) for label in labels):
        return False
    # A browser reads a name whose last part is a number as an IPv4 address, however it is written.
    if _NUMBER.fullmatch(labels[-1]):
        return False
    return labels[-1] not in _PRIVATE_ENDINGS and ".".join(labels[-2:]) not in _PRIVATE_ENDINGS
