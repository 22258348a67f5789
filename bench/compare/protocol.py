"""What every peer does, and what is asked of it; the process that runs one has no more of ours in it than this."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

WINDOW_MS = 300_000  # five minutes, as the page-hit-counter thesis has them
LIST_ROWS = 100


@dataclass(frozen=True, slots=True)
class Question:
    """Which list: of a brand, of a section of it or all, and of which span; none is everything there is."""

    brand: str
    section: int | None
    limit: int = LIST_ROWS
    from_ms: int | None = None
    to_ms: int | None = None


class CannotCountAgain(Exception):
    """The peer keeps no raw hits."""


class Peer(Protocol):
    """One way to count, as a careful engineer would write it."""

    group_bodies: int  # how many bodies it likes to commit together

    def start(self, folder: Path) -> None:
        """Start on what the folder holds, which may be nothing or what a killed one left."""
        ...

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Take bodies; when this returns they are as durable as this peer makes them."""
        ...

    def settle(self) -> None:
        """Finish whatever is still to be done until lists show every hit."""
        ...

    def listed(self, question: Question) -> list[tuple[int, int]]:
        """Return assets and their hits, most first."""
        ...

    def count_again(self) -> None:
        """Count everything again from raw hits."""
        ...

    def total(self) -> int:
        """Return how many hits are counted."""
        ...

    def stop(self) -> None:
        """End in good order."""
        ...


class Hit(msgspec.Struct, frozen=True, gc=False):
    """The five fields that are counted; equal hits are one key."""

    brand: str
    assetId: int  # noqa: N815 - the sender's spelling
    sectionId: int  # noqa: N815
    resourceType: str  # noqa: N815
    paidType: str  # noqa: N815


class TimedHit(msgspec.Struct, frozen=True, gc=False):
    """A hit that says when it was."""

    brand: str
    assetId: int  # noqa: N815
    sectionId: int  # noqa: N815
    resourceType: str  # noqa: N815
    paidType: str  # noqa: N815
    at: int


_decode = msgspec.json.Decoder(list[Hit]).decode
_decode_timed = msgspec.json.Decoder(list[TimedHit]).decode
TIMED = b',"at":'


def is_timed(body: bytes) -> bool:
    """Tell whether a body's hits say when they were."""
    return TIMED in body[:400]


def window_of(at_ms: int) -> int:
    """Return the start of the window that holds a moment."""
    return at_ms - at_ms % WINDOW_MS


def by_window(bodies: Iterable[bytes], *, now_ms: int) -> dict[int, "Counter[Hit]"]:
    """Decode bodies and add equal hits up, by window."""
    found: dict[int, Counter[Hit]] = {}
    count_into(found, bodies, now_ms=now_ms)
    return found


def count_into(windows: dict[int, "Counter[Hit]"], bodies: Iterable[bytes], *, now_ms: int) -> None:
    """Decode bodies and count their hits into their windows, in place: no sum is made that is added up again."""
    now = window_of(now_ms)
    for body in bodies:
        if is_timed(body):
            _count_timed(windows, body)
        else:
            if now not in windows:
                windows[now] = Counter()
            windows[now].update(_decode(body))


def _count_timed(windows: dict[int, "Counter[Hit]"], body: bytes) -> None:
    for one in _decode_timed(body):
        window = one.at - one.at % WINDOW_MS
        if window not in windows:
            windows[window] = Counter()
        windows[window][Hit(one.brand, one.assetId, one.sectionId, one.resourceType, one.paidType)] += 1


def upserts_of(bodies: Iterable[bytes], *, now_ms: int) -> list[tuple[Hit, int]]:
    """Decode bodies into a hit and its window each, nothing added up."""
    found: list[tuple[Hit, int]] = []
    now = window_of(now_ms)
    for body in bodies:
        if is_timed(body):
            found += [
                (Hit(one.brand, one.assetId, one.sectionId, one.resourceType, one.paidType), window_of(one.at))
                for one in _decode_timed(body)
            ]
        else:
            found += [(hit, now) for hit in _decode(body)]
    return found


def lines_of(bodies: Iterable[bytes], *, at_ms: int | None = None) -> bytes:
    """Return bodies as one hit a line, for those that read JSON themselves; hits without a time get the one given."""
    joined = b"\n".join([body[1:-1].replace(b"},{", b"}\n{") for body in bodies]) + b"\n"
    if at_ms is None or TIMED in joined[:400]:
        return joined
    return joined.replace(b"}\n", b',"at":%d}\n' % at_ms)
