"""Whether a key design will run hot, before it is built: shares, limits, what splitting can do, a simulated hour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil

import numpy as np
from numpy.typing import NDArray

from footfall.planning.key_capacity import lacking
from footfall.planning.key_schemas import (
    TIME_MINUTES,
    Access,
    Distribution,
    Provision,
    Schema,
    SecondIndex,
    fields_of,
    plain_template,
)
from footfall.planning.simulated_capacity import Capacity, Divided, OnDemand, Provisioned
from footfall.planning.simulated_clients import Lost
from footfall.planning.simulated_limits import PARTITION_BYTES, PARTITION_READ_UNITS, PARTITION_WRITE_UNITS
from footfall.planning.simulated_partitions import TOP_KEYS, Keys, Sort
from footfall.planning.simulated_table import Does, Index, Load, TableDesign, TableOutcome, simulate_table
from footfall.planning.traffic import DAY_MINUTES
from footfall.planning.traffic_popularity import harmonic
from footfall.ports.capacity import query_units, write_units

HOUR = 60
FILLED = 0.7  # How full the hottest partition may be by plan: as full as auto scaling lets a table be.


class Verdict(StrEnum):
    """How hot a design will be, from the best to the worst."""

    COOL = "cool"  # under 0.7 of a partition's limit
    WARM = "warm"  # under the limit
    DIVIDED = "hot, and divided in time"  # above it, and splitting helps
    LACKING = "too little capacity"  # refused whatever the keys are
    HOT = "hot"  # above it, and nothing helps but other keys

    @property
    def rank(self) -> int:
        """Return how bad it is."""
        return list(Verdict).index(self)

    @property
    def may_be_built(self) -> bool:
        """Whether a table like this serves what is asked of it, at least after a while."""
        return self not in (Verdict.LACKING, Verdict.HOT)


@dataclass(frozen=True, slots=True)
class PartScore:
    """How hot the hottest key is by all that is done to keys of one kind, or for one index."""

    name: str
    does: Does
    keys: int
    hottest_share: float
    hottest_units: float  # a second, at the peak
    limit_units: float
    sort: Sort
    collection_bytes: float  # under the hottest key, when it has all it will ever have
    verdict: Verdict
    shards: int  # the suffixes that would make it cool; what it has now if it is

    @property
    def headroom(self) -> float:
        """Return how many times hotter the key could be."""
        return self.limit_units / self.hottest_units if self.hottest_units else float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class KeyScore:
    """What is to be said of a design."""

    table: str
    verdict: Verdict
    parts: tuple[PartScore, ...]
    throttled_first: float  # share of what is offered in the first ten minutes of a busy hour
    throttled_last: float  # and in the last ten
    sentences: tuple[str, ...]
    suggestion: str | None
    shards: int  # the suffixes that the suggestion asks for, or those that there are
    outcome: TableOutcome


def score(schema: Schema, *, seed: int = 1) -> KeyScore:
    """Return how hot a key design will be, by its shares and by an hour at its peak."""
    parts = (*_table_parts(schema), *(_index_part(schema, index) for index in schema.indexes))
    outcome = simulate_table(_design(schema), [_load(schema, access) for access in schema.access], seed=seed)
    first, last = _throttled(outcome, slice(0, 10)), _throttled(outcome, slice(HOUR - 10, HOUR))
    lacks = lacking(schema, outcome)
    worst = max(parts, key=lambda part: (part.verdict.rank, part.hottest_units / part.limit_units))
    # Heat is told first: more capacity does not help a key that is hot.
    verdict = max(worst.verdict, Verdict.LACKING, key=lambda one: one.rank) if lacks else worst.verdict
    shards = max(part.shards for part in parts)
    return KeyScore(
        table=schema.table,
        verdict=verdict,
        parts=parts,
        throttled_first=first,
        throttled_last=last,
        sentences=(*_sentences(schema, parts, first, last), *(one.says for one in lacks)),
        suggestion=lacks[0].suggestion if verdict is Verdict.LACKING else _suggestion(schema, worst, shards),
        shards=shards,
        outcome=outcome,
    )


def keys_of(schema: Schema, partition: str, sort: str) -> Keys:
    """Return the keys that templates make of their fields, the calculated suffix included."""
    distributions = [schema.fields[name] for name in fields_of(partition)]
    count, top = schema.shards, np.full(min(schema.shards, TOP_KEYS), 1 / schema.shards)
    for one in distributions:
        count *= _count(one)
        top = np.sort(np.outer(top, _top(one)).ravel())[::-1][:TOP_KEYS]
    moves = [TIME_MINUTES[one.time] for one in distributions if one.time is not None]
    return Keys(
        count,
        sort=sort_of(schema, sort),
        moves_every_minutes=min(moves, default=0),
        top=tuple((top / max(1.0, float(top.sum()))).tolist()),
        named=plain_template(partition),
    )


def sort_of(schema: Schema, template: str) -> Sort:
    """Return how items under one key are reached: the first field of the sort key that has several values decides."""
    for name in fields_of(template):
        one = schema.fields[name]
        if one.time is not None:
            return Sort.INCREASING
        if _count(one) > 1:
            return Sort.SPREAD
    return Sort.ONE


def units_each(access: Access) -> float:
    """Return what one request costs, in units of writing or of reading."""
    if access.does == "writes":
        return float(write_units(access.bytes))
    return query_units([access.bytes * access.items], consistent=access.consistent)


def _count(one: Distribution) -> int:
    return one.uniform or one.zipf or 1


def _top(one: Distribution) -> NDArray[np.float64]:
    count = min(_count(one), TOP_KEYS)
    if one.zipf is None:
        return np.full(count, 1 / _count(one))
    return np.arange(1, count + 1, dtype=np.float64) ** -one.exponent / harmonic(one.zipf, one.exponent)


def _table_parts(schema: Schema) -> Iterator[PartScore]:
    """Yield a score for each kind of keys, read or written: what is done to the same key heats it together."""
    together: dict[tuple[str, Does], list[Access]] = {}
    for access in schema.access:
        template = plain_template(access.partition or schema.partition)
        together.setdefault((template, Does(access.does)), []).append(access)
    for (partition, does), group in together.items():
        yield _part(schema, partition, does, group)


def _part(schema: Schema, partition: str, does: Does, group: Sequence[Access]) -> PartScore:
    # Who reads a sharded key reads all of its shards: each of them is asked as often as the key would be.
    times = 1 if does is Does.WRITES else schema.shards
    limit = PARTITION_WRITE_UNITS if does is Does.WRITES else PARTITION_READ_UNITS
    rates = [one.per_second * one.peak * units_each(one) * times for one in group]
    kept = sum(one.bytes * one.per_second for one in group) if does is Does.WRITES else 0.0
    each = [keys_of(schema, partition, schema.sort if one.sort is None else one.sort) for one in group]
    keys = replace(each[0], sort=_sort_together(each, rates, limit))
    return _scored(", ".join(one.name for one in group), does, keys, (sum(rates), limit, kept), schema)


def _sort_together(each: Sequence[Keys], rates: Sequence[float], limit: float) -> Sort:
    """Return how a key's items are reached by all who ask: it can be divided if what cannot be is cool enough alone."""
    fixed = dict.fromkeys((Sort.ONE, Sort.INCREASING), 0.0)
    for keys, rate in zip(each, rates, strict=True):
        if keys.sort is not Sort.SPREAD:
            fixed[keys.sort] += rate * keys.hottest_share
    if any(keys.sort is Sort.SPREAD for keys in each) and sum(fixed.values()) <= limit:
        return Sort.SPREAD
    return max(fixed, key=lambda sort: fixed[sort])


def _index_part(schema: Schema, index: SecondIndex) -> PartScore:
    per_second = sum(access.per_second for access in schema.access if access.does == "writes")
    at_peak = sum(access.per_second * access.peak for access in schema.access if access.does == "writes")
    rate = at_peak * write_units(index.bytes)
    keys = keys_of(schema, index.partition, index.sort)
    return _scored(index.name, Does.WRITES, keys, (rate, PARTITION_WRITE_UNITS, index.bytes * per_second), schema)


def _scored(name: str, does: Does, keys: Keys, load: tuple[float, float, float], schema: Schema) -> PartScore:
    rate, limit, bytes_per_s = load
    share = keys.hottest_share
    hot = rate * share
    lives_s = 60 * min(keys.moves_every_minutes or DAY_MINUTES * schema.kept_days, DAY_MINUTES * schema.kept_days)
    if hot <= FILLED * limit:
        verdict = Verdict.COOL
    elif hot <= limit:
        verdict = Verdict.WARM
    else:
        # A key that lives for less than a split takes is gone before it is divided.
        is_divisible = keys.sort is Sort.SPREAD and (keys.moves_every_minutes == 0 or keys.moves_every_minutes >= HOUR)
        verdict = Verdict.DIVIDED if is_divisible else Verdict.HOT
    wanted = schema.shards if verdict is Verdict.COOL else ceil(schema.shards * hot / (FILLED * limit))
    return PartScore(
        name=name,
        does=does,
        keys=keys.count,
        hottest_share=share,
        hottest_units=hot,
        limit_units=limit,
        sort=keys.sort,
        collection_bytes=bytes_per_s * share * lives_s,
        verdict=verdict,
        shards=wanted if does is Does.WRITES else schema.shards,
    )


def _design(schema: Schema) -> TableDesign:
    indexes = tuple(
        Index(
            index.name,
            _capacity(index.writes, schema.capacity, "writes"),
            keys_of(schema, index.partition, index.sort),
            write_units(index.bytes) / _mean_units(schema),
        )
        for index in schema.indexes
    )
    writes = sum(one.per_second * one.peak * units_each(one) for one in schema.access if one.does == "writes")
    reads = sum(one.per_second * one.peak * units_each(one) for one in schema.access if one.does == "reads")
    if not isinstance(schema.capacity, Provision):
        # On demand, a table that has grown into its traffic: what is looked for is heat, not a first day.
        return TableDesign(OnDemand(writes / 2), OnDemand(reads / 2), indexes)
    return TableDesign(
        _capacity(schema.capacity.writes, schema.capacity, "writes"),
        _capacity(schema.capacity.reads, schema.capacity, "reads"),
        indexes,
    )


def _mean_units(schema: Schema) -> float:
    writing = [access for access in schema.access if access.does == "writes"]
    requests = sum(access.per_second for access in writing)
    return sum(access.per_second * units_each(access) for access in writing) / requests if requests else 1.0


def _capacity(units: float | None, table: object, does: str) -> Capacity:
    if not isinstance(table, Provision):
        return OnDemand(20_000.0)
    number = units if units is not None else (table.writes if does == "writes" else table.reads)
    return Divided(number) if table.divided else Provisioned(number)


def _load(schema: Schema, access: Access) -> Load:
    does = Does(access.does)
    times = 1 if does is Does.WRITES else schema.shards
    sort = schema.sort if access.sort is None else access.sort
    return Load(
        access.name,
        np.full(HOUR, 60 * access.per_second * access.peak * times),
        keys_of(schema, access.partition or schema.partition, sort),
        units_each=units_each(access),
        does=does,
        client=Lost(),
        bytes_each=float(access.bytes) if does is Does.WRITES else 0.0,
    )


def _throttled(outcome: TableOutcome, minutes: slice) -> float:
    refused = sum(
        float(units[minutes].sum()) for flow in (outcome.writes, outcome.reads) for units in flow.throttled.values()
    )
    offered = float(outcome.writes.offered[minutes].sum() + outcome.reads.offered[minutes].sum())
    return refused / offered if offered else 0.0


def _sentences(schema: Schema, parts: Sequence[PartScore], first: float, last: float) -> list[str]:
    told: list[str] = []
    for part in parts:
        told += _of_part(part)
    if isinstance(schema.capacity, Provision) and schema.capacity.divided:
        told.append("Throughput is divided among partitions, as before adaptive capacity: each has only its part.")
    told.append(f"An hour at the peak: {first:.1%} is throttled in its first ten minutes, {last:.1%} in its last ten.")
    return told


def _of_part(part: PartScore) -> list[str]:
    unit = "write" if part.does is Does.WRITES else "read"
    hottest = f"the hottest of {part.keys:,} keys has {part.hottest_share:.2%} of it"
    if part.keys == 1:
        hottest = "one key has it all"
    told = [
        f"{part.name}: {hottest}, {part.hottest_units:,.0f} {unit} units a second at the peak; "
        f"a partition takes {part.limit_units:,.0f}: {part.verdict}."
    ]
    if part.verdict in (Verdict.HOT, Verdict.DIVIDED):
        told.append(f"{part.name}: {_on_splitting(part)}")
    if part.collection_bytes > PARTITION_BYTES:
        told.append(
            f"{part.name}: {part.collection_bytes / 1024**3:,.0f} GB will lie under one key; with a local secondary "
            "index 10 GB would be the end of it, without one it lies on several partitions."
        )
    return told


def _on_splitting(part: PartScore) -> str:
    match part.sort:
        case Sort.SPREAD if part.verdict is Verdict.DIVIDED:
            return "DynamoDB divides the key by its sort key after some minutes of heat; until then it throttles."
        case Sort.SPREAD:
            return "splitting for heat does not help: before the key would be divided, another one is hot."
        case Sort.INCREASING:
            return "splitting for heat does not help: the sort key only grows, so all writes go to the last piece."
        case Sort.ONE:
            return "splitting for heat does not help: it is one item, which has one partition at most."


def _suggestion(schema: Schema, worst: PartScore, shards: int) -> str | None:
    if worst.verdict is Verdict.COOL:
        return None
    if worst.does is Does.READS:
        return (
            f"Keep what {worst.name!r} reads in a cache: its hottest key costs {worst.hottest_units:,.0f} units a "
            "second, and a suffix would only make more reads of it."
        )
    after = worst.hottest_units * schema.shards / shards
    return (
        f"Add a calculated suffix of {shards} values to the partition key (a hash of something that readers know, "
        f"modulo {shards}): the hottest key has {after:,.0f} units a second then. Or write less often: pack what "
        "belongs together into one item."
    )
