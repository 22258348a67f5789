"""Where processor time goes: by process, and beside loads of fewer assets."""

from collections.abc import Sequence

from bench.compare.goals import of_kind, per_cpu_s
from bench.compare.peers import PEERS, is_ours
from bench.compare.planned import GROWTH, LOAD
from bench.compare.points import Point
from bench.compare.table import Lines
from bench.results import number

CLIENT = "collecting"
BY_PROCESS = ("peer", "collecting client", "server", "all")


def cpu_lines(points: Sequence[Point]) -> Lines:
    """Return the processor seconds of a million hits of the main load, by process."""
    mains = sorted(of_kind(points, LOAD).values(), key=lambda one: -per_cpu_s(one))
    return BY_PROCESS, [_by_process(one) for one in mains if one.hits]


def _by_process(point: Point) -> list[str]:
    servers = sorted(((used, name) for name, used in point.cpu_s.items() if name != CLIENT), reverse=True)
    told = ", ".join(f"{name} {_per_million(point, used)}" for used, name in servers)
    client = "not charged" if is_ours(point.peer) else _per_million(point, point.cpu_s.get(CLIENT, 0.0))
    return [PEERS[point.peer].title, client, told or "within it", _per_million(point, point.cpu_total_s)]


def asset_lines(points: Sequence[Point]) -> Lines:
    """Return the processor seconds of a million hits of small loads by assets, and how much dearer more of them are."""
    sizes = {one.size for one in points if one.size.kind == GROWTH}
    least = min((one.hits for one in sizes), default=0)
    assets = sorted({one.assets for one in sizes if one.hits == least})
    found = {(one.peer, one.size.assets): one for one in points if one.size.hits == least and one.size in sizes}
    rows: list[list[str]] = []
    for peer in PEERS:
        own = [found.get((peer, count)) for count in assets]
        if any(one is not None and one.hits for one in own):
            rows.append([PEERS[peer].title, *map(_dearer, [None, *own[:-1]], own)])
    return ("peer", *(f"{number(count)} assets" for count in assets)), rows if len(assets) > 1 else []


def _dearer(fewer: Point | None, point: Point | None) -> str:
    if point is None or not point.hits:
        return ""
    told = _per_million(point, point.cpu_total_s)
    if fewer is None or not fewer.hits:
        return told
    return f"{told} ({number(float(f'{per_cpu_s(fewer) / per_cpu_s(point):.3g}'))} times)"


def _per_million(point: Point, used_s: float) -> str:
    return number(float(f"{1e6 * used_s / point.hits:.3g}"))
