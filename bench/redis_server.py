"""Debian's redis-server on loopback, and a client so thin that what is measured is the server.

Requests are made beforehand and sent in one go each; the processor time is the server's own, read from the kernel. So
what Redis is charged with leaves out all that a real client would cost.
"""

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

HOST = "127.0.0.1"
START_S_MAX = 15.0
RECEIVE_BYTES = 1 << 16


class NoRedis(Exception):
    """redis-server is not installed, or did not start."""


class Redis:
    """One running redis-server that keeps nothing on disk."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._line = socket.socket()

    def __enter__(self) -> "Redis":
        program = shutil.which("redis-server")
        if program is None:
            raise NoRedis("redis-server is not on the path: run `make setup-tests`, or install your system's package.")
        self._place.mkdir(parents=True, exist_ok=True)
        options = ["--port", str(self._port), "--bind", HOST, "--save", "", "--appendonly", "no", "--dir"]
        self._process = subprocess.Popen([program, *options, str(self._place)], stdout=subprocess.DEVNULL)
        give_up_at = time.monotonic() + START_S_MAX
        while self._line.connect_ex((HOST, self._port)) != 0:
            if time.monotonic() > give_up_at or self._process.poll() is not None:
                raise NoRedis("redis-server did not start.")
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)

    def ask(self, requests: Sequence[bytes]) -> list[int]:
        """Send all requests without waiting, and return the number that each was answered with."""
        sender = threading.Thread(target=self._line.sendall, args=(b"".join(requests),))
        sender.start()
        answers = b""
        while answers.count(b"\r\n") < len(requests):
            answers += self._line.recv(RECEIVE_BYTES)
        sender.join()
        return [int(answer[1:]) for answer in answers.split(b"\r\n")[:-1]]

    def cpu_s(self) -> float:
        """Return how much processor time the server has used."""
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def request(*words: bytes) -> bytes:
    """Return a request as Redis reads it."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def _free_port() -> int:
    with socket.socket() as line:
        line.bind((HOST, 0))
        return int(line.getsockname()[1])
