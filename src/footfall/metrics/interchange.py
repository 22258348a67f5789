"""The catalogue in an open form: Apache Ossie (Open Semantic Interchange) 0.2, for other semantic layers to read.

That form has expressions in SQL, and neither versions nor units, which stand in an extension of each metric. What SQL
over rows cannot say exactly (a shift by calendar periods, the last day of a period, a chain, a percentile of sketches,
rounding to even, a formula over two datasets, which a join would multiply) is not given another meaning: such a metric
is listed in the model's extension, with its whole definition and the reason.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from footfall.metrics.definition import COUNTED_ONCE, Aggregation, Counted, Definition, ValueType
from footfall.metrics.formula import Binary, Call, Function, Metric, Negated, Node, Number, Shift, number_text
from footfall.metrics.versions import Version, document_of

SPECIFICATION = "0.2.0.dev0"
VENDOR = "FOOTFALL"
EXPRESSION_CHARACTERS_MAX = 20_000
POINTS, HITS, VISITORS = "footfall_points", "footfall_hits", "footfall_visitors"
MINUTES, VIEWERS = "footfall_minutes", "footfall_viewers"
PLAYBACKS, COMPLETIONS = "footfall_playbacks", "footfall_completions"
FOLLOWS, UNFOLLOWS = "footfall_follows", "footfall_unfollows"

_DATASET: Mapping[Counted, str] = {
    Counted.PUSHED: POINTS,
    Counted.HITS: HITS,
    Counted.VISITORS: VISITORS,
    Counted.MINUTES: MINUTES,
    Counted.VIEWERS: VIEWERS,
    Counted.PLAYBACKS: PLAYBACKS,
    Counted.COMPLETIONS: COMPLETIONS,
    Counted.FOLLOWS: FOLLOWS,
    Counted.UNFOLLOWS: UNFOLLOWS,
}
_SAYS = {
    POINTS: "Points that teams push: one row for each metric, day and combination of dimensions.",
    HITS: "footfall's own counts of hits by day and labels.",
    VISITORS: "Who came, by day and section.",
    MINUTES: "Minutes that were watched by day and labels.",
    VIEWERS: "Who watched, by day and section.",
    PLAYBACKS: "Viewings that began by day and labels.",
    COMPLETIONS: "Viewings that have seen at least 90 hundredths of the asset, by day and labels.",
    FOLLOWS: "Follows that began by day and by the kinds of who is followed and who follows.",
    UNFOLLOWS: "Follows that ended by day and by the kinds of who was followed and who followed.",
}
_MEASURES = {
    POINTS: ("metric", "value", "weight"),
    HITS: ("hits",),
    VISITORS: ("visitor",),
    MINUTES: ("minutes",),
    VIEWERS: ("viewer",),
    PLAYBACKS: ("playbacks",),
    COMPLETIONS: ("completions",),
    FOLLOWS: ("follows",),
    UNFOLLOWS: ("unfollows",),
}


class Inexpressible(Exception):
    """A metric means something that SQL over rows cannot say."""


def interchange_of(brand: str, versions: Iterable[Version]) -> dict[str, Any]:
    """Return a brand's metrics as a document of Apache Ossie."""
    known = {one.name: one for one in versions}
    made, left = list[dict[str, Any]](), list[dict[str, object]]()
    definitions = {name: one.definition for name, one in known.items()}
    for name, version in known.items():
        try:
            expression = _expression(definitions, name)
        except Inexpressible as reason:
            left.append({"reason": str(reason), **document_of(version)})
        else:
            made.append(_metric(version, expression))
    model: dict[str, Any] = {
        "name": brand,
        "description": f"The metric catalogue of {brand}, as footfall keeps it.",
        "datasets": _datasets(definitions.values()),
        "metrics": made,
    }
    if left:
        model["custom_extensions"] = [_extension({"notExpressible": left})]
    return {"version": SPECIFICATION, "dialects": ["ANSI_SQL"], "vendors": [VENDOR], "semantic_model": [model]}


def _metric(version: Version, expression: str) -> dict[str, Any]:
    definition = version.definition
    told: dict[str, Any] = {"name": version.name, "expression": _dialects(expression)}
    said = definition.description or definition.title
    if said:
        told["description"] = said
    return {**told, "datatype": "Float", "custom_extensions": [_extension(document_of(version))]}


def _extension(data: Mapping[str, object]) -> dict[str, str]:
    return {"vendor_name": VENDOR, "data": msgspec.json.encode(data).decode()}


def _dialects(expression: str) -> dict[str, Any]:
    return {"dialects": [{"dialect": "ANSI_SQL", "expression": expression}]}


def _datasets(definitions: Iterable[Definition]) -> list[dict[str, Any]]:
    dimensions: dict[str, set[str]] = {POINTS: set()}  # A model has a dataset at least.
    for one in definitions:
        if not one.is_hybrid:
            of = dimensions.setdefault(_DATASET[_counted(one)], set())
            of |= {*one.related_dimensions, *(one.source.where if one.source is not None else ())}
    return [
        {
            "name": name,
            "source": f"footfall.{name.removeprefix('footfall_')}",
            "description": _SAYS[name],
            "fields": [
                {"name": "day", "expression": _dialects("day"), "dimension": {"is_time": True}, "datatype": "Date"},
                *({"name": one, "expression": _dialects(_quoted(one)), "dimension": {"is_time": False}}
                  for one in sorted(found)),
                *({"name": one, "expression": _dialects(one)} for one in _MEASURES[name]),
            ],
        }
        for name, found in sorted(dimensions.items())
    ]  # fmt: skip


def _counted(definition: Definition) -> Counted:
    return definition.source.counts if definition.source is not None else Counted.PUSHED


def _expression(definitions: Mapping[str, Definition], name: str) -> str:
    definition = definitions[name]
    if definition.chained_metric is not None:
        raise Inexpressible(f"before {definition.chain_cutoff_date} its data come from {definition.chained_metric!r}")
    if definition.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD:
        raise Inexpressible("a period has the value of its last day")
    if not definition.is_hybrid:
        return _aggregate(definition)
    made = _sql(definition.formula, lambda one: _expression(definitions, one))
    datasets = sorted(_datasets_below(definitions, name))
    if len(datasets) > 1:
        raise Inexpressible(f"it is made of {' and '.join(datasets)}, whose rows nothing relates")
    if len(made) > EXPRESSION_CHARACTERS_MAX:
        raise Inexpressible(f"as one expression it has more than {EXPRESSION_CHARACTERS_MAX:,} characters")
    return made


def _datasets_below(definitions: Mapping[str, Definition], name: str) -> set[str]:
    """Return the datasets that a metric is made of, through all that it is computed from."""
    found, seen, waiting = set[str](), {name}, [name]
    while waiting:
        definition = definitions[waiting.pop()]
        if not definition.is_hybrid:
            found.add(_DATASET[_counted(definition)])
        fresh = frozenset(definition.consumed_metrics) - seen
        seen |= fresh
        waiting.extend(fresh)
    return found


def _aggregate(definition: Definition) -> str:
    dataset = _DATASET[_counted(definition)]
    where = _where(definition, dataset)
    if _counted(definition) in COUNTED_ONCE:
        return f"COUNT(DISTINCT {_when(where, f'{dataset}.{_MEASURES[dataset][0]}')})"
    value = f"{dataset}.value" if dataset == POINTS else f"{dataset}.{_MEASURES[dataset][0]}"
    if definition.value_type is ValueType.PERCENTILE:
        raise Inexpressible("its points are distributions, of which sketches are kept and no values")
    if definition.value_type is ValueType.WEIGHTED_AVERAGE:
        weight = f"{dataset}.weight"
        return _divided(f"SUM({_when(where, f'{value} * {weight}')})", f"SUM({_when(where, weight)})")
    return f"SUM({_when(where, value)})"


def _where(definition: Definition, dataset: str) -> str:
    if dataset == POINTS:
        return f"{dataset}.metric = {_text(definition.name)}"
    source = definition.source
    parts = [] if source is None else [
        f"{dataset}.{_quoted(one)} IN ({', '.join(_text(value) for value in values)})"
        for one, values in source.where.items()
    ]  # fmt: skip
    return " AND ".join(parts)


def _when(where: str, value: str) -> str:
    return f"CASE WHEN {where} THEN {value} END" if where else value


def _sql(node: Node, of: Callable[[str], str]) -> str:
    match node:
        case Number(value=value):
            return number_text(value)
        case Metric(name=name):
            return of(name)
        case Negated(operand=operand):
            return f"(-{_sql(operand, of)})"
        case Binary(sign="/", left=left, right=right):
            return _divided(_sql(left, of), _sql(right, of))
        case Binary(sign=sign, left=left, right=right):
            return f"({_sql(left, of)} {sign} {_sql(right, of)})"
        case Shift(count=count, calendar=calendar):
            raise Inexpressible(f"it is shifted by {count} {calendar}")
        case Call(function=function, arguments=arguments):
            return _called(function, [_sql(one, of) for one in arguments])


def _called(function: Function, given: Sequence[str]) -> str:
    match function:
        case Function.COALESCE:
            return f"COALESCE({', '.join(given)})"
        case Function.ABS:
            return f"ABS({given[0]})"
        case Function.ROUND:
            raise Inexpressible("halves are rounded to the even neighbour, which ROUND does elsewhere otherwise")
        case Function.RATIO:
            above, below, *default = given
            ratio = _divided(above, below)
            return f"COALESCE({ratio}, {default[0]})" if default else ratio
        case Function.MIN | Function.MAX:
            return _extreme("<" if function is Function.MIN else ">", given)


def _divided(above: str, below: str) -> str:
    """Return a share; whole numbers would be divided without their rest in many an engine."""
    return f"(CAST({above} AS DOUBLE PRECISION) / NULLIF({below}, 0))"


def _extreme(sign: str, given: Sequence[str]) -> str:
    """Return the smallest or the largest of those that are not missing, which SQL's own functions do not agree on."""
    made = given[0]
    for one in given[1:]:
        if len(made) > EXPRESSION_CHARACTERS_MAX:
            raise Inexpressible(f"as one expression it has more than {EXPRESSION_CHARACTERS_MAX:,} characters")
        made = f"(CASE WHEN {made} IS NULL OR {one} {sign} {made} THEN {one} ELSE {made} END)"
    return made


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
