"""What need not be read again: which times the records of a range have, learnt while they are read for the first time.

A range that is counted again in several stretches is read once for each. From the second time on, whatever has no hit
of the stretch is passed over without being read.
"""

from collections.abc import Sequence

from footfall.flow.stream.moments import Span
from footfall.flow.stream.record_times import ALWAYS, span_of_record
from footfall.ports.stream import Record

_NEVER: Span = (ALWAYS[1], ALWAYS[0])


class Skipping:
    """The times of records that were read, by shard and by the number after which they were read."""

    def __init__(self, brand: str) -> None:
        self._brand = brand
        self._known: dict[tuple[int, int], tuple[int, Span]] = {}

    def place(self, shard: int, after: int, *, through: int, span: Span) -> int:
        """Return the number after which the next records lie that may have hits of a span."""
        while after < through:
            last, times = self._known.get((shard, after), (0, ALWAYS))
            if last <= after or last > through or _meet(times, span):
                break
            after = last
        return after

    def within(self, shard: int, after: int, records: Sequence[Record], span: Span) -> list[Record]:
        """Return the brand's records that may have hits of a span, and remember the times of all of them."""
        ours = [(record, span_of_record(record.data)) for record in records if record.group == self._brand]
        if records:
            whole = _NEVER
            for _, times in ours:
                whole = min(whole[0], times[0]), max(whole[1], times[1])
            self._known[shard, after] = records[-1].sequence, whole
        return [record for record, times in ours if _meet(times, span)]


def _meet(times: Span, span: Span) -> bool:
    return times[0] < span[1] and times[1] >= span[0]
