"""The run: every point of every peer in turn, stored as it is done, whatever becomes of the others; then the table."""

import argparse
import contextlib
import fcntl
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.compare.budget import POINT_S_MAX, WHOLE_S_MAX, Budget, Turn
from bench.compare.goals import goal_rows
from bench.compare.judge import Recount
from bench.compare.killing import killed
from bench.compare.measuring import counted_again, floor_of, load, to_list_ms
from bench.compare.peers import ONE_SIZE, OURS, PEERS, is_ours
from bench.compare.planned import ASSETS, DAY, GROWTH, HITS, KILL, LOAD, SECOND, Plan, asking_s, day_starts_ms, large_s
from bench.compare.points import Point, Points, Size, code_hash, ground
from bench.compare.processes import kill_those_on
from bench.compare.report import Result, save_result
from bench.compare.sides import BUILD, OutOfTime, Side, side_of
from bench.compare.table import show
from bench.compare.traffic import Shape, Traffic, made
from bench.compare.twice import is_worth_twice, of_two, rivals
from bench.compare.versions import version_of
from bench.results import RESULTS
from footfall.native import IS_BUILT

# Of a point's time, for days, and for kills and loads of a tenth: who needs more is stopped, and others have the time.
SHARES = {DAY: 0.6, KILL: 0.4, GROWTH: 0.4}


class Run:
    """One run: its traffic, its stored points and what is left of its time."""

    def __init__(self, points: Points, budget: Budget, build: Path = BUILD) -> None:
        self._points, self._budget, self._build = points, budget, build
        self._made: dict[Shape, Traffic] = {}

    def point(self, peer: str, size: Size, turn: Turn | None = None) -> Point:
        """Return a point: as it was stored, or measured and stored now; one that fails is a point, too."""
        code, turn = code_hash(peer), turn or self._budget.turn()
        stored = self._points.find(peer, size, code, turn.seconds_max)
        if stored is not None:
            return stored
        if not turn.seconds:
            return _point(peer, size, stopped="not begun: the time of the run was over")
        print(f"{peer}: {size.kind}, {size.hits:,} hits, {size.assets:,} assets ...", file=sys.stderr, flush=True)
        traffic, began = self._traffic(size), time.monotonic()
        try:
            found = self._measured(peer, size, traffic, turn)
        except OutOfTime as error:
            found = {"stopped": str(error)}
        except Exception as error:  # noqa: BLE001 - whatever a peer dies of, the others go on
            found = {"failed": f"{type(error).__name__}: {error}"}
        point = _point(peer, size, **found, whole_s=round(time.monotonic() - began, 1))
        if is_kept(point, turn.seconds, seconds_max=turn.seconds_max):
            self._points.store(point, code, turn.seconds_max)
        print(f"    {point.whole_s:.0f} s {point.failed or point.stopped or point.wrong}", file=sys.stderr, flush=True)
        return point

    def all_points(self, plan: Plan, peers: Sequence[str]) -> list[Point]:
        """Return every point of a plan; some main loads come a second time, before those that are small."""
        points: list[Point] = []
        again: dict[str, Point] | None = None
        for peer, size in plan.steps(peers):
            if size in plan.small and again is None:
                again = self._second_points(plan, [one for one in points if one.size == plan.main])
            share = SHARES.get(size.kind, 1.0) if size != plan.large else 1.0
            points.append(self.point(peer, size, self._budget.turn(share=share)))
        if not plan.is_whole:
            return points
        mains = [point for point in points if point.size == plan.main]
        larges = self._large_points(plan, [one for one in mains if one.peer not in (*OURS, *ONE_SIZE)])
        return [
            of_two(one, again[one.peer]) if again and one.size == plan.main and one.peer in again else one
            for one in points
        ] + larges

    def _second_points(self, plan: Plan, mains: Sequence[Point]) -> dict[str, Point]:
        """Return the main loads that were measured again, as far as there is time."""
        found: dict[str, Point] = {}
        for main in rivals(mains):
            turn = self._budget.turn(asking_s=asking_s(main))
            if is_worth_twice(main, seconds=turn.seconds):
                found[main.peer] = self.point(main.peer, plan.second, turn)
        return found

    def _large_points(self, plan: Plan, mains: Sequence[Point]) -> list[Point]:
        """Return the large loads, the quick first: who would come to the end has all its time, others equal parts."""
        why = "not begun: its main load did not come to its end"
        points = [_point(one.peer, plan.large, stopped=why) for one in mains if one.hits and one.stopped]
        ordered = sorted((one for one in mains if one.hits and not one.stopped), key=lambda one: large_s(one, plan))
        for place, main in enumerate(ordered):
            asking = asking_s(main)
            needs_s = large_s(main, plan) + asking
            is_quick = needs_s <= self._budget.point_s_max
            turn = self._budget.turn(waiting=1 if is_quick else len(ordered) - place, asking_s=asking)
            if is_quick and turn.seconds < needs_s:
                turn = replace(turn, seconds=0.0)  # Where the end of the hour would cut it says nothing of it.
            points.append(self.point(main.peer, plan.large, turn))
        return points

    def _measured(self, peer: str, size: Size, traffic: Traffic, turn: Turn) -> dict[str, Any]:
        with self._started(peer, turn.seconds) as (side, folder):
            if size.kind == KILL:
                return killed(peer, side, traffic, hits=size.hits)
            is_timed = size.kind != SECOND
            found = load(side, traffic, folder, hits=size.hits, seconds=turn.feeding_s, is_timed=is_timed)
            found["group_bodies"] = side.group_bodies
            if size.kind == LOAD and found.get("hits"):
                found["floor"] = floor_of(side)
                with contextlib.suppress(OutOfTime):  # What was measured before stays.
                    found["to_list_ms"] = to_list_ms(peer, side, traffic)
                    found |= counted_again(side, traffic, Recount(traffic.columns, found["hits"]), before=found)
            return found

    @contextlib.contextmanager
    def _started(self, peer: str, seconds: float) -> Generator[tuple[Side, Path]]:
        """Start a peer on a folder that goes with it, however this ends."""
        folder = Path(tempfile.mkdtemp(prefix=f"{peer}-", dir=self._build))
        try:
            folder.chmod(0o755)  # A server that refuses to be root must reach its own part of it.
            side = side_of(peer, folder / "data")
            side.ends_at_s = time.monotonic() + seconds
            try:
                side.start()
                yield side, folder
                side.stop()
            finally:
                side.kill()
        finally:
            _remove(folder)

    def _traffic(self, size: Size) -> Traffic:
        folder = self._build / "traffic"
        starts_ms = day_starts_ms(folder) if size.kind == DAY else 0
        shape = Shape(min(size.hits, HITS), size.assets, starts_ms)
        if shape not in self._made:  # Sizes take turns, and drawing ten million hits again takes seconds.
            self._made[shape] = made(shape, folder)
        return self._made[shape]


def is_kept(point: Point, seconds: float, *, seconds_max: float) -> bool:
    """Tell whether a point stands for the next run: not if it failed, nor if the end of the whole cut it short."""
    is_cut = seconds < seconds_max and (bool(point.stopped) or point.whole_s >= seconds)
    return not point.failed and not is_cut


def _point(peer: str, size: Size, **found: Any) -> Point:
    is_native = IS_BUILT if is_ours(peer) else None
    date = datetime.now(UTC).date().isoformat()
    return Point(peer, size, date, ground(), version_of(peer), is_native=is_native, **found)


def parser() -> argparse.ArgumentParser:
    """Return what reads what is asked for."""
    reads = argparse.ArgumentParser(prog="python -m bench.compare", description="Compare footfall with its peers.")
    only = f"this peer alone; may be repeated: {', '.join(PEERS)}"
    reads.add_argument("--only", action="append", choices=list(PEERS), metavar="PEER", help=only)
    reads.add_argument("--hits", type=int, default=HITS, help="hits of the main load (%(default)s)")
    reads.add_argument("--assets", type=int, default=ASSETS, help="assets of the main load (%(default)s)")
    reads.add_argument("--load-only", action="store_true", help="the main load, without kills, day and growth")
    reads.add_argument("--point-seconds", type=float, default=POINT_S_MAX, help="a point's time (%(default)s)")
    reads.add_argument("--seconds", type=float, default=WHOLE_S_MAX, help="the whole's time (%(default)s)")
    reads.add_argument("--began", type=float, help="when the command was given, in seconds since 1970 (now)")
    reads.add_argument("--fresh", action="store_true", help="measure again what this would take from before")
    reads.add_argument("--keep-traffic", action="store_true", help="leave the bodies for the next run")
    reads.add_argument("--remark", default="", help="what a reader has to know of this run; stands on the page")
    reads.add_argument("--results", type=Path, help="where to write; a smaller run writes only if this is given")
    return reads


def main() -> int:
    """Run what is asked for, alone in this clone, and leave nothing but points and results."""
    asked = parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another comparison runs in this clone: wait for it, or stop it.", file=sys.stderr)
            return 1
        try:
            return compared(asked)
        except KeyboardInterrupt:
            print("Stopped; what is done is stored, and the same command goes on.", file=sys.stderr)
            return 130
        finally:
            _clean(traffic=not asked.keep_traffic)


def compared(asked: argparse.Namespace) -> int:
    """Measure, print and store."""
    points = Points(BUILD / "points")
    peers: Sequence[str] = asked.only or list(PEERS)
    plan = Plan(asked.hits, asked.assets, is_whole=not asked.load_only)
    if asked.fresh:
        points.forget((peer, size) for peer in peers for size in plan.sizes)
    installing_s = 0.0 if asked.began is None else max(0.0, time.time() - asked.began)
    budget = Budget(time.monotonic, time.monotonic() - installing_s, asked.point_seconds, asked.seconds)
    _clean(traffic=False)
    found = Run(points, budget).all_points(plan, peers)
    show(found, goal_rows(found))
    if points.taken:
        print(f"{points.taken} points are from before; --fresh measures them again.", file=sys.stderr)
    directory: Path | None = asked.results or (RESULTS if plan == Plan() and not asked.only else None)
    if directory is not None:
        took_s = round(sum(point.whole_s for point in found), 1)  # in however many sittings
        save_result(Result(command_of(asked), took_s, plan.hits, plan.assets, found, asked.remark), directory)
    return 0


def _clean(*, traffic: bool) -> None:
    """Remove what a run leaves, and what one left that was killed; points stay."""
    for peer in PEERS:
        for folder in BUILD.glob(f"{peer}-????????"):
            _remove(folder)
    if traffic:
        shutil.rmtree(BUILD / "traffic", ignore_errors=True)


def _remove(folder: Path) -> None:
    kill_those_on(folder)
    shutil.rmtree(folder, ignore_errors=True)


def command_of(asked: argparse.Namespace) -> str:
    """Return the command that measures this: all that differs from the defaults, but where to write and the remark."""
    told: list[str] = []
    for name, value in vars(asked).items():
        if name in {"began", "results", "remark"} or value == parser().get_default(name):
            continue
        option = f"--{name.replace('_', '-')}"
        values = value if isinstance(value, list) else [value]
        told += [option if one is True else f"{option} {_plain(one)}" for one in values]
    return f'make compare COMPARE="{" ".join(told)}"' if told else "make compare"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
