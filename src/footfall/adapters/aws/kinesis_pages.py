"""Pages of Kinesis' own shards, each fetched once for all of our shards that lie there.

A Kinesis shard may be read five times a second and two megabytes a second, whoever reads. So pages are kept for a
while, and one that was at the tip is not asked for again at once.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from footfall.adapters.aws.kinesis_calls import KinesisCalls
from footfall.adapters.aws.kinesis_errors import Outdated
from footfall.adapters.aws.kinesis_places import RawRecord
from footfall.values.clock import Clock

KEPT_BYTES_MAX = 32_000_000  # Three pages of the largest kind.
ITERATORS_MAX = 2_048  # One for each place that somebody reads from.

_Spot = tuple[str, int]  # a Kinesis shard, and the record after which to read


@dataclass(frozen=True, slots=True)
class Page:
    """Records that follow a place. Without any, it is the tip, the shard's end, or neither is known yet."""

    records: Sequence[RawRecord] = ()
    is_tip: bool = False
    is_end: bool = False


class Pages:
    """Fetches and keeps pages of one stream."""

    def __init__(self, calls: KinesisCalls, *, clock: Clock, poll_ms: int) -> None:
        self._calls = calls
        self._clock = clock
        self._poll_ms = poll_ms
        self._kept: OrderedDict[_Spot, Page] = OrderedDict()
        self._kept_bytes = 0
        self._iterators: OrderedDict[_Spot, str | None] = OrderedDict()  # None: the shard ends here
        self._at_tip_ms: dict[str, tuple[int, int]] = {}  # by Kinesis shard: after which record, and when
        self.behind_ms: dict[str, int] = {}  # by Kinesis shard, as of its last page

    def after(self, kinesis_shard: str, sequence: int) -> Page:
        """Return a page of the records that follow one of a Kinesis shard; 0 for the oldest that is kept."""
        spot = (kinesis_shard, sequence)
        if spot in self._kept:
            self._kept.move_to_end(spot)
            return self._kept[spot]
        if self._iterators.get(spot, "") is None:
            return Page(is_end=True)
        if self._was_tip_just_now(spot):
            return Page(is_tip=True)
        return self._fetched(spot)

    def _fetched(self, spot: _Spot) -> Page:
        iterator = self._iterators.get(spot) or self._calls.iterator(spot[0], after=spot[1])
        try:
            raw = self._calls.page(spot[0], iterator)
        except Outdated:
            self._iterators.pop(spot, None)
            return Page()  # Asked again, it begins with a new iterator.
        self.behind_ms[spot[0]] = raw.behind_ms
        end = (spot[0], raw.records[-1].sequence) if raw.records else spot
        self._remember(end, raw.iterator)
        if raw.records:
            page = Page(raw.records)
            self._keep(spot, page)
            return page
        is_tip = raw.iterator is not None and raw.behind_ms == 0
        if is_tip:
            self._at_tip_ms[spot[0]] = (spot[1], self._clock.now_ms())
        return Page(is_tip=is_tip, is_end=raw.iterator is None)

    def _was_tip_just_now(self, spot: _Spot) -> bool:
        sequence, at_ms = self._at_tip_ms.get(spot[0], (-1, 0))
        return sequence == spot[1] and 0 <= self._clock.now_ms() - at_ms < self._poll_ms

    def _remember(self, spot: _Spot, iterator: str | None) -> None:
        self._iterators[spot] = iterator
        self._iterators.move_to_end(spot)
        if len(self._iterators) > ITERATORS_MAX:
            self._iterators.popitem(last=False)

    def _keep(self, spot: _Spot, page: Page) -> None:
        self._kept[spot] = page
        self._kept_bytes += _size(page)
        while self._kept_bytes > KEPT_BYTES_MAX and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= _size(dropped)


def _size(page: Page) -> int:
    return sum(len(one.data) + 200 for one in page.records)
