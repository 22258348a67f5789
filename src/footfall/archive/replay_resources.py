"""What a replay can be given: answers that a capture has, by their address, under a kind that a browser takes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import ModuleType

from footfall.archive.packing import Recorded
from footfall.values.web_urls import NotInstalled

REDIRECTS_MAX = 10
HTML, CSS, OTHER = "text/html; charset=utf-8", "text/css; charset=utf-8", "application/octet-stream"
_SHOWN = re.compile(r"(?:image|font|audio|video)/[a-z0-9.+-]+")
_FONTS = {
    "application/font-woff": "font/woff",
    "application/x-font-woff": "font/woff",
    "application/font-woff2": "font/woff2",
    "application/x-font-ttf": "font/ttf",
    "application/vnd.ms-fontobject": "application/vnd.ms-fontobject",
    "application/x-font-opentype": "font/otf",
    "application/font-sfnt": "font/sfnt",
}
# What files of a kind begin with: (how many bytes from the start, the bytes, the kind).
_BEGINNINGS: Sequence[tuple[int, bytes, str]] = (
    (0, b"\x89PNG\r\n", "image/png"),
    (0, b"GIF8", "image/gif"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"OggS", "video/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"wOF2", "font/woff2"),
    (0, b"wOFF", "font/woff"),
    (0, b"OTTO", "font/otf"),
    (0, b"\x00\x01\x00\x00", "font/ttf"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
)


@dataclass(frozen=True, slots=True)
class Resource:
    """One recorded answer."""

    url: str
    recorded: Recorded


class Resources:
    """The answers of a capture by their address; redirects are followed."""

    def __init__(self, exchanges: Sequence[Recorded]) -> None:
        self._by_url: dict[str, Recorded] = {}
        for one in exchanges:
            url = without_fragment(one.url)
            if one.method == "GET" and _is_better(one, self._by_url.get(url)):
                self._by_url[url] = one
        self._urls: Mapping[str, str] = {digest_of(url): url for url in self._by_url}

    def find(self, url: str) -> Resource | None:
        """Return what was answered in the end when the address was asked for."""
        url = self.end_of(url)
        found = self._by_url.get(url)
        return Resource(url, found) if found is not None and found.status < 300 else None

    def end_of(self, url: str) -> str:
        """Return the address to which redirects led in the end."""
        url = without_fragment(url)
        for _ in range(REDIRECTS_MAX):
            found = self._by_url.get(url)
            location = header_of(found.response_headers, "location") if found is not None else ""
            if found is None or not 300 <= found.status < 400 or not location:
                break
            url = without_fragment(joined(url, location) or "")
        return url

    def by_digest(self, digest: str) -> Resource | None:
        """Return what was answered to the address that the digest stands for."""
        url = self._urls.get(digest)
        return None if url is None else self.find(url)


def digest_of(url: str) -> str:
    """Return what stands for an address in a replay's own."""
    return sha256(url.encode("utf-8", "replace")).hexdigest()[:32]


def kind_of(recorded: Recorded, begin: bytes) -> str:
    """Return the kind under which an answer is given again; whatever is not shown in a page is plain bytes."""
    said = header_of(recorded.response_headers, "content-type").partition(";")[0].strip().lower()
    if said in ("text/html", "application/xhtml+xml"):
        return HTML
    if said == "text/css":
        return CSS
    if said in _FONTS:
        return _FONTS[said]
    if _SHOWN.fullmatch(said):
        return said
    return next((kind for at, mark, kind in _BEGINNINGS if begin[at : at + len(mark)] == mark), OTHER)


def header_of(headers: Sequence[tuple[str, str]], name: str) -> str:
    """Return a header's value, empty when there is none."""
    return next((value for found, value in headers if found.lower() == name), "")


def joined(base: str, url: str) -> str | None:
    """Return an absolute address as a browser makes it; None when there is none."""
    parser = _ada_url()
    try:
        return str(parser.join_url(base, url)) if url else None
    except ValueError:
        return None


def without_fragment(url: str) -> str:
    """Return the address as it is asked for."""
    return url.partition("#")[0]


def _is_better(one: Recorded, other: Recorded | None) -> bool:
    # Of several answers the last good one is what the page showed in the end. A part of a film that begins later than
    # at its start shows nothing.
    if other is None:
        return True
    return _rank(one) >= _rank(other)


def _rank(one: Recorded) -> int:
    if one.status == 200:
        return 3
    if one.status == 206:
        return 2 if header_of(one.response_headers, "content-range").startswith("bytes 0-") else 0
    return 1 if one.status < 400 else 0


def _ada_url() -> ModuleType:
    # Imported where it is used: only who shows captures needs it.
    try:
        import ada_url
    except ImportError as error:
        raise NotInstalled(
            f"replay needs ada-url, which is not installed: `pip install 'footfall[archive]'` ({error})"
        ) from error
    return ada_url
