"""One server for all processes of a run of tests: the one that leads the others starts it for the first who asks.

It ends with the run, whichever of the others ended before.
"""

import json
import os
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from socket import AF_UNIX, socket
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest

Engine = TypeVar("Engine")
INPUT = "footfall_engines"  # what a process is told by the one that leads: where to ask
PROCESSES_MAX = 100  # with those that follow one that died
# What is shared has a place of its own for each process, by a key that no other has.
KEYS = ("footfall", *(f"footfallgw{number}" for number in range(PROCESSES_MAX)))
KEY = f"footfall{os.environ.get('PYTEST_XDIST_WORKER', '')}"


class Sharing(ThreadingUnixStreamServer):
    """Starts each server once, tells whoever asks where it is, and ends all of them."""

    daemon_threads = True

    def __init__(self) -> None:
        self._held = ExitStack()
        self._lock = threading.Lock()
        self._told: dict[str, str] = {}
        self.place = f"{self._held.enter_context(TemporaryDirectory(prefix='footfall-'))}/engines"
        super().__init__(self.place, _Asked)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def told(self, name: str, folder: Path) -> str:
        """Return the fields of an engine; the first who asks has it started in a folder."""
        with self._lock:
            if name not in self._told:
                engine = self._held.enter_context(import_module(f"tests.engines.{name}").running(folder))
                self._told[name] = json.dumps(asdict(engine))
            return self._told[name]

    def close(self) -> None:
        """Answer nobody any more and end what was started."""
        self.shutdown()
        self.server_close()
        with self._lock:
            self._held.close()


SHARING = pytest.StashKey[Sharing | None]()


class _Asked(StreamRequestHandler):
    server: Sharing  # pyright: ignore[reportIncompatibleVariableOverride] - it is always ours

    def handle(self) -> None:
        asked = json.loads(self.rfile.readline())
        try:
            told = self.server.told(asked["name"], Path(asked["folder"]))
        except (AssertionError, OSError) as error:  # It is the test's that asked, who can be told.
            told = json.dumps({"failed": str(error)})
        self.wfile.write(told.encode())


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process, before it starts, where to ask."""
    sharing = node.config.stash.setdefault(SHARING, None) or Sharing()
    node.config.stash[SHARING] = sharing
    node.workerinput[INPUT] = sharing.place


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what was started, in the process that leads."""
    sharing = config.stash.get(SHARING, None)
    if sharing is not None:
        sharing.close()


@pytest.fixture(scope="session")
def sharing_place(pytestconfig: pytest.Config) -> str | None:
    """Return where this process can ask for servers; None where no other leads it."""
    return getattr(pytestconfig, "workerinput", {}).get(INPUT)


@contextmanager
def shared(
    place: str | None,
    made: type[Engine],
    running: Callable[[Path], AbstractContextManager[Engine]],
    folder: Path,
) -> Generator[Engine]:
    """Use the server that all processes of the run share; a process that runs alone has its own."""
    if place is None:
        with running(folder) as engine:
            yield engine
        return
    with socket(AF_UNIX) as asking:
        asking.connect(place)
        asked = {"name": running.__module__.rpartition(".")[2], "folder": str(folder)}
        asking.sendall(json.dumps(asked).encode() + b"\n")
        told: dict[str, Any] = json.load(asking.makefile())
    assert "failed" not in told, told["failed"]
    yield made(**told)
