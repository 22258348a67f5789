"""Hits that verdicts have put into another line of the ledger than the door had: how many, by hour, as counted last.

A shard keeps this in its checkpoint, beside the ledger. Who counts hours again takes the difference to what is here out
of one line and into another in that same write; so the ledger adds up by reason with the windows, and a re-count that
is cut short and made anew moves nothing twice, whatever else a ground can or cannot write at once.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

import msgspec

from footfall.flow.store.checkpoints import LINES, NEVER_MS, Checkpoint, Lines
from footfall.ports.errors import Corrupt
from footfall.values.window import HOUR_MS

ENTRIES_MAX = 10_000  # of a shard, some 8 bytes each; a brand under attack all day has 24 or 48 a day

Move = tuple[str, int, str, str]  # brand, start of the hour, line by the door, line under verdicts


class _Stored(msgspec.Struct, array_like=True):
    """What lies in a checkpoint."""

    since_ms: int
    moves: list[tuple[str, int, str, str, int]]


@dataclass(slots=True)
class MovedLines:
    """What verdicts have moved, since an hour before which nobody knows any more."""

    since_ms: int = 0
    hits: Counter[Move] = field(default_factory=Counter[Move])

    def add(self, more: Iterable[tuple[Move, int]]) -> None:
        """Add what was counted; of too much, the oldest hours are forgotten and stay as they are in the ledger."""
        for move, hits in more:
            if move[1] >= self.since_ms:
                self.hits[move] += hits
        while len(self.hits) > ENTRIES_MAX:
            self.since_ms = min(move[1] for move in self.hits) + HOUR_MS
            self.hits = Counter({move: hits for move, hits in self.hits.items() if move[1] >= self.since_ms})

    def swap(self, brand: str, hours: Set[int], counted: Counter[Move]) -> Counter[str]:
        """Put what was counted anew in the place of what is known of a brand's hours; return what lines gain by it."""
        gains = Counter[str]()
        known = {hour for hour in hours if hour >= self.since_ms}
        for sign, moves in ((-1, self.hits), (1, counted)):
            for (whose, hour, door, line), hits in moves.items():
                if whose == brand and hour in known:
                    gains[door] -= sign * hits
                    gains[line] += sign * hits
        kept = {move: hits for move, hits in self.hits.items() if move[0] != brand or move[1] not in known}
        self.hits = Counter(kept)
        self.add((move, hits) for move, hits in counted.items() if move[0] == brand and move[1] in known)
        return gains

    def between(self, brand: str, from_ms: int, to_ms: int) -> Counter[str]:
        """Return what lines have gained by verdicts on a brand's hits of some hours."""
        gains = Counter[str]()
        for (whose, hour, door, line), hits in self.hits.items():
            if whose == brand and from_ms <= hour < to_ms:
                gains[door] -= hits
                gains[line] += hits
        return gains


def moved_in(checkpoint: Checkpoint) -> MovedLines:
    """Return what a shard knows of moves by verdicts."""
    if not checkpoint.moved:
        return MovedLines()
    try:
        stored = msgspec.msgpack.decode(zlib.decompress(checkpoint.moved), type=_Stored)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise Corrupt(f"what verdicts moved makes no sense; restore the store from a backup: {error}") from error
    return MovedLines(stored.since_ms, Counter({one[:4]: one[4] for one in stored.moves}))


def door_totals_of(checkpoints: Iterable[Checkpoint], brand: str) -> Counter[str]:
    """Return how many hits the door has screened for which reason, whatever verdicts have made of them."""
    totals = Counter[str]()
    for one in checkpoints:
        if brand in one.lines:
            totals.update(one.lines[brand].screened)
            totals.subtract(moved_in(one).between(brand, 0, NEVER_MS))
    return Counter({reason: hits for reason, hits in totals.items() if hits and reason not in LINES})


def remember_moves(checkpoint: Checkpoint, moves: Counter[Move]) -> None:
    """Add what was moved while counting to a checkpoint whose ledger has it already."""
    if moves:
        known = moved_in(checkpoint)
        known.add(moves.items())
        checkpoint.moved = _bytes_of(known)


def swap_moves(checkpoint: Checkpoint, brand: str, hours: Set[int], counted: Counter[Move]) -> bool:
    """Move hits between a checkpoint's lines as hours counted anew say; return whether anything has changed."""
    known = moved_in(checkpoint)
    gains = known.swap(brand, hours, counted)
    stored = _bytes_of(known)
    if stored == checkpoint.moved:
        return False
    checkpoint.moved = stored
    lines = Lines()  # The checkpoint before has the same object.
    lines.add(checkpoint.lines.get(brand, Lines()))
    for line, hits in gains.items():
        lines.move(line, hits)
    checkpoint.lines[brand] = lines
    return True


def _bytes_of(known: MovedLines) -> bytes:
    """Return moves as they are stored, the same for the same moves; nothing when there are none."""
    moves = [(*move, hits) for move, hits in sorted(known.hits.items()) if hits]
    if not moves and not known.since_ms:
        return b""
    return zlib.compress(msgspec.msgpack.encode(_Stored(known.since_ms, moves)))
