"""Lines to what a browser has open: the page, and frames of it that run in processes of their own.

Playwright gives a line to a page alone. What the browser attaches to by itself is spoken to through it, with messages
in messages.
"""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, cast

from playwright.async_api import CDPSession
from playwright.async_api import Error as BrowserError

Told = Mapping[str, Any]
Hears = Callable[[Told], None]
ANSWER_S_MAX = 20.0  # A frame that has gone answers nothing.


class NotDone(Exception):
    """The browser did not do what was asked; what it was asked about has mostly gone by then."""


async def sent(session: CDPSession, method: str, params: Told | None = None) -> Told:
    """Return what something came to that a browser was asked to do."""
    send = cast("Callable[[str, Told], Awaitable[Told]]", session.send)  # pyright: ignore[reportUnknownMemberType] - a plain dict
    return await send(method, dict(params or {}))


class Line(Protocol):
    """A line to one target."""

    async def ask(self, method: str, params: Told | None = None) -> Told:
        """Have something done and return what it came to; raise NotDone."""
        ...

    def hear(self, event: str, hears: Hears) -> None:
        """Be told of an event from now on."""
        ...


class PageLine:
    """The line to a page."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    async def ask(self, method: str, params: Told | None = None) -> Told:
        """Have something done and return what it came to; raise NotDone."""
        try:
            return await sent(self._session, method, params)
        except BrowserError as error:
            raise NotDone(error.message) from error

    def hear(self, event: str, hears: Hears) -> None:
        """Be told of an event from now on."""
        self._session.on(event, cast("Callable[[object], None]", hears))


class InnerLine:
    """A line to a target inside another one, through the line to that."""

    def __init__(self, outer: Line, session_id: str) -> None:
        self._outer = outer
        self._session_id = session_id
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Told]] = {}
        self._hearers: dict[str, Hears] = {}
        outer.hear("Target.receivedMessageFromTarget", self._receive)

    async def ask(self, method: str, params: Told | None = None) -> Told:
        """Have something done and return what it came to; raise NotDone."""
        number = next(self._numbers)
        answer: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        message = json.dumps({"id": number, "method": method, "params": params or {}})
        try:
            await self._outer.ask("Target.sendMessageToTarget", {"sessionId": self._session_id, "message": message})
            return await asyncio.wait_for(answer, ANSWER_S_MAX)
        except TimeoutError as error:
            raise NotDone(f"{method} had no answer") from error
        finally:
            self._asked.pop(number, None)

    def hear(self, event: str, hears: Hears) -> None:
        """Be told of an event from now on."""
        self._hearers[event] = hears

    def _receive(self, told: Told) -> None:
        if told["sessionId"] != self._session_id:
            return
        message = json.loads(told["message"])
        answer = self._asked.get(message.get("id", 0))
        if answer is None:
            if hears := self._hearers.get(message.get("method", "")):
                hears(message["params"])
        elif answer.done():
            return
        elif "error" in message:
            answer.set_exception(NotDone(str(message["error"].get("message"))))
        else:
            answer.set_result(message["result"])
