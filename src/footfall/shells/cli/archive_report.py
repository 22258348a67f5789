"""The archive in a terminal: requests, captures, what there is in all, and what is damaged."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from rich.table import Table

from footfall.archive.captures import Capture, Request
from footfall.archive.contents import Contents
from footfall.archive.stored import Line
from footfall.archive.verifying import Damage, Round
from footfall.ports.searching import Results
from footfall.shells.cli.command import Surroundings, printable
from footfall.values.window import instant_text

if TYPE_CHECKING:
    from footfall.app.archive_acts import ArchiveActs


def show_requests(found: Sequence[Request], around: Surroundings, *, as_json: bool) -> None:
    """Show requests and what became of them."""
    rows = [(one.id, _moment(one.at_us), one.state.value, one.url, one.capture or one.says) for one in found]
    _show(around, found, ("request", "asked", "state", "address", "capture"), rows, as_json=as_json)


def show_captures(found: Sequence[Line], around: Surroundings, *, as_json: bool) -> None:
    """Show captures."""
    rows = [(one.id, _moment(one.at_us), str(one.status), one.final_url, one.title) for one in found]
    _show(around, found, ("capture", "at", "status", "address", "title"), rows, as_json=as_json)


def show_found(found: Results, acts: "ArchiveActs", around: Surroundings, *, as_json: bool) -> None:
    """Show what was found by words."""
    rows: list[tuple[str, ...]] = []
    for hit in found.hits:
        one = acts.capture(hit.id)
        if isinstance(one, Capture):
            excerpt = hit.excerpt.replace("\x02", "").replace("\x03", "")
            rows.append((one.id, _moment(one.at_us), one.final_url, one.title, excerpt))
    _show(around, found.hits, ("capture", "at", "address", "title", "text"), rows, as_json=as_json)


def show_contents(found: Contents, around: Surroundings, *, as_json: bool) -> None:
    """Show what there is in all."""
    rows = [(one.brand, f"{one.captures:,}", f"{one.removed:,}", f"{one.bytes:,}") for one in found.brands]
    _show(around, found, ("brand", "captures", "removed", "bytes, shared ones for each"), rows, as_json=as_json)
    if not as_json:
        around.say(f"{found.waiting:,} pages wait, {found.running:,} are being captured.")
        around.say(f"{found.objects:,} objects take {found.object_bytes:,} bytes; {found.loose:,} of them go soon.")


def show_verified(found: Round, damages: Sequence[Damage], around: Surroundings, *, as_json: bool) -> None:
    """Show what verifying found."""
    if as_json:
        around.say(msgspec.json.encode({"round": found, "damages": damages}).decode())
        return
    for one in damages:
        around.say(f"{one.sha256} is {one.what}")
    said = "all of them what was written" if not damages else f"{len(damages):,} of them damaged or missing"
    around.say(f"{found.objects:,} objects of {found.captures:,} captures, {found.bytes:,} bytes: {said}.")


def _show(
    around: Surroundings, found: object, columns: Sequence[str], rows: Sequence[tuple[str, ...]], *, as_json: bool
) -> None:
    if as_json:
        around.say(msgspec.json.encode(found).decode())
        return
    if not rows:
        around.say("There is nothing.")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(printable(cell) for cell in row))
    around.console().print(table)


def _moment(at_us: int) -> str:
    return instant_text(at_us // 1_000)
