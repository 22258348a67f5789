"""From the text of a path to its steps. The subset of JSONPath that the language publishes, filters included."""

from dataclasses import dataclass
from functools import lru_cache

from footfall.states.scanning import Scanner, Unreadable
from footfall.states.values import Json

PATHS_KEPT = 4_096  # Parsed paths in memory; a machine has some dozens.
_NAME_ENDS = ".[]()*?,'\"@ \t=<>!&|"
_COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Member:
    """The value under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """The value at a place of an array, from the end when negative."""

    place: int


@dataclass(frozen=True, slots=True)
class Several:
    """The values at several places or under several names."""

    steps: "tuple[Member | Element, ...]"


@dataclass(frozen=True, slots=True)
class Slice:
    """The values between two places of an array."""

    begin: int | None
    end: int | None
    step: int | None


@dataclass(frozen=True, slots=True)
class Every:
    """Every value of an array or an object."""


@dataclass(frozen=True, slots=True)
class Deep:
    """The value itself and everything below it; the next step is taken from each."""


@dataclass(frozen=True, slots=True)
class Where:
    """The values of an array that a condition holds for."""

    condition: "Condition"


Step = Member | Element | Several | Slice | Every | Deep | Where


@dataclass(frozen=True, slots=True)
class Path:
    """Where to look: in the context object or in the data, and step by step from there."""

    in_context: bool
    steps: tuple[Step, ...]
    is_definite: bool  # One value or none; any other path gives a list.


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that is written in a filter."""

    value: Json


@dataclass(frozen=True, slots=True)
class Here:
    """A path from the element that a filter looks at."""

    path: Path


Operand = Literal | Here | Path


@dataclass(frozen=True, slots=True)
class Compared:
    """Two operands and how they are compared; without a comparison: whether the first exists."""

    left: Operand
    how: str = ""
    right: Operand | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """Conditions of which all (&&) or any (||) hold."""

    how: str
    conditions: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Inverted:
    """A condition that does not hold."""

    condition: "Condition"


Condition = Compared | Joined | Inverted


@lru_cache(maxsize=PATHS_KEPT)
def path_from_text(text: str) -> Path:
    """Return the path that the text is; raise Unreadable."""
    scanner = Scanner(text)
    path = path_at(scanner)
    if not scanner.is_at_end():
        raise scanner.unreadable("nothing more is expected here")
    return path


@lru_cache(maxsize=PATHS_KEPT)
def reference_from_text(text: str) -> Path:
    """Return the reference path that the text is: one that can be written to; raise Unreadable."""
    path = path_from_text(text)
    if path.in_context or not path.is_definite or any(isinstance(s, Element) and s.place < 0 for s in path.steps):
        raise Unreadable(f"{text!r} is not a reference path: it has to name exactly one place of the data")
    return path


def path_at(scanner: Scanner) -> Path:
    """Return the path that comes next, and go past it."""
    in_context = scanner.took("$$")
    if not in_context:
        scanner.require("$")
    return _path_from(scanner, in_context=in_context)


def _path_from(scanner: Scanner, *, in_context: bool) -> Path:
    steps: list[Step] = []
    while scanner.next_is(".", "["):
        steps.extend(_steps_at(scanner))
    is_definite = all(isinstance(step, Member | Element) for step in steps)
    return Path(in_context, tuple(steps), is_definite)


def _steps_at(scanner: Scanner) -> list[Step]:
    if scanner.took(".."):
        if scanner.next_is("["):
            return [Deep(), _bracketed(scanner)]
        return [Deep(), _named(scanner)]
    if scanner.took("."):
        return [_named(scanner)]
    return [_bracketed(scanner)]


def _named(scanner: Scanner) -> Step:
    if scanner.took("*"):
        return Every()
    name = scanner.run_of(until=_NAME_ENDS)
    if not name:
        raise scanner.unreadable("a name is missing")
    return Member(name)


def _bracketed(scanner: Scanner) -> Step:
    scanner.require("[")
    scanner.skip_spaces()
    if scanner.took("*"):
        step: Step = Every()
    elif scanner.took("?"):
        scanner.skip_spaces()
        scanner.require("(")
        step = Where(_any_of(scanner))
        scanner.require(")")
    elif scanner.next_is("'", '"'):
        step = _names(scanner)
    else:
        step = _places(scanner)
    scanner.skip_spaces()
    scanner.require("]")
    return step


def _names(scanner: Scanner) -> Step:
    names = [Member(scanner.quoted())]
    scanner.skip_spaces()
    while scanner.took(","):
        scanner.skip_spaces()
        if not scanner.next_is("'", '"'):
            raise scanner.unreadable("a quoted name is missing")
        names.append(Member(scanner.quoted()))
        scanner.skip_spaces()
    return names[0] if len(names) == 1 else Several(tuple(names))


def _places(scanner: Scanner) -> Step:
    inside = scanner.run_of(until="]")
    try:
        if ":" in inside:
            parts = [int(part) if part.strip() else None for part in inside.split(":")]
            begin, end, step = (*parts, None, None)[:3] if len(parts) <= 3 else (None, None, 0)
            if step == 0:
                raise scanner.unreadable(f"{inside!r} is not a slice")
            return Slice(begin, end, step)
        places = [Element(int(part)) for part in inside.split(",")]
    except ValueError as error:
        raise scanner.unreadable(f"{inside!r} is neither a place nor a slice") from error
    return places[0] if len(places) == 1 else Several(tuple(places))


def _any_of(scanner: Scanner) -> Condition:
    found = [_all_of(scanner)]
    while scanner.took("||"):
        found.append(_all_of(scanner))
    return found[0] if len(found) == 1 else Joined("||", tuple(found))


def _all_of(scanner: Scanner) -> Condition:
    found = [_condition(scanner)]
    while scanner.took("&&"):
        found.append(_condition(scanner))
    return found[0] if len(found) == 1 else Joined("&&", tuple(found))


def _condition(scanner: Scanner) -> Condition:
    scanner.skip_spaces()
    if scanner.next_is("!") and not scanner.next_is("!="):
        scanner.require("!")
        return Inverted(_condition(scanner))
    if scanner.took("("):
        inner = _any_of(scanner)
        scanner.require(")")
        scanner.skip_spaces()
        return inner
    left = _operand(scanner)
    scanner.skip_spaces()
    for how in _COMPARISONS:
        if scanner.took(how):
            scanner.skip_spaces()
            right = _operand(scanner)
            scanner.skip_spaces()
            return Compared(left, how, right)
    if isinstance(left, Literal):
        raise scanner.unreadable("a comparison is missing")
    return Compared(left)


def _operand(scanner: Scanner) -> Operand:
    if scanner.took("@"):
        return Here(_path_from(scanner, in_context=False))
    if scanner.next_is("$"):
        return path_at(scanner)
    if scanner.next_is("'", '"'):
        return Literal(scanner.quoted())
    for word, value in _WORDS.items():
        if scanner.took(word):
            return Literal(value)
    return Literal(scanner.number())
