"""The tables: a line a peer, in the order of hits per processor second; for the terminal and for the page."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from bench.compare.goals import pairs_by_hits, per_cpu_s, times_dearer
from bench.compare.peers import PEERS
from bench.compare.planned import DAY, GROWTH, KILL, LOAD
from bench.compare.points import NOT_JUDGED, Killed, Point, Times
from bench.compare.report import shown
from bench.compare.standing import kills_of, told_of_kills
from bench.results import Row, machine, number, verdict

MAIN = (
    "peer", "durable", "hits/s", "hits per CPU s", "CPU s per M", "disk MB per M", "memory MB", "hit to list, ms",
    "list, asked again, p50 / p99, ms (asks)", "filtered, asked again (asks)", "filtered, first time (asks)",
    "true rows of 10 / 3 / 1 %", "re-count, s", "hits after kill -9", "answers",
)  # fmt: skip
KILLED = (
    "peer", "acknowledged", "kills under load", "lost", "doubled", "lists wrong", "up again after, s", "",
)  # fmt: skip
RHYTHM = (
    "peer", "hits", "hits/s", "hits per CPU s", "CPU s per M", "disk MB per M",
    "list, asked again, p50 / p99, ms (asks)", "filtered, asked again (asks)", "filtered, first time (asks)", "answers",
)  # fmt: skip
GROWN = (
    "peer",
    "hits",
    "assets",
    "CPU s per M",
    "beside the smaller load",
    "disk MB per M",
    "memory MB",
    "list p50, ms",
    "",
)
WIDTH = 250

Lines = tuple[Sequence[str], list[list[str]]]


def main_lines(points: Sequence[Point]) -> Lines:
    """Return the main table."""
    ordered = sorted(shown(points, LOAD), key=lambda one: -per_cpu_s(one) if one.hits else 0.0)
    kills = kills_of(points)
    return MAIN, [_main(one, kills.get(one.peer)) for one in ordered]


def kill_lines(points: Sequence[Point]) -> Lines:
    """Return what kills did."""
    return KILLED, [_killed(one) for one in shown(points, KILL)]


def day_lines(points: Sequence[Point]) -> Lines:
    """Return what a day's rhythm cost."""
    ordered = sorted(shown(points, DAY), key=lambda one: -per_cpu_s(one) if one.hits else 0.0)
    return RHYTHM, [_day(one) for one in ordered]


def growth_lines(points: Sequence[Point]) -> Lines:
    """Return how costs grow, a peer's sizes under one another."""
    order = list(PEERS)
    sized = [*shown(points, LOAD), *shown(points, GROWTH)]
    sized.sort(key=lambda one: (order.index(one.peer), one.size.assets, one.size.hits))
    dearer = {(one.peer, one.size): times_dearer(smaller, one) for smaller, one in pairs_by_hits(sized)}
    return GROWN, [_grown(one, dearer.get((one.peer, one.size))) for one in sized]


def show(points: Sequence[Point], goals: Sequence[Row]) -> None:
    """Print every table that has lines."""
    console = Console(width=None if Console().is_terminal else WIDTH, highlight=False)
    titled = {"": main_lines, "kill -9 under load": kill_lines, "a day's rhythm": day_lines, "growth": growth_lines}
    for title, lines in titled.items():
        columns, rows = lines(points)
        if rows:
            _print(console, title or machine(), columns, rows)
    judged = [[one.what, f"{number(one.value)} {one.unit}", one.goal or "", verdict(one)] for one in goals]
    if judged:
        _print(console, "goals", ("what", "measured", "goal", "met"), judged)


def markdown(lines: Lines) -> Iterator[str]:
    """Yield a table as Markdown."""
    columns, rows = lines
    yield f"| {' | '.join(columns)} |"
    yield f"| --- |{' --: |' * (len(columns) - 2)} --- |"
    for cells in rows:
        yield f"| {' | '.join(cells)} |"


def _print(console: Console, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(*columns, title=title, title_justify="left")
    for column in table.columns[1:-1]:
        column.justify = "right"
    for cells in rows:
        table.add_row(*cells)
    console.print(table)


def _main(point: Point, found: Killed | None) -> list[str]:
    about = PEERS[point.peer]
    head = [about.title, "yes" if about.is_durable else "no"]
    if not point.hits:
        return [*head, *[""] * (len(MAIN) - 3), _remark(point)]
    millions = point.hits / 1e6
    return [
        *head,
        number(round(point.hits / point.took_s)),
        _rates(point),
        _few(point.cpu_total_s / millions),
        _few(point.disk_bytes / 1e6 / millions),
        number(round(point.memory_bytes / 1e6)),
        _to_list(point),
        _times(point.plain),
        _times(point.repeated),
        _times(point.filtered),
        " / ".join(f"{100 * share:.0f} %" for share in point.exactness.values()),
        _again(point),
        told_of_kills(found),
        _remark(point),
    ]


def _killed(point: Point) -> list[str]:
    found = point.killed
    if found is None:
        return [PEERS[point.peer].title, *[""] * (len(KILLED) - 2), _remark(point)]
    hits = [number(one) for one in (found.lost, found.doubled)]
    loaded = "" if found.under_load is None else f"{found.under_load} of {found.kills}"
    lists = f"{found.wrong_lists} of {found.lists}" if found.lists else ""
    return [PEERS[point.peer].title, number(found.acknowledged), loaded, *hits, lists, _few(found.back_s), point.wrong]


def _day(point: Point) -> list[str]:
    if not point.hits:
        return [PEERS[point.peer].title, *[""] * (len(RHYTHM) - 2), _remark(point)]
    millions = point.hits / 1e6
    counts = [point.hits, round(point.hits / point.took_s), round(per_cpu_s(point))]
    told = [*map(number, counts), _few(point.cpu_total_s / millions), _few(point.disk_bytes / 1e6 / millions)]
    lists = [_times(one) for one in (point.plain, point.repeated, point.filtered)]
    return [PEERS[point.peer].title, *told, *lists, _remark(point)]


def _grown(point: Point, times: float | None) -> list[str]:
    head = [PEERS[point.peer].title, number(point.size.hits), number(point.size.assets)]
    if not point.hits:
        return [*head, *[""] * (len(GROWN) - 4), _remark(point)]
    millions = point.hits / 1e6
    return [
        *head,
        _few(point.cpu_total_s / millions),
        "" if times is None else _few(times),
        _few(point.disk_bytes / 1e6 / millions),
        number(round(point.memory_bytes / 1e6)),
        "" if point.plain is None else _few(point.plain.p50_ms),
        _remark(point),
    ]


def _remark(point: Point) -> str:
    if point.failed:
        return f"failed: {point.failed}"
    asked = f" ({point.lists_asked} of {point.lists_all} asked)" if point.lists_asked < point.lists_all else ""
    answers = ""
    if point.hits and point.wrong == NOT_JUDGED:
        answers = "lists not judged"
    elif point.hits:
        answers = f"right{asked}" if point.is_right else f"**wrong**: {point.wrong}{asked}"
    return "; ".join(one for one in (answers, point.behind, point.stopped) if one)


def _times(times: Times | None) -> str:
    if times is None:
        return ""
    asked = f" ({number(times.asked)})" if times.asked else ""
    return f"{_few(times.p50_ms)} / {_few(times.p99_ms)}{asked}"


def _rates(point: Point) -> str:
    """Return the rate, and behind it that of the other load if there were two."""
    other = f" ({number(round(point.other_rate))})" if point.other_rate else ""
    return f"{number(round(per_cpu_s(point)))}{other}"


def _to_list(point: Point) -> str:
    if not PEERS[point.peer].shows_open_window:
        return "when its window is over"
    return "" if point.to_list_ms is None else _few(point.to_list_ms)


def _again(point: Point) -> str:
    if point.again is None:
        return ""
    if point.again.refused:
        return f"no: {point.again.refused}"
    return f"{_few(point.again.took_s)} (CPU {_few(point.again.cpu_s)})"


def _few(value: float) -> str:
    return number(float(f"{value:.3g}"))
