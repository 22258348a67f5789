"""What open sessions have come to that is in no row of the watch log yet, for whoever must not miss any of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from footfall.flow.count.watch_values import Session
from footfall.flow.store.sessions import load_sessions
from footfall.ports.errors import Corrupt
from footfall.ports.table import Table

TRIES_MAX = 5  # Counting may write other pieces, and remove some, while they are read: then they are read again.

_decoder = msgspec.msgpack.Decoder(tuple[list[Session], list[tuple[str, str]]])


@dataclass(frozen=True, slots=True)
class OpenCredit:
    """How many sessions have credit of a span that is in no row, and when the last of them was heard of."""

    sessions: int = 0
    heard_at_ms: int = 0


def open_credit(table: Table, shard: int, brand: str, *, from_ms: int, to_ms: int) -> OpenCredit:
    """Return what a shard's open sessions of a brand have of a span; beats that wait may come to some of it, too."""
    heard_at_ms: dict[str, int] = {}
    for pack in _packs(table, shard):  # each says more than the one before it
        sessions, gone = _decoder.decode(pack)
        for session in sessions:
            if session.brand == brand:
                heard_at_ms.pop(session.name, None)
                if _has_credit(session, from_ms=from_ms, to_ms=to_ms):
                    heard_at_ms[session.name] = session.heard_at_ms
        for of, name in gone:
            if of == brand:
                heard_at_ms.pop(name, None)
    return OpenCredit(len(heard_at_ms), max(heard_at_ms.values(), default=0))


def _has_credit(session: Session, *, from_ms: int, to_ms: int) -> bool:
    stretch = session.stretch
    if stretch is not None and stretch.ms and from_ms <= stretch.day_ms < to_ms:
        return True
    return any(
        beat.at_ms > from_ms and beat.at_ms - beat.interval_ms * 3 // 2 < to_ms for beat in session.ahead.values()
    )


def _packs(table: Table, shard: int) -> Sequence[bytes]:
    for _ in range(TRIES_MAX - 1):
        try:
            return load_sessions(table, shard).packs
        except Corrupt:
            continue
    return load_sessions(table, shard).packs
