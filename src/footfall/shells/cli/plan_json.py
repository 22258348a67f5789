"""A plan as JSON: the shape of docs/formats/plans.md, versioned, money as text so that no cent is lost."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

from footfall.planning.advice import Advice
from footfall.planning.crossings import Crossing
from footfall.planning.figures import Figure
from footfall.planning.limits import Limit
from footfall.planning.plan import Plan, Stored, all_figures

VERSION: Final = 1


def plan_as_json(made: Plan, advices: Sequence[Advice]) -> Mapping[str, Any]:
    """Return all of a plan as values that JSON has."""
    return {
        "version": VERSION,
        "region": made.region.name,
        "pricesDated": made.dated,
        **_asked(made),
        "bill": _bill(made),
        "capacity": [
            {
                "way": way.name,
                "usd": _usd(way.usd),
                "writeUnits": _round(way.write_units),
                "readUnits": _round(way.read_units),
            }
            for way in made.bill.capacity.ways
        ],
        "limits": [_limit(one) for one in made.limits],
        **_compared(made),
        "advice": [{"about": one.about.value, "says": one.says, "isDue": one.is_due} for one in advices],
        "figures": [figure_as_json(one) for one in all_figures(made)],
    }


def _asked(made: Plan) -> Mapping[str, Any]:
    work, stack, popular = made.work, made.work.stack, made.work.site.popularity
    return {
        "traffic": {
            "hitsPerDay": _round(float(work.hits.sum()) / work.days),
            "busiestMinute": _round(float(work.hits.max())),
            "peakToMean": _round(float(work.hits.max() / work.hits.mean())),
            "brands": popular.brands,
            "assets": popular.assets * popular.brands,
            "hitsOfARequest": work.site.batch,
        },
        "stack": {
            "kinesisShards": stack.kinesis_shards,
            "countingShards": stack.counting_shards,
            "freshnessSeconds": stack.freshness_s,
            "uniques": stack.uniques,
            "rawDays": stack.raw_days,
        },
        "functions": {
            name: {
                "atOnceMax": _round(float(one.at_once.max())),
                "callsPerDay": _round(float(one.calls.sum()) / work.days),
            }
            for name, one in work.functions.items()
        },
    }


def _limit(one: Limit) -> Mapping[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "used": _round(float(one.used.value)),
        "limit": _round(float(one.limit.value)),
        "unit": one.limit.unit,
        "multiple": _round(min(one.multiple, 1e12)),
        "raisedBy": one.raised.value,
        "then": one.then,
        "do": one.do,
    }


def _compared(made: Plan) -> Mapping[str, Any]:
    return {
        "months": [_month(one) for one in made.stored],
        "cheaper": [
            {"name": one.name, "what": one.what, "saves": _usd(one.saves), "givesUp": one.gives_up}
            for one in made.cheaper
        ],
        "crossings": [_crossing(one) for one in made.crossings],
        "sensitivity": [
            {
                "input": one.name,
                "low": one.low,
                "high": one.high,
                "usdLow": _usd(one.low_usd),
                "usdHigh": _usd(one.high_usd),
            }
            for one in made.moved
        ],
        "throttling": [
            {
                "way": one.name,
                "refusedUnits": _round(one.refused),
                "refusedShare": _round(one.refused_share),
                "hottestPartition": _round(one.hottest_share),
            }
            for one in made.throttling.ways
        ],
    }


def _month(one: Stored) -> Mapping[str, Any]:
    return {
        "month": one.months,
        "hitsPerDay": _round(one.hits_per_day),
        "tableGb": _round(one.table_gb),
        "objectsGb": _round(one.objects_gb),
        "usd": _usd(one.usd),
    }


def _crossing(one: Crossing) -> Mapping[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "hitsPerDay": _list(one.per_day),
        "usd": {curve.name: _list(curve.usd) for curve in one.curves},
        "cheapestFrom": [{"hitsPerDay": _round(at), "way": way} for at, way in one.at],
    }


def _bill(made: Plan) -> Mapping[str, Any]:
    return {
        "usd": _usd(made.bill.usd),
        "refused": made.refused,
        "parts": [
            {"part": part.value, "usd": _usd(Decimal(figure.value))} for part, figure in made.bill.parts().items()
        ],
        "lines": [
            {"part": part.value, "name": line.name, "usd": _usd(Decimal(line.value))} for part, line in made.bill.lines
        ],
    }


def figure_as_json(figure: Figure) -> Mapping[str, Any]:
    """Return one number with where it comes from; what it is made of, by name."""
    value = _usd(figure.value) if isinstance(figure.value, Decimal) else _round(float(figure.value))
    told: dict[str, Any] = {
        "name": figure.name,
        "value": value,
        "unit": figure.unit,
        "origin": figure.origin.value,
        "why": figure.why,
    }
    if figure.source:
        told["source"] = figure.source
    if figure.inputs:
        told["inputs"] = [one.name for one in figure.inputs]
    return told


def _usd(value: Decimal) -> str:
    return f"{value:.4f}"


def _round(value: float) -> float:
    """Return six digits: no plan knows more, and equal plans are equal bytes."""
    return float(f"{value:.6g}")


def _list(values: Any) -> list[float | None]:
    return [None if np.isnan(one) else _round(float(one)) for one in values]
