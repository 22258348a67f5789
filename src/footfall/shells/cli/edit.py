"""`footfall edit`: what editors do to a brand's lists: assets pinned to a place or hidden, and all of it taken back."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import quote

import msgspec
from rich.table import Table

from footfall.catalog.edits import PLACES_MAX
from footfall.shells.cli.calls import Caller, Reply, answer_of
from footfall.shells.cli.command import (
    JSON,
    URL,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    moment,
    printable,
    whole_from,
)
from footfall.shells.cli.secret_file import key_headers
from footfall.values.window import instant_text

_CALLS = {
    "pin": ("PUT", "pins"),
    "unpin": ("DELETE", "pins"),
    "hide": ("PUT", "hidden"),
    "show": ("DELETE", "hidden"),
}
ACTIONS = (*_CALLS, "list")
_FLAGS = {"pin": ("place", "section", "period", "until"), "hide": ("reason", "until")}
_DONE = {
    "pin": "is pinned to place {place}",
    "unpin": "is not pinned any more",
    "hide": "is hidden",
    "show": "is shown again",
}
_COLUMNS = ("act", "asset", "place", "sections", "periods", "reason", "until", "by", "at")


class WrongEdit(WrongUsage):
    """The action needs an asset or takes none, or a flag belongs to another one."""


def edit(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Pin, unpin, hide or show an asset, or list what was done."""
    action: str = arguments.action
    _require_fitting(arguments, action)
    with closing(Caller(arguments.url)) as caller:
        headers = key_headers(arguments.secret_file)
        if action == "list":
            return _list(answer_of(caller.call("GET", "/v1/edits", headers=headers)), arguments, around)
        method, kind = _CALLS[action]
        path = f"/v1/edits/{kind}/{quote(arguments.asset, safe='')}"
        body = msgspec.json.encode(_sent(arguments, action)) if method == "PUT" else None
        kinds = {} if body is None else {"Content-Type": "application/json"}
        reply = answer_of(caller.call(method, path, body=body, headers={**headers, **kinds}))
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    until = "" if arguments.until is None else f" until {instant_text(arguments.until)}"
    around.say(f"{printable(arguments.asset)} {_DONE[action].format(place=arguments.place)}{until}.")
    return Exit.OK


def _require_fitting(arguments: argparse.Namespace, action: str) -> None:
    if (arguments.asset is None) != (action == "list"):
        raise WrongEdit(f"edit {action} takes {'no asset' if action == 'list' else 'the ID of an asset'}.")
    for flag in ("place", "section", "period", "reason", "until"):
        if getattr(arguments, flag) and flag not in _FLAGS.get(action, ()):
            raise WrongEdit(f"--{flag} does not go with edit {action}.")
    if action == "pin" and arguments.place is None:
        raise WrongEdit("edit pin needs --place N, the place to stand at.")


def _sent(arguments: argparse.Namespace, action: str) -> dict[str, object]:
    """Return what the flags say of an act."""
    sent: dict[str, object] = {"reason": arguments.reason}
    if action == "pin":
        sent = {"place": arguments.place, "sections": arguments.section, "periods": arguments.period}
    sent["until"] = None if arguments.until is None else instant_text(arguments.until)
    return {name: value for name, value in sent.items() if value}


def _list(reply: Reply, arguments: argparse.Namespace, around: Surroundings) -> int:
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    answer = reply.table()
    rows = [*_rows("pinned", answer.get("pins", ())), *_rows("hidden", answer.get("hidden", ()))]
    if not rows:
        around.say("Nothing is pinned or hidden.")
        return Exit.OK
    shown = [name for name in _COLUMNS if any(row.get(name) for row in rows)]
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in shown:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(printable(row.get(name)) for name in shown))
    around.console().print(table)
    return Exit.OK


def _rows(act: str, items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [
        {
            **item,
            "act": act,
            "asset": item.get("assetId"),
            "sections": ", ".join(item.get("sections", ())),
            "periods": ", ".join(item.get("periods", ())),
        }
        for item in items
    ]


COMMAND = Command(
    name="edit",
    says="Pin an asset to a place in a brand's lists, hide one, take that back, or list what is pinned and hidden.",
    example="footfall edit pin --secret-file editor.key 132141398 --place 1 --until 2026-11-15T18:00+02:00",
    run=edit,
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("asset", "The asset's id.", shows="ID", may_be_absent=True),
        URL,
        Argument("--secret-file", "A file with a secret key of the scope edit.", shows="FILE", required=True),
        Argument("--place", "For pin: where to stand, from 1.", shows="N", reads=whole_from(1, PLACES_MAX)),
        Argument("--section", "For pin: only in lists of this section; may be repeated.", shows="S", repeated=True),
        Argument("--period", "For pin: only in lists of this period; may be repeated.", shows="PERIOD", repeated=True),
        Argument("--reason", "For hide: why, for colleagues.", shows="TEXT"),
        Argument("--until", "For pin and hide: when it ends by itself.", shows="T", reads=moment),
        JSON,
    ),
    tells=(
        "Counts are never changed: ranks and hits stay what they are, and edited=false gives the list as it was\n"
        "counted. Every act is in the audit trail (footfall audit) with the key that did it."
    ),
    more_examples=(
        "footfall edit hide --secret-file editor.key 132141401 --reason 'corrected version follows'",
        "footfall edit show --secret-file editor.key 132141401",
        "footfall edit list --secret-file editor.key",
    ),
)
