"""Captures in memory and a server that replays them."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256

from footfall.app.archive_replaying import Lookups, ReplayReader, replay_url
from footfall.archive.captures import Capture, Kept
from footfall.archive.packing import pack_frames, pack_records
from footfall.ports.capturing import Exchange, Frame
from footfall.shells.http.archive_replay import ReplayServer
from footfall.values.clock import SystemClock
from tests.archive.captured_pages import captured

SECRET = b"s" * 32


@dataclass(slots=True)
class Shelf:
    """Captures and their bytes."""

    captures: dict[str, Capture] = field(default_factory=dict[str, Capture])
    blobs: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def put(self, data: bytes) -> Kept:
        kept = Kept(sha256(data).hexdigest(), len(data))
        self.blobs[kept.sha256] = data
        return kept

    def keep(self, id: str, frames: Sequence[Frame], exchanges: Sequence[Exchange]) -> None:
        records = self.put(pack_records(exchanges, self.put))
        self.captures[id] = captured(id=id, html=self.put(pack_frames(frames)), records=records)

    def reader(self) -> ReplayReader:
        return ReplayReader(Lookups(self.captures.get, self.blobs.__getitem__, SECRET, SystemClock()))


@dataclass(frozen=True, slots=True)
class Replay:
    """The other origin while it is there."""

    port: int

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, id: str) -> str:
        return replay_url(self.origin, id, secret=SECRET, now_ms=time.time_ns() // 1_000_000)


@contextmanager
def replaying(shelf: Shelf, *, shown_on: str) -> Generator[Replay]:
    """Serve the captures of a shelf; `shown_on` is the origin that may show them in a frame."""
    server = ReplayServer(shelf.reader(), host="127.0.0.1", port=0, shown_on=shown_on)
    server.start()
    try:
        yield Replay(server.port)
    finally:
        server.close()


def headers_of(answered: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return headers by their names; each comes once."""
    assert len({name for name, _ in answered}) == len(answered)
    return dict(answered)
