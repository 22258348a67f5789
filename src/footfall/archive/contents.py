"""What the archive has in all, for whoever runs it; and taking all of it away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footfall.archive import finding, keys, queueing
from footfall.archive.captures import Capture
from footfall.archive.references import PREFIX
from footfall.archive.removing import Held
from footfall.archive.stored import request_from
from footfall.ports.blobs import Blobs
from footfall.ports.blobs import everything as every_blob
from footfall.ports.items import Item
from footfall.ports.table import BATCH_ITEMS_MAX, Delete, Found, Key, Table, everything


@dataclass(frozen=True, slots=True)
class OfBrand:
    """What one brand has; bytes that two captures share are counted for both."""

    brand: str
    captures: int
    removed: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What the archive has; the objects are what really lies there."""

    brands: Sequence[OfBrand]
    spaces: int
    waiting: int
    running: int
    loose: int
    objects: int
    object_bytes: int


def contents(table: Table, blobs: Blobs) -> Contents:
    """Count everything; it goes through the names of all objects."""
    objects = size = 0
    for listed in every_blob(blobs, PREFIX):
        objects, size = objects + 1, size + listed.size_bytes
    return Contents(
        brands=[_of_brand(found) for found in everything(table, keys.BRANDS)],
        spaces=_count(table, keys.SPACES),
        waiting=queueing.count_waiting(table),
        running=len(queueing.running(table)),
        loose=_count(table, keys.LOOSE),
        objects=objects,
        object_bytes=size,
    )


def clear(table: Table, blobs: Blobs) -> int:
    """Take everything away, tombstones as well, and return how many captures there were; raise Held for any hold.

    What lists other things goes last, so that whoever is stopped goes on by doing it again.
    """
    brands = [found.key.sort for found in everything(table, keys.BRANDS)]
    _require_none_held(table, brands)
    _clear_requests(table)
    captures = 0
    for brand in brands:
        captures += sum(1 for _ in everything(table, keys.all_of(brand)))
        for partition in (keys.all_of(brand), keys.removed(brand)):
            for found in everything(table, partition):
                _clear_capture(table, str(found.item["id"]))
            _clear_partition(table, partition)
        _clear_partition(table, keys.quota(keys.brand_space(brand)).partition)
    for listed in every_blob(blobs, PREFIX):
        blobs.delete(listed.name)
        _clear_partition(table, keys.references(listed.name.rpartition("/")[2]))
    for partition in (keys.LOOSE, keys.DAMAGED, keys.SWEEPS, keys.TURNS, keys.SPACES, keys.BRANDS):
        _clear_partition(table, partition)
    return captures


def _require_none_held(table: Table, brands: Sequence[str]) -> None:
    for brand in brands:
        for found in everything(table, keys.all_of(brand)):
            one = finding.capture(table, str(found.item["id"]))
            if isinstance(one, Capture) and one.held_by is not None:
                raise Held("archive", f"{one.id} is under legal hold by {one.held_by}; it has to be released before")


def _clear_requests(table: Table) -> None:
    for partition in (*(keys.queue(priority) for priority in queueing.PRIORITIES), keys.RUNNING):
        _clear_partition(table, partition)
    for space in [found.key.sort for found in everything(table, keys.SPACES)]:
        for found in everything(table, keys.requests(space)):
            request = request_from(found.item)
            _clear_partition(table, keys.quota(request.by).partition)
            _clear_partition(table, keys.held(request.id))
            _delete(table, [keys.request(request.id), keys.draft(request.id), keys.open_request(request)])
        _clear_partition(table, keys.open_requests(space))
        _clear_partition(table, keys.requests(space))
        _clear_partition(table, keys.library(space))


def _clear_capture(table: Table, id: str) -> None:
    found = finding.capture(table, id)
    if found is None:
        return
    for space in found.spaces:
        for partition in (keys.address(space, found.key), keys.days(space, found.key), keys.library(space)):
            _clear_partition(table, partition)
    _clear_partition(table, keys.held(id))
    _delete(table, [keys.capture(id)])


def _clear_partition(table: Table, partition: str) -> None:
    _delete(table, [found.key for found in everything(table, partition)])


def _delete(table: Table, gone: Sequence[Key]) -> None:
    for chunk in _chunks(gone):
        table.write([Delete(key) for key in chunk])


def _chunks(gone: Sequence[Key]) -> Iterator[Sequence[Key]]:
    for at in range(0, len(gone), BATCH_ITEMS_MAX):
        yield gone[at : at + BATCH_ITEMS_MAX]


def _of_brand(found: Found) -> OfBrand:
    captures, removed, size = (_number(found.item, name) for name in ("captures", "removed", "bytes"))
    return OfBrand(found.key.sort, captures, removed, size)


def _count(table: Table, partition: str) -> int:
    return sum(1 for _ in everything(table, partition))


def _number(item: Item, name: str) -> int:
    value = item.get(name, 0)
    return value if isinstance(value, int) else 0
