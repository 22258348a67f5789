"""`footfall uniques`: counters of distinct values by name: added to, shown, united, listed, deleted, out and in."""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from rich.table import Table
from rich.text import Text

from footfall.shells.cli.calls import Caller, Reply, answer_of, call_patiently
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
)
from footfall.shells.cli.hits_file import FileUnreadable, opened
from footfall.shells.cli.secret_file import BRAND_OR_KEY, SECRET_FILE, SIGN, brand_asked, key_headers, signer
from footfall.shells.cli.send import TRIES_MAX
from footfall.values.window import instant_text

ACTIONS = ("add", "show", "union", "list", "delete", "export", "import")
KINDS = ("hll", "theta")
BATCH_VALUES_MAX = 5_000  # What a server takes at once unless it is set otherwise.
BATCH_BYTES_MAX = 900_000
LINE_BYTES_MAX = 65_536  # Eight times the longest value: whatever is longer is no list of values.
PAGE_NAMES = 1_000  # the most that a server lists at once
SKETCH_BYTES_MAX = 1_048_576

_LINES = {"Content-Type": "application/x-ndjson"}
_OCTETS = {"Content-Type": "application/octet-stream"}


class WrongWords(WrongUsage):
    """The action needs other words or flags than were given."""


def uniques(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Add to, show, unite, list, delete, export or import named counters."""
    _require_words(arguments)
    desk = _Desk(arguments, around)
    does = {
        "add": _add,
        "show": _show,
        "union": _show,
        "list": _list,
        "delete": _delete,
        "export": _export,
        "import": _import,
    }
    with closing(desk.caller):
        return does[arguments.action](desk, arguments, around)


class _Desk:
    """Calls about one brand's counters."""

    def __init__(self, arguments: argparse.Namespace, around: Surroundings) -> None:
        self.caller = Caller(arguments.url, sign=signer(arguments, around))
        self._brand = brand_asked(arguments)
        self._around = around
        self._headers = key_headers(arguments.secret_file)

    def call(
        self,
        method: str,
        path: str,
        query: Iterable[tuple[str, str]] = (),
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        target = f"{path}?{urlencode([*self._brand.items(), *query])}"
        sent = {**self._headers, **(headers or {})}
        if method != "GET":
            sent["Idempotency-Key"] = self._around.new_key()
        reply = call_patiently(
            lambda: self.caller.call(method, target, body=body, headers=sent),
            pause=self._around.pause,
            tries_max=TRIES_MAX,
            on_wait=self._around.complain,
        )
        return answer_of(reply)


def _add(desk: _Desk, arguments: argparse.Namespace, around: Surroundings) -> int:
    name, *values = arguments.words
    accepted = refused = 0
    for batch in _batches(iter(values) if arguments.file is None else _values_of(arguments.file, around)):
        told = _sent(desk, name, batch, around)
        accepted, refused = accepted + told[0], refused + told[1]
    around.say(f"{accepted:,} accepted, {refused:,} refused")
    return Exit.REFUSED if refused else Exit.OK


def _sent(desk: _Desk, name: str, batch: Sequence[str], around: Surroundings) -> tuple[int, int]:
    body = b"".join(msgspec.json.encode(value) + b"\n" for value in batch)
    answer = desk.call("POST", _path(name), body=body, headers=_LINES).table()
    refused: Sequence[Mapping[str, Any]] = answer.get("refused", ())
    for one in refused:
        around.complain(f"refused: {printable(batch[int(one['index'])][:60])}: {printable(one['reason'])}")
    return int(answer["accepted"]), len(refused)


def _values_of(name: str, around: Surroundings) -> Iterator[str]:
    """Yield the lines of a file that have anything in them."""
    with opened(name, stdin=around.stdin) as file:
        while line := file.readline(LINE_BYTES_MAX + 1):
            if len(line) > LINE_BYTES_MAX:
                raise FileUnreadable(f"{name} has a line of over {LINE_BYTES_MAX:,} bytes; write one value a line.")
            try:
                text = line.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise FileUnreadable(f"{name} is not UTF-8: {error}.") from error
            if text:
                yield text


def _batches(values: Iterator[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for value in values:
        length = len(msgspec.json.encode(value)) + 1
        if batch and (len(batch) == BATCH_VALUES_MAX or size + length > BATCH_BYTES_MAX):
            yield batch
            batch, size = [], 0
        batch.append(value)
        size += length
    if batch:
        yield batch


def _show(desk: _Desk, arguments: argparse.Namespace, around: Surroundings) -> int:
    span = _span(arguments)
    if arguments.action == "show":
        reply = desk.call("GET", _path(arguments.words[0]), span)
    else:
        sets = (("union", arguments.words), ("intersect", arguments.intersect), ("minus", arguments.minus))
        reply = desk.call("GET", "/v1/uniques", [(word, name) for word, names in sets for name in names] + span)
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    answer = reply.table()
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(style="dim")
    table.add_row(Text("distinct values"), Text(f"{answer['estimate']:,}"), Text("about"))
    table.add_row(Text("at least"), Text(f"{answer['lower']:,}"), Text(f"with {answer['confidence']:.0%} confidence"))
    if answer["upper"] is not None:
        table.add_row(Text("at most"), Text(f"{answer['upper']:,}"), Text("likewise"))
    around.console().print(table)
    if "from" in answer:
        around.say(f"Whole days from {printable(answer['from'])} to {printable(answer['to'])}.")
    if "keptSince" in answer:
        around.say(
            f"Days before {printable(answer['keptSince'])} are not kept any more: there may have been more values."
        )
    return Exit.OK


def _list(desk: _Desk, arguments: argparse.Namespace, around: Surroundings) -> int:
    after: list[tuple[str, str]] = []
    while True:
        answer = desk.call("GET", "/v1/counters", [("limit", str(PAGE_NAMES)), *after]).table()
        for one in answer["items"]:
            around.say(msgspec.json.encode(one).decode() if arguments.json else f"{printable(one['name'])}")
        if "after" not in answer:
            return Exit.OK
        after = [("after", answer["after"])]


def _delete(desk: _Desk, arguments: argparse.Namespace, around: Surroundings) -> int:
    desk.call("DELETE", _path(arguments.words[0]))
    around.say(f"{printable(arguments.words[0])} will be gone as soon as this is counted.")
    return Exit.OK


def _export(desk: _Desk, arguments: argparse.Namespace, around: Surroundings) -> int:
    query = [("kind", arguments.kind), *_span(arguments)]
    sketch = desk.call("GET", f"{_path(arguments.words[0])}/sketch", query).body
    try:
        Path(arguments.file).write_bytes(sketch)
    except OSError as error:
        raise FileUnreadable(f"{arguments.file} cannot be written: {error.strerror}.") from error
    around.say(f"{len(sketch):,} bytes written to {arguments.file}")
    return Exit.OK


def _import(desk: _Desk, arguments: argparse.Namespace, around: Surroundings) -> int:
    with opened(arguments.file, stdin=around.stdin) as file:
        sketch = file.read(SKETCH_BYTES_MAX + 1)
    if len(sketch) > SKETCH_BYTES_MAX:
        raise FileUnreadable(f"{arguments.file} has more than {SKETCH_BYTES_MAX:,} bytes; no sketch has as many.")
    path = f"{_path(arguments.words[0])}/sketch"
    desk.call("PUT", path, [("kind", arguments.kind)], body=sketch, headers=_OCTETS)
    around.say(f"{printable(arguments.words[0])} is what the sketch says as soon as this is counted.")
    return Exit.OK


def _path(name: str) -> str:
    return f"/v1/uniques/{quote(name, safe='')}"


def _span(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    ends = (("from", getattr(arguments, "from")), ("to", arguments.to))
    return [(word, instant_text(moment_ms)) for word, moment_ms in ends if moment_ms is not None]


def _require_words(arguments: argparse.Namespace) -> None:
    action, words, file = arguments.action, arguments.words, arguments.file
    if action == "list" and words:
        raise WrongWords("uniques list takes no NAME; it lists the counters of the brand.")
    if action in ("add", "union") and not words:
        raise WrongWords(f"uniques {action} needs a NAME.")
    if action == "add" and (len(words) > 1) == (file is not None):
        raise WrongWords("uniques add takes a NAME and either VALUEs or --file FILE with one value a line.")
    if action in ("show", "delete", "export", "import") and len(words) != 1:
        raise WrongWords(f"uniques {action} takes one NAME.")
    if action in ("export", "import") and file is None:
        raise WrongWords(f"uniques {action} needs --file FILE for the sketch.")


COMMAND = Command(
    name="uniques",
    says="Count distinct values by name: add to, show, unite, list, delete, export or import counters.",
    example="footfall uniques add --brand abc campaign-7 reader-1 reader-2",
    run=uniques,
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument(
            "words",
            "The counter's name; for add values after it, for union more names, for list none.",
            "NAME",
            repeated=True,
            may_be_absent=True,
        ),
        URL,
        BRAND_OR_KEY,
        SECRET_FILE,
        SIGN,
        Argument("--intersect", "Of union: only what is in this counter, too.", shows="NAME", repeated=True),
        Argument("--minus", "Of union: without what is in this counter.", shows="NAME", repeated=True),
        Argument("--from", "Only the brand's days from this moment on.", shows="TIME", reads=moment),
        Argument("--to", "And up to this moment.", shows="TIME", reads=moment),
        Argument("--file", "Values, one a line (- is the standard input), or a sketch.", shows="FILE"),
        Argument("--kind", "Which sketch to export or import.", choices=KINDS, default="hll"),
        JSON,
    ),
    tells=(
        "A counter is made with its first value, and a value counts once, however often it comes. What is kept\n"
        "is a sketch: the answer is an estimate with bounds. Sketches are exported and imported in Apache\n"
        "DataSketches' own format. docs/how-to/count-anything-once.md tells more.\n"
        "--intersect and --minus belong to union, --from and --to to show, union and export."
    ),
    more_examples=(
        "footfall uniques show --brand abc campaign-7",
        "footfall uniques union --brand abc campaign-7 campaign-8 --minus staff",
        "footfall uniques export --brand abc campaign-7 --file campaign-7.hll",
        "footfall uniques list --brand abc",
        "footfall uniques delete --brand abc campaign-7",
    ),
    exits={Exit.REFUSED: "the server refused it, or some of the values"},
)
