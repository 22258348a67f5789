"""Lists and series of the past in the answering process: read a window at a time between questions, kept for a while.

The span with the fewest windows left comes first, and one that nobody waits for any more is not read on. So whoever
asks for years keeps nobody waiting who asks for a day, and spans asked for in vain cost nothing but their first look.
Renewals, which nobody waits for, are read after all that somebody asked for, and take the room of nobody who asks.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

from footfall.flow.serve.board import NotReady
from footfall.flow.serve.loaded import Read
from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.spans import SPAN_WAIT_MS
from footfall.flow.store.summaries import Summary
from footfall.ports.errors import PortError
from footfall.values.errors import Refused
from footfall.values.window import HOUR_MS, MINUTE_MS, Window

SPANS_WAITING_MAX = 16  # Each is read for up to some seconds, and nobody waits for longer.
SPANS_OF_BRAND_MAX = 6  # wait, beside one that is being read: what a page with several series asks for at once
WINDOWS_WAITING_MAX = 2_000  # Some seconds of reading; one span that has more is read when no other comes first.
QUESTIONS_WAITING_MAX = 1_000  # for one span
SPANS_PAUSED_MAX = 4  # What was read of a span that nobody waits for is there if it is asked for again soon.
SPANS_KEPT_MAX = 64
ROWS_KEPT_MAX = 1_000_000  # of all spans together, some 60 bytes each
READ_AGAIN_MS_MIN = 5_000  # While hits come into a span, it is not read more often than this,
READ_SHARE = 4  # nor for more than a fifth of the time.
AGE_MS_MAX, FINAL_AGE_MS_MAX = MINUTE_MS, HOUR_MS  # Windows become final, and expire, without being written.


class TooManySpans(NotReady):
    """More spans are being asked for at once than are read in the time that anybody waits."""


class SpanKey(NamedTuple):
    """Whose span, and which."""

    brand: str
    from_ms: int
    to_ms: int


class SeriesKey(NamedTuple):
    """Whose series, and which: a question with ends that stay where they are."""

    brand: str
    query: SeriesQuery


class OfBrand(Protocol):
    """Names something of a brand that is read."""

    @property
    def brand(self) -> str:
        """Return whose it is."""
        ...


class Reading(Protocol):
    """Something that is read window by window, and kept once it is read."""

    @property
    def rows(self) -> int:
        """Return how many rows it holds, as a measure of its memory."""
        ...

    @property
    def left(self) -> int:
        """Return how many windows are still to be read."""
        ...

    @property
    def is_read(self) -> bool:
        """Tell whether it can be asked."""
        ...

    @property
    def is_final(self) -> bool:
        """Tell whether no hit can change it any more, except in a backfill."""
        ...

    def step(self, read: Read) -> None:
        """Read the next window."""
        ...

    def touches(self, window: Window) -> bool:
        """Tell whether a window that was written has hits of it."""
        ...


K = TypeVar("K", bound=OfBrand)
P = TypeVar("P", bound=Reading)


@dataclass(slots=True)
class KeptSpan(Generic[P]):
    """A span with all its sums."""

    past: P
    began_at_ms: int
    is_outdated: bool = False  # A window of it was written after the reading began.
    fresh_until_ms: int = 0  # It is not read again before, outdated or not, and answers made of it pass for current.


@dataclass(slots=True)
class Work(Generic[P]):
    """A span that was asked for: who waits for it, and what was read of it so far."""

    size: int  # in windows, about
    span: KeptSpan[P] | None = None  # None before its reading began
    waiting: dict[str, bool] = field(default_factory=dict[str, bool])  # questions in order, and whether somebody asked
    until_ms: int = 0  # when the last of them stops waiting
    asked_until_ms: int = 0  # the same of those that somebody asked: the others are renewals

    @property
    def left(self) -> int:
        """Return how many windows are still to be read, about."""
        return self.size if self.span is None else self.span.past.left


class PastReading(Generic[K, P]):
    """The spans that are being read, those with the least left first, and those that were read lately."""

    def __init__(
        self,
        new_list: Callable[[K], P],
        read: Callable[[str, Window], list[Summary]],
        *,
        size_of: Callable[[K], int],
        now_ms: Callable[[], int],
    ) -> None:
        self._new_list = new_list
        self._read = read
        self._size_of = size_of
        self._now_ms = now_ms
        self._kept: OrderedDict[K, KeptSpan[P]] = OrderedDict()
        self._works: dict[K, Work[P]] = {}
        self._told_until_ms: dict[K, int] = {}  # until when answers made of outdated spans pass for current ones

    @property
    def is_busy(self) -> bool:
        """Tell whether there is anything to read that somebody waits for."""
        return bool(self._works) and bool(self._waited_for())

    def find(self, key: K, canonical: str, *, is_renewal: bool = False) -> KeptSpan[P] | None:
        """Return the span if it is ready; if not, have it read, and the question wait for it.

        Questions and renewals have the same room, each for themselves: one that is full of renewals refuses nobody.
        """
        kept = self._kept.get(key)
        now_ms = self._now_ms()
        if kept is not None and (not kept.is_outdated or now_ms < kept.fresh_until_ms):
            if not is_renewal:
                self._kept.move_to_end(key)
            if kept.is_outdated:
                self._told_until_ms[key] = kept.fresh_until_ms
            return kept
        waited_for = self._waited_for()
        work = self._works.get(key) or Work(self._size_of(key))
        alike = {other: one for other, one in waited_for.items() if (now_ms >= one.asked_until_ms) == is_renewal}
        if key not in (waited_for if is_renewal else alike):
            _require_room(key, work, alike)
        if canonical not in work.waiting and len(work.waiting) >= QUESTIONS_WAITING_MAX:
            raise TooManySpans("too many questions wait for this span; ask again in some seconds")
        self._works[key] = work
        work.waiting[canonical] = work.waiting.get(canonical, False) or not is_renewal
        work.until_ms = now_ms + SPAN_WAIT_MS
        if not is_renewal:
            work.asked_until_ms = work.until_ms
        return None

    def kept(self, key: K) -> P | None:
        """Return what was read, None when it is not here any more."""
        found = self._kept.get(key)
        return None if found is None else found.past

    def step(self) -> list[tuple[str, bool]]:
        """Read one window more; return the questions that can be answered now, and whether somebody asked them."""
        waited_for = self._waited_for()
        if not waited_for:
            return []
        now_ms = self._now_ms()
        key, work = _next(waited_for, now_ms)
        try:
            if work.span is None:
                work.span = KeptSpan(self._new_list(key), now_ms)
            span = work.span
            span.past.step(lambda window: self._read(key.brand, window))
        except (PortError, Refused, NotReady):
            del self._works[key]
            raise
        if not span.past.is_read:
            return []
        del self._works[key]
        now_ms = self._now_ms()
        took_ms = min(now_ms - span.began_at_ms, SPAN_WAIT_MS)  # It may have rested for longer.
        span.fresh_until_ms = now_ms + max(READ_AGAIN_MS_MIN, READ_SHARE * took_ms)
        self._kept[key] = span
        if any(work.waiting.values()):
            self._kept.move_to_end(key)
        self._make_room()
        return list(work.waiting.items())

    def first_waiting(self) -> list[str]:
        """Return the questions that somebody asked and that wait for the span that is read next."""
        waited_for = self._waited_for()
        if not waited_for:
            return []
        return [question for question, is_asked in _next(waited_for, self._now_ms())[1].waiting.items() if is_asked]

    def touch(self, brand: str, window: Window) -> bool:
        """Take note that a window was written; return whether that makes an answer outdated."""
        return self._outdate(lambda key, one: key.brand == brand and one.past.touches(window))

    def touch_all(self, brand: str | None = None) -> bool:
        """Take note that anything may have been written."""
        return self._outdate(lambda key, _: brand is None or key.brand == brand)

    def brands_outdated_by_age(self) -> set[str]:
        """Take note of spans that have been kept too long, and return whose they are."""
        now_ms = self._now_ms()
        old = {key for key, one in self._kept.items() if not one.is_outdated and now_ms - one.began_at_ms > _age(one)}
        self._outdate(lambda key, _: key in old)
        return {key.brand for key in old}

    def brands_to_be_read_again(self) -> set[str]:
        """Return, once, the brands of which answers passed for current that do so no longer."""
        now_ms = self._now_ms()
        over = [key for key, until_ms in self._told_until_ms.items() if until_ms <= now_ms]
        for key in over:
            del self._told_until_ms[key]
        return {key.brand for key in over}

    def brands(self) -> set[str]:
        """Return the brands that have spans here."""
        return {key.brand for key in (*self._kept, *self._works)}

    def forget(self, brand: str) -> None:
        """Let go of the spans of a brand whose zone may be another now; those that are being read begin anew."""
        for key in [key for key in self._kept if key.brand == brand]:
            del self._kept[key]
        for key, work in self._works.items():
            if key.brand == brand:
                work.span = None

    def _outdate(self, is_meant: Callable[[K, KeptSpan[P]], bool]) -> bool:
        found = False
        begun = [(key, work.span) for key, work in self._works.items() if work.span is not None]
        for key, one in (*self._kept.items(), *begun):
            if not one.is_outdated and is_meant(key, one):
                one.is_outdated = found = True
        return found

    def _waited_for(self) -> dict[K, Work[P]]:
        """Return the spans that somebody waits for; of the others, let go of all but what may soon be read on."""
        now_ms = self._now_ms()
        waited_for: dict[K, Work[P]] = {}
        paused: list[K] = []
        for key, work in list(self._works.items()):
            if now_ms < work.until_ms:
                waited_for[key] = work
            elif work.span is None or now_ms - work.span.began_at_ms > AGE_MS_MAX:
                del self._works[key]
            else:
                work.waiting.clear()
                paused.append(key)
        for key in paused[: max(0, len(paused) - SPANS_PAUSED_MAX)]:
            del self._works[key]
        return waited_for

    def _make_room(self) -> None:
        while len(self._kept) > 1 and (
            len(self._kept) > SPANS_KEPT_MAX or sum(one.past.rows for one in self._kept.values()) > ROWS_KEPT_MAX
        ):
            self._kept.popitem(last=False)


def _next(waited_for: dict[K, Work[P]], now_ms: int) -> tuple[K, Work[P]]:
    return min(waited_for.items(), key=lambda item: (now_ms >= item[1].asked_until_ms, item[1].left))


def _require_room(key: K, work: Work[P], waited_for: dict[K, Work[P]]) -> None:
    """Raise unless one more span can be read in the time that somebody waits for it."""
    if len(waited_for) >= SPANS_WAITING_MAX:
        raise TooManySpans(f"{SPANS_WAITING_MAX} other spans are being read; ask again in some seconds")
    if sum(one.brand == key.brand for one in waited_for) > SPANS_OF_BRAND_MAX:
        raise TooManySpans(f"{SPANS_OF_BRAND_MAX} other spans of the brand wait already; ask again in some seconds")
    # Longer ones are read after it, and do not count.
    ahead = sum(one.left for one in waited_for.values() if one.left <= work.left)
    if ahead and ahead + work.left > WINDOWS_WAITING_MAX:
        raise TooManySpans("as much as can be read in time waits already; ask again in some seconds")


def _age(one: KeptSpan[P]) -> int:
    return FINAL_AGE_MS_MAX if one.past.is_final else AGE_MS_MAX
