"""`footfall assets`: what the catalogue knows of a brand's assets, loaded from a file, listed, shown and forgotten."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from rich.table import Table

from footfall.shells.cli.assets_file import AssetRefusals, assets_in
from footfall.shells.cli.batches import whole_in
from footfall.shells.cli.calls import Caller, Reply, answer_of, call_patiently
from footfall.shells.cli.command import (
    JSON,
    URL,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    printable,
    whole_from,
)
from footfall.shells.cli.hits_file import batches_of, opened
from footfall.shells.cli.secret_file import BRAND_OR_KEY, SECRET_FILE, brand_asked, key_headers
from footfall.shells.cli.send import TRIES_MAX

ACTIONS = ("load", "list", "show", "delete")
FORMATS = ("auto", "csv", "json")
_COLUMNS = (("asset", "assetId"), ("title", "title"), ("section", "sectionId"), ("type", "resourceType"))


class WhichAsset(WrongUsage):
    """The action needs a file or an id, or takes none."""


def assets(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Load, list, show or delete assets of a brand's catalogue."""
    if (arguments.target is None) != (arguments.action == "list"):
        needs = {"load": "a FILE, or - for the standard input", "list": "no further word; use --after and --limit"}
        raise WhichAsset(f"assets {arguments.action} takes {needs.get(arguments.action, 'the ID of an asset')}.")
    desk = _Desk(arguments, around)
    with closing(desk.caller):
        if arguments.action == "load":
            return _load(desk, arguments, around)
        if arguments.action == "list":
            return _list(desk, arguments, around)
        path = f"/v1/assets/{quote(arguments.target, safe='')}"
        reply = answer_of(desk.call("DELETE" if arguments.action == "delete" else "GET", path))
    if arguments.action == "delete":
        around.say(f"{arguments.target} is not in the catalogue{_of(arguments)} any more.")
    else:
        around.say(msgspec.json.format(reply.body, indent=2).decode(errors="replace"))
    return Exit.OK


class _Desk:
    """Calls about one brand's catalogue."""

    def __init__(self, arguments: argparse.Namespace, around: Surroundings) -> None:
        self.caller = Caller(arguments.url)
        self._brand = brand_asked(arguments)
        self._around = around
        self._headers = key_headers(arguments.secret_file)

    def call(self, method: str, path: str, *, body: bytes | None = None, **query: str) -> Reply:
        target = f"{path}?{urlencode({**self._brand, **query})}"
        headers = {**self._headers, **({} if body is None else {"Content-Type": "application/json"})}
        # What is put is put whole, so putting it again after a lost answer changes nothing.
        return call_patiently(
            lambda: self.caller.call(method, target, body=body, headers=headers),
            pause=self._around.pause,
            tries_max=TRIES_MAX if method == "PUT" else 1,
            on_wait=self._around.complain,
        )


def _of(arguments: argparse.Namespace) -> str:
    return f" of {arguments.brand}" if arguments.brand else ""


def _load(desk: _Desk, arguments: argparse.Namespace, around: Surroundings) -> int:
    stored = 0
    with opened(arguments.target, stdin=around.stdin) as file:
        found = assets_in(file, name=arguments.target, form=arguments.format, brand=arguments.brand)
        if found.ignored:
            columns = ", ".join(str(printable(name)) for name in found.ignored)
            around.complain(f"Not a field of an asset, and left aside: {columns}.")
        refusals = AssetRefusals(found.counts, around)
        for batch in batches_of(found.assets):
            content = refusals.sent(batch, lambda body: desk.call("PUT", "/v1/assets", body=body))
            stored += whole_in(content, "stored")
    things = "1 asset" if stored == 1 else f"{stored:,} assets"
    around.say(f"{things}{_of(arguments)} stored, {refusals.count:,} refused")
    return Exit.REFUSED if refusals.count else Exit.OK


def _list(desk: _Desk, arguments: argparse.Namespace, around: Surroundings) -> int:
    reply = answer_of(desk.call("GET", "/v1/assets", after=arguments.after, limit=str(arguments.limit)))
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    answer = reply.table()
    items: Sequence[Mapping[str, Any]] = answer.get("items", ())
    if not items:
        around.say(f"The catalogue{_of(arguments)} has no assets{' after that one' if arguments.after else ''}.")
        return Exit.OK
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name, _ in _COLUMNS:
        table.add_column(name, overflow="fold")
    for item in items:
        table.add_row(*(printable(item.get(field)) for _, field in _COLUMNS))
    around.console().print(table)
    if "after" in answer:
        around.say(f"There are more: --after {printable(answer['after'])}")
    return Exit.OK


COMMAND = Command(
    name="assets",
    says="Load, list, show or delete what the catalogue knows of a brand's assets.",
    example="footfall assets load --brand abc articles.csv",
    run=assets,
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument(
            "target", "For load a file (- is the standard input), else an id.", shows="FILE|ID", may_be_absent=True
        ),
        URL,
        BRAND_OR_KEY,
        SECRET_FILE,
        Argument(
            "--format", "How the file is written; auto looks at its name and content.", choices=FORMATS, default="auto"
        ),
        Argument("--limit", "How many to list.", shows="N", reads=whole_from(1, 1_000), default=50),
        Argument("--after", "List those after this id.", shows="ID", default=""),
        JSON,
    ),
    tells=(
        "A file has one JSON object a line, one JSON array, or CSV with the names in its first row and commas,\n"
        "semicolons or tabs between them; it may be compressed with gzip or zstd. Each asset is written whole, in the\n"
        "place of what was known of it. docs/how-to/describe-your-assets.md has the fields.\n"
        "--format belongs to load; --limit, --after and --json belong to list."
    ),
    more_examples=(
        "footfall assets load --brand abc --format csv -",
        "footfall assets show --brand abc 132141398",
        "footfall assets delete --brand abc 132141398",
    ),
    exits={Exit.REFUSED: "the server refused it, or some assets of the file"},
)
