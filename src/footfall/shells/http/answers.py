"""Ready answers: what was asked before is sent as bytes, and made anew when its counts change.

Two queues hold them. A first question puts its answer in the outer one; a second moves it to the inner one, which only
such answers can push each other out of. So a stranger who asks for a million different filters turns over the outer
queue and nothing else.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from http import HTTPStatus
from urllib.parse import unquote

from footfall.app.link import Message
from footfall.flow.serve.spans import SPAN_WAIT_MS
from footfall.shells.http.problems import problem
from footfall.shells.http.wire import response

OUTER_SHARE = 0.2  # of the memory for answers
ENTRY_BYTES = 1_500  # What an answer costs besides its body: keys, heads, the objects.
ASKED_WITHIN_S = 60.0  # Answers asked for within this time are made anew when counts change.
STALE_S_MAX = 1.0  # How long an old answer is sent while a new one is on its way.
WAIT_S_MAX = 3.0
SPAN_WAIT_S_MAX = SPAN_WAIT_MS / 1_000
STALE_IF_ERROR_S = 86_400

Waiting = Callable[["Ready | bytes"], None]


class Ready:
    """An answer as it is sent."""

    __slots__ = ("asked_at", "brand", "etag", "not_modified", "size", "stale_at", "version", "whole")

    def __init__(self, brand: str, version: int, etag: str, whole: bytes, not_modified: bytes) -> None:
        self.brand = brand
        self.version = version
        self.etag = etag
        self.whole = whole
        self.not_modified = not_modified
        self.asked_at = 0.0
        self.stale_at = float("inf")  # when its counts first changed
        self.size = len(whole) + len(not_modified) + ENTRY_BYTES


class Answers:
    """The answers of all brands, within a bound of memory."""

    def __init__(self, ask: Callable[[Message], bool], *, bytes_max: int, stale_s_max: float | None = None) -> None:
        self._ask = ask
        self._stale_s_max = STALE_S_MAX if stale_s_max is None else stale_s_max
        self._loop = asyncio.get_running_loop()
        self._inner: OrderedDict[str, Ready] = OrderedDict()
        self._outer: OrderedDict[str, Ready] = OrderedDict()
        self._inner_bytes_max = int(bytes_max * (1 - OUTER_SHARE))
        self._outer_bytes_max = int(bytes_max * OUTER_SHARE)
        self._inner_bytes = 0
        self._outer_bytes = 0
        self._of_brand: dict[str, set[str]] = {}  # whose answers are ready: their canonical texts
        self._versions: dict[str, int] = {}  # of each brand's counts, as long as it has answers here or on their way
        self._waiting: dict[str, tuple[list[Waiting], asyncio.TimerHandle]] = {}

    def find(self, canonical: str) -> Ready | None:
        """Return an answer that may be sent as it is."""
        ready = self._inner.get(canonical)
        if ready is None:
            ready = self._outer.pop(canonical, None)
            if ready is None:
                return None
            self._outer_bytes -= ready.size
            self._put_inner(canonical, ready)
        else:
            self._inner.move_to_end(canonical)
        now = self._loop.time()
        ready.asked_at = now
        return ready if now - ready.stale_at < self._stale_s_max else None

    def wait_for(self, canonical: str, waiting: Waiting, *, wait_s: float | None = None) -> None:
        """Have an answer made and hand it over, or the problem why there is none."""
        if canonical in self._waiting:
            self._waiting[canonical][0].append(waiting)
            return
        why = "the list was not ready in time; try again"
        timer = self._loop.call_later(WAIT_S_MAX if wait_s is None else wait_s, self._fail, canonical, why)
        self._waiting[canonical] = ([waiting], timer)
        if not self._ask(["ask", [canonical]]):
            self._loop.call_soon(self._fail, canonical, "the lists are being read; try again in a moment")

    def on_message(self, message: Message) -> None:
        """Take what the answering process says."""
        match message:
            case ["answers", answers]:
                for canonical, version, failed, etag, max_age_s, body in answers:
                    if failed:
                        self._fail(canonical, failed)
                    else:
                        self._keep(canonical, version, etag, max_age_s, body)
            case ["changed", brand, version]:
                self._versions[brand] = version
                self._renew(brand, version)
            case ["dropped", brand, version]:
                self._versions[brand] = version
                self._outdate(brand, version)
            case _:
                pass  # "ready" and "stopped" are for the process's keeper.

    def forget(self) -> None:
        """Send nothing old any more: the answering process starts anew, and so do its versions."""
        now = self._loop.time()
        self._versions.clear()
        for ready in (*self._inner.values(), *self._outer.values()):
            ready.version = -1
            ready.stale_at = min(ready.stale_at, now)

    @property
    def size_bytes(self) -> int:
        """Return what the answers take."""
        return self._inner_bytes + self._outer_bytes

    def __len__(self) -> int:
        """Return how many answers are ready."""
        return len(self._inner) + len(self._outer)

    def _renew(self, brand: str, version: int) -> None:
        """Ask for the brand's answers anew, those asked for lately, the last asked first."""
        since = self._loop.time() - ASKED_WITHIN_S
        outdated = self._outdate(brand, version)
        wanted = sorted(
            ((one.asked_at, canonical) for canonical, one in outdated if one.asked_at >= since), reverse=True
        )
        if wanted:
            self._ask(["renew", [canonical for _, canonical in wanted]])

    def _outdate(self, brand: str, version: int) -> list[tuple[str, Ready]]:
        """Take note that older answers of the brand are to be made anew, and return them."""
        now = self._loop.time()
        outdated: list[tuple[str, Ready]] = []
        for canonical in self._of_brand.get(brand, ()):
            ready = self._inner.get(canonical) or self._outer[canonical]
            if ready.version < version:
                ready.stale_at = min(ready.stale_at, now)
                outdated.append((canonical, ready))
        return outdated

    def _keep(self, canonical: str, version: int, etag: str, max_age_s: int, body: bytes) -> None:
        ready = _ready(canonical, version, etag, max_age_s, body)
        before = self._inner.get(canonical) or self._outer.get(canonical)
        ready.asked_at = before.asked_at if before is not None else self._loop.time()
        if version < self._versions.get(ready.brand, version):
            ready.stale_at = self._loop.time()  # Its counts changed while it was on its way.
        self._of_brand.setdefault(ready.brand, set()).add(canonical)
        if canonical in self._inner:
            self._put_inner(canonical, ready)
        else:
            self._put_outer(canonical, ready)
        for waiting in self._no_longer_waiting(canonical):
            waiting(ready)

    def _fail(self, canonical: str, why: str) -> None:
        """Answer those who wait: with the last good list if there is one, else with the problem."""
        last = self._inner.get(canonical) or self._outer.get(canonical)
        for waiting in self._no_longer_waiting(canonical):
            waiting(last if last is not None else problem(HTTPStatus.SERVICE_UNAVAILABLE, detail=why))

    def _no_longer_waiting(self, canonical: str) -> list[Waiting]:
        if canonical not in self._waiting:
            return []
        queue, timer = self._waiting.pop(canonical)
        timer.cancel()
        return queue

    def _put_inner(self, canonical: str, ready: Ready) -> None:
        """Put the answer last in the queue, or in the place of the one it renews: only being asked moves it."""
        before = self._inner.get(canonical)
        self._inner_bytes += ready.size - (before.size if before is not None else 0)
        self._inner[canonical] = ready
        while self._inner_bytes > self._inner_bytes_max and len(self._inner) > 1:
            name, dropped = self._inner.popitem(last=False)
            self._inner_bytes -= dropped.size
            self._put_outer(name, dropped)

    def _put_outer(self, canonical: str, ready: Ready) -> None:
        before = self._outer.get(canonical)
        self._outer_bytes += ready.size - (before.size if before is not None else 0)
        self._outer[canonical] = ready
        while self._outer_bytes > self._outer_bytes_max and len(self._outer) > 1:
            name, dropped = self._outer.popitem(last=False)
            self._outer_bytes -= dropped.size
            self._let_go(name, dropped.brand)

    def _let_go(self, canonical: str, brand: str) -> None:
        """Take an answer out of its brand's, and with the last of them forget the brand."""
        ours = self._of_brand[brand]
        ours.discard(canonical)
        if not ours:
            del self._of_brand[brand]
            # One that is on its way may have been overtaken, which only the version tells.
            if not any(_brand_of(one) == brand for one in self._waiting):
                self._versions.pop(brand, None)


def _ready(canonical: str, version: int, etag: str, max_age_s: int, body: bytes) -> Ready:
    headers = {
        # No stale-while-revalidate: a list would be given out when it is twice as old as it may be.
        "cache-control": f"public, max-age={max_age_s}, stale-if-error={STALE_IF_ERROR_S}",
        "etag": etag,
        "content-location": f"/v1/popular?{canonical}",
        "access-control-allow-origin": "*",
    }
    brand = _brand_of(canonical)
    not_modified = response(HTTPStatus.NOT_MODIFIED, b"", headers=headers)
    return Ready(brand, version, etag, response(HTTPStatus.OK, body, headers=headers), not_modified)


def _brand_of(canonical: str) -> str:
    return unquote(next(part.removeprefix("brand=") for part in canonical.split("&") if part.startswith("brand=")))


def etag_matches(etag: str, wanted: str) -> bool:
    """Tell whether an If-None-Match header names the etag."""
    names: Sequence[str] = [name.strip().removeprefix("W/") for name in wanted.split(",")]
    return "*" in names or etag in names
