"""What a metric is: the fields of the metric-migration thesis, one way to write each, and a hash of what they mean."""

import hashlib
import re
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import cast

import msgspec
from msgspec import Struct, structs

from footfall.metrics.formula import Binary, Call, Function, Metric, Negated, Node, Number, metrics_in, text_of, walk
from footfall.metrics.grammar import MalformedFormula, formula_from
from footfall.metrics.misfits import misfit
from footfall.metrics.names import ImpossibleName, require_metric_name
from footfall.metrics.units import unit_from
from footfall.values.errors import Refused

TEXT_BYTES_MAX = 4_000
TITLE_BYTES_MAX = 200
DIMENSIONS_MAX = 8
VALUES_MAX = 50  # of one dimension in a source's condition
CONSUMED_MAX = 40  # by one formula; each is an edge that is written in one transaction with it
HASH_DIGITS = 32

_DIMENSION = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_MEANINGLESS = ("title", "description", "owner")  # A change of them changes no number.


class ValueType(StrEnum):
    """What one value of a metric is."""

    SCALAR = "SCALAR"
    WEIGHTED_AVERAGE = "WEIGHTED_AVERAGE"
    HYBRID = "HYBRID"
    PERCENTILE = "PERCENTILE"


class Aggregation(StrEnum):
    """How the values of a period become one."""

    SUM = "SUM"
    LAST_DAY_OF_PERIOD = "LAST_DAY_OF_PERIOD"
    PERCENTILE = "PERCENTILE"


_STYLES: Mapping[ValueType, frozenset[Aggregation]] = {
    ValueType.SCALAR: frozenset({Aggregation.SUM, Aggregation.LAST_DAY_OF_PERIOD}),
    ValueType.WEIGHTED_AVERAGE: frozenset({Aggregation.SUM, Aggregation.LAST_DAY_OF_PERIOD}),
    ValueType.HYBRID: frozenset({Aggregation.SUM, Aggregation.LAST_DAY_OF_PERIOD}),
    ValueType.PERCENTILE: frozenset({Aggregation.PERCENTILE}),
}


class Counted(StrEnum):
    """Where the values of a primitive metric come from."""

    PUSHED = "pushed"
    HITS = "hits"
    VISITORS = "visitors"
    MINUTES = "minutes"  # that were watched, as players' beats tell
    VIEWERS = "viewers"  # who watched them
    PLAYBACKS = "playbacks"  # viewings, counted when they begin
    COMPLETIONS = "completions"  # viewings that have seen at least 90 hundredths of the asset
    FOLLOWS = "follows"  # counted when they begin
    UNFOLLOWS = "unfollows"  # follows, counted when they end


_LABELS = frozenset({"section", "resourceType", "paidType"})
KIND_DIMENSIONS = frozenset({"kind", "followerKind"})

# What footfall's own counts can be asked by, and what they are counts of.
COUNTED_DIMENSIONS: Mapping[Counted, frozenset[str]] = {
    Counted.HITS: _LABELS,
    Counted.VISITORS: _LABELS,
    Counted.MINUTES: _LABELS,
    Counted.VIEWERS: _LABELS,
    Counted.PLAYBACKS: _LABELS,
    Counted.COMPLETIONS: _LABELS,
    Counted.FOLLOWS: KIND_DIMENSIONS,
    Counted.UNFOLLOWS: KIND_DIMENSIONS,
}
COUNTED_UNITS: Mapping[Counted, str] = {
    **{one: one.value for one in COUNTED_DIMENSIONS},
    Counted.UNFOLLOWS: Counted.FOLLOWS.value,  # What has ended is subtracted from what began.
}
COUNTED_ONCE = frozenset({Counted.VISITORS, Counted.VIEWERS})  # Whoever comes in two spans is one: they do not add up.


class Source(Struct, frozen=True, forbid_unknown_fields=True):
    """What a primitive metric counts: points that a team pushes, or footfall's own counts where a condition holds."""

    counts: Counted = Counted.PUSHED
    where: Mapping[str, tuple[str, ...]] = {}


class Definition(
    Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True, dict=True
):
    """One metric as somebody writes it; complete in itself, whatever version it is."""

    name: str
    value_type: ValueType
    aggregation_style: Aggregation = Aggregation.SUM
    aggregation_param: float | None = None  # which percentile
    unit: str = ""
    source: Source | None = None
    related_dimensions: tuple[str, ...] = ()
    hybrid_formula: str | None = None
    chained_metric: str | None = None
    chain_cutoff_date: str | None = None
    title: str = ""
    description: str = ""
    owner: str = ""

    @property
    def is_hybrid(self) -> bool:
        """Tell whether it is computed from other metrics."""
        return self.value_type is ValueType.HYBRID

    @cached_property
    def formula(self) -> Node:
        """Return what a hybrid metric computes."""
        assert self.hybrid_formula is not None, "only hybrid metrics have one"
        return _formula(self.hybrid_formula)

    @cached_property
    def consumed_metrics(self) -> tuple[str, ...]:
        """Return the metrics that its formula names."""
        return tuple(sorted(metrics_in(self.formula))) if self.is_hybrid else ()

    @cached_property
    def needed_metrics(self) -> tuple[str, ...]:
        """Return all metrics that it cannot do without: those that it consumes, and the one it is chained to."""
        return tuple(sorted({*self.consumed_metrics, *([self.chained_metric] if self.chained_metric else [])}))

    @cached_property
    def hash(self) -> str:
        """Return a hash of all that its numbers and their groups depend on, and of nothing else."""
        plain = msgspec.to_builtins(self)
        meant = {field: value for field, value in plain.items() if field not in ("name", *_MEANINGLESS)}
        return hashlib.sha256(msgspec.json.encode(meant, order="deterministic")).hexdigest()[:HASH_DIGITS]


@lru_cache(maxsize=50_000)
def _formula(text: str) -> Node:
    return formula_from(text)


def definition_from(document: object) -> Definition:
    """Return the metric that a document describes, each field written in its one way, or raise Refused."""
    if not isinstance(document, Mapping) or "consumedMetrics" not in document:
        return normal(_decoded(document))  # pyright: ignore[reportUnknownArgumentType] - documents come from outside
    fields = cast("Mapping[str, object]", document)
    found = normal(_decoded({name: value for name, value in fields.items() if name != "consumedMetrics"}))
    if fields["consumedMetrics"] not in (list(found.consumed_metrics), None):
        raise Refused("consumedMetrics", f"are told by the formula: {', '.join(found.consumed_metrics) or 'none'}")
    return found


def _decoded(document: object) -> Definition:
    try:
        return msgspec.convert(_with_style(document), type=Definition)
    except msgspec.ValidationError as error:
        refused = misfit(str(error))
        known = _known_at(refused)
        reason = refused.reason + (f"; there are {', '.join(known)}" if known else "")
        if refused.field == "source.counts":
            reason += "; what is counted elsewhere is pushed, to a metric without source"
        raise Refused(refused.field, reason) from None


def _known_at(refused: Refused) -> tuple[str, ...]:
    """Return what could have stood where something else does; nothing where there is no list of it."""
    choices = {"valueType": ValueType, "aggregationStyle": Aggregation, "source.counts": Counted}
    if refused.field in choices:
        return tuple(choices[refused.field])
    if "not a field" not in refused.reason:
        return ()
    kind = Source if refused.field.startswith("source.") else Definition
    return tuple(one.encode_name for one in structs.fields(kind))


def _with_style(document: object) -> object:
    """Return a document with the one style that a percentile can have, where it says none."""
    if not isinstance(document, Mapping):
        return document
    fields = cast("Mapping[str, object]", document)
    if fields.get("valueType") != ValueType.PERCENTILE or "aggregationStyle" in fields:
        return fields
    return {**fields, "aggregationStyle": Aggregation.PERCENTILE}


def normal(definition: Definition) -> Definition:
    """Return a definition with each field written in its one way, or raise Refused where one cannot be."""
    _require_style(definition)
    texts = {"title": TITLE_BYTES_MAX, "description": TEXT_BYTES_MAX, "owner": TITLE_BYTES_MAX}
    for field, bytes_max in texts.items():
        _require_text(field, getattr(definition, field), bytes_max=bytes_max)
    definition = structs.replace(definition, name=require_metric_name(definition.name))
    chained = _normal_chain(definition)
    return _normal_hybrid(chained) if chained.is_hybrid else _normal_primitive(chained)


def _require_text(field: str, text: str, *, bytes_max: int) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise Refused(field, "has half of a character (a lone surrogate)") from None
    if size > bytes_max:
        raise Refused(field, f"has {size:,} bytes, at most {bytes_max:,} are taken")


def _require_style(definition: Definition) -> None:
    allowed = _STYLES[definition.value_type]
    if definition.aggregation_style not in allowed:
        known = " or ".join(sorted(allowed))
        raise Refused(
            "aggregationStyle",
            f"{definition.aggregation_style} is not for {definition.value_type}, which takes {known}",
        )
    is_percentile = definition.aggregation_style is Aggregation.PERCENTILE
    if not is_percentile and definition.aggregation_param is not None:
        raise Refused("aggregationParam", "says which percentile, and only a percentile has one")
    if is_percentile and (definition.aggregation_param is None or not 0 <= definition.aggregation_param <= 100):
        raise Refused("aggregationParam", "must be a number from 0 to 100: which percentile it is")


def _normal_chain(definition: Definition) -> Definition:
    chained, cutoff = definition.chained_metric, definition.chain_cutoff_date
    if (chained is None) != (cutoff is None):
        missing = "chainedMetric" if chained is None else "chainCutoffDate"
        raise Refused(missing, "chainedMetric and chainCutoffDate go together: whose data, and before which day")
    if chained is None or cutoff is None:
        return definition
    try:
        day = date.fromisoformat(cutoff)
    except ValueError:
        raise Refused("chainCutoffDate", f"{cutoff[:40]!r} is not a day such as 2026-01-31") from None
    name = require_metric_name(chained, field="chainedMetric")
    if name == definition.name:
        raise Refused("chainedMetric", f"{name!r} would be chained to itself")
    return structs.replace(definition, chained_metric=name, chain_cutoff_date=day.isoformat())


def _normal_hybrid(definition: Definition) -> Definition:
    if definition.hybrid_formula is None:
        raise Refused("hybridFormula", "is missing: a HYBRID metric is computed by one")
    if definition.related_dimensions or definition.source is not None:
        field = "source" if definition.source is not None else "relatedDimensions"
        raise Refused(field, "is for primitive metrics; a HYBRID metric has those of the metrics it consumes")
    formula = _formula(definition.hybrid_formula)
    consumed = metrics_in(formula)
    if not consumed:
        raise MalformedFormula("names no metric, so that it would be the same number for ever", 1)
    if len(consumed) > CONSUMED_MAX:
        raise MalformedFormula(f"names {len(consumed)} metrics, at most {CONSUMED_MAX} are taken: define parts", 1)
    _require_names(formula)
    _require_divisible(formula)
    unit = str(unit_from(definition.unit)) if definition.unit else ""
    written = structs.replace(definition, hybrid_formula=text_of(formula), unit=unit)
    vars(written)["consumed_metrics"] = tuple(sorted(consumed))  # The formula in its one way names the same.
    return written


def _require_names(formula: Node) -> None:
    for one in walk(formula):
        if isinstance(one, Metric):
            try:
                require_metric_name(one.name, field="hybridFormula")
            except ImpossibleName as error:  # A name that is not plain stands behind a quote.
                raise MalformedFormula(error.told, one.at + error.at) from None


def _require_divisible(formula: Node) -> None:
    """Refuse a formula whose value could never be anything: it divides by a zero that stands in it."""
    for node in walk(formula):
        below: Node | None = None
        if isinstance(node, Binary) and node.sign == "/":
            below = node.right
        elif isinstance(node, Call) and node.function is Function.RATIO:
            below = node.arguments[1]
        while isinstance(below, Negated):
            below = below.operand
        if isinstance(below, Number) and below.value == 0:
            raise MalformedFormula("divides by 0, so that it would never have a value", below.at)


def _normal_primitive(definition: Definition) -> Definition:
    if definition.hybrid_formula is not None:
        raise Refused("hybridFormula", f"is for HYBRID metrics, and this one is {definition.value_type}")
    source = definition.source or Source()
    dimensions = tuple(sorted(set(definition.related_dimensions)))
    if len(dimensions) > DIMENSIONS_MAX:
        raise Refused("relatedDimensions", f"has {len(dimensions)} entries, at most {DIMENSIONS_MAX} are taken")
    for field, one in _named_dimensions(dimensions, source):
        if _DIMENSION.fullmatch(one) is None:
            raise Refused(field, f"{one[:40]!r} is not a dimension: letters, digits and _, such as section")
    if source.counts is Counted.PUSHED:
        _require_pushed(source)
        unit = str(unit_from(definition.unit or "ratio"))
        return structs.replace(definition, source=None, related_dimensions=dimensions, unit=unit)
    return _normal_counted(definition, source, dimensions)


def _named_dimensions(dimensions: tuple[str, ...], source: Source) -> list[tuple[str, str]]:
    """Return all dimensions that a definition names, each with the field that names it."""
    return [*(("relatedDimensions", one) for one in dimensions), *(("source.where", one) for one in source.where)]


def _require_pushed(source: Source) -> None:
    if source.where:
        raise Refused("source.where", "is for footfall's own counts; points that are pushed are what they are")


def _normal_counted(definition: Definition, source: Source, dimensions: tuple[str, ...]) -> Definition:
    if definition.value_type is not ValueType.SCALAR:
        raise Refused(
            "valueType", f"{definition.value_type} has to be pushed: footfall counts {source.counts}, a SCALAR"
        )
    unit = unit_from(definition.unit or COUNTED_UNITS[source.counts])
    if str(unit) != COUNTED_UNITS[source.counts]:
        why = "; what has ended is subtracted from what began" if source.counts is Counted.UNFOLLOWS else ""
        raise Refused("unit", f"is {COUNTED_UNITS[source.counts]}: that is what is counted, not {unit}{why}")
    known = COUNTED_DIMENSIONS[source.counts]
    for field, one in _named_dimensions(dimensions, source):
        if one not in known:
            raise Refused(field, f"{one!r} is not kept of {source.counts}: {', '.join(sorted(known))} are")
    where = {one: tuple(sorted(set(values))) for one, values in sorted(source.where.items())}
    for one, values in where.items():
        if not 1 <= len(values) <= VALUES_MAX:
            raise Refused(f"source.where.{one}", f"has {len(values)} values: it must be 1 to {VALUES_MAX}")
    return structs.replace(
        definition, source=Source(source.counts, where), related_dimensions=dimensions, unit=str(unit)
    )
