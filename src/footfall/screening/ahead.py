"""Requests that a browser makes ahead of a click, in the words of this decade or of the one before."""

from collections.abc import Mapping

_SAYING = (b"sec-purpose", b"purpose", b"x-purpose", b"x-moz")
_WORDS = (b"prefetch", b"prerender", b"preview")


def is_ahead(headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a request's headers say that nobody looks at the page yet."""
    if headers.keys().isdisjoint(_SAYING):
        return False  # as nearly all
    return any(_says_so(headers[name]) for name in _SAYING if name in headers)


def is_purpose_ahead(purpose: str) -> bool:
    """Tell the same by the value of such a header alone, as a server says it of its reader."""
    return _says_so(purpose.encode("utf-8", "replace"))


def _says_so(value: bytes) -> bool:
    lowered = value.lower()
    return any(word in lowered for word in _WORDS)
