"""Named counters on either stage: what is sent to them, and all that is stored of them."""

from collections.abc import Iterator, Sequence

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.database import rows
from footfall.flow.collect.counted import (
    CounterRequest,
    entries_of_act,
    entries_of_values,
    imported_sketch,
)
from footfall.flow.serve.uniques import told_of
from footfall.flow.store.counters import Sketches, days_of, load_counters, united
from footfall.flow.stream.counted_values import Act
from footfall.ports.stream import Entry
from footfall.values.counter import UnknownCounter
from footfall.values.window import DAY_MS
from tests.flow.count.stage import Stage

GROUP = "abc~uniques"
NAMES = ("a", "b", "café/#@", "c")


def request(stage: Stage, name: str, *, key: str = "") -> CounterRequest:
    return CounterRequest(Brand("abc", zone=stage.zone), name, stage.clock.now_ms(), stage.shards, key)


def values_entries(stage: Stage, name: str, values: Sequence[str], *, key: str = "") -> list[Entry]:
    return entries_of_values(values, request(stage, name, key=key))


def add(stage: Stage, name: str, *values: str, key: str = "") -> None:
    stage.stream.append(values_entries(stage, name, values, key=key))


def delete(stage: Stage, name: str) -> None:
    stage.stream.append(entries_of_act(Act.DELETE, request(stage, name)))


def put(stage: Stage, name: str, sketch: bytes, *, kind: str = "hll") -> None:
    act, ours = imported_sketch(sketch, kind=kind)
    stage.stream.append(entries_of_act(act, request(stage, name), ours))


def count(stage: Stage) -> None:
    for shard in range(stage.shards):
        stage.worker(shard, stage.table).drain()


def many(first: int, last: int) -> list[str]:
    return [f"value-{number}" for number in range(first, last)]


def estimated(stage: Stage, name: str) -> int:
    try:
        return round(told_of(stage.table, "abc", name).estimate.count)
    except UnknownCounter:
        return -1


def stored_of(stage: Stage, names: Sequence[str] = NAMES) -> dict[str, object]:
    """Return what readers can know of each counter: the whole of it, and each of its days."""
    return {name: list(_parts(stage, name)) for name in names}


def _parts(stage: Stage, name: str) -> Iterator[Sketches | bool]:
    parts = load_counters(stage.table, "abc", name)
    for counter in parts.values():
        yield counter.has_shares
    if parts:
        yield united([counter.whole for counter in parts.values()])
    for start_ms in range(stage.clock.now_ms() // DAY_MS * DAY_MS - 10 * DAY_MS, stage.clock.now_ms(), DAY_MS):
        for part, counter in parts.items():
            yield from days_of(stage.table, "abc", part, counter, from_ms=start_ms, to_ms=start_ms + DAY_MS)


def stored_bytes(stage: Stage) -> list[tuple[object, ...]]:
    """Return everything that lies in the table of any counter."""
    sql = "SELECT * FROM items WHERE partition LIKE 'abc#uniques#%' ORDER BY 1, 2"
    return [tuple(row) for row in rows(stage.table._connection, sql)]
