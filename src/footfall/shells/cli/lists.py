"""`footfall lists`: the lists that the door goes by: networks of data centres, spammers' domains, countries."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.table import Table

from footfall.screening.lists import FILE_BYTES_MAX, ListKind, list_from_text, require_kind
from footfall.shells.cli.asking import ask, settings_of
from footfall.shells.cli.command import (
    CONFIG,
    DATA,
    JSON,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    printable,
)
from footfall.values.errors import FootfallError, Refused

ACTIONS: Final = ("update", "remove", "show", "history")


class WhichFile(WrongUsage):
    """The arguments do not say which file is meant."""


class FileUnreadable(FootfallError):
    """A list's file is not there, too large, or no text."""


def lists(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with the lists."""
    if (arguments.file is None) == (arguments.action == "update"):
        raise WhichFile("Only update takes a FILE, and it needs one.")
    if arguments.action == "remove" and arguments.kind is None:
        raise WhichFile("remove needs --kind, to say which list.")
    request = _requests(arguments)
    answer = ask(settings_of(arguments, around, may_be_new=True), request, on_progress=lambda _share: None)
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
    elif arguments.action == "update":
        around.say(f"{answer['list']} has {answer['entries']:,} entries now (version {answer['version']}).")
        around.say("It acts on hits that arrive from now on.")
    elif arguments.action == "remove":
        around.say(f"{answer['list']} is empty now (version {answer['version']}): it labels no hit from now on.")
    elif arguments.action == "show":
        _show(answer["lists"], ("list", "version", "entries", "changedAt", "by"), around)
    else:
        acts = [{**one, **one["details"]} for one in answer["items"]]
        _show(acts, ("at", "by", "subject", "version", "entries"), around)
    return Exit.OK


def text_of(path: Path) -> str:
    """Return the text of a file, or raise FileUnreadable."""
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            raise FileUnreadable(f"{path} has more than {FILE_BYTES_MAX:,} bytes; leave out what you do not need.")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise FileUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FileUnreadable(f"{path} is not a text in UTF-8 (byte {error.start}).") from error


def _requests(arguments: argparse.Namespace) -> Mapping[str, Any]:
    if arguments.action == "remove":
        return {"do": "lists-remove", "kind": arguments.kind}
    if arguments.action != "update":
        return {"do": "lists-show" if arguments.action == "show" else "lists-history-show"}
    from footfall.app.rules_control import request_from_content

    path = Path(arguments.file)
    kind = None if arguments.kind is None else require_kind(arguments.kind)
    try:
        return request_from_content(list_from_text(text_of(path), kind=kind))
    except Refused as refused:
        raise Refused(path.name, refused.reason) from refused


def _show(rows: Sequence[Mapping[str, Any]], columns: tuple[str, ...], around: Surroundings) -> None:
    if not rows:
        around.say("There are none; footfall lists update FILE brings one.")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for one in rows:
        table.add_row(*(printable(one.get(column)) for column in columns))
    around.console().print(table)


COMMAND = Command(
    name="lists",
    says="Bring the lists that the door goes by up to date, or show which there are.",
    example="footfall lists update data-centres.txt --data data",
    more_examples=(
        "footfall lists remove --kind countries --data data",
        "footfall lists show --data data",
        "footfall lists history --data data",
    ),
    run=lists,
    tells="A FILE has one entry a line: a network (203.0.113.0/24) for data centres, a domain for spammers, a network\n"
    "and a country (203.0.113.0/24,FI) for countries; # begins a comment. Its first line tells which list it is.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("file", "The file with the new list.", shows="FILE", may_be_absent=True),
        Argument("--kind", "Which list, when no first line of a file tells.", choices=tuple(ListKind)),
        DATA,
        CONFIG,
        JSON,
    ),
    exits={Exit.REFUSED: "a line of the file is not what it should be"},
)
