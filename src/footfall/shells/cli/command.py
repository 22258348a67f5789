"""What a command is, declared as data, so that parser, help and reference page say the same."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TextIO

from footfall.accounts.brands import require_brand_name
from footfall.accounts.origins import require_origin
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused
from footfall.values.window import moment_from_text, zone_named

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

DEFAULT_URL = "http://127.0.0.1:8080"
ANY_ORIGIN = "any"
INTERRUPTED = 130  # What shells expect of a program that was stopped with Ctrl-C.
WIDTH_WITHOUT_TERMINAL = 1_000  # A pipe has no edge, so nothing is folded or cut for it.


class Exit(IntEnum):
    """How a command ended, as its caller's shell sees it."""

    OK = 0
    FAILED = 1
    USAGE = 2
    UNREACHABLE = 3
    REFUSED = 4


EXIT_MEANINGS: Mapping[int, str] = MappingProxyType(
    {
        Exit.OK: "it was done",
        Exit.FAILED: "it failed",
        Exit.USAGE: "the command or a setting is wrong; nothing was started",
        Exit.UNREACHABLE: "no server answers",
        Exit.REFUSED: "the server refused it, or some of it",
        INTERRUPTED: "it was stopped with Ctrl+C",
    }
)


class WrongUsage(FootfallError):
    """The arguments are each fine but make no sense together."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a command has around it: where it reads and writes, the time, and chance."""

    out: TextIO
    err: TextIO
    stdin: BinaryIO
    variables: Mapping[str, str]
    clock: Clock
    pause: Callable[[float], None]
    new_key: Callable[[], str]

    def say(self, text: str) -> None:
        """Write one line to the output."""
        print(text, file=self.out, flush=True)

    def complain(self, text: str) -> None:
        """Write one sentence to the error output."""
        print(text, file=self.err, flush=True)

    def console(self, *, err: bool = False) -> "Console":
        """Return a console that draws on the output, without colours unless it is a terminal."""
        from rich.console import Console  # Neither a server nor a version draws anything.

        stream = self.err if err else self.out
        width = None if stream.isatty() else WIDTH_WITHOUT_TERMINAL
        return Console(file=stream, width=width, highlight=False, soft_wrap=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """One flag or position of a command."""

    name: str
    says: str
    shows: str = ""
    reads: Callable[[str], Any] = str
    default: object = None
    choices: tuple[str, ...] = ()
    required: bool = False
    repeated: bool = False
    is_switch: bool = False
    may_be_absent: bool = False

    @property
    def is_flag(self) -> bool:
        """Tell whether it is given by name rather than by position."""
        return self.name.startswith("-")


Run = Callable[[argparse.Namespace, Surroundings], int]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it is for, examples to copy, what it takes, and the function that does it."""

    name: str
    says: str
    example: str
    run: Run
    arguments: tuple[Argument, ...] = field(default=())
    tells: str = ""  # What its help says beyond the first sentence.
    more_examples: tuple[str, ...] = ()
    exits: Mapping[int, str] = field(default_factory=dict[int, str])  # Where a code means something of its own.

    @property
    def examples(self) -> tuple[str, ...]:
        """Return every example, the plainest first."""
        return (self.example, *self.more_examples)

    @property
    def exit_meanings(self) -> Mapping[int, str]:
        """Return what each exit code that this command can end with means for it."""
        possible = {Exit.OK, Exit.USAGE, INTERRUPTED, *self.exits}
        if URL in self.arguments:
            possible |= {Exit.FAILED, Exit.UNREACHABLE, Exit.REFUSED}
        if DATA in self.arguments:
            possible.add(Exit.FAILED)
            # Whoever asks about one brand may be told that there is none; a server is told its brands.
            if any(one.name in ("brand", "--brand") and not one.repeated for one in self.arguments):
                possible.add(Exit.REFUSED)
        return {code: meaning for code, meaning in {**EXIT_MEANINGS, **self.exits}.items() if code in possible}


def brand_name(text: str) -> str:
    """Return the name of a brand that an argument has."""
    return _required(text, require_brand_name)


def origin(text: str) -> str:
    """Return the origin of pages that an argument has, or the word that stands for all."""
    return text if text == ANY_ORIGIN else _required(text, require_origin)


def zone(text: str) -> str:
    """Return the time zone that an argument names."""
    return _required(text, zone_named)


def _required(text: str, require: Callable[[str], object]) -> str:
    try:
        require(text)
    except Refused as refused:
        raise argparse.ArgumentTypeError(refused.reason) from refused
    return text


URL = Argument("--url", "The address of the server.", shows="URL", default=DEFAULT_URL)
BRAND = Argument("--brand", "The brand.", shows="BRAND", required=True, reads=brand_name)
DATA = Argument("--data", "The directory that holds the server's data; ./data unless it is set.", shows="DIR")
CONFIG = Argument("--config", "A settings file; else DIR/footfall.toml when it exists.", shows="FILE")
JSON = Argument("--json", "Print the answer as JSON.", is_switch=True)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where the help is, and leave."""
        self.exit(Exit.USAGE, f"{self.prog}: {message}; see {self.prog} --help.\n")


def add_argument(parser: argparse.ArgumentParser, argument: Argument) -> None:
    """Teach the parser one argument."""
    says = _told(argument).replace("%", "%%")
    if argument.is_switch:
        parser.add_argument(argument.name, help=says, action="store_true")
        return
    options: dict[str, Any] = {"help": says, "type": argument.reads, "default": argument.default}
    if argument.choices:
        options["choices"] = argument.choices
    if argument.shows:
        options["metavar"] = argument.shows
    if argument.repeated:
        options |= {"action": "append", "default": []} if argument.is_flag else {"nargs": "+"}
    if argument.is_flag:
        options["required"] = argument.required
    elif argument.may_be_absent:
        options["nargs"] = "*" if argument.repeated else "?"
    parser.add_argument(argument.name, **options)


def _told(argument: Argument) -> str:
    """Return what the help says of an argument: what it is for, and what holds when it is absent."""
    default = argument.default
    if default in (None, "") or argument.is_switch or argument.repeated:
        return argument.says
    shown = f"{default:g}" if isinstance(default, float) else str(default)
    return f"{argument.says} [default: {shown}]"


def moment(text: str) -> int:
    """Return the moment that an argument names, in milliseconds."""
    try:
        return moment_from_text(text)
    except Refused as refused:
        raise argparse.ArgumentTypeError(refused.reason) from refused


def above_zero(text: str) -> float:
    """Return the number of an argument that must be above zero."""
    number = _number(text)
    if not 0 < number <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} must be above 0 and at most 1,000,000")
    return number


def whole_from(lowest: int, highest: int) -> Callable[[str], int]:
    """Return a reader of whole numbers between two bounds."""

    def read(text: str) -> int:
        number = _number(text)
        if number != int(number) or not lowest <= number <= highest:
            raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from {lowest:,} to {highest:,}")
        return int(number)

    return read


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if number != number or abs(number) == float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return number


def printable(value: object) -> "Text":
    """Return a value as text that cannot steer the terminal, whoever sent it."""
    from rich.text import Text

    text = "" if value is None else str(value)
    return Text("".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text))
