"""`footfall brands`: the tenants of an instance: added, listed, shown, changed and removed while it runs."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from rich.table import Table

from footfall.accounts.brands import SCREENING_MODES
from footfall.app.settings import Settings
from footfall.shells.cli.asking import ask, settings_of
from footfall.shells.cli.command import (
    ANY_ORIGIN,
    CONFIG,
    DATA,
    DEFAULT_URL,
    JSON,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    brand_name,
    origin,
    printable,
    whole_from,
    zone,
)
from footfall.shells.cli.keys import show_keys

ACTIONS: Final = ("add", "list", "show", "change", "remove")
LIMITS: Final = ("key_per_s", "key_burst", "address_per_s", "address_burst")


class WhichBrand(WrongUsage):
    """The command does not say which brand is meant."""


class NotSure(WrongUsage):
    """What cannot be undone was asked for without saying so."""


def brands(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with a brand."""
    action, name = arguments.action, arguments.brand
    if (name is None) != (action == "list"):
        raise WhichBrand("Name one brand, as in footfall brands show abc; only list takes none.")
    if action == "remove" and not arguments.yes:
        raise NotSure(
            f"{name} would take no more hits, its keys would stop working and its lists could not be read; what was "
            "counted stays on disk until it expires. Say --yes if that is meant."
        )
    if action != "add" and arguments.zone is not None:
        raise WrongUsage(
            "A zone is chosen when a brand is added and stays: its hours and days are kept as it cut them."
        )
    request = {"do": f"brands-{action}", "brand": name or "", "zone": arguments.zone, "changes": _changes(arguments)}
    if action == "change" and not request["changes"]:
        raise WrongUsage("Say what is to change, as in --title or --origin; see footfall brands --help.")
    settings = settings_of(arguments, around, may_be_new=action == "add")
    answer = ask(settings, request, on_progress=lambda _share: None)
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
    else:
        _SHOW[action](answer, arguments, around)
    return Exit.OK


def _changes(arguments: argparse.Namespace) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if arguments.title is not None:
        changes["title"] = arguments.title
    if arguments.origin:
        changes["origins"] = [one for one in arguments.origin if one != ANY_ORIGIN]
    choices = {
        "isPublic": arguments.public,
        "unlabelled": arguments.unlabelled,
        "requireSignature": arguments.require_signature,
        "requireToken": arguments.require_token,
        "screening": arguments.screening,
    }
    truths = {"yes": True, "no": False}
    changes |= {word: truths.get(given, given) for word, given in choices.items() if given is not None}
    if arguments.period:
        changes["periods"] = dict(_period(text) for text in arguments.period if text != "none")
    limits = {_word(name): getattr(arguments, f"limit_{name}") for name in LIMITS}
    given = {word: None if value == "none" else int(value) for word, value in limits.items() if value is not None}
    return {**changes, "limits": given} if given else changes


def _word(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _period(text: str) -> tuple[str, dict[str, str]]:
    name, _, rest = text.partition("=")
    parts = rest.split("/")
    if len(parts) != 3:
        raise WrongUsage(f"--period {text!r} is not NAME=SPAN/GRAIN/CACHE, such as twodays=48h/1h/120s.")
    return name, dict(zip(("span", "grain", "cache"), parts, strict=True))


def _limit(text: str) -> str:
    return text if text == "none" else str(whole_from(0, 1_000_000)(text))


def _show_added(answer: Mapping[str, Any], arguments: argparse.Namespace, around: Surroundings) -> None:
    url = str(arguments.url or _own_url(settings_of(arguments, around))).rstrip("/")
    around.say(f"Added {answer['brand']} ({answer['zone']}).")
    around.say("")
    around.say(f"Public key, for pages:    {answer['publicKey']}")
    around.say(f"Secret key, for servers:  {answer['secretKey']}")
    around.say("The secret key is shown this once. It may write and read; footfall keys add makes others.")
    around.say("")
    around.say("Paste this into every page:")
    around.say(f'  <script async src="{url}/footfall.js" data-key="{answer["publicKey"]}"></script>')


def _own_url(settings: Settings) -> str:
    """Return where the instance of a directory listened when it was last started, as this machine reaches it."""
    from footfall.app.kept_settings import kept_settings

    if settings.ground == "aws":
        return "https://ADDRESS"  # footfall deploy status tells it, and --url puts it here.
    kept = kept_settings(settings.data_dir)
    if kept is None or not kept.http_port:
        return DEFAULT_URL
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(kept.http_host, kept.http_host)  # noqa: S104 - these are read, not listened on
    return f"http://[{host}]:{kept.http_port}" if ":" in host else f"http://{host}:{kept.http_port}"


def _show_list(answer: Mapping[str, Any], _arguments: argparse.Namespace, around: Surroundings) -> None:
    found: Sequence[Mapping[str, Any]] = answer["brands"]
    if not found:
        around.say("There are no brands; footfall brands add NAME makes one.")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("brand", "zone", "lists", "keys", "title"):
        table.add_column(column)
    for one in found:
        keys = "open, named by the settings" if one["isOpen"] else str(one["keys"])
        lists = "public" if one["isPublic"] else "private"
        table.add_row(*(printable(cell) for cell in (one["brand"], one["zone"], lists, keys, one["title"])))
    around.console().print(table)


def _show_one(answer: Mapping[str, Any], _arguments: argparse.Namespace, around: Surroundings) -> None:
    periods = ", ".join(f"{name}={'/'.join(one.values())}" for name, one in answer["periods"].items())
    limits = ", ".join(f"{name} {value:,}" for name, value in answer["limits"].items() if value is not None)
    rows = (
        ("brand", answer["brand"]),
        ("title", answer["title"]),
        ("zone", answer["zone"]),
        ("lists", "public" if answer["isPublic"] else "private"),
        ("origins", ", ".join(answer["origins"]) or "any"),
        ("unlabelled", answer["unlabelled"]),
        ("screening", answer["screening"]),
        ("periods", periods or "those of the settings"),
        ("limits", limits or "those of the settings"),
        ("servers", "must sign" if answer["requireSignature"] else "may sign"),
        ("pages", "need a token" if answer["requireToken"] else "need no token"),
    )
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in rows:
        table.add_row(printable(name), printable(value))
    around.console().print(table)
    if "keys" in answer:
        around.say("")
        show_keys(answer["keys"], around, is_open=bool(answer.get("isOpen")))


def _show_removed(answer: Mapping[str, Any], _arguments: argparse.Namespace, around: Surroundings) -> None:
    around.say(f"Removed {answer['removed']}: its hits are refused from now on, and what was counted expires in time.")


_SHOW: Final = {
    "add": _show_added,
    "list": _show_list,
    "show": _show_one,
    "change": _show_one,
    "remove": _show_removed,
}

COMMAND = Command(
    name="brands",
    says="Add, list, show, change or remove the brands of an instance.",
    example='footfall brands add abc --data data --zone Europe/Helsinki --title "The example"',
    more_examples=(
        "footfall brands change abc --data data --origin https://www.example.com --origin https://*.example.com",
        "footfall brands change abc --data data --public no --period twodays=48h/1h/120s",
        "footfall brands list --data data",
        "footfall brands remove abc --data data --yes",
    ),
    run=brands,
    tells="--zone and --url belong to add and --yes belongs to remove; --title, --origin, --public, --unlabelled,\n"
    "--screening, --period, --require-signature, --require-token and the limits belong to add and change.\n"
    "list and show take none of these.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("brand", "Which brand; list takes none.", shows="BRAND", reads=brand_name, may_be_absent=True),
        DATA,
        CONFIG,
        Argument("--zone", "Where its days begin, as in Europe/Helsinki; chosen once, UTC if not.", shows="ZONE",
                 reads=zone),
        Argument("--title", "Its name for people.", shows="TEXT"),
        Argument("--origin", "A page origin its public keys work on; may be repeated; 'any' lifts it.", shows="ORIGIN",
                 reads=origin, repeated=True),
        Argument("--public", "Whether its lists are read without a key.", choices=("yes", "no")),
        Argument("--unlabelled", "What happens to hits without resourceType.", choices=("count", "hold")),
        Argument("--screening", "What lists do with suspected hits: show them (observe) or not.",
                 choices=SCREENING_MODES),
        Argument("--period", "A period of its own; may be repeated, replaces those before; 'none' removes them.",
                 shows="NAME=SPAN/GRAIN/CACHE", repeated=True),
        Argument("--require-signature", "Whether servers must sign what they send.", choices=("yes", "no")),
        Argument("--require-token", "Whether pages must send a token.", choices=("yes", "no")),
        Argument("--limit-key-per-s", "Requests a second of each key; none follows the settings.", shows="N",
                 reads=_limit),
        Argument("--limit-key-burst", "Requests of each key at once.", shows="N", reads=_limit),
        Argument("--limit-address-per-s", "Requests a second of each address.", shows="N", reads=_limit),
        Argument("--limit-address-burst", "Requests of each address at once.", shows="N", reads=_limit),
        Argument("--url", "Where browsers reach the server, for the line to paste; if not, its own.", shows="URL"),
        Argument("--yes", "Remove the brand without asking again.", is_switch=True),
        JSON,
    ),
)  # fmt: skip
