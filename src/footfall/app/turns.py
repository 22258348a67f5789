"""Whose turn it is in the answering process: questions first, then reading, renewals and refreshes between them."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Protocol

from footfall.app.link import Link, Message
from footfall.flow.serve.answer import Answer
from footfall.ports.errors import PortError

TOLD_AT_ONCE = 4  # Answers made anew that are told together, because each message wakes the front.
READ_S = 0.005  # For so long at a time a past span is read while others may ask.

Told = list[object]  # as it goes to the front: question, version, why not, etag, cache time, body

_log = logging.getLogger(__name__)


class Answers(Protocol):
    """Whoever makes answers."""

    @property
    def is_reading(self) -> bool:
        """Tell whether a past span is on its way."""
        ...

    @property
    def rows(self) -> int:
        """Return how many rows of lists are held in memory."""
        ...

    def answer(self, canonical: str) -> Told | None:
        """Return an answer; None while what it needs is being read."""
        ...

    def renew(self, canonical: str) -> Told | None:
        """Return an answer that nobody waits for; None when it is told later, or stays as it is."""
        ...

    def read_some(self) -> list[Told]:
        """Read one window of a past span; return the answers that this was all they waited for."""
        ...

    def is_at_hand(self, canonical: str) -> bool:
        """Tell whether an answer can be made in the middle of a refresh."""
        ...

    def refresh(self, between: Callable[[], None]) -> list[tuple[str, int]]:
        """Bring everything up to the moment; return the brands whose answers may differ, with their versions.

        `between` is called wherever somebody else may have a turn.
        """
        ...

    def take_dropped(self) -> list[tuple[str, int]]:
        """Return the brands whose answers have to be asked for again, with their versions."""
        ...


class Turns:
    """Whose turn it is: a question that somebody waits for, a refresh of the boards, or the renewal of an old answer.

    Renewals give way to questions after every single one, and a round of them keeps the next refresh waiting for as
    long as it took: a thousand answers that are asked for all the time cost half a core, not all of it.
    """

    def __init__(self, answering: Answers, link: Link, *, refresh_s: float) -> None:
        self._answering = answering
        self._link = link
        self._refresh_s = refresh_s
        self._refresh_at = time.monotonic()
        self._round_began_at = self._refresh_at
        self._renewals: OrderedDict[str, None] = OrderedDict()  # in order, each once
        self._renewed: list[Told] = []
        self._rows_told = 0
        self._postponed: list[Message] = []  # what came in the middle of a refresh and has to wait for its end

    def take(self) -> bool:
        """Take a turn; return whether to go on."""
        is_busy = self._renewals or self._answering.is_reading or self._postponed
        wait_s = 0.0 if is_busy else max(0.0, self._refresh_at - time.monotonic())
        messages = self._link.receive(timeout_s=wait_s)
        if messages is None:
            return False
        postponed, self._postponed = self._postponed, []
        for message in (*postponed, *messages):
            if message[0] == "stop":
                self._link.send(["stopped"])
                return False
            if message[0] == "renew":
                self._renewals.update(dict.fromkeys(message[1]))
            else:
                self._answer(message[1])
        if self._answering.is_reading:
            self._read()
        if self._renewals:
            self._renew()
        elif time.monotonic() >= self._refresh_at:
            self._refresh()
        return True

    def _answer(self, questions: Iterable[str]) -> None:
        told = [one for one in map(self._answering.answer, questions) if one is not None]
        self._link.send(["answers", told])

    def _let_in(self) -> None:
        """Answer what can be answered in the middle of a refresh; nobody has to wait for all of it."""
        for message in self._link.receive(timeout_s=0.0) or ():
            if message[0] in ("stop", "renew"):
                self._postponed.append(message)
                continue
            at_hand = [one for one in message[1] if self._answering.is_at_hand(one)]
            if at_hand:
                self._answer(at_hand)
            if len(at_hand) < len(message[1]):
                left = set(at_hand)
                self._postponed.append([message[0], [one for one in message[1] if one not in left]])

    def _read(self) -> None:
        """Read of a past span as much as a question may have to wait for."""
        until = time.monotonic() + READ_S
        while self._answering.is_reading and time.monotonic() < until:
            told = self._answering.read_some()
            if told:
                self._link.send(["answers", told])

    def _renew(self) -> None:
        canonical, _ = self._renewals.popitem(last=False)
        told = self._answering.renew(canonical)
        if told is not None:
            self._renewed.append(told)
        if len(self._renewed) >= TOLD_AT_ONCE or not self._renewals:
            self._link.send(["answers", self._renewed])
            self._renewed = []
        if not self._renewals:
            now = time.monotonic()
            self._refresh_at = now + max(self._refresh_s, now - self._round_began_at)

    def _refresh(self) -> None:
        try:
            for brand, version in self._answering.refresh(self._let_in):
                self._link.send(["changed", brand, version])
            for brand, version in self._answering.take_dropped():
                self._link.send(["dropped", brand, version])
            rows = self._answering.rows
            if rows != self._rows_told:
                self._rows_told = rows
                self._link.send(["rows", rows])
        except PortError as error:
            _log.warning("lists stay as they are: %s", error)
        self._round_began_at = time.monotonic()
        self._refresh_at = self._round_began_at + self._refresh_s


def told_of(made: Answer, canonical: str, version: int) -> Told:
    """Return an answer as it goes to the front."""
    return [canonical, version, "", made.etag, made.max_age_s, made.body]


def failed(canonical: str, why: str) -> Told:
    """Return the sentence why there is none."""
    return [canonical, 0, why, "", 0, b""]
