"""Lists in a function: the boards and the ready answers of an instance, in one process and without a link between them.

Nothing runs between two requests, so counts are looked at when somebody asks and a look is due. In between, a question
that was asked before is answered from its bytes and any other from the boards, and nothing is read.
"""

import asyncio
import logging
import resource
from collections.abc import Iterable
from dataclasses import replace

from footfall.app.answering import Answering
from footfall.app.link import Message
from footfall.app.settings import MIB, Settings
from footfall.flow.serve.in_flight import InFlight
from footfall.ports.errors import PortError
from footfall.shells.http.answers import Answers
from footfall.values.clock import Clock

LOOK_MS_MIN = 1_000
EDITS_LOOK_MS = 1_000  # What an editor did is seen within a second; a look is one read.
LOOKS_PER_WRITE = 10  # Counts are written once in the freshness; a list is older by a tenth of it at most.
ROW_BYTES = 24  # What a row of a board is taken to weigh, with its share of ids, sums and the room to add them up.
ROWS_MIN = 50_000
SPARE_SHARE = 0.6  # of the memory that is left; the rest is for answers on their way and what Python does not give back
ANSWERS_SHARE = 16  # Ready answers take that part of the memory at most.

_log = logging.getLogger(__name__)


class Lists:
    """The boards of the brands that are asked for, and their answers as bytes."""

    def __init__(self, answering: Answering, in_flight: InFlight, settings: Settings, *, clock: Clock) -> None:
        self._answering = answering
        self._in_flight = in_flight
        self._look_ms = look_ms(settings)
        self._clock = clock
        self._looked_at_ms: int | None = None
        self._edits_looked_at_ms = 0
        self._is_reading = False
        self._loop = asyncio.get_running_loop()
        # Nobody makes answers anew in the background, so one whose counts changed is made anew when it is asked for.
        self.answers = Answers(self._ask, bytes_max=settings.serve_answers_bytes_max, stale_s_max=0.0)

    def refresh(self) -> None:
        """Take in new counts and edits, if a look is due; when they cannot be read, lists stay as they are."""
        now_ms = self._clock.now_ms()
        is_due = self._looked_at_ms is None or not 0 <= now_ms - self._looked_at_ms < self._look_ms
        if not is_due and 0 <= now_ms - self._edits_looked_at_ms < EDITS_LOOK_MS:
            return
        try:
            changed = self._answering.refresh() if is_due else self._answering.look_at_edits()
        except PortError as error:
            _log.warning("lists stay as they are: %s", error)
            return
        self._edits_looked_at_ms = now_ms
        if is_due:
            self._looked_at_ms = now_ms
            self._in_flight.take(self._answering.checkpoints)
        for brand, version in changed:
            self.answers.on_message(["changed", brand, version])
        self._tell_dropped()

    def _tell_dropped(self) -> None:
        for brand, version in self._answering.take_dropped():
            self.answers.on_message(["dropped", brand, version])

    def _ask(self, message: Message) -> bool:
        """Take what the answers ask for: a question is answered as soon as whoever asked has let go of the loop."""
        if message[0] == "ask":
            self._loop.call_soon(self._answer, message[1])
        return True

    def _answer(self, questions: Iterable[str]) -> None:
        told = [one for one in map(self._answering.answer, questions) if one is not None]
        self.answers.on_message(["answers", told])
        self._tell_dropped()
        self._go_on_reading()

    def _go_on_reading(self) -> None:
        if self._answering.is_reading and not self._is_reading:
            self._is_reading = True
            self._loop.call_soon(self._read)

    def _read(self) -> None:
        """Read one window of a past span; between two of them, whoever waited too long is told so."""
        self._is_reading = False
        told = self._answering.read_some()
        if told:
            self.answers.on_message(["answers", told])
        self._go_on_reading()


def look_ms(settings: Settings) -> int:
    """Return how often counts are looked at: ten times in the time between two writes, at most once a second."""
    return max(LOOK_MS_MIN, settings.aws_freshness_s * 1_000 // LOOKS_PER_WRITE)


def settings_within(settings: Settings, *, memory_mb: int) -> Settings:
    """Return the settings with no more rows and answers than a function's spare memory holds."""
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1_024
    answers_bytes = min(settings.serve_answers_bytes_max, max(MIB, memory_mb * MIB // ANSWERS_SHARE))
    spare = max(0, memory_mb * MIB - taken - answers_bytes) * SPARE_SHARE
    rows = min(settings.serve_rows_max, max(ROWS_MIN, int(spare / ROW_BYTES)))
    return replace(settings, serve_rows_max=rows, serve_answers_bytes_max=answers_bytes)
