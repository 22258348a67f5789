"""`footfall keys`: a brand's keys: added, listed, revoked, and rotated without downtime."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from rich.table import Table

from footfall.accounts.keys import SCOPES
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
    moment,
    printable,
    whole_from,
)

ACTIONS: Final = ("add", "list", "revoke", "rotate")
HOUR_MS = 3_600_000


class WhichKey(WrongUsage):
    """The flags do not say which key is meant, or what it is to be."""


def keys(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with a brand's keys."""
    action = arguments.action
    if (arguments.id is None) != (action in ("add", "list")):
        raise WhichKey("Only revoke and rotate name one key by its id, as footfall keys list prints it.")
    if action == "add" and bool(arguments.scope) + arguments.public + arguments.signing != 1:
        raise WhichKey(
            f"Say what the key may do with --scope ({', '.join(SCOPES)}), --public for one in pages, or --signing."
        )
    request = {
        "do": f"keys-{action}",
        "brand": arguments.brand,
        "id": arguments.id,
        "kind": "public" if arguments.public else "signing" if arguments.signing else "secret",
        "scopes": arguments.scope,
        "also_reads": arguments.also_reads,
        "label": arguments.label or "",
        "expires_at_ms": arguments.expires,
        "grace_ms": arguments.grace_hours * HOUR_MS,
    }
    answer = ask(settings_of(arguments, around), request, on_progress=lambda _share: None)
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
    elif action == "list":
        show_keys(answer["keys"], around, is_open=False)
    elif action == "revoke":
        around.say(f"Revoked {answer['key']}: it works no more.")
    else:
        _show_new(answer, arguments, around)
    return Exit.OK


def show_keys(found: Sequence[Mapping[str, Any]], around: Surroundings, *, is_open: bool) -> None:
    """Show keys as a table."""
    if not found:
        no_keys = "It has no keys: whoever names it may send and read." if is_open else "It has no keys that work."
        around.say(no_keys)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    columns = ("id", "key", "scopes", "label", "created", "lastUsed", "expires")
    for column in columns:
        table.add_column(column, overflow="fold")
    for one in found:
        cells = {**one, "scopes": " ".join(one["scopes"])}
        table.add_row(*(printable(cells[column]) for column in columns))
    around.console().print(table)


def _show_new(answer: Mapping[str, Any], arguments: argparse.Namespace, around: Surroundings) -> None:
    around.say(f"{answer['key']}")
    if answer["kind"] != "public":
        around.complain(f"Key {answer['id']} ({' '.join(answer['scopes'])}) is shown this once; keep it safe.")
    if arguments.action == "rotate":
        around.complain(f"The old key works for {arguments.grace_hours} more hours.")


COMMAND = Command(
    name="keys",
    says="Add, list, revoke or rotate the keys of a brand.",
    example="footfall keys add --data data --brand abc --scope write --label newsroom",
    more_examples=(
        "footfall keys add --data data --brand abc --public",
        "footfall keys add --data data --brand abc --signing",
        "footfall keys rotate ID --data data --brand abc --grace-hours 48",
        "footfall keys revoke ID --data data --brand abc",
    ),
    run=keys,
    tells="--scope, --also-reads, --public, --signing, --label and --expires belong to add, --grace-hours to rotate. "
    "list takes no ID.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("id", "Which key, as list prints it.", shows="ID", may_be_absent=True),
        DATA,
        CONFIG,
        BRAND,
        Argument("--scope", "What the key may do; may be repeated; admin includes the others.", choices=SCOPES,
                 repeated=True),
        Argument("--also-reads", "Another brand whose lists the key reads; may be repeated.", shows="BRAND",
                 repeated=True),
        Argument("--public", "Make a key for pages, which may only send hits.", is_switch=True),
        Argument("--signing", "Make a key that signs what servers send, and tokens for pages.", is_switch=True),
        Argument("--label", "What the key is for.", shows="TEXT"),
        Argument("--expires", "The moment at which it stops working.", shows="TIME", reads=moment),
        Argument("--grace-hours", "How long a rotated key goes on working.", shows="N", reads=whole_from(0, 8_784),
                 default=24),
        JSON,
    ),
)  # fmt: skip
