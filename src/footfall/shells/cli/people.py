"""`footfall people`: who has an account, and the links that let somebody in."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from rich.table import Table

from footfall.accounts.people import ROLES
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

ACTIONS: Final = ("list", "add", "invite", "reset", "remove", "setup-code", "history")
NAMES_SOMEBODY: Final = ("add", "reset", "remove")
MAY_NAME_SOMEBODY: Final = (*NAMES_SOMEBODY, "invite")


class WhichPerson(WrongUsage):
    """The arguments do not say who is meant, or what they are to be."""


def people(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with people's accounts."""
    action: str = arguments.action
    _require_sense(arguments)
    request = {
        "do": f"people-{action}" + ("-show" if action == "history" else ""),
        "email": arguments.email,
        "name": arguments.name,
        "brand": arguments.brand,
        "role": arguments.role,
        "is_owner": arguments.owner,
        "is_last_owner": arguments.last_owner,
        "after": arguments.after or "",
    }
    answer = ask(settings_of(arguments, around, may_be_new=False), request, on_progress=lambda _share: None)
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
    else:
        _SHOWS[action](answer, around)
    return Exit.OK


def _require_sense(arguments: argparse.Namespace) -> None:
    action: str = arguments.action
    if action in NAMES_SOMEBODY and arguments.email is None:
        raise WhichPerson(f"{action} needs an e-mail address, as in footfall people {action} ann@example.com.")
    if action not in MAY_NAME_SOMEBODY and arguments.email is not None:
        raise WhichPerson(f"{action} takes no e-mail address.")
    if action == "invite" and (arguments.brand is None or arguments.role is None):
        raise WhichPerson("invite needs --brand and --role: what the invitation is to.")
    if action not in ("add", "invite") and (arguments.brand or arguments.role or arguments.owner or arguments.name):
        raise WhichPerson("--brand, --role, --name and --owner belong to add and invite.")
    if action != "remove" and arguments.last_owner:
        raise WhichPerson("--last-owner belongs to remove.")


def _show_list(answer: Mapping[str, Any], around: Surroundings) -> None:
    if not answer["people"]:
        around.say("Nobody has an account; footfall people setup-code shows how the first is made.")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("email", "name", "id", "owner", "roles", "created"):
        table.add_column(column, overflow="fold")
    for one in answer["people"]:
        roles = ", ".join(f"{brand}: {role}" for brand, role in one["roles"].items())
        cells = (one["email"], one["name"], one["id"], "yes" if one["isOwner"] else "", roles, one["created"])
        table.add_row(*(printable(cell) for cell in cells))
    around.console().print(table)


def _show_add(answer: Mapping[str, Any], around: Surroundings) -> None:
    around.say(answer["link"])
    around.complain(f"{answer['email']} has an account and chooses a password there, once, within seven days.")


def _show_invitation(answer: Mapping[str, Any], around: Surroundings) -> None:
    around.say(answer["link"])
    who = answer["email"] or "whoever has it"
    around.complain(f"It makes {who} {answer['role']} of {answer['brand']}, once, until {answer['expires']}.")


def _show_reset(answer: Mapping[str, Any], around: Surroundings) -> None:
    around.say(answer["link"])
    around.complain(f"{answer['email']} chooses a new password there, once, within an hour.")


def _show_removed(answer: Mapping[str, Any], around: Surroundings) -> None:
    around.say(f"Removed {answer['email']}: signed out everywhere, and without any role.")
    if answer["wasLastOwner"]:
        around.complain("Nobody owns the instance now; footfall people setup-code shows how the next owner is made.")


def _show_code(answer: Mapping[str, Any], around: Surroundings) -> None:
    around.say(answer["code"])
    around.complain(f"{answer['link']} takes it, and makes the owner of the instance.")


def _show_history(answer: Mapping[str, Any], around: Surroundings) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("at", "by", "act", "subject", "details"):
        table.add_column(column, overflow="fold")
    for one in answer["items"]:
        details = ", ".join(f"{name}: {value}" for name, value in one["details"].items())
        table.add_row(*(printable(cell) for cell in (one["at"], one["by"], one["act"], one["subject"], details)))
    around.console().print(table)
    for day, failed in answer["failedSignIns"].items():
        around.say(f"{day[:10]}: {failed} sign-ins failed")
    if "after" in answer:
        around.complain(f"There are older ones: --after '{answer['after']}' shows them.")


_SHOWS: Final[Mapping[str, Callable[[Mapping[str, Any], Surroundings], None]]] = {
    "list": _show_list,
    "add": _show_add,
    "invite": _show_invitation,
    "reset": _show_reset,
    "remove": _show_removed,
    "setup-code": _show_code,
    "history": _show_history,
}

COMMAND = Command(
    name="people",
    says="List, add, invite or remove people, or make a link to a new password.",
    example="footfall people invite --data data --brand abc --role editor",
    more_examples=(
        "footfall people add ann@example.com --data data --name 'Ann Editor' --owner",
        "footfall people reset ann@example.com --data data",
        "footfall people setup-code --data data",
        "footfall people history --data data",
    ),
    run=people,
    tells="Links are printed and not mailed; they begin with the setting people_url. An owner may do everything in\n"
    "all brands. history shows who came, went and signed in, and how many sign-ins failed.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("email", "Whose account; for invite, who alone may take it.", shows="EMAIL", may_be_absent=True),
        DATA,
        CONFIG,
        Argument("--brand", "The brand to give a role in.", shows="NAME"),
        Argument("--role", "What the role is.", choices=ROLES),
        Argument("--name", "What somebody is called.", shows="TEXT"),
        Argument("--owner", "Make somebody an owner of the instance.", is_switch=True),
        Argument("--last-owner", "Remove even the last owner of the instance.", is_switch=True),
        Argument("--after", "Go on where the last history ended.", shows="PLACE"),
        JSON,
    ),
)
