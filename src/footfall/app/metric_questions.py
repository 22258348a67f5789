"""How data of metrics are asked for in words, over HTTP and on the command line alike, and how they become a table."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from footfall.flow.serve.parameters import Given, Several, given_from, moment_of, require_short, single_of
from footfall.flow.serve.several import values_from_text
from footfall.flow.serve.tables import csv_lines
from footfall.metrics.data import BY_MAX, WHERE_VALUES_MAX, DataQuery, Form, Told, etag_of, query_from
from footfall.metrics.names import require_metric_name
from footfall.metrics.points import Taken
from footfall.metrics.pushed import DIMENSION_BYTES_MAX
from footfall.values.errors import Refused

WHERE_MAX = 50  # conditions of one question; a dimension may have several of them
VERSION_MAX = 10**9
SINGLE = ("from", "to", "grain", "version", "hash", "asOf", "format")
SEVERAL = {"by": Several(BY_MAX, 64), "where": Several(WHERE_MAX, 100_000)}

CSV = "csv"  # the form of an answer that is a table
_COLUMNS = ("period", "value")
_PREFIX = "dimensions."  # of a column whose dimension has the name of another


def data_parameters(raw_query: str) -> Given:
    """Return the parameters of an address, or refuse one that there is not."""
    return given_from(raw_query, single=(*SINGLE, "brand", "key"), several=SEVERAL, of="data of a metric")


def data_query(name: str, given: Given) -> DataQuery:
    """Return the question that parameters ask, or raise Refused."""
    ends = {one: single_of(given, one) for one in ("from", "to")}
    for one, text in ends.items():
        if not text:
            raise Refused(one, f"is missing; data are from a day up to another, as in {one}=2026-01-31")
    return query_from(
        require_metric_name(name),
        first=str(ends["from"]),
        to=str(ends["to"]),
        grain=single_of(given, "grain") or "day",
        by=[one for text in given.get("by", ()) for one in values_from_text(text)],
        where=conditions_from(given.get("where", ())),
        version=_version(given),
        digest=single_of(given, "hash"),
        as_of_ms=moment_of(given, "asOf"),
    )


def conditions_from(texts: Iterable[str]) -> dict[str, list[str]]:
    r"""Return the values that each dimension may have, of texts such as `section:news,sports`.

    What stands before the first colon is the dimension. A comma of a value is written as `\,`; a colon is itself.
    """
    conditions: dict[str, list[str]] = {}
    for text in texts:
        dimension, colon, values = text.partition(":")
        if not colon or not dimension:
            raise Refused("where", f"{text[:60]!r} is not a condition such as section:news,sports")
        found = [require_short("where", one, bytes_max=DIMENSION_BYTES_MAX) for one in values_from_text(values)]
        conditions.setdefault(dimension, []).extend(found)
    if sum(map(len, conditions.values())) > WHERE_VALUES_MAX * len(conditions):
        raise Refused("where", f"has more than {WHERE_VALUES_MAX} values of a dimension")
    return conditions


def table_of(answer: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the lines of an answer's table, as CSV: the period, each dimension, the value."""
    names = {one: f"{_PREFIX}{one}" if one in _COLUMNS else one for one in answer["by"]}
    rows = (
        {
            "period": item["period"],
            **{column: item["dimensions"][one] for one, column in names.items()},
            "value": item["value"],
        }
        for item in answer["items"]
    )
    return csv_lines(("period", *names.values(), "value"), rows)


def tabled(told: Told) -> Form:
    """Return an answer as a table, which is made once and kept with the answer."""
    form = told.forms.get(CSV)
    if form is None:
        body = b"".join(table_of(msgspec.json.decode(told.body, type=dict[str, Any])))
        form = told.forms[CSV] = Form(body, etag_of(body))
    return form


def taken_document(brand: str, name: str, taken: Taken) -> dict[str, object]:
    """Return what is told of a push."""
    return {
        "brand": brand,
        "metric": name,
        "points": taken.points,
        "days": taken.days,
        "changedDays": taken.changed_days,
        "revision": taken.revision,
    }


def _version(given: Given) -> int | None:
    text = single_of(given, "version")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and 1 <= int(text) <= VERSION_MAX) or text[0] == "0":
        raise Refused("version", f"{text[:20]!r} is not a whole number from 1 to {VERSION_MAX:,}, as 7 is written")
    return int(text)
