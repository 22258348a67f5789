"""Beats that go on where the last one of their session was."""

from collections.abc import Mapping
from typing import Any

HitKey = tuple[str, str, str, str]
Columns = tuple[
    list[str],  # sessions
    list[int],  # numbers
    list[int],  # moments
    list[int],  # playheads
    list[int],  # rates
    list[int],  # intervals
    list[int],  # durations
    list[bytes],  # visitors
    list[HitKey],  # keys
    list[str],  # series
    list[str],  # members
    list[str],  # devices
    bytes,  # states
    int,  # when they arrived
    dict[int, str] | None,  # set aside: place -> line of the ledger
]

class GoingOn:
    """Settles beats that go on where the last one of their session was."""

    def __init__(self, session: type, beat: type, stretch: type) -> None: ...
    def settle(
        self,
        brand: str,
        opened: Mapping[str, Any],
        changed: Mapping[str, Any],
        watched: Mapping[tuple[str, int], Any],
        columns: Columns,
        place: int,
        /,
    ) -> int:
        """Settle the beats of a record from a place on as long as each goes on; return where it stopped."""
