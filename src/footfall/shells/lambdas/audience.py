"""The audience in a function: asked and changed at once, each change on the condition that nobody was faster.

Between two requests a function stands still, threads and all, and nobody tells it when it is over. So what was answered
from memory is written when the next request comes, before that is answered, and told to CloudWatch with the one that
brought it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from footfall.shells.lambdas.gauges import emit
from footfall.values.clock import Clock

if TYPE_CHECKING:  # Whoever only takes hits starts without it.
    from footfall.app.audience_opening import Audience
    from footfall.app.audience_playing import Playing

CATCHING_UP_S = 0.2  # A write takes some milliseconds; whoever asked waits no longer for what others did.
TRIED_AGAIN_MS = 1_000  # A table that is away is not asked with every request.
TOLD_AGAIN_MS = 60_000

_T = TypeVar("_T")


class FunctionAudience:
    """Reads and changes what members do; the table is opened when somebody first asks for it."""

    def __init__(
        self, open_audience: "Callable[[], Audience]", open_playing: "Callable[[], Playing]", clock: Clock
    ) -> None:
        self._open = open_audience
        self._open_playing = open_playing
        self._clock = clock
        self._playing: Playing | None = None
        self._audience: Audience | None = None
        self._tried_at_ms = self._told_at_ms = 0
        self._told_waiting = self._told_forgotten = 0

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

    def catch_up(self) -> None:
        """Write what waits since the table was away, as much as fits into a moment."""
        now_ms = self._clock.now_ms()
        if self._playing is None or not self._playing.unrecorded or 0 <= now_ms - self._tried_at_ms < TRIED_AGAIN_MS:
            return
        if not self._playing.catch_up(sweeping=False, within_s=CATCHING_UP_S):
            self._tried_at_ms = now_ms

    def tell(self) -> None:
        """Tell how much waits: when it begins, once a minute, and when it is over."""
        if self._playing is None:
            return
        now_ms, waiting, forgotten = self._clock.now_ms(), self._playing.unrecorded, self._playing.forgotten
        is_other = bool(waiting) != bool(self._told_waiting)
        is_due = bool(waiting) and not 0 <= now_ms - self._told_at_ms < TOLD_AGAIN_MS
        if is_other or is_due:
            emit(clock=self._clock, PlaybacksUnrecorded=waiting, PlaybacksForgotten=forgotten - self._told_forgotten)
            self._told_at_ms, self._told_waiting, self._told_forgotten = now_ms, waiting, forgotten
