"""Lambda for tests: a server with the Runtime API, under which AWS's own runtime client runs a handler in a process.

An archive runs alone, as on Lambda: it sees the interpreter, the runtime client and what it brings. A folder of
sources runs with what is installed beside the tests.
"""

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import zipfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import pytest

from tests.engines.sharing import KEY

PAYLOAD_BYTES_MAX = 6 * 1_048_576  # Lambda's limit of an event and of an answer when the caller waits.
INIT_S_MAX = 60.0  # Lambda gives 10 s; a busy machine under test may need more, and timing decides no test.
RUNTIME_PACKAGES = ("awslambdaric", "simplejson", "snapshot_restore_py", "runtime_client")
API = "/2018-06-01/runtime"


class HandlerFailed(Exception):
    """The function gave an error instead of an answer, with the type that Lambda reports."""

    def __init__(self, error_type: str, message: str, trace: list[str] | None = None) -> None:
        super().__init__(f"{error_type}: {message}")
        self.error_type = error_type
        self.message = message
        self.trace = trace or []


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the process said about an invocation, or about its own start."""

    answer: bytes = b""
    failure: HandlerFailed | None = None


class RuntimeServer(ThreadingHTTPServer):
    """The Runtime API of one process: what is asked of it, what it says, and whether it is ready."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Api)
        self.asked: queue.Queue[tuple[str, bytes, int] | None] = queue.Queue()
        self.said: queue.Queue[Outcome] = queue.Queue()
        self.is_ready = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay quiet: a process that is ended leaves its connections open."""


@dataclass(slots=True)
class Sandbox:
    """One process with its Runtime API: what Lambda calls an execution environment."""

    process: "subprocess.Popen[bytes]"
    server: RuntimeServer

    def close(self) -> None:
        """End the process, whatever it does, and then the server."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.server.asked.put(None)
        self.server.shutdown()
        self.server.server_close()


@dataclass(slots=True)
class Function:
    """A function that can be invoked; a process that died or timed out is followed by a new one."""

    code: Path
    handler: str
    environment: Mapping[str, str]
    folder: Path
    timeout_s: float = 30.0
    memory_mb: int = 512
    starts: int = 0
    cold_ms: list[float] = field(default_factory=list[float])  # From each start to the first wish for an event.
    _sandbox: Sandbox | None = None

    def invoke(self, event: Any) -> Any:
        """Return the handler's answer to an event, or raise HandlerFailed as Lambda would report it."""
        body = json.dumps(event).encode()
        if len(body) > PAYLOAD_BYTES_MAX:
            raise HandlerFailed("RequestTooLargeException", f"the event has {len(body)} bytes")
        sandbox = self._started()
        deadline_ms = int((time.time() + self.timeout_s) * 1_000)
        sandbox.server.asked.put((str(uuid4()), body, deadline_ms))
        outcome = self._outcome(sandbox, self.timeout_s)
        if outcome is None:
            self.close()
            raise HandlerFailed("Sandbox.Timedout", f"Task timed out after {self.timeout_s:.2f} seconds")
        if outcome.failure is not None:
            raise outcome.failure
        if len(outcome.answer) > PAYLOAD_BYTES_MAX:
            raise HandlerFailed("Function.ResponseSizeTooLarge", f"the answer has {len(outcome.answer)} bytes")
        return json.loads(outcome.answer)

    def log(self) -> str:
        """Return what the function printed so far."""
        return (self.folder / "log").read_text(errors="replace")

    def close(self) -> None:
        """End the process; the next event starts another."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def _started(self) -> Sandbox:
        if self._sandbox is not None and self._sandbox.process.poll() is None:
            return self._sandbox
        self.close()
        begun_s = time.monotonic()
        sandbox = self._sandbox = self._new_sandbox()
        self.starts += 1
        while not sandbox.server.is_ready.wait(0.01):
            failure = self._failed_start(sandbox, began_s=begun_s)
            if failure is not None:
                self.close()
                raise failure
        self.cold_ms.append((time.monotonic() - begun_s) * 1_000)
        return sandbox

    def _failed_start(self, sandbox: Sandbox, *, began_s: float) -> HandlerFailed | None:
        ended = sandbox.process.poll()
        if not sandbox.server.said.empty():
            return sandbox.server.said.get().failure
        if ended is not None:
            return HandlerFailed("Runtime.ExitError", f"exit status {ended} at the start:\n{self.log()[-2_000:]}")
        if time.monotonic() - began_s > INIT_S_MAX:
            return HandlerFailed("Sandbox.Timedout", f"the start took over {INIT_S_MAX:.0f} s")
        return None

    def _outcome(self, sandbox: Sandbox, timeout_s: float) -> Outcome | None:
        ends_s = time.monotonic() + timeout_s
        while time.monotonic() < ends_s:
            try:
                return sandbox.server.said.get(timeout=0.05)
            except queue.Empty:
                ended = sandbox.process.poll()
                if ended is not None and sandbox.server.said.empty():
                    message = f"RequestId: unknown Error: Runtime exited with status {ended}"
                    return Outcome(failure=HandlerFailed("Runtime.ExitError", message))
        return None

    def _new_sandbox(self) -> Sandbox:
        server = RuntimeServer()
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        root, python_path = self._placed()
        sees = "-s" if self.code.is_dir() else "-S"  # The second leaves out what is installed beside the tests.
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, sees, "-m", "awslambdaric", self.handler],
                cwd=root,
                env=self._variables(root, python_path, server.server_address[1]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return Sandbox(process, server)

    def _placed(self) -> tuple[Path, list[Path]]:
        """Return where the code lies, unpacked, and where Python may look for packages."""
        if self.code.is_dir():
            return self.code, [self.code]
        root = self.folder / "task"
        if not root.exists():
            with zipfile.ZipFile(self.code) as archive:
                archive.extractall(root)
        return root, [root, runtime_folder(self.folder)]

    def _variables(self, root: Path, python_path: list[Path], port: int) -> dict[str, str]:
        # Of what is around the tests nothing but the way to programs is let in.
        function = "footfall-under-test"
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "AWS_EXECUTION_ENV": "AWS_Lambda_python3.11",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(self.memory_mb),
            "AWS_LAMBDA_FUNCTION_NAME": function,
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function}",
            "AWS_LAMBDA_LOG_STREAM_NAME": "tests",
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{port}",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": "not-a-secret",
            "AWS_EC2_METADATA_DISABLED": "true",
            "LAMBDA_TASK_ROOT": str(root),
            "_HANDLER": self.handler,
            "PYTHONPATH": os.pathsep.join(str(path) for path in python_path),
            **self.environment,
        }


def runtime_folder(folder: Path) -> Path:
    """Return a folder with AWS's runtime client alone, so that nothing else of the tests' packages is seen."""
    runtime = folder / "runtime"
    if not runtime.exists():
        runtime.mkdir()
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if path.name.split(".")[0] in RUNTIME_PACKAGES:
                (runtime / path.name).symlink_to(path)
    return runtime


class Api(BaseHTTPRequestHandler):
    """Hands out what is asked of a function and keeps what it says."""

    server: "RuntimeServer"  # pyright: ignore[reportIncompatibleVariableOverride] - it is always ours
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # Else each answer waits for the client's delayed acknowledgement.

    def do_GET(self) -> None:
        self.server.is_ready.set()
        waiting = self.server.asked.get()
        if waiting is None:
            self.close_connection = True
            return
        request_id, body, deadline_ms = waiting
        names = {
            "Lambda-Runtime-Aws-Request-Id": request_id,
            "Lambda-Runtime-Deadline-Ms": str(deadline_ms),
            "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:us-east-1:000000000000:function:under-test",
            "Lambda-Runtime-Trace-Id": "Root=1-00000000-000000000000000000000000;Sampled=0",
            "Content-Type": "application/json",
        }
        self._reply(200, body, names)

    def do_POST(self) -> None:
        body = self._body()
        if self.path.endswith("/error"):
            told = json.loads(body)
            failure = HandlerFailed(told["errorType"], told["errorMessage"], told.get("stackTrace"))
            self.server.said.put(Outcome(failure=failure))
        elif self.path.startswith(f"{API}/invocation/") and self.path.endswith("/response"):
            self.server.said.put(Outcome(answer=body))
        self._reply(202, b'{"status":"OK"}\n', {})

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _reply(self, status: int, body: bytes, names: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in names.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


class RunHandler(Protocol):
    """Makes a function of code; it starts with its first event and ends with the test."""

    def __call__(
        self, code: Path, handler: str, environment: Mapping[str, str] | None = None, *, timeout_s: float = 30.0
    ) -> Function: ...


@pytest.fixture
def run_handler(tmp_path: Path) -> Generator[RunHandler]:
    made: list[Function] = []

    def make(
        code: Path, handler: str, environment: Mapping[str, str] | None = None, *, timeout_s: float = 30.0
    ) -> Function:
        folder = tmp_path / f"function-{len(made)}"
        folder.mkdir()
        made.append(Function(code, handler, environment or {}, folder, timeout_s=timeout_s))
        return made[-1]

    yield make
    for function in made:
        function.close()
        shutil.rmtree(function.folder / "task", ignore_errors=True)
