"""A world of our own in a page: the page's document, and none of what its scripts made of the language."""

import asyncio
from collections.abc import Mapping, Set
from typing import Any

from footfall.adapters.chromium.failures import stuck
from footfall.adapters.chromium.lines import Line, NotDone

NAME = "footfall"
# A selector of one element, for rules in a sheet of ours: so the document that is kept is the page's own.
WAY = """
const way = (one) => one.parentElement
  ? `${way(one.parentElement)}>:nth-child(${[...one.parentElement.children].indexOf(one) + 1})` : ":root";
"""
GONE = ("Cannot find context", "context was destroyed", "uniqueContextId not found", "Inspected target navigated")


class Moved(Exception):
    """The page went on to another document while it was asked something."""


class World:
    """Where our scripts run, in the page's own frame."""

    def __init__(self, line: Line, frame: str, *, stuck_ms: int) -> None:
        self._line = line
        self._frame = frame
        self._stuck_s = stuck_ms / 1_000
        self._context: int | None = None

    def forget(self) -> None:
        """Make another world for the next script: the document is another."""
        self._context = None

    async def run(self, script: str, arguments: str = "") -> Mapping[str, Any]:
        """Return what a script's function returns; raise Moved, or CaptureFailed when the page never comes to it."""
        try:
            async with asyncio.timeout(self._stuck_s):
                return await self._run(f"({script})({arguments})")
        except TimeoutError as error:
            raise stuck() from error
        except NotDone as error:
            if not any(sign in str(error) for sign in GONE):
                raise
            self.forget()
            raise Moved(str(error)) from error

    async def is_listening(self, events: Set[str]) -> bool:
        """Return whether the page's own scripts listen to one of some events that go to its window."""
        try:
            async with asyncio.timeout(self._stuck_s):
                return await self._is_heard("window", events) or await self._is_heard("document", events)
        except TimeoutError as error:
            raise stuck() from error
        except NotDone:  # It goes on to another document, of which the next script tells.
            return True

    async def _is_heard(self, at: str, events: Set[str]) -> bool:
        # A world of ours sees no listener of the page, so this is asked in the page's own; it runs no script there.
        found = await self._line.ask("Runtime.evaluate", {"expression": at, "objectGroup": NAME})
        told = await self._line.ask("DOMDebugger.getEventListeners", {"objectId": found["result"]["objectId"]})
        return any(listener["type"] in events for listener in told["listeners"])

    async def _run(self, expression: str) -> Mapping[str, Any]:
        if self._context is None:
            made = await self._line.ask(
                "Page.createIsolatedWorld", {"frameId": self._frame, "worldName": NAME, "grantUniveralAccess": False}
            )
            self._context = int(made["executionContextId"])
        told = await self._line.ask(
            "Runtime.evaluate",
            {"expression": expression, "contextId": self._context, "awaitPromise": True, "returnByValue": True},
        )
        if "exceptionDetails" in told:
            raise NotDone(f"a script of ours failed: {str(told['exceptionDetails'])[:300]}")
        return told["result"].get("value") or {}
