"""What a measurement says: a row, the table that a person reads, and the file that the README's figures come from."""

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured value, in the form that every benchmark keeps."""

    what: str
    value: float
    unit: str
    goal: str | None
    met: bool | None  # None: nothing was asked of it
    date: str
    machine: str


def row(what: str, value: float, unit: str, *, at_least: float | None = None, at_most: float | None = None) -> Row:
    """Return a row of now and here, judged by its goal if it has one."""
    goal, met = None, None
    if at_least is not None:
        goal, met = f"at least {number(at_least)}", value >= at_least
    elif at_most is not None:
        goal, met = f"at most {number(at_most)}", value <= at_most
    rounded = float(f"{value:.4g}") if abs(value) < 1_000 else float(round(value))
    return Row(what, rounded, unit, goal, met, datetime.now(UTC).date().isoformat(), machine())


def machine() -> str:
    """Return what the figures depend on: processor, cores and interpreter, and nothing that names the machine."""
    models = [line.partition(":")[2].strip() for line in _lines(Path("/proc/cpuinfo")) if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0))
    return f"{models[0] if models else platform.machine()}, {cores} cores, Python {platform.python_version()}"


def save(name: str, rows: Sequence[Row], directory: Path) -> None:
    """Write a benchmark's rows to the file of its name."""
    directory.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(rows), indent=2)
    (directory / f"{name}.json").write_bytes(text + b"\n")


def load(directory: Path) -> dict[str, list[Row]]:
    """Return the rows of every benchmark that has been run."""
    return {
        path.stem: msgspec.json.decode(path.read_bytes(), type=list[Row]) for path in sorted(directory.glob("*.json"))
    }


def show(named: Iterable[tuple[str, Sequence[Row]]]) -> None:
    """Print the one table."""
    table = Table("bench", "what", "value", "unit", "goal", "met", title=machine(), title_justify="left")
    for column in table.columns[2:3]:
        column.justify = "right"
    for name, rows in named:
        for one in rows:
            table.add_row(name, one.what, number(one.value), one.unit, one.goal or "", verdict(one))
        table.add_section()
    width = None if Console().is_terminal else 160
    Console(width=width, highlight=False).print(table)


def verdict(one: Row) -> str:
    """Return whether the goal was met, in a word."""
    return "" if one.met is None else ("yes" if one.met else "NO")


def number(value: float) -> str:
    """Return a value as a person reads it."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
