"""Addresses within a replayed page: each leads to the replay's own origin, in attributes and in styles."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass

from footfall.archive.replay_resources import Resources, digest_of, joined, without_fragment

AWAY_CHARACTERS_MAX = 2_000
_WEB = ("http://", "https://")
# Strings end at a line's end, so that one that is never closed cannot take the rest of a sheet with it.
_STRING = r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
# A letter of a name may be written as its number.
_URL = r"(?:u|\\0{0,4}[57]5\s?)(?:r|\\0{0,4}[57]2\s?)(?:l|\\0{0,4}[46]c\s?)"
_CSS_URL = re.compile(rf"{_URL}\(\s{{0,20}}({_STRING}|[^\s\"'()]*)\s{{0,20}}\)", re.IGNORECASE)
_IMAGE_SET = re.compile(r"image-set\((?:[^()]|\([^()]*\))*\)", re.IGNORECASE)
_IN_IMAGE_SET = re.compile(rf"[\w\\-]+\([^()]*\)|({_STRING})")
_CSS_IMPORT = re.compile(rf"@import\s{{1,20}}({_STRING})", re.IGNORECASE)
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_URL_OF_SET = re.compile(r"[\s,]*(\S+)")
_SIZE_OF_SET = re.compile(r"[^,]*")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Turns the addresses of one document or style sheet into those of its replay."""

    resources: Resources
    prefix: str  # the path of the capture's replay: `/` and the token
    base: str

    def absolute(self, url: str) -> str | None:
        """Return the address that was meant, if it is one of the web."""
        found = joined(self.base, url.strip())
        return found if found is not None and found.startswith(_WEB) else None

    def of_resource(self, url: str) -> str | None:
        """Return where something is that a page shows; None for what must not be asked for."""
        url = url.strip()
        if url.startswith("#"):
            return url
        if url[:11].lower().startswith(("data:image/", "data:font/", "data:applic")):
            return url
        found = self.absolute(url)
        if found is None:
            return None
        _, mark, fragment = found.partition("#")
        return f"{self.prefix}/r/{digest_of(without_fragment(found))}{mark}{fragment}"

    def of_link(self, url: str) -> str:
        """Return where a link leads: within the page, or to a note that says where it led."""
        if url.strip().startswith("#"):
            return url.strip()
        found = self.absolute(url)
        if found is None:
            return "#"
        if "#" in found and without_fragment(found) == without_fragment(self.base):
            return "#" + found.partition("#")[2]
        return f"{self.prefix}/to/{urlsafe_b64encode(found[:AWAY_CHARACTERS_MAX].encode()).decode()}"

    def of_set(self, candidates: str) -> str:
        """Return a srcset with those of its pictures that were recorded: a browser would choose others for nothing."""
        kept: list[str] = []
        for url, size in _candidates(candidates):
            absolute = self.absolute(url)
            is_there = absolute is not None and self.resources.find(absolute) is not None
            if (place := self.of_resource(url)) is not None and (is_there or url.startswith("data:")):
                kept.append(f"{place} {size}" if size else place)
        return ", ".join(kept)

    def of_styles(self, css: str) -> str:
        """Return styles with every address led to the replay's origin."""
        css = _CSS_IMPORT.sub(lambda found: f"@import url({found[1]})", css)
        css = _IMAGE_SET.sub(lambda found: _with_urls(found[0]), css)
        return _CSS_URL.sub(lambda found: f'url("{self._in_styles(found[1])}")', css)

    def _in_styles(self, written: str) -> str:
        text = written[1:-1] if written[:1] in "\"'" and len(written) > 1 else written
        url = _CSS_ESCAPE.sub(_unescaped, text.replace("\\\n", ""))
        place = self.of_resource(url) or "about:invalid"
        return re.sub(r"[\x00-\x1f\"\\<>]", lambda found: f"%{ord(found[0]):02X}", place)


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    # As a browser reads it: an address ends at white space, and one that ends with commas has no size.
    place = 0
    while (found := _URL_OF_SET.match(text, place)) is not None:
        url = found[1].rstrip(",")
        place = found.end()
        size = ""
        if url == found[1] and (rest := _SIZE_OF_SET.match(text, place)) is not None:
            size, place = rest[0].strip(), rest.end()
        if url:
            yield url, size


def link_from(encoded: str) -> str:
    """Return the address that a replayed link led to, empty when it is none."""
    try:
        url = urlsafe_b64decode(encoded.encode()).decode()
    except ValueError:
        return ""
    return url if url.startswith(_WEB) else ""


def _with_urls(images: str) -> str:
    head, _, rest = images.partition("(")
    return f"{head}(" + _IN_IMAGE_SET.sub(lambda found: f"url({found[1]})" if found[1] else found[0], rest)


def _unescaped(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[2]
    code = int(found[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
