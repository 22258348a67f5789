"""Captures: what is kept of a page as it was, and in whose spaces it is found.

A space is a member's own (`member:ID`) or a brand's (`brand:NAME`). A capture lies in the space of whoever asked;
who shares it puts it into the brand's as well. Nothing is ever looked for in a space but by those whose space it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from footfall.ports.capturing import Reason, Stop


class State(StrEnum):
    """How far a request has come."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Somebody's wish to have a page kept."""

    id: str  # 26 characters that rise with time
    brand: str
    space: str  # where the capture will lie
    by: str  # who asked: a person's id, `key:ID`, `watch:ID` or `operator`
    typed: str  # as it was typed
    url: str  # as a browser writes it; without a scheme until one was found by trial
    key: str  # by which pages are the same (archive/addresses.py)
    at_us: int
    state: State = State.PENDING
    attempts: int = 0
    reason: Reason | None = None
    says: str = ""  # why it failed or waits, in a sentence
    capture: str | None = None
    hide_banners: bool = False
    hide_sticky: bool = False
    keep_errors: bool = False
    is_shared: bool = False  # put into the brand's space as well
    if_changed: bool = False  # kept only when the text differs from the latest capture of the address
    priority: int = 0  # 0: a person waits for it; 1: a watch


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes that are kept under their hash."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class KeptTile:
    """A part of the picture that is kept."""

    blob: Kept
    height_px: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """A page as it was: everything that is known of it but its bytes."""

    id: str  # that of its request
    brand: str
    spaces: Sequence[str]
    by: str
    typed: str
    url: str
    key: str
    final_url: str
    canonical_url: str | None
    at_us: int
    took_ms: int
    status: int
    title: str
    language: str
    keywords: Sequence[str]
    width_px: int
    height_px: int
    stop: Stop
    pending_images: int
    tiles: Sequence[KeptTile]
    thumbnail: Kept
    html: Kept  # frames as they stood in the end (archive/packing.py)
    text: Kept
    records: Kept  # all exchanges, of which a WACZ is made (archive/packing.py)
    size_bytes: int  # of all that it refers to, with the bodies that its records name
    pixels_sha256: str
    same_as: str | None = None  # an earlier capture of the address with equal picture and text
    outside_url: str | None = None  # where an outside archive keeps it
    held_by: str | None = None  # who put it under legal hold; it is not removed while it is
    timings_ms: dict[str, int]


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stays of a capture that was removed."""

    id: str
    brand: str
    spaces: Sequence[str]
    key: str
    at_us: int
    removed_at_ms: int
    removed_by: str
    why: str
