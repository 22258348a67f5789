"""Feed a peer with bodies and note which were acknowledged, in a process of its own: `python -m bench.compare.feeding`.

To a collecting process bodies go as frames through a socket; it tells how many it has made durable. To footfall they go
as a publisher's servers send them: POST /v1/hits on some connections, and 202 is the acknowledgement. Either way
bodies are sent in order, and at the deadline those under way are still waited for.
"""

import argparse
import json
import select
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.compare.traffic import FRAME, framed_bodies

ACKNOWLEDGED = struct.Struct("<Q")  # how many bodies are durable, since this feeding began
AHEAD_BYTES = 1 << 25  # Bodies that are sent and not acknowledged: enough for the largest group.
TOLD_EVERY_S = 0.02
RECEIVE_BYTES = 1 << 16
HOST = "127.0.0.1"
TAKEN, BUSY = b"202", b"429"
BUSY_WAIT_S = 0.05


class NotTaken(Exception):
    """The peer refused a body that should have been fine."""


@dataclass(slots=True)
class Progress:
    """How many bodies were acknowledged, told to whoever reads our output."""

    acknowledged: int = 0
    sent: int = 0  # since this feeding began; sent again is sent once
    told_at: float = 0.0
    through: int = 0  # Every body before this one is acknowledged.
    beyond: set[int] = field(default_factory=set[int])

    def add(self, number: int) -> None:
        """Note that a body was acknowledged."""
        self.acknowledged += 1
        self.beyond.add(number)
        while self.through in self.beyond:
            self.beyond.discard(self.through)
            self.through += 1

    def tell(self, *, is_last: bool = False, why: str = "") -> None:
        """Write a line, but not more often than anybody wants to read."""
        now = time.monotonic()
        if is_last or now - self.told_at >= TOLD_EVERY_S:
            self.told_at = now
            told = {"acknowledged": self.acknowledged, "through": self.through, "beyond": sorted(self.beyond)}
            under_way = self.sent - self.acknowledged
            print(json.dumps({**told, "under_way": under_way, "last": is_last, "why": why}), flush=True)


def numbered(path: Path, *, first: int, count: int, skipped: frozenset[int]) -> Iterator[tuple[int, bytes]]:
    """Yield so many bodies with their numbers, but for those that are skipped."""
    bodies = framed_bodies(path, first=first)
    for number in range(first, first + count):
        body = next(bodies)
        if number not in skipped:
            yield number, body


def feed_socket(
    line: socket.socket, bodies: Iterator[tuple[int, bytes]], *, ends_at: float, progress: Progress
) -> None:
    """Send frames, never too far ahead, and an empty one at the end."""
    waiting: deque[tuple[int, int]] = deque()
    ahead, confirmed = 0, 0

    def listen(timeout_s: float | None) -> None:
        nonlocal ahead, confirmed
        while select.select([line], [], [], timeout_s)[0]:
            told = line.recv(ACKNOWLEDGED.size, socket.MSG_WAITALL)
            if len(told) < ACKNOWLEDGED.size:
                raise ConnectionResetError("the collecting process is gone")
            for _ in range(ACKNOWLEDGED.unpack(told)[0] - confirmed):
                number, size = waiting.popleft()
                ahead -= size
                progress.add(number)
            confirmed = ACKNOWLEDGED.unpack(told)[0]
            progress.tell()
            timeout_s = 0

    for number, body in bodies:
        if time.monotonic() > ends_at:
            break
        progress.sent += 1
        line.sendall(FRAME.pack(len(body)) + body)
        waiting.append((number, len(body)))
        ahead += len(body)
        listen(0 if ahead < AHEAD_BYTES else None)
    line.sendall(FRAME.pack(0))
    while waiting:
        listen(None)


class Door:
    """One connection to footfall, with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.line = socket.create_connection((HOST, port))
        self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head, self._got = b"", b""
        self.number = -1
        self._body = b""

    def send(self, number: int, body: bytes, key: str) -> None:
        """Send a body."""
        self.number, self._body, self._got = number, body, b""
        named = f"idempotency-key: {key}\r\n" if key else ""
        self._head = (
            f"POST /v1/hits HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: application/json\r\n{named}"
            f"content-length: {len(body)}\r\n\r\n"
        ).encode("ascii")
        self.line.sendall(self._head + body)

    def is_taken(self) -> bool:
        """Read what came; tell whether the body was acknowledged. One that came too fast is sent again."""
        data = self.line.recv(RECEIVE_BYTES)
        if not data:
            raise ConnectionResetError("footfall hung up")
        self._got += data
        head, ended, body = self._got.partition(b"\r\n\r\n")
        if not ended or len(body) < _length(head):
            return False
        if head[9:12] == BUSY:
            time.sleep(BUSY_WAIT_S)
            self._got = b""
            self.line.sendall(self._head + self._body)
            return False
        if head[9:12] != TAKEN:
            raise NotTaken(f"body {self.number} got {self._got[:300]!r}")
        return True


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line[15:])
    return 0


def feed_http(
    doors: list[Door], bodies: Iterator[tuple[int, bytes]], *, ends_at: float, key: str, progress: Progress
) -> None:
    """Keep every connection busy until bodies or time run out, and wait for what is under way."""
    poll = select.epoll()
    by_number = {door.line.fileno(): door for door in doors}
    busy = 0
    for door in doors:
        poll.register(door.line.fileno(), select.EPOLLIN)
        busy += _sent_next(door, bodies, key, progress)
    while busy:
        for number, _ in poll.poll(1.0):
            door = by_number[number]
            if door.is_taken():
                progress.add(door.number)
                progress.tell()
                if time.monotonic() > ends_at or not _sent_next(door, bodies, key, progress):
                    busy -= 1


def _sent_next(door: Door, bodies: Iterator[tuple[int, bytes]], key: str, progress: Progress) -> bool:
    found = next(bodies, None)
    if found is not None:
        progress.sent += 1
        door.send(*found, f"{key}-{found[0]}" if key else "")
    return found is not None


def main() -> int:
    """Feed, and say at the end how far it came."""
    parser = argparse.ArgumentParser(description="Feed a peer with bodies.")
    parser.add_argument("bodies", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--skip", default="", help="bodies that were acknowledged before, with commas between")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--line", type=int, help="the socket to a collecting process")
    parser.add_argument("--port", type=int, help="where footfall listens")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--key", default="", help="how every Idempotency-Key begins; none are sent without it")
    asked = parser.parse_args()
    skipped = frozenset(int(one) for one in asked.skip.split(",") if one)
    bodies = numbered(asked.bodies, first=asked.first, count=asked.count, skipped=skipped)
    progress = Progress(through=asked.first, beyond=set(skipped))
    ends_at = time.monotonic() + asked.seconds
    try:
        if asked.port is not None:
            doors = [Door(asked.port) for _ in range(asked.connections)]
            feed_http(doors, bodies, ends_at=ends_at, key=asked.key, progress=progress)
        else:
            with socket.socket(fileno=asked.line) as line:
                feed_socket(line, bodies, ends_at=ends_at, progress=progress)
    except (OSError, NotTaken) as error:
        progress.tell(is_last=True, why=f"{type(error).__name__}: {error}")
        return 1
    progress.tell(is_last=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
