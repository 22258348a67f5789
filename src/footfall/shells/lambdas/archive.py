"""The archive in a function: asked and changed at once, each change on the condition that nobody was faster."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from footfall.app.settings import Settings
from footfall.ports.blobs import AddressedBlobs
from footfall.values.clock import Clock

if TYPE_CHECKING:  # Whoever only takes hits starts without it.
    from footfall.app.archive_control import Archive

ANSWER_BYTES_MAX = 4_400_000  # Lambda takes 6 MB of JSON, in which bytes are a third longer.

_T = TypeVar("_T")


class FunctionArchive:
    """Reads and changes the archive, which is opened when somebody first asks for it."""

    answer_bytes_max = ANSWER_BYTES_MAX

    def __init__(self, settings: Settings, clock: Clock, open_archive: "Callable[[], Archive]") -> None:
        self._settings = settings
        self._clock = clock
        self._open = open_archive
        self._archive: Archive | None = None
        self._secret: bytes | None = None

    @property
    def replay_origin(self) -> str:
        """Return the origin that pages may show in a frame: that of the function that replays, if there is one."""
        return self._settings.archive_replay_url

    @property
    def bytes_origin(self) -> str:
        """Return the bucket's own, as it stands in the addresses that are handed out."""
        blobs = self._opened().blobs if self._settings.aws_archive_bucket else None
        if not isinstance(blobs, AddressedBlobs):
            return ""
        address = urlsplit(blobs.address_of("any", seconds=1, kind="image/webp"))
        return f"{address.scheme}://{address.netloc}"

    def replay_address(self, capture_id: str) -> str | None:
        """Return where a capture is replayed for a while; None where nothing is."""
        if not self._settings.archive_replay_url:
            return None
        from footfall.app.archive_replaying import replay_url
        from footfall.archive.replay_tokens import found_secret

        if self._secret is None:
            self._secret = found_secret(self._opened().table)
        if self._secret is None:  # The archive's own functions make it within a minute after their first start.
            return None
        now_ms = self._clock.now_ms()
        return replay_url(self._settings.archive_replay_url, capture_id, secret=self._secret, now_ms=now_ms)

    async def asked(self, brand: str, question: "Callable[[Archive], _T]") -> _T:
        """Return what the archive answers to a brand's question, or what came of a change."""
        del brand
        return question(self._opened())

    async def made(self, brand: str, make: "Callable[[Archive], _T]") -> _T:
        """Return what takes long to make; whoever asks waits for it alone."""
        return await self.asked(brand, make)

    def _opened(self) -> "Archive":
        if self._archive is None:
            self._archive = self._open()
        return self._archive
