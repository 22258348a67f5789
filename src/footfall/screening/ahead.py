"""Requests that a browser makes ahead of a click, in the words of this decade or of the one before."""

from collections.abc import Mapping

_SAYING = (b"sec-purpose", b"purpose", b"x-purpose", b"x-moz")
_WORDS = (b"prefetch", b"prerender", b"preview")


def is_ahead(headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a request's headers say that nobody looks at the page yet."""
    for name in _SAYING:
        if name in headers:
            value = headers[name].lower()
            if any(word in value for word in _WORDS):
                return True
    return False
