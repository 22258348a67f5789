"""Lines over two axes as SVG text, for pages that stand alone: no program draws it but the reader's."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Final

WIDTH, HEIGHT = 860, 420
LEFT, RIGHT, TOP, BOTTOM = 76, 250, 40, 56
COLOURS: Final = ("#1f6f8b", "#c8553d", "#4f772d", "#7b2d8b", "#b8860b", "#33415c", "#8b1e3f", "#2a9d8f")
TICKS_MAX: Final = 6


@dataclass(frozen=True, slots=True)
class Line:
    """Points that belong together, and what they are; a dashed line is one that somebody else has drawn."""

    name: str
    points: Sequence[tuple[float, float]]
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that is worth a word."""

    x: float
    y: float
    says: str


@dataclass(frozen=True, slots=True)
class Axis:
    """What is told along an edge, from where to where, evenly or by powers of ten."""

    says: str
    low: float
    high: float
    is_log: bool = False
    told: Callable[[float], str] = lambda value: f"{value:g}"

    def share(self, value: float) -> float:
        """Return how far along the axis a value lies."""
        if self.is_log:
            return (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Return where the axis says its values."""
        if self.is_log:
            return [10.0**power for power in range(ceil(log10(self.low)), floor(log10(self.high)) + 1)]
        step = 10.0 ** floor(log10((self.high - self.low) / TICKS_MAX))
        step *= next(one for one in (1, 2, 5, 10) if (self.high - self.low) / (step * one) <= TICKS_MAX)
        first = ceil(self.low / step)
        return [step * place for place in range(first, floor(self.high / step + 1e-9) + 1)]


def drawn(title: str, x: Axis, y: Axis, lines: Sequence[Line], marks: Sequence[Mark] = ()) -> str:
    """Return the picture."""
    body = [*_frame(title, x, y), *_lines(x, y, lines), *_marks(x, y, marks)]
    size = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    style = 'font-family="system-ui, sans-serif" font-size="12" fill="#222"'
    return "\n".join([f'<svg {size} role="img" aria-label="{escape(title)}" {style}>', *body, "</svg>"]) + "\n"


def _x(axis: Axis, value: float) -> float:
    return round(LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT), 1)


def _y(axis: Axis, value: float) -> float:
    return round(HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM), 1)


def _frame(title: str, x: Axis, y: Axis) -> Iterator[str]:
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    yield f'<text x="{LEFT}" y="22" font-size="14" font-weight="600">{escape(title)}</text>'
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for value in y.ticks():
        at = _y(y, value)
        yield f'<path d="M{LEFT} {at}H{right}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{at + 4}" text-anchor="end">{escape(y.told(value))}</text>'
    for value in x.ticks():
        at = _x(x, value)
        yield f'<path d="M{at} {bottom}v5" stroke="#888"/>'
        yield f'<text x="{at}" y="{bottom + 19}" text-anchor="middle">{escape(x.told(value))}</text>'
    yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#888"/>'
    middle = (LEFT + right) / 2
    yield f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x.says)}</text>'
    turned = f"translate(16 {(TOP + bottom) / 2}) rotate(-90)"
    yield f'<text transform="{turned}" text-anchor="middle">{escape(y.says)}</text>'


def _lines(x: Axis, y: Axis, lines: Sequence[Line]) -> Iterator[str]:
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        inside = [(one, other) for one, other in line.points if x.low <= one <= x.high and y.low <= other <= y.high]
        path = " ".join(f"{_x(x, one)},{_y(y, other)}" for one, other in inside)
        dashes = ' stroke-dasharray="6 4"' if line.is_dashed else ""
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'
        at = TOP + 14 + number * 20
        start = WIDTH - RIGHT + 14
        yield f'<path d="M{start} {at - 4}h20" stroke="{colour}" stroke-width="2"{dashes}/>'
        yield f'<text x="{start + 26}" y="{at}">{escape(line.name)}</text>'


def _marks(x: Axis, y: Axis, marks: Sequence[Mark]) -> Iterator[str]:
    for mark in marks:
        left, top = _x(x, mark.x), _y(y, mark.y)
        yield f'<circle cx="{left}" cy="{top}" r="4" fill="#222"/>'
        halo = 'stroke="#fff" stroke-width="3" paint-order="stroke"'
        yield f'<text x="{left + 7}" y="{top + 16}" {halo}>{escape(mark.says)}</text>'
