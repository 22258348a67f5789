"""What the watch log has of a member: handed out, and marked as erased."""

from collections.abc import Iterator, Sequence

from footfall.app.audience_opening import Audience
from footfall.audience.erased import erased_members, mark_erased
from footfall.audience.kept_lists import Kept, Row
from footfall.audience.things import MEMBER, Thing
from footfall.flow.serve.audience import row_shown
from footfall.flow.store.keys import watched_by_partition
from footfall.flow.store.watch_log import member_digest
from footfall.flow.store.watched_by import rows_named, without_erased
from footfall.ports.table import Found

READS_EACH = 10  # A row is got by itself, which takes as long as some items of a query do.


def kept(audience: Audience, brand: str, thing: Thing) -> list[Kept]:
    """Return the rows of the watch log that name a member; those of sessions that are open come when they are over."""
    log = audience.log if thing.kind == MEMBER else None
    if log is None:
        return []

    def rows(found: Sequence[Found]) -> Iterator[Row]:
        if not found:
            return
        erased = erased_members(audience.table, brand)
        for row in rows_named(log, brand, thing.id, found):
            if without_erased(row, erased) is row:
                yield row_shown(row)

    return [Kept(log, watched_by_partition(brand, member_digest(thing.id)), rows, reads_each=READS_EACH)]


def erase_some(audience: Audience, brand: str, thing: Thing, limit: int) -> int:
    """Mark a member as erased; that is one write, after which nothing is left for whoever reads."""
    del limit
    if thing.kind == MEMBER:
        ahead_ms = audience.settings.count_future_ms
        mark_erased(audience.table, brand, thing.id, now_ms=audience.clock.now_ms(), ahead_ms=ahead_ms)
    return 0
