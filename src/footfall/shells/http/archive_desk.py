"""The archive's readers and writers in an instance: threads of their own, so that no capture holds up anybody else.

Short questions and long work wait in lines of their own: a comparison takes seconds, a part of a picture none.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from footfall.app.settings import Settings
from footfall.shells.http.brand_line import BrandLine
from footfall.shells.http.cataloguing import Waiting
from footfall.values.clock import Clock

if TYPE_CHECKING:  # Nobody loads the archive before somebody asks for it.
    from footfall.app.archive_control import Archive
    from footfall.app.archive_opening import OpenedArchive

SHORT_THREADS, LONG_THREADS = 2, 1
SHORT_MAX, SHORT_SHARE = 512, 128
LONG_MAX, LONG_SHARE = 16, 4  # Each holds some megabytes while it is made.

_T = TypeVar("_T")


class ArchiveDesk:
    """Asks and changes the archive on behalf of the event loop."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._short = BrandLine(SHORT_THREADS, name="archive")
        self._long = BrandLine(LONG_THREADS, name="archive-long")
        self.replay_origin = ""  # that pages may show in a frame
        self.answer_bytes_max: int | None = None
        self.bytes_origin = ""
        self._replay_address: Callable[[str], str | None] | None = None
        self._opened: dict[tuple[str, int], OpenedArchive] = {}  # each thread's
        self._asking = Waiting(total_max=SHORT_MAX, share=SHORT_SHARE, what="the archive")
        self._making = Waiting(total_max=LONG_MAX, share=LONG_SHARE, what="comparisons and files of the archive")

    async def asked(self, brand: str, question: "Callable[[Archive], _T]") -> _T:
        """Return what the archive answers to a brand's question, or what came of a change."""
        with self._asking.one_of(brand):
            return await self._short.run(brand, lambda thread: question(self._archive("short", thread)))

    async def made(self, brand: str, make: "Callable[[Archive], _T]") -> _T:
        """Return what takes long to make."""
        with self._making.one_of(brand):
            return await self._long.run(brand, lambda thread: make(self._archive("long", thread)))

    def replay_by(self, origin: str, address_of: Callable[[str], str | None]) -> None:
        """Say where captures are replayed."""
        self.replay_origin, self._replay_address = origin, address_of

    def replay_address(self, capture_id: str) -> str | None:
        """Return where a capture is replayed for a while; None where nothing is."""
        return None if self._replay_address is None else self._replay_address(capture_id)

    async def stop(self) -> None:
        """Finish what waits and close the files."""
        await self._short.stop(lambda thread: self._close("short", thread))
        await self._long.stop(lambda thread: self._close("long", thread))

    def _archive(self, line: str, thread: int) -> "Archive":
        from footfall.app.archive_opening import open_archive

        if (line, thread) not in self._opened:
            self._opened[line, thread] = open_archive(self._settings, self._clock)
        return self._opened[line, thread].archive

    def _close(self, line: str, thread: int) -> None:
        opened = self._opened.pop((line, thread), None)
        if opened is not None:
            opened.close()
