"""Which ids a table cannot have, known without looking there.

Nearly every id is new, and to find that out in a table of a million is to read a page for each. Two bits for each id
that the table has answer for all but few of them; a wrong one costs that page, and nothing else.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

BYTES = 1 << 23  # With a million ids one new id of 200 is asked for in vain, with ten million one of 11.

_PAIRS = tuple(1 << first | 1 << second for first, second in combinations(range(8), 2))


class IdFilter:
    """What a table may have, of the ids before one in their order; of that one and those beyond nothing is known."""

    def __init__(self, *, is_complete: bool) -> None:
        self._bits = bytearray(BYTES)
        self._missing_from = None if is_complete else b""

    @property
    def missing_from(self) -> bytes | None:
        """Return the id before which all of the table's are here; none when all are."""
        return self._missing_from

    def add(self, ids: Iterable[bytes]) -> None:
        """Note that the table has these."""
        bits = self._bits
        for id_ in ids:
            # Their hash is at hand and fresh with each process, so that nobody can choose ids that share their bits.
            hashed = hash(id_)
            bits[hashed % BYTES] |= _PAIRS[(hashed >> 23) % len(_PAIRS)]

    def go_on(self, ids: Sequence[bytes], *, are_last: bool) -> None:
        """Note the table's ids from the first that was missing on, in their order, and whether none come after."""
        self.add(ids)
        self._missing_from = None if are_last else ids[-1]

    def possible(self, ids: Sequence[bytes]) -> list[bytes]:
        """Return those that the table may have."""
        bits, missing_from, found = self._bits, self._missing_from, list[bytes]()
        for id_ in ids:
            hashed = hash(id_)
            there = bits[hashed % BYTES]
            if (there and there & (pair := _PAIRS[(hashed >> 23) % len(_PAIRS)]) == pair) or (
                missing_from is not None and id_ >= missing_from
            ):
                found.append(id_)
        return found
