"""What a page has asked for that has not come yet, and for how long it has been waited for."""

import time
from collections.abc import Set

from playwright.async_api import Request

MADE_S = 1.0  # A script that has come may fetch another, and mostly does so at once.
ASKING = frozenset({"fetch", "xhr"})
IMAGES = frozenset({"image"})
MAKING = frozenset({"document", "stylesheet", "script"})  # without which a page does not look like itself


class Coming:
    """The requests of one page that are open."""

    def __init__(self) -> None:
        self._asked_s: dict[Request, float] = {}
        self._made_s = time.monotonic()  # since when it had all that it is made of

    def note(self, request: Request) -> None:
        """Remember that something was asked for."""
        self._asked_s[request] = time.monotonic()

    def note_end(self, request: Request) -> None:
        """Remember that it came, or never will."""
        self._asked_s.pop(request, None)
        if request.resource_type in MAKING:
            self._made_s = time.monotonic()

    def is_asking(self, types: Set[str] = ASKING) -> bool:
        """Return whether something of some types has not come yet."""
        return any(request.resource_type in types for request in self._asked_s)

    def is_made(self) -> bool:
        """Return whether nothing but images has been missing for a while."""
        return not self.is_asking(MAKING) and time.monotonic() - self._made_s >= MADE_S

    def has_hung(self, wait_ms: int) -> bool:
        """Return whether images are missing, and all that are have been waited for for so long."""
        asked = [at_s for request, at_s in self._asked_s.items() if request.resource_type in IMAGES]
        return bool(asked) and time.monotonic() - max(asked) >= wait_ms / 1_000
