"""What a person sees of a migration in the terminal: a bar that moves, tables, and differences by name."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars
from rich.table import Table

from footfall.shells.cli.command import Surroundings, printable

if TYPE_CHECKING:  # Whoever looks for help waits for nothing that is migrated with.
    from footfall.migrate.reporting import Progress
    from footfall.migrate.verifying import Verified
    from footfall.ports.relational import Problem

LINE_EVERY = 10  # seconds between two lines where there is no terminal to draw a bar on


@contextmanager
def progress_bar(around: Surroundings) -> "Generator[Callable[[Progress], None]]":
    """Draw how far it is, again and again: a bar on a terminal, else a line now and then."""
    if not around.err.isatty():
        told = [0]

        def line(progress: "Progress") -> None:
            if told[0] % LINE_EVERY == 0 or not (progress.left or progress.moving):
                around.complain(progress_line(progress))
            told[0] += 1

        yield line
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[says]}"),
    )
    with Bars(*columns, console=around.console(err=True)) as bars:
        bar = bars.add_task("moved", total=1, says="")
        yield lambda progress: bars.update(
            bar, total=max(1, progress.all), completed=progress.migrated, says=progress_line(progress)
        )


def progress_line(progress: "Progress") -> str:
    """Return how far it is in a line."""
    left = progress.time_left_ms
    time = "no pace yet" if left is None else "all copied" if left == 0 else f"about {duration(left)} left"
    parts = [
        f"{progress.migrated:,} moved",
        f"{progress.moving:,} moving",
        f"{progress.left:,} left",
        f"lag {progress.lag:,} ({progress.lag_ms:,} ms)",
        time,
    ]
    if progress.set_aside:
        parts.insert(3, f"{progress.set_aside:,} set aside")
    if progress.differences is not None:
        parts.append(f"{progress.differences:,} differences")
    return ", ".join(parts)


def duration(span_ms: int) -> str:
    """Return a length of time as people say it."""
    seconds = max(1, round(span_ms / 1_000))
    if seconds < 90:
        return f"{seconds} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def show_status(progress: "Progress", sides: Mapping[str, int], around: Surroundings) -> None:
    """Draw how far it is as a table."""
    table = Table(box=None, show_header=False, pad_edge=False)
    rows = [
        ("moved", f"{progress.migrated:,} of {progress.all:,} ({progress.share:.1%})"),
        ("moving", f"{progress.moving:,}"),
        ("left", f"{progress.left:,}"),
        ("set aside", f"{progress.set_aside:,}"),
        ("lag", f"{progress.lag:,} changes, the oldest {progress.lag_ms:,} ms"),
        ("differences", "not verified yet" if progress.differences is None else f"{progress.differences:,}"),
        ("answering", ", ".join(f"{side} {count:,}" for side, count in sides.items() if count) or "nothing there"),
    ]
    for name, value in rows:
        table.add_row(f"{name}  ", value)
    around.console().print(table)


def show_problems(problems: "Sequence[Problem]", count: int, around: Surroundings) -> None:
    """Name what was set aside, and why."""
    for one in problems:
        around.say(f"set aside {printable(one.key)}: {printable(one.reason)}")
    if count > len(problems):
        around.say(f"and {count - len(problems):,} more")


def show_verified(verified: "Verified", around: Surroundings) -> None:
    """Say what a verification found."""
    for one in verified.differences[:50]:
        where = " ".join(part for part in (one.key, one.partition, one.sort, one.attribute) if part)
        around.say(f"{printable(where)}: expected {printable(one.expected)}, found {printable(one.actual)}")
    told = "equal on both sides" if verified.is_sound else f"{verified.differing:,} differ"
    around.say(
        f"{verified.entities:,} compared in {verified.buckets:,} buckets: {told}; {verified.behind:,} behind, "
        f"{verified.left:,} not copied yet, {verified.set_aside:,} set aside."
    )
    around.say(f"digest {verified.source_root[:16]} of the source, {verified.table_root[:16]} of the table")
