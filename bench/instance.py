"""A real server in its own processes on a directory of its own, and what can be seen of it from outside."""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.client import Client
from bench.compare.processes import TICKS, stat_of, tree_of
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.wiring import STORE_FILE, STREAM_FILE
from footfall.flow.store import keys
from footfall.ports.table import everything
from footfall.values.clock import SystemClock

BRAND = "bench"
PERIOD_HOURS = "hours168"
DRAIN_S_MAX = 600.0
STOP_S_MAX = 30.0
CLOSED_AFTER_MS = 120_000  # A window that ended before this has closed on an instance that keeps up.


class DidNotStart(Exception):
    """The server ended before it was up; its own words are in the message."""


class DidNotCatchUp(Exception):
    """The server did not finish counting in any reasonable time."""


class Instance:
    """One running instance."""

    def __init__(self, directory: Path, settings: Mapping[str, object] | None = None) -> None:
        self.directory = directory
        self._settings = settings or {}
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    def __enter__(self) -> "Instance":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Return the id of the first process, the parent of the others."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it says where it is."""
        self.directory.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "footfall.shells.cli.main", "serve", "--brand", BRAND, "--port", "0"]
        command += ["--data", str(self.directory), "--log-level", "warning"]
        for name, value in self._settings.items():
            command += ["--set", f"{name}={value}"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        if not said.startswith("footfall is on "):
            self._process.wait()
            raise DidNotStart(f"`{' '.join(command)}` ended with {self._process.returncode}: {said or 'no word'}")
        self.port = int(said.strip().rstrip("/").rpartition(":")[2])

    def stop(self) -> None:
        """Let the server finish its work and end."""
        process = self._process
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def kill(self) -> None:
        """End the first process the hard way; the others must notice."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def client(self) -> Client:
        """Return a new connection."""
        return Client(self.port)

    def ledger(self) -> dict[str, Any]:
        """Return the ledger of the brand."""
        client = self.client()
        try:
            return client.get(f"/v1/ledger?brand={BRAND}").json()
        finally:
            client.close()

    def drain(self) -> float:
        """Wait until every accepted hit is in a line of the ledger; return how long it took."""
        started = time.perf_counter()
        while self.ledger()["inFlight"]:
            if time.perf_counter() - started > DRAIN_S_MAX:
                raise DidNotCatchUp(f"hits are still in flight after {DRAIN_S_MAX} s: {self.ledger()}")
            time.sleep(0.05)
        return time.perf_counter() - started

    def wait_until_built(self) -> float:
        """Wait until every hour and day that has ended is built; return how long it took."""
        started = time.perf_counter()
        clock = SystemClock()
        table = SqliteTable(self.directory / STORE_FILE, clock=clock, read_only=True)
        while any(self._unbuilt(table, ended_before_ms=clock.now_ms() - CLOSED_AFTER_MS)):
            if time.perf_counter() - started > DRAIN_S_MAX:
                raise DidNotCatchUp(f"windows are still to be built after {DRAIN_S_MAX} s")
            time.sleep(0.25)
        table.close()
        return time.perf_counter() - started

    def stored_bytes(self) -> int:
        """Return what the stream's file holds."""
        stream = SqliteStream(self.directory / STREAM_FILE, clock=SystemClock(), read_only=True)
        try:
            return stream.stored_bytes()
        finally:
            stream.close()

    def _unbuilt(self, table: SqliteTable, *, ended_before_ms: int) -> Iterator[str]:
        for found in everything(table, keys.pending_partition(0)):
            pending = keys.pending_from_key(found.key)
            hour_ms = 3_600_000 * (24 if pending.grain.value == "D" else 1)
            if not found.item.get("built") and pending.start_ms + hour_ms <= ended_before_ms:
                yield found.key.sort


def memory_bytes(pid: int) -> dict[str, int]:
    """Return the memory of every process of the tree by what it does, what is shared counted once (PSS)."""
    found: dict[str, int] = {}
    for one in tree_of(pid):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii").splitlines()
            size = sum(int(line.split()[1]) * 1_024 for line in lines if line.startswith("Pss:"))
            found[_role(one)] = found.get(_role(one), 0) + size
    return found


def cpu_seconds(pid: int) -> float:
    """Return the processor time that the whole process tree has used."""
    total = 0
    for one in tree_of(pid):
        with contextlib.suppress(OSError):
            total += sum(int(ticks) for ticks in stat_of(one)[11:13])
    return total / TICKS


def _role(pid: int) -> str:
    """Return what a process of an instance does, from the module it was started with."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    modules = [word.removeprefix("footfall.app.") for word in words if word.startswith("footfall.app.")]
    return modules[-1] if modules else "collecting"
