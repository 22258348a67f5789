"""URLs taken apart as browsers take them apart (WHATWG), so that what is checked is what is visited."""

from dataclasses import dataclass
from types import ModuleType

from footfall.values.errors import FootfallError

SCHEMES = ("https", "http")
DEFAULT_PORTS = {"http": 80, "https": 443}


class NotAWebUrl(FootfallError):
    """Text is no URL that a browser would open over http or https."""


class NotInstalled(FootfallError):
    """A library that the archive needs is not there."""


@dataclass(frozen=True, slots=True)
class WebUrl:
    """A URL in pieces, none of which needs to be read again."""

    scheme: str
    host: str  # lower case, without a dot at its end; an IPv6 address has its brackets
    port: int
    path: str
    query: str  # without ?
    fragment: str  # without #

    @property
    def place(self) -> str:
        """Return the host, and the port if it is not the scheme's own, as the header Host has them."""
        return self.host if self.port == DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def target(self) -> str:
        """Return what is asked of the host."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def written(self) -> str:
        """Return the URL without its fragment."""
        return f"{self.scheme}://{self.place}{self.target}"


def web_url(text: str, *, base: str | None = None) -> WebUrl:
    """Return the URL that a browser would open, seen from a base if there is one; raise NotAWebUrl."""
    if "\\" in text:
        raise NotAWebUrl(f"{text[:80]!r} has a backslash in it, which is read differently by everybody")
    try:
        parsed = _ada().URL(text, base) if base is not None else _ada().URL(text)
    except (ValueError, UnicodeError) as error:
        raise NotAWebUrl(f"{text[:80]!r} is not an address that a browser could open") from error
    scheme = parsed.protocol.removesuffix(":")
    if scheme not in SCHEMES:
        raise NotAWebUrl(f"{text[:80]!r} is read by {scheme[:20]}:, and pages by https: or http: alone")
    if parsed.username or parsed.password:
        raise NotAWebUrl("an address with a name or a password before its host is not one that everybody may see")
    host = parsed.hostname.removesuffix(".")
    if not host or any(not label for label in host.strip("[]").split(".")):
        raise NotAWebUrl(f"{text[:80]!r} has no host that a browser could ask")
    port = int(parsed.port) if parsed.port else DEFAULT_PORTS[scheme]
    return WebUrl(scheme, host, port, parsed.pathname, parsed.search.removeprefix("?"), parsed.hash.removeprefix("#"))


def _ada() -> ModuleType:
    # Imported where it is used: only the archive needs it.
    try:
        import ada_url
    except ImportError as error:
        raise NotInstalled(
            f"the archive needs ada-url, which is not installed: `pip install 'footfall[archive]'` ({error})"
        ) from error
    return ada_url
