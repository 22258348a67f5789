"""Numbers of metrics as they are asked for: which versions gave them, how much of the span has data, and how fresh.

An answer is kept under the definitions it was made by, the question, and how far each source had come. So what is kept
is never stale, and nobody has to tell it of changes: to ask again costs a look at those numbers.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

import msgspec
import numpy as np
from msgspec import UNSET, Struct, UnsetType
from xxhash import xxh3_64_hexdigest

from footfall.metrics.calendar import Edges, PeriodGrain, day_from, day_of, edges_between
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.counts import CountMark, FootfallCounts, Where
from footfall.metrics.evaluating import Cells, Evaluation, Seam
from footfall.metrics.leaves import Coverage, Leaves, windows_in
from footfall.metrics.points import Mark, Points, Taken
from footfall.metrics.pushed import points_from_body, require_takes_points, rows_by_day
from footfall.metrics.resolving import Asked, Resolved, require_dimensions, resolved
from footfall.metrics.versions import Deprecation, Version
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import instant_text

CACHE_BYTES_MAX = 64_000_000
RESOLVED_MAX = 5_000  # definitions with all that they need, kept while the catalogue stays as it is
BY_MAX = 4
WHERE_VALUES_MAX = 200
LOOKS_MAX = 50  # Metrics whose points an answer is made of, for one that is looked for in passing.
ITEM_BYTES = 200  # of an answer in memory, beside its text


@dataclass(frozen=True, slots=True)
class DataQuery:
    """What is asked: which metric, from which day up to which, in what periods, by what and under which conditions."""

    asked: Asked
    first: int
    end: int
    grain: PeriodGrain = PeriodGrain.DAY
    by: tuple[str, ...] = ()
    where: Where = ()


class Item(Struct, frozen=True):
    """One number; none where it is missing."""

    period: str
    dimensions: Mapping[str, str]
    value: float | None


class Deprecated(Struct, frozen=True, omit_defaults=True):
    """Why a metric should not be used any more, and what to use instead."""

    reason: str
    replacement: str = ""


class Used(Struct, frozen=True):
    """Which version of a metric gave the numbers, and that it should not any more."""

    version: int
    hash: str
    deprecated: Deprecated | UnsetType = UNSET


class DataAnswer(Struct, frozen=True, rename={"first": "from"}):
    """The numbers, and what has to be known of them."""

    metric: str
    unit: str
    versions: Mapping[str, Used]
    first: str
    to: str
    grain: str
    by: Sequence[str]
    where: Mapping[str, Sequence[str]]
    unmatched: Mapping[str, Sequence[str]]  # values of `where` that nothing in the span has
    coverage: Mapping[str, object]
    freshness: str | None
    exact: bool
    seams: Sequence[Mapping[str, object]]
    items: Sequence[Item]


@dataclass(frozen=True, slots=True)
class Form:
    """An answer in other words, such as a table, and the tag of its bytes."""

    body: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, as JSON, and the tag of these bytes, with its quotes as a header has it.

    `forms` are those in which somebody wanted it, made once: they are kept and let go with it.
    """

    answer: DataAnswer
    body: bytes
    etag: str
    forms: dict[str, Form] = field(default_factory=dict[str, Form])
    deprecation: Deprecation | None = None  # of the metric that was asked for


@dataclass(frozen=True, slots=True)
class Made:
    """An answer with what it is kept under, for another reader of the same tables."""

    brand: str
    asked: Asked
    revision: int  # of the catalogue when the definitions were looked up
    found: Resolved
    key: tuple[object, ...]
    told: Told


def query_from(  # noqa: PLR0913 - a question has as many parts
    name: str,
    *,
    first: str,
    to: str,
    grain: str = PeriodGrain.DAY,
    by: Sequence[str] = (),
    where: Mapping[str, Sequence[str]] | None = None,
    version: int | None = None,
    digest: str | None = None,
    as_of_ms: int | None = None,
) -> DataQuery:
    """Return the question that texts ask, or raise Refused."""
    if grain not in set(PeriodGrain):
        raise Refused("grain", f"{grain[:20]!r} is not one of {', '.join(PeriodGrain)}")
    if len(set(by)) != len(by) or len(by) > BY_MAX:
        raise Refused("by", f"names a dimension twice, or more than {BY_MAX}")
    conditions = {name: tuple(sorted(set(values))) for name, values in sorted((where or {}).items())}
    for dimension, values in conditions.items():
        if not 1 <= len(values) <= WHERE_VALUES_MAX:
            raise Refused("where", f"{dimension[:64]} has {len(values)} values: it must be 1 to {WHERE_VALUES_MAX}")
    return DataQuery(
        Asked(name, version, digest, as_of_ms),
        day_from(first, field="from"),
        day_from(to, field="to"),
        PeriodGrain(grain),
        tuple(by),
        tuple(conditions.items()),
    )


class MetricData:
    """Answers questions about metrics, and takes the points that some of them are made of."""

    def __init__(
        self,
        catalogue: MetricCatalogue,
        points: Points,
        *,
        counts: FootfallCounts | None,
        zone_of: Callable[[str], str],
        clock: Clock,
        cache_bytes_max: int = CACHE_BYTES_MAX,
    ) -> None:
        self._catalogue = catalogue
        self._points = points
        self._counts = counts
        self._zone_of = zone_of
        self._clock = clock
        self._cache_bytes_max = cache_bytes_max
        self._resolved: OrderedDict[tuple[str, Asked], tuple[int, Resolved]] = OrderedDict()
        self._kept: OrderedDict[tuple[object, ...], Told] = OrderedDict()
        self._bytes = 0

    @property
    def kept_bytes(self) -> int:
        """Return about how much memory the answers take that are kept."""
        return self._bytes

    def push(self, brand: str, name: str, body: bytes, form: str) -> Taken:
        """Take the points of a push, or raise Refused with the number of the first bad row and none taken.

        The whole push is checked before anything of it is written. Days are written in order, some 80 in a transaction;
        a push that broke between two raises PushBroken and is finished by sending it again, which is idempotent.
        """
        definition = self._catalogue.newest(brand, name).definition
        require_takes_points(definition)
        tomorrow = day_of(self._clock.now_ms(), self._zone_of(brand)) + 1
        days = rows_by_day(points_from_body(body, form), definition, last_day=tomorrow)
        return self._points.push(brand, definition, days)

    def forget_points(self, brand: str, name: str) -> int:
        """Remove all points of a metric, such as one that was removed itself; return of how many days."""
        return self._points.forget(brand, name)

    def ask(self, brand: str, query: DataQuery) -> Told:
        """Return the answer to a question, or raise Refused."""
        return self.make(brand, query).told

    def make(self, brand: str, query: DataQuery) -> Made:
        """Return the answer to a question with what it is kept under, or raise Refused."""
        revision, found = self._found(brand, query.asked)
        key, marks = self._key(brand, query, found)
        told = self._kept.get(key)
        if told is not None:
            self._kept.move_to_end(key)
        else:
            told = self._made(brand, query, found, self._zone_of(brand), marks)
            self._keep(key, told)
        return Made(brand, query.asked, revision, found, key, told)

    def ready(self, brand: str, query: DataQuery) -> Told | None:
        """Return an answer that is kept and still right; None where more than a look at some numbers is needed."""
        known = self._resolved.get((brand, query.asked))
        if known is None or len(known[1].pushed) > LOOKS_MAX or known[0] != self._catalogue.revision(brand):
            return None
        key, _ = self._key(brand, query, known[1])
        told = self._kept.get(key)
        if told is not None:
            self._kept.move_to_end(key)
            self._resolved.move_to_end((brand, query.asked))
        return told

    def take(self, made: Made) -> None:
        """Keep an answer that another reader has made."""
        self._know(made.brand, made.asked, made.revision, made.found)
        if made.key not in self._kept:
            self._keep(made.key, made.told)

    def forget_answers(self) -> None:
        """Let go of all answers, and of the definitions that they were made by."""
        self._kept.clear()
        self._resolved.clear()
        self._bytes = 0

    def _found(self, brand: str, asked: Asked) -> tuple[int, Resolved]:
        """Return the definitions of a question, looked up again when the catalogue has changed."""
        revision = self._catalogue.revision(brand)
        known = self._resolved.get((brand, asked))
        if known is not None and known[0] == revision:
            self._resolved.move_to_end((brand, asked))
            return known
        found = resolved(self._catalogue, brand, asked)
        self._know(brand, asked, revision, found)
        return revision, found

    def _know(self, brand: str, asked: Asked, revision: int, found: Resolved) -> None:
        self._resolved[brand, asked] = (revision, found)
        while len(self._resolved) > RESOLVED_MAX:
            self._resolved.popitem(last=False)

    def _key(
        self, brand: str, query: DataQuery, found: Resolved
    ) -> tuple[tuple[object, ...], tuple[Mark | CountMark, ...]]:
        """Return what an answer is kept under, and how far each of its sources has come."""
        marks: tuple[Mark | CountMark, ...] = tuple(self._points.mark(brand, name) for name in found.pushed)
        if found.has_counts and self._counts is not None:
            marks = (*marks, self._counts.mark(brand))
        asked = (query.first, query.end, query.grain, query.by, query.where)
        return (brand, found.digest, asked, self._zone_of(brand), marks), marks

    def _made(
        self, brand: str, query: DataQuery, found: Resolved, zone: str, marks: Sequence[Mark | CountMark]
    ) -> Told:
        require_dimensions(found, query.by, field="by")
        require_dimensions(found, (name for name, _ in query.where), field="where")
        edges = edges_between(query.first, query.end, query.grain, zone)
        leaves = Leaves(self._points, self._counts, brand, query.by, query.where)
        evaluation = Evaluation(found, leaves)
        groups, cells = evaluation.run(edges)
        answer = DataAnswer(
            metric=found.root.name,
            unit=found.root.definition.unit,
            versions={name: _used(one) for name, one in sorted(found.versions.items())},
            first=_day_text(query.first),
            to=_day_text(query.end),
            grain=query.grain,
            by=query.by,
            where=dict(query.where),
            unmatched=_unmatched(query.where, leaves.met),
            coverage=_coverage(leaves.coverage, edges),
            freshness=_freshness(marks),
            exact=leaves.is_exact,
            seams=[_seam(one) for one in evaluation.seams],
            items=_items(edges, query.by, groups, cells),
        )
        body = _encoder.encode(answer)
        return Told(answer, body, etag_of(body), deprecation=found.root.deprecation)

    def _keep(self, key: tuple[object, ...], told: Told) -> None:
        self._kept[key] = told
        self._bytes += _weight(told)
        while self._bytes > self._cache_bytes_max and self._kept:
            self._bytes -= _weight(self._kept.popitem(last=False)[1])


def _used(version: Version) -> Used:
    gone = version.deprecation
    deprecated = UNSET if gone is None else Deprecated(gone.reason, gone.replacement)
    return Used(version.number, version.definition.hash, deprecated)


def _items(edges: Edges, by: Sequence[str], groups: Sequence[tuple[str, ...]], cells: Cells) -> list[Item]:
    """Return a number for each period and group, period by period."""
    named = [dict(zip(by, group, strict=True)) for group in groups]
    numbers: list[list[float]] = (cells + 0.0).tolist()  # Nothing is not minus nothing.
    return [
        Item(period, dimensions, None if isnan(value) else value)
        for period, row in zip(map(edges.label, range(len(edges))), numbers, strict=True)
        for dimensions, value in zip(named, row, strict=True)
    ]


def _unmatched(where: Where, met: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Return the values of conditions that nothing has which was read, so that a slip is told from a gap."""
    lost = {name: [one for one in values if one not in met.get(name, ())] for name, values in where}
    return {name: values for name, values in lost.items() if values}


def _coverage(told: Mapping[str, Coverage], edges: Edges) -> dict[str, object]:
    """Return of how much of the span nothing is missing, and of each source how much of what was asked of it it has.

    A day that any source lacks is missing, be it one of a shift: it is a day less of which everything is known.
    """
    unit = "hours" if edges.is_hourly else "days"
    asked = len(windows_in(edges))
    lacking = np.unique(np.concatenate([np.empty(0, np.int64), *(one.missing for one in told.values())]))
    of_each = {name: _covered(one, edges, unit) for name, one in sorted(told.items())}
    return {unit: asked, "withData": max(asked - len(lacking), 0), "metrics": of_each}


def _covered(one: Coverage, edges: Edges, unit: str) -> dict[str, object]:
    last = Edges((int(one.known[-1]),) * 2, edges.zone, edges.is_hourly).label(0) if len(one.known) else None
    return {unit: len(one.asked), "withData": len(one.known), "last": last}


def _freshness(marks: Sequence[Mark | CountMark]) -> str | None:
    """Return the moment up to which every source had come; None where one has never had any data."""
    moments = [one.counted_until_ms if isinstance(one, CountMark) else one.at_ms for one in marks]
    known = [one for one in moments if one is not None]
    return instant_text(min(known)) if known and len(known) == len(moments) else None


def _seam(seam: Seam) -> dict[str, object]:
    told: dict[str, object] = {"metric": seam.metric, "chainedMetric": seam.chained, "cutoffDate": seam.cutoff}
    return {**told, "missing": list(seam.missing)} if seam.missing else told


def _day_text(day: int) -> str:
    return Edges((day, day), "UTC").label(0)


def etag_of(body: bytes) -> str:
    """Return the tag of an answer's bytes."""
    return f'"{xxh3_64_hexdigest(body)}"'


def _weight(told: Told) -> int:
    # A table says less than JSON does: for every answer there is room for both.
    return 2 * len(told.body) + ITEM_BYTES * len(told.answer.items) + 1_000


_encoder = msgspec.json.Encoder()
