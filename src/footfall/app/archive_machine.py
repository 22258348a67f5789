"""The archive's machine and its tasks: a page is captured, kept, let be found and handed on, or fails for a reason.

Tasks are plain functions of an input and a key. Each looks first whether its work is done, so that whoever is called
again after a crash does it once. An error is named after its reason, so that the machine can tell what to try again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Final, cast

import msgspec

from footfall.archive import finding, keeping, keys, references, requests
from footfall.archive.addresses import address_from
from footfall.archive.captures import Capture, Request, State
from footfall.archive.indexing import text_of
from footfall.archive.keywords import keywords_of
from footfall.archive.reading import reading_from
from footfall.archive.requests import NoSuchRequest
from footfall.archive.schemes import answering_url
from footfall.ports.blobs import Blobs
from footfall.ports.capturing import Captured, CaptureFailed, Capturing, Reason, Wanted
from footfall.ports.errors import Changed, PortError
from footfall.ports.searching import Searching
from footfall.ports.table import Present, Table, Update
from footfall.ports.workflow import TaskFunction
from footfall.states.values import Json
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

ONE: Final = "archive-one"
STARTS_MAX = 12  # of one attempt: more than all retries together, so that only a page that kills its worker comes here
BROKEN_OFF = "The capture was broken off by a failure of ours; it can be tried again."
KILLS = "The browser was brought down by this page again and again; it was given up."


class TaskFailed(FootfallError):
    """A page could not be captured; the subclass is named after the reason."""

    reason = Reason.CRASHED


def _named(reason: Reason) -> type[TaskFailed]:
    name = "".join(part.capitalize() for part in reason.value.split("-"))
    return type(name, (TaskFailed,), {"__doc__": f"It failed for the reason {reason.value}.", "reason": reason})


FAILURES: Final[Mapping[Reason, type[TaskFailed]]] = {reason: _named(reason) for reason in Reason}
REASONS: Final[Mapping[str, Reason]] = {
    "States.Timeout": Reason.TOO_SLOW,
    **{one.__name__: reason for reason, one in FAILURES.items()},
}


class NoBrowser(FootfallError):
    """There is nothing to capture with; the page is tried again when there is."""


class KillsWorkers(FootfallError):
    """A page was begun so often that it must be what ends whoever captures it."""


def definition() -> str:
    """Return the machine's definition."""
    return (files("footfall.app") / "archive_one.json").read_text()


def execution_name(request: Request) -> str:
    """Return the name of a request's execution: the same for the same attempt."""
    return f"{request.id}-{request.attempts}"


def execution_input(request: Request) -> Json:
    """Return what an execution is told."""
    return {"id": request.id, "attempt": request.attempts}


@dataclass(frozen=True, slots=True)
class Ground:
    """What one thread's tasks stand on."""

    table: Table
    blobs: Blobs
    searching: Searching


@dataclass(slots=True)
class Tasks:
    """What the machine's tasks do. `hand_on` gives a capture to an outside archive and keeps its link there."""

    ground: Callable[[], Ground]
    capturing: Callable[[], Capturing]
    ask: Callable[[str], object]  # whether a host answers, for the trial of schemes
    clock: Clock
    hand_on: Callable[[Table, str], object] | None = None

    def by_name(self) -> Mapping[str, TaskFunction]:
        """Return the tasks under the names that the definition calls them by."""
        return {
            "archive-capture": self.capture,
            "archive-keep": self.keep,
            "archive-index": self.index,
            "archive-hand-on": self.hand_on_one,
            "archive-fail": self.fail,
        }

    def capture(self, input: Json, _key: str) -> Json:
        """Capture a page and store all that was seen, unless that was done."""
        id, attempt = _told(input)
        ground = self.ground()
        request = requests.one(ground.table, id)
        if request.state is not State.RUNNING or request.attempts != attempt:
            return {"stored": False}
        if keeping.has_draft(ground.table, id, attempt=attempt):
            return {"stored": True}
        _count_start(ground.table, id)
        try:
            captured = as_read(self._seen(request))
        except CaptureFailed as error:
            raise FAILURES[error.reason](str(error)) from error
        except NoBrowser:
            _count_start(ground.table, id, by=-1)
            raise
        words = keywords_of(captured.text, title=captured.title)
        keeping.store(ground.table, ground.blobs, request, captured, keywords=words, now_ms=self.clock.now_ms())
        return {"stored": True}

    def keep(self, input: Json, _key: str) -> Json:
        """Keep what was stored, and end the request."""
        id, attempt = _told(input)
        ended = keeping.keep(self.ground().table, id, attempt=attempt, now_ms=self.clock.now_ms())
        return {"state": ended.state.value, "capture": ended.capture}

    def index(self, input: Json, _key: str) -> Json:
        """Let the capture be found by words."""
        ground = self.ground()
        capture = finding.capture(ground.table, _told(input)[0])
        if isinstance(capture, Capture):
            body = references.bytes_of(ground.blobs, capture.text).decode()
            ground.searching.add(text_of(capture, body))
            if not isinstance(finding.capture(ground.table, capture.id), Capture):
                ground.searching.remove(capture.id)  # It was removed in this moment.
        return {}

    def hand_on_one(self, input: Json, _key: str) -> Json:
        """Give the page to an outside archive, if that is wished and was not done."""
        if self.hand_on is not None:
            self.hand_on(self.ground().table, _told(input)[0])
        return {}

    def fail(self, input: Json, _key: str) -> Json:
        """Close a request with the reason why it failed."""
        id, attempt = _told(input)
        reason, says = _why(input)
        table, now_ms = self.ground().table, self.clock.now_ms()
        try:
            request = requests.one(table, id)
        except NoSuchRequest:
            return {}  # Everything was cleared meanwhile.
        if request.attempts == attempt and request.state is State.RUNNING:
            request = requests.fail(table, request, reason=reason, says=says, now_ms=now_ms)
        if request.state is State.FAILED:
            references.let_go(table, id, now_ms=now_ms)
        return {}

    def _seen(self, request: Request) -> Captured:
        address = address_from(request.url)
        wanted = Wanted(
            address.url if address.has_scheme else answering_url(address, self.ask),
            hide_banners=request.hide_banners,
            hide_sticky=request.hide_sticky,
            keep_errors=request.keep_errors,
        )
        try:
            return self.capturing().capture(wanted)
        except CaptureFailed:
            raise
        except PortError as error:
            raise NoBrowser(str(error)) from error


def as_read(captured: Captured) -> Captured:
    """Return what was seen with the text that a reader came for: without menus, where it has an article."""
    html = captured.frames[0].html if captured.frames else ""
    found = reading_from(html, seen=captured.text, title=captured.title, url=captured.final_url)
    return replace(captured, title=found.title, text=found.text)


def _count_start(table: Table, id: str, *, by: int = 1) -> None:
    """Count that a page is begun, so that one that ends its worker each time does not do so for ever."""
    try:
        begun = table.update(Update(keys.running(id), add={"starts": by}, expects=(Present(),)))
    except Changed:
        return  # Its request was closed in this moment, which keeping it finds out.
    starts = begun["starts"]
    if isinstance(starts, int) and starts > STARTS_MAX:
        raise KillsWorkers(KILLS)


def _told(input: Json) -> tuple[str, int]:
    told = cast("Mapping[str, Any]", input)
    return str(told["id"]), int(told["attempt"])


def _why(input: Json) -> tuple[Reason, str]:
    """Return the reason and the sentence of what a state failed with."""
    error = cast("Mapping[str, Any]", cast("Mapping[str, Any]", input)["error"])
    name = str(error["Error"])
    if name == KillsWorkers.__name__:
        return Reason.CRASHED, KILLS
    if name not in REASONS:
        return Reason.CRASHED, BROKEN_OFF
    try:
        says = str(msgspec.json.decode(error["Cause"])["errorMessage"])
    except (msgspec.DecodeError, KeyError, TypeError):
        says = "The page took too long." if name == "States.Timeout" else BROKEN_OFF
    return REASONS[name], says
