"""From the text of an intrinsic function to its name and arguments."""

from dataclasses import dataclass
from functools import lru_cache

from footfall.states.path_grammar import PATHS_KEPT, Path, path_at
from footfall.states.scanning import Scanner
from footfall.states.values import Json

NESTING_MAX = 10  # Step Functions: intrinsic functions inside each other.
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that is written out; a text still has its backslashes, which only Format reads otherwise."""

    value: Json


@dataclass(frozen=True, slots=True)
class Call:
    """A function by its name, and what it is given."""

    name: str
    arguments: "tuple[Argument, ...]"


Argument = Literal | Path | Call


@lru_cache(maxsize=PATHS_KEPT)
def call_from_text(text: str) -> Call:
    """Return the call that the text is; raise Unreadable."""
    scanner = Scanner(text)
    call = _call(scanner, depth=1)
    if not scanner.is_at_end():
        raise scanner.unreadable("nothing more is expected here")
    return call


def _call(scanner: Scanner, *, depth: int) -> Call:
    if depth > NESTING_MAX:
        raise scanner.unreadable(f"functions stand at most {NESTING_MAX} deep in each other")
    name = scanner.run_of(until="(), '$")
    scanner.require("(")
    scanner.skip_spaces()
    arguments: list[Argument] = []
    if not scanner.next_is(")"):
        arguments.append(_argument(scanner, depth))
        while scanner.took(","):
            arguments.append(_argument(scanner, depth))
    scanner.require(")")
    scanner.skip_spaces()
    return Call(name, tuple(arguments))


def _argument(scanner: Scanner, depth: int) -> Argument:
    scanner.skip_spaces()
    found: Argument
    if scanner.next_is("$"):
        found = path_at(scanner)
    elif scanner.next_is("'"):
        found = Literal(_text(scanner))
    elif scanner.next_is("States."):
        found = _call(scanner, depth=depth + 1)
    else:
        found = Literal(_word_or_number(scanner))
    scanner.skip_spaces()
    return found


def _text(scanner: Scanner) -> str:
    r"""Return the text between quotes as it stands, `\{` included: Format has to tell it from a place to fill."""
    begin = scanner.at + 1
    scanner.quoted()
    return scanner.text[begin : scanner.at - 1]


def _word_or_number(scanner: Scanner) -> Json:
    for word, value in _WORDS.items():
        if scanner.took(word):
            return value
    return scanner.number()
