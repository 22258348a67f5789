"""Which small blocks of the stream are to be joined: neighbours, once they are many or have waited long enough.

Blocks come one by one, so a run of them grows at its end. It is written once it is full: written at each look, every
byte would be written again and again; written as far as it came since the last look, it would stay in pieces.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import zstandard

JOINED_BYTES_MAX = 1_000_000  # What small blocks are joined up to, uncompressed: compression gains little beyond.
JOINED_BLOCKS_MAX = 2_000
# Compressed; some 1,500 hits of a bulk load. Joining blocks of this size and more saves no disk that can be measured,
# since half-filled pages of the one are bytes of the other, and costs a tenth of all that an instance does for a hit.
LARGE_BLOCK_BYTES = 6_000
HEAD_BYTES = 18  # The longest header of a Zstandard frame.
# A run that is not full is joined when it is so many times its largest block, which is mostly one that was joined
# before: so nothing is written anew for little, and a file that nobody appends to is soon left as it is.
GROWTH_MIN = 2

Looked = tuple[int, int, int, bytes | None]  # first, last, latest arrival, head of the body; None of a large block


@dataclass(slots=True)
class _Run:
    first: int
    last: int
    since_ms: int
    blocks: int = 0
    size: int = 0
    largest: int = 0


@dataclass(slots=True)
class _Look:
    """What a look at blocks has found."""

    over: list[_Run] = field(default_factory=list[_Run])
    end: int = 0  # of the last block that cannot be joined: what comes before it is over
    open: _Run | None = None  # The last run; more may follow.
    is_cut: bool = False  # Whether there are more blocks than one look takes.

    def add(self, first: int, last: int, arrived_to_ms: int, size: int) -> None:
        """Add the block that follows; without a size it cannot be joined."""
        if not size:
            self.over += [] if self.open is None else [self.open]
            self.open, self.end = None, last
            return
        if self.open is None:
            self.open = _Run(first, last, arrived_to_ms)
        self.open.last = last
        self.open.blocks += 1
        self.open.size += size
        self.open.largest = max(self.open.largest, size)


def runs_to_join(blocks: Iterable[Looked], *, leave_from_ms: int | None) -> tuple[list[tuple[int, int]], int]:
    """Return the first and last record of each run to join, and the last one that need not be looked at again, or 0.

    A run is over at a block that cannot be joined, or when it is full. The last one is open when it is neither: it is
    left alone if it began at the given moment or later, else joined and looked at again. Without a moment none is open.
    """
    found = _look(blocks)
    runs, end, run = found.over, found.end, found.open
    if run is not None:
        is_full = found.is_cut and not end  # By itself, and not only with other runs before it.
        if leave_from_ms is None or is_full:
            end = run.last
            runs.append(run)
        elif not found.is_cut and run.since_ms < leave_from_ms and run.size >= GROWTH_MIN * run.largest:
            runs.append(run)
    return [(one.first, one.last) for one in runs if one.blocks > 1], end


def _look(blocks: Iterable[Looked]) -> _Look:
    """Look at blocks as far as they can be joined at once: senders wait meanwhile."""
    found = _Look()
    looked_bytes = 0
    for number, (first, last, arrived_to_ms, head) in enumerate(blocks, 1):
        size = _joinable_bytes(head)
        looked_bytes += size
        if looked_bytes <= JOINED_BYTES_MAX:
            found.add(first, last, arrived_to_ms, size)
        found.is_cut = looked_bytes > JOINED_BYTES_MAX or number >= JOINED_BLOCKS_MAX
        if found.is_cut:
            break
    return found


def _joinable_bytes(head: bytes | None) -> int:
    """Return how much a small block holds, uncompressed; 0 of one that cannot be joined."""
    if head is None:
        return 0
    try:
        size = zstandard.frame_content_size(head)
    except zstandard.ZstdError:
        return 0  # It does not decode.
    return size if 0 < size <= JOINED_BYTES_MAX else 0
