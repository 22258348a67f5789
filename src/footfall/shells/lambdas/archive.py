"""The archive in a function: asked and changed at once, each change on the condition that nobody was faster."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # Whoever only takes hits starts without it.
    from footfall.app.archive_control import Archive

_T = TypeVar("_T")


class FunctionArchive:
    """Reads and changes the archive, which is opened when somebody first asks for it."""

    def __init__(self, open_archive: "Callable[[], Archive]") -> None:
        self._open = open_archive
        self._archive: Archive | None = None

    @property
    def replay_origin(self) -> str:
        """Return the origin that pages may show in a frame: none, for functions replay nothing."""
        return ""

    def replay_address(self, capture_id: str) -> str | None:
        """Return where a capture is replayed: nowhere."""
        del capture_id
        return None

    async def asked(self, brand: str, question: "Callable[[Archive], _T]") -> _T:
        """Return what the archive answers to a brand's question, or what came of a change."""
        del brand
        if self._archive is None:
            self._archive = self._open()
        return question(self._archive)

    async def made(self, brand: str, make: "Callable[[Archive], _T]") -> _T:
        """Return what takes long to make; whoever asks waits for it alone."""
        return await self.asked(brand, make)
