"""Points as somebody sends them, as JSON, lines of it or CSV: each row fits its metric, or is refused by its number."""

import base64
import binascii
import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import cast

import msgspec
import numpy as np
from msgspec import Struct

from footfall.metrics.calendar import day_from
from footfall.metrics.day_points import Key, Row
from footfall.metrics.definition import Counted, Definition, ValueType
from footfall.metrics.errors import PushTooLarge
from footfall.metrics.misfits import misfit
from footfall.metrics.names import require_no_controls
from footfall.sketches.errors import NotASketch
from footfall.sketches.quantiles import VALUES_MAX, quantiles_from_bytes, sketch_from_values
from footfall.values.errors import Refused

POINTS_MAX = 100_000  # of one push
NUMBER_MAX = 1e100  # Sums of products of such numbers are still numbers.
DIMENSION_BYTES_MAX = 500
JSON, LINES, CSV = "json", "ndjson", "csv"

_PREFIX = "dimensions."  # of a column whose dimension has the name of a field
_FIELDS = ("at", "value", "weight", "values", "sketch")
_COLUMNS_MAX = 40
_ROW = re.compile(r" - at `\$\[([0-9]+)\]")
_SEPARATORS = {";": "';'", "\t": "tabs", "|": "'|'"}  # that spreadsheets write, each as it is told


class Point(Struct, frozen=True, forbid_unknown_fields=True):
    """One point as it is sent."""

    at: str
    dimensions: Mapping[str, str] = {}
    value: float | None = None
    weight: float | None = None
    values: tuple[float, ...] | None = None
    sketch: str | None = None


class PointRefused(Refused):
    """A row of a push cannot be taken; nothing of the push was."""

    def __init__(self, row: int, field: str, reason: str) -> None:
        super().__init__(field, f"row {row}: {reason}")
        self.row = row

    @property
    def more(self) -> Mapping[str, object]:
        """Return which row it is, from 1."""
        return {"row": self.row}


def points_from_body(body: bytes, form: str) -> list[Point]:
    """Return the points of a push, or raise PointRefused; rows are counted from 1, a header is none."""
    if form not in (JSON, LINES, CSV):
        raise Refused("format", f"{form[:20]!r} is not one of {JSON}, {LINES}, {CSV}")
    if form == JSON:
        points = _from_json(body)
    else:  # What is too many is not read to its end.
        points = list(islice(_from_csv(body) if form == CSV else _from_lines(body), POINTS_MAX + 1))
    if len(points) > POINTS_MAX:
        raise PushTooLarge("body", f"has more than {POINTS_MAX:,} points, which are taken at once: send parts")
    return points


def _from_json(body: bytes) -> list[Point]:
    try:
        return _LIST.decode(body)
    except msgspec.ValidationError as error:
        raise _refused(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused("body", f"is not JSON: {error}") from None


def _from_lines(body: bytes) -> Iterator[Point]:
    for number, line in enumerate(body.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _ONE.decode(line)
        except msgspec.ValidationError as error:
            raise _refused(str(error), row=number) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise PointRefused(number, "body", f"is not JSON: {error}") from None


def _refused(told: str, *, row: int | None = None) -> Refused:
    """Return a refusal that names the row and the field of a path such as $[2].value."""
    refused = misfit(told)
    if row is None:
        found = _ROW.search(told)
        if found is None:
            return Refused("body", f"{refused.reason}; it has to be a list of points")
        row = int(found[1]) + 1
    return PointRefused(row, refused.field, refused.reason)


def _from_csv(body: bytes) -> Iterator[Point]:
    try:
        # What spreadsheets write begins with a mark of its encoding.
        text = body.decode("utf-8-sig")
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = [name.strip() for name in next(rows, list[str]())]
        _require_header(header)
        for number, cells in enumerate((row for row in rows if row), 1):
            if len(cells) != len(header):
                raise PointRefused(number, "body", f"has {len(cells)} cells, and the header {len(header)}")
            yield _from_cells(number, dict(zip(header, cells, strict=True)))
    except UnicodeDecodeError:
        raise Refused("body", "is not UTF-8") from None
    except csv.Error as error:
        raise Refused("body", f"is not CSV: {error}") from None


def _require_header(header: Sequence[str]) -> None:
    other = next((one for one in _SEPARATORS if len(header) == 1 and one in header[0]), None)
    if other is not None:
        raise Refused(
            "body", f"parts its columns with {_SEPARATORS[other]}; CSV is taken with commas, and decimals with a point"
        )
    if "at" not in header or not {"value", "values", "sketch"} & set(header):
        raise Refused("body", "needs a header with at, value (or values, or sketch), weight and the dimensions' names")
    if len(set(header)) != len(header) or len(header) > _COLUMNS_MAX:
        raise Refused("body", f"names a column twice in its header, or has more than {_COLUMNS_MAX}")


def _from_cells(row: int, cells: Mapping[str, str]) -> Point:
    told = {name: cell.strip() for name, cell in cells.items() if name in _FIELDS and cell.strip()}
    dimensions = {name.removeprefix(_PREFIX): cell for name, cell in cells.items() if name not in _FIELDS}
    numbers = {name: _number(row, name, told[name]) for name in ("value", "weight") if name in told}
    many = told.get("values")
    return Point(
        at=told.get("at", ""),
        dimensions=dimensions,
        value=numbers.get("value"),
        weight=numbers.get("weight"),
        values=None if many is None else tuple(_number(row, "values", one) for one in many.split(";")),
        sketch=told.get("sketch"),
    )


def _number(row: int, field: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PointRefused(row, field, f"{text[:40]!r} is not a number") from None


_ONE, _LIST = msgspec.json.Decoder(Point), msgspec.json.Decoder(list[Point])


def require_takes_points(definition: Definition) -> None:
    """Raise unless points can be pushed for a metric."""
    if definition.is_hybrid:
        needed = ", ".join(definition.consumed_metrics)
        raise Refused("name", f"{definition.name!r} is computed by a formula; push points of {needed} instead")
    if definition.source is not None and definition.source.counts is not Counted.PUSHED:
        raise Refused("name", f"{definition.name!r} has footfall's own counts of {definition.source.counts}")


def rows_by_day(points: Sequence[Point], definition: Definition, *, last_day: int) -> dict[int, dict[Key, Row]]:
    """Return what a push says of each day, or raise PointRefused for the first row that does not fit the metric."""
    require_takes_points(definition)
    names = definition.related_dimensions
    days: dict[int, dict[Key, Row]] = {}
    places: dict[tuple[int, Key], int] = {}
    known: dict[str, int] = {}
    for number, point in enumerate(points, 1):
        try:
            day = known.get(point.at)
            if day is None:
                day = known[point.at] = _day(point.at, last_day=last_day)
            key, row = _key(point, names), _row(point, definition.value_type)
        except Refused as error:
            raise PointRefused(number, error.field, error.reason) from None
        first = places.setdefault((day, key), number)
        if first != number:
            raise PointRefused(number, "dimensions", f"says the same day and dimensions as row {first}")
        days.setdefault(day, {})[key] = row
    return days


def _day(text: str, *, last_day: int) -> int:
    day = day_from(text, field="at")
    if day > last_day:
        raise Refused("at", f"{text} has not come; the last day that is taken is {date.fromordinal(last_day)}")
    return day


def _key(point: Point, names: Sequence[str]) -> Key:
    for name, text in point.dimensions.items():
        if name not in names:
            known = ", ".join(names) or "no dimension"
            raise Refused("dimensions", f"{name[:40]!r} is not a dimension of the metric, which has {known}")
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise Refused("dimensions", f"{name} has half of a character (a lone surrogate)") from None
        if size > DIMENSION_BYTES_MAX:
            raise Refused("dimensions", f"{name} has {size:,} bytes, at most {DIMENSION_BYTES_MAX} are taken")
        require_no_controls(text, field="dimensions", what=name)
    return tuple(point.dimensions.get(name, "") for name in names)


def _row(point: Point, kind: ValueType) -> Row:
    if kind is ValueType.PERCENTILE:
        return Row(sketch=_sketch(point))
    if point.values is not None or point.sketch is not None:
        raise Refused("values" if point.values is not None else "sketch", f"is for PERCENTILE; this metric is {kind}")
    value = _finite("value", point.value)
    if kind is ValueType.SCALAR:
        if point.weight is not None:
            raise Refused("weight", "is for WEIGHTED_AVERAGE, and this metric is SCALAR")
        return Row(value)
    weight = _finite("weight", point.weight)
    if weight < 0:
        raise Refused("weight", f"{weight!r} is negative")
    return Row(value, weight)


def _finite(field: str, number: float | None) -> float:
    if number is None:
        raise Refused(field, "is missing")
    if not math.isfinite(number) or abs(number) > NUMBER_MAX:
        raise Refused(field, f"{number!r} is not a finite number of at most {NUMBER_MAX:g}")
    return number + 0.0  # Nothing is minus nothing.


def _sketch(point: Point) -> bytes:
    if point.value is not None or point.weight is not None:
        field = "value" if point.value is not None else "weight"
        raise Refused(field, "is not for PERCENTILE: send values, or a sketch of them")
    if (point.values is None) == (point.sketch is None):
        raise Refused("values", "either values or a sketch of them is needed")
    if point.values is not None:
        if not 1 <= len(point.values) <= VALUES_MAX:
            raise Refused("values", f"has {len(point.values):,} numbers: it must be 1 to {VALUES_MAX:,}")
        return sketch_from_values(np.array([_finite("values", one) for one in point.values]))
    try:
        data = base64.b64decode(cast("str", point.sketch), validate=True)
        told = quantiles_from_bytes(data)
    except (binascii.Error, ValueError, NotASketch) as error:
        raise Refused("sketch", f"is not a KLL sketch of doubles in base64: {error}") from None
    _finite("sketch", told.lowest)
    _finite("sketch", told.highest)
    return data
