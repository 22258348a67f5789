"""Rules that an operator gives a brand: networks, agents, paths and countries whose hits are blocked."""

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, cast

from footfall.screening.labels import Reason
from footfall.screening.ranges import Ranges, range_of, ranges_from
from footfall.values.errors import Refused

ADDRESSES_MAX = 2_000
AGENTS_MAX = 100  # Each is looked for in every agent.
PATHS_MAX = 200  # Each is compared with every page.
COUNTRIES_MAX = 250
AGENT_CHARS_MIN, AGENT_CHARS_MAX = 3, 200
PATH_CHARS_MAX = 300
REMEMBERED_MAX, REMEMBERED_CHARS_MAX = 5_000, 300  # pages of a brand, and agents: some 1 MB each
ACTS_FROM: Final = "hits that arrive from now on; those that came before keep what was decided then"
ADDRESSES_ACT: Final = "addresses are not stored, so rules on them and on countries can never act on the past"
_COUNTRY = re.compile(r"[A-Z]{2}")
_NONE: Final = Reason.NONE
# A text that all of them contain is everybody's.
_BROWSERS: Final = (
    "mozilla/5.0 (windows nt 10.0; win64; x64) applewebkit/537.36 (khtml, like gecko) chrome/142.0.0.0 safari/537.36",
    "mozilla/5.0 (iphone; cpu iphone os 18_6 like mac os x) applewebkit/605.1.15 (khtml, like gecko) mobile/15e148",
    "mozilla/5.0 (x11; linux x86_64; rv:145.0) gecko/20100101 firefox/145.0",
)
_FIELDS: Final = ("addresses", "agents", "paths", "countries", "isOn")


class BlockedPages(dict[str, bool]):
    """Whether a page is blocked by its address, or an asset's id that is one: `pages[address]`; it remembers some."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self._exact = frozenset(path for path in paths if not path.endswith("*"))
        self._prefixes = tuple(path[:-1] for path in paths if path.endswith("*"))

    def may_have_any(self, addresses: Sequence[str]) -> bool:
        """Tell whether any address could be blocked, which costs less than to look at each."""
        together = "\n".join(addresses)
        return any(path in together for path in (*self._exact, *self._prefixes))

    def __missing__(self, address: str) -> bool:
        path = path_of(address)
        is_blocked = path in self._exact or (bool(self._prefixes) and path.startswith(self._prefixes))
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        if len(address) <= REMEMBERED_CHARS_MAX:
            self[address] = is_blocked
        return is_blocked


class BlockedAgents(dict[str, bool]):
    """Whether an agent has a text that is blocked, in whatever case: `agents[agent]`; it remembers some."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self._texts = tuple(text.lower() for text in texts)

    def __missing__(self, agent: str) -> bool:
        small = agent.lower()
        is_blocked = any(text in small for text in self._texts)
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        if len(agent) <= REMEMBERED_CHARS_MAX:
            self[agent] = is_blocked
        return is_blocked


class BrandRules:
    """The rules of one brand, ready to be gone by."""

    def __init__(
        self,
        *,
        addresses: Sequence[str] = (),
        agents: Sequence[str] = (),
        paths: Sequence[str] = (),
        countries: Sequence[str] = (),
        is_on: bool = True,
    ) -> None:
        self.addresses = tuple(addresses)
        self.agents = tuple(agents)
        self.paths = tuple(paths)
        self.countries = tuple(countries)
        self.is_on = is_on  # False: the door labels none of the brand's hits
        self.blocked_agents = BlockedAgents(agents)
        self.pages = BlockedPages(paths)
        self._countries = frozenset(countries)
        self.judges_pages = bool(paths)

    @cached_property
    def _networks(self) -> Ranges:
        return ranges_from(range_of(text) for text in self.addresses)

    def on_address(self, address: str, countries: Ranges) -> Reason:
        """Return why an address is blocked."""
        if self.addresses and self._networks.holds(address):
            return Reason.RULE_ADDRESS
        if self._countries and countries.value_of(address) in self._countries:
            return Reason.RULE_COUNTRY
        return _NONE

    def on_agent(self, agent: str) -> Reason:
        """Return why an agent is blocked."""
        return Reason.RULE_AGENT if self.blocked_agents[agent] else _NONE

    def may_block(self, pages: Sequence[str], agents: Iterable[str]) -> bool:
        """Tell whether any of some pages and agents could be blocked."""
        return (self.judges_pages and self.pages.may_have_any(pages)) or (
            bool(self.agents) and any(map(self.blocked_agents.__getitem__, agents))
        )

    def document(self) -> dict[str, object]:
        """Return the rules as people read and write them."""
        return {
            "addresses": list(self.addresses),
            "agents": list(self.agents),
            "paths": list(self.paths),
            "countries": list(self.countries),
            "isOn": self.is_on,
        }


def rules_from_document(document: Mapping[str, Any]) -> BrandRules:
    """Return the rules that a document describes, or raise Refused with the first entry that is wrong."""
    for name in document:
        if name not in _FIELDS:
            raise Refused(name[:64] or "body", f"is not a rule; those are {', '.join(_FIELDS)}")
    is_on: object = document.get("isOn", True)
    if not isinstance(is_on, bool):
        raise Refused("isOn", f"must be true or false, not {str(is_on)[:40]!r}")
    return BrandRules(
        addresses=[_address(text) for text in _texts(document, "addresses", ADDRESSES_MAX)],
        agents=[_agent(text) for text in _texts(document, "agents", AGENTS_MAX)],
        paths=[_path(text) for text in _texts(document, "paths", PATHS_MAX)],
        countries=[_country(text) for text in _texts(document, "countries", COUNTRIES_MAX)],
        is_on=is_on,
    )


def path_of(address: str) -> str:
    """Return the path of an address, or the text itself when it begins with a slash."""
    start = 0
    if address[:1] != "/":
        host = address.find("://") + 3
        if host < 3:
            return ""
        start = address.find("/", host)
        if start < 0:
            return "/" if len(address) > host else ""
    path = address[start:]
    if "?" in path:
        path = path.partition("?")[0]
    return path.partition("#")[0] if "#" in path else path


def _texts(document: Mapping[str, Any], name: str, count_max: int) -> list[str]:
    found: object = document.get(name, ())
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise Refused(name, "must be an array of texts")
    texts = cast("Sequence[object]", found)
    if len(texts) > count_max:
        raise Refused(name, f"has {len(texts):,} entries, at most {count_max:,} are taken")
    for place, text in enumerate(texts):
        if not isinstance(text, str) or not text.isprintable():
            raise Refused(f"{name}[{place}]", "is not a text of one line")
    return list(dict.fromkeys(cast("Sequence[str]", texts)))


def _address(text: str) -> str:
    try:
        network = ipaddress.ip_network(text.strip())
    except ValueError as error:
        raise Refused("addresses", f"{text[:60]!r} is no network like 203.0.113.0/24 ({error})") from error
    if network.prefixlen == 0:
        raise Refused("addresses", f"{text[:60]!r} is everybody; to take no hits, remove the brand's keys")
    return str(network)


def _agent(text: str) -> str:
    if not AGENT_CHARS_MIN <= len(text) <= AGENT_CHARS_MAX:
        raise Refused(
            "agents",
            f"{text[:60]!r} must have {AGENT_CHARS_MIN} to {AGENT_CHARS_MAX} characters that an agent contains",
        )
    if all(text.lower() in browser for browser in _BROWSERS):
        raise Refused("agents", f"{text[:60]!r} is in every browser's agent; give what only this program says")
    return text


def _path(text: str) -> str:
    if not text.startswith("/") or "*" in text[:-1] or text == "/*" or len(text) > PATH_CHARS_MAX:
        raise Refused(
            "paths",
            f"{text[:60]!r} is no path like /preview/one or /preview/*: it begins with a slash, has at most "
            f"{PATH_CHARS_MAX} characters and a star at its end only, and is not all paths",
        )
    return text


def _country(text: str) -> str:
    country = text.strip().upper()
    if _COUNTRY.fullmatch(country) is None:
        raise Refused("countries", f"{text[:40]!r} is no country of two letters, as in FI")
    return country
