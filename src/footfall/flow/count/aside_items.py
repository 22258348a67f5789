"""The items that list set-aside hits: where they stand, and why; a few thousand of them in each."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from footfall.flow.store import keys
from footfall.ports.errors import Changed
from footfall.ports.table import Below, Put, Table

LISTED_TOGETHER_MAX = 5_000  # Set-aside hits in one item: at most some 25 bytes each.

AsideKey = tuple[str, str, str]  # brand, line of the ledger, and a sentence if there is one


@dataclass(slots=True)
class AsideRecord:
    """A record whose hits at these places were set aside; no places: all of it was."""

    sequence: int
    places: list[int]
    hits: int


def write_aside(table: Table, aside: Mapping[AsideKey, list[AsideRecord]], *, shard: int, expires_at_ms: int) -> None:
    """List all hits that a flush sets aside; a list that is there and longer stays."""
    for key, records in aside.items():
        for put in listed_aside(key, records, shard=shard, expires_at_ms=expires_at_ms):
            with suppress(Changed):
                table.put(put)


def listed_aside(key: AsideKey, records: list[AsideRecord], *, shard: int, expires_at_ms: int) -> Iterator[Put]:
    """Yield the items of one flush for hits of one brand, kind and reason."""
    brand, line, reason = key
    for run in listed_together(records):
        item = {
            "records": [[record.sequence, list(record.places)] for record in run],
            "hits": sum(record.hits for record in run),
            "reason": reason,
            "shard": shard,
        }
        # Under its first record, where the same run is found again when the flush is repeated. One that was listed by
        # somebody who had read further is longer, and stays.
        longer = (Below("hits", sum(record.hits for record in run) + 1),)
        yield Put(keys.side(brand, line, run[0].sequence, shard), item, expires_at_ms=expires_at_ms, expects=longer)


def listed_together(records: list[AsideRecord]) -> Iterator[list[AsideRecord]]:
    """Yield the records in runs that are small enough to be listed in one item each."""
    run: list[AsideRecord] = []
    listed = 0
    for record in records:
        size = max(len(record.places), 1)
        if run and listed + size > LISTED_TOGETHER_MAX:
            yield run
            run, listed = [], 0
        run.append(record)
        listed += size
    if run:
        yield run
