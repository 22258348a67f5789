"""The loop that runs executions: what happened since the last round is stepped, written at once, and then acted upon.

One thread owns the file. Each round takes every frame that can go on by one state and ends in one commit, so that a
commit is shared by as many executions as are under way, and no state begins before the one before it is on disk.
"""

import heapq
import logging
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from enum import IntEnum

import apsw

from footfall.adapters.embedded.database import data_version, rows, transaction, translated
from footfall.adapters.embedded.workflow_book import Run, WorkflowBook
from footfall.adapters.embedded.workflow_calls import Began, Place, Returned, WorkflowCalls
from footfall.ports.errors import PortError, Unavailable
from footfall.ports.workflow import TaskFunction
from footfall.states.execution import Call, Change, Doing, Failed, Outcome
from footfall.states.failing import HEARTBEAT_TIMEOUT, TIMEOUT
from footfall.states.stepping import finished, next_step, timed_out
from footfall.values.clock import Clock

_log = logging.getLogger(__name__)

IDLE_S_MAX = 0.1  # How long a wish of another process, or a moment of a set clock, may go unnoticed.
TAKEN_AT_ONCE = 1_000  # Messages of one round, so that a commit stays a matter of milliseconds.
TROUBLE_S = 0.5  # Between attempts to go on after the disk refused a write.
FORGET_EVERY_MS = 60_000


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that somebody of this process waits for."""

    act: Callable[[WorkflowBook, int], int]
    answer: "Future[int]"


@dataclass(frozen=True, slots=True)
class Beat:
    """A task says that it is alive."""

    key: str


Message = Asked | Began | Returned | Beat


class Due(IntEnum):
    """What a moment is the moment of."""

    FRAME = 0
    CALL = 1
    BEAT = 2
    RUN = 3


@dataclass(frozen=True, slots=True, order=True)
class Timer:
    """A moment at which to look at something; whether it still matters is seen then."""

    at_ms: int
    due: Due
    number: int
    path: str = ""
    token: int = 0


@dataclass(frozen=True, slots=True)
class Retention:
    """How long ended executions are kept, and how many at most."""

    keep_ms: int
    kept_max: int


class WorkflowRunner:
    """Runs the executions of one file in a thread of its own."""

    def __init__(
        self,
        connection: apsw.Connection,
        book: WorkflowBook,
        tasks: Mapping[str, TaskFunction],
        *,
        threads: int,
        clock: Clock,
        retention: Retention,
    ) -> None:
        self._db = connection
        self._book = book
        self._clock = clock
        self._retention = retention
        self._inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._calls = WorkflowCalls(tasks, threads=threads, tell=self._inbox.put)
        self._ready: dict[Place, None] = {}  # In the order of their coming.
        self._timers: list[Timer] = []
        self._to_call: list[tuple[Place, Call]] = []
        self._answers: list[tuple[Future[int], int]] = []
        self._beats: dict[int, int] = {}  # Until when each call has to give a sign.
        self._enrolled: set[int] = set()
        self._data_version = 0
        self._forgets_at_ms = 0
        self._is_closing = False
        self._broken: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="workflow", daemon=True)

    def start(self) -> None:
        """Go on with everything that is running in the file."""
        self._reload()
        self._thread.start()

    def ask(self, act: Callable[[WorkflowBook, int], int]) -> int:
        """Let the loop do something with its book, and return what it gives once that is on disk."""
        if self._broken is not None or self._is_closing:
            raise Unavailable(f"the workflows are not running any more ({self._broken or 'closed'})")
        answer: Future[int] = Future()
        self._inbox.put(Asked(act, answer))
        return answer.result()

    def beat(self, key: str) -> None:
        """Tell that the task with this key is alive."""
        self._inbox.put(Beat(key))

    def close(self, *, wait: bool = True) -> None:
        """Call nothing more, keep what calls under way give if they are waited for, and stop."""
        self._calls.close(wait=wait)
        self._is_closing = True
        self._inbox.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._is_closing:
                self._round(self._messages())
            self._round(self._messages())  # What calls gave while they were waited for.
        except BaseException as error:  # noqa: BLE001 - whoever waits has to be told, whatever it was
            _log.exception("workflows stop running")
            self._broken = error
        self._refuse_all()

    def _round(self, messages: list[Message]) -> None:
        # What this round changes waits for the next: else a state would begin before the one before it is on disk.
        ready, self._ready = self._ready, {}
        try:
            self._look_around()
            for message in messages:
                self._take(message)
            for place in ready:
                if place not in self._ready:
                    self._advance(*place)
            self._book.write()
        except PortError as error:
            _log.warning("workflows wait: %s", error)
            self._start_again(messages, error)
            return
        self._act()

    def _act(self) -> None:
        """Do what had to wait until the round was on disk."""
        answers, self._answers = self._answers, []
        for answer, number in answers:
            answer.set_result(number)
        calls, self._to_call = self._to_call, []
        for place, call in calls:
            if place[0] in self._book.runs:
                self._calls.make(place, call)

    def _messages(self) -> list[Message]:
        """Return what came since the last round; wait for something when nothing is to be done."""
        found: list[Message] = []
        wait_s = 0.0 if self._ready else self._idle_s()
        try:
            while len(found) < TAKEN_AT_ONCE:
                message = self._inbox.get(block=wait_s > 0 and not found, timeout=wait_s or None)
                if message is not None:
                    found.append(message)
                elif self._is_closing:
                    break
        except queue.Empty:
            pass
        return found

    def _idle_s(self) -> float:
        if not self._timers:
            return IDLE_S_MAX
        return min(max(self._timers[0].at_ms - self._clock.now_ms(), 1) / 1_000, IDLE_S_MAX)

    def _take(self, message: Message) -> None:
        now_ms = self._clock.now_ms()
        match message:
            case Asked(act=act, answer=answer):
                try:
                    number = act(self._book, now_ms)
                except Exception as error:  # noqa: BLE001 - the answer to whoever asked
                    answer.set_exception(error)
                    return
                self._answers.append((answer, number))
                self._changed(number)
            case Began(token=token):
                self._begin_time(token, now_ms)
            case Beat(key=key):
                self._begin_beat(self._calls.token_of(key), now_ms)
            case Returned(token=token, outcome=outcome):
                waiting = self._calls.waiting(token)
                if waiting is not None:
                    self._finish(waiting[0], outcome, now_ms)

    def _changed(self, number: int) -> None:
        run = self._book.runs.get(number)
        if run is None:
            self._let_go(number)
        elif number not in self._enrolled:
            self._enroll(run)

    def _enroll(self, run: Run) -> None:
        self._enrolled.add(run.number)
        for path in run.frames:
            self._ready[run.number, path] = None
        if run.machine.timeout_s is not None:
            heapq.heappush(self._timers, Timer(run.since_ms + run.machine.timeout_s * 1_000, Due.RUN, run.number))

    def _let_go(self, number: int) -> None:
        self._enrolled.discard(number)
        self._calls.drop_all(number)

    def _advance(self, number: int, path: str) -> None:
        run = self._book.runs.get(number)
        frame = run.frames.get(path) if run is not None else None
        if run is None or frame is None:
            return
        now_ms = self._clock.now_ms()
        step = next_step(run.machine, run.execution, frame, now_ms=now_ms)
        if isinstance(step, Change):
            self._apply(run, step, now_ms)
        elif step is not None:
            self._to_call.append(((number, path), step))
        elif frame.doing in (Doing.READY, Doing.SLEEPING):
            heapq.heappush(self._timers, Timer(frame.since_ms, Due.FRAME, number, path))

    def _finish(self, place: Place, outcome: Outcome, now_ms: int) -> None:
        run = self._book.runs[place[0]]
        frame = run.frames[place[1]]
        self._apply(run, finished(run.machine, run.execution, frame, outcome, now_ms=now_ms), now_ms)

    def _apply(self, run: Run, change: Change, now_ms: int) -> None:
        self._book.apply(run, change, now_ms=now_ms)
        if run.number not in self._book.runs:
            self._let_go(run.number)
            return
        for path in change.removed:
            self._calls.drop((run.number, path))
        for frame in change.frames:
            self._calls.drop((run.number, frame.path))
            self._ready[run.number, frame.path] = None

    def _begin_time(self, token: int, now_ms: int) -> None:
        waiting = self._calls.waiting(token)
        if waiting is not None and waiting[1].timeout_ms is not None:
            at_ms = now_ms + waiting[1].timeout_ms
            heapq.heappush(self._timers, Timer(at_ms, Due.CALL, *waiting[0], token))
        self._begin_beat(token, now_ms)

    def _begin_beat(self, token: int | None, now_ms: int) -> None:
        waiting = self._calls.waiting(token) if token is not None else None
        if token is None or waiting is None or waiting[1].heartbeat_ms is None:
            return
        self._beats[token] = now_ms + waiting[1].heartbeat_ms
        heapq.heappush(self._timers, Timer(self._beats[token], Due.BEAT, *waiting[0], token))

    def _look_around(self) -> None:
        """Take up what is due, and what other processes wish."""
        now_ms = self._clock.now_ms()
        while self._timers and self._timers[0].at_ms <= now_ms:
            self._come_due(heapq.heappop(self._timers), now_ms)
        if now_ms >= self._forgets_at_ms:
            self._forgets_at_ms = now_ms + FORGET_EVERY_MS
            kept = self._retention
            self._book.forget(ended_before_ms=now_ms - kept.keep_ms, kept_max=kept.kept_max)
        version = data_version(self._db)
        if version != self._data_version:
            self._data_version = version
            self._grant_wishes(now_ms)

    def _come_due(self, timer: Timer, now_ms: int) -> None:
        match timer.due:
            case Due.FRAME:
                self._ready[timer.number, timer.path] = None
            case Due.CALL | Due.BEAT:
                self._end_call(timer, now_ms)
            case Due.RUN:
                run = self._book.runs.get(timer.number)
                # A retried execution has its whole time again.
                if run is not None and run.since_ms + (run.machine.timeout_s or 0) * 1_000 <= now_ms:
                    self._apply(run, timed_out(run.machine, now_ms=now_ms), now_ms)

    def _end_call(self, timer: Timer, now_ms: int) -> None:
        waiting = self._calls.waiting(timer.token)
        if waiting is None:
            self._beats.pop(timer.token, None)
            return
        place, call = waiting
        if timer.due is Due.CALL:
            self._finish(place, Failed(TIMEOUT, f"{call.resource!r} took longer than {call.timeout_ms} ms"), now_ms)
        elif self._beats.get(timer.token) == timer.at_ms:  # Else a sign came since.
            told = f"{call.resource!r} gave no sign for {call.heartbeat_ms} ms"
            self._finish(place, Failed(HEARTBEAT_TIMEOUT, told), now_ms)

    def _grant_wishes(self, now_ms: int) -> None:
        for wish, kind, machine, name, reason in rows(self._db, "SELECT id, kind, machine, name, reason FROM wish"):
            try:
                if kind == "stop":
                    number = self._book.stop(machine, name, reason, now_ms=now_ms)
                else:
                    number = self._book.retry(machine, name, now_ms=now_ms)
                self._changed(number)
            except PortError as error:
                _log.warning("the wish to %s %s/%s is not granted: %s", kind, machine, name, error)
            self._book.write()
            with translated(self._db), transaction(self._db):
                rows(self._db, "DELETE FROM wish WHERE id=?", (wish,))

    def _start_again(self, messages: list[Message], error: PortError) -> None:
        """Tell those who wait that it failed, and go on from what is on disk."""
        waiting = [message.answer for message in messages if isinstance(message, Asked)]
        for answer in (*waiting, *(answer for answer, _ in self._answers)):
            if not answer.done():
                answer.set_exception(error)
        while not self._is_closing:
            try:
                self._reload()
            except PortError as again:
                _log.warning("workflows still wait: %s", again)
                threading.Event().wait(TROUBLE_S)
            else:
                return

    def _reload(self) -> None:
        for number in list(self._enrolled):
            self._let_go(number)
        self._ready, self._timers, self._to_call, self._answers, self._beats = {}, [], [], [], {}
        self._book.load()
        for run in self._book.runs.values():
            self._enroll(run)

    def _refuse_all(self) -> None:
        self._is_closing = True
        while True:
            try:
                message = self._inbox.get_nowait()
            except queue.Empty:
                return
            if isinstance(message, Asked) and not message.answer.done():
                message.answer.set_exception(Unavailable("the workflows are not running any more"))
