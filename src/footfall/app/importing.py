"""Old hits brought in: what a log import says to the instance, which stores each stretch of a log once.

The import talks to the running instance over its control socket, or is the instance itself while none runs. The talk
begins with a line of JSON, as every other does, and goes on in framed messages:

    ["position", log]                   answered by ["position", number]
    ["salts", start of a day]           answered by ["salts", starts of that day and the next ones, their salts]
    ["hits", some of a stretch's hits]  not answered; any number of them
    ["stretch", log, begins, ends]      answered, in order, by ["told", what became of the hits], when they are on disk
    ["finish"]                          answered by ["finished"] when all is counted

An answer ["error", sentence] ends the talk.
"""

import contextlib
import json
import socket
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from footfall.app.control_errors import ControlFailed
from footfall.app.control_socket import socket_path
from footfall.app.import_stretches import Sums, Told, mark_name
from footfall.app.kept_settings import kept_settings
from footfall.app.link import Message, Unframed, framed
from footfall.app.settings import Settings
from footfall.flow.collect.imported import ImportedHits
from footfall.values.clock import SystemClock
from footfall.values.errors import FootfallError

__all__ = ["ImportBroken", "ImportDone", "ImportSession", "ImportedHits", "open_import", "opened_places"]

HITS_PER_MESSAGE = 500  # The instance makes entries of a message without looking up: a millisecond's work.
IN_FLIGHT_MAX = 6  # stretches
READ_BYTES = 1 << 16

_hits_encoder = msgspec.msgpack.Encoder()


class ImportBroken(FootfallError):
    """The instance ended an import, or went away; what it stored stays, and the next import goes on from there."""


class ImportDone(Struct, frozen=True, kw_only=True):
    """What became of all hits that a session was given."""

    stored: int  # hits that are in the stream now and were not before
    again: int  # hits of stretches that had been imported before
    refused: dict[str, int]  # hits that were left out: "tooOld", "noSuchTime" or "unfitText"
    set_aside: dict[str, int] = {}  # of those stored, the ones that are not counted: "unlabelled" or "future"


class ImportSession(Protocol):
    """One import of logs for one brand."""

    def position(self, file: bytes) -> int:
        """Return how far the log with this 16-byte fingerprint was imported; 0: never."""
        ...

    def salt(self, day_start_ms: int) -> bytes:
        """Return the visitor salt of an imported day of the brand, which `finish` destroys."""
        ...

    def take(self, file: bytes, *, begins: int, ends: int, hits: ImportedHits) -> None:
        """Hand over the hits of the log's bytes from `begins` to `ends`, in order; raise what went wrong meanwhile."""
        ...

    def flush(self) -> None:
        """Wait until all that was taken is on disk."""
        ...

    def finish(self) -> ImportDone:
        """Flush, destroy the salts and wait until all is counted."""
        ...


@contextmanager
def open_import(settings: Settings, brand: str) -> Generator[ImportSession]:
    """Open an import with the instance of the data directory."""
    with contextlib.ExitStack() as opened:
        line = opened.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        try:
            with socket_path(Path(settings.data_dir)) as path:
                line.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            # No server listens on the directory, so nothing else holds its lock and the work can be done here.
            from footfall.app.import_offline import opened_offline

            session: ImportSession = opened.enter_context(opened_offline(settings, brand))
        else:
            session = TalkingImport(line, brand)
        yield session


@contextmanager
def opened_places(settings: Settings, brand: str) -> Generator[Callable[[bytes], int]]:
    """Look up how far logs were imported for a brand, changing nothing, whether or not an instance runs."""
    from footfall.app import wiring
    from footfall.app.import_offline import brand_named

    settings, clock = kept_settings(settings.data_dir) or settings, SystemClock()
    name = brand_named(brand, settings, clock).name
    if not (Path(settings.data_dir) / wiring.STREAM_FILE).exists():
        yield lambda _file: 0  # An instance that was never started has imported nothing.
        return
    with contextlib.closing(wiring.open_stream(settings, clock, read_only=True)) as stream:
        yield lambda file: stream.mark(mark_name(name, file))


class TalkingImport:
    """An import that talks to the running instance."""

    def __init__(self, line: socket.socket, brand: str) -> None:
        self._line = line
        self._unframed = Unframed()
        self._arrived: deque[Message] = deque()
        self._in_flight = 0
        self._sums = Sums()
        self._salts: dict[int, bytes] = {}  # of the days that come next in a log
        self._begin(brand)

    def position(self, file: bytes) -> int:
        """Return how far a log was imported."""
        return self._asked(["position", file], "position")

    def salt(self, day_start_ms: int) -> bytes:
        """Return the visitor salt of an imported day; those of the days after it come with it and are asked once."""
        salt = self._salts.pop(day_start_ms, None)
        if salt is None:
            days, salts = self._asked(["salts", day_start_ms], "salts")
            self._salts = dict(zip(days, salts, strict=True))
            salt = self._salts.pop(day_start_ms)
        return salt

    def take(self, file: bytes, *, begins: int, ends: int, hits: ImportedHits) -> None:
        """Send a stretch; wait while too many others are on their way."""
        while self._in_flight >= IN_FLIGHT_MAX:
            self._take_in(self._next())
        for start in range(0, len(hits.keys), HITS_PER_MESSAGE):
            part = part_of(hits, start, start + HITS_PER_MESSAGE)
            self._send(["hits", _hits_encoder.encode(part)])
        self._send(["stretch", file, begins, ends])
        self._in_flight += 1

    def flush(self) -> None:
        """Wait for every answer that is due."""
        while self._in_flight:
            self._take_in(self._next())

    def finish(self) -> ImportDone:
        """Wait until all is counted."""
        self.flush()
        self._asked(["finish"], "finished")
        self._salts.clear()
        return done_of(self._sums)

    def _begin(self, brand: str) -> None:
        self._sent(json.dumps({"do": "import", "brand": brand}).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            answer += self._received(1)
        first = json.loads(answer)
        if "error" in first:
            raise ControlFailed(str(first["error"]))

    def _asked(self, message: Message, kind: str) -> Any:
        self._send(message)
        while (answer := self._next())[0] != kind:
            self._take_in(answer)
        return answer[-1]

    def _take_in(self, answer: Message) -> None:
        if answer[0] != "told":
            raise ImportBroken(f"the server answered {answer[0]!r}, which was not asked; are both of one release?")
        self._in_flight -= 1
        self._sums.add(msgspec.convert(answer[1], Told))

    def _next(self) -> Message:
        while not self._arrived:
            self._arrived.extend(self._unframed.feed(self._received(READ_BYTES)))
        message = self._arrived.popleft()
        if message[0] == "error":
            raise ImportBroken(str(message[1]))
        return message

    def _send(self, message: Message) -> None:
        self._sent(framed(message))

    def _sent(self, data: bytes) -> None:
        try:
            self._line.sendall(data)
        except ConnectionError as error:
            self._require_no_word()
            raise _gone() from error

    def _require_no_word(self) -> None:
        """Raise what the server said before it went away, if it said anything."""
        with contextlib.suppress(ConnectionError):
            while True:
                self._next()

    def _received(self, size: int) -> bytes:
        try:
            data = self._line.recv(size)
        except ConnectionError as error:
            raise _gone() from error
        if not data:
            raise _gone()
        return data


def part_of(hits: ImportedHits, start: int, end: int) -> ImportedHits:
    """Return the hits between two places."""
    return ImportedHits(
        hits.keys[start:end],
        hits.at_ms[start:end],
        None if hits.visitors is None else hits.visitors[start:end],
        None if hits.urls is None else hits.urls[start:end],
        None if hits.referrers is None else hits.referrers[start:end],
        {at - start: reason for at, reason in (hits.screened or {}).items() if start <= at < end} or None,
        None if hits.agents is None else hits.agents[start:end],
    )


def done_of(sums: Sums) -> ImportDone:
    """Return what an import came to."""
    return ImportDone(stored=sums.stored, again=sums.again, refused=dict(sums.refused), set_aside=dict(sums.set_aside))


def _gone() -> ImportBroken:
    return ImportBroken("the server went away; when it runs again, the same import goes on where it was")
