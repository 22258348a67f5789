"""Referrers that are advertisements: sites that send hits so that somebody who reads the reports visits them."""

import re
from collections.abc import Iterable

from footfall.values.errors import Refused

REMEMBERED_MAX = 20_000  # Hosts have at most 253 characters: some 2 MB as they usually are.
_DOMAIN = re.compile(r"(?=.{4,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}")

# Known for it for years and for nothing else; a maintained list is brought with `footfall lists update`.
OWN = frozenset(
    (
        "semalt.com", "semaltmedia.com", "buttons-for-website.com", "buttons-for-your-website.com",
        "best-seo-offer.com", "best-seo-solution.com", "darodar.com", "ilovevitaly.com", "priceg.com",
        "blackhatworth.com", "hulfingtonpost.com", "o-o-6-o-o.com", "econom.co", "4webmasters.org",
        "free-share-buttons.com", "free-social-buttons.com", "simple-share-buttons.com", "social-buttons.com",
        "get-free-traffic-now.com", "traffic2money.com", "trafficmonetize.org", "webmonetizer.net",
        "success-seo.com", "100dollars-seo.com", "event-tracking.com", "guardlink.org", "theguardlan.com",
        "floating-share-buttons.com", "site-auditor.online", "rankings-analytics.com",
    )
)  # fmt: skip


class SpamReferrers(dict[str, bool]):
    """Whether a host is, or lies below, a domain of the list: `spam[host]`; those asked for lately are remembered."""

    def __init__(self, domains: Iterable[str] = ()) -> None:
        super().__init__()
        self._domains = OWN.union(domains)

    def __missing__(self, host: str) -> bool:
        labels = host.lower().rstrip(".").split(".")
        is_listed = any(
            ".".join(labels[start:]) in self._domains for start in range(max(0, len(labels) - 8), len(labels))
        )
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        if len(host) <= 253:
            self[host] = is_listed
        return is_listed

    def sent(self, referrer: str) -> bool:
        """Tell whether a referrer's host is of the list."""
        return self[host_of(referrer)]


def host_of(address: str) -> str:
    """Return the host of an address, without a user or a port."""
    rest = address.partition("://")[2] or address
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return host.partition(":")[0]


def require_domain(text: str) -> str:
    """Return a domain in small letters, or raise Refused."""
    domain = text.strip().lower().rstrip(".").removeprefix("*.").removeprefix(".")
    try:
        domain = domain.encode("idna").decode("ascii") if not domain.isascii() else domain
    except UnicodeError:
        domain = ""
    if _DOMAIN.fullmatch(domain) is None:
        raise Refused("list", f"{text[:80]!r} is not a domain like spam.example")
    return domain
