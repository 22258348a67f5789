"""Ready answers: what was asked before is sent as bytes, and made anew when its counts change.

Two queues hold them. A first question puts its answer in the outer one; a second moves it to the inner one, which only
such answers can push each other out of. So a stranger who asks for a million different filters turns over the outer
queue and nothing else.

Everybody waits for the loop that this runs on, so nothing here goes through all answers at once: that one is old is
found out when it is asked for, and those to be made anew are looked for a piece at a time.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from http import HTTPStatus
from operator import itemgetter
from urllib.parse import unquote

from footfall.app.link import Message
from footfall.flow.serve.parameters import KINDS
from footfall.flow.serve.query import MINUTES, counted_in
from footfall.flow.serve.spans import SPAN_WAIT_MS
from footfall.shells.http.problems import problem
from footfall.shells.http.wire import JSON, response

OUTER_SHARE = 0.2  # of the memory for answers
ENTRY_BYTES = 1_500  # What an answer costs besides its body: keys, heads, the objects.
ASKED_WITHIN_S = 60.0  # Answers asked for within this time are made anew when counts change.
STALE_S_MAX = 1.0  # How long an old answer is sent while a new one is on its way.
LOOKED_AT_ONCE = 500  # Some tenths of a millisecond.
WAIT_S_MAX = 3.0
SPAN_WAIT_S_MAX = SPAN_WAIT_MS / 1_000
STALE_IF_ERROR_S = 86_400

FIRST_VERSION = 1  # of every answering process; answers of the one before get versions that it never has.
OUTDATED, LONG_OUTDATED = -1, -2

_BY_MINUTES = f"by={MINUTES}"

Waiting = Callable[["Ready | bytes"], None]


class Counts:
    """A brand's counts as they change: which of its answers are up to date, and which may still be sent."""

    __slots__ = ("_changes", "_sent_from", "version")

    def __init__(self) -> None:
        self.version = 0
        self._changes: deque[tuple[int, float]] = deque()  # of the last moments: the new version, and when
        self._sent_from = OUTDATED  # Older answers were outdated for too long.

    def change(self, version: int, now: float) -> None:
        """Take note that answers of earlier versions are outdated."""
        if version > self.version:
            self.version = version
            self._changes.append((version, now))

    def may_send(self, version: int, now: float, *, stale_s_max: float) -> bool:
        """Tell whether an answer is up to date, or became outdated only a moment ago."""
        while self._changes and now - self._changes[0][1] >= stale_s_max:
            self._sent_from = self._changes.popleft()[0]
        return version >= self._sent_from


class Ready:
    """An answer as it is sent."""

    __slots__ = ("asked_at", "brand", "counts", "etag", "not_modified", "size", "version", "whole")

    def __init__(self, brand: str, counts: Counts, version: int, etag: str, whole: bytes, not_modified: bytes) -> None:
        self.brand = brand
        self.counts = counts
        self.version = version
        self.etag = etag
        self.whole = whole
        self.not_modified = not_modified
        self.asked_at = 0.0
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
        self.rows = 0  # that the answering process holds
        self._of_brand: dict[str, set[str]] = {}  # whose answers are ready: their canonical texts
        self._counts: dict[str, Counts] = {}  # of each brand, as long as it has answers here or on their way
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
        return ready if ready.counts.may_send(ready.version, now, stale_s_max=self._stale_s_max) else None

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
                self._counts_of(brand).change(version, self._loop.time())
                self._renew(brand)
            case ["dropped", brand, version]:
                self._counts_of(brand).change(version, self._loop.time())
            case ["rows", int(rows)]:
                self.rows = rows
            case _:
                pass  # "ready" and "stopped" are for the process's keeper.

    def forget(self) -> None:
        """Send nothing old any more: the answering process starts anew, and so do its versions."""
        before, self._counts = self._counts, {}
        for ready in (*self._inner.values(), *self._outer.values()):
            was_outdated = ready.version < before[ready.brand].version
            ready.version = LONG_OUTDATED if was_outdated else OUTDATED
            ready.counts = self._counts_of(ready.brand)
            ready.counts.change(FIRST_VERSION, self._loop.time())

    @property
    def size_bytes(self) -> int:
        """Return what the answers take."""
        return self._inner_bytes + self._outer_bytes

    def __len__(self) -> int:
        """Return how many answers are ready."""
        return len(self._inner) + len(self._outer)

    def _counts_of(self, brand: str) -> Counts:
        if brand not in self._counts:
            self._counts[brand] = Counts()
        return self._counts[brand]

    def _renew(self, brand: str) -> None:
        """Ask for the brand's answers anew, those asked for lately, the last asked first."""
        version = self._counts_of(brand).version
        self._look_through(list(self._of_brand.get(brand, ())), 0, [], brand, version)

    def _look_through(
        self, names: Sequence[str], start: int, found: list[tuple[float, str]], brand: str, version: int
    ) -> None:
        """Look for outdated answers among some of the brand's, and go on when others have had their turn."""
        counts = self._counts.get(brand)
        if counts is None or counts.version != version:
            return  # There is another change, and whoever looks for its sake finds all.
        since = self._loop.time() - ASKED_WITHIN_S
        end = start + LOOKED_AT_ONCE
        for canonical in names[start:end]:
            ready = self._inner.get(canonical) or self._outer.get(canonical)
            if ready is not None and ready.version < version and ready.asked_at >= since:
                found.append((ready.asked_at, canonical))
        if end < len(names):
            self._loop.call_soon(self._look_through, names, end, found, brand, version)
        elif found:
            found.sort(key=itemgetter(0), reverse=True)
            self._ask_anew([canonical for _, canonical in found], 0)

    def _ask_anew(self, names: Sequence[str], start: int) -> None:
        end = start + LOOKED_AT_ONCE
        self._ask(["renew", names[start:end]])
        if end < len(names):
            self._loop.call_soon(self._ask_anew, names, end)

    def _keep(self, canonical: str, version: int, etag: str, max_age_s: int, body: bytes) -> None:
        brand = _brand_of(canonical)
        ready = _ready(canonical, (brand, self._counts_of(brand)), version, etag, max_age_s, body)
        before = self._inner.get(canonical) or self._outer.get(canonical)
        ready.asked_at = before.asked_at if before is not None else self._loop.time()
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
                self._counts.pop(brand, None)


def _ready(canonical: str, whose: tuple[str, Counts], version: int, etag: str, max_age_s: int, body: bytes) -> Ready:
    path, _, asked = canonical.rpartition("?")
    formats = [part.removeprefix("format=") for part in asked.split("&") if part.startswith("format=")]
    headers = {
        # No stale-while-revalidate: a list would be given out when it is twice as old as it may be.
        "cache-control": f"public, max-age={max_age_s}, stale-if-error={STALE_IF_ERROR_S}",
        "etag": etag,
        "content-location": canonical if path else f"/v1/popular?{canonical}",
        "access-control-allow-origin": "*",
    }
    not_modified = response(HTTPStatus.NOT_MODIFIED, b"", headers=headers)
    kind = KINDS[formats[0]] if formats else JSON
    return Ready(*whose, version, etag, response(HTTPStatus.OK, body, kind=kind, headers=headers), not_modified)


def _brand_of(canonical: str) -> str:
    """Return whose counts a question is about: a brand's own, or those beside it."""
    parts = canonical.rpartition("?")[2].split("&")
    if _BY_MINUTES in parts:
        return counted_in(canonical)
    return unquote(next(part.removeprefix("brand=") for part in parts if part.startswith("brand=")))


def etag_matches(etag: str, wanted: str) -> bool:
    """Tell whether an If-None-Match header names the etag."""
    names: Sequence[str] = [name.strip().removeprefix("W/") for name in wanted.split(",")]
    return "*" in names or etag in names
