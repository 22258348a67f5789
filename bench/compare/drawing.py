"""The picture: how many hits a processor second does, and how long a list takes, a bar a peer on scales of tens."""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10

from bench.compare.goals import per_cpu_s
from bench.compare.peers import FOOTFALL, PEERS
from bench.compare.planned import LOAD
from bench.compare.points import Point
from bench.compare.report import shown
from bench.results import number

WIDTH, NAMES, PANEL, GAP = 1_000, 250, 290, 80
TOP, STEP, BAR = 74, 26, 16
OURS, DURABLE, MEMORY, WRONG = "#0b6e4f", "#7a8b99", "#c9d1d8", "#b3402a"
TEXT = "#222"
FONT = 'font-family="sans-serif" font-size="12"'


def drawing(points: Sequence[Point]) -> str:
    """Return the picture as SVG."""
    mains = [point for point in shown(points, LOAD) if point.hits and point.plain]
    mains.sort(key=lambda point: -per_cpu_s(point))
    height = TOP + STEP * len(mains) + 56
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {FONT}>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="12" y="24" font-size="16" fill="{TEXT}">footfall beside what people would pick instead</text>',
        *_names(mains),
        *_panel(mains, NAMES, "hits per CPU second, durable and counted (more is better)", per_cpu_s),
        *_panel(mains, NAMES + PANEL + GAP, "a most-read list, p50 in ms (less is better)", _plain_ms),
        *_legend(height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _plain_ms(point: Point) -> float:
    return point.plain.p50_ms if point.plain else 0.0


def _names(mains: Sequence[Point]) -> Iterator[str]:
    for place, point in enumerate(mains):
        weight = ' font-weight="bold"' if point.peer == FOOTFALL else ""
        at = TOP + STEP * place + BAR - 3
        yield (
            f'<text x="{NAMES - 10}" y="{at}" text-anchor="end" fill="{TEXT}"{weight}>'
            f"{escape(PEERS[point.peer].title)}</text>"
        )


def _panel(mains: Sequence[Point], left: int, title: str, value_of: Callable[[Point], float]) -> Iterator[str]:
    yield f'<text x="{left}" y="{TOP - 24}" fill="{TEXT}">{escape(title)}</text>'
    values = [value_of(point) for point in mains if value_of(point) > 0]
    if not values:
        return
    least, most = floor(log10(min(values))), max(ceil(log10(max(values))), floor(log10(min(values))) + 1)
    bottom = TOP + STEP * len(mains)
    for tens in range(least, most + 1):
        x = left + PANEL * (tens - least) / (most - least)
        yield f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="#e4e4e4"/>'
        placed = f'x="{x:.1f}" y="{TOP - 9}" text-anchor="middle"'
        yield f'<text {placed} font-size="9" fill="#777">{number(10.0**tens)}</text>'
    for place, point in enumerate(mains):
        value, y = value_of(point), TOP + STEP * place
        length = max(2.0, PANEL * (log10(value) - least) / (most - least)) if value > 0 else 0.0
        yield f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{_colour(point)}"/>'
        told = number(round(value) if value >= 100 else float(f"{value:.2g}"))
        yield f'<text x="{left + length + 4:.1f}" y="{y + BAR - 4}" font-size="11" fill="{TEXT}">{told}</text>'


def _colour(point: Point) -> str:
    if not point.is_right:
        return WRONG
    if point.peer == FOOTFALL:
        return OURS
    return DURABLE if PEERS[point.peer].is_durable else MEMORY


def _legend(height: int) -> Iterator[str]:
    told = {OURS: "footfall", DURABLE: "durable and exact", MEMORY: "not durable", WRONG: "lists wrong"}
    for place, (colour, name) in enumerate(told.items()):
        x = NAMES + 150 * place
        yield f'<rect x="{x}" y="{height - 32}" width="12" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 18}" y="{height - 22}" fill="{TEXT}">{name}</text>'
