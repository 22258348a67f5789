"""A server between a function and DynamoDB Local, which refuses what a test wants refused.

A function runs in a process of its own, where no hook of a client can be set; its settings name an endpoint.
"""

import json
import threading
from collections.abc import Callable, Generator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.engines.dynamodb import DynamoDbEngine

Refusal = tuple[int, str]  # status, and the error's name
THROTTLED: Refusal = (400, "ProvisionedThroughputExceededException")
DENIED: Refusal = (400, "AccessDeniedException")  # It passes by no waiting, so nobody waits.
UNKNOWN: Refusal = (400, "UnknownOperationException")


class StoreBetween(ThreadingHTTPServer):
    """Passes requests on, but for those that `refuses` gives a refusal for."""

    daemon_threads = True

    def __init__(self, behind: str) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.behind = urlsplit(behind)
        self.refuses: Callable[[str, dict[str, Any]], Refusal | None] = lambda operation, asked: None
        self.operations: list[str] = []  # what was asked, refused or not

    @property
    def endpoint(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay quiet: a process that is ended leaves its connections open."""


class _Passing(BaseHTTPRequestHandler):
    server: StoreBetween  # pyright: ignore[reportIncompatibleVariableOverride] - it is always ours
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        operation = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
        self.server.operations.append(operation)
        refusal = self.server.refuses(operation, json.loads(body or b"{}"))
        if refusal is None:
            self._reply(*self._passed(body))
        else:
            status, name = refusal
            told = {"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": "refused by the test"}
            self._reply(status, json.dumps(told).encode())

    def _passed(self, body: bytes) -> tuple[int, bytes]:
        behind = self.server.behind
        assert behind.hostname is not None
        connection = HTTPConnection(behind.hostname, behind.port or 80, timeout=60)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            connection.request("POST", self.path, body, {**headers, "Host": behind.netloc})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


@pytest.fixture
def store_between(dynamodb: DynamoDbEngine) -> Generator[StoreBetween]:
    server = StoreBetween(dynamodb.endpoint)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
