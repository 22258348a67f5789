"""Sending in the background: a bounded queue, batches, and retries that count once.

A program calls `put` on its way to something more important, so `put` only appends and looks at a length. One
thread does the rest. A batch keeps its bytes and its Idempotency-Key for all of its tries, so that the server can
tell a retry from a new batch, whichever of the two it saw before a connection broke or a process died.
"""

import gzip
import json
import logging
import secrets
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

from footfall.client.calls import Clock, Line, Reply, Server, refusal_of, retry_after_ms
from footfall.client.errors import Unreachable
from footfall.client.signing import SIGNATURE_HEADER, signature_header

PAUSE_MS_MIN, PAUSE_MS_MAX = 250, 30_000  # Doubling from one to the other, drawn anew below it each time.
CLOSING_PAUSE_MS_MAX = 250  # While a program waits for its end.
GIVE_UP_MS = 12 * 3_600_000  # The server remembers a key for a day; a later retry could count twice.
GZIP_BYTES_MIN = 1_000
TELL_EVERY_S = 60.0

FIELDS = ("assetId", "sectionId", "resourceType", "paidType", "url", "referrer", "at", "visitor", "id", "agent")
RETRIED = (408, 425, 429)  # and every 5xx

Waiting = tuple[object, ...]  # A hit in the queue: the values of FIELDS.
log = logging.getLogger("footfall.client")


@dataclass(frozen=True, slots=True)
class Options:
    """How hits are sent; the defaults suit a web application."""

    queue_hits_max: int = 10_000  # Some 3 MB; what comes when it is full is dropped, counted and told.
    batch_hits_max: int = 500
    linger_ms: int = 1_000  # How long a hit waits for others before its batch goes.
    timeout_ms: int = 10_000  # of one call that sends
    read_timeout_ms: int = 3_000  # of one call that asks: somebody waits for it
    close_ms: int = 5_000  # How long the end of a program waits for what is still queued.


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the hits that were handed over; the parts after the first add up to it."""

    handed: int
    sent: int  # taken by the server, repeats included
    refused: int
    dropped: int  # because the queue was full, the client closed, or the server away for too long
    waiting: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A hit that will not be counted, and why."""

    hit: Mapping[str, object]
    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Batch:
    hits: Sequence[Mapping[str, object]]
    body: bytes
    key: str
    made_at_ms: int


class Sender:
    """The queue and the thread that empties it."""

    def __init__(
        self,
        server: Server,
        *,
        brand: str,
        options: Options,
        on_refused: Callable[[Refusal], None] | None,
        clock: Clock,
    ) -> None:
        self._server = server
        self._brand = brand
        self._options = options
        self._on_refused = on_refused
        self._clock = clock
        self._chance = secrets.SystemRandom()  # The system's, so that forked children do not retry in step.
        self._line: Line | None = None
        self._begin_anew()

    def put(self, hit: Waiting) -> None:
        """Queue a hit, or drop and count it when there is no room."""
        queue = self._queue
        if len(queue) >= self._queue_hits_max:
            self._drop(1, "the queue is full" if not self._closing.is_set() else "the client is closed")
            return
        queue.append(hit)
        if self._thread is None:
            self._start()
        if len(queue) >= self._batch_hits_max and not self._wake.is_set():
            self._wake.set()

    def counts(self) -> Counts:
        """Return what became of the hits so far."""
        with self._settled:
            waiting = self._in_hand + len(self._queue)
            handed = self._sent + self._refused + self._dropped + waiting
            return Counts(handed, self._sent, self._refused, self._dropped, waiting)

    def flush(self, timeout_ms: int) -> bool:
        """Wait until what is queued now is settled; tell whether it was in time."""
        with self._settled:
            goal = self._passed + self._in_hand + len(self._queue)
            self._flush_goal = max(self._flush_goal, goal)
            self._wake.set()
            return self._settled.wait_for(lambda: self._passed >= goal, timeout_ms / 1_000)

    def close(self, timeout_ms: int) -> None:
        """Send what is queued, within the time, and take nothing more."""
        if self._closing.is_set():
            return
        self._queue_hits_max = 0
        self._give_up_at_s = time.monotonic() + timeout_ms / 1_000
        self._closing.set()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            # A call that is under way is not waited for beyond the time: the thread ends with the program.
            thread.join(timeout_ms / 1_000)
        with self._settled:
            left = len(self._queue)
            self._queue.clear()
            self._passed += left
        if left:
            self._drop(left, "the client was closed before they could be sent")
        self._told.tell()

    def after_fork(self) -> None:
        """Begin anew in a child: what was queued is the parent's to send, and so is its connection."""
        if self._line is not None:
            self._line.close()  # The child's copy only; nothing is said to the server.
            self._line = None
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._queue: deque[Waiting] = deque()
        self._queue_hits_max = self._options.queue_hits_max
        self._batch_hits_max = self._options.batch_hits_max
        self._wake, self._closing = threading.Event(), threading.Event()
        self._starting = threading.Lock()
        self._settled = threading.Condition()
        self._thread: threading.Thread | None = None
        self._give_up_at_s = float("inf")
        self._in_hand = self._passed = self._sent = self._refused = self._dropped = self._flush_goal = 0
        self._told = _Told()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None and not self._closing.is_set():
                thread = threading.Thread(target=self._run, name="footfall-client", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # The interpreter is ending, or the system has no thread left.
                    self._told.add("starts", 1, "there can be no more threads; hits wait in the queue")
                else:
                    self._thread = thread

    def _run(self) -> None:
        while True:
            if len(self._queue) < self._batch_hits_max and not self._is_hurried():
                self._wake.wait(self._options.linger_ms / 1_000)
            self._wake.clear()
            hits = self._take()
            if hits:
                try:
                    self._deliver(hits)
                except Exception:  # This thread has no caller, and the next batch may be fine.
                    log.exception("a batch of hits could not be sent")
                finally:
                    self._settle_rest()
            elif self._closing.is_set():
                break
        if self._line is not None:
            self._line.close()

    def _is_hurried(self) -> bool:
        return self._closing.is_set() or (bool(self._queue) and self._flush_goal > self._passed)

    def _take(self) -> list[Waiting]:
        with self._settled:
            count = min(len(self._queue), self._batch_hits_max)
            hits = [self._queue.popleft() for _ in range(count)]
            self._in_hand = count
        return hits

    def _deliver(self, hits: Sequence[Waiting]) -> None:
        fields = [self._fields(hit) for hit in hits]
        try:
            texts = [_ENCODER.encode(one) for one in fields]
        except (TypeError, ValueError, RecursionError):
            fields, texts = self._sound(fields)
        if fields:
            self._post(fields, texts, made_at_ms=self._clock())

    def _post(self, fields: Sequence[Mapping[str, object]], texts: Sequence[str], *, made_at_ms: int) -> None:
        body = f"[{','.join(texts)}]".encode("ascii")
        if len(body) >= GZIP_BYTES_MIN:
            body = gzip.compress(body, 1, mtime=0)
        batch = _Batch(fields, body, uuid.uuid4().hex, made_at_ms)
        reply = self._insisted(batch)
        if reply is None:
            self._drop(len(fields), "the server could not be reached for too long", in_hand=True)
        elif reply.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE and len(fields) > 1:
            # Too large together: nothing of it was taken, so the halves may go under keys of their own.
            middle = len(fields) // 2
            self._post(fields[:middle], texts[:middle], made_at_ms=made_at_ms)
            self._post(fields[middle:], texts[middle:], made_at_ms=made_at_ms)
        else:
            self._settle(batch, reply)

    def _insisted(self, batch: _Batch) -> Reply | None:
        """Return the server's final word on the batch; None when there was none until it was time to give up."""
        pause_ms = PAUSE_MS_MIN
        while True:
            if self._line is None:
                self._line = Line(self._server, timeout_ms=self._options.timeout_ms)
            asked_ms = 0
            try:
                reply = self._line.call("POST", "/v1/hits", body=batch.body, headers=self._headers(batch))
            except Unreachable as error:
                self._told.add("retries", 1, str(error))
            else:
                if reply.status not in RETRIED and reply.status < 500:
                    return reply
                asked_ms = retry_after_ms(reply.headers.get("retry-after", ""), now_ms=self._clock())
                self._told.add("retries", 1, f"the server answered {reply.status}")
            if self._is_too_late(batch):
                return None
            self._pause(asked_ms + self._chance.uniform(0, pause_ms))
            pause_ms = min(pause_ms * 2, PAUSE_MS_MAX)

    def _headers(self, batch: _Batch) -> Mapping[str, str]:
        """Return the headers of one try: signed anew, for an old signature is refused, under the same key."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": batch.key}
        if batch.body[:2] == b"\x1f\x8b":
            headers["Content-Encoding"] = "gzip"
        signing_key = self._server.signing_key
        if signing_key:
            headers[SIGNATURE_HEADER] = signature_header(signing_key, batch.body, at_s=self._clock() // 1_000)
        return headers

    def _is_too_late(self, batch: _Batch) -> bool:
        return time.monotonic() >= self._give_up_at_s or self._clock() - batch.made_at_ms > GIVE_UP_MS

    def _pause(self, pause_ms: float) -> None:
        if self._closing.is_set():
            time.sleep(min(pause_ms, CLOSING_PAUSE_MS_MAX) / 1_000)
        else:
            self._closing.wait(pause_ms / 1_000)

    def _settle(self, batch: _Batch, reply: Reply) -> None:
        """Count what the server took and report what it did not."""
        taken, refused = _verdict(reply)
        why = refusal_of(reply)
        rest = 0
        for index, hit in enumerate(batch.hits):
            if index in refused:
                self._refuse(hit, *refused[index])
            elif taken:
                rest += 1
            else:
                self._refuse(hit, why.field, str(why))
        with self._settled:
            self._sent += rest
            self._pass(rest)

    def _sound(self, fields: Sequence[Mapping[str, object]]) -> tuple[list[Mapping[str, object]], list[str]]:
        """Return the hits that can be written as JSON, refusing the others, so that one costs only itself."""
        sound: list[Mapping[str, object]] = []
        texts: list[str] = []
        for one in fields:
            try:
                texts.append(_ENCODER.encode(one))
                sound.append(one)
            except (TypeError, ValueError, RecursionError) as error:
                self._refuse(one, "", f"it cannot be written as JSON: {error}")
        return sound, texts

    def _fields(self, hit: Waiting) -> Mapping[str, object]:
        fields: dict[str, object] = {"brand": self._brand} if self._brand else {}
        for name, value in zip(FIELDS, hit, strict=True):
            if value is not None and value != "":
                fields[name] = value.isoformat() if isinstance(value, datetime) else value
        return fields

    def _refuse(self, hit: Mapping[str, object], field: str, reason: str) -> None:
        with self._settled:
            self._refused += 1
            self._pass(1)
        if self._on_refused is None:
            self._told.add("refused", 1, reason if field in reason else f"{field}: {reason}")
            return
        try:
            self._on_refused(Refusal(hit, field, reason))
        except Exception:  # The program's own function; its failure must not stop the sending.
            log.exception("the function for refused hits failed")

    def _drop(self, count: int, reason: str, *, in_hand: bool = False) -> None:
        with self._settled:
            self._dropped += count
            if in_hand:
                self._pass(count)
        self._told.add("dropped", count, reason)

    def _settle_rest(self) -> None:
        """Count what a failure left in hand as dropped, so that nobody waits for it."""
        if self._in_hand:
            self._drop(self._in_hand, "they could not be sent", in_hand=True)

    def _pass(self, count: int) -> None:
        """Count hits that have gone through the queue and are settled; those dropped before it do not."""
        self._in_hand -= count
        self._passed += count
        self._settled.notify_all()


class _Told:
    """What is told through logging, once in a while, however often it happens."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._reasons: dict[str, str] = {}
        self._told_at_s = float("-inf")
        self._adding = threading.Lock()

    def add(self, what: str, count: int, reason: str) -> None:
        """Count something worth telling, and tell it unless something was told just now."""
        with self._adding:
            self._counts[what] = self._counts.get(what, 0) + count
            self._reasons[what] = reason
            is_time = time.monotonic() - self._told_at_s >= TELL_EVERY_S
        if is_time:
            self.tell()

    def tell(self) -> None:
        """Tell what has not been told."""
        with self._adding:
            counts, reasons = self._counts, self._reasons
            self._counts, self._reasons = {}, {}
            if counts:
                self._told_at_s = time.monotonic()
        for what, count in counts.items():
            log.warning("%s: %d, the last because %s", _WORDS[what], count, reasons[what])


_WORDS = {
    "dropped": "hits dropped",
    "refused": "hits refused",
    "retries": "tries to send hits that failed",
    "starts": "tries to start the sending thread that failed",
}
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def _verdict(reply: Reply) -> tuple[bool, dict[int, tuple[str, str]]]:
    """Tell whether the batch was taken, and which of its hits were refused, with field and reason."""
    try:
        table = reply.table()
        listed: Any = table.get("refused") or ()
        refused = {int(one["index"]): (str(one.get("field", "")), str(one.get("reason", ""))) for one in listed}
    except (Unreachable, TypeError, ValueError, KeyError, AttributeError):
        return False, {}  # What answered is no footfall, whatever its status.
    return 200 <= reply.status < 300 and "accepted" in table, refused
