"""Metrics as a person works them out: row by row, in plain Python, with nothing of the product but its definitions.

And worlds to try both on: definitions, chains, formulas and points by chance, which comes in as an argument.
"""

import math
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from footfall.metrics.definition import Aggregation, Definition, ValueType, definition_from
from footfall.metrics.formula import Binary, Calendar, Call, Function, Metric, Negated, Node, Number, Shift, operands

START = date(2026, 1, 1)
DAYS = 130
SECTIONS, COUNTRIES = ("news", "sport", ""), ("fi", "se")
STYLES = (
    ("SCALAR", "SUM"), ("SCALAR", "SUM"), ("SCALAR", "LAST_DAY_OF_PERIOD"), ("WEIGHTED_AVERAGE", "SUM"),
    ("WEIGHTED_AVERAGE", "LAST_DAY_OF_PERIOD"), ("PERCENTILE", "PERCENTILE"),
)  # fmt: skip

Group = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """One point."""

    day: date
    dimensions: dict[str, str]
    value: float = 0.0
    weight: float = 0.0
    values: tuple[float, ...] = ()


@dataclass
class World:
    """Some metrics, and the points of those that have any."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)


def world_from(chance: Random) -> World:
    """Return a world of some primitive metrics and of some that are computed from them."""
    world = World()
    for number in range(chance.randint(2, 5)):
        kind, style = chance.choice(STYLES)
        document: dict[str, Any] = {
            "name": f"p{number}", "valueType": kind, "aggregationStyle": style,
            "relatedDimensions": ["country", "section"],
        }  # fmt: skip
        if kind == "PERCENTILE":
            document["aggregationParam"] = chance.choice([0, 25, 50, 90, 100])
        _chain(document, world, chance, style)
        definition = definition_from(document)
        world.definitions[definition.name] = definition
        world.rows[definition.name] = _rows(kind, chance)
    for number in range(chance.randint(1, 4)):
        style = chance.choice(["SUM", "LAST_DAY_OF_PERIOD"])
        names = list(world.definitions)
        text = f"{chance.choice(names)} + 0 * {_formula(chance, names, 3)}" if chance.random() < 0.2 else ""
        document = {
            "name": f"h{number}", "valueType": "HYBRID", "aggregationStyle": style,
            "hybridFormula": text or f"{_formula(chance, names, 3)} + {chance.choice(names)}",
        }  # fmt: skip
        _chain(document, world, chance, style)
        world.definitions[document["name"]] = definition_from(document)
    return world


def _chain(document: dict[str, Any], world: World, chance: Random, style: str) -> None:
    fitting = [one.name for one in world.definitions.values() if one.aggregation_style == style]
    if fitting and chance.random() < 0.5:
        document["chainedMetric"] = chance.choice(fitting)
        document["chainCutoffDate"] = (START + timedelta(chance.randint(-5, DAYS + 5))).isoformat()


def _rows(kind: str, chance: Random) -> list[Row]:
    rows: list[Row] = []
    for day in range(DAYS):
        if chance.random() < 0.3:
            continue
        for section in SECTIONS:
            for country in COUNTRIES:
                if chance.random() < 0.4:
                    continue
                told = {"section": section, "country": country} if section else {"country": country}
                values = tuple(float(chance.randint(-9, 99)) for _ in range(chance.randint(1, 5)))
                value = chance.choice([float(chance.randint(-3, 9)), chance.uniform(-1, 1), 0.1])
                weight = chance.choice([0.0, 1.0, 0.3, chance.uniform(0, 5)])
                at = START + timedelta(day)
                rows.append(Row(at, told, values=values) if kind == "PERCENTILE" else Row(at, told, value, weight))
    return rows


def _formula(chance: Random, names: list[str], depth: int) -> str:
    if depth == 0 or chance.random() < 0.2:
        return chance.choice([*names, *names, str(chance.randint(0, 3)), "0.5"])
    one, other = _formula(chance, names, depth - 1), _formula(chance, names, depth - 1)
    shift = f"{chance.randint(-2, 3)} {chance.choice(['day', 'week', 'month', 'quarter', 'year'])}"
    return chance.choice(
        [
            f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"({one} / {other})", f"-({one})",
            f"min({one}, {other})", f"max({one}, {other}, 1)", f"coalesce({one}, {other})", f"ratio({one}, {other})",
            f"ratio({one}, {other}, 7)", f"abs({one})", f"round({one}, {chance.randint(0, 4)})",
            f"shift({one}, {shift})", f"shift({one}, {shift})", f"coalesce({one}, 0)",
        ]
    )  # fmt: skip


@dataclass
class Model:
    """Works out what a metric is in a span, for a group among some."""

    world: World
    by: Group
    where: dict[str, list[str]]
    groups: list[Group] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._of_days: dict[tuple[str, date], list[Row]] = {}
        for name, rows in self.world.rows.items():
            for row in rows:
                self._of_days.setdefault((name, row.day), []).append(row)

    def value(self, name: str, first: date, end: date, group: Group) -> float | None:
        """Return the value of a metric from a day up to another."""
        definition = self.world.definitions[name]
        if not definition.is_hybrid:
            return self._primitive(definition, first, end, group)
        if definition.chained_metric is None or first >= _cutoff(definition):
            return self._own(definition, first, end, group)
        if end <= _cutoff(definition):
            return self.value(definition.chained_metric, first, end, group)
        return self._both(definition, definition, _cutoff(definition), first, end, group)

    def computed(self, node: Node, first: date, end: date, group: Group) -> float | None:
        """Return what a formula gives."""
        match node:
            case Number(value=value):
                return value
            case Metric(name=name):
                return self.value(name, first, end, group)
            case Negated(operand=operand):
                return _finite(_minus(self.computed(operand, first, end, group)))
            case Shift(operand=operand, count=count, calendar=calendar):
                start, stop = (earlier(one, count, calendar) for one in (first, end))
                return self.computed(operand, start, stop, group)
            case Binary(sign=sign, left=left, right=right):
                return _applied(sign, self.computed(left, first, end, group), self.computed(right, first, end, group))
            case Call(function=function, arguments=arguments):
                told = [self.computed(one, first, end, group) for one in arguments]
                return _called(function, told)

    def days_of(self, definition: Definition, first: date, end: date) -> list[Row]:
        """Return the rows of a span, each day from whose it is, as long as all are of one kind."""
        found: list[Row] = []
        day = first
        while day < end:
            one = definition
            while one.chained_metric is not None and day < _cutoff(one):
                other = self.world.definitions[one.chained_metric]
                if other.value_type is not definition.value_type:
                    break
                one = other
            found += self._of_days.get((one.name, day), [])
            day += timedelta(1)
        return found

    def _primitive(self, definition: Definition, first: date, end: date, group: Group) -> float | None:
        last, cutoff = definition, date.max
        while last.chained_metric is not None:
            cutoff = min(cutoff, _cutoff(last))
            other = self.world.definitions[last.chained_metric]
            if other.value_type is not definition.value_type:
                break
            last = other
        if last.chained_metric is None or first >= cutoff:
            return self._aggregated(definition, first, end, group)
        if end <= cutoff:
            return self.value(last.chained_metric, first, end, group)
        return self._both(definition, last, cutoff, first, end, group)

    def _own(self, definition: Definition, first: date, end: date, group: Group) -> float | None:
        if not definition.is_hybrid:
            return self._aggregated(definition, first, end, group)
        if definition.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD and first < end:
            first = self._day_meant(definition, first, end)
            end = first + timedelta(1)
        return self.computed(definition.formula, first, end, group)

    def _day_meant(self, definition: Definition, first: date, end: date) -> date:
        """Return the last day on which a formula has a value in total, and data; where none has, the last of all."""
        whole = Model(self.world, (), {}, [()])
        for number in range(1, (end - first).days + 1):
            day, after = end - timedelta(number), end - timedelta(number - 1)
            if whole.computed(definition.formula, day, after, ()) is None:
                continue
            if whole.has_operands(definition, day, after):
                return day
        return end - timedelta(1)

    def has_operands(self, definition: Definition, first: date, end: date) -> bool:
        """Tell whether anything that a formula names has data, as it is and not only as it was."""
        loads = list(_loads(definition.formula, first, end, is_shifted=False))
        some = [one for one in loads if not one[3]] or loads
        return any(self._has_data(self.world.definitions[name], start, stop) for name, start, stop, _ in some)

    def _has_data(self, definition: Definition, first: date, end: date) -> bool:
        if not definition.is_hybrid and self.days_of(definition, first, end):
            return True
        cutoff, chained = date.min, definition.chained_metric
        if chained is not None:
            cutoff = _cutoff(definition)
            early = min(end, cutoff)
            if first < early and self._has_data(self.world.definitions[chained], first, early):
                return True
        start = max(first, cutoff)
        return definition.is_hybrid and start < end and self.has_operands(definition, start, end)

    def _both(
        self, root: Definition, last: Definition, cutoff: date, first: date, end: date, group: Group
    ) -> float | None:
        assert last.chained_metric is not None
        after = self._own(root, cutoff, end, group)
        before = self.value(last.chained_metric, first, cutoff, group)
        if root.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD:
            has = any(self._own(root, cutoff, end, one) is not None for one in self.groups)
            return after if has else before
        if not self.is_additive(root.name):
            return None
        told = [one for one in (after, before) if one is not None]
        return sum(told) if told else None

    def is_additive(self, name: str) -> bool:
        """Tell whether two spans add up."""
        definition = self.world.definitions[name]
        chained = definition.chained_metric
        if definition.is_hybrid:
            own = self._linear(definition.formula) is True
        else:
            own = definition.value_type is ValueType.SCALAR and definition.aggregation_style is Aggregation.SUM
        return own and (chained is None or self.is_additive(chained))

    def _linear(self, node: Node) -> bool | None:
        match node:
            case Number():
                return None
            case Metric(name=name):
                return self.is_additive(name)
            case Negated(operand=operand) | Shift(operand=operand):
                return self._linear(operand)
            case Binary(sign=sign, left=left, right=right):
                one, other = self._linear(left), self._linear(right)
                return None if one is None and other is None else _linear_of(sign, one, other)
            case Call(arguments=arguments):
                return None if all(self._linear(one) is None for one in arguments) else False

    def _aggregated(self, definition: Definition, first: date, end: date, group: Group) -> float | None:
        rows = self.days_of(definition, first, end)
        if definition.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD and rows:
            last = max(row.day for row in rows)
            rows = [row for row in rows if row.day == last]
        rows = [row for row in rows if self._fits(row, group)]
        if not rows:
            return None
        if definition.value_type is ValueType.PERCENTILE:
            assert definition.aggregation_param is not None
            values = sorted(value for row in rows for value in row.values)
            at = math.ceil(len(values) * definition.aggregation_param / 100) - 1
            return values[max(at, 0)]
        if definition.value_type is ValueType.WEIGHTED_AVERAGE:
            weights = math.fsum(row.weight for row in rows)
            # Exactly, for what is a little off here may be divided by when it should be nothing.
            above = float(sum(Fraction(row.value) * Fraction(row.weight) for row in rows))
            return above / weights if weights else None
        return math.fsum(row.value for row in rows)

    def _fits(self, row: Row, group: Group) -> bool:
        if any(row.dimensions.get(name, "") not in values for name, values in self.where.items()):
            return False
        return all(row.dimensions.get(name, "") == value for name, value in zip(self.by, group, strict=True))


def _loads(node: Node, first: date, end: date, *, is_shifted: bool) -> Iterator[tuple[str, date, date, bool]]:
    """Yield the metrics that a formula names, from when to when each is meant, and whether that is another time."""
    match node:
        case Metric(name=name):
            yield name, first, end, is_shifted
        case Shift(operand=operand, count=count, calendar=calendar):
            start, stop = (earlier(one, count, calendar) for one in (first, end))
            yield from _loads(operand, start, stop, is_shifted=True)
        case Call(function=Function.ROUND, arguments=(value, *_)):
            yield from _loads(value, first, end, is_shifted=is_shifted)
        case _:
            for one in operands(node):
                yield from _loads(one, first, end, is_shifted=is_shifted)


def _linear_of(sign: str, one: bool | None, other: bool | None) -> bool:
    if sign in "+-":
        return one is True and other is True
    if sign == "*":
        return {one, other} == {None, True}
    return one is True and other is None


def earlier(day: date, count: int, calendar: Calendar) -> date:
    """Return a boundary some periods earlier; where the month has no such day, the first of the next."""
    if calendar in (Calendar.DAY, Calendar.WEEK):
        return day - timedelta(count * (7 if calendar is Calendar.WEEK else 1))
    months = {Calendar.MONTH: 1, Calendar.QUARTER: 3, Calendar.YEAR: 12}[calendar] * count
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    month += 1
    if day.day <= monthrange(year, month)[1]:
        return date(year, month, day.day)
    return date(year + month // 12, month % 12 + 1, 1)


def _cutoff(definition: Definition) -> date:
    assert definition.chain_cutoff_date is not None
    return date.fromisoformat(definition.chain_cutoff_date)


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _applied(sign: str, left: float | None, right: float | None) -> float | None:
    if left is None or right is None or (sign == "/" and right == 0):
        return None
    return _finite(
        left + right if sign == "+" else left - right if sign == "-" else left * right if sign == "*" else left / right
    )


def _called(function: Function, told: list[float | None]) -> float | None:
    known = [one for one in told if one is not None]
    match function:
        case Function.MIN | Function.MAX:
            return (min if function is Function.MIN else max)(known) if known else None
        case Function.COALESCE:
            return known[0] if known else None
        case Function.RATIO:
            value = _applied("/", told[0], told[1])
            return value if value is not None or len(told) < 3 else told[2]
        case Function.ABS:
            return None if told[0] is None else abs(told[0])
        case Function.ROUND:
            if told[0] is None:
                return None
            scale = 10.0 ** int(told[1] or 0 if len(told) > 1 else 0)
            scaled = told[0] * scale
            return round(scaled) / scale if abs(scaled) < 2.0**52 else told[0]
