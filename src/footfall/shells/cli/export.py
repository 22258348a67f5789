"""`footfall export`: what was counted, row by row, as CSV, NDJSON or Parquet."""

import argparse

from footfall.app.kept_settings import kept_settings
from footfall.flow.serve.parameters import CSV
from footfall.flow.serve.series_query import GRAINS
from footfall.flow.serve.shown import ALL, OTHERS
from footfall.shells.cli.asking import settings_of
from footfall.shells.cli.command import BRAND, CONFIG, DATA, Argument, Command, Exit, Surroundings, moment
from footfall.shells.cli.export_files import FORMATS, LABEL, UNIQUES, opened_file
from footfall.shells.cli.recount import EndsBeforeItStarts, shown_progress
from footfall.values.window import instant_text


def export(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Write the windows of a span to a file and say how many rows they had."""
    from footfall.app.exporting import ExportOrder, export_windows

    from_ms: int = vars(arguments)["from"]
    to_ms = around.clock.now_ms() if arguments.to is None else arguments.to
    if from_ms >= to_ms:
        raise EndsBeforeItStarts(
            f"--from {instant_text(from_ms)} is not before --to {instant_text(to_ms)}; give an earlier --from."
        )
    settings = settings_of(arguments, around)
    if settings.ground != "aws":  # Shards and zones decide what stands for a window: those of the instance count.
        settings = kept_settings(settings.data_dir) or settings
    order = ExportOrder(
        arguments.brand,
        GRAINS[arguments.grain],
        from_ms,
        to_ms,
        has_uniques=arguments.uniques,
        include=OTHERS if ALL in arguments.include else tuple(arguments.include),
    )
    more = (*((LABEL,) if arguments.include else ()), *(UNIQUES if arguments.uniques else ()))
    windows = rows = gone = 0
    with (
        opened_file(arguments.file, arguments.format, out=around.out, overwrite=arguments.overwrite, more=more) as file,
        shown_progress("exporting", around) as on_share,
    ):
        for one in export_windows(settings, order, clock=around.clock, on_share=on_share):
            windows += 1
            if one.rows is None:
                gone += 1
            else:
                rows += file.write(one.window, one.rows)
    lost = f"; {gone:,} are not kept any more" if gone else ""
    around.complain(f"Exported {rows:,} rows of {windows:,} {arguments.grain}s of {arguments.brand}{lost}.")
    return Exit.OK


COMMAND = Command(
    name="export",
    says="Write what was counted to a file: one row for each asset and window.",
    example="footfall export --brand abc --from 2026-11-01T00:00+02:00 november.csv",
    run=export,
    tells="It reads the store itself, beside a running server or without one. A cell of a CSV that begins like a\n"
    "formula has an apostrophe before it. Rows without an asset hold what a final window keeps no row of (kind\n"
    "leftOut) or never had one for (other), so that all rows add up. Parquet needs: pip install 'footfall[parquet]'.",
    more_examples=(
        "footfall export --brand abc --grain hour --from 2026-11-15T00:00Z --format ndjson - | gzip > hours.ndjson.gz",
        "footfall export --brand abc --from 2026-01-01T00:00Z --format parquet year.parquet",
    ),
    arguments=(
        Argument("file", "The file to write, - for the standard output.", shows="FILE"),
        DATA,
        CONFIG,
        BRAND,
        Argument("--from", "The first moment; the window that holds it is in.", shows="T", reads=moment, required=True),
        Argument("--to", "The end; now unless given.", shows="T", reads=moment),
        Argument("--grain", "How long a window is.", choices=tuple(GRAINS), default="day"),
        Argument("--format", "What kind of file.", choices=FORMATS, default=CSV),
        Argument("--uniques", "With visitors and their bounds: of the asset, under whatever labels.", is_switch=True),
        Argument(
            "--include",
            "Hits of this label, too, and a column that tells it; may be repeated. Without it, what lists show.",
            choices=(*OTHERS, ALL),
            repeated=True,
        ),
        Argument("--overwrite", "Replace a file of that name.", is_switch=True),
    ),
)
