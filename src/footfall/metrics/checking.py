"""Whether a formula makes sense among the other metrics: names that exist, no circle, units that go together."""

from collections.abc import Callable, Collection, Mapping, Sequence

from footfall.metrics.circles import after_needs
from footfall.metrics.definition import Definition
from footfall.metrics.formula import Binary, Call, Function, Metric, Negated, Node, Number, Shift, text_of, walk
from footfall.metrics.grammar import MalformedFormula
from footfall.metrics.units import LIMITS, PLAIN, Unit, unit_from
from footfall.values.errors import Refused

DEPTH_MAX = 20  # of metrics that are computed from metrics
NEEDED_MAX = 400  # metrics below one, with all that those need

Lookup = Callable[[str], Definition | None]
KnownKinds = Mapping[str, Collection[str]]  # by dimension: the kinds that there are


class UnknownMetric(Refused):
    """A formula or a chain names a metric that is not in the catalogue; `at` is the character, where it is known."""

    def __init__(self, field: str, reason: str, *, at: int | None = None) -> None:
        super().__init__(field, reason)
        self.at = at

    @property
    def more(self) -> Mapping[str, object]:
        """Return where in the formula it is."""
        return {} if self.at is None else {"at": self.at}


class CircularMetric(Refused):
    """A metric would be computed from itself; the path says how."""

    def __init__(self, field: str, path: Sequence[str]) -> None:
        super().__init__(field, f"would be computed from itself: {' -> '.join(path)}")
        self.path = tuple(path)

    @property
    def more(self) -> Mapping[str, object]:
        """Return from which metric to which the circle goes."""
        return {"path": list(self.path)}


def checked_unit(definition: Definition, lookup: Lookup, *, written: Node | None = None) -> Unit:
    """Return the unit of a metric, having checked all that it needs, or raise Refused.

    `written` is the formula as somebody wrote it, so that a refusal points at the character they see.
    """
    _require_no_circle(definition, lookup, written)
    units = Units(lambda name: definition if name == definition.name else lookup(name))
    formula = written if written is not None or not definition.is_hybrid else definition.formula
    unit = units.of(definition) if formula is None else units.of_formula(formula)
    if definition.is_hybrid and definition.unit and unit_from(definition.unit) != unit:
        raise MalformedFormula(f"is said to be {definition.unit}, and the formula gives {unit}", 1, field="unit")
    if definition.chained_metric is not None:
        chained = lookup(definition.chained_metric)
        assert chained is not None, "it was found when circles were looked for"
        if units.of(chained) != unit:
            raise Refused("chainedMetric", f"{chained.name!r} is in {units.of(chained)}, and this metric in {unit}")
        if chained.aggregation_style is not definition.aggregation_style:
            raise Refused(
                "chainedMetric",
                f"{chained.name!r} is aggregated by {chained.aggregation_style}, this one by "
                f"{definition.aggregation_style}: a period across the cutoff would be neither",
            )
    return unit


def require_known_kinds(definition: Definition, before: Definition | None, known: KnownKinds) -> None:
    """Raise where a condition names a kind that nothing will ever have; what was saved before may stay."""
    saved = _conditions(before)
    for dimension, values in _conditions(definition).items():
        for value in values:
            if dimension in known and value not in known[dimension] and value not in saved.get(dimension, ()):
                reason = f"{value[:40]!r} is not a kind here; those are {', '.join(known[dimension])}"
                raise Refused(f"source.where.{dimension}", reason)


def _conditions(definition: Definition | None) -> Mapping[str, Sequence[str]]:
    return {} if definition is None or definition.source is None else definition.source.where


def is_sound(definition: Definition | None, lookup: Lookup) -> bool:
    """Tell whether a metric that was saved would be saved as it is once more; one that is gone harms nobody."""
    try:
        return definition is None or str(checked_unit(definition, lookup)) == definition.unit
    except Refused:
        return False


class Units:
    """The units of metrics, each worked out once."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._known: dict[str, Unit] = {}

    def of(self, definition: Definition) -> Unit:
        """Return the unit of a metric's values."""
        if definition.name not in self._known:
            # What was saved says its unit: formulas are not gone down into through all that they are made of.
            is_told = bool(definition.unit) or not definition.is_hybrid
            unit = unit_from(definition.unit) if is_told else self.of_formula(definition.formula)
            self._known[definition.name] = unit
        return self._known[definition.name]

    def of_formula(self, formula: Node) -> Unit:
        """Return the unit of what a formula gives, or raise MalformedFormula."""
        unit = self._of_node(formula) or PLAIN
        if not unit.is_readable:  # Nobody could use such a metric in a formula, or save it again.
            raise MalformedFormula(f"gives a unit with {LIMITS}: {str(unit)[:60]}", formula.at)
        return unit

    def _of_node(self, node: Node) -> Unit | None:
        """Return the unit of a formula; None: it is nothing but zeros, which are zero of anything."""
        match node:
            case Number(value=value, unit=unit):
                return None if value == 0 and unit.is_plain else unit
            case Metric(name=name):
                found = self._lookup(name)
                assert found is not None, "unknown names were refused before"
                return self.of(found)
            case Negated(operand=operand) | Shift(operand=operand):
                return self._of_node(operand)
            case Binary(sign="+" | "-", left=left, right=right):
                return self._same((left, right), node)
            case Binary(sign=sign, left=left, right=right):
                above, below = self._of_node(left) or PLAIN, self._of_node(right) or PLAIN
                return above.times(below) if sign == "*" else above.per(below)
            case Call(function=function, arguments=arguments):
                return self._of_call(function, arguments, node)

    def _of_call(self, function: Function, arguments: Sequence[Node], node: Node) -> Unit | None:
        if function is Function.RATIO:
            above, below, *default = arguments
            unit = (self._of_node(above) or PLAIN).per(self._of_node(below) or PLAIN)
            for one in default:
                self._require_same(unit, self._of_node(one), one, node)
            return unit
        if function is Function.ROUND:
            return self._of_node(arguments[0])
        return self._same(arguments, node)

    def _same(self, operands: Sequence[Node], node: Node) -> Unit | None:
        unit: Unit | None = None
        for one in operands:
            other = self._of_node(one)
            if unit is not None:
                self._require_same(unit, other, one, node, first=operands[0])
            unit = unit if other is None else other
        return unit

    def _require_same(
        self, unit: Unit, other: Unit | None, operand: Node, node: Node, *, first: Node | None = None
    ) -> None:
        if other is None or other == unit:
            return
        told = f"puts {unit} and {other} together: {text_of(operand)[:60]} is in {other}"
        for bare, meant in ((operand, unit), (first, other)):
            if isinstance(bare, Number) and bare.unit.is_plain and not meant.is_plain:
                told += f"; if it is meant so, write {text_of(bare)}[{meant}]"
        raise MalformedFormula(told, operand.at or node.at)


def _require_no_circle(definition: Definition, lookup: Lookup, written: Node | None) -> None:
    """Raise when a metric needs itself, needs one that is not there, or needs too many."""
    done: set[str] = set()

    def enter(path: Sequence[str]) -> Sequence[str]:
        if len(path) == 1:
            return definition.needed_metrics
        found = lookup(path[-1])
        if found is None:
            raise _unknown(definition, path[-1], written)
        if len(path) > DEPTH_MAX or len(done) > NEEDED_MAX:
            raise Refused("hybridFormula", f"needs metrics more than {DEPTH_MAX} deep, or more than {NEEDED_MAX}")
        return found.needed_metrics

    def refuse(circle: Sequence[str]) -> None:
        raise CircularMetric(_field_of(definition, circle), circle)

    for _ in after_needs(definition.name, enter, done=done, on_circle=refuse):
        pass


def _field_of(definition: Definition, circle: Sequence[str]) -> str:
    return "chainedMetric" if circle[1] == definition.chained_metric else "hybridFormula"


def _unknown(definition: Definition, name: str, written: Node | None) -> Refused:
    if not definition.is_hybrid or name not in definition.consumed_metrics:
        return UnknownMetric("chainedMetric", f"there is no metric {name!r}")
    places = [one.at for one in walk(written or definition.formula) if isinstance(one, Metric) and one.name == name]
    if not places:
        return UnknownMetric("hybridFormula", f"needs {name!r}, and there is no such metric")
    at = min(places)
    return UnknownMetric("hybridFormula", f"there is no metric {name!r} (character {at})", at=at)
