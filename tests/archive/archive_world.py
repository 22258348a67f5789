"""An archive of its own for tests: whoever asks, keeps and removes there, and what must then be found."""

from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

from footfall.archive import finding, keeping, keys, queueing, references, removing, requests
from footfall.archive.captures import Capture, Request, State, Tombstone
from footfall.archive.quotas import NO_QUOTAS, Quotas
from footfall.archive.stored import day_of, new_id
from footfall.ports.blobs import Blobs
from footfall.ports.blobs import everything as every_blob
from footfall.ports.capturing import Captured, Exchange, Frame, Reason, Stop, Tile
from footfall.ports.table import Table, everything
from footfall.values.clock import SetClock

BRAND = "daily"


def seen(url: str, text: str, *, at_us: int, picture: bytes = b"picture") -> Captured:
    """What a browser would have seen of a page with one large image."""
    body = sha256(text.encode()).digest() * 1_000
    return Captured(
        url=url, final_url=url, canonical_url=None, at_us=at_us, took_ms=1, status=200, title=text[:20], language="en",
        text=text, frames=[Frame(url, f"<p>{text}</p>")], tiles=[Tile(picture, 1_280, 800)],
        thumbnail=b"small" + picture,
        exchanges=[Exchange(url, "GET", 200, at_us, [], [("content-type", "image/png")], body)],
        height_px=800, stop=Stop.BOTTOM, pending_images=0, pixels_sha256=sha256(picture).hexdigest(),
    )  # fmt: skip


@dataclass
class World:
    table: Table
    blobs: Blobs
    clock: SetClock
    chance: Random = field(default_factory=lambda: Random(1))
    quotas: Quotas = NO_QUOTAS
    asked: dict[str, Request] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)  # of captures that are there
    removed: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)

    def new(self, by: str, page: str, **more: Any) -> Request:
        self.clock.advance(1)
        id = new_id(now_ms=self.clock.now_ms(), random=self.chance.randbytes(10))
        more = {"space": keys.member_space(by), **more}
        return Request(
            id=id, brand=BRAND, by=by, typed=page, url=page, key=page, at_us=self.clock.now_ms() * 1_000, **more
        )

    def ask(self, by: str, page: str, *, reuse_ms: int = 0, **more: Any) -> Request:
        now_ms = self.clock.now_ms()
        request = requests.ask(
            self.table, self.new(by, page, **more), now_ms=now_ms, quotas=self.quotas, reuse_ms=reuse_ms
        )
        self.asked[request.id] = request
        return request

    def begin(self) -> Request | None:
        found = queueing.waiting(self.table, limit=1)
        return queueing.begin(self.table, found[0], now_ms=self.clock.now_ms()) if found else None

    def store(self, request: Request, text: str, *, picture: bytes = b"picture") -> None:
        self.clock.advance(1)
        captured = seen(request.url, text, at_us=self.clock.now_ms() * 1_000, picture=picture)
        keeping.store(self.table, self.blobs, request, captured, keywords=["word"], now_ms=self.clock.now_ms())

    def keep(self, request: Request) -> Request:
        return keeping.keep(self.table, request.id, attempt=request.attempts, now_ms=self.clock.now_ms())

    def kept(self, by: str, page: str, text: str, *, picture: bytes = b"picture", **more: Any) -> Capture:
        """Ask for a page and have it kept."""
        self.ask(by, page, **more)
        request = self.begin()
        assert request is not None
        self.store(request, text, picture=picture)
        done = self.keep(request)
        assert done.capture == request.id
        return self.capture(request.id)

    def capture(self, id: str) -> Capture:
        found = finding.capture(self.table, id)
        assert isinstance(found, Capture)
        return found

    def fail(self, request: Request) -> Request:
        return requests.fail(
            self.table, request, reason=Reason.TOO_SLOW, says="It took too long.", now_ms=self.clock.now_ms()
        )

    def sweep(self, *, days: int = 2) -> int:
        self.clock.advance(days * 86_400_000)
        return references.remove_loose(self.table, self.blobs, now_ms=self.clock.now_ms())

    def remove(self, id: str) -> Tombstone:
        return removing.remove(self.table, id, by="ann", why="by mistake", now_ms=self.clock.now_ms())

    def stored_names(self) -> set[str]:
        return {one.name for one in every_blob(self.blobs, references.PREFIX)}

    def open_count(self, who: str) -> int:
        found = (self.table.get(keys.quota(who)) or {}).get("open", 0)
        assert isinstance(found, int)
        return found


def require_whole(world: World, members: list[str], pages: list[str]) -> None:
    """Assert that every list, count and object agrees with every request and capture, seen from outside."""
    present = {id: requests.one(world.table, id) for id in world.asked}
    running = {one.id for one in queueing.running(world.table)}
    assert running == {id for id, one in present.items() if one.state is State.RUNNING}
    waiting = {one.request.id for one in queueing.waiting(world.table, limit=100)}
    assert waiting == {id for id, one in present.items() if one.state is State.PENDING}
    brand = keys.brand_space(BRAND)
    for space in [*map(keys.member_space, members), brand]:
        listed = requests.of(world.table, space, limit=200).items
        assert list(listed) == sorted(
            (one for one in present.values() if one.space == space), key=lambda one: one.id, reverse=True
        )
    for member in members:
        is_open = (State.PENDING, State.RUNNING)
        assert world.open_count(member) == sum(one.by == member and one.state in is_open for one in present.values())
    found = {id: finding.capture(world.table, id) for id in present}
    captures = {id: one for id, one in found.items() if isinstance(one, Capture)}
    for id, one in present.items():
        assert (one.state is State.DONE) == (one.capture is not None)
        assert id in captures or id in world.removed or one.state is not State.DONE or one.capture != id
    for member in members:
        require_found(world, [keys.member_space(member), brand], captures, pages)
    for id in captures:
        for one in references.held(world.table, id):
            assert sha256(references.bytes_of(world.blobs, one)).hexdigest() == one.sha256


def require_found(world: World, spaces: list[str], captures: dict[str, Capture], pages: list[str]) -> None:
    """Assert that those with these spaces find all captures in them, once, and no other."""
    for page in pages:
        wanted = sorted(
            (one for one in captures.values() if one.key == page and finding.is_visible(one, spaces)),
            key=lambda one: (one.at_us, one.id),
        )
        lines = finding.captures(world.table, spaces, page, limit=1_000).items
        assert [line.id for line in lines] == [one.id for one in wanted]
        assert finding.latest(world.table, spaces, page) == (wanted[-1] if wanted else None)
        assert finding.days(world.table, spaces, page, year=2026) == dict(
            sorted(Counter(day_of(one.at_us) for one in wanted).items())
        )
    for space in spaces:
        in_it = sorted((one for one in captures.values() if space in one.spaces), key=lambda one: -one.at_us)
        assert [line.id for line in finding.library(world.table, space, limit=1_000).items] == [one.id for one in in_it]


def require_nothing_left_over(world: World) -> None:
    """Assert that after some days exactly those objects are stored that captures refer to."""
    world.sweep()
    wanted: set[str] = set()
    for id in world.asked:
        if (
            isinstance(finding.capture(world.table, id), Capture)
            or requests.one(world.table, id).state in requests.OPEN
        ):
            wanted |= {references.name_of(one.sha256) for one in references.held(world.table, id)}
        else:
            assert not list(references.held(world.table, id))
    assert world.stored_names() == wanted
    assert not list(everything(world.table, keys.LOOSE))
