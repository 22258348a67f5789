"""GET /v1/plan: what was counted, as a plan; one process makes it, and all who ask within the hour get the same."""

import asyncio
import sys
from contextlib import suppress
from typing import Final

import msgspec

from footfall.app.settings import Settings, json_from_settings
from footfall.app.settings_reading import child_environment
from footfall.values.clock import Clock
from footfall.values.window import HOUR_MS, MINUTE_MS

PLAN: Final = "/v1/plan"
KILL_AFTER_S: Final = 120.0  # It has the lowest priority, and a busy machine lets it wait.
PATIENCE_S: Final = 8.0  # Whoever asks is then told that it is being made, or what was made last.
FAILED_MS: Final = MINUTE_MS  # What could not be made is tried again after so long.


class Planning:
    """The plan that is kept, and the one process that makes another."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._body = b""
        self._good_until_ms = 0
        self._making: asyncio.Task[None] | None = None

    async def told(self) -> bytes:
        """Return the plan, made anew if it is older than an hour; whoever asks meanwhile waits a while for it."""
        if self._clock.now_ms() >= self._good_until_ms:
            if self._making is None or self._making.done():
                self._making = asyncio.create_task(self._make())
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._making), PATIENCE_S)
            if not self._making.done():
                return self._body or _MAKING
        return self._body

    async def _make(self) -> None:
        said = b""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "footfall.app.plan_process",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=child_environment(),
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            # And left open: its end would mean that we are gone.
            process.stdin.write(json_from_settings(self._settings).encode() + b"\n")
            said = await asyncio.wait_for(process.stdout.read(), KILL_AFTER_S)
        except TimeoutError:
            pass  # The machine is too busy for plans, which is told.
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        self._body = said or _NO_PLAN
        self._good_until_ms = self._clock.now_ms() + (HOUR_MS if said else FAILED_MS)


def _nothing(says: str, *, is_being_made: bool) -> bytes:
    return msgspec.json.encode(
        {"hours": 0, "actual": None, "planned": None, "says": [says], "isBeingMade": is_being_made}
    )


_NO_PLAN: Final = _nothing("The plan could not be made; the log says why.", is_being_made=False)
_MAKING: Final = _nothing("The plan is being made.", is_being_made=True)
