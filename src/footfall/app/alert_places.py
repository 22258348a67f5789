"""Where alerts may be posted to: public places by https; others only where an operator allows it."""

import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit

from footfall.app.settings import Settings
from footfall.catalog.public_places import is_public_place
from footfall.values.errors import Refused

_HTTPS = 443


def may_post_to(settings: Settings) -> Callable[[str, int, bool], bool]:
    """Return the rule of which addresses may be connected to, at a port, with encryption or without."""
    is_private_allowed = settings.alerts_private_places or settings.dev

    def may(address: str, _port: int, is_secure: bool) -> bool:  # noqa: FBT001 - called by position
        is_loopback = _is_loopback(address)
        if not is_secure and not (is_loopback or settings.dev):
            return False
        # Any port will do: whoever does not speak TLS there hears nothing that means anything to them.
        return is_private_allowed or (not is_loopback and is_public_place(address, _HTTPS))

    return may


def webhook_rule(settings: Settings) -> Callable[[str], None]:
    """Return what raises Refused for an address that could never be posted to; names are looked up when it is."""
    may = may_post_to(settings)

    def require(url: str) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or _HTTPS
        except ValueError as error:
            raise Refused("webhooks", f"{url[:80]!r} is not an address: {error}") from error
        if parts.scheme not in ("https", "http") or not host or parts.username is not None or parts.fragment:
            raise Refused("webhooks", f"{url[:80]!r} is not an address such as https://hooks.example.com/footfall")
        is_secure = parts.scheme == "https"
        is_local = host == "localhost" or _is_loopback(host)
        if not is_secure and not (settings.dev or is_local):
            raise Refused("webhooks", f"{url[:80]!r} is not encrypted; use https")
        address = "127.0.0.1" if host == "localhost" else host
        if _is_address(address) and not may(address, port, is_secure):
            raise Refused(
                "webhooks",
                f"{url[:80]!r} leads to a private address; the operator may allow those with alerts_private_places",
            )

    return require


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host).is_loopback
