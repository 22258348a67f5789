"""`footfall workflows`: the executions of state machines: which there are, where one is, and what happened to it."""

import argparse
from typing import Any, Final

import msgspec
from rich.table import Table

from footfall.app.settings import Settings
from footfall.app.workflow_control import listed, workflows_file, workflows_of
from footfall.ports.workflow import PAGE_MAX, Happened, Standing
from footfall.shells.cli.asking import require_directory, settings_of
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
    whole_from,
)
from footfall.shells.cli.workflow_picture import LEGEND, Whereabouts, picture
from footfall.states.execution import Status
from footfall.states.timestamps import timestamp_of

ACTIONS: Final = ("list", "show", "history", "retry", "stop")
LIMIT_DEFAULT = 50
DATA_SHOWN_CHARACTERS = 200  # Of what a state gave; --json has all of it.


class WhichExecution(WrongUsage):
    """The arguments do not say which execution is meant."""


def workflows(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with the executions of a directory."""
    settings = settings_of(arguments, around)
    if settings.ground == "aws":
        _say_which(settings, around)
    if arguments.action == "list":
        status = Status(arguments.status) if arguments.status else None
        found = listed(settings, around.clock, machine=arguments.machine, status=status, limit=arguments.limit)
        return _say_list(arguments, around, list(found.items))
    if not arguments.machine or not arguments.name:
        raise WhichExecution(f"{arguments.action} needs the machine and the name of an execution: see the list.")
    named: dict[str, Any] = {"machine": arguments.machine, "name": arguments.name}
    with workflows_of(settings, around.clock) as opened:
        if arguments.action == "history":
            return _say_history(arguments, around, list(opened.history(**named, limit=arguments.limit)))
        if arguments.action == "stop":
            standing = opened.stop(**named, reason=arguments.reason)
        elif arguments.action == "retry":
            standing = opened.retry(**named)
        else:
            standing = opened.describe(**named)
        if arguments.json:
            around.say(msgspec.json.encode(_document(standing)).decode())
            return Exit.OK
        machine, execution = opened.whereabouts(**named)
        where = Whereabouts(machine, execution, opened.exited(**named), standing.status, around.clock.now_ms())
    _say_picture(around, standing, picture(where))
    return Exit.OK


def _say_which(settings: Settings, around: Surroundings) -> None:
    """Say that only what a mover of this machine keeps is looked at; refuse where there is none."""
    file = workflows_file(settings)
    if not file.exists():
        require_directory(settings, "workflows")
    around.complain(f"Everything is on AWS but {file}, which movers of this machine keep: that is what is shown.")


def _say_list(arguments: argparse.Namespace, around: Surroundings, found: list[Standing]) -> int:
    if arguments.json:
        around.say(msgspec.json.encode([_document(one) for one in found]).decode())
        return Exit.OK
    if not found:
        around.say("There are no executions.")
        return Exit.OK
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("machine", "name", "status", "started", "ended", "error"):
        table.add_column(column, overflow="fold")
    for one in found:
        cells = (
            one.machine,
            one.name,
            one.status.value,
            _moment(one.started_at_ms),
            _moment(one.ended_at_ms),
            one.error,
        )
        table.add_row(*(printable(cell) for cell in cells))
    around.console().print(table)
    return Exit.OK


def _say_history(arguments: argparse.Namespace, around: Surroundings, events: list[Happened]) -> int:
    if arguments.json:
        around.say(msgspec.json.encode(events).decode())
        return Exit.OK
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("number", "at", "what", "state", "part", "data"):
        table.add_column(column, overflow="fold")
    for one in events:
        data = "" if one.data is None else msgspec.json.encode(one.data).decode()
        shown = data if len(data) <= DATA_SHOWN_CHARACTERS else f"{data[:DATA_SHOWN_CHARACTERS]}..."
        cells = (one.number, _moment(one.at_ms), one.kind.value, one.state, one.part, shown)
        table.add_row(*(printable(cell) for cell in cells))
    around.console().print(table)
    return Exit.OK


def _say_picture(around: Surroundings, standing: Standing, lines: list[str]) -> None:
    console = around.console()
    ended = f", ended {_moment(standing.ended_at_ms)}" if standing.ended_at_ms is not None else ""
    head = (
        f"{standing.machine}/{standing.name}: {standing.status.value}, started {_moment(standing.started_at_ms)}{ended}"
    )
    for line in (head, *(_why(standing)), "", *lines, "", LEGEND):
        console.print(printable(line))


def _why(standing: Standing) -> list[str]:
    told = ": ".join(part for part in (standing.error, standing.cause) if part)
    return [told] if told else []


def _document(standing: Standing) -> dict[str, Any]:
    return {
        "machine": standing.machine,
        "name": standing.name,
        "status": standing.status.value,
        "startedAt": _moment(standing.started_at_ms),
        "endedAt": _moment(standing.ended_at_ms) or None,
        "input": standing.input,
        "output": standing.output,
        "error": standing.error,
        "cause": standing.cause,
        "retries": standing.retries,
    }


def _moment(at_ms: int | None) -> str:
    return "" if at_ms is None else timestamp_of(at_ms)


COMMAND = Command(
    name="workflows",
    says="List the executions of state machines, show where one is, let it go on or stop it.",
    example="footfall workflows list --data data",
    more_examples=(
        "footfall workflows show migrate run-7 --data data",
        "footfall workflows history migrate run-7 --data data",
        "footfall workflows retry migrate run-7 --data data",
        "footfall workflows stop migrate run-7 --reason 'wrong day' --data data",
    ),
    run=workflows,
    tells="show draws the machine with where the execution is. retry lets one that failed or was stopped go on where\n"
    "it ended. All of it works while a process runs the workflows, and while none does: what is retried then goes on\n"
    "with the next one that does. Where everything is on AWS, it shows what `footfall migrate run` on this machine\n"
    "keeps in its --data; Step Functions shows, stops and redrives its own.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument(
            "machine", "The machine; list shows those of all unless it is given.", shows="MACHINE", may_be_absent=True
        ),
        Argument("name", "The execution.", shows="NAME", may_be_absent=True),
        DATA,
        CONFIG,
        Argument(
            "--status", "Only executions that stand so.", shows="STATUS", choices=tuple(one.value for one in Status)
        ),
        Argument("--limit", "How many at most.", shows="N", reads=whole_from(1, PAGE_MAX), default=LIMIT_DEFAULT),
        Argument("--reason", "Why it is stopped.", shows="TEXT", default="stopped by hand"),
        JSON,
    ),
    exits={Exit.FAILED: "there is no such execution, or nothing to retry"},
)
