"""Clients of the sample application that read and write as people do, and write down what they were told."""

import http.client
import itertools
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.migrate.checker import Act, History, Kind, Outcome, State

TIMEOUT_S = 20
DIGITS = (
    4  # A metric has one dimension for each digit (base 16) of its last write's number: never more than it may have.
)
_numbers = itertools.count(1)
_sets = itertools.count(1)


@dataclass(slots=True)
class Crowd:
    """Some clients, each a thread, that stop when they are told to."""

    port: int
    history: History
    keys: list[str]
    pause_s: float
    stopped: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list[threading.Thread])
    failed: list[BaseException] = field(default_factory=list[BaseException])

    def start(self, readers: int, writers: int) -> None:
        for number in range(readers + writers):
            client = Client(self, Random(number), is_writer=number >= readers)
            self.threads.append(threading.Thread(target=client.run, daemon=True))
            self.threads[-1].start()

    def stop(self) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join(TIMEOUT_S * 2)
        assert not any(thread.is_alive() for thread in self.threads)
        assert self.failed == []


class Client:
    """One of them."""

    def __init__(self, crowd: Crowd, chance: Random, *, is_writer: bool) -> None:
        self._crowd, self._chance, self._is_writer = crowd, chance, is_writer
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        try:
            while not self._crowd.stopped.is_set():
                self.act()
                self._crowd.stopped.wait(self._chance.expovariate(1 / self._crowd.pause_s))
        except BaseException as error:  # noqa: BLE001 - the test tells it
            self._crowd.failed.append(error)
        finally:
            self.close()

    def act(self) -> None:
        key = self._key()
        if not self._is_writer:
            self.read(key)
            return
        kind = self._chance.choices(list(_SHARES), list(_SHARES.values()))[0]
        token = f"{kind} {next(_numbers)}"
        match kind:
            case Kind.ADD:
                self._write(kind, "", token, "POST", "/metrics", {"name": token, "by": token})
            case Kind.UPDATE:
                self._write(kind, key, token, "POST", f"/metrics/{key}/versions", {"by": token})
            case Kind.DEPRECATE:
                self._write(kind, key, token, "POST", f"/metrics/{key}/deprecate", {"by": token, "reason": "old"})
            case Kind.SET_DIMENSIONS:
                names = dimensions_of(number := next(_sets))
                token = dimensions_token(names)
                assert token == f"dimensions {number}"  # There are enough of them to tell all writes apart.
                self._write(kind, key, token, "POST", f"/metrics/{key}/dimensions", {"dimensions": names})
            case Kind.RENAME:
                self._write(kind, key, token, "POST", f"/metrics/{key}/rename", {"name": token})
            case _:
                self._write(kind, key, token, "DELETE", f"/metrics/{key}", None)

    def read(self, key: str) -> None:
        start = self._began()
        status, answer = self._asked("GET", f"/metrics/{key}", None)
        outcome = _outcome(status)
        state = None
        if outcome is Outcome.DONE:
            versions: Sequence[tuple[int, str]] = answer["versions"]
            tokens, numbers = tuple(by for _, by in versions), tuple(number for number, _ in versions)
            dimensions = dimensions_token(answer["dimensions"])
            state = State(tokens, answer["deprecatedBy"], numbers, answer["name"], dimensions)
        told = "" if outcome is Outcome.DONE else str(answer)
        if outcome is not Outcome.UNKNOWN:
            self._crowd.history.add(Act(Kind.READ, key, start, time.monotonic(), outcome, state=state, told=told))

    def _key(self) -> str:
        keys = self._crowd.keys
        few = keys[:8] if self._chance.random() < 0.5 else keys  # Some are read and written by all.
        return self._chance.choice(few)

    def _write(self, kind: Kind, key: str, token: str, method: str, path: str, body: Any) -> None:
        start = self._began()
        status, answer = self._asked(method, path, body)
        end, outcome = time.monotonic(), _outcome(status)
        version = 0
        if outcome is Outcome.DONE and kind is Kind.ADD:
            key, version = answer["id"], 1
            self._crowd.keys.append(key)
        elif outcome is Outcome.DONE and kind is Kind.UPDATE:
            version = answer["version"]
        self._crowd.history.add(Act(kind, key, start, end, outcome, token, version, told=str(answer)))

    def _began(self) -> float:
        """Return when a question begins: once somebody is there to ask."""
        self._connection = self._connection or self._connected()
        return time.monotonic()

    def _asked(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Return status and answer; 0 where nobody answered, for whoever was asked was killed."""
        try:
            assert self._connection is not None
            sent = None if body is None else json.dumps(body)
            self._connection.request(method, path, sent)
            response = self._connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return 0, repr(error)

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> http.client.HTTPConnection:
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self._crowd.port, timeout=TIMEOUT_S)
            try:
                connection.connect()
            except OSError:
                connection.close()
                time.sleep(0.1)
            else:
                return connection


_SHARES = {
    Kind.UPDATE: 0.6,
    Kind.DEPRECATE: 0.1,
    Kind.RENAME: 0.1,
    Kind.SET_DIMENSIONS: 0.1,
    Kind.ADD: 0.08,
    Kind.DELETE: 0.02,
}


def dimensions_of(number: int) -> list[str]:
    """Return the dimensions that tell the number of the write that set them."""
    return [f"dimension_{at}_{number >> 4 * at & 15}" for at in range(DIGITS)]


def dimensions_token(names: Sequence[str]) -> str:
    """Return whose write a metric's dimensions are; a mixture is nobody's."""
    if not names:
        return "before"
    digits = {int(at): int(digit) for at, digit in (name.split("_")[1:] for name in names)}
    number = sum(digit << 4 * at for at, digit in digits.items())
    return f"dimensions {number}" if set(names) == set(dimensions_of(number)) else f"a mixture of {sorted(names)}"


def _outcome(status: int) -> Outcome:
    return {200: Outcome.DONE, 404: Outcome.ABSENT, 0: Outcome.UNKNOWN}.get(status, Outcome.REFUSED)
