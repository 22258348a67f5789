"""`footfall recount`: windows built again from raw hits, with a bar that shows how far it is."""

import argparse
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from footfall.shells.cli.asking import ask, settings_of
from footfall.shells.cli.command import (
    BRAND,
    CONFIG,
    DATA,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    moment,
    printable,
)
from footfall.values.window import instant_text

PLAIN_STEP = 0.1  # Without a terminal, ten lines tell enough.


class EndsBeforeItStarts(WrongUsage):
    """The range to recount holds no time."""


def recount(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Have the windows of a range counted again."""
    from_ms, to_ms = getattr(arguments, "from"), arguments.to
    if from_ms >= to_ms:
        raise EndsBeforeItStarts(
            f"--from {instant_text(from_ms)} is not before --to {instant_text(to_ms)}; give an earlier --from."
        )
    settings = settings_of(arguments, around)
    request = {"do": "recount", "brand": arguments.brand, "from_ms": from_ms, "to_ms": to_ms}
    with shown_progress("recounting", around) as on_progress:
        done = ask(settings, request, on_progress=on_progress)
    covered = _range(int(done.get("from_ms") or from_ms), int(done.get("to_ms") or to_ms))
    asked = _range(from_ms, to_ms)
    wider = "" if covered == asked else f" (whole windows; {asked.removeprefix('from ')} was asked for)"
    around.say(f"Recounted {arguments.brand} {covered}{wider}{_figures(done)}.")
    return Exit.OK


@contextmanager
def shown_progress(doing: str, around: Surroundings) -> Generator[Callable[[float], None]]:
    """Show progress between 0 and 1: a bar on a terminal, a line for every tenth elsewhere."""
    if not around.err.isatty():
        yield _plain_progress(doing, around)
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=around.console(err=True), transient=True) as progress:
        task = progress.add_task(doing, total=1.0)
        yield lambda share: progress.update(task, completed=share)


def _plain_progress(doing: str, around: Surroundings) -> Callable[[float], None]:
    told = 0.0

    def on_progress(share: float) -> None:
        nonlocal told
        if share - told >= PLAIN_STEP:
            told = share
            around.complain(f"{doing}: {share:.0%}")

    return on_progress


def _range(from_ms: int, to_ms: int) -> str:
    return f"from {instant_text(from_ms)} to {instant_text(to_ms)}"


def _figures(done: Mapping[str, Any]) -> str:
    counts = {name: value for name, value in done.items() if isinstance(value, int) and not name.endswith("_ms")}
    figures = [f"{printable(name)} {value:,}" for name, value in counts.items()]
    return ": " + ", ".join(figures) if figures else ""


COMMAND = Command(
    name="recount",
    says="Build the windows of a range again from raw hits.",
    example="footfall recount --data data --brand abc --from 2026-11-15T14:00Z --to 2026-11-15T16:00Z",
    run=recount,
    tells="The range is widened to whole hours of the brand, and to whole days where a day was built. Counting\n"
    "goes on meanwhile. On sound data nothing changes.",
    arguments=(
        DATA,
        CONFIG,
        BRAND,
        Argument("--from", "The start of the range.", shows="TIME", reads=moment, required=True),
        Argument("--to", "The end of the range.", shows="TIME", reads=moment, required=True),
    ),
)
