"""Referrers that are advertisements: sites that send hits so that somebody who reads the reports visits them."""

import re
from collections.abc import Iterable

from footfall.values.errors import Refused

REMEMBERED_MAX = 20_000
REMEMBERED_CHARS_MAX = 300  # of a referrer: all of them take some 4 MB as they usually are, 8 MB if they are made up
LABELS_MAX = 8  # of a host, from its end, that are looked at
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
    """Whether a referrer's host is, or lies below, a domain of the list: `spam[referrer]`; it remembers the last."""

    def __init__(self, domains: Iterable[str] = ()) -> None:
        super().__init__()
        self._domains = OWN.union(domains)

    def __missing__(self, referrer: str) -> bool:
        labels = host_of(referrer).lower().rstrip(".").split(".")
        first = max(0, len(labels) - LABELS_MAX)
        is_listed = any(".".join(labels[start:]) in self._domains for start in range(first, len(labels)))
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        if len(referrer) <= REMEMBERED_CHARS_MAX:
            self[referrer] = is_listed
        return is_listed


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
