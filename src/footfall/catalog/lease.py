"""One writer at a time for each brand's catalogue, where several processes may write: a lease in the table.

On one machine the catalogue has one writer anyway. Functions come and go, and two that changed one brand's assets at
once would write over each other's intents.
"""

from collections.abc import Generator
from contextlib import contextmanager, suppress

from footfall.catalog import keys
from footfall.ports.errors import Changed, PortError, Throttled
from footfall.ports.table import Absent, Delete, Equals, Put, Table
from footfall.values.clock import Clock

LEASE_MS = 60_000  # Longer than a function lives with one request; one that dies holds others up for no longer.


@contextmanager
def writing_alone(table: Table, brand: str, *, holder: str, clock: Clock) -> Generator[None]:
    """Be the only writer of the brand's catalogue for as long as the block lasts, or raise Throttled at once."""
    key = keys.lease(brand)
    expires_at_ms = clock.now_ms() + LEASE_MS
    try:
        table.put(Put(key, {"holder": holder}, expires_at_ms=expires_at_ms, expects=(Absent(),)))
    except Changed as error:
        raise Throttled(f"the catalogue of {brand!r} is being changed; send this again in a moment") from error
    try:
        yield
    finally:
        with suppress(PortError):  # The change is made; the lease ends by itself.
            table.delete(Delete(key, expects=(Equals("holder", holder),)))
