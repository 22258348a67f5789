"""The collecting process of a peer: takes bodies, has its peer make them durable, acknowledges: `... PEER FOLDER LINE`.

Its processor time and that of the servers it starts are the peer's. Commands come as lines of JSON on its input, and
each is answered with one. Hits that say no time are of the moment at which it began: a load is of one window, however
long it takes and whenever it begins, so that nobody's lists depend on how many windows the clock happened to cut.
"""

import json
import select
import socket
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.compare.feeding import ACKNOWLEDGED
from bench.compare.peers import PEERS
from bench.compare.protocol import CannotCountAgain, Peer, Question
from bench.compare.traffic import FRAME

LINGER_S = 0.02  # A group that is not full waits this long for another body.
READ_BYTES = 1 << 20


class Frames:
    """Bodies out of a socket."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._held = bytearray()
        self._at = 0

    def group(self, bodies_max: int) -> tuple[list[bytes], bool]:
        """Return the next bodies, and whether there will be none after them."""
        bodies: list[bytes] = []
        while len(bodies) < bodies_max:
            if bodies and self._at == len(self._held) and not select.select([self._line], [], [], LINGER_S)[0]:
                break
            size = FRAME.unpack(self._exactly(FRAME.size))[0]
            if size == 0:
                return bodies, True
            bodies.append(self._exactly(size))
        return bodies, False

    def _exactly(self, size: int) -> bytes:
        while len(self._held) - self._at < size:
            data = self._line.recv(READ_BYTES)
            if not data:
                raise ConnectionResetError("whoever feeds is gone")
            del self._held[: self._at]
            self._at = 0
            self._held += data
        self._at += size
        return bytes(self._held[self._at - size : self._at])


def collect(peer: Peer, line: socket.socket, *, now_ms: int) -> int:
    """Take bodies until their end; return how many there were."""
    frames, taken, is_over = Frames(line), 0, False
    while not is_over:
        bodies, is_over = frames.group(peer.group_bodies)
        if bodies:
            peer.load(bodies, now_ms=now_ms)
            taken += len(bodies)
            line.sendall(ACKNOWLEDGED.pack(taken))
    return taken


def ask(peer: Peer, questions: list[dict[str, Any]]) -> dict[str, Any]:
    """Ask for lists one after another; return them and how many milliseconds each took."""
    lists: list[list[tuple[int, int]]] = []
    took_ms: list[float] = []
    for question in questions:
        started = time.perf_counter()
        lists.append(peer.listed(Question(**question)))
        took_ms.append(1e3 * (time.perf_counter() - started))
    return {"lists": lists, "took_ms": took_ms}


def answer(peer: Peer, line: socket.socket, command: dict[str, Any], *, now_ms: int) -> dict[str, Any]:
    """Do what is commanded."""
    match command["do"]:
        case "collect":
            return {"bodies": collect(peer, line, now_ms=now_ms)}
        case "settle":
            peer.settle()
        case "ask":
            return ask(peer, command["questions"])
        case "again":
            try:
                peer.count_again()
            except CannotCountAgain as error:
                return {"refused": str(error)}
        case "total":
            return {"total": peer.total()}
        case other:
            raise ValueError(f"nobody knows how to {other}")
    return {}


def main() -> int:
    """Serve commands until they end."""
    name, folder, number = sys.argv[1:]
    module, _, made = PEERS[name].made_by.partition(":")
    peer: Peer = getattr(import_module(module), made)()
    line, began_ms = socket.socket(fileno=int(number)), int(time.time() * 1_000)
    told = sys.stdout
    sys.stdout = sys.stderr  # A library that prints must not answer for us.
    try:
        peer.start(Path(folder))
        print(json.dumps({"group_bodies": peer.group_bodies}), file=told, flush=True)
        for command in sys.stdin:
            print(json.dumps(answer(peer, line, json.loads(command), now_ms=began_ms)), file=told, flush=True)
    except ConnectionResetError:
        return 1
    finally:
        peer.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
