"""A side of the comparison as the measuring has it: something that is fed, asked, killed and started again."""

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from bench.compare.feeding import ACKNOWLEDGED
from bench.compare.peers import FOOTFALL, PEERS
from bench.compare.processes import kill_tree
from bench.compare.protocol import Question
from bench.compare.traffic import FRAME

HOUSE = Path(__file__).resolve().parents[2]
BUILD = HOUSE / "build" / "compare"
STOP_S_MAX = 30.0


class PeerFailed(Exception):
    """A peer did not start, or ended; its own last words are in the message."""


class Side(Protocol):
    """What is measured, seen from outside."""

    pid: int
    group_bodies: int

    def start(self) -> None:
        """Start on what the folder holds."""
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

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self._process: subprocess.Popen[str] | None = None
        self._ours: socket.socket | None = None
        self._words = tempfile.TemporaryFile("w+")
        self.pid, self.group_bodies = 0, 0

    def start(self) -> None:
        """Start the collecting process, which starts its servers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._ours, theirs = socket.socketpair()
        command = [_python(self._name), "-m", "bench.compare.collecting", self._name, str(self._folder)]
        self._process = subprocess.Popen(
            [*command, str(theirs.fileno())],
            cwd=HOUSE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            text=True,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl+C is for us to pass on.
        )
        theirs.close()
        self.pid = self._process.pid
        self.group_bodies = self._answer()["group_bodies"]

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

    def stop(self) -> None:
        """End its commands, upon which it stops its servers."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(STOP_S_MAX)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            pass
        self.kill()

    def _close(self) -> None:
        process, self._process = self._process, None
        assert process is not None
        process.wait()
        for file in (process.stdin, process.stdout):
            if file is not None:
                try:
                    file.close()
                except BrokenPipeError:
                    pass
        if self._ours is not None:
            self._ours.close()

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
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed(self._last_words())
        return json.loads(line)

    def _last_words(self) -> str:
        self._words.seek(0)
        lines = [line.strip() for line in self._words if line.strip()]
        return lines[-1][:300] if lines else "it ended without a word"


def side_of(name: str, folder: Path) -> Side:
    """Return the side of that name, on a folder of its own."""
    if name == FOOTFALL:
        from bench.compare.peer_footfall import Footfall  # noqa: PLC0415 - the product is not in peers' environments

        return Footfall(folder)
    return CollectorSide(name, folder)


def _python(name: str) -> str:
    environment = PEERS[name].environment
    return str(BUILD / environment / "bin" / "python") if environment else sys.executable
