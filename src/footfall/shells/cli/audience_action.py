"""What an action of `footfall audience` is; each part of the audience has some."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from rich.table import Table

from footfall.shells.cli.command import Surroundings, WrongUsage, printable

if TYPE_CHECKING:
    from footfall.app.audience_opening import Audience
    from footfall.audience.things import Thing

Act = Callable[["Audience", argparse.Namespace, Surroundings], int]


@dataclass(frozen=True, slots=True)
class Action:
    """An action: what is typed, what it is for, and the function that does it."""

    name: str
    takes: str  # the things that follow its name
    says: str
    run: Act

    @property
    def usage(self) -> str:
        """Return how it is typed."""
        return f"{self.name} {self.takes}".rstrip()


def things_of(audience: "Audience", arguments: argparse.Namespace, *names: str) -> list["Thing"]:
    """Return as many things as an action needs, or raise WrongUsage."""
    given: Sequence[str] = arguments.things or ()
    if len(given) != len(names):
        raise WrongUsage(f"{arguments.action} takes {' and '.join(names) or 'nothing'}, and {len(given)} were given.")
    return [audience.kinds.thing_from(text, field=name.lower()) for text, name in zip(given, names, strict=True)]


def ids_of(audience: "Audience", arguments: argparse.Namespace, *kinds: str) -> list[str]:
    """Return the ids of things that must be of these kinds."""
    found = things_of(audience, arguments, *(kind.upper() for kind in kinds))
    for thing, kind in zip(found, kinds, strict=True):
        if thing.kind != kind:
            raise WrongUsage(f"{thing} is no {kind}; name one as in {kind}:42.")
    return [thing.id for thing in found]


def say_json(document: object, around: Surroundings) -> None:
    """Print an answer for programs."""
    around.say(msgspec.json.encode(document).decode())


def say_rows(rows: Sequence[Mapping[str, Any]], around: Surroundings, *columns: str, nothing: str) -> None:
    """Print rows for people."""
    if not rows:
        around.say(nothing)
        return
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(printable(str(row.get(column, ""))) for column in columns))
    around.console().print(table)


def say_more(answer: Mapping[str, Any], around: Surroundings) -> None:
    """Tell where a list goes on."""
    if answer.get("after"):
        around.say(f"There is more: --after {answer['after']}")
