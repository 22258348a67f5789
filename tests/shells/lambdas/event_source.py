"""The event source of a count function: reads a stream's shards in order and hands their records over in events."""

from collections.abc import Iterator
from typing import Any

from tests.shells.lambdas.events import kinesis_record

EVENT_RECORDS_MAX = 1_000
EVENT_BYTES_MAX = 4_000_000  # An event is at most 6 MiB, and base64 takes a third more.


class EventSource:
    """Where each Kinesis shard has been read to; parents come before their children, as Lambda has it."""

    def __init__(self, client: Any, stream: str) -> None:
        self._client = client
        self._stream = stream
        self._after: dict[str, str] = {}  # by shard, the last sequence number that was handed over

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield events until every shard is at its tip; one is taken for handled when the next is asked for."""
        for shard in self._shards():
            while records := self._read(shard):
                yield {"Records": records}
                self._after[shard] = records[-1]["kinesis"]["sequenceNumber"]

    def _shards(self) -> list[str]:
        listed = self._client.list_shards(StreamName=self._stream)["Shards"]
        return sorted(one["ShardId"] for one in listed)  # Their numbers grow, so parents come first.

    def _read(self, shard: str) -> list[dict[str, Any]]:
        where: dict[str, str] = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard in self._after:
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "StartingSequenceNumber": self._after[shard]}
        iterator = self._client.get_shard_iterator(StreamName=self._stream, ShardId=shard, **where)["ShardIterator"]
        found = self._client.get_records(ShardIterator=iterator, Limit=EVENT_RECORDS_MAX)["Records"]
        records: list[dict[str, Any]] = []
        size = 0
        for one in found:
            size += len(one["Data"])
            if records and size > EVENT_BYTES_MAX:
                break
            records.append(kinesis_record(shard, one))
        return records
