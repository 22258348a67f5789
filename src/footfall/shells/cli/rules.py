"""`footfall rules`: what a brand blocks at the door: networks, agents, paths and countries."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from footfall.shells.cli.asking import ask, settings_of
from footfall.shells.cli.command import BRAND, CONFIG, DATA, JSON, Argument, Command, Exit, Surroundings, WrongUsage
from footfall.shells.cli.lists import text_of
from footfall.values.errors import Refused

ACTIONS: Final = ("show", "set", "add", "remove", "on", "off")
_NAMED: Final = {"addresses": "address", "agents": "agent", "paths": "path", "countries": "country"}


class WhichRules(WrongUsage):
    """The arguments do not say which rules are meant."""


def rules(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with a brand's rules."""
    answer = ask(settings_of(arguments, around), _request(arguments), on_progress=lambda _share: None)
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
        return Exit.OK
    for name in _NAMED:
        for one in answer[name]:
            around.say(f"{_NAMED[name]}: {one}")
    if not answer["isOn"]:
        around.say("Off: neither these nor the door's own rules look at its hits, until footfall rules on.")
    elif not any(answer[name] for name in _NAMED):
        around.say("It has no rules of its own: the door's label its hits, and it blocks nobody.")
    if arguments.action != "show":
        around.complain(f"Version {answer['version']} acts on {answer['actsOn']}.")
        around.complain(f"Note: {answer['addressesNote']}.")
    return Exit.OK


def _request(arguments: argparse.Namespace) -> Mapping[str, Any]:
    action: str = arguments.action
    named = {name: getattr(arguments, flag) for name, flag in _NAMED.items() if getattr(arguments, flag)}
    if (arguments.file is None) == (action == "set"):
        raise WhichRules("Only set takes a FILE, and it needs one.")
    if bool(named) != (action in ("add", "remove")):
        raise WhichRules("add and remove take --address, --agent, --path or --country, and nothing else does.")
    request: dict[str, Any] = {"do": f"rules-{action}", "brand": arguments.brand, "rules": named}
    if action == "set":
        return {**request, "rules": document_of(Path(arguments.file))}
    return {**request, "do": "rules-add", "is_on": action == "on"} if action in ("on", "off") else request


def document_of(path: Path) -> dict[str, Any]:
    """Return the rules that a file holds, or raise Refused."""
    try:
        return msgspec.json.decode(text_of(path), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise Refused(path.name, f"is not a JSON object of rules: {error}") from error


COMMAND = Command(
    name="rules",
    says="Show or change what a brand blocks at the door.",
    example="footfall rules add --data data --brand abc --path '/preview/*'",
    more_examples=(
        "footfall rules add --data data --brand abc --address 203.0.113.0/24",
        "footfall rules set rules.json --data data --brand abc",
        "footfall rules off --data data --brand abc",
    ),
    run=rules,
    tells="Rules act on hits that arrive from now on. Addresses are not stored, so no rule on them, or on countries,\n"
    "can ever act on the past. off switches every rule of the door off for the brand.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("file", "The JSON file that set reads.", shows="FILE", may_be_absent=True),
        DATA,
        CONFIG,
        BRAND,
        Argument("--address", "A network, or one address; may be repeated.", shows="NETWORK", repeated=True),
        Argument("--agent", "A part of user agents; may be repeated.", shows="TEXT", repeated=True),
        Argument("--path", "A path, with a star for all that begin so; may be repeated.", shows="PATH", repeated=True),
        Argument("--country", "Two letters, by the list of countries; may be repeated.", shows="CC", repeated=True),
        JSON,
    ),
)
