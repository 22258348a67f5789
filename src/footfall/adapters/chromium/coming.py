"""What a page has asked for that has not come yet, and for how long it has been waited for."""

import time
from collections.abc import Set

from playwright.async_api import Request

STILL_S = 1.0  # When nothing has come for so long, what is missing hangs.
ASKING = frozenset({"fetch", "xhr"})
MAKING = frozenset({"document", "stylesheet", "script"})  # without which a page does not look like itself
SHOWN = MAKING | {"image", "font"}


class Coming:
    """The requests of one page that are open."""

    def __init__(self) -> None:
        self._asked_s: dict[Request, float] = {}
        self._came_s = time.monotonic()  # when something did last

    def note(self, request: Request) -> None:
        """Remember that something was asked for."""
        self._asked_s[request] = time.monotonic()

    def note_end(self, request: Request) -> None:
        """Remember that it came, or never will."""
        self._asked_s.pop(request, None)
        self._came_s = time.monotonic()

    def is_asking(self) -> bool:
        """Return whether the page's scripts wait for something."""
        return self._is_open(ASKING)

    def is_made(self) -> bool:
        """Return whether nothing but images is missing, and none of those has come for a while."""
        return not self._is_open(MAKING) and time.monotonic() - self._came_s >= STILL_S

    def is_awaited(self, wait_ms: int) -> bool:
        """Return whether something to be shown, in a frame perhaps, is missing that has not hung for so long yet."""
        asked = [at_s for request, at_s in self._asked_s.items() if request.resource_type in SHOWN]
        return bool(asked) and time.monotonic() - max(asked) < wait_ms / 1_000

    def has_hung(self, wait_ms: int) -> bool:
        """Return whether something to be shown is missing, and all that is has been waited for for so long."""
        return self._is_open(SHOWN) and not self.is_awaited(wait_ms)

    def _is_open(self, types: Set[str]) -> bool:
        return any(request.resource_type in types for request in self._asked_s)
