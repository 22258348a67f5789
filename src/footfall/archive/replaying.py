"""Replay: documents of a capture as they stood in the end, without whatever could act, and with addresses of their own.

What keeps a page from acting is the content security policy under which it is sent (shells/http/archive_replay.py):
no script runs there whatever stands in a document. Here everything that could act is taken out as well, so that there
are two walls, and whatever the page showed is asked from the capture.
"""

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from footfall.archive.replay_addresses import Addresses
from footfall.archive.replay_resources import Resources, joined, without_fragment
from footfall.ports.capturing import Frame
from footfall.values.web_urls import NotInstalled

# What a browser without scripts would show instead of the page belongs to those: `noscript` has not been seen.
_DROPPED = frozenset(
    {"script", "noscript", "base", "embed", "applet", "portal", "fencedframe", "animate", "set", "animatetransform",
     "animatemotion", "handler", "listener"}
)  # fmt: skip
_UNWRAPPED = frozenset({"object"})  # What stands within is shown where it cannot be.
_FRAMES = frozenset({"iframe", "frame"})
_LINKS = frozenset({"a", "area"})
_SHOWN = frozenset({"src", "poster", "background", "href", "xlink:href", "lowsrc", "dynsrc"})
_SETS = frozenset({"srcset", "imagesrcset"})
_LOST = frozenset(
    {"action", "formaction", "ping", "integrity", "crossorigin", "nonce", "target", "srcdoc", "autofocus", "autoplay",
     "manifest", "download", "loading", "referrerpolicy", "data", "code", "codebase", "archive", "classid", "profile",
     "longdesc", "cite", "usemap", "is", "popovertarget", "attributionsrc", "csp", "allow", "sandbox"}
)  # fmt: skip
ATTRIBUTES_MAX = 500  # No element of a page has as many; going through them costs the square of their number.
NAMELESS = "about:srcdoc#"  # and a number: a document that had no address of its own
DEPTH_MAX = 4  # of frames that are written within each other
_ACTING = ("javascript:", "vbscript:", "data:text/html")
_DOCTYPE = re.compile(r"\s*(<!doctype[^<>]{0,200}>)", re.IGNORECASE)
_TAG_BEGIN = re.compile(r"<(?=[a-zA-Z/!?])")
_EMPTY = '<!doctype html><meta charset="utf-8"><title></title>'


class Replayed:
    """The documents of one capture."""

    def __init__(self, frames: Sequence[Frame], resources: Resources, *, prefix: str) -> None:
        self._frames = frames
        self._resources = resources
        self._prefix = prefix

    def document(self, number: int) -> str | None:
        """Return a frame's document, the page's own under 0; None when there is none."""
        if not 0 <= number < len(self._frames):
            return None
        return self.rewritten(self._frames[number])

    def styles(self, css: str, *, url: str) -> str:
        """Return a style sheet that stood at an address."""
        return Addresses(self._resources, self._prefix, url).of_styles(css)

    def rewritten(self, frame: Frame, *, depth: int = 0) -> str:
        """Return a document that acts no more and asks for nothing but what is in the capture."""
        root = _parsed(frame.html)
        if root is None:
            return _EMPTY
        addresses = Addresses(self._resources, self._prefix, _base_of(root, frame.url))
        unused = list(range(1, len(self._frames)))
        for element in list(root.iter()):
            if not isinstance(element.tag, str):
                _drop(element)
                continue
            inner = element.get("srcdoc") if depth < DEPTH_MAX else None
            self._rewrite(element, addresses, unused)
            if inner is not None and element.tag == "iframe":  # A frame without an address stands in its page.
                element.attrib.pop("src", None)
                element.set("srcdoc", self.rewritten(Frame(addresses.base, inner), depth=depth + 1))
        kind = _DOCTYPE.match(frame.html)  # Without one a browser has other rules, and so has its replay.
        return (kind[1] if kind else "") + _lxml("html").tostring(root, encoding="unicode", method="html")

    def _rewrite(self, element: Any, addresses: Addresses, unused: list[int]) -> None:
        tag = element.tag.lower().rpartition(":")[2]
        if tag in _DROPPED or _is_unwanted(element, tag):
            _drop(element)
            return
        if tag in _UNWRAPPED and element.getparent() is not None:
            element.drop_tag()
            return
        if len(element.attrib) > ATTRIBUTES_MAX:
            element.attrib.clear()
        place = self._frame_place(element, addresses, unused) if tag in _FRAMES else None
        for name, value in list(element.attrib.items()):
            _rewrite_attribute(element, tag, name, value, addresses)
        if tag in _FRAMES:
            element.attrib.pop("src", None)
            if place is not None:
                element.set("src", place)
        if tag == "style" and element.text:
            # Where a browser does not take it for styles, nothing in it may begin an element.
            element.text = _TAG_BEGIN.sub(r"\\3c ", addresses.of_styles(element.text))

    def _frame_place(self, element: Any, addresses: Addresses, unused: list[int]) -> str | None:
        src = element.get("src") or ""
        if src.startswith(NAMELESS):
            numbers = (number for number, frame in enumerate(self._frames) if frame.url == src)
            return next((f"{self._prefix}/f/{number}" for number in numbers), None)
        url = addresses.absolute(src)
        if url is None:
            return None
        wanted = {without_fragment(url), self._resources.end_of(url)}
        for number in unused:
            if without_fragment(self._frames[number].url) in wanted:
                unused.remove(number)
                return f"{self._prefix}/f/{number}"
        return addresses.of_resource(url)


def _parsed(html: str) -> Any:
    etree, lxml_html = _lxml("etree"), _lxml("html")
    parser = lxml_html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        return lxml_html.document_fromstring(html.encode("utf-8", "replace"), parser=parser, ensure_head_body=True)
    except (etree.LxmlError, ValueError):  # A document without anything in it.
        return None


def _base_of(root: Any, url: str) -> str:
    for element in root.iter("base"):
        if href := element.get("href"):
            return joined(url, href.strip()) or url
    return url


def _is_unwanted(element: Any, tag: str) -> bool:
    if tag == "meta":
        return element.get("http-equiv") is not None
    if tag == "link":
        # What else a link does is to have something fetched ahead, a name resolved or a connection opened.
        relations = set((element.get("rel") or "").lower().split())
        return not relations & {"stylesheet", "icon"} or bool(relations & {"preload", "prefetch", "preconnect"})
    return False


def _rewrite_attribute(element: Any, tag: str, name: str, value: str, addresses: Addresses) -> None:
    plain = name.lower().rpartition("}")[2]
    compact = "".join(value.split()).lower().lstrip("\x00\x01\x02\x03\x04\x05\x06\x07\x08")
    if plain.startswith("on") or plain in _LOST:
        _remove(element, name)
    elif tag in _LINKS and plain in ("href", "xlink:href"):
        element.set(name, addresses.of_link(value))
    elif plain in _SHOWN:
        _set_or_remove(element, name, addresses.of_resource(value))
    elif plain in _SETS:
        _set_or_remove(element, name, addresses.of_set(value))
    elif compact.startswith(_ACTING):
        _remove(element, name)
    elif plain == "style" or "url(" in value.lower():
        element.set(name, addresses.of_styles(value))


def _set_or_remove(element: Any, name: str, value: str | None) -> None:
    if value:
        element.set(name, value)
    else:
        _remove(element, name)


def _remove(element: Any, name: str) -> None:
    element.attrib.pop(name, None)


def _drop(element: Any) -> None:
    # The text behind an element hangs on it in this library, and stays.
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _lxml(name: str) -> Any:
    # Imported where it is used: only who shows captures needs it.
    try:
        return import_module(f"lxml.{name}")
    except ImportError as error:
        raise NotInstalled(
            f"replay needs lxml, which is not installed: `pip install 'footfall[archive]'` ({error})"
        ) from error
