"""Blobs: named byte objects, for what is too big for a table.

Names look like paths but nothing lies inside anything: `a` and `a/b` may both be there. Names are ordered by
their UTF-8 bytes. The limits of S3, and of stores that speak its language over files, bind every adapter, so what
runs on one ground runs on the other.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from footfall.ports.errors import PortError, TooLarge

NAME_BYTES_MAX = 1_024  # S3's limit for a key, in UTF-8.
SEGMENT_BYTES_MAX = 255  # Between two slashes: stores that keep objects as files (SeaweedFS) take no more.
DATA_BYTES_MAX = 64_000_000  # S3 takes 5 GB in one put; an object passes through memory whole, so the bound is lower.
PAGE_NAMES_MAX = 1_000  # The most that one list returns, as on S3.


class UnfitName(PortError, ValueError):
    """The name is one that some ground could not keep."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An object as a list shows it."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Page:
    """Some of a list's objects; `after` continues it, None ends it."""

    blobs: Sequence[Listed]
    after: str | None


class Blobs(Protocol):
    """The promises that every adapter keeps.

    An object is on disk when `put` returns; readers see all of it or none. Reads and lists see writes that
    have returned. Any call may raise Unavailable, and those that write Throttled.
    """

    def put(self, name: str, data: bytes) -> None:
        """Store the object in the place of whatever was there; raise NoSpace."""
        ...

    def put_new(self, name: str, data: bytes) -> None:
        """Store the object; raise Changed when there is one of that name, or NoSpace."""
        ...

    def get(self, name: str) -> bytes | None:
        """Return the object's bytes; None when there is none."""
        ...

    def size_bytes(self, name: str) -> int | None:
        """Return how large the object is; None when there is none."""
        ...

    def delete(self, name: str) -> None:
        """Remove the object; nothing happens when there is none."""
        ...

    def page(self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_NAMES_MAX) -> Page:
        """Return the first objects whose names start with the prefix and come after a name, in name order."""
        ...


@runtime_checkable
class AddressedBlobs(Blobs, Protocol):
    """Blobs that anybody can fetch who has an address: a store with a server of its own, which not every ground is."""

    def address_of(self, name: str, *, seconds: int, kind: str, attachment: str = "") -> str:
        """Return where the object can be fetched for a while, as which kind, and under which name if it is to be saved.

        Nobody is asked who they are there, so whoever hands it out has looked before. The object need not be there.
        """
        ...


def everything(blobs: Blobs, prefix: str = "") -> Iterator[Listed]:
    """Yield every object whose name starts with the prefix, page after page."""
    page = blobs.page(prefix)
    yield from page.blobs
    while page.after is not None:
        page = blobs.page(prefix, after=page.after)
        yield from page.blobs


def require_name(name: str) -> bytes:
    """Return the name in UTF-8; raise UnfitName unless every adapter can keep it."""
    try:
        encoded = name.encode()
    except UnicodeEncodeError as error:
        raise UnfitName(f"{name[:64]!r} has half of a surrogate pair; use whole characters") from error
    if not 1 <= len(encoded) <= NAME_BYTES_MAX:
        raise UnfitName(f"{name[:64]!r} has {len(encoded)} bytes; a name has 1 to {NAME_BYTES_MAX}")
    if any(segment in {"", ".", ".."} for segment in name.split("/")):
        raise UnfitName(f"{name[:64]!r} has an empty segment or one of dots alone; leave it out")
    if any(len(segment) > SEGMENT_BYTES_MAX for segment in encoded.split(b"/")):
        raise UnfitName(f"{name[:64]!r} has over {SEGMENT_BYTES_MAX} bytes between two slashes; divide it")
    if "\\" in name:
        raise UnfitName(f"{name[:64]!r} has a backslash, which some stores take for a slash; leave it out")
    if any(unicodedata.category(character) == "Cc" for character in name):
        raise UnfitName(f"{name[:64]!r} has a control character; leave it out")
    return encoded


def require_fits(name: str, data: bytes) -> None:
    """Raise TooLarge unless the object is within the limits."""
    if len(data) > DATA_BYTES_MAX:
        raise TooLarge(f"{name!r} has {len(data)} bytes; an object holds at most {DATA_BYTES_MAX}, so split it")


def require_page(limit: int) -> None:
    """Raise ValueError unless a page of that many objects may be asked for."""
    if not 1 <= limit <= PAGE_NAMES_MAX:
        raise ValueError(f"a page of {limit} objects was asked for; ask for 1 to {PAGE_NAMES_MAX}")
