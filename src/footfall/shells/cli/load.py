"""`footfall load`: the rows of a CSV or NDJSON file into a DynamoDB table, in parallel batches."""

import argparse
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.shells.cli.command import JSON, Argument, Command, Exit, Surroundings, whole_from
from footfall.shells.cli.recount import shown_progress
from footfall.values.errors import FootfallError

if TYPE_CHECKING:
    from footfall.adapters.aws.counting_calls import CountedCalls

LOOPBACK = "127.0.0.1"  # Partition keys are nobody else's business.
GO_ON = "Run the same command again: it goes on where it stopped."


class PortTaken(FootfallError):
    """The port for metrics cannot be listened on."""


def load(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Load the file and say what was written and what was refused."""
    # Only this command needs AWS, so only this command loads it.
    from footfall.adapters.aws.counting_calls import CountedCalls
    from footfall.adapters.aws.sessions import Ground
    from footfall.app.loading import LoadOrder
    from footfall.app.loading import load as load_rows
    from footfall.app.row_file import row_file

    numbers = frozenset(name for name in (arguments.numbers or "").split(",") if name)
    order = LoadOrder(
        row_file(Path(arguments.file), numbers=numbers),
        arguments.table,
        Ground(region=arguments.region, endpoint=arguments.endpoint),
        arguments.processes,
    )
    began_at_ms = around.clock.now_ms()
    counted = CountedCalls(around.clock)
    try:
        with _served(arguments, counted, around), shown_progress("loading", around) as on_share:
            loaded = load_rows(order, starts_over=arguments.again, on_share=on_share, counted=counted)
    except (FootfallError, KeyboardInterrupt):
        around.complain(f"footfall: {GO_ON}")
        raise
    took_s = max(0.001, (around.clock.now_ms() - began_at_ms) / 1_000)
    figures: dict[str, Any] = {
        "table": order.table,
        "written": loaded.written,
        "itemsPerSecond": round(loaded.written / took_s),
        "attempts": loaded.attempts,
        "rowsOfEarlierRuns": loaded.skipped,
        "refused": {why: {"rows": count, "lines": loaded.examples[why]} for why, count in loaded.refused.items()},
    }
    _tell(figures, around, as_json=arguments.json)
    return Exit.REFUSED if loaded.refused else Exit.OK


@contextmanager
def _served(arguments: argparse.Namespace, counted: "CountedCalls", around: Surroundings) -> Generator[None]:
    """Serve what the table is asked while the load runs, when a port is given for it."""
    if arguments.metrics_port is None:
        yield
        return
    from prometheus_client import CollectorRegistry, start_http_server

    from footfall.shells.http.table_gauges import TableGauges

    registry = CollectorRegistry()
    registry.register(TableGauges({arguments.table: counted}))
    try:
        server, thread = start_http_server(arguments.metrics_port, addr=LOOPBACK, registry=registry)
    except OSError as error:
        raise PortTaken(
            f"nothing can listen on {LOOPBACK}:{arguments.metrics_port} ({error.strerror}): choose another "
            "--metrics-port"
        ) from error
    around.complain(f"units are shown at http://{LOOPBACK}:{server.server_port}/metrics")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _tell(figures: dict[str, Any], around: Surroundings, *, as_json: bool) -> None:
    if as_json:
        around.console().print_json(data=figures)
        return
    earlier = f"; {figures['rowsOfEarlierRuns']:,} rows were dealt with before" if figures["rowsOfEarlierRuns"] else ""
    around.say(
        f"Wrote {figures['written']:,} items to {figures['table']}, {figures['itemsPerSecond']:,} a second, "
        f"in {figures['attempts']:,} attempts{earlier}."
    )
    for why, which in figures["refused"].items():
        lines = ", ".join(map(str, which["lines"]))
        more = ", ..." if which["rows"] > len(which["lines"]) else ""
        around.say(f"Refused {which['rows']:,}: {why} (line {lines}{more}).")


COMMAND = Command(
    name="load",
    says="Load the rows of a CSV or NDJSON file into a DynamoDB table.",
    tells=(
        "Each row is one item. Columns named like the table's two text keys are its keys, one named like the table's\n"
        "expiry is when it expires, in seconds since 1970; empty cells are left out. The last row with a key stays.\n"
        "How far it has come is kept in FILE.loaded until all is done."
    ),
    example="footfall load assets.csv --table catalogue",
    more_examples=("footfall load hits.ndjson --table popular --processes 4 --region eu-north-1",),
    run=load,
    arguments=(
        Argument("file", "The file: .csv with a line of column names, .ndjson or .jsonl.", shows="FILE"),
        Argument("--table", "The table.", shows="NAME", required=True),
        Argument("--processes", "How many processes write.", shows="N", reads=whole_from(1, 64), default=2),
        Argument("--numbers", "CSV columns that hold numbers; all others hold text.", shows="A,B"),
        Argument("--region", "The AWS region; else the machine's own.", shows="REGION"),
        Argument("--endpoint", "Where a store that speaks DynamoDB's protocol is; else AWS.", shows="URL"),
        Argument("--again", "Start from the first row, whatever an earlier run has done.", is_switch=True),
        Argument("--metrics-port", "Show units by second and key at /metrics on this port while it runs; 0: any.",
                 shows="N", reads=whole_from(0, 65_535)),
        JSON,
    ),
    exits={Exit.FAILED: "it failed", Exit.REFUSED: "some rows were not written; each reason is told"},
)  # fmt: skip
