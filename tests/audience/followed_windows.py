"""What windows say of follows, as plain sums, and the acts that they are compared with."""

from collections import Counter

from footfall.audience.things import Thing
from footfall.flow.store.columns import rows
from footfall.flow.store.summaries import Summaries
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.window import Grain, window_of, windows_between

Followed = tuple[str, str, str]  # the followed thing's kind as asset and as section, the follower's kind


def followed(follower: Thing, target: Thing) -> Followed:
    """Return what a follow is counted under."""
    return target.kind, target.kind, follower.kind


def by_window(
    store: Table, clock: Clock, name: str, *, from_ms: int, to_ms: int, grain: Grain = Grain.MINUTE, zone: str = "UTC"
) -> Counter[tuple[int, Followed]]:
    """Return what the windows of a name hold, by their beginnings."""
    found: Counter[tuple[int, Followed]] = Counter()
    first = window_of(from_ms, grain, zone).from_ms
    for window in windows_between(grain, from_ms=first, to_ms=to_ms, zone=zone):
        for part in Summaries(store, clock).live(name, window):
            for row in rows(part.columns):
                assert row.slice[2:] == ("", ""), row  # neither a paid type nor a label
                found[window.from_ms, (row.asset, row.slice[0], row.slice[1])] += row.hits
    return found


def in_all(windows: Counter[tuple[int, Followed]]) -> Counter[Followed]:
    """Return the same without telling windows apart."""
    sums: Counter[Followed] = Counter()
    for (_, what), count in windows.items():
        sums[what] += count
    return sums
