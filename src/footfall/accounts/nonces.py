"""Nonces that were used: a signed request is taken once, also by a process that starts anew in between.

They lie in a table for as long as their signature could be sent again, and expire there. One that comes again is a
replay, unless it comes with the Idempotency-Key of the first: then it is its sender's retry, which counts once.
"""

import hashlib
from collections.abc import Callable

from footfall.ports.errors import Changed, Throttled
from footfall.ports.table import Absent, Key, Put, Table

NONCES_MAX = 600_000  # in ten minutes: a thousand signed requests a second, and some 100 MB on a disk.
WINDOW_MS = 600_000  # Twice the skew: the longest that a nonce is kept.
TIDIED_EACH_TIME = 3  # More than comes in, so that what has expired never piles up.

_USED = "used"


class TooManySigned(Throttled):
    """More signed requests came than their nonces can be remembered of."""


class Nonces:
    """The nonces of signed requests; the table is opened with the first of them."""

    def __init__(self, open_table: Callable[[], Table], *, tidy: Callable[[int], object] = lambda _limit: None) -> None:
        self._open = open_table
        self._tidy = tidy  # removes up to so many expired items, where the ground does not do it by itself
        self._table: Table | None = None
        self._window = 0
        self._count = 0

    def take(self, brand: str, nonce: str, *, retry_key: str, now_ms: int, expires_at_ms: int) -> bool:
        """Remember a nonce and tell whether its request may go on: it is new, or the retry of one that was."""
        self._require_room(now_ms)
        if self._table is None:
            self._table = self._open()
        # Each is a partition of its own: a table that is divided by them has no busy place.
        key = Key(f"nonce#{brand}#{nonce}", _USED)
        digest = _digest(retry_key)
        try:
            self._table.put(Put(key, {"retry": digest}, expires_at_ms=expires_at_ms, expects=(Absent(),)))
        except Changed:
            if not retry_key:
                return False
            found = self._table.get(key)
            return found is not None and found.get("retry") == digest
        self._tidy(TIDIED_EACH_TIME)
        return True

    def _require_room(self, now_ms: int) -> None:
        window = now_ms // WINDOW_MS
        if window != self._window:
            self._window, self._count = window, 0
        if self._count >= NONCES_MAX:
            raise TooManySigned(
                f"{NONCES_MAX:,} signed requests came in ten minutes, and no more nonces are remembered; "
                "send larger batches"
            )
        self._count += 1


def _digest(retry_key: str) -> bytes:
    """Return what is kept of an Idempotency-Key."""
    return hashlib.blake2b(retry_key.encode("utf-8", "surrogatepass"), digest_size=16).digest() if retry_key else b""
