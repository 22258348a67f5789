"""Time that passes for players' sessions on AWS, where no instance is beside the stream to say so.

Sessions know no clock but the arrival of records. In a shard to which no ping comes any more the last ones would be
open for ever: what they watched would be in no row, and no period that they watched in could be closed.
"""

from collections.abc import Mapping

from footfall.app.settings import MINUTE_MS
from footfall.flow.store.checkpoints import Checkpoint
from footfall.flow.store.sessions import load_head
from footfall.flow.stream.beats import tick_record
from footfall.ports.stream import Entry
from footfall.ports.table import Table
from footfall.values.groups import is_of_pings


def due_ticks(table: Table, checkpoints: Mapping[int, Checkpoint], *, now_ms: int) -> list[Entry]:
    """Return a tick for each shard with open sessions that nothing has come to for a minute."""
    ticks = list[Entry]()
    for shard, checkpoint in checkpoints.items():
        groups = [group for group in checkpoint.lines if is_of_pings(group)]
        head = load_head(table, shard) if groups else None
        if head is not None and head.open and now_ms - head.swept_at_ms >= MINUTE_MS:
            ticks.append(Entry(shard, min(groups), 0, tick_record(now_ms), now_ms))
    return ticks
