"""The one table: a line a peer, in the order of hits per processor second."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bench.compare.peers import PEERS
from bench.compare.points import Point
from bench.results import machine, number

COLUMNS = (
    "peer", "hits/s", "hits/CPU s", "CPU s/M", "disk MB/M", "memory MB", "to list ms", "plain p50/p99 ms",
    "filtered p50/p99 ms", "rows of 10/3/1 %", "re-count s", "right",
)  # fmt: skip


def cells(point: Point) -> list[str]:
    """Return what the table says of a point."""
    about = PEERS[point.peer]
    title = about.title if about.is_durable else f"{about.title} (not durable)"
    if point.failed or not point.hits:
        return [title, *[""] * (len(COLUMNS) - 2), f"failed: {point.failed}" if point.failed else point.stopped]
    millions = point.hits / 1e6
    return [
        title,
        number(round(point.hits / point.took_s)),
        number(round(per_cpu_s(point))),
        number(_rounded(point.cpu_total_s / millions)),
        number(_rounded(point.disk_bytes / 1e6 / millions)),
        number(round(point.memory_bytes / 1e6)),
        "when its window is over" if point.to_list_ms is None else number(_rounded(point.to_list_ms)),
        _times(point.plain),
        _times(point.filtered),
        " / ".join(f"{100 * share:.0f}" for share in point.exactness.values()),
        _again(point),
        "; ".join(one for one in ("yes" if point.is_right else f"WRONG: {point.wrong}", point.stopped) if one),
    ]


def per_cpu_s(point: Point) -> float:
    """Return the hits that a second of one processor does, of all processes of the peer together."""
    return point.hits / max(point.cpu_total_s, 0.01)


def show(points: Sequence[Point]) -> None:
    """Print the table."""
    table = Table(*COLUMNS, title=machine(), title_justify="left")
    for column in table.columns[1:7]:
        column.justify = "right"
    for point in sorted(points, key=lambda one: -per_cpu_s(one) if one.hits else 0.0):
        table.add_row(*cells(point))
    Console(width=None if Console().is_terminal else 220, highlight=False).print(table)


def _times(times: object) -> str:
    p50, p99 = getattr(times, "p50_ms", None), getattr(times, "p99_ms", None)
    return "" if p50 is None or p99 is None else f"{number(_rounded(p50))} / {number(_rounded(p99))}"


def _again(point: Point) -> str:
    if point.again is None:
        return ""
    return f"no: {point.again.refused}" if point.again.refused else number(_rounded(point.again.took_s))


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")
