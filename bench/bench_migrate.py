"""Migrate: how fast a catalogue is moved, and what an application on the old database notices of it.

Sketch. A metric with five versions is some thirteen items: a millisecond of a processor to read, map and write. So a
core moves about a thousand a second, and Python runs out first, not the databases. The application waits for nothing
of ours but a processor: its slowest answers show whether the pace leaves it one. On a small
machine any process does that much, so one that asks no database is measured beside it.
"""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median, quantiles

from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.adapters.relational.opening import open_relational
from footfall.app.moving import mapping_from
from footfall.migrate.copying import Ground, copy_some
from footfall.migrate.verifying import Verifier
from footfall.ports.relational import State
from footfall.values.clock import SystemClock
from tests.engines.mariadb import MariaDbEngine, folder_of, running
from tests.engines.seaweedfs import free_ports
from tests.migrate.moving_stage import EXAMPLE, old_database

METRICS, VERSIONS = 20_000, 5
READS_PER_S, WRITES_PER_S = 200, 50
ROUNDS = (
    3  # of quiet and of moving, in turn: whatever else the machine does is in both; a mover's start counts as moving
)
ROUND_S, WARM_S = 8.0, 3.0
HANDED_OVER = 1_000  # metrics, which go over and back
HANDOVER_S_MAX = 120.0
BLOCKED_MS_MAX = 10
STATEMENTS = 2_000
MAPPING = EXAMPLE / "mapping.yaml"
IDLER = """
import os, sys, time
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
share, round_s = float(sys.argv[1]), 0.03
while True:
    ends_at = time.perf_counter() + share * round_s
    while time.perf_counter() < ends_at:
        pass
    time.sleep((1 - share) * round_s)
"""  # in pieces as long as a chunk of entities takes


def run(plan: Plan) -> list[Row]:
    """Move a catalogue as fast as it goes, then another under traffic, and hand a third over and back."""
    metrics = plan.scaled(METRICS)
    with folder_of("nobody") as folder, running(folder) as engine:
        return [
            *_triggers(engine),
            *_unthrottled(engine, plan.directory, metrics),
            *_under_traffic(engine, plan.directory, metrics),
            *_handed_over(engine, plan.directory, plan.scaled(HANDED_OVER)),
        ]


def _triggers(engine: MariaDbEngine) -> list[Row]:
    """Measure what the triggers add to a write."""
    source = old_database(engine, metrics=100, versions=1)
    outline = mapping_from(MAPPING).outline
    with closing(engine.connected(source.rsplit("/", 1)[1])) as connection:

        def written() -> float:
            began = time.perf_counter()
            with connection.cursor() as cursor:
                for number in range(STATEMENTS):
                    values = (f"by {number}", number % 100 + 1)
                    cursor.execute("UPDATE metric_version SET updated_by = %s WHERE metric_id = %s", values)
                    connection.commit()
            return (time.perf_counter() - began) / STATEMENTS * 1e6

        plain = min(written() for _ in range(ROUNDS))
        with closing(open_relational(source, pause=time.sleep)) as relational:
            relational.prepare(outline)
        noted = min(written() for _ in range(ROUNDS))
    return [
        row("an UPDATE and its commit, with the triggers to without", noted / plain, "ratio"),
        row("what the triggers add to it", noted - plain, "us"),
    ]


def _unthrottled(engine: MariaDbEngine, folder: Path, metrics: int) -> list[Row]:
    """Copy and verify as fast as one thread can."""
    source, clock = old_database(engine, metrics=metrics, versions=VERSIONS), SystemClock()
    with (
        closing(open_relational(source, pause=time.sleep)) as relational,
        closing(SqliteTable(folder / "unthrottled.db", clock=clock)) as table,
    ):
        ground = Ground(relational, table, mapping_from(MAPPING))
        relational.prepare(ground.moving.outline)
        began, used = time.perf_counter(), time.process_time()
        while copy_some(ground, now_ms=clock.now_ms()).taken:
            pass
        took, used = time.perf_counter() - began, time.process_time() - used
        began = time.perf_counter()
        verified = Verifier(ground, "bench").verify(now_ms=clock.now_ms())
        first = time.perf_counter() - began
        began = time.perf_counter()
        Verifier(ground, "again").verify(now_ms=clock.now_ms())
        again = time.perf_counter() - began
    assert verified.is_sound, verified.differences[:3]
    return [
        row(
            f"{metrics:,} metrics of {VERSIONS} versions copied, unthrottled, on disk",
            metrics / took,
            "metrics/s",
            at_least=1_000,
        ),
        row("of a processor for each metric", used / metrics * 1e6, "us"),
        row("all of them compared on both sides", metrics / first, "metrics/s"),
        row("compared again, to the first time", again / first, "ratio"),
    ]


@dataclass(slots=True)
class _Beside:
    """How long the application's answers took: alone, while its catalogue is moved, and beside a process of no use."""

    quiet: list[float] = field(default_factory=list[float])
    moving: list[float] = field(default_factory=list[float])
    idling: list[float] = field(default_factory=list[float])
    copied: int = 0
    moved_s: float = 0.0
    used_s: float = 0.0  # of a processor

    def rows(self) -> list[Row]:
        quiet, moving, idling = _p99(self.quiet), _p99(self.moving), _p99(self.idling)
        share = self.used_s / self.moved_s
        same = "its p99 while moved, to beside a process that takes as much of a processor and asks no database"
        return [
            row("the application's answers alone, p99", quiet, "ms"),
            row("while its catalogue is moved, p99", moving, "ms"),
            row("the application's p99 while its catalogue is moved, to alone", moving / quiet, "ratio", at_most=1.1),
            row("the same of its medians", median(self.moving) / median(self.quiet), "ratio"),
            row("of a processor that the mover takes", share, "share"),
            row("beside that process, p99 to alone", idling / quiet, "ratio"),
            row(same, moving / idling, "ratio", at_most=1.1),
            row("metrics moved meanwhile", self.copied / self.moved_s, "metrics/s"),
        ]


def _under_traffic(engine: MariaDbEngine, folder: Path, metrics: int) -> list[Row]:
    """Measure the application alone and while a catalogue is moved under it, in turn."""
    source, seen = _prepared(engine, metrics), _Beside()
    with _application(source, folder / "metrics.db") as port:
        _traffic(port, metrics, seconds=WARM_S)
        for number in range(ROUNDS):
            seen.quiet += _traffic(port, metrics, seconds=ROUND_S)
            own = folder / f"round-{number}"  # To an empty table each time: a mover that has nothing left is no load.
            own.mkdir()
            _forget_copies(engine, source)
            with _footfall("run", source, own) as mover:
                while not (before := _copied(source)):  # An interpreter that starts is no load of moving.
                    time.sleep(0.2)
                began, used = time.perf_counter(), _processor_s(mover.pid)
                seen.moving += _traffic(port, metrics, seconds=ROUND_S)
                seen.moved_s += time.perf_counter() - began
                seen.used_s += _processor_s(mover.pid) - used
                seen.copied += _copied(source) - before
                assert mover.poll() is None, "the mover ended by itself"
            with _idler(seen.used_s / seen.moved_s):
                seen.idling += _traffic(port, metrics, seconds=ROUND_S)
    return seen.rows()


def _handed_over(engine: MariaDbEngine, folder: Path, metrics: int) -> list[Row]:
    """Measure the application alone, and while all of its catalogue is switched and taken back."""
    source, own = _prepared(engine, metrics), folder / "handed-over"
    own.mkdir()
    with _application(source, own / "metrics.db") as port, _footfall("run", source, own):
        while _copied(source) < metrics:
            time.sleep(0.1)
        _traffic(port, metrics, seconds=WARM_S)
        quiet = _traffic(port, metrics, seconds=ROUND_S)
        began, told = time.perf_counter(), list[float]()
        for action in ("switch", "back"):
            with _footfall(action, source, own, "--all") as operator:
                told += _traffic(port, metrics, seconds=HANDOVER_S_MAX, until=lambda: operator.poll() is not None)
                assert operator.poll() == 0, f"{action} has not ended well in {HANDOVER_S_MAX} s"
        took = time.perf_counter() - began
        held_up = {int(bound): times for bound, times in _counted(port)["blockedMs"].items()}
    times = sum(held_up.values())
    short = sum(count for bound, count in held_up.items() if bound <= BLOCKED_MS_MAX)
    return [
        row(f"while {metrics:,} metrics are switched and taken back, p99", _p99(told), "ms"),
        row("the same to what it was before, beside a mover with nothing to do", _p99(told) / _p99(quiet), "ratio"),
        row("handovers", 2 * metrics / took, "handovers/s"),
        row("writes that met one", times, "writes"),
        row(
            f"of those, held up for at most {BLOCKED_MS_MAX} ms",
            short / times if times else 1.0,
            "share",
            at_least=0.99,
        ),
        row("answers that were refused or failed", _failed[0], "answers", at_most=0),
    ]


def _prepared(engine: MariaDbEngine, metrics: int) -> str:
    source = old_database(engine, metrics=metrics, versions=VERSIONS)
    with closing(open_relational(source, pause=time.sleep)) as relational:
        relational.prepare(mapping_from(MAPPING).outline)
    return source


def _forget_copies(engine: MariaDbEngine, source: str) -> None:
    """Let the next mover find everything uncopied."""
    with closing(engine.connected(source.rsplit("/", 1)[1])) as connection, connection.cursor() as cursor:
        cursor.execute("UPDATE footfall_states SET state = %s, until_ms = 0", (State.NOT_MIGRATED.value,))
        connection.commit()


_failed = [0]


@contextmanager
def _application(source: str, table: Path) -> Generator[int]:
    (port,) = free_ports(1)
    given = [f"--source={source}", f"--table={table}", f"--mapping={MAPPING}", f"--port={port}"]
    with subprocess.Popen([sys.executable, str(EXAMPLE / "application.py"), *given]) as process:
        try:
            _until_listening(port)
            yield port
        finally:
            process.kill()


@contextmanager
def _footfall(action: str, source: str, folder: Path, *more: str) -> Generator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-m", "footfall.shells.cli.main", "migrate", action, *more]
    words += ["--from", source, "--mapping", str(MAPPING), "--data", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def _idler(share: float) -> Generator[None]:
    """Run a process that takes a share of a processor, as polite as a mover is: what sharing a machine alone costs."""
    with subprocess.Popen([sys.executable, "-c", IDLER, str(share)]) as process:
        try:
            yield
        finally:
            process.kill()


def _processor_s(pid: int) -> float:
    """Return how much time of a processor a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _until_listening(port: int) -> None:
    while True:
        try:
            _asked(http.client.HTTPConnection("127.0.0.1", port, timeout=5), "GET", "/metrics/1", None)
        except OSError:
            time.sleep(0.05)
        else:
            return


def _traffic(port: int, metrics: int, *, seconds: float, until: Callable[[], bool] = lambda: False) -> list[float]:
    """Read and write at a steady rate, whatever the answers take; return how long each took, in milliseconds."""
    told: list[float] = []
    stopped = threading.Event()
    readers = [_Sender(port, metrics, READS_PER_S / 8, is_writer=False)] * 8
    writers = [_Sender(port, metrics, WRITES_PER_S / 4, is_writer=True)] * 4
    connected = threading.Barrier(len(readers) + len(writers) + 1)
    threads = [
        threading.Thread(target=_send, args=(sender, Random(number), connected, stopped, told))
        for number, sender in enumerate([*readers, *writers])
    ]
    for thread in threads:
        thread.start()
    connected.wait()
    ends_at = time.perf_counter() + seconds
    while time.perf_counter() < ends_at and not until():
        time.sleep(min(0.5, max(0.0, ends_at - time.perf_counter())))
    stopped.set()
    for thread in threads:
        thread.join()
    return told


@dataclass(frozen=True, slots=True)
class _Sender:
    port: int
    metrics: int
    per_second: float
    is_writer: bool


def _send(
    sender: _Sender, chance: Random, connected: threading.Barrier, stopped: threading.Event, told: list[float]
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", sender.port, timeout=20)
    _asked(connection, "GET", "/metrics/1", None)  # The application opens both sides for each connection.
    connected.wait()
    due = time.perf_counter() + chance.random() / sender.per_second
    while not stopped.wait(max(0.0, due - time.perf_counter())):
        key = chance.randint(1, sender.metrics)
        if sender.is_writer:
            _asked(connection, "POST", f"/metrics/{key}/versions", {"by": f"by {chance.random()}"})
        else:
            _asked(connection, "GET", f"/metrics/{key}", None)
        told.append((time.perf_counter() - due) * 1_000)  # since it was due: whoever comes late has waited, too
        due += 1 / sender.per_second


def _asked(connection: http.client.HTTPConnection, method: str, path: str, body: object) -> bytes:
    connection.request(method, path, None if body is None else json.dumps(body))
    response = connection.getresponse()
    _failed[0] += response.status != 200
    return response.read()


def _counted(port: int) -> dict[str, dict[str, int]]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        return json.loads(_asked(connection, "GET", "/counted", None))


def _copied(source: str) -> int:
    with closing(open_relational(source, pause=time.sleep)) as relational:
        states = relational.states(mapping_from(MAPPING).outline)
    return states.get(State.MIGRATED, 0)


def _p99(told: list[float]) -> float:
    return quantiles(told, n=100)[98]
