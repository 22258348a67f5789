"""The front's side of judging: verdicts are written for the judging process, and what it tells of itself is kept."""

import asyncio
import logging
from collections.abc import Callable, Mapping

import msgspec

from footfall.accounts.register import Register
from footfall.app.judging_report import Report
from footfall.app.link import Message
from footfall.shells.http.desk import Desk
from footfall.values.errors import FootfallError

_log = logging.getLogger(__name__)


class Judged:
    """Takes what the judging process says."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._writing: asyncio.Task[None] | None = None
        self._send: Callable[[Message], bool] = lambda _message: False
        self.report = Report()

    def answer_by(self, send: Callable[[Message], bool]) -> None:
        """Answer the process by this."""
        self._send = send

    def on_message(self, message: Message) -> None:
        """Take a message; verdicts are answered when they are on disk."""
        match message:
            case ["judged", report]:
                self.report = msgspec.convert(report, type=Report)
            case ["verdicts", str(brand), verdicts, since]:
                # It asks for one thing at a time, so that one task is all there ever is.
                self._writing = asyncio.get_running_loop().create_task(self._write(brand, verdicts, since))
            case _:
                pass

    async def stop(self) -> None:
        """Wait until what was asked for is written."""
        if self._writing is not None:
            await self._writing

    async def _write(self, brand: str, verdicts: object, since: Mapping[str, int]) -> None:
        def find(register: Register) -> int:
            # When the first is found, and in a thread of its own: a start has no use for it.
            from footfall.screening.verdicts import Verdict

            return register.verdicts.find(brand, msgspec.convert(verdicts, type=list[Verdict]), since=since)

        try:
            version = await self._desk.look(find)
        except FootfallError as error:
            self._send(["failed", str(error)])
            return
        self._send(["stored", version])
