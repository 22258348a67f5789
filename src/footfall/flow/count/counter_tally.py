"""Acts upon named counters as they are read from the stream, until they are written with the next flush.

Pure: records in, acts by counter out, in the order in which they came.
"""

from dataclasses import dataclass

from footfall.flow.stream.counted_values import CounterRecord, counter_record
from footfall.ports.stream import Record
from footfall.values.groups import brand_of_group

CounterKey = tuple[str, str]  # brand, name
ROWS_PER_RECORD = 10  # A tally of 100,000 rows is flushed: so are 10,000 of these records.
BYTES_PER_ROW = 250  # what a row of hits takes in memory


@dataclass(frozen=True, slots=True)
class CounterAct:
    """One record's act upon a counter."""

    sequence: int
    record: CounterRecord
    weight: int


class CounterTally:
    """The acts of a run of records."""

    def __init__(self) -> None:
        self.acts: dict[CounterKey, list[CounterAct]] = {}
        self.rows = 0  # how much is in hand, in rows of hits

    def add(self, record: Record) -> int:
        """Take one record in and return how many values it holds, or raise Unreadable."""
        act = CounterAct(record.sequence, counter_record(record.data), record.weight)
        self.acts.setdefault((brand_of_group(record.group), act.record.name), []).append(act)
        self.rows += max(ROWS_PER_RECORD, len(record.data) // BYTES_PER_ROW)
        return record.weight
