"""GET /v1/live: a brand's just-now list and its newest minutes, sent by the server whenever they change.

One ticker serves everybody who listens. Each second it looks at the ready answers of the brands that have listeners,
so a thousand open dashboards of a brand ask no more of the instance than one does. Every message is whole: whoever
missed some needs only the next, and whoever comes back with the id of the last one gets nothing twice.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from xxhash import xxh3_64_hexdigest

from footfall.flow.serve.parameters import brand_from, given_from
from footfall.shells.http.access import Access
from footfall.shells.http.answers import Answers, Ready
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import not_allowed, problem, problem_of
from footfall.shells.http.wire import response_head
from footfall.values.errors import FootfallError
from footfall.values.window import instant_text

LIVE = "/v1/live"
READ_S_MAX = 60.0  # A listener that reads nothing for that long is let go.
RETRY_MS = 3_000  # after which a browser comes back

HEARTBEAT = b": still here\n\n"
_HEAD = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
    (b"connection", b"close"),
)

MayListen = Callable[[], bool]
Questions = Callable[[str], Mapping[str, str]]  # of a brand: the parts of a message, and the question of each


@dataclass(frozen=True, slots=True)
class Pace:
    """How often listeners are told something, and how long they may stay."""

    tick_s: float = 1.0  # At most one message in this time.
    heartbeat_s: float = 15.0  # Proxies let go of a connection that is silent for a minute; access is asked again.
    life_s: float = 600.0  # Then a browser comes back by itself, to whoever serves then.
    listeners_max: int = 1_000


@dataclass(slots=True)
class Feed:
    """What the listeners of one brand are told."""

    questions: Mapping[str, str]
    parts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    asked: set[str] = field(default_factory=set[str])  # parts that are on their way
    id: str = ""
    message: bytes = b""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    listeners: int = 0

    def take(self, part: str, made: Ready | bytes) -> None:
        """Take a part; a problem is none, and the part stays as it was."""
        self.asked.discard(part)
        if isinstance(made, Ready):
            self.parts[part] = made.whole.partition(b"\r\n\r\n")[2]

    def publish(self, last_hit_ms: int) -> None:
        """Tell the listeners, if all parts are there and anything is new."""
        if len(self.parts) < len(self.questions):
            return
        last_hit = f'"{instant_text(last_hit_ms)}"' if last_hit_ms else "null"
        fields = [b'"%b":%b' % (name.encode(), body) for name, body in self.parts.items()]
        data = b"{%b}" % b",".join([*fields, b'"lastHit":' + last_hit.encode()])
        name = xxh3_64_hexdigest(data)
        if name != self.id:
            self.id = name
            self.message = b"id: %b\nevent: now\ndata: %b\n\n" % (name.encode(), data)
            self.wake()

    def wake(self) -> None:
        """Wake those who wait for a change."""
        self.changed.set()
        self.changed = asyncio.Event()


class Live:
    """The listeners of all brands, and the one ticker that looks for news."""

    def __init__(
        self,
        answers: Answers,
        questions: Questions,
        last_hits: Callable[[], Mapping[str, int]],
        *,
        pace: Pace | None = None,
    ) -> None:
        self._answers = answers
        self._questions = questions
        self._last_hits = last_hits
        self._pace = pace or Pace()
        self._feeds: dict[str, Feed] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker: asyncio.Task[None] | None = None
        self.is_stopping = False

    @property
    def is_full(self) -> bool:
        """Tell whether as many listen as may."""
        return sum(feed.listeners for feed in self._feeds.values()) >= self._pace.listeners_max

    def listen(self, exchange: Exchange, brand: str, *, date: bytes, may_listen: MayListen) -> None:
        """Begin to tell a listener what changes, as long as it may know."""
        task = asyncio.get_running_loop().create_task(self._tell(exchange, brand, date, may_listen))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Let every listener go; each comes back to whoever serves then."""
        self.is_stopping = True
        for feed in self._feeds.values():
            feed.wake()

    async def _tell(self, exchange: Exchange, brand: str, date: bytes, may_listen: MayListen) -> None:
        loop = asyncio.get_running_loop()
        until, beats_at = loop.time() + self._pace.life_s, loop.time() + self._pace.heartbeat_s
        seen = exchange.header(b"last-event-id")
        exchange.is_kept_alive = False
        exchange.stream(response_head(HTTPStatus.OK, _HEAD, date) + b"retry: %d\n\n" % RETRY_MS, is_last=False)
        feed = self._joined(brand)
        try:
            while exchange.connection.is_open and not self.is_stopping and loop.time() < until:
                changed = feed.changed
                if feed.id != seen and feed.message:
                    seen = feed.id
                    exchange.stream(feed.message, is_last=False)
                    await asyncio.wait_for(exchange.connection.writable(), READ_S_MAX)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), beats_at - loop.time())
                if loop.time() < beats_at:
                    continue
                if not may_listen():  # Signed out, without the role, or a list that became private.
                    break
                exchange.stream(HEARTBEAT, is_last=False)  # In a busy hour, too: the heart beats by the clock.
                beats_at = loop.time() + self._pace.heartbeat_s
        except TimeoutError:  # It does not read what it listens to.
            pass
        finally:
            feed.listeners -= 1
            exchange.stream(b"", is_last=True)

    def _joined(self, brand: str) -> Feed:
        feed = self._feeds.get(brand)
        if feed is None:
            feed = self._feeds[brand] = Feed(self._questions(brand))
            self._look(brand, feed)
            self._begin(brand, feed)
        feed.listeners += 1
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.get_running_loop().create_task(self._tick())
        return feed

    async def _tick(self) -> None:
        """Look for news as long as anybody listens."""
        while self._feeds and not self.is_stopping:
            for brand, feed in list(self._feeds.items()):
                if feed.listeners:
                    self._look(brand, feed)
                else:
                    del self._feeds[brand]
            await asyncio.sleep(self._pace.tick_s / 4)  # What was asked for is there by then, mostly.
            with contextlib.suppress(FootfallError):  # A store that cannot be read is told by the lists.
                last_hits = self._last_hits() if self._feeds else dict[str, int]()
                for brand, feed in self._feeds.items():
                    feed.publish(last_hits.get(brand, 0))
            await asyncio.sleep(self._pace.tick_s * 3 / 4)

    def _look(self, brand: str, feed: Feed) -> None:
        for part, question in feed.questions.items():
            ready = self._answers.find(question)
            if ready is not None:
                feed.take(part, ready)
            elif part not in feed.asked:
                feed.asked.add(part)
                self._answers.wait_for(question, self._taking(brand, feed, part))

    def _taking(self, brand: str, feed: Feed, part: str) -> Callable[[Ready | bytes], None]:
        def take(made: Ready | bytes) -> None:
            feed.take(part, made)
            self._begin(brand, feed)

        return take

    def _begin(self, brand: str, feed: Feed) -> None:
        """Tell what is there for the first time as soon as all of it is: somebody looks at an empty page."""
        if feed.message or len(feed.parts) < len(feed.questions):
            return
        with contextlib.suppress(FootfallError):
            feed.publish(self._last_hits().get(brand, 0))


class LiveRoute:
    """The route on which browsers listen."""

    def __init__(self, live: Live, access: Access, date: Callable[[], bytes]) -> None:
        self._live = live
        self._access = access
        self._date = date

    def __call__(self, exchange: Exchange) -> None:
        """Begin to tell, or say why not."""
        if exchange.method not in (b"GET", b"HEAD"):
            exchange.reply(not_allowed("GET, HEAD", detail="what is live is listened to with GET"))
            return
        try:
            brand = self._brand(exchange)
        except FootfallError as error:
            exchange.reply(problem_of(error))
            return
        if exchange.method == b"HEAD":
            exchange.reply(response_head(HTTPStatus.OK, _HEAD, b""))
            return
        if self._live.is_stopping or self._live.is_full:
            detail = "too many listen already; ask for the lists instead, or come back later"
            exchange.reply(problem(HTTPStatus.SERVICE_UNAVAILABLE, detail=detail))
            return
        headers = dict(exchange.headers)
        self._live.listen(
            exchange,
            brand,
            date=self._date(),
            may_listen=lambda: self._access.may_still_read(exchange, headers, name=brand),
        )

    def _brand(self, exchange: Exchange) -> str:
        headers = dict(exchange.headers)
        raw_query = exchange.target.partition(b"?")[2].decode("latin-1")
        given = given_from(raw_query, single=("brand",), several={}, of="what is live")
        name = brand_from(given) if "brand" in given else ""
        if name and self._access.may_read_freely(name):
            self._access.count_question(exchange, headers, brand=name)
            return name
        caller = self._access.reader(exchange, headers, name=name)
        return name or caller.brand
