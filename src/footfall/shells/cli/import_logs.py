"""`footfall import`: access logs of other servers, counted as if footfall had been there."""

import argparse
import re

from footfall.flow.collect.logfile.formats import FORMATS, Format, json_format
from footfall.flow.collect.logfile.jsonlines import Names, names_from_text
from footfall.flow.collect.logfile.pages import PageRules, asset_pattern
from footfall.flow.collect.logfile.reading import Wanted
from footfall.shells.cli.asking import settings_of
from footfall.shells.cli.command import BRAND, CONFIG, DATA, Argument, Command, Exit, Surroundings, WrongUsage
from footfall.values.errors import Refused

DATA_VARIABLE = "FOOTFALL_DATA_DIR"
INCLUDES = ("static", "errors", "redirects", "methods", "health-checks")
TELLS = """\
Times are trusted, however old, and closed windows are revised. Static files, errors, redirects, health checks and all
that is no GET are left out and reported. A log is known by its first lines, so that it may be renamed, compressed and
given again, and an import that was stopped goes on where it was: no line counts twice. With a server running on the
directory the hits go through it; without one, the command counts by itself."""


class WrongTogether(WrongUsage):
    """Flags exclude each other."""


def import_logs(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Import the logs and say what became of their lines."""
    # Decompression, the store and the progress bar are no other command's business, so none waits for them at start.
    from footfall.shells.cli.import_run import Order, run_import

    is_dry = arguments.dry_run
    names_data = arguments.data is not None or arguments.config is not None or DATA_VARIABLE in around.variables
    settings = settings_of(arguments, around, only_directory="import") if names_data or not is_dry else None
    order = Order(
        logs=tuple(arguments.log),
        brand=arguments.brand,
        wanted=_wanted(arguments),
        format=_format(arguments),
        follows=arguments.follow,
    )
    return run_import(order, settings, around, is_dry=is_dry)


def _wanted(arguments: argparse.Namespace) -> Wanted:
    if arguments.fields and arguments.format not in (None, "json"):
        raise WrongTogether(f"--fields is for JSON lines, not for --format {arguments.format}; leave out one of them.")
    if arguments.asset and arguments.origin:
        raise WrongTogether("--origin makes ids of whole addresses and --asset picks them; give one of them.")
    includes = frozenset(arguments.include)
    rules = PageRules(
        asset=arguments.asset,
        origin=(arguments.origin or "").rstrip("/"),
        hosts=frozenset(host.lower().encode() for host in arguments.host),
        counts_static="static" in includes,
        counts_any_method="methods" in includes,
    )
    return Wanted(
        pages=rules,
        counts_errors="errors" in includes,
        counts_redirects="redirects" in includes,
        counts_health_checks="health-checks" in includes,
        counts_robots=not arguments.no_robots,
    )


def _format(arguments: argparse.Namespace) -> Format | None:
    if arguments.fields:
        return json_format(arguments.fields)
    return FORMATS[arguments.format] if arguments.format else None


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return asset_pattern(text)
    except Refused as refused:
        raise argparse.ArgumentTypeError(refused.reason) from refused


def _names(text: str) -> Names:
    try:
        return names_from_text(text)
    except Refused as refused:
        raise argparse.ArgumentTypeError(refused.reason) from refused


COMMAND = Command(
    name="import",
    says="Count the access logs of other servers.",
    example="footfall import --data data --brand abc /var/log/nginx/access.log*",
    more_examples=(
        "footfall import --data data --brand abc --dry-run access.log.gz",
        "footfall import --data data --brand abc --follow /var/log/nginx/access.log",
        "footfall import --data data --brand abc --host www.example.com --no-robots access.log",
        "footfall import --data data --brand abc --fields time=ts,path=req.uri,status=code app.ndjson",
    ),
    tells=TELLS,
    exits={
        Exit.FAILED: "a log was not taken or had nothing to count, or the import broke off; running it again goes on"
    },
    run=import_logs,
    arguments=(
        Argument("log", "A log, plain or compressed; - is the standard input.", shows="LOG", repeated=True),
        DATA,
        CONFIG,
        BRAND,
        Argument(
            "--format",
            f"The format, one of {', '.join(FORMATS)}; else each log's own lines tell.",
            shows="NAME",
            choices=tuple(FORMATS),
        ),
        Argument(
            "--fields",
            "Where a JSON log has what, as in time=ts,path=request.uri,status=status.",
            shows="PART=NAME,…",
            reads=_names,
        ),
        Argument("--host", "Count only this host's lines; may be given again.", shows="HOST", repeated=True),
        Argument(
            "--asset",
            "An expression that picks (?P<asset>…), and section, type and paid, from addresses; others do not count.",
            shows="REGEX",
            reads=_pattern,
        ),
        Argument(
            "--origin", "Take the whole address as the asset, as the tracker does: this, path and query.", shows="URL"
        ),
        Argument("--include", "Count such lines too; may be given again.", choices=INCLUDES, repeated=True),
        Argument("--no-robots", "Leave out programs that say in their agent that they are one.", is_switch=True),
        Argument("--follow", "Go on as lines are added, also when the log is rotated.", is_switch=True),
        Argument(
            "--dry-run", "Count nothing and say what would be counted; with --data, of what is new.", is_switch=True
        ),
    ),
)
