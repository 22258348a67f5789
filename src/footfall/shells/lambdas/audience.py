"""The audience in a function: asked and changed at once, each change on the condition that nobody was faster."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # Whoever only takes hits starts without it.
    from footfall.app.audience_opening import Audience
    from footfall.app.audience_playing import Playing

_T = TypeVar("_T")


class FunctionAudience:
    """Reads and changes what members do; the table is opened when somebody first asks for it."""

    def __init__(self, open_audience: "Callable[[], Audience]", open_playing: "Callable[[], Playing]") -> None:
        self._open = open_audience
        self._open_playing = open_playing
        self._playing: Playing | None = None
        self._audience: Audience | None = None

    async def asked(self, brand: str, question: "Callable[[Audience], _T]") -> _T:
        """Return what the audience answers to a brand's question, or what came of a change."""
        del brand
        if self._audience is None:
            self._audience = self._open()
        return question(self._audience)

    def playing(self) -> "Playing":
        """Return what gives places to play, and answers in time; what it remembers lasts as long as the function."""
        if self._playing is None:
            self._playing = self._open_playing()
        return self._playing
