"""Pictures of a plan as SVG that we write ourselves: lines and bars with axes, readable in both themes.

Every picture has a title and a description for those who hear it; the page puts a table with the numbers beside it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720, 78, 16, 14, 46
HEIGHT = 280
ROW, BAR = 30, 16
LABEL_CHARACTER = 7.5  # of a label's width, at 13 pixels
TICKS = 5
POINTS_MAX = 720  # More than one for each pixel is not seen.

Shown = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Line:
    """One series: its name, and its points; NaN leaves a gap."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis measures, how its numbers are written, and whether it goes by powers of ten."""

    title: str
    shown: Shown
    is_log: bool = False
    from_zero: bool = True
    ticks: Sequence[float] = field(default=())


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    start: float
    end: float
    is_log: bool

    def at(self, value: float) -> float:
        low, high, value = (
            (math.log10(one) for one in (self.low, self.high, max(value, self.low)))
            if self.is_log
            else (self.low, self.high, value)
        )
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def lines(name: str, says: str, series: Sequence[Line], axes: tuple[Axis, Axis], *, marks: Sequence[float] = ()) -> str:
    """Return a picture of lines over a common axis, with a legend where there are several; marks are uprights."""
    x, y = axes
    known = [one for one in series if any(not math.isnan(value) for value in one.y)]
    legend = _legend([one.name for one in known], WIDTH - LEFT - RIGHT) if len(known) > 1 else ("", 0)
    top = TOP + legend[1]
    x_scale = _scale(x, [value for one in known for value in one.x], LEFT, WIDTH - RIGHT, exact=True)
    y_scale = _scale(y, [value for one in known for value in one.y], top + HEIGHT - TOP - BOTTOM, top)
    parts = [legend[0], _x_axis(x, x_scale, y_scale), _y_axis(y, y_scale)]
    for at in marks:
        if x_scale.low <= at <= x_scale.high:
            parts.append(
                f'<line class="mark" x1="{x_scale.at(at):.1f}" x2="{x_scale.at(at):.1f}" y1="{y_scale.start:.1f}" '
                f'y2="{y_scale.end:.1f}"/>'
            )
    parts += [_path(one, number, x_scale, y_scale) for number, one in enumerate(known)]
    return _svg(name, says, parts, top + HEIGHT - TOP)


def bars(name: str, says: str, rows: Sequence[tuple[str, float, str]], *, is_log: bool = False) -> str:
    """Return horizontal bars: a label, a value, and how the value is written behind the bar."""
    left = _label_width([label for label, _, _ in rows])
    behind = max((len(told) for _, _, told in rows), default=0) * LABEL_CHARACTER + 10
    most = max((value for _, value, _ in rows), default=1.0) or 1.0
    least = min([value for _, value, _ in rows if value > 0] or [1.0])
    low = min(1.0, 10.0 ** math.floor(math.log10(least) - 0.3)) if is_log else 0.0
    scale = _Scale(low, max(most, 10.0 if is_log else most), left, WIDTH - RIGHT - behind, is_log)
    parts: list[str] = []
    for place, (label, value, told) in enumerate(rows):
        y = TOP + place * ROW
        end = max(scale.at(value), left + 1.5)
        parts.append(f'<text class="label" x="{left - 8}" y="{y + BAR - 3}" text-anchor="end">{escape(label)}</text>')
        parts.append(f'<rect class="fill0" x="{left}" y="{y}" width="{end - left:.1f}" height="{BAR}" rx="2"/>')
        parts.append(f'<text class="value" x="{end + 6:.1f}" y="{y + BAR - 3}">{escape(told)}</text>')
    return _svg(name, says, parts, TOP + len(rows) * ROW + 4)


def tornado(
    name: str, says: str, middle: float, rows: Sequence[tuple[str, float, float, str, str]], shown: Shown
) -> str:
    """Return bars to both sides of a value: a label, the lower and the higher end, and what was put in for each."""
    left = _label_width([label for label, *_ in rows])
    ends = [value for _, low, high, _, _ in rows for value in (low, high)]
    least, most = min([*ends, middle]), max([*ends, middle])
    span = (most - least) or 1.0
    scale = _Scale(least - span * 0.02, most + span * 0.02, left, WIDTH - RIGHT, is_log=False)
    at = scale.at(middle)
    height = TOP + len(rows) * (ROW + 10)
    parts = [f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 6}" y2="{height - 4}"/>']
    for place, (label, low, high, low_text, high_text) in enumerate(rows):
        y = TOP + place * (ROW + 10)
        parts.append(f'<text class="label" x="{left - 8}" y="{y + BAR - 3}" text-anchor="end">{escape(label)}</text>')
        for value, style in ((low, "fill1"), (high, "fill0")):
            one, other = sorted((at, scale.at(value)))
            parts.append(
                f'<rect class="{style}" x="{one:.1f}" y="{y}" width="{max(other - one, 1):.1f}" height="{BAR}" rx="2"/>'
            )
        told = f"{low_text}: {shown(low)} · {high_text}: {shown(high)}"
        parts.append(f'<text class="tick" x="{left}" y="{y + BAR + 14}">{escape(told)}</text>')
    return _svg(name, says, parts, height + 4)


def _svg(name: str, says: str, parts: Sequence[str], height: float) -> str:
    ident = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-labelledby="{ident}-t {ident}-d">'
        f'<title id="{ident}-t">{escape(name)}</title><desc id="{ident}-d">{escape(says)}</desc>{"".join(parts)}</svg>'
    )


def _scale(axis: Axis, values: Sequence[float], start: float, end: float, *, exact: bool = False) -> _Scale:
    known = [value for value in values if not math.isnan(value) and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if axis.is_log:
        low, high = max(low, 1e-9), max(high, 1e-9)
        if not exact:
            low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
        return _Scale(low, high if high > low else low * 10, start, end, is_log=True)
    if axis.from_zero and not exact:
        low = min(0.0, low)
    if not exact:
        ticks = _nice(low, high)
        low, high = ticks[0], ticks[-1]
    return _Scale(low, high if high > low else low + 1, start, end, is_log=False)


def _nice(low: float, high: float) -> list[float]:
    """Return round numbers that span a range."""
    span = (high - low) or abs(high) or 1.0
    step = 10 ** math.floor(math.log10(span / TICKS))
    step *= next(times for times in (1, 2, 2.5, 5, 10) if span / (step * times) <= TICKS)
    first = math.floor(low / step)
    last = math.ceil(high / step - 1e-9)
    return [number * step for number in range(first, max(last, first + 1) + 1)]


def _ticks(axis: Axis, scale: _Scale) -> list[float]:
    if axis.ticks:
        return [one for one in axis.ticks if scale.low <= one <= scale.high]
    if not scale.is_log:
        return [one for one in _nice(scale.low, scale.high) if scale.low - 1e-9 <= one <= scale.high * (1 + 1e-9)]
    powers = range(math.ceil(math.log10(scale.low) - 1e-9), math.floor(math.log10(scale.high) + 1e-9) + 1)
    every = max(1, math.ceil(len(powers) / 7))
    return [10.0**power for power in powers if (power - powers[0]) % every == 0]


def _x_axis(axis: Axis, scale: _Scale, y: _Scale) -> str:
    parts = [f'<line class="axis" x1="{scale.start:.1f}" x2="{scale.end:.1f}" y1="{y.start:.1f}" y2="{y.start:.1f}"/>']
    for value in _ticks(axis, scale):
        x = scale.at(value)
        anchor = "end" if x > scale.end - 18 else "middle"
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{y.start:.1f}" y2="{y.start + 4:.1f}"/>')
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{y.start + 18:.1f}" '
            f'text-anchor="{anchor}">{escape(axis.shown(value))}</text>'
        )
    middle = (scale.start + scale.end) / 2
    parts.append(
        f'<text class="title" x="{middle:.1f}" y="{y.start + 36:.1f}" text-anchor="middle">{escape(axis.title)}</text>'
    )
    return "".join(parts)


def _y_axis(axis: Axis, scale: _Scale) -> str:
    parts: list[str] = []
    for value in _ticks(axis, scale):
        y = scale.at(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text class="tick" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(axis.shown(value))}</text>'
        )
    middle = (scale.start + scale.end) / 2
    parts.append(
        f'<text class="title" transform="translate(14 {middle:.1f}) rotate(-90)" '
        f'text-anchor="middle">{escape(axis.title)}</text>'
    )
    return "".join(parts)


def _path(line: Line, number: int, x: _Scale, y: _Scale) -> str:
    every = max(1, len(line.x) // POINTS_MAX)
    commands: list[str] = []
    is_drawing = False
    for at, value in zip(line.x[::every], line.y[::every], strict=True):
        if math.isnan(value):
            is_drawing = False
            continue
        commands.append(f"{'L' if is_drawing else 'M'}{x.at(at):.1f} {y.at(value):.1f}")
        is_drawing = True
    return f'<path class="line{number}" d="{"".join(commands)}"/>'


def _legend(names: Sequence[str], width: float) -> tuple[str, int]:
    """Return a legend above the picture, in as many rows as its names need, and its height."""
    parts: list[str] = []
    x, row = 0.0, 0
    for number, name in enumerate(names):
        needs = len(name) * LABEL_CHARACTER + 42
        if x and x + needs > width:
            x, row = 0.0, row + 1
        y = TOP + row * 20
        parts.append(f'<line class="line{number}" x1="{LEFT + x:.0f}" x2="{LEFT + x + 22:.0f}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="label" x="{LEFT + x + 28:.0f}" y="{y + 4}">{escape(name)}</text>')
        x += needs
    return "".join(parts), (row + 1) * 20 + 8


def _label_width(labels: Sequence[str]) -> float:
    return min(400.0, max((len(label) for label in labels), default=0) * LABEL_CHARACTER + 16)
