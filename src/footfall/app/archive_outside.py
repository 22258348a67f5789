"""Handing the address of what was kept to an outside archive, and keeping the link it answers; off unless it is set.

An outside archive shows everybody what it has. So only captures that the whole brand sees are handed over: what is a
member's own is told to nobody.
"""

import re
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode, urljoin

from footfall.adapters.gate.gated_fetch import Fetched
from footfall.app.settings import Settings
from footfall.archive import finding, keys, removing
from footfall.archive.captures import Capture
from footfall.ports.capturing import CaptureFailed, Reason
from footfall.ports.table import Table

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LINK_CHARACTERS_MAX = 2_000
TAKEN_BELOW = 400

_REFRESH = re.compile(r"\s*[0-9]+\s*;\s*url=(\S+)\s*", re.IGNORECASE)
_MEMENTO = re.compile(r'<([^>]+)>[^,]*;\s*rel="?[^",;]*\bmemento\b', re.IGNORECASE)


class PostsForms(Protocol):
    """The way to the outside archive: through the gate, like every other fetch of the archive."""

    def post(self, url: str, body: bytes, *, headers: dict[str, str] | None = None) -> Fetched:
        """Return the answer to a body, after redirects; raise CaptureFailed."""
        ...


@dataclass(frozen=True, slots=True)
class Outside:
    """An outside archive: where it takes addresses, and in which field of a form."""

    url: str
    field: str = "url"


def outside_from(settings: Settings) -> Outside | None:
    """Return the outside archive that the settings name; none unless they do."""
    url = settings.archive_outside_url.strip()
    return Outside(url, settings.archive_outside_field) if url else None


def hand_over(table: Table, capture_id: str, outside: Outside, fetch: PostsForms) -> str | None:
    """Hand a capture's address over and keep the link; None when nothing is to be handed over, or it was before.

    Raise CaptureFailed when the outside archive did not take it: whoever calls may try again, and the capture stays.
    """
    capture = finding.capture(table, capture_id)
    if not isinstance(capture, Capture) or capture.outside_url is not None or not _is_brands(capture):
        return None
    body = urlencode({outside.field: capture.final_url}).encode()
    link = link_in(fetch.post(outside.url, body, headers=FORM), asked=outside.url)
    removing.set_outside_url(table, capture.id, link)
    return link


def link_in(answer: Fetched, *, asked: str) -> str:
    """Return the link that an answer tells: where it leads, what it says in its head, or a Memento it names."""
    if answer.status >= TAKEN_BELOW:
        raise CaptureFailed(Reason.SITE_FAILED, f"The outside archive answered with {answer.status}.")
    heads = answer.headers
    refresh, memento = _REFRESH.fullmatch(heads.get("refresh", "")), _MEMENTO.search(heads.get("link", ""))
    told = (
        heads.get("location")
        or heads.get("content-location")
        or (refresh[1] if refresh else "")
        or (memento[1] if memento else "")
        or (answer.url if answer.url != asked else "")
    )
    link = urljoin(answer.url, told) if told else ""
    if not link.startswith(("https://", "http://")) or len(link) > LINK_CHARACTERS_MAX:
        raise CaptureFailed(Reason.SITE_FAILED, "The outside archive took the address and told no link to it.")
    return link


def _is_brands(capture: Capture) -> bool:
    return keys.brand_space(capture.brand) in capture.spaces
