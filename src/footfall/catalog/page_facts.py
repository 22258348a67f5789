"""What a page says of itself in its head: title, image and its own address, whoever may have sent its bytes."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from footfall.catalog.asset import TITLE_BYTES_MAX
from footfall.values.hit import ADDRESS_BYTES_MAX

_SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")
_TAGS_MAX = 2_000  # A head has some dozens.


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What was found; an empty text is something that the page does not say."""

    title: str = ""
    image: str = ""
    address: str = ""


def facts_from_page(page: bytes, *, address: str, charset: str = "utf-8") -> PageFacts:
    """Return what the page at an address says of itself; its own address counts only on the same host."""
    head = _Head()
    head.feed(_text(page, charset))
    canonical = _absolute(address, head.canonical)
    is_own = bool(canonical) and urlsplit(canonical).hostname == urlsplit(address).hostname
    return PageFacts(
        title=_title(head.meta.get("og:title", "") or head.title),
        image=_absolute(address, head.meta.get("og:image", "")),
        address=canonical if is_own else "",
    )


def _text(page: bytes, charset: str) -> str:
    try:
        return page.decode(charset, errors="replace")
    except LookupError:  # No such character set.
        return page.decode("utf-8", errors="replace")


def _title(text: str) -> str:
    plain = _SPACE.sub(" ", text).strip().encode("utf-8", "replace")[:TITLE_BYTES_MAX]
    return plain.decode("utf-8", "ignore").strip()


def _absolute(base: str, link: str) -> str:
    """Return the whole http address of a link on a page; empty for whatever is none."""
    try:
        whole = urljoin(base, link.strip()) if link.strip() else ""
        parts = urlsplit(whole)
    except ValueError:
        return ""
    is_taken = parts.scheme in ("http", "https") and bool(parts.hostname) and whole.isprintable()
    return whole if is_taken and len(whole.encode("utf-8", "replace")) <= ADDRESS_BYTES_MAX else ""


class _Head(HTMLParser):
    """Collects the first title, the meta properties and the canonical link, until the body begins."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.canonical = ""
        self.meta: dict[str, str] = {}
        self._tags = 0
        self._is_in_title = False
        self._is_over = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what a tag of the head says."""
        self._tags += 1
        self._is_over = self._is_over or tag == "body" or self._tags > _TAGS_MAX
        if self._is_over:
            return
        values = {name: value or "" for name, value in attrs}
        if tag == "title" and not self.title:
            self._is_in_title = True
        elif tag == "meta":
            name = (values.get("property") or values.get("name", "")).lower()
            if name in ("og:title", "og:image"):
                self.meta.setdefault(name, values.get("content", ""))
        elif tag == "link" and "canonical" in values.get("rel", "").lower().split():
            self.canonical = self.canonical or values.get("href", "")

    def handle_endtag(self, tag: str) -> None:
        """Notice where the title ends."""
        if tag == "title":
            self._is_in_title = False

    def handle_data(self, data: str) -> None:
        """Take the title's text."""
        if self._is_in_title and not self._is_over:
            self.title += data
