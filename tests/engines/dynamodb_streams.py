"""The stream of a table of DynamoDB Local, read as Lambda's event source reads it."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.aws.sessions import Ground, client_of
from tests.engines.dynamodb import ACCESS_KEY, REGION, SECRET_KEY

VIEW = "NEW_AND_OLD_IMAGES"  # as the template has it


@cache
def streams_client(endpoint: str) -> Any:
    """Return the client of the streams that an engine has; they are on the same address."""
    ground = Ground(region=REGION, endpoint=endpoint, access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    return client_of("dynamodbstreams", ground)


class TableStream:
    """The changes of a table from the moment on at which this was made."""

    def __init__(self, dynamodb: Any, table: str) -> None:
        said = {"StreamEnabled": True, "StreamViewType": VIEW}
        self._streams = streams_client(dynamodb.meta.endpoint_url)
        self._arn = dynamodb.update_table(TableName=table, StreamSpecification=said)["TableDescription"][
            "LatestStreamArn"
        ]
        self.names = Names(table)

    def event(self) -> dict[str, Any]:
        """Return all that has changed as one event, which has no records when nothing has."""
        shards = self._streams.describe_stream(StreamArn=self._arn)["StreamDescription"]["Shards"]
        records = [record for shard in shards for record in self._records(shard["ShardId"])]
        return {"Records": [_as_lambda_has_it(record) for record in records]}

    def _records(self, shard: str) -> list[Mapping[str, Any]]:
        where = {"StreamArn": self._arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        iterator = self._streams.get_shard_iterator(**where)["ShardIterator"]
        records: list[Mapping[str, Any]] = []
        while iterator is not None:
            page = self._streams.get_records(ShardIterator=iterator, Limit=1_000)
            records += page["Records"]
            iterator = page.get("NextShardIterator") if page["Records"] else None
        return records


def _as_lambda_has_it(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as it stands in an event: JSON, with a moment in seconds."""
    at = record["dynamodb"]["ApproximateCreationDateTime"]
    assert isinstance(at, datetime)
    return {
        **{name: record[name] for name in ("eventID", "eventName", "eventSource", "eventVersion")},
        "dynamodb": {**record["dynamodb"], "ApproximateCreationDateTime": at.timestamp()},
    }
