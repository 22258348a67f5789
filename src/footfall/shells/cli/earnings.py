"""`footfall earnings`: a period's money divided by watched time: closed, shown, corrected, and traced back."""

import argparse
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from footfall.shells.cli.asking import settings_of, user_name
from footfall.shells.cli.audience_action import say_json, say_rows
from footfall.shells.cli.command import BRAND, CONFIG, DATA, JSON, Argument, Command, Exit, Surroundings, WrongUsage
from footfall.shells.cli.hits_file import FileUnreadable

if TYPE_CHECKING:
    from footfall.app.audience_earnings import Drawn
    from footfall.app.earnings_log import WatchLog
    from footfall.app.settings import Settings
    from footfall.ports.table import Table

HOUR_MS = 3_600_000
FILE_BYTES_MAX = 100_000_000


@dataclass(frozen=True, slots=True)
class _Desk:
    """What an action works with."""

    table: "Table"
    store: "Table"
    settings: "Settings"
    brand: str
    zone: str
    arguments: argparse.Namespace
    around: Surroundings

    @property
    def log(self) -> "WatchLog":
        """Return the brand's watch log."""
        from footfall.app.earnings_log import WatchLog
        from footfall.audience.erased import erased_members

        shards, erased = self.settings.stream_shards, erased_members(self.table, self.brand)
        return WatchLog(self.store, self.brand, self.zone, shards, erased)

    @property
    def lateness_ms(self) -> int:
        """Return how old beats may be that are taken."""
        return self.settings.count_lateness_hours * HOUR_MS


def earnings(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with a brand's earnings."""
    with _opened(arguments, around) as desk:
        return ACTIONS[arguments.action](desk)


def _close(desk: _Desk) -> int:
    from footfall.app.audience_earnings import asked_to_close, draw_statement, read_to_close

    asked, now_ms = asked_to_close(_file(desk), zone=desk.zone), desk.around.clock.now_ms()
    read = read_to_close(desk.log, asked, now_ms=now_ms, lateness_ms=desk.lateness_ms)
    drawn = draw_statement(desk.table, desk.brand, asked, read, by=_by(), now_ms=now_ms)
    return _written(desk, drawn, is_dry=asked.is_dry)


def _correct(desk: _Desk) -> int:
    from footfall.app.audience_earnings import asked_to_correct, draw_correction, read_to_correct, standing

    document = _file(desk)
    stands = standing(desk.table, desk.brand, str(document.pop("name", "")))
    asked, now_ms = asked_to_correct(document, stands.terms, zone=desk.zone), desk.around.clock.now_ms()
    read = read_to_correct(desk.log, asked, stands, now_ms=now_ms, lateness_ms=desk.lateness_ms)
    drawn = draw_correction(desk.table, desk.brand, asked, read, by=_by(), now_ms=now_ms)
    return _written(desk, drawn, is_dry=asked.is_dry)


def _written(desk: _Desk, drawn: "Drawn", *, is_dry: bool) -> int:
    """Note an entry and write it, unless it was only asked what it would be; show it."""
    from footfall.app.audience_earnings import drawn_document, entry_document, note_of, told_entries, write
    from footfall.app.control_audit import write_down

    if is_dry:
        entries = [drawn_document(drawn, is_dry=True)]
    else:
        write_down(desk.settings, desk.around.clock, note_of(desk.brand, drawn))
        write(desk.table, desk.brand, drawn)
        told = told_entries(desk.table, desk.brand, drawn.entry.name)
        entries = [entry_document(entry, lines) for entry, lines in told]
    _say_entries(desk, entries, warnings=drawn.warnings)
    if not desk.arguments.json:
        for warning in drawn.warnings:
            desk.around.say(f"Look again: {warning}.")
        if is_dry:
            desk.around.say("Nothing was written.")
    return Exit.OK


def _list(desk: _Desk) -> int:
    from footfall.app.audience_earnings import statements_document

    document = statements_document(desk.table, desk.brand)
    if desk.arguments.json:
        say_json(document, desk.around)
    else:
        columns = ("name", "from", "to", "method", "amount", "currency", "closedAt", "by")
        say_rows(document["periods"], desk.around, *columns, nothing="No period was closed.")
    return Exit.OK


def _show(desk: _Desk) -> int:
    from footfall.app.audience_earnings import entry_document, told_entries

    told = told_entries(desk.table, desk.brand, _name(desk))
    _say_entries(desk, [entry_document(entry, lines) for entry, lines in told])
    return Exit.OK


def _csv(desk: _Desk) -> int:
    from footfall.app.audience_earnings import told_entries
    from footfall.audience.statement_text import statement_csv

    told = told_entries(desk.table, desk.brand, _name(desk))
    desk.around.say(b"".join(statement_csv(told, zone=desk.zone)).decode().replace("\r\n", "\n").rstrip("\n"))
    return Exit.OK


def _page(desk: _Desk) -> int:
    from footfall.app.audience_earnings import told_entries
    from footfall.audience.statement_text import statement_page

    told = told_entries(desk.table, desk.brand, _name(desk))
    desk.around.say(statement_page(desk.brand, told, zone=desk.zone))
    return Exit.OK


def _trace(desk: _Desk) -> int:
    from footfall.app.audience_earnings import standing, trace_document

    name, asset = _name(desk), desk.arguments.asset
    if not asset:
        raise WrongUsage("Say whose money is traced with --asset, and which cent of it with --cent.")
    found = trace_document(desk.log, standing(desk.table, desk.brand, name), asset=asset, cent=desk.arguments.cent)
    if desk.arguments.json:
        say_json(found, desk.around)
        return Exit.OK
    desk.around.say(f"Unit {found['cent']} of the {found['of']} of {asset} lies over {found['rows']} rows of the log:")
    say_rows(found["watched"], desk.around, "session", "member", "day", "from", "to", "milliseconds", nothing="none")
    return Exit.OK


def _say_entries(desk: _Desk, entries: Sequence[Mapping[str, Any]], *, warnings: Sequence[str] = ()) -> None:
    from footfall.audience.statement_text import money

    if desk.arguments.json:
        say_json({"entries": entries, "warnings": list(warnings)}, desk.around)
        return
    for one in entries:
        called = f"correction {one['entry']}: {one['reason']}" if one["entry"] else "statement"
        desk.around.say(
            f"{one['name']}, {called} ({one['currency']}, {one['method']}, closed {one['closedAt']} by {one['by']})"
        )
        say_rows(one["lines"], desk.around, "asset", "owner", "minutes", "shown", nothing="Nothing was watched.")
        if one["undivided"]:
            desk.around.say(f"Undivided: {money(one['undivided'], one['digits'])}.")


@contextmanager
def _opened(arguments: argparse.Namespace, around: Surroundings) -> Generator[_Desk]:
    from footfall.app import wiring
    from footfall.app.audience_opening import open_audience_table
    from footfall.app.kept_settings import kept_settings
    from footfall.app.known_brand import require_brand

    settings, brand = settings_of(arguments, around, may_be_new=True), arguments.brand
    if settings.ground != "aws":
        # By other shards or days than those that it counts by, only some of the log would be read.
        settings = kept_settings(settings.data_dir) or settings
    require_brand(settings, around.clock, brand)
    zone = wiring.zone_of(settings, around.clock)(brand)
    with (
        closing(open_audience_table(settings, around.clock)) as table,
        closing(wiring.open_store(settings, around.clock, read_only=True)) as store,
    ):
        yield _Desk(table, store, settings, brand, zone, arguments, around)


def _name(desk: _Desk) -> str:
    if not desk.arguments.what:
        raise WrongUsage(f"{desk.arguments.action} needs the name of a period, as list shows it.")
    return desk.arguments.what


def _file(desk: _Desk) -> dict[str, Any]:
    """Return the JSON object in the file that an action names, with what the command line says beside it."""
    said = {name: True for name, is_said in _SAID.items() if is_said(desk.arguments)}
    if not desk.arguments.what:
        raise WrongUsage(f"{desk.arguments.action} needs a file with the terms as JSON.")
    path = Path(desk.arguments.what)
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(FILE_BYTES_MAX), type=dict[str, Any]) | said
    except OSError as error:
        raise FileUnreadable(f"{path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FileUnreadable(f"{path} is not a JSON object: {error}") from error


def _by() -> str:
    from footfall.accounts.audit import command_line

    return command_line(user_name())


_SAID: Final[Mapping[str, Callable[[argparse.Namespace], bool]]] = {
    "dryRun": lambda arguments: arguments.dry_run, "anew": lambda arguments: arguments.anew,
}  # fmt: skip
ACTIONS: Final[Mapping[str, Callable[[_Desk], int]]] = {
    "close": _close, "correct": _correct, "list": _list, "show": _show, "csv": _csv, "page": _page, "trace": _trace,
}  # fmt: skip

COMMAND = Command(
    name="earnings",
    says="Divide a period's money over assets and owners by what was watched.",
    tells="close and correct take a file with terms as JSON: name, from, to (days; to is the first after the period), "
    "currency, method (pro-rata or member-centric), pool or fees in minor units, owners. A closed period is never "
    "changed; correct adds an entry, with a reason. --dry-run shows either before it is written. show, csv, page and "
    "trace take the name of a period.",
    example="footfall earnings close october.json --data data --brand daily",
    more_examples=(
        "footfall earnings close october.json --dry-run --data data --brand daily",
        "footfall earnings csv 2026-10 --data data --brand daily > october.csv",
        "footfall earnings trace 2026-10 --asset film-7 --cent 12 --data data --brand daily",
    ),
    run=earnings,
    arguments=(
        Argument("action", "What to do.", choices=tuple(ACTIONS)),
        Argument("what", "A period's name, or a file with terms.", shows="PERIOD|FILE", may_be_absent=True),
        BRAND,
        Argument("--asset", "Whose money is traced.", shows="ASSET", default=""),
        Argument("--cent", "Which minor unit of it, from 1.", shows="N", reads=int, default=1),
        Argument("--dry-run", "Show what close or correct would write, and write nothing.", is_switch=True),
        Argument("--anew", "Correct by the watch log as it is now, though it has changed.", is_switch=True),
        JSON,
        DATA,
        CONFIG,
    ),
    exits={Exit.FAILED: "it failed", Exit.REFUSED: "it was refused"},
)
