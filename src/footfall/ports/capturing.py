"""Capturing: a page as a person saw it, taken by a real browser that reaches nothing but the public web.

Whoever captures keeps nothing: what was seen comes back as values, and is stored by others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from footfall.ports.errors import PortError

WIDTH_PX = 1_280
VIEWPORT_PX = 800
HEIGHT_PX_MAX = 60_000
TILE_PX_MAX = 4_000  # WebP ends at 16,383 pixels, and what a graphics card repeats begins at 8,192.


class Reason(StrEnum):
    """Why a page could not be captured."""

    UNFIT_ADDRESS = "unfit-address"  # no http or https, or nothing that could be an address
    BLOCKED_ADDRESS = "blocked-address"  # it leads into a network that is not public
    NO_SUCH_HOST = "no-such-host"
    NO_CONNECTION = "no-connection"
    BAD_CERTIFICATE = "bad-certificate"
    TOO_SLOW = "too-slow"
    NOT_FOUND = "not-found"  # the site says 404 or another 4xx
    NEEDS_SIGN_IN = "needs-sign-in"  # 401, 403 or 407
    SITE_FAILED = "site-failed"  # 5xx
    TOO_MANY_REDIRECTS = "too-many-redirects"
    DOWNLOAD = "download"  # no page but a file
    TOO_LARGE = "too-large"
    CRASHED = "crashed"
    OUT_OF_MEMORY = "out-of-memory"


RETRIED = frozenset(
    {Reason.NO_SUCH_HOST, Reason.NO_CONNECTION, Reason.TOO_SLOW, Reason.SITE_FAILED, Reason.CRASHED}
)  # What may be otherwise a minute later.


class CaptureFailed(PortError):
    """A page could not be captured; the text is a sentence for whoever asked for it."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Stop(StrEnum):
    """Why scrolling ended."""

    BOTTOM = "bottom"
    TIME = "time"
    HEIGHT = "height"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be captured, and how."""

    url: str  # absolute, http or https, as a browser writes it
    hide_banners: bool = False
    hide_sticky: bool = False
    keep_errors: bool = False  # a page that the site answers with 4xx or 5xx is kept instead of refused


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of the picture, as wide as all others; they follow each other from the top."""

    data: bytes  # WebP
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request of the page and what was answered; the body is decoded."""

    url: str
    method: str
    status: int
    at_us: int
    request_headers: Sequence[tuple[str, str]]
    response_headers: Sequence[tuple[str, str]]
    body: bytes
    request_body: bytes = b""
    is_cut: bool = False  # It went on for longer than was kept.


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame's document as it stood in the end, the page's own first."""

    url: str
    html: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """A page as it was seen."""

    url: str  # that was asked for
    final_url: str
    canonical_url: str | None
    at_us: int  # when it was opened, in microseconds since 1970
    took_ms: int
    status: int
    title: str
    language: str
    text: str  # as a person would read it from top to bottom
    frames: Sequence[Frame]
    tiles: Sequence[Tile]
    thumbnail: bytes  # WebP
    exchanges: Sequence[Exchange]
    height_px: int
    stop: Stop
    pending_images: int  # that had not come when the picture was taken
    pixels_sha256: str  # of the picture before it was encoded: equal for equal pictures
    timings_ms: dict[str, int] = field(default_factory=dict[str, int])


class Capturing(Protocol):
    """The promises that whoever captures keeps.

    A page that fails says why; when there is nothing to capture with, no page is to blame, and Unavailable is raised.
    A capture ends within its time whatever the page does, and leaves nothing behind. Connections go to public
    addresses alone.
    """

    def capture(self, wanted: Wanted) -> Captured:
        """Return the page as it was seen; raise CaptureFailed or Unavailable. Several threads at once may call it."""
        ...

    def close(self) -> None:
        """End every process that was started for it."""
        ...
