"""What a name stands for, and a connection to it: what the gate asks of the machine it runs on."""

import socket
from collections.abc import Callable, Sequence

ADDRESSES_MAX = 64  # A name with more is not looked at to its end, and so not visited.

# Return every address that a name has; raise OSError when it has none.
Resolve = Callable[[str, int], Sequence[str]]


def system_addresses(host: str, port: int) -> Sequence[str]:
    """Return what the machine's own resolver says."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    if len(addresses) > ADDRESSES_MAX:
        raise OSError(f"{host[:80]} has {len(addresses)} addresses; at most {ADDRESSES_MAX} are looked at")
    return addresses
