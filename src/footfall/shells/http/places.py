"""What of an address counts when requests are limited: all of an IPv4 one, the network of an IPv6 one."""

import socket
from collections.abc import Sequence

from footfall.flow.collect.senders import Network

_V4_IN_V6 = bytes(10) + b"\xff\xff"


def place_of(address: str) -> bytes:
    """Return what stands for an address: all of an IPv4 one, the network of an IPv6 one; empty when it is none."""
    try:
        if ":" not in address:
            return socket.inet_pton(socket.AF_INET, address)
        packed = socket.inet_pton(socket.AF_INET6, address.partition("%")[0])
    except (OSError, ValueError):
        return b""
    return packed[12:] if packed.startswith(_V4_IN_V6) else packed[:8]


class Places:
    """Networks, compared with places: an IPv6 network smaller than a /64 counts as that /64."""

    def __init__(self, networks: Sequence[Network]) -> None:
        self._masks: dict[int, list[tuple[int, int]]] = {4: [], 8: []}
        for network in networks:
            size = 4 if network.version == 4 else 8
            shift = 0 if size == 4 else 64
            mask, start = int(network.netmask) >> shift, int(network.network_address) >> shift
            self._masks[size].append((mask, start))

    def hold(self, place: bytes) -> bool:
        """Tell whether the place lies in one of the networks."""
        number = int.from_bytes(place)
        for mask, start in self._masks.get(len(place), ()):  # noqa: SIM110 - a generator costs more than the rest
            if number & mask == start:
                return True
        return False
