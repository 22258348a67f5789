"""What senders know for certain, and the check that a server's lists and ledger agree with it.

A sender knows three things about a hit: it was acknowledged, it was refused, or there was no answer. From these follow
the fewest and the most hits that an asset may have. Senders that repeat themselves until they are acknowledged leave
no doubt, so their assets must have exactly their hits.
"""

import contextlib
import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from tests.scenarios.instance import Answer, balanced

BRAND = "witness"
PACE_S = 0.004  # Load enough to be caught in the act at any moment, and none that two cores drown in.
TIMEOUT_S = 10.0
SETTLE_S = 60.0


class Caught(AssertionError):
    """The server said something else than it did."""


class Stuck(AssertionError):
    """The server did not come to an end of its work, so that there is nothing to compare."""


def in_lists(book: dict[str, Any]) -> int:
    """Return the hits that lists show where nothing is held: a judge may find that the senders are programs."""
    return book["counted"] + book["screened"].get("verdict", 0)


@dataclass(slots=True)
class Books:
    """What is known of every asset's hits."""

    acknowledged: Counter[str] = field(default_factory=Counter[str])
    unanswered: Counter[str] = field(default_factory=Counter[str])
    repeated: int = 0  # hits sent once more by senders that wait for an answer
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, assets: list[str]) -> None:
        with self._lock:
            self.acknowledged.update(assets)

    def miss_answer(self, assets: list[str]) -> None:
        with self._lock:
            self.unanswered.update(assets)

    def repeat(self, hits: int) -> None:
        with self._lock:
            self.repeated += hits

    def require_ledger(self, book: dict[str, Any]) -> None:
        """Raise unless a settled ledger says what the senders know."""
        fewest, most = self.acknowledged.total(), self.acknowledged.total() + self.unanswered.total()
        if book["inFlight"] != 0 or book["accepted"] != in_lists(book) + book["duplicate"]:
            raise Caught(f"hits went where none was sent: {book}")
        if not fewest <= in_lists(book) <= most:
            raise Caught(f"counted {in_lists(book)}, but it must be {fewest} to {most}")
        if book["duplicate"] > self.repeated:
            raise Caught(f"{book['duplicate']} duplicates, but only {self.repeated} hits were repeated")

    def require_list(self, listed: dict[str, int]) -> None:
        """Raise unless every asset has the hits that the senders know of."""
        wrong: list[str] = []
        for asset in sorted({*listed, *self.acknowledged}):
            hits, fewest = listed.get(asset, 0), self.acknowledged[asset]
            most = fewest + self.unanswered[asset]
            if not fewest <= hits <= most:
                wrong.append(f"{asset} has {hits} hits, but it must have {fewest} to {most}")
        if wrong:
            raise Caught(f"{len(wrong)} assets: " + "; ".join(wrong[:5]))


class Witness:
    """Senders of four kinds at one address, and their books."""

    def __init__(self, port: int) -> None:
        self.books = Books()
        self._port = port
        self._is_over = threading.Event()
        self._gate = threading.Condition()
        self._is_open = True
        self._busy = 0
        self._seen: Caught | None = None
        self.ledgers_read = 0
        self._threads = [
            threading.Thread(target=self._send_all, args=(name, kind), daemon=True)
            for kind, senders in (("keyed", 2), ("named", 2), ("plain", 2), ("alone", 2))
            for name in (f"{kind}-{number}" for number in range(senders))
        ]
        self._threads.append(threading.Thread(target=self._watch_ledger, daemon=True))

    @contextlib.contextmanager
    def sending(self) -> Generator[None]:
        """Send while the block runs."""
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            for thread in self._threads:
                thread.join(SETTLE_S)

    def check(self) -> None:
        """Let every sender come to an end of what it does, compare with the running server, and go on."""
        try:
            with self._gate:
                self._is_open = False
                if not self._gate.wait_for(lambda: self._busy == 0, SETTLE_S):
                    raise Stuck("senders are still waiting for their acknowledgement")
            settled(self._port, self.books)
            if self._seen is not None:
                raise self._seen
        finally:
            with self._gate:
                self._is_open = True
                self._gate.notify_all()

    def _watch_ledger(self) -> None:
        """Read the ledger all the time: it adds up, and holds whatever was acknowledged before it was asked for."""
        while not self._is_over.is_set() and self._seen is None:
            fewest = self.books.acknowledged.total()
            try:
                book = _ledger(self._port)
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)  # It is on its way up.
                continue
            except AssertionError as error:
                self._seen = Caught(str(error))
                return
            self.ledgers_read += 1
            if book["accepted"] < fewest:
                self._seen = Caught(f"{fewest} hits were acknowledged, but the ledger has {book}")
            time.sleep(0.01)

    def _send_all(self, name: str, kind: str) -> None:
        act = {
            "keyed": self._send_keyed,
            "named": self._send_named,
            "plain": self._send_plain,
            "alone": self._send_alone,
        }[kind]
        number = 0
        with contextlib.closing(Line(self._port)) as line:
            while self._enter():
                try:
                    act(line, f"{name}-{number}", [f"{name}-{(number + one) % 7}" for one in range(12)])
                finally:
                    with self._gate:
                        self._busy -= 1
                        self._gate.notify_all()
                number += 1
                time.sleep(PACE_S)

    def _enter(self) -> bool:
        """Wait until one may send; tell whether there is still anything to send."""
        with self._gate:
            self._gate.wait_for(lambda: self._is_open or self._is_over.is_set())
            if self._is_over.is_set():
                return False
            self._busy += 1
            return True

    def _send_keyed(self, line: "Line", key: str, assets: list[str]) -> None:
        self._until_acknowledged(lambda: line.post([_hit(one) for one in assets], {"Idempotency-Key": key}), assets)

    def _send_named(self, line: "Line", key: str, assets: list[str]) -> None:
        hits = [_hit(one) | {"id": f"{key}-{place}"} for place, one in enumerate(assets)]
        self._until_acknowledged(lambda: line.post(hits, {}), assets)

    def _send_plain(self, line: "Line", _key: str, assets: list[str]) -> None:
        self._once(line.post([_hit(one) for one in assets], {}), assets)

    def _send_alone(self, line: "Line", _key: str, assets: list[str]) -> None:
        self._once(line.post(_hit(assets[0]), {}), assets[:1])

    def _once(self, status: int | None, assets: list[str]) -> None:
        if status == 202:
            self.books.acknowledge(assets)
        elif status is None:
            self.books.miss_answer(assets)
            time.sleep(0.02)

    def _until_acknowledged(self, post: Callable[[], int | None], assets: list[str]) -> None:
        while post() != 202:
            self.books.repeat(len(assets))
            if self._is_over.is_set():
                self.books.miss_answer(assets)
                return
            time.sleep(0.02)
        self.books.acknowledge(assets)


class Line:
    """A sender's kept connection; an answer is its status, None when there was none."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = self._new()

    def post(self, hits: object, headers: dict[str, str]) -> int | None:
        try:
            self._connection.request("POST", "/v1/hits", json.dumps(hits).encode(), headers)
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            self._connection = self._new()
            # Who is not let in has sent nothing.
            return 0 if isinstance(error, ConnectionRefusedError) else None
        return answer.status

    def close(self) -> None:
        self._connection.close()

    def _new(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_S)


def settled(port: int, books: Books) -> None:
    """Compare the ledger and the list with the books once the server has counted everything."""
    book = _eventually(lambda: _ledger(port), lambda it: it["inFlight"] == 0)
    books.require_ledger(book)
    # A list may be a moment behind its ledger, never ahead of it.
    listed = _eventually(lambda: _list(port), lambda it: sum(it.values()) >= in_lists(book))
    books.require_list(listed)
    if sum(listed.values()) != in_lists(book):
        raise Caught(f"the list has {sum(listed.values())} hits, the ledger counted {in_lists(book)}")


def _eventually(look: Callable[[], Any], is_it: Callable[[Any], bool]) -> Any:
    give_up_at = time.monotonic() + SETTLE_S
    while True:
        try:
            seen = look()
        except (OSError, http.client.HTTPException):
            seen = None  # It is on its way up.
        if seen is not None and is_it(seen):
            return seen
        if time.monotonic() > give_up_at:
            raise Stuck(f"after {SETTLE_S:.0f} s the server still says {seen!r}")
        time.sleep(0.02)


def _ledger(port: int) -> dict[str, Any]:
    return balanced(asked(port, f"/v1/ledger?brand={BRAND}"))


def _list(port: int) -> dict[str, int] | None:
    answer = asked(port, f"/v1/popular?brand={BRAND}&period=day&limit=100")
    if answer.status != 200:
        return None
    return {item["assetId"]: item["hits"] for item in answer.json()["items"]}


def asked(port: int, path: str) -> Answer:
    """Return what the server answers; raises what the connection raised."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)) as line:
        line.request("GET", path)
        answer = line.getresponse()
        return Answer(answer.status, {}, answer.read())


def _hit(asset: str) -> dict[str, object]:
    return {"brand": BRAND, "assetId": asset, "sectionId": 1, "resourceType": "article", "paidType": "free"}
