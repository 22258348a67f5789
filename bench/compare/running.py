"""The run: every point of every peer in turn, stored as it is done, whatever becomes of the others; then the table."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.compare.budget import POINT_S_MAX, WHOLE_S_MAX, Budget
from bench.compare.measuring import count_again, load, to_list_ms
from bench.compare.peers import PEERS
from bench.compare.points import Point, Points, Size, code_hash
from bench.compare.sides import BUILD, side_of
from bench.compare.table import show
from bench.compare.traffic import Shape, Traffic, made
from bench.results import machine

HITS = 10_000_000
ASSETS = 100_000


class Run:
    """One run: its traffic, its stored points and what is left of its time."""

    def __init__(self, points: Points, budget: Budget, build: Path = BUILD) -> None:
        self._points, self._budget, self._build = points, budget, build

    def point(self, peer: str, size: Size) -> Point:
        """Return a point: as it was stored, or measured and stored now; one that fails is a point, too."""
        code = code_hash(peer)
        stored = self._points.find(peer, size, code)
        if stored is not None:
            return stored
        began, told = time.monotonic(), {"date": datetime.now(UTC).date().isoformat(), "machine": machine()}
        seconds = self._budget.point_s()
        if not seconds:
            return Point(peer, size, **told, stopped="not begun: the time of the run was over")
        print(f"{peer}: {size.kind}, {size.hits:,} hits, {size.assets:,} assets ...", file=sys.stderr, flush=True)
        try:
            found = self._measured(peer, size, seconds)
        except Exception as error:  # noqa: BLE001 - whatever a peer dies of, the others go on
            found = {"failed": f"{type(error).__name__}: {error}"}
        point = Point(peer, size, **told, **found, whole_s=round(time.monotonic() - began, 1))
        self._points.store(point, code)
        print(f"    {point.whole_s:.0f} s {point.failed or point.stopped or point.wrong}", file=sys.stderr, flush=True)
        return point

    def _measured(self, peer: str, size: Size, seconds: float) -> dict[str, Any]:
        traffic = self._traffic(size)
        folder = Path(tempfile.mkdtemp(prefix=f"{peer}-", dir=self._build))
        folder.chmod(0o755)  # A server that refuses to be root must reach its own part of it.
        side = side_of(peer, folder / "data")
        try:
            side.start()
            found = load(side, traffic, folder, hits=size.hits, seconds=seconds)
            found["group_bodies"] = side.group_bodies
            found["to_list_ms"] = to_list_ms(peer, side, traffic)
            found["again"] = count_again(side)
            side.stop()
        finally:
            side.kill()
            shutil.rmtree(folder, ignore_errors=True)
        return found

    def _traffic(self, size: Size) -> Traffic:
        return made(Shape(min(size.hits, HITS), size.assets), self._build / "traffic")


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description="Compare footfall with its peers.")
    parser.add_argument("--only", action="append", choices=list(PEERS), help="this peer alone; may be repeated")
    parser.add_argument("--hits", type=int, default=HITS, help="hits of the main load (%(default)s)")
    parser.add_argument("--assets", type=int, default=ASSETS, help="assets of the main load (%(default)s)")
    parser.add_argument("--point-seconds", type=float, default=POINT_S_MAX, help="a point's time (%(default)s)")
    parser.add_argument("--seconds", type=float, default=WHOLE_S_MAX, help="the whole's time (%(default)s)")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    return parser.parse_args()


def main() -> int:
    """Run what is asked for, and print the table."""
    asked = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    BUILD.mkdir(parents=True, exist_ok=True)
    points = Points(BUILD / "points")
    chosen: Sequence[str] = asked.only or list(PEERS)
    if asked.fresh:
        points.forget(chosen)
    budget = Budget(time.monotonic, time.monotonic(), asked.point_seconds, asked.seconds)
    run = Run(points, budget)
    show([run.point(peer, Size("load", asked.hits, asked.assets)) for peer in chosen])
    return 0
