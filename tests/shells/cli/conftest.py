"""A real server that answers with what was recorded, and surroundings whose output can be read."""

import io
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
import pytest

from footfall.shells.cli.command import Surroundings
from footfall.shells.cli.main import main
from footfall.values.clock import SetClock

NOW_MS = 1_794_753_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int

    def json(self) -> Any:
        return msgspec.json.decode(self.body)


@dataclass(slots=True)
class Recorded:
    """What the server will answer, in order (the last one again and again), and what it was asked."""

    url: str = ""
    answers: list[tuple[int, bytes, dict[str, str]]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def answer(self, content: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> None:
        body = content if isinstance(content, bytes) else msgspec.json.encode(content)
        self.answers.append((status, body, headers or {}))


def handler_for(recorded: Recorded) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # Else each answer waits for the client's delayed acknowledgement.

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            names = {name.lower(): value for name, value in self.headers.items()}
            recorded.asked.append(Asked(self.command, self.path, names, body, self.client_address[1]))
            status, content, headers = recorded.answers.pop(0) if len(recorded.answers) > 1 else recorded.answers[0]
            if status == 0:  # The server goes away in the middle.
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

    return Handler


@pytest.fixture
def server() -> Generator[Recorded]:
    recorded = Recorded()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(recorded))
    listening.daemon_threads = True
    recorded.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield recorded
    listening.shutdown()
    listening.server_close()
    thread.join()


class Terminal(io.StringIO):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass(slots=True)
class Shell:
    """Runs commands the way a person would, and keeps what they printed."""

    out: io.StringIO = field(default_factory=io.StringIO)
    err: io.StringIO = field(default_factory=io.StringIO)
    stdin: bytes = b""
    variables: dict[str, str] = field(default_factory=dict)
    clock: SetClock = field(default_factory=lambda: SetClock(NOW_MS))
    pauses: list[float] = field(default_factory=list)
    on_pause: Callable[[float], None] = lambda _seconds: None

    def run(self, *argv: str) -> int:
        return main(argv, self.surroundings())

    def surroundings(self) -> Surroundings:
        return Surroundings(
            out=self.out,
            err=self.err,
            stdin=io.BytesIO(self.stdin),
            variables=self.variables,
            clock=self.clock,
            pause=self.pause,
            new_key=lambda: "key",
        )

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.advance(int(seconds * 1_000))
        self.on_pause(seconds)

    def printed(self) -> str:
        return self.out.getvalue()

    def complained(self) -> str:
        return self.err.getvalue()


@pytest.fixture
def shell() -> Shell:
    return Shell()


@pytest.fixture
def terminal() -> Shell:
    return Shell(out=Terminal(), err=Terminal())
