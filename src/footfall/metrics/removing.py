"""How a metric is removed so that nobody who is stopped, or faster, leaves half of it.

A transaction puts a tombstone in the place of the newest version: from then on there is no such metric. What is left of
it goes in further transactions, each on the condition that this very tombstone is still there; the tombstone goes last.
The name is free only then. So whoever adds it again finishes the removal first, and whoever is late removes nothing.
"""

from collections.abc import Iterator

from footfall.metrics import keys
from footfall.metrics.versions import Version
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import Check, Delete, Equals, Key, Put, Table, everything
from footfall.values.clock import Clock

REMOVAL = "removal"  # the revision of the catalogue that removed a metric: no other removal has it
DELETES_MAX = 80  # of one transaction of at most 100


def is_tombstone(item: Item) -> bool:
    """Tell whether what lies in the place of the newest version says that the metric was removed."""
    return REMOVAL in item


def tombstone_of(brand: str, newest: Version, revision: int) -> Put:
    """Return what removes a metric as far as anybody can see, unless it was changed meanwhile."""
    needed = frozenset(newest.definition.needed_metrics)
    item: Item = {REMOVAL: revision, **({"needs": needed} if needed else {})}
    key = keys.version(brand, newest.name, keys.NEWEST)
    return Put(key, item, expects=(Equals("latestVersion", newest.number),))


def finish_removal(table: Table, clock: Clock, brand: str, name: str) -> bool:
    """Remove what is left of a metric that has a tombstone, and then that; tell whether there was one."""
    key = keys.version(brand, name, keys.NEWEST)
    tombstone = table.get(key)
    if tombstone is None or not is_tombstone(tombstone):
        return False
    # Loaded by whoever removes: it brings numpy along, which definitions do not need.
    from footfall.metrics.points import Points

    is_same = Equals(REMOVAL, tombstone[REMOVAL])
    fence = Check(key, (is_same,))
    try:
        gone = list(_left(table, brand, name, tombstone))
        for start in range(0, len(gone), DELETES_MAX):
            table.transact([*(Delete(one) for one in gone[start : start + DELETES_MAX]), fence])
        Points(table, clock=clock).forget(brand, name, fence=fence)
        table.transact([Delete(key, expects=(is_same,))])
    except Changed:  # Somebody else has finished it.
        return True
    return True


def _left(table: Table, brand: str, name: str, tombstone: Item) -> Iterator[Key]:
    """Yield where versions of a metric lie, and what it said of those that it needed."""
    needs = tombstone.get("needs", frozenset[str]())
    assert isinstance(needs, frozenset)
    for one in sorted(map(str, needs)):
        yield keys.user(brand, one, name)
    newest = keys.version(brand, name, keys.NEWEST)
    for found in everything(table, keys.versions(brand, name)):
        if found.key != newest:
            yield found.key
