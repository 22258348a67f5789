"""A side of the comparison as the measuring has it: something that is fed, asked, killed and started again."""

import contextlib
import json
import select
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from bench.compare.feeding import ACKNOWLEDGED
from bench.compare.peers import PEERS, is_ours
from bench.compare.processes import kill_tree
from bench.compare.protocol import Question
from bench.compare.traffic import FRAME

HOUSE = Path(__file__).resolve().parents[2]
BUILD = HOUSE / "build" / "compare"
STOP_S_MAX = 30.0
KEY = "compare"  # how every Idempotency-Key begins


class PeerFailed(Exception):
    """A peer did not start, or ended; its own last words are in the message."""


class OutOfTime(Exception):
    """The point's time was over before it had answered."""


class Side(Protocol):
    """What is measured, seen from outside."""

    pid: int
    group_bodies: int
    ends_at_s: float  # by the monotonic clock: whoever waits for it gives up then
    behind: tuple[str, ...]  # processes that answer no list; they may be busy with a load after its lists are right

    def start(self) -> None:
        """Start on what the folder holds."""
        ...

    def get_ready(self) -> None:
        """Wait until all its processes are up: hits are taken before, and a start is in nobody's figures."""
        ...

    def feed_arguments(self) -> tuple[list[str], list[int]]:
        """Return how to feed it, and the files that whoever does must have open; collecting begins."""
        ...

    def end_feeding(self) -> None:
        """Wait until it has taken note that there is no more."""
        ...

    def mark(self, body: bytes) -> None:
        """Hand it one body and wait until that is acknowledged."""
        ...

    def settle(self) -> None:
        """Have it finish all that is to be done until lists show every hit."""
        ...

    def ask(self, questions: Sequence[Question]) -> tuple[list[list[tuple[int, int]]], list[float]]:
        """Return the lists and how many milliseconds each took."""
        ...

    def floor_ms(self) -> list[float]:
        """Return how long the bytes of a list take that come from a server with nothing else to do, if it has one."""
        ...

    def catch_up(self) -> str:
        """Wait until all that the load caused is done, for lists or not; return what is not done in time."""
        ...

    def count_again(self) -> str:
        """Have everything counted again; return why not, if it cannot."""
        ...

    def total(self) -> int:
        """Return how many hits are counted."""
        ...

    def kill(self) -> None:
        """End it with kill -9."""
        ...

    def stop(self) -> None:
        """End it in good order, or else the hard way."""
        ...


class CollectorSide:
    """A peer with the process that collects for it."""

    behind: tuple[str, ...] = ()

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self._process: subprocess.Popen[str] | None = None
        self._ours: socket.socket | None = None
        self._words = folder.with_suffix(".words")
        self.pid, self.group_bodies, self.ends_at_s = 0, 0, float("inf")

    def start(self) -> None:
        """Start the collecting process, which starts its servers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        command = [_python(self._name), "-m", "bench.compare.collecting", self._name, str(self._folder)]
        self._ours, theirs = socket.socketpair()
        with theirs, self._words.open("ab") as words:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                cwd=HOUSE,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                text=True,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl+C is for us to pass on.
            )
        self.pid = self._process.pid
        self.group_bodies = self._answer()["group_bodies"]

    def get_ready(self) -> None:
        """Do nothing: it has said that it is."""

    def feed_arguments(self) -> tuple[list[str], list[int]]:
        """Hand over our end of the socket."""
        assert self._ours is not None
        self._say({"do": "collect"})
        return ["--line", str(self._ours.fileno())], [self._ours.fileno()]

    def end_feeding(self) -> None:
        """Take the answer that all was taken."""
        self._answer()

    def mark(self, body: bytes) -> None:
        """Send one body and its end."""
        assert self._ours is not None
        self._say({"do": "collect"})
        self._ours.sendall(FRAME.pack(len(body)) + body + FRAME.pack(0))
        self._ours.recv(ACKNOWLEDGED.size, socket.MSG_WAITALL)
        self._answer()

    def settle(self) -> None:
        """Have it settle."""
        self._do({"do": "settle"})

    def ask(self, questions: Sequence[Question]) -> tuple[list[list[tuple[int, int]]], list[float]]:
        """Ask within the collecting process, which is as near to the peer as a client can be."""
        found = self._do({"do": "ask", "questions": [asdict(one) for one in questions]})
        return [[(asset, hits) for asset, hits in rows] for rows in found["lists"]], found["took_ms"]

    def floor_ms(self) -> list[float]:
        """Return nothing: it is asked within its process."""
        return []

    def catch_up(self) -> str:
        """Say that nothing is left: it does nothing that no list waits for."""
        return ""

    def count_again(self) -> str:
        """Have it count again."""
        return str(self._do({"do": "again"}).get("refused", ""))

    def total(self) -> int:
        """Have it tell."""
        return int(self._do({"do": "total"})["total"])

    def kill(self) -> None:
        """Kill the collecting process and its servers at once, as a machine that fails does."""
        if self._process is not None:
            kill_tree(self.pid)
            self._close()
        if self._ours is not None:
            self._ours.close()

    def stop(self) -> None:
        """End its commands, upon which it stops its servers."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        with contextlib.suppress(subprocess.TimeoutExpired, BrokenPipeError):
            self._process.stdin.close()
            self._process.wait(STOP_S_MAX)
        self.kill()

    def _close(self) -> None:
        process, self._process = self._process, None
        assert process is not None
        process.wait()
        for file in (process.stdin, process.stdout):
            if file is not None:
                with contextlib.suppress(BrokenPipeError):
                    file.close()

    def _do(self, command: dict[str, Any]) -> dict[str, Any]:
        self._say(command)
        return self._answer()

    def _say(self, command: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            print(json.dumps(command), file=self._process.stdin, flush=True)
        except BrokenPipeError as error:
            raise PeerFailed(self._last_words()) from error

    def _answer(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        left_s = None if self.ends_at_s == float("inf") else max(0.0, self.ends_at_s - time.monotonic())
        if not select.select([self._process.stdout], [], [], left_s)[0]:
            kill_tree(self.pid)  # It is busy with what nobody waits for any more.
            raise OutOfTime("it had not answered when its time was over")
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed(self._last_words())
        return json.loads(line)

    def _last_words(self) -> str:
        text = self._words.read_text(encoding="utf-8", errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it ended without a word"


def side_of(name: str, folder: Path) -> Side:
    """Return the side of that name, on a folder of its own."""
    if is_ours(name):
        module, _, made = PEERS[name].made_by.partition(":")
        key = KEY if PEERS[name].is_keyed else ""
        return getattr(import_module(module), made)(folder, key=key)  # It imports this module.
    return CollectorSide(name, folder)


def _python(name: str) -> str:
    environment = PEERS[name].environment
    python = BUILD / environment / "bin" / "python" if environment else Path(sys.executable)
    if not python.exists():
        trouble = BUILD / f"{environment}.trouble"
        why = trouble.read_text(encoding="utf-8") if trouble.exists() else f"{environment} is not installed"
        raise PeerFailed(f"{why.strip()[:300]}; `make compare` installs it")
    return str(python)
