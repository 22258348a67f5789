"""Lists of past spans in the answering process: read a window at a time between questions, and kept for a while."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from footfall.flow.serve.board import NotReady
from footfall.flow.serve.past import PastList
from footfall.flow.store.summaries import Summary
from footfall.ports.errors import PortError
from footfall.values.window import HOUR_MS, MINUTE_MS, Window

SPANS_WAITING_MAX = 16  # Each is read for up to some seconds, and nobody waits for longer.
QUESTIONS_WAITING_MAX = 1_000  # for one span
SPANS_KEPT_MAX = 32
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


@dataclass(slots=True)
class KeptSpan:
    """A span with all its sums, and the version of the answers that are made of it."""

    past: PastList
    version: int
    began_at_ms: int
    is_outdated: bool = False  # A window of it was written after the reading began.
    fresh_until_ms: int = 0  # It is not read again before, outdated or not.
    waiting: dict[str, None] = field(default_factory=dict[str, None])  # questions, in order, each once


class PastReading:
    """The spans that are being read, one at a time, and those that were read lately."""

    def __init__(
        self,
        new_list: Callable[[SpanKey], PastList],
        read: Callable[[str, Window], list[Summary]],
        *,
        now_ms: Callable[[], int],
    ) -> None:
        self._new_list = new_list
        self._read = read
        self._now_ms = now_ms
        self._kept: OrderedDict[SpanKey, KeptSpan] = OrderedDict()
        self._queue: OrderedDict[SpanKey, KeptSpan] = OrderedDict()

    @property
    def is_busy(self) -> bool:
        """Tell whether there is anything to read."""
        return bool(self._queue)

    def find(self, key: SpanKey, canonical: str, *, version: int) -> KeptSpan | None:
        """Return the span if it is ready; if not, have it read, and the question wait for it."""
        kept = self._kept.get(key)
        now_ms = self._now_ms()
        if kept is not None and (not kept.is_outdated or now_ms < kept.fresh_until_ms):
            self._kept.move_to_end(key)
            return kept
        work = self._queue.get(key)
        if work is None:
            if len(self._queue) >= SPANS_WAITING_MAX:
                raise TooManySpans(f"{SPANS_WAITING_MAX} other spans are being read; ask again in some seconds")
            work = self._queue[key] = KeptSpan(self._new_list(key), version, now_ms)
        if len(work.waiting) >= QUESTIONS_WAITING_MAX:
            raise TooManySpans("too many questions wait for this span; ask again in some seconds")
        work.waiting[canonical] = None
        return None

    def step(self) -> list[str]:
        """Read one window more; return the questions that can be answered now, or cannot be at all."""
        key, work = next(iter(self._queue.items()))
        try:
            work.past.step(lambda window: self._read(key.brand, window))
        except PortError:
            del self._queue[key]
            raise
        if not work.past.is_read:
            return []
        del self._queue[key]
        now_ms = self._now_ms()
        took_ms = now_ms - work.began_at_ms
        work.fresh_until_ms = now_ms + max(READ_AGAIN_MS_MIN, READ_SHARE * took_ms)
        self._kept[key] = work
        self._kept.move_to_end(key)
        self._make_room()
        return list(work.waiting)

    def first_waiting(self) -> list[str]:
        """Return the questions that wait for the span that is being read."""
        return list(next(iter(self._queue.values())).waiting) if self._queue else []

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

    def brands(self) -> set[str]:
        """Return the brands that have spans here."""
        return {key.brand for key in (*self._kept, *self._queue)}

    def forget(self, brand: str) -> None:
        """Let go of the spans of a brand whose zone may be another now; those that are being read begin anew."""
        for key in [key for key in self._kept if key.brand == brand]:
            del self._kept[key]
        for key, work in self._queue.items():
            if key.brand == brand:
                work.past = self._new_list(key)

    def _outdate(self, is_meant: Callable[[SpanKey, KeptSpan], bool]) -> bool:
        found = False
        for spans in (self._kept, self._queue):
            for key, one in spans.items():
                if not one.is_outdated and is_meant(key, one):
                    one.is_outdated = found = True
        return found

    def _make_room(self) -> None:
        while len(self._kept) > 1 and (
            len(self._kept) > SPANS_KEPT_MAX or sum(one.past.rows for one in self._kept.values()) > ROWS_KEPT_MAX
        ):
            self._kept.popitem(last=False)


def _age(one: KeptSpan) -> int:
    return FINAL_AGE_MS_MAX if one.past.is_final else AGE_MS_MAX
