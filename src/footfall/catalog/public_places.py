"""Where a server of ours may go on a stranger's word: to public addresses, on the web's own ports."""

from urllib.parse import urlsplit

from footfall.values.public_addresses import WEB_PORTS, NotPublic, is_public_address

__all__ = ["NotPublic", "host_and_port", "is_public_place"]

_DEFAULT_PORTS = {"http": 80, "https": 443}


def is_public_place(address: str, port: int) -> bool:
    """Tell whether a connection there reaches the public web and no machine or network of our own."""
    return port in WEB_PORTS and is_public_address(address)


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
