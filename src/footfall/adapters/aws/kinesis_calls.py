"""The calls to Kinesis that we make, typed: the one place where its dictionaries become values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, Protocol, TypeVar

from footfall.adapters.aws.backoff import Backoff, retried
from footfall.adapters.aws.kinesis_errors import NotNow, in_our_words
from footfall.adapters.aws.kinesis_places import RawRecord
from footfall.adapters.aws.kinesis_shards import KinesisShard
from footfall.ports.errors import Throttled

PUT_RECORDS_MAX = 500  # Kinesis' limits for one PutRecords.
PUT_BYTES_MAX = 5 * 1_048_576
GET_RECORDS_MAX = 1_000  # Of the 10,000 that Kinesis would give: ours hold many hits each.

Given = TypeVar("Given")


class KinesisClient(Protocol):
    """What we use of the vendor's client."""

    def put_records(self, **asked: Any) -> dict[str, Any]:
        """Write up to 500 records, each of which may fail alone."""
        ...

    def get_shard_iterator(self, **asked: Any) -> dict[str, Any]:
        """Return where to begin to read a shard."""
        ...

    def get_records(self, **asked: Any) -> dict[str, Any]:
        """Return some records of a shard, and where to go on."""
        ...

    def list_shards(self, **asked: Any) -> dict[str, Any]:
        """Return one page of the stream's shards, closed ones too."""
        ...

    def describe_stream_summary(self, **asked: Any) -> dict[str, Any]:
        """Return the stream's state and retention."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record to be put, and the point of the hash range that decides its Kinesis shard."""

    partition_key: str
    hash_key: int
    data: bytes

    @property
    def size(self) -> int:
        """Return its bytes as PutRecords counts them."""
        return len(self.data) + len(self.partition_key)


@dataclass(frozen=True, slots=True)
class RawPage:
    """What one GetRecords gave: records, where to go on (None: the shard ended), and how far behind it is."""

    records: Sequence[RawRecord]
    iterator: str | None
    behind_ms: int


@dataclass(frozen=True, slots=True)
class Kept:
    """Since when a stream exists, and how long it keeps records."""

    created_at_ms: int
    retention_ms: int


class KinesisCalls:
    """Calls to one stream. Reads are made again after errors that pass; who puts knows what to put again."""

    def __init__(
        self,
        client: KinesisClient,
        name: str,
        *,
        chance: Random,
        pause: Callable[[float], None],
        backoff: Backoff,
    ) -> None:
        self._client = client
        self._name = name
        self._chance = chance
        self._pause = pause
        self._backoff = backoff

    def put(self, records: Sequence[Outgoing]) -> list[str]:
        """Write the records; return for each why it was not written, empty when it was."""
        asked = [
            {"Data": one.data, "PartitionKey": one.partition_key, "ExplicitHashKey": str(one.hash_key)}
            for one in records
        ]
        with in_our_words(f"writing to the stream {self._name}"):
            answer = self._client.put_records(StreamName=self._name, Records=asked)
        return [str(one.get("ErrorCode") or "") for one in answer["Records"]]

    def shards(self) -> list[KinesisShard]:
        """Return every shard that Kinesis still has, closed ones too."""
        found: list[KinesisShard] = []
        asked: dict[str, Any] = {"StreamName": self._name}
        while asked:
            answer = self._read(lambda asked=asked: self._client.list_shards(**asked), "listing the shards of")
            found.extend(_shard(one) for one in answer["Shards"])
            asked = {"NextToken": answer["NextToken"]} if answer.get("NextToken") else {}
        return found

    def iterator(self, kinesis_shard: str, *, after: int) -> str:
        """Return where to read on after a record; 0 for the oldest that is kept."""
        asked: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
        if after:
            asked = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "StartingSequenceNumber": str(after)}
        asked |= {"StreamName": self._name, "ShardId": kinesis_shard}
        return str(self._read(lambda: self._client.get_shard_iterator(**asked), "reading")["ShardIterator"])

    def page(self, kinesis_shard: str, iterator: str) -> RawPage:
        """Return the records at an iterator; raise Outdated when it is too old."""
        asked: dict[str, Any] = {"ShardIterator": iterator, "Limit": GET_RECORDS_MAX}
        answer = self._read(lambda: self._client.get_records(**asked), "reading")
        return RawPage(
            records=[_raw(kinesis_shard, one) for one in answer["Records"]],
            iterator=answer.get("NextShardIterator") or None,
            behind_ms=int(answer.get("MillisBehindLatest") or 0),
        )

    def kept(self) -> Kept:
        """Return how long records are kept."""
        asked = {"StreamName": self._name}
        answer = self._read(lambda: self._client.describe_stream_summary(**asked), "describing")
        about: dict[str, Any] = answer["StreamDescriptionSummary"]
        return Kept(_ms(about["StreamCreationTimestamp"]), int(about["RetentionPeriodHours"]) * 3_600_000)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _read(self, call: Callable[[], Given], doing: str) -> Given:
        def told() -> Given:
            with in_our_words(f"{doing} the stream {self._name}"):
                return call()

        waits_ms = self._backoff.waits_ms(self._chance)
        return retried(told, passing=(Throttled, NotNow), waits_ms=waits_ms, pause=self._pause)


def raw_from_event(record: dict[str, Any]) -> RawRecord:
    """Return a record as Lambda's event source hands it over, its data decoded from base 64."""
    from base64 import b64decode

    about = record["kinesis"]
    return RawRecord(
        kinesis_shard=str(record["eventID"]).partition(":")[0],
        sequence=int(about["sequenceNumber"]),
        partition_key=str(about["partitionKey"]),
        data=b64decode(about["data"]),
        arrived_at_ms=round(float(about["approximateArrivalTimestamp"]) * 1_000),
    )


def _shard(one: dict[str, Any]) -> KinesisShard:
    parents = (one.get("ParentShardId"), one.get("AdjacentParentShardId"))
    keys = one["HashKeyRange"]
    return KinesisShard(
        name=str(one["ShardId"]),
        from_key=int(keys["StartingHashKey"]),
        to_key=int(keys["EndingHashKey"]),
        parents=tuple(str(parent) for parent in parents if parent),
    )


def _raw(kinesis_shard: str, one: dict[str, Any]) -> RawRecord:
    return RawRecord(
        kinesis_shard=kinesis_shard,
        sequence=int(one["SequenceNumber"]),
        partition_key=str(one["PartitionKey"]),
        data=bytes(one["Data"]),
        arrived_at_ms=_ms(one["ApproximateArrivalTimestamp"]),
    )


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000)
