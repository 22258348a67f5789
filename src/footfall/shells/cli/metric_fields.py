"""A metric's definition field by field, as flags of the command line say it."""

import argparse
from collections.abc import Mapping
from typing import Any, Final, cast

from footfall.shells.cli.command import WrongUsage

# Flags that say a field of a definition; --counts and --where say its source.
FIELDS: Final = {
    "value_type": "valueType", "formula": "hybridFormula", "unit": "unit", "title": "title",
    "description": "description", "owner": "owner", "aggregation": "aggregationStyle", "percentile": "aggregationParam",
    "dimension": "relatedDimensions", "chained": "chainedMetric", "cutoff": "chainCutoffDate",
}  # fmt: skip


class NothingCounted(WrongUsage):
    """A condition on what is counted is given, and not what is."""


def document_given(arguments: argparse.Namespace, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition with what flags say in the place of what is known; one without text takes its field away."""
    given = {field: _value(getattr(arguments, flag)) for flag, field in FIELDS.items()}
    told = {field: value for field, value in given.items() if value is not None}
    if (source := _source(arguments, known)) is not None:
        told["source"] = source
    if told.get("chainedMetric") == "":  # One is nothing without the other.
        told.setdefault("chainCutoffDate", "")
    document = {**known, **told}
    return {**_implied(document), **{field: value for field, value in document.items() if value not in ("", [], {})}}


def _value(value: Any) -> Any:
    """Return what a flag says; None: it was not given. Several values of which none has text are none."""
    if isinstance(value, list):
        several = cast("list[str]", value)
        return [one for one in several if one] if several else None
    return value


def _source(arguments: argparse.Namespace, known: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what is counted of footfall's own counts; empty where it is none any more."""
    if arguments.counts is None and not arguments.where:
        return None
    before: Mapping[str, Any] = known.get("source") or {}
    counts = before.get("counts", "") if arguments.counts is None else arguments.counts
    conditions = [one for one in arguments.where if one]
    if conditions and not counts:
        raise NothingCounted(
            "--where says which of footfall's own counts are meant: give --counts hits, or another of them, too."
        )
    if not counts:
        return {}
    from footfall.app.metric_questions import conditions_from

    where = conditions_from(conditions) if arguments.where else before.get("where", {})
    return {"counts": counts, **({"where": where} if where else {})}


def _implied(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what need not be said, because nothing else goes with the rest."""
    if document.get("hybridFormula"):
        return {"valueType": "HYBRID"}
    if document.get("aggregationParam") is not None:
        return {"valueType": "PERCENTILE", "aggregationStyle": "PERCENTILE"}
    return {"valueType": "SCALAR"} if document.get("source") else {}
