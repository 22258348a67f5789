"""`footfall compare`: the same questions to two servers, and every difference between their lists."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
from rich.table import Table
from rich.text import Text

from footfall.shells.cli.calls import Caller, Reply, Unreachable, call_patiently
from footfall.shells.cli.command import (
    JSON,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    above_zero,
    printable,
    whole_from,
)
from footfall.shells.cli.differences import Difference, Tolerance, differences, has_same_span
from footfall.shells.cli.questions import (
    QUESTIONS_MAX,
    Known,
    drawn_questions,
    known_from,
    plain_questions,
    questions_from_file,
)
from footfall.shells.cli.secret_file import SECRET_FILE, key_headers
from footfall.values.errors import FootfallError
from footfall.values.period import DEFAULT_PERIODS

TRIES_MAX = 10  # While a server is busy, or reads what a long span needs.
ROUNDS_MAX = 3  # A window may close between the two servers' answers, and once more.


class NotCompared(FootfallError):
    """There was nothing that could be compared."""


@dataclass(slots=True)
class Result:
    """What came of the comparison so far."""

    asked: int = 0
    same: int = 0
    refused: int = 0  # by both, in the same way
    differences: list[Difference] = field(default_factory=list[Difference])


class Side:
    """One of the two servers."""

    def __init__(self, url: str, secret_file: str | None, around: Surroundings) -> None:
        self._caller = Caller(url, headers=key_headers(secret_file))
        self._around = around

    def ask(self, path: str) -> Reply:
        """Return the server's answer, waiting while it is busy."""
        return call_patiently(
            lambda: self._caller.call("GET", path),
            pause=self._around.pause,
            tries_max=TRIES_MAX,
            on_wait=lambda _: None,
        )

    def items(self, question: str) -> Sequence[Mapping[str, Any]]:
        """Return the entries of a list; none of one that is refused, which the comparison itself will tell."""
        reply = self.ask(f"/v1/popular?{question}")
        return items_of(reply) if reply.status == HTTPStatus.OK else []

    def periods(self) -> list[str]:
        """Return the names of the brand's own periods, when the key may read them."""
        reply = self.ask("/v1/brand")
        if reply.status != HTTPStatus.OK:
            return []
        own = reply.table().get("periods")
        return list(cast("Mapping[str, object]", own)) if isinstance(own, dict) else []

    def close(self) -> None:
        """Let go of the connection."""
        self._caller.close()


def compare(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask both servers, show what differs, and say it with the exit code."""
    if not arguments.brand and arguments.file is None:
        raise WrongUsage("Say which brand to compare with --brand, or give questions with --file.")
    tolerance = Tolerance(arguments.tolerance)
    right_file = arguments.right_secret_file or arguments.secret_file
    with (
        closing(Side(arguments.left, arguments.secret_file, around)) as left,
        closing(Side(arguments.right, right_file, around)) as right,
    ):
        result = Result()
        for question in _questions(arguments, left, right):
            _compare_one(question, left, right, tolerance=tolerance, into=result)
    if result.refused == result.asked:
        raise NotCompared(f"Both servers refused all of the {result.asked:,} questions; see --secret-file and --brand.")
    _tell(result, arguments, around)
    return Exit.REFUSED if result.differences else Exit.OK


def _questions(arguments: argparse.Namespace, left: Side, right: Side) -> Sequence[str]:
    if arguments.file is not None:
        return questions_from_file(Path(arguments.file))
    known = [_known(brand, arguments.period, left, right) for brand in arguments.brand]
    return drawn_questions(known, arguments.queries, chance=Random(arguments.seed))  # noqa: S311 - no secret


def _known(brand: str, periods: Sequence[str], left: Side, right: Side) -> Known:
    """Return what both servers' plain lists show of a brand."""
    if not periods:
        periods = list(dict.fromkeys([*DEFAULT_PERIODS, *left.periods(), *right.periods()]))
    questions = plain_questions(known_from(brand, periods, []))
    return known_from(brand, periods, (item for side in (left, right) for one in questions for item in side.items(one)))


def _compare_one(question: str, left: Side, right: Side, *, tolerance: Tolerance, into: Result) -> None:
    into.asked += 1
    found: list[Difference] = []
    for _ in range(ROUNDS_MAX):
        one, other = left.ask(f"/v1/popular?{question}"), right.ask(f"/v1/popular?{question}")
        if not one.status == other.status == HTTPStatus.OK:
            if one.status == other.status:
                into.refused += 1
                return
            found = [Difference(question, "status", "", one.status, other.status)]
            break
        for reply in (one, other):
            items_of(reply)
        found = list(differences(question, one.table(), other.table(), tolerance=tolerance))
        if not found or has_same_span(one.table(), other.table()):
            break
    into.same += not found
    into.differences += found


def items_of(reply: Reply) -> Sequence[Mapping[str, Any]]:
    """Return the entries of an answer, or raise Unreachable when it is no list of ours."""
    items = reply.table().get("items")
    if not isinstance(items, list):
        raise Unreachable("An answer is not a list of popular assets; check that both addresses are footfalls.")
    return cast("list[Mapping[str, Any]]", items)


def _tell(result: Result, arguments: argparse.Namespace, around: Surroundings) -> None:
    if arguments.json:
        around.say(msgspec.json.encode(asdict(result)).decode())
        return
    if result.differences:
        table = Table(box=None, header_style="bold", pad_edge=False)
        for name in ("question", "what", "asset", "left", "right"):
            table.add_column(name, overflow="fold")
        for one in result.differences:
            values = (one.query, one.what, one.asset, one.left, one.right)
            table.add_row(*(printable(value) for value in values))
        around.console().print(table)
    differing = result.asked - result.same - result.refused
    told = f"{result.asked:,} questions: {result.same:,} answers are the same, {differing:,} differ"
    refused = f", {result.refused:,} were refused by both" if result.refused else ""
    around.console().print(Text(f"{told}{refused}."))


def _percent(text: str) -> float:
    return 0.0 if text == "0" else above_zero(text)


COMMAND = Command(
    name="compare",
    says="Ask two servers the same questions and show every difference between their lists.",
    example="footfall compare --left http://127.0.0.1:8080 --right https://footfall.example.com --brand abc",
    more_examples=(
        "footfall compare --left URL --right URL --brand abc --queries 1000 --seed 8 --tolerance 2",
        "footfall compare --left URL --right URL --file asked-yesterday.txt --json",
    ),
    run=compare,
    tells=(
        "Members, rank, change, hits and labels are compared. When an answer was made (revision, final,\n"
        "keptSince) and what the catalogue adds (title, address) may differ. Closed lists have to be the same;\n"
        "lists with the open window may be as far apart as --tolerance says, because hits arrive between the\n"
        "two answers."
    ),
    exits={
        Exit.FAILED: "it failed, or nothing could be compared",
        Exit.UNREACHABLE: "a server does not answer",
        Exit.REFUSED: "the answers differ",
    },
    arguments=(
        Argument("--left", "The address of one server.", shows="URL", required=True),
        Argument("--right", "The address of the other.", shows="URL", required=True),
        Argument("--brand", "The brand; may be repeated.", shows="BRAND", repeated=True),
        Argument("--period", "Only this period; may be repeated.", shows="PERIOD", repeated=True),
        Argument(
            "--queries", "How many questions are drawn.", shows="N", reads=whole_from(1, QUESTIONS_MAX), default=200
        ),
        Argument(
            "--seed",
            "Which questions are drawn; the same number draws the same.",
            shows="N",
            reads=whole_from(0, 2**31),
            default=7,
        ),
        Argument("--file", "Questions of your own instead, one a line, such as brand=abc&period=day.", shows="FILE"),
        Argument(
            "--tolerance",
            "How many percent counts may be apart in lists with the open window.",
            shows="PERCENT",
            reads=_percent,
            default=0.0,
        ),
        SECRET_FILE,
        Argument("--right-secret-file", "A file with a secret key for the other server.", shows="FILE"),
        JSON,
    ),
)
