"""What the watch log has of a member: handed out, and marked as erased."""

from collections.abc import Iterator, Mapping
from typing import Any

from footfall.app.audience_opening import Audience
from footfall.audience.erased import erased_members, mark_erased
from footfall.audience.things import MEMBER, Thing
from footfall.flow.serve.audience import row_shown
from footfall.flow.store.watched_by import rows_of_member, without_erased


def exported(audience: Audience, brand: str, thing: Thing) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of the watch log that name a member; those of sessions that are open come when they are over."""
    log = audience.log if thing.kind == MEMBER else None
    if log is None:
        return
    erased = erased_members(audience.table, brand)
    for row in rows_of_member(log, brand, thing.id):
        if without_erased(row, erased) is row:
            yield row_shown(row)


def erase_some(audience: Audience, brand: str, thing: Thing, limit: int) -> int:
    """Mark a member as erased; that is one write, after which nothing is left for whoever reads."""
    del limit
    if thing.kind == MEMBER:
        ahead_ms = audience.settings.count_future_ms
        mark_erased(audience.table, brand, thing.id, now_ms=audience.clock.now_ms(), ahead_ms=ahead_ms)
    return 0
