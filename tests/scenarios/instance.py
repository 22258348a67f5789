"""A footfall in processes of its own, as an operator has it: started, asked, signalled, killed and looked into."""

import contextlib
import http.client
import io
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from footfall.app.settings_reading import environment
from footfall.shells.cli.command import Surroundings
from footfall.shells.cli.main import main
from footfall.values.clock import SystemClock

_T = TypeVar("_T")

START_S_MAX = 60.0
PAUSE_S_MIN, PAUSE_S_MAX = 0.02, 0.15
PATIENCE = 4  # A machine that is busy with other things takes longer; only what is red waits so long.
STOP_S_MAX = 45.0  # Ten are promised; the rest is for a machine that is busy with something else.
COUNTING, ANSWERING = "footfall.app.counting", "footfall.app.answering"
PARTS = ("counted", "duplicate", "late", "future", "unlabelled", "dead", "inFlight")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def taken(answer: http.client.HTTPResponse) -> Answer:
    """Return an answer with its body; of a stream of events, which has no end, what comes first."""
    headers = {k.lower(): v for k, v in answer.getheaders()}
    if not headers.get("content-type", "").startswith("text/event-stream"):
        return Answer(answer.status, headers, answer.read())
    first = answer.read1()
    answer.close()
    return Answer(answer.status, headers, first)


@dataclass(slots=True)
class Instance:
    """One running server and its data."""

    data: Path
    process: subprocess.Popen[bytes]
    log: Path
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def call(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return taken(answer)

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, hits: object, headers: Mapping[str, str] | None = None) -> Answer:
        return self.call("POST", "/v1/hits", json.dumps(hits).encode(), headers)

    def ledger(self, brand: str) -> dict[str, Any]:
        """Return the brand's ledger, having checked that it adds up."""
        return balanced(self.get(f"/v1/ledger?brand={brand}"))

    def drained(self, brand: str, *, seconds: float = 15) -> dict[str, Any]:
        """Return the ledger once everything accepted has been looked at."""
        return until(lambda: self.ledger(brand), lambda book: book["inFlight"] == 0, seconds=seconds)

    def popular(self, brand: str, period: str = "day") -> dict[str, int]:
        """Return the hits of each asset, a hundred of them at most."""
        answer = self.get(f"/v1/popular?brand={brand}&period={period}&limit=100")
        return {item["assetId"]: item["hits"] for item in answer.json()["items"]} if answer.status == 200 else {}

    def listed(self, brand: str, *, period: str = "day", seconds: float = 10) -> dict[str, int]:
        """Return the list once it holds all that the ledger calls counted."""
        counted = self.drained(brand)["counted"]
        return until(lambda: self.popular(brand, period), lambda it: sum(it.values()) == counted, seconds=seconds)

    def child(self, module: str) -> int | None:
        """Return the process number of a child, None while it is not there."""
        return next((pid for pid in children_of(self.process.pid) if module in command_of(pid)), None)

    def rss_bytes(self) -> int:
        """Return the memory of the whole process tree."""
        return sum(rss_bytes_of(pid) for pid in (self.process.pid, *children_of(self.process.pid)))

    def terminate(self) -> float:
        """Ask it to stop as a supervisor does; return the seconds it took, having checked that it ended well."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(STOP_S_MAX + 5)
        took_s = time.monotonic() - began
        assert code == 0, self.said()
        assert took_s < STOP_S_MAX, self.said()
        return took_s

    def kill(self) -> None:
        """Kill the whole process group at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def said(self) -> str:
        """Return what it wrote: its address and its log."""
        return self.log.read_text(errors="replace")


@dataclass(slots=True)
class Starter:
    """Starts servers, and ends those that a test leaves behind."""

    folder: Path
    started: list[Instance] = field(default_factory=list[Instance])

    def begin(
        self, data: Path, *flags: str, dev: bool = True, port: int = 0, env: Mapping[str, str] | None = None
    ) -> Instance:
        """Start a server and do not wait for it."""
        log = self.folder / f"log-{len(self.started)}.txt"
        command = serve_command(data, *flags, dev=dev, port=port)
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=output, start_new_session=True, env={**os.environ, **(env or {})}
            )
        instance = Instance(data, process, log, port)
        self.started.append(instance)
        return instance

    def start(
        self, data: Path, *flags: str, dev: bool = True, port: int = 0, env: Mapping[str, str] | None = None
    ) -> Instance:
        """Start a server and wait until it says its address."""
        instance = self.begin(data, *flags, dev=dev, port=port, env=env)
        give_up_at = time.monotonic() + START_S_MAX
        while time.monotonic() < give_up_at and instance.process.poll() is None:
            said = instance.said()
            if "footfall is on http://" in said and "\n" in said.partition("footfall is on ")[2]:
                address = said.partition("footfall is on ")[2].split("/\n")[0]
                instance.port = int(address.rpartition(":")[2])
                return instance
            time.sleep(0.03)
        raise AssertionError(f"no start within {START_S_MAX} s: {instance.said()}")

    def end_all(self) -> None:
        for instance in self.started:
            pids = children_of(instance.process.pid)
            instance.kill()
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def serve_command(data: Path, *flags: str, dev: bool = True, port: int = 0) -> list[str]:
    base = [sys.executable, "-m", "footfall.shells.cli.main", "serve", "--data", str(data), "--port", str(port)]
    return [*base, *(["--dev"] if dev else []), *flags]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


def footfall(*argv: str, variables: Mapping[str, str] | None = None) -> Ended:
    """Run a command to its end, with what a terminal would give it; it needs no process of its own for that."""
    out, err = io.StringIO(), io.StringIO()
    set_here = {**environment(), **(variables or {})}
    around = Surroundings(
        out, err, io.BytesIO(), set_here, SystemClock(), pause=time.sleep, new_key=lambda: uuid.uuid4().hex
    )
    # The parser of arguments knows no surroundings.
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(argv, around)
    return Ended(code, out.getvalue(), err.getvalue())


def typed(*argv: str, seconds: float = 120) -> Ended:
    """Run a command to its end in a process of its own, as a person would type it."""
    command = [sys.executable, "-m", "footfall.shells.cli.main", *argv]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def until(look: Callable[[], _T], is_it: Callable[[_T], bool], *, seconds: float, pause_s: float | None = None) -> _T:
    """Look again and again until it is so; fail with what was seen last, later than the seconds on a busy machine.

    Whoever looks takes the processor from what is looked at, so the pauses grow unless one is asked for.
    """
    pauses = itertools.repeat(pause_s) if pause_s is not None else growing_pauses()
    give_up_at = time.monotonic() + PATIENCE * seconds
    while True:
        seen = look()
        if is_it(seen):
            return seen
        if time.monotonic() > give_up_at:
            raise AssertionError(f"after {PATIENCE * seconds} s it is still {seen!r}")
        time.sleep(next(pauses))


def growing_pauses() -> Iterator[float]:
    pause_s = PAUSE_S_MIN
    while True:
        yield pause_s
        pause_s = min(pause_s * 1.3, PAUSE_S_MAX)


def balanced(answer: Answer) -> dict[str, Any]:
    """Return a ledger whose parts add up to what was accepted, and none of them is less than nothing."""
    assert answer.status == 200, answer.body
    book: dict[str, Any] = answer.json()
    parts = [book[name] for name in PARTS] + list(book["screened"].values())
    assert min(parts) >= 0, book
    assert sum(parts) == book["accepted"], book
    return book


def hit(asset: str | int, brand: str = "abc", **more: object) -> dict[str, object]:
    return {"brand": brand, "assetId": asset, "sectionId": 7, "resourceType": "article", "paidType": "free", **more}


def raw_exchange(port: int, request: bytes, *, seconds: float = 20) -> bytes:
    """Send bytes on a connection of their own and return all that comes back until it ends."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line:
        with contextlib.suppress(ConnectionError):  # A refused sender may be cut off while it still sends.
            line.sendall(request)
        return received(line)


def received(line: socket.socket) -> bytes:
    """Return all that a connection brings until it ends."""
    parts: list[bytes] = []
    with contextlib.suppress(ConnectionError):
        while part := line.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])


def children_of(parent: int) -> list[int]:
    return [pid for pid in _processes() if _parent_of(pid) == parent]


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def rss_bytes_of(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1_024 for line in lines if line.startswith("VmRSS")), 0)


def is_running(pid: int) -> bool:
    """Tell whether a process is there and has not ended."""
    return _stat_of(pid)[:1] not in ([], ["Z"])


def _processes() -> Sequence[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _parent_of(pid: int) -> int:
    fields = _stat_of(pid)
    return int(fields[1]) if fields else 0


def _stat_of(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
