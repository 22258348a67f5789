"""Lets time pass for players' sessions where nothing but records brings it about, and none comes.

A session knows no clock but the arrival of records, so that counting them again gives the same. Where sessions are open
and nobody has looked through them for a while, a record without beats is due. It goes the way of all records, so it
needs no condition: one more than is needed changes nothing.
"""

from collections.abc import Mapping

from footfall.flow.store.checkpoints import Checkpoint
from footfall.flow.store.sessions import load_head
from footfall.flow.stream.beats import tick_record
from footfall.ports.stream import Entry
from footfall.ports.table import Table
from footfall.values.groups import is_of_pings

UNSWEPT_MS = 60_000  # While beats come, sessions are looked through every ten seconds.


def ticks_due(table: Table, checkpoints: Mapping[int, Checkpoint], *, now_ms: int) -> list[Entry]:
    """Return a tick for each shard with open sessions for which no time has passed lately: one get a shard."""
    ticks: list[Entry] = []
    for shard, checkpoint in sorted(checkpoints.items()):
        groups = [group for group in checkpoint.lines if is_of_pings(group)]
        if not groups:
            continue
        head = load_head(table, shard)
        if head is not None and head.open and now_ms - head.swept_at_ms >= UNSWEPT_MS:
            ticks.append(Entry(shard, min(groups), 0, tick_record(now_ms), now_ms))
    return ticks
