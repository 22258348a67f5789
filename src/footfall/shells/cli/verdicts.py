"""`footfall verdicts`: what was found about visitors and assets, why, and the operator's decision on it."""

import argparse
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

import msgspec
from rich.table import Table
from rich.text import Text

from footfall.shells.cli.asking import ask, settings_of
from footfall.shells.cli.command import (
    BRAND,
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

ACTIONS: Final = ("show", "confirm", "release")
DONE: Final = {"confirm": "confirmed", "release": "released"}
LIMIT_DEFAULT, LIMIT_MAX = 50, 1_000
AT_ONCE: Final = 100


def verdicts(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show verdicts, or decide on some."""
    return _shown(arguments, around) if arguments.action == "show" else _decided(arguments, around)


def _shown(arguments: argparse.Namespace, around: Surroundings) -> int:
    if arguments.all or len(arguments.id) > 1:
        raise WrongUsage("show takes one ID, or none: it lists all that are held unless --state says otherwise.")
    request = {
        "do": "verdicts-show",
        "id": "".join(arguments.id),
        "limit": arguments.limit,
        "after": arguments.after or "",
        **_sought(arguments),
    }
    answer = ask(settings_of(arguments, around), request, on_progress=lambda _share: None)
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
    else:
        _show(answer, around, is_one=bool(arguments.id))
    return Exit.OK


def _decided(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Decide on those that are named, or on all that are held, some at a time."""
    _require_subjects(arguments)
    settings = settings_of(arguments, around)
    named: list[str] = arguments.id
    request = {"do": "verdicts-decide", "decision": arguments.action, **_sought(arguments)}
    failed = decided = 0
    after = ""
    for start in range(0, len(named), AT_ONCE) if named else count():
        asked = {"ids": named[start : start + AT_ONCE]} if named else {"all": True, "after": after}
        answer = ask(settings, request | asked, on_progress=lambda _share: None)
        if arguments.json:
            around.say(msgspec.json.encode(answer).decode())
        else:
            for one in answer["items"]:
                _tell(one, around)
        decided += answer["decided"]
        failed += len(answer["items"]) - answer["decided"]
        after = answer.get("after", "")
        if not named and not after:
            break
    if not named and not arguments.json:
        around.complain(f"{decided:,} {DONE[arguments.action]}.")
    return Exit.FAILED if failed else Exit.OK


def _require_subjects(arguments: argparse.Namespace) -> None:
    action: str = arguments.action
    if bool(arguments.id) == arguments.all:
        raise WrongUsage(f"{action} needs the IDs of verdicts, or --all; footfall verdicts show lists them.")
    if arguments.id and (arguments.kind or arguments.cause):
        raise WrongUsage("--kind and --cause go with --all: an ID says which verdict is meant.")
    if arguments.state != "held":
        raise WrongUsage(f"{action} --all is about those that are held; --state goes with show.")


def _sought(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"brand": arguments.brand, "state": arguments.state, "kind": arguments.kind, "cause": arguments.cause}


def _show(answer: Mapping[str, Any], around: Surroundings, *, is_one: bool) -> None:
    items: Sequence[Mapping[str, Any]] = answer["items"]
    if not items:
        around.say("There are none." if "after" not in answer else "There are none among the newest.")
    elif is_one:
        _explain(items[0], around)
    else:
        around.console().print(_table(items))
        around.complain(f"{answer['waiting']:,} wait for a decision. `footfall verdicts show ID` explains one.")
    if "after" in answer:
        around.complain(f"There are older ones: --after '{answer['after']}' shows them.")


def _table(items: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("id", "state", "kind", "subject", "from", "to", "cause", "why"):
        table.add_column(column, overflow="fold")
    for one in items:
        names = ("id", "state", "kind", "subject", "from", "to", "cause", "words")
        table.add_row(*(printable(one.get(name)) for name in names))
    return table


def _explain(one: Mapping[str, Any], around: Surroundings) -> None:
    """Show one verdict with what each feature has to do with it."""
    facts = ("id", "kind", "subject", "from", "to", "state", "label", "cause", "score", "words", "foundAt", "by")
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name in facts:
        table.add_row(name, printable(one.get(name)))
    table.add_row("of whom", _of_whom(one))
    around.console().print(table)
    notes: Sequence[Mapping[str, Any]] = one.get("explanation") or ()
    if not notes:
        return
    around.say("")
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("feature", "what it is", "value", "part of the score", "direction", "strength"):
        table.add_column(column, overflow="fold")
    whole = sum(float(note["attribution"]) for note in notes) or 1.0
    for note in notes:
        table.add_row(
            printable(note.get("feature")),
            printable(note.get("words")),
            Text(f"{note['value']:,.6g} {note.get('unit', '')}".strip()),
            Text(f"{float(note['attribution']) / whole:.0%}"),
            printable(note.get("direction")),
            Text(f"{note['strength']:.2f}"),
        )
    around.console().print(table)


def _of_whom(one: Mapping[str, Any]) -> str:
    """Return whose hits a verdict labels."""
    narrowed: Mapping[str, int] | None = one.get("narrowedTo")
    if narrowed is None:
        return "all of its hits"
    parts = ((narrowed["agents"], "kinds of agent"), (narrowed["visitors"], "visitors"))
    return "only hits of " + " and of ".join(f"{count:,} {what}" for count, what in parts if count)


def _tell(answer: Mapping[str, Any], around: Surroundings) -> None:
    if "problem" in answer:
        around.complain(f"footfall: {answer['problem']}")
        return
    around.say(f"{answer['kind']} {answer['subject']} is {answer['state']}; its hits are: {answer['label']}.")
    recount: Mapping[str, str] | None = answer.get("recount")
    if recount is None:
        around.complain("Nothing that was counted changes.")
        return
    if "from" in recount:
        around.complain(f"{recount['from']} to {recount['to']} is counted again now, by itself.")
    if "note" in recount:
        around.complain(f"Note: {recount['note']}.")


COMMAND = Command(
    name="verdicts",
    says="Show what was found about visitors and assets, and confirm it or release them.",
    example="footfall verdicts show --data data --brand abc",
    more_examples=(
        "footfall verdicts show 001794744000000-v61c8f0a2b44d9e10 --data data --brand abc",
        "footfall verdicts release 001794744000000-v61c8f0a2b44d9e10 --data data --brand abc",
        "footfall verdicts confirm --all --cause few-agents --data data --brand abc",
    ),
    run=verdicts,
    tells="Hits of what is held are suspected; confirmed, they are blocked; released, they are persons' again. Either\n"
    "way the past is counted again by itself, as far as raw hits are kept. Every decision is in the audit trail, and\n"
    "can be taken back by another one. What is only found tells, and waits for nobody.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("id", "The verdicts; show takes one.", shows="ID", repeated=True, may_be_absent=True),
        DATA,
        CONFIG,
        BRAND,
        Argument("--all", "Decide on all that are held, or on those of a kind or cause.", is_switch=True),
        Argument(
            "--state",
            "Show those that are held (unless given), only found, or settled.",
            choices=("held", "found", "settled"),
            default="held",
        ),
        Argument("--kind", "Only those on visitors, or on assets.", choices=("visitor", "asset")),
        Argument("--cause", "Only those that were found for this, such as few-agents.", shows="CAUSE"),
        Argument("--limit", "How many at most.", shows="N", reads=whole_from(1, LIMIT_MAX), default=LIMIT_DEFAULT),
        Argument("--after", "Go on where the last answer ended.", shows="PLACE"),
        JSON,
    ),
)
