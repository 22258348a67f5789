"""The picture: hits a processor second and how long a list takes, a bar a peer, coloured by where the peer stands."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from bench.compare.goals import per_cpu_s
from bench.compare.peers import PEERS, is_ours
from bench.compare.planned import LOAD
from bench.compare.points import Killed, Point
from bench.compare.report import shown
from bench.compare.standing import Standing, kills_of, standing_of
from bench.results import number

WIDTH, NAMES, PANEL, GAP = 1_000, 250, 290, 80
TOP, STEP, BAR = 74, 26, 16
OURS = "#0b6e4f"
COLOURS = {
    Standing.EXACT: "#7a8b99",
    Standing.SPOILT: "#d9902f",
    Standing.VOLATILE: "#c9d1d8",
    Standing.WRONG: "#b3402a",
}
TEXT = "#222"
STOPPED = "\N{DAGGER}"
FONT = 'font-family="sans-serif" font-size="12"'
RATES = "hits per CPU second, counted (more is better)"
LISTS = "a list, asked again: p50 in ms, logarithmic (less is better)"
TICKS_MAX = 5


@dataclass(frozen=True, slots=True)
class Axis:
    """Values that have a line, and where values lie before the ends of an axis are known."""

    ticks: Sequence[float]
    at: Callable[[float], float]

    def place(self, value: float) -> float:
        """Return how far a value is from the left, of the whole."""
        first, last = self.at(self.ticks[0]), self.at(self.ticks[-1])
        return (self.at(value) - first) / (last - first)


def drawing(points: Sequence[Point]) -> str:
    """Return the picture as SVG."""
    mains = [point for point in shown(points, LOAD) if point.hits and point.plain]
    mains.sort(key=lambda point: -per_cpu_s(point))
    kills = kills_of(points)
    colours = [_colour(point, kills.get(point.peer)) for point in mains]
    height = TOP + STEP * len(mains) + 56
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {FONT}>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="12" y="24" font-size="16" fill="{TEXT}">footfall beside what people would pick instead</text>',
        f'<text x="{WIDTH - 12}" y="24" text-anchor="end" font-size="10" fill="{TEXT}">{escape(_where(mains))}</text>',
        *_names(mains, kills),
        *_panel(NAMES, RATES, [per_cpu_s(one) for one in mains], colours, _linear),
        *_panel(NAMES + PANEL + GAP, LISTS, list(map(_plain_ms, mains)), colours, _logarithmic),
        *_legend(height, _remarks(mains, kills)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _where(mains: Sequence[Point]) -> str:
    """Say when and where it was measured."""
    dates = sorted({point.date for point in mains})
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""
    return "; ".join([when, *sorted({point.machine for point in mains})])


def _remarks(mains: Sequence[Point], kills: Container[str]) -> list[str]:
    """Return what the marks at names mean, of those that are there."""
    found = ["* kills were not run through: by its load alone"] if any(one.peer not in kills for one in mains) else []
    return [*found, f"{STOPPED} stopped before its end: of what it did"] if any(one.stopped for one in mains) else found


def _plain_ms(point: Point) -> float:
    return point.plain.p50_ms if point.plain else 0.0


def _names(mains: Sequence[Point], kills: Container[str]) -> Iterator[str]:
    for place, point in enumerate(mains):
        weight = ' font-weight="bold"' if is_ours(point.peer) else ""
        at = TOP + STEP * place + BAR - 3
        marks = f"{'' if point.peer in kills else ' *'}{f' {STOPPED}' if point.stopped else ''}"
        yield (
            f'<text x="{NAMES - 10}" y="{at}" text-anchor="end" fill="{TEXT}"{weight}>'
            f"{escape(PEERS[point.peer].title)}{f'<tspan>{marks}</tspan>' if marks else ''}</text>"
        )


def _linear(values: Sequence[float]) -> Axis:
    """Return an axis from nothing on, so that twice as long is twice as much."""
    most = max(values)
    tens = 10.0 ** floor(log10(most))
    step = next(one * tens for one in (0.2, 0.25, 0.5, 1.0, 2.0) if most <= one * tens * TICKS_MAX)
    return Axis([step * place for place in range(ceil(most / step) + 1)], lambda value: value)


def _logarithmic(values: Sequence[float]) -> Axis:
    """Return an axis of powers of ten."""
    least = floor(log10(min(values)))
    most = max(ceil(log10(max(values))), least + 1)
    return Axis([10.0**tens for tens in range(least, most + 1)], log10)


def _panel(
    left: int, title: str, values: Sequence[float], colours: Sequence[str], axis_of: Callable[[Sequence[float]], Axis]
) -> Iterator[str]:
    yield f'<text x="{left}" y="{TOP - 24}" fill="{TEXT}">{escape(title)}</text>'
    known = [value for value in values if value > 0]
    if not known:
        return
    axis, bottom = axis_of(known), TOP + STEP * len(values)
    for tick in axis.ticks:
        x = left + PANEL * axis.place(tick)
        yield f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="#e4e4e4"/>'
        placed = f'x="{x:.1f}" y="{TOP - 9}" text-anchor="middle"'
        yield f'<text {placed} font-size="9" fill="#777">{number(tick)}</text>'
    for place, (value, colour) in enumerate(zip(values, colours, strict=True)):
        y = TOP + STEP * place
        length = max(2.0, PANEL * axis.place(value)) if value > 0 else 0.0
        yield f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{colour}"/>'
        told = number(round(value) if value >= 100 else float(f"{value:.2g}"))
        yield f'<text x="{left + length + 4:.1f}" y="{y + BAR - 4}" font-size="11" fill="{TEXT}">{told}</text>'


def _colour(point: Point, found: Killed | None) -> str:
    standing = standing_of(point, found)
    return OURS if is_ours(point.peer) and standing is Standing.EXACT else COLOURS[standing]


def _legend(height: int, remarks: Sequence[str]) -> Iterator[str]:
    told = {OURS: "footfall, durable and exact"} | {colour: standing.value for standing, colour in COLOURS.items()}
    if remarks:
        yield f'<text x="90" y="{height - 5}" font-size="10" fill="{TEXT}">{escape("; ".join(remarks))}</text>'
    for place, (colour, name) in enumerate(told.items()):
        x = 90 + 190 * place
        yield f'<rect x="{x}" y="{height - 32}" width="12" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 18}" y="{height - 22}" fill="{TEXT}">{name}</text>'
