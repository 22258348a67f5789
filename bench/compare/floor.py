"""The floor under a list over loopback HTTP: the same bytes from a process that does nothing but send them.

The client is the one that asks footfall, and decodes as it does then. So what is left above the floor is footfall's
own, and how far the floor lies below another peer's lists says how many times faster an answer over HTTP can be at all.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Callable

from bench.client import Client
from bench.compare.sides import HOUSE

HOST = "127.0.0.1"
ASKS = 1_000
RECEIVE_BYTES = 1 << 16


def floor_ms(body: bytes, target: str, decode: Callable[[bytes], object]) -> list[float]:
    """Return how long each of a thousand asks for a body takes."""
    with socket.create_server((HOST, 0)) as door:
        command = [sys.executable, "-m", "bench.compare.floor", str(door.fileno())]
        server = subprocess.Popen(command, cwd=HOUSE, stdin=subprocess.PIPE, pass_fds=[door.fileno()])
        try:
            assert server.stdin is not None
            server.stdin.write(_answer(body))
            server.stdin.close()
            client = Client(int(door.getsockname()[1]))
            took_ms = [_asked(client, target, decode) for _ in range(ASKS)]
            client.close()
        finally:
            server.kill()
            server.wait()
    return took_ms


def _asked(client: Client, target: str, decode: Callable[[bytes], object]) -> float:
    started = time.perf_counter()
    decode(client.get(target).body)
    return 1e3 * (time.perf_counter() - started)


def _answer(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode("ascii") + body


def main() -> int:
    """Answer whatever is asked on one connection with what came on the input."""
    answer = sys.stdin.buffer.read()
    with socket.socket(fileno=int(sys.argv[1])) as door:
        line, _ = door.accept()
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while line.recv(RECEIVE_BYTES):
            line.sendall(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
