"""From a formula's text to its tree, by a grammar; what cannot be read is refused with the character it begins at."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.exceptions import VisitError

from footfall.metrics.formula import (
    Binary,
    Calendar,
    Call,
    Function,
    Metric,
    Negated,
    Node,
    Number,
    Shift,
    Sign,
    operands,
)
from footfall.metrics.names import in_one_form
from footfall.metrics.units import ImpossibleUnit, unit_from
from footfall.values.errors import Refused

FORMULA_CHARACTERS_MAX = 1_000  # Read within some milliseconds, whatever they are.
DEPTH_MAX = 200  # A sum of so many terms is one; a person loses count long before.
SHIFT_MAX = 1_000

# People type the signs of a keyboard and those of a book.
GRAMMAR = r"""
?start: sum
?sum: product | sum PLUS product -> binary | sum MINUS product -> binary
?product: negated | product TIMES negated -> binary | product DIVIDED negated -> binary
?negated: atom | MINUS negated -> negation
?atom: NUMBER [UNIT] -> number
     | NAME -> plain
     | QUOTED -> quoted
     | NAME "(" [sum ("," sum)*] ")" -> call
     | SHIFT "(" sum "," [MINUS] NUMBER NAME ")" -> shift
     | "(" sum ")"
SHIFT.2: /shift(?=\s*\()/
PLUS: "+"
MINUS: "-" | "−" | "–"
TIMES: "*" | "×" | "·"
DIVIDED: "/" | "÷"
NUMBER: /\d+(\.\d+)?([eE][+-]?\d+)?/
NAME: /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*/
QUOTED: /"(?:[^"\\]|\\["\\])*"/
UNIT: /\[[^\[\]]*\]/
%ignore /\s+/
"""  # noqa: RUF001
_SIGNS: dict[str, Sign] = {"+": "+", "-": "-", "−": "-", "–": "-", "*": "*", "×": "*", "·": "*", "/": "/", "÷": "/"}  # noqa: RUF001 - the signs that people type
_ARITY = {
    Function.MIN: (1, 20), Function.MAX: (1, 20), Function.COALESCE: (1, 20), Function.RATIO: (2, 3),
    Function.ABS: (1, 1), Function.ROUND: (1, 2),
}  # fmt: skip
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CALL = re.compile(r'"(?:[^"\\]|\\["\\])*"|([A-Za-z_][A-Za-z0-9_.]*)\s*\(')  # or a name between quotes, which is none


class MalformedFormula(Refused, ValueError):
    """A formula cannot be read, or says what cannot be; `at` is the character, counted from 1."""

    def __init__(self, reason: str, at: int, *, field: str = "hybridFormula") -> None:
        super().__init__(field, f"{reason} (character {at})")
        self.at = at

    @property
    def more(self) -> Mapping[str, object]:
        """Return where in the formula it is."""
        return {"at": self.at}


def formula_from(text: str) -> Node:
    """Return the tree of a formula, or raise MalformedFormula."""
    if not text.strip():
        raise MalformedFormula("is empty; write one such as hits / visitors", 1)
    if len(text) > FORMULA_CHARACTERS_MAX:
        raise MalformedFormula(f"has {len(text):,} characters, at most {FORMULA_CHARACTERS_MAX:,} are read",
                               FORMULA_CHARACTERS_MAX + 1)  # fmt: skip
    try:
        root = _reader()(text)
    except VisitError as error:
        if isinstance(error.orig_exc, MalformedFormula):
            raise error.orig_exc from None
        raise
    except UnexpectedInput as error:
        raise _malformed(error, text) from None
    _require_shallow(root)
    return root


def _require_shallow(root: Node) -> None:
    """Raise for a tree that whoever goes down into it would not come back from."""
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > DEPTH_MAX:
            raise MalformedFormula(f"has more than {DEPTH_MAX} signs, calls and values in each other", level[0].at)
        level = [below for node in level for below in operands(node)]


def _malformed(error: UnexpectedInput, text: str) -> MalformedFormula:
    at = error.pos_in_stream
    if isinstance(error, UnexpectedCharacters) and at is not None:
        found = text[at]
        if found == '"':
            return MalformedFormula("has a quote that does not end", at + 1)
        return MalformedFormula(f"has {found!r}, which is no part of a formula", at + 1)
    if isinstance(error, UnexpectedToken) and at is not None:
        token = cast("Token", error.token)  # pyright: ignore[reportUnknownMemberType] - the library leaves it untyped
        if (unknown := _unknown_call(text[:at])) is not None:
            return _no_such_function(unknown[1], unknown.start(1) + 1)
        if token.type != "$END":
            return MalformedFormula(f"has {token[:40]!r} where {_expected(error)} should stand", at + 1)
    return MalformedFormula("ends too early", len(text) + 1)


def _unknown_call(text: str) -> re.Match[str] | None:
    """Return the first call in a text of something that there is not: what stands within it may be anything."""
    return next((one for one in _CALL.finditer(text) if one[1] and one[1] not in {*Function, "shift"}), None)


def _no_such_function(name: str, at: int) -> MalformedFormula:
    known = [*(one.value for one in Function), "shift"]
    meant = f" (write {name.lower()})" if name.lower() in known else ""
    return MalformedFormula(f"calls {name!r}{meant}; there are {', '.join(known)}", at)


def _expected(error: UnexpectedToken) -> str:
    return "a value" if "NUMBER" in error.accepts else "a sign or the end"


class _Tree(Transformer[Token, Node]):
    """Makes nodes while the text is read."""

    def binary(self, parts: Sequence[Any]) -> Node:
        left, sign, right = parts
        return Binary(_SIGNS[sign], left, right, _at(sign))

    def negation(self, parts: Sequence[Any]) -> Node:
        sign, operand = parts
        return Negated(operand, _at(sign))

    def number(self, parts: Sequence[Any]) -> Node:
        written, unit = parts
        value = float(written)
        if not math.isfinite(value):
            raise MalformedFormula(f"has {str(written)[:40]}, which is too large", _at(written))
        if unit is None:
            return Number(value, at=_at(written))
        try:
            return Number(value, unit_from(unit[1:-1], field="hybridFormula"), _at(written))
        except ImpossibleUnit as error:
            raise MalformedFormula(error.what, _at(unit) + error.at) from None  # behind the bracket

    def plain(self, parts: Sequence[Token]) -> Node:
        return Metric(str(parts[0]), _at(parts[0]))

    def quoted(self, parts: Sequence[Token]) -> Node:
        return Metric(in_one_form(_ESCAPED.sub(r"\1", parts[0][1:-1])), _at(parts[0]))

    def call(self, parts: Sequence[Any]) -> Node:
        name, *arguments = parts
        given = tuple(one for one in arguments if one is not None)
        if name not in set(Function):
            raise _no_such_function(str(name), _at(name))
        function = Function(str(name))
        least, most = _ARITY[function]
        if not least <= len(given) <= most:
            number = str(least) if least == most else f"{least} to {most}"
            raise MalformedFormula(f"gives {function} {len(given)} values, it takes {number}", _at(name))
        if function is Function.ROUND and len(given) > 1 and not _is_digits(given[1]):
            raise MalformedFormula("rounds to digits that are not a whole number from 0 to 15", _at(name))
        return Call(function, given, _at(name))

    def shift(self, parts: Sequence[Any]) -> Node:
        word, operand, minus, count, calendar = parts
        kind = str(calendar).removesuffix("s")
        if kind not in set(Calendar):
            known = ", ".join(Calendar)
            raise MalformedFormula(f"shifts by {str(calendar)[:40]!r}; there are {known}", _at(calendar))
        if not count.isdecimal() or int(count) > SHIFT_MAX:
            raise MalformedFormula(f"shifts by {str(count)[:40]}: it must be whole and at most {SHIFT_MAX}", _at(count))
        return Shift(operand, -int(count) if minus else int(count), Calendar(kind), _at(word))


def _is_digits(node: Node) -> bool:
    return isinstance(node, Number) and node.value in range(16) and node.unit.is_plain


def _at(token: Token) -> int:
    return (token.start_pos or 0) + 1


@cache
def _reader() -> Callable[[str], Node]:
    """Return what reads a formula; it takes a while to make, and whoever only shows metrics reads none."""
    parser = Lark(GRAMMAR, parser="lalr", transformer=_Tree(), maybe_placeholders=True)
    return cast("Callable[[str], Node]", parser.parse)  # pyright: ignore[reportUnknownMemberType] - as its transformer makes it
