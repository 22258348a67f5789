"""Which responses of a web application are page views, and what is known of the page: shared by all middlewares.

Counting on the server sees what a browser does not tell: every response, and nobody's screen. So only what a person
most likely looks at counts: a GET that was answered with 200 and HTML, not fetched ahead, not asked for by a script,
and not by an agent that says it is a program. The reader's address stays here. The agent is sent, because the server
knows more programs than we do; it keeps what follows from it, and not the agent. A visitor is sent only if the
application names one itself, and not even then for a reader who asks not to be followed.
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

HEADERS = ("footfall-asset", "footfall-section", "footfall-type", "footfall-paid")
AGENT_BYTES_MAX = 1_024  # that the server takes; the longest of browsers have some 500
COUNT_HEADER = "footfall-count"  # `no` leaves the page out
LEFT_OUT = ("/static/", "/media/", "/admin/", "/favicon.ico", "/robots.txt")
# Agents that say they are programs. One maker of telephones has a name that ends like theirs.
PROGRAMS = re.compile(
    r"(?<!cu)bot\b|crawl|spider|slurp|scrap|monitor|headless|lighthouse|curl/|wget/|libwww|python|java/|okhttp|go-http|"
    r"axios/|node-fetch|undici|validator",
    re.IGNORECASE,
)
_HTML = ("text/html", "application/xhtml+xml")

log = logging.getLogger("footfall.client")


class Counter(Protocol):
    """What a middleware needs of the client."""

    def hit(  # noqa: PLR0913 - the fields of a hit that a page has
        self,
        asset: str | int,
        *,
        section: str | int | None = None,
        type: str | None = None,
        paid: str | None = None,
        url: str | None = None,
        referrer: str | None = None,
        visitor: str | None = None,
        agent: str | None = None,
    ) -> None:
        """Hand over a hit."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """What the application knows of a page; an empty asset stands for the page's address without its query."""

    asset: str | int = ""
    section: str | int = ""
    type: str = ""
    paid: str = ""
    visitor: str = ""  # the brand's own id of the reader; the server keeps a keyed hash of it
    is_counted: bool = True


@dataclass(frozen=True, slots=True)
class View:
    """One exchange, as much of it as decides; names of headers in lower case."""

    method: str
    address: str  # as the browser shows it; empty when it cannot be told
    asked: Mapping[str, str]
    status: int
    answered: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rules:
    """What counts as a page view."""

    left_out: Sequence[str] = LEFT_OUT  # paths that begin so
    is_program: Callable[[str], bool] = lambda agent: not agent or PROGRAMS.search(agent) is not None
    sends_agent: bool = True  # Without it the server screens by the rest of what it is told.


def is_page_view(view: View, rules: Rules) -> bool:
    """Tell whether a person most likely looks at what was answered."""
    asked = view.asked
    kind = view.answered.get("content-type", "").partition(";")[0].strip().lower()
    purpose = f"{asked.get('sec-purpose', '')} {asked.get('purpose', '')} {asked.get('x-moz', '')}".lower()
    return (
        view.address != ""
        and view.method == "GET"
        and view.status == 200
        and kind in _HTML
        and "prefetch" not in purpose
        and "preview" not in purpose
        # Browsers say what they want the answer for; a script that fetches a part of a page says `empty`.
        and asked.get("sec-fetch-dest", "document") == "document"
        and view.answered.get(COUNT_HEADER, "").lower() != "no"
        and not urlsplit(view.address).path.startswith(tuple(rules.left_out))
        and not rules.is_program(asked.get("user-agent", ""))
    )


def count_page(
    client: Counter, view_of: Callable[[], View], *, page_of: Callable[[], Page | None], rules: Rules
) -> None:
    """Hand over the page view, if it is one; whatever fails is logged and never reaches the application."""
    try:
        view = view_of()
        if is_page_view(view, rules):
            page = page_of() or page_from_headers(view.answered)
            if page.is_counted:
                _count(client, view, page, sends_agent=rules.sends_agent)
    except Exception:  # A page must be shown even if it cannot be counted.
        log.exception("a page view could not be counted")


def page_from_headers(answered: Mapping[str, str]) -> Page:
    """Return the page as the response's own headers describe it."""
    asset, section, kind, paid = (answered.get(name, "") for name in HEADERS)
    return Page(asset, section, kind, paid)


def _count(client: Counter, view: View, page: Page, *, sends_agent: bool) -> None:
    address = _without_query(view.address)
    wants_privacy = view.asked.get("sec-gpc") == "1" or view.asked.get("dnt") == "1"
    client.hit(
        page.asset if page.asset != "" else address,
        section=page.section,
        type=page.type,
        paid=page.paid,
        url=address,
        referrer=_without_query(view.asked.get("referer", "")),
        visitor="" if wants_privacy else page.visitor,
        agent=_sendable(view.asked.get("user-agent", "")) if sends_agent else "",
    )


def _sendable(agent: str) -> str:
    """Return an agent that the server takes: a page must not go uncounted because somebody's agent is odd."""
    shown = "".join(character if character.isprintable() else " " for character in agent)
    return shown.encode("utf-8", "replace")[:AGENT_BYTES_MAX].decode("utf-8", "ignore")


def _without_query(address: str) -> str:
    """Return the address without what may hold a search, a token or a name."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
