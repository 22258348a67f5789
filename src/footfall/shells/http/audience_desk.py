"""The audience's readers and writers in an instance: threads of their own, so that no member holds up anybody else."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from footfall.app.settings import Settings
from footfall.ports.stream import Stream
from footfall.shells.http.brand_line import BrandLine
from footfall.shells.http.cataloguing import Waiting
from footfall.shells.http.commits import Commits
from footfall.shells.http.follow_rounds import FollowRounds, FollowsTold
from footfall.values.clock import Clock

if TYPE_CHECKING:  # Nobody loads the audience before somebody asks for it.
    from footfall.app.audience_opening import Audience, OpenedAudience
    from footfall.app.audience_playing import Playing

THREADS = 2
ASKING_MAX, ASKING_SHARE = 1_024, 512  # Each is small.

_T = TypeVar("_T")


class AudienceDesk:
    """Asks and changes what members do on behalf of the event loop."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._line = BrandLine(THREADS, name="audience")
        self._opened: dict[int, OpenedAudience] = {}  # each thread's
        self._playing: Playing | None = None
        self._follows: FollowRounds | None = None
        self._asking = Waiting(total_max=ASKING_MAX, share=ASKING_SHARE, what="the audience")

    async def asked(self, brand: str, question: "Callable[[Audience], _T]") -> _T:
        """Return what the audience answers to a brand's question, or what came of a change."""
        with self._asking.one_of(brand):
            return await self._line.run(brand, lambda thread: question(self._audience(thread)))

    def playing(self) -> "Playing":
        """Return what gives places to play, and answers in time."""
        from footfall.app.audience_playing import open_playing

        if self._playing is None:
            self._playing = open_playing(self._settings, self._clock)
        return self._playing

    def tell_follows(self, stream: Stream, commits: Commits) -> None:
        """Take to the stream, from now on, what came and went in the follow graph."""
        self._follows = FollowRounds(self._settings, self._clock, stream, commits)
        self._follows.start()

    @property
    def follows_told(self) -> FollowsTold:
        """Return how far follows are on their way into the stream."""
        return FollowsTold() if self._follows is None else self._follows.told

    @property
    def behind(self) -> tuple[int, int]:
        """Return how much of what plays is still to be written, and how much was forgotten before it was."""
        return (0, 0) if self._playing is None else (self._playing.unrecorded, self._playing.forgotten)

    async def stop(self) -> None:
        """Finish what waits and close the files."""
        await self._line.stop(self._close)
        if self._follows is not None:
            await self._follows.stop()
        if self._playing is not None:
            await asyncio.to_thread(self._playing.stop)
            self._playing = None

    def _audience(self, thread: int) -> "Audience":
        from footfall.app.audience_opening import open_audience

        if thread not in self._opened:
            self._opened[thread] = open_audience(self._settings, self._clock)
        return self._opened[thread].audience

    def _close(self, thread: int) -> None:
        opened = self._opened.pop(thread, None)
        if opened is not None:
            opened.close()
