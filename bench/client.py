"""A client that waits for one answer at a time, so thin that what is measured is the server."""

import socket
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec

HOST = "127.0.0.1"
TIMEOUT_S = 30.0
RECEIVE_BYTES = 1 << 18


class NotTaken(Exception):
    """The server refused hits that should have been fine."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: its status, its body, and how long it took."""

    status: int
    body: bytes
    seconds: float

    def json(self) -> Any:
        """Return the body decoded."""
        return msgspec.json.decode(self.body)


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((HOST, port), timeout=TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get(self, target: str) -> Answer:
        """Ask for a page."""
        return self.exchange(get_request(target))

    def post(self, body: bytes, target: str = "/v1/hits") -> Answer:
        """Send a body."""
        return self.exchange(post_request(body, target))

    def exchange(self, request: bytes) -> Answer:
        """Send a request and wait for its answer."""
        started = time.perf_counter()
        self.send(request)
        return self.answer(started)

    def send(self, request: bytes) -> None:
        """Send a request; the next thing to do is to take its answer."""
        self._socket.sendall(request)

    def answer(self, started: float | None = None) -> Answer:
        """Return the answer to what was sent; its time runs from that moment, or from now."""
        started = time.perf_counter() if started is None else started
        head, _, body = self._until(b"\r\n\r\n").partition(b"\r\n\r\n")
        size = _length(head)
        parts, got = [body], len(body)
        while got < size:
            part = self._receive()
            parts.append(part)
            got += len(part)
        return Answer(int(head[9:12]), b"".join(parts), time.perf_counter() - started)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _until(self, mark: bytes) -> bytes:
        data = self._receive()
        while mark not in data:
            data += self._receive()
        return data

    def _receive(self) -> bytes:
        data = self._socket.recv(RECEIVE_BYTES)
        if not data:
            raise ConnectionResetError("the server hung up before its answer was whole")
        return data


def get_request(target: str) -> bytes:
    """Return a GET as bytes."""
    return f"GET {target} HTTP/1.1\r\nhost: {HOST}\r\n\r\n".encode("ascii")


def post_request(
    body: bytes, target: str = "/v1/hits", *, kind: str = "application/json", encoding: str = "", key: str = ""
) -> bytes:
    """Return a POST as bytes."""
    head = f"POST {target} HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n"
    encoded = f"content-encoding: {encoding}\r\n" if encoding else ""
    named = f"idempotency-key: {key}\r\n" if key else ""
    return f"{head}{encoded}{named}\r\n".encode("ascii") + body


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


def send_all(port: int, bodies: Iterable[bytes], *, connections: int = 4) -> int:
    """Send every body, some at a time, and require that each is taken; return how many there were."""
    waiting = iter(bodies)
    taking = threading.Lock()

    def send() -> int:
        client, sent = Client(port), 0
        while True:
            with taking:
                body = next(waiting, None)
            if body is None:
                client.close()
                return sent
            answer = client.post(body)
            while answer.status == HTTPStatus.TOO_MANY_REQUESTS:
                time.sleep(0.1)
                answer = client.post(body)
            if answer.status != HTTPStatus.ACCEPTED:
                raise NotTaken(f"a body of {len(body)} bytes got {answer.status}: {answer.body[:200]!r}")
            sent += 1

    with ThreadPoolExecutor(connections) as pool:
        return sum(future.result() for future in [pool.submit(send) for _ in range(connections)])
