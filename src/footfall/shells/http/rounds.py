"""Rounds in an instance: something that is done again and again beside everything else, until it is stopped."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

from footfall.values.errors import FootfallError

_log = logging.getLogger(__name__)


class Rounds:
    """Does a round, waits as long as it says, and does the next; whatever one fails with, others come."""

    def __init__(self, what: str, do: Callable[[], Awaitable[float]], *, every_s: float) -> None:
        self._what = what  # as the log names it: alerts, watches
        self._do = do
        self._every_s = every_s  # after one that failed
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """End in the middle of whatever a round does; the next instance does it."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            pause_s = self._every_s
            try:
                pause_s = await self._do()
            except FootfallError as error:
                _log.warning("%s wait for the next round: %s", self._what, error)
            except Exception:  # noqa: BLE001 - a fault of one round must not be the end of all others
                _log.exception("a round of %s failed", self._what)
            await asyncio.sleep(pause_s)
