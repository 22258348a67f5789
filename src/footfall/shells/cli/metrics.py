"""`footfall metrics`: a brand's metrics: defined, changed, deprecated, found, compared, traced, and kept as files."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

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
from footfall.shells.cli.metric_data import get_data, push
from footfall.shells.cli.metric_fields import document_given
from footfall.shells.cli.metric_report import tell_diff, tell_lineage, tell_list, tell_own, tell_plan, tell_versions
from footfall.values.window import instant_text

if TYPE_CHECKING:
    from footfall.metrics.applying import Wanted

ACTIONS: Final = (
    "add", "update", "deprecate", "restore", "get", "list", "search", "versions", "diff", "lineage", "remove",
    "export", "apply", "get-data", "push", "own",
)  # fmt: skip
FORMATS: Final = ("yaml", "ossie")
STEP: Final = 500  # metrics in one answer of an export


class WhichMetric(WrongUsage):
    """The arguments do not say which metric, file or folder is meant."""


Asked = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def metrics(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with a brand's metrics."""
    action: str = arguments.action
    settings = settings_of(arguments, around)

    def asked(request: Mapping[str, Any]) -> Mapping[str, Any]:
        return ask(settings, {"brand": arguments.brand, **request}, on_progress=lambda _share: None)

    if action == "export":
        return _export(arguments, around, asked)
    if action == "apply":
        return _apply(arguments, around, asked)
    if action in ("get-data", "push"):
        do = get_data if action == "get-data" else push
        return do(arguments, around, asked, name=_named(arguments))
    if action == "own":
        return _own(arguments, around, asked)
    if action in ("add", "update"):
        return _saved(arguments, around, asked)
    answer = asked({"do": f"metrics-{'list' if action == 'search' else action}", **_request(arguments)})
    if arguments.json or action in ("get", "deprecate", "restore", "remove"):
        _say(answer, arguments, around)
    else:
        _TELL[action](answer, around)
    return Exit.OK


def _own(arguments: argparse.Namespace, around: Surroundings, asked: Asked) -> int:
    """Define a metric for each of footfall's own counts that has none."""
    if arguments.what is not None:
        raise WhichMetric("own takes no NAME: it defines a metric for each of footfall's own counts that has none.")
    answer = asked({"do": "metrics-own"})
    if arguments.json:
        _say(answer, arguments, around)
    else:
        tell_own(answer, around)
    return Exit.OK


_TELL: Final[Mapping[str, Callable[[Mapping[str, Any], Surroundings], None]]] = {
    "list": tell_list,
    "search": tell_list,
    "versions": tell_versions,
    "diff": tell_diff,
    "lineage": tell_lineage,
}


def _request(arguments: argparse.Namespace) -> Mapping[str, Any]:
    action: str = arguments.action
    if action in ("list", "search"):
        if (action == "search") != (arguments.what is not None):
            raise WhichMetric("search takes the words to look for, and list takes none.")
        return {
            "q": arguments.what or "", "prefix": arguments.prefix, "valueType": arguments.value_type,
            "uses": arguments.uses, "limit": arguments.limit, "after": arguments.after,
            "deprecated": True if arguments.deprecated else None,
        }  # fmt: skip
    request: dict[str, Any] = {"name": _named(arguments)}
    if action in ("deprecate", "restore"):
        told = {"reason": arguments.reason, "replacement": arguments.replacement, "version": arguments.version}
        return {**request, "document": {name: value for name, value in told.items() if value is not None}}
    if action == "get":
        as_of = None if arguments.as_of is None else instant_text(arguments.as_of)
        return {**request, "version": arguments.version, "hash": arguments.hash, "asOf": as_of}
    if action == "diff":
        return {**request, "from": _number(arguments, "from"), "to": _number(arguments, "to")}
    return {**request, "limit": arguments.limit} if action == "versions" else request


def _named(arguments: argparse.Namespace) -> str:
    if arguments.what is None:
        raise WhichMetric(f"{arguments.action} needs the NAME of a metric.")
    return str(arguments.what)


def _number(arguments: argparse.Namespace, flag: str) -> int | None:
    text: str | None = getattr(arguments, flag)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise WhichMetric(f"--{flag} of diff is the number of a version, such as 1, not {text[:40]!r}.")
    return int(text)


def _saved(arguments: argparse.Namespace, around: Surroundings, asked: Asked) -> int:
    """Add a metric, or change one: from a file, or field by field."""
    known = _from_file(arguments)
    name = known.get("name") if arguments.what is None else arguments.what
    if not isinstance(name, str):
        raise WhichMetric(f"{arguments.action} needs the NAME of a metric, or --file with a document that has one.")
    based_on: dict[str, Any] = {}
    if arguments.action == "update":
        newest = asked({"do": "metrics-get", "name": name})
        # What no flag names stays as it is; a file says all of it.
        known = known if arguments.file else _decided(newest)
        based_on["version"] = arguments.version or newest["version"]
    document = {**document_given(arguments, known), "name": name, **based_on}
    if arguments.reason is not None:
        document["reason"] = arguments.reason
    answer = asked({"do": f"metrics-{arguments.action}", "name": name, "document": document})
    _say(answer, arguments, around)
    return Exit.OK


def _decided(told: Mapping[str, Any]) -> dict[str, Any]:
    from footfall.metrics.applying import FILE_FIELDS

    kept = {name: told[name] for name in FILE_FIELDS if name in told}
    if kept["valueType"] == "HYBRID":
        # A new formula may have another unit, which is worked out.
        kept = {name: value for name, value in kept.items() if name not in ("unit", "relatedDimensions")}
    return kept


def _from_file(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.file is None:
        return {}
    from footfall.shells.cli.metric_files import file_at

    found = file_at(Path(arguments.file)).metrics
    if len(found) != 1:
        raise WhichMetric(f"{arguments.file} has {len(found)} metrics; footfall metrics apply takes folders of many.")
    return dict(found[0].document)


def _export(arguments: argparse.Namespace, around: Surroundings, asked: Asked) -> int:
    """Write all metrics into files, or print them in the open form."""
    from footfall.shells.cli.metric_files import files_below, text_of_metrics, written_files

    if arguments.format == "ossie":
        whole = asked({"do": "metrics-interchange"})
        text = msgspec.json.encode(whole).decode() if arguments.json else text_of_metrics([whole])
        if arguments.what is None:
            around.say(text.rstrip("\n"))
        else:
            Path(arguments.what).write_text(text, encoding="utf-8")
        return Exit.OK
    if arguments.what is None:
        raise WhichMetric("export needs the folder DIR that the files go to.")
    documents = list[Mapping[str, Any]]()
    after: str | None = ""
    while after is not None:
        page = asked({"do": "metrics-export", "limit": STEP, "after": after})
        documents += page["items"]
        after = page.get("after")
    folder = Path(arguments.what)
    folder.mkdir(parents=True, exist_ok=True)
    written = len(list(written_files(folder, documents, files_below(folder))))
    around.complain(f"{len(documents):,} metrics are in {folder}; {written:,} of its files were written or removed.")
    return Exit.OK


def _apply(arguments: argparse.Namespace, around: Surroundings, asked: Asked) -> int:
    """Make the catalogue what the files say, or tell what that would change."""
    from footfall.app.metric_control import packed
    from footfall.shells.cli.metric_files import files_below

    if arguments.what is None:
        raise WhichMetric("apply needs the folder DIR that holds the files.")
    wanted = [one for file in files_below(Path(arguments.what)) for one in file.metrics]
    plan = asked(
        {
            "do": "metrics-apply",
            "data": packed(wanted),
            "dry_run": arguments.dry_run,
            "prune": arguments.prune,
            "reason": arguments.reason,
        }
    )
    plan = {**plan, "refused": [_at_its_line(one, wanted) for one in plan["refused"]]}
    if arguments.json:
        around.say(msgspec.json.encode(plan).decode())
    else:
        tell_plan(plan, around, is_dry=arguments.dry_run)
    return Exit.REFUSED if plan["refused"] else Exit.OK


def _at_its_line(refused: Mapping[str, Any], wanted: Sequence["Wanted"]) -> Mapping[str, Any]:
    """Return a refusal with the line of its field in the place of the metric's first."""
    for one in wanted:
        line = one.lines.get(str(refused["field"]).partition(".")[0])
        if one.place == refused["place"] and line is not None:
            return {**refused, "place": f"{one.place.rpartition(':')[0]}:{line}"}
    return refused


def _say(answer: Mapping[str, Any], arguments: argparse.Namespace, around: Surroundings) -> None:
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
        return
    from footfall.shells.cli.metric_files import text_of_metrics

    around.say(text_of_metrics([answer]).rstrip("\n"))
    for one in answer.get("warnings", ()):
        around.complain(f"Note: {printable(one)}.")


COMMAND = Command(
    name="metrics",
    says="Define, change, find, trace and ask for a brand's metrics, and keep them as files.",
    example="footfall metrics add reads_rate --data data --brand abc --value-type HYBRID --formula 'reads / visitors'",
    more_examples=(
        "footfall metrics own --data data --brand abc",
        "footfall metrics add paid --counts hits --where paidType:paid --dimension section --data data --brand abc",
        "footfall metrics search 'per visitor' --data data --brand abc",
        "footfall metrics lineage reads --data data --brand abc",
        "footfall metrics export metrics/ --data data --brand abc",
        "footfall metrics apply metrics/ --dry-run --data data --brand abc",
        "footfall metrics export model.yaml --format ossie --data data --brand abc",
        "footfall metrics push reads points.csv --data data --brand abc",
        "footfall metrics get-data reads --from 2026-11-01 --to 2026-12-01 --by section --data data --brand abc",
    ),
    run=metrics,
    tells="own defines a metric for each of footfall's own counts that has none. WHAT is the NAME of a metric, the\n"
    "words to search for, or the folder DIR of export and apply. FILE holds the points of push; - is the standard\n"
    "input. --where section:news,sports keeps two sections. apply checks all files before it writes anything. A\n"
    "flag of update with no text, such as --owner '', takes its field away; what no flag names stays. --prune\n"
    "removes metrics that no file has. docs/how-to/metrics.md tells more.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("what", "A name, words, or a folder.", shows="WHAT", may_be_absent=True),
        Argument("points", "The points that push sends: JSON, lines of it or CSV.", shows="FILE", may_be_absent=True),
        DATA,
        CONFIG,
        BRAND,
        Argument("--from", "The first day of get-data; the earlier version of diff.", shows="DAY|NUMBER"),
        Argument("--to", "The day that get-data ends before; the later version of diff.", shows="DAY|NUMBER"),
        Argument("--grain", "hour, day, week, month, quarter or year; day unless it is said.", shows="GRAIN"),
        Argument("--by", "A dimension to group by; may be repeated.", shows="NAME", repeated=True),
        Argument("--where", "Only these values of a dimension, for get-data and --counts; may be repeated.",
                 shows="NAME:VALUES", repeated=True),
        Argument("--csv", "Print the numbers as CSV.", is_switch=True),
        Argument("--file", "A YAML or JSON file with one metric, for add and update.", shows="FILE"),
        Argument("--value-type", "SCALAR, WEIGHTED_AVERAGE, HYBRID or PERCENTILE.", shows="TYPE"),
        Argument("--counts", "What of footfall's own is counted: hits, visitors, minutes, viewers, playbacks, "
                 "completions, follows or unfollows.", shows="WHAT"),
        Argument("--formula", "How a HYBRID metric is computed.", shows="FORMULA"),
        Argument("--unit", "Such as hits/visitors.", shows="UNIT"),
        Argument("--dimension", "What it can be grouped by; may be repeated.", shows="NAME", repeated=True),
        Argument("--aggregation", "SUM, LAST_DAY_OF_PERIOD or PERCENTILE.", shows="STYLE"),
        Argument("--percentile", "Which percentile.", shows="NUMBER", reads=float),
        Argument("--chained", "The metric whose data count before --cutoff.", shows="NAME"),
        Argument("--cutoff", "The first day of its own data.", shows="DAY"),
        Argument("--title", "What people call it.", shows="TEXT"),
        Argument("--description", "What it tells.", shows="TEXT"),
        Argument("--owner", "Who answers for it.", shows="TEXT"),
        Argument("--reason", "Why, for those who use it.", shows="TEXT"),
        Argument("--replacement", "What to use instead of a deprecated metric.", shows="NAME"),
        Argument("--version", "Which one; for update, deprecate and restore, what it is based on.", shows="NUMBER",
                 reads=whole_from(1, 10**9)),
        Argument("--hash", "The newest version with this hash.", shows="HASH"),
        Argument("--as-of", "The version that was the newest then.", shows="TIME", reads=moment),
        Argument("--prefix", "How names begin.", shows="TEXT"),
        Argument("--uses", "Only metrics that need this one.", shows="NAME"),
        Argument("--deprecated", "Only those that are deprecated.", is_switch=True),
        Argument("--limit", "How many to show.", shows="NUMBER", reads=whole_from(1, 1_000), default=100),
        Argument("--after", "Where to go on, as the last answer said.", shows="NAME"),
        Argument("--format", "Files of footfall's own, or Apache Ossie.", choices=FORMATS, default="yaml"),
        Argument("--dry-run", "Tell what would change, and change nothing.", is_switch=True),
        Argument("--prune", "Remove metrics that no file has.", is_switch=True),
        JSON,
    ),
)  # fmt: skip
