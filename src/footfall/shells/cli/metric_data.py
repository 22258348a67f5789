"""`footfall metrics get-data` and `push`: a metric's numbers as a table, and points out of a file."""

import argparse
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.table import Table

from footfall.shells.cli.command import Exit, Surroundings, WrongUsage, printable
from footfall.values.window import instant_text

SENT_BYTES_MAX: Final = 15 << 20  # of a file once it is packed: what a running instance takes in one request
FORMS: Final = {".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson", ".json": "json"}

Asked = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class NoPoints(WrongUsage):
    """The arguments do not say where points are read from, or that cannot be read."""


class NoSpan(WrongUsage):
    """The arguments do not say from which day to which numbers are wanted."""


def get_data(arguments: argparse.Namespace, around: Surroundings, asked: Asked, *, name: str) -> int:
    """Ask for a metric's numbers and show them."""
    _require_days(arguments)
    answer = asked({"do": "metrics-data", "name": name, "given": _given(arguments)})
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
    elif arguments.csv:
        from footfall.app.metric_questions import table_of

        around.say(b"".join(table_of(answer)).decode().rstrip("\r\n"))
    else:
        _show(answer, around)
    return Exit.OK


def _require_days(arguments: argparse.Namespace) -> None:
    """Refuse a span that cannot be asked for before anybody is asked."""
    for flag in ("from", "to"):
        text: str | None = getattr(arguments, flag)
        try:
            date.fromisoformat(text or "")
        except ValueError:
            what = "is missing" if text is None else f"{text[:40]!r} is not a day"
            raise NoSpan(f"--{flag} {what}: get-data needs days, as in --{flag} 2026-01-31.") from None


def push(arguments: argparse.Namespace, around: Surroundings, asked: Asked, *, name: str) -> int:
    """Send the points of a file, or of the standard input, and tell what was taken."""
    from footfall.app.metric_data_control import packed_points

    if arguments.points is None:
        raise NoPoints("push needs the FILE that holds the points, or - for the standard input.")
    body = _read(arguments.points, around)
    sent = packed_points(body)
    if len(sent) > SENT_BYTES_MAX:
        raise NoPoints(f"{arguments.points} has {len(sent):,} bytes once it is packed; push it in parts.")
    form = FORMS.get(Path(arguments.points).suffix.lower()) or _form(body)
    told = asked({"do": "metrics-push", "name": name, "data": sent, "form": form})
    if arguments.json:
        around.say(msgspec.json.encode(told).decode())
    else:
        around.say(
            f"{told['points']:,} points of {told['days']:,} days; {told['changedDays']:,} days are different now."
        )
    return Exit.OK


def _given(arguments: argparse.Namespace) -> dict[str, list[str]]:
    """Return the parameters of the address that would ask for the same."""
    as_of = None if arguments.as_of is None else instant_text(arguments.as_of)
    single = {
        "from": vars(arguments)["from"], "to": arguments.to, "grain": arguments.grain, "hash": arguments.hash,
        "version": None if arguments.version is None else str(arguments.version), "asOf": as_of,
    }  # fmt: skip
    given = {name: [value] for name, value in single.items() if value is not None}
    return {**given, "by": arguments.by, "where": arguments.where}


def _read(place: str, around: Surroundings) -> bytes:
    if place == "-":
        return around.stdin.read()
    try:
        return Path(place).read_bytes()
    except OSError as error:
        raise NoPoints(f"{place} cannot be read: {error.strerror}.") from error


def _form(body: bytes) -> str:
    """Return how points are written whose file has no name that tells it."""
    first = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return {b"[": "json", b"{": "ndjson"}.get(first, "csv")


def _show(answer: Mapping[str, Any], around: Surroundings) -> None:
    coverage: Mapping[str, Any] = answer["coverage"]
    unit = "hours" if "hours" in coverage else "days"
    used = answer["versions"][answer["metric"]]["version"]
    around.complain(
        f"{printable(answer['metric'])} (version {used}) in {answer['unit']}: {coverage['withData']:,} of "
        f"{coverage[unit]:,} {unit} have data{'' if answer['exact'] else '; some numbers are estimates'}."
    )
    for dimension, values in answer["unmatched"].items():
        around.complain(f"No data of the span have {dimension} {', '.join(str(printable(one)) for one in values)}.")
    for name, one in answer["versions"].items():
        if (gone := one.get("deprecated")) is not None:
            instead = f" Use {printable(gone['replacement'])} instead." if "replacement" in gone else ""
            around.complain(f"{printable(name)} is deprecated: {printable(gone['reason'])}.{instead}")
    table = Table(box=None, pad_edge=False)
    by: list[str] = answer["by"]
    for one in ("period", *by):
        table.add_column(printable(one))
    table.add_column("value", justify="right")
    for item in answer["items"]:
        value = "" if item["value"] is None else f"{item['value']:,.10g}"
        table.add_row(item["period"], *(printable(item["dimensions"][one]) for one in by), value)
    around.console().print(table)
