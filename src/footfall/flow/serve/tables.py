"""Answers as tables: one row a line, as CSV for spreadsheets or as NDJSON for programs.

Ids and titles come from whoever sent them, and a spreadsheet takes a cell that begins with `=` for a formula. So a text
that begins like one has an apostrophe before it, which spreadsheets read as "this is text".
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from footfall.flow.serve.answer import Answer, answer_from
from footfall.flow.serve.parameters import CSV, KINDS
from footfall.flow.serve.series_spans import LAST_WEEK, PREVIOUS, SPAN
from footfall.flow.serve.unique_names import UNIQUES_ARE, VISITORS

_FORMULA_STARTS = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
)  # Some take wide ones, too.
_SPANS = {"": "asked", PREVIOUS: PREVIOUS, LAST_WEEK: LAST_WEEK}

Row = Mapping[str, Any]


def safe_cell(value: object) -> str:
    """Return a value as the text of a cell that no spreadsheet takes for a formula."""
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)  # A number that is negative is a number, not a formula.
    if isinstance(value, Decimal):
        return f"{value:f}"  # Money and minutes have their digits, and no exponent.
    text = str(value)
    return "'" + text if text.startswith(_FORMULA_STARTS) else text


def csv_lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the head and each row as a line of CSV, as RFC 4180 has it."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\r\n")
    writer.writerow(columns)
    yield _taken(line)
    for row in rows:
        writer.writerow([safe_cell(row.get(name)) for name in columns])
        yield _taken(line)


def json_lines(rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield each row as a line of JSON."""
    for row in rows:
        yield msgspec.json.encode(row) + b"\n"


def formatted(answer: Answer, format_name: str) -> Answer:
    """Return an answer in the format that is asked for; JSON stays as it is."""
    if format_name not in KINDS:
        return answer
    rows = list(_rows_of(msgspec.json.decode(answer.body, type=dict[str, Any])))
    lines = csv_lines(answer.columns, rows) if format_name == CSV else json_lines(rows)
    return answer_from(b"".join(lines), max_age_s=answer.max_age_s, exact=answer.exact, columns=answer.columns)


def _rows_of(body: Row) -> Iterator[Row]:
    """Yield the rows of an answer: its entries, or the points of a series and of what it is compared with."""
    # A table has no place but its rows for what holds for all of them.
    are = {UNIQUES_ARE: body[UNIQUES_ARE]} if UNIQUES_ARE in body else {}
    if "points" not in body:
        for item in body.get("items", [body]):
            yield {**item, **are, **item}  # A brand says it of itself.
        return
    if are:
        are = {UNIQUES_ARE: VISITORS}  # Each window lies in one day, whatever the span.
    for name, shown in _SPANS.items():
        for point in (body if not name else body.get(name, {})).get("points", []):
            yield {SPAN: shown, **point, **are}


def _taken(line: io.StringIO) -> bytes:
    text = line.getvalue()
    line.seek(0)
    line.truncate()
    return text.encode()
