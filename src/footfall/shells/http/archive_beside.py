"""What runs for the archive beside the routes of an instance: rounds of its watch list, and the replay's origin."""

import logging
import secrets
import threading
from urllib.parse import urlsplit

from footfall.app.archive_opening import has_archive
from footfall.app.settings import Settings
from footfall.archive import finding
from footfall.archive.captures import Capture
from footfall.archive.references import bytes_of
from footfall.archive.replay_tokens import SECRET_BYTES, kept_secret
from footfall.shells.http.archive_rounds import WatchRounds
from footfall.shells.http.state import FrontState
from footfall.values.clock import Clock

ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - where such an instance is reached from, it cannot know

_log = logging.getLogger(__name__)


class ArchiveBeside:
    """Starts and ends both."""

    def __init__(self, state: FrontState) -> None:
        self._state = state
        self._watches = WatchRounds(state)
        self._replay: Replay | None = None

    def start(self, *, port: int) -> None:
        """Begin; the instance itself listens on the port."""
        self._watches.start()
        settings = self._state.settings
        if settings.archive or has_archive(settings):  # A worker that runs apart keeps pages for the same instance.
            try:
                self._replay = Replay(settings, self._state.clock, shown_on=_shown_on(settings, port))
            except OSError as error:
                _log.warning("captures are not replayed, archive_replay_port cannot be had: %s", error)
                return
            if not self._replay.origin:
                _log.warning("captures are not replayed: archive_replay_url must say where archive_replay_port is")
            self._state.archive.replay_by(self._replay.origin, self._replay.address)

    async def stop(self) -> None:
        """End both."""
        await self._watches.stop()
        if self._replay is not None:
            self._replay.close()


class Replay:
    """The replay's own origin: a server with threads of its own, and the addresses that open captures there."""

    def __init__(self, settings: Settings, clock: Clock, *, shown_on: str) -> None:
        # Whoever replays nothing loads neither a server of its own kind nor what rewrites pages.
        from footfall.app.archive_opening import open_archive
        from footfall.app.archive_replaying import Lookups, ReplayReader, replay_url
        from footfall.shells.http.archive_replay import ReplayServer

        self._clock, self._url_of = clock, replay_url
        self._opened = open_archive(settings, clock)
        self._guard = threading.Lock()  # One thread at a time uses a table.
        self._secret = kept_secret(self._opened.table, new=secrets.token_bytes(SECRET_BYTES))
        lookups = Lookups(self._capture, self._blob, self._secret, clock)
        try:
            self._server = ReplayServer(
                ReplayReader(lookups), host=settings.http_host, port=settings.archive_replay_port, shown_on=shown_on
            )
        except OSError:
            self._opened.close()
            raise
        self._server.start()
        self._base_url = settings.archive_replay_url.rstrip("/") or _base_url(settings.http_host, self._server.port)

    @property
    def origin(self) -> str:
        """Return the origin that a page may show in a frame; empty when it is not known."""
        parts = urlsplit(self._base_url)
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""

    def address(self, capture_id: str) -> str | None:
        """Return where a capture is replayed for a while."""
        if not self._base_url:
            return None
        return self._url_of(self._base_url, capture_id, secret=self._secret, now_ms=self._clock.now_ms())

    def close(self) -> None:
        """Stop, and let go of the files."""
        self._server.close()
        with self._guard:
            self._opened.close()

    def _capture(self, capture_id: str) -> Capture | None:
        with self._guard:
            found = finding.capture(self._opened.table, capture_id)
        return found if isinstance(found, Capture) else None

    def _blob(self, digest: str) -> bytes:
        return bytes_of(self._opened.archive.blobs, digest)


def _shown_on(settings: Settings, port: int) -> str:
    """Return the origins whose pages may show a replay in a frame."""
    if settings.people_url:
        parts = urlsplit(settings.people_url)
        return f"{parts.scheme}://{parts.netloc}"
    return " ".join(f"http://{host}:{port}" for host in dict.fromkeys((_named(settings.http_host), "localhost")))


def _base_url(host: str, port: int) -> str:
    return "" if host in ANYWHERE else f"http://{_named(host)}:{port}"


def _named(host: str) -> str:
    return "127.0.0.1" if host in ANYWHERE else f"[{host}]" if ":" in host else host
