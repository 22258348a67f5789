"""Making a table, and making sure at start that there is one we can use on a store that can do what we need."""

from collections.abc import Callable, Sequence
from typing import Any

from footfall.adapters.aws.dynamodb_calls import Answered, DynamoDbClient
from footfall.adapters.aws.dynamodb_errors import ConditionFailed, ConditionsFailed, MissingOperation, in_our_words
from footfall.adapters.aws.dynamodb_expressions import Terms, keys_of
from footfall.adapters.aws.dynamodb_items import Names
from footfall.ports.errors import Unavailable
from footfall.ports.table import Index, Key, Unfit, require_indexes

OPERATIONS = (
    "DescribeTable", "GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
)  # fmt: skip
PROBED = Key("footfall#probe", "nothing lies here")
_ACTIVE_POLL_S = 0.2
_ACTIVE_POLLS_MAX = 600


def create_table(
    client: DynamoDbClient,
    names: Names,
    *,
    pause: Callable[[float], None],
    indexes: Sequence[Index] = (),
    removes_expired: bool = True,
) -> None:
    """Make the table with its indexes, billed by use, and wait until it can be written."""
    require_indexes(indexes)
    ask: dict[str, Any] = {
        "TableName": names.table,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(names, None),
        "AttributeDefinitions": _attributes(names, indexes),
    }
    if indexes:
        ask["GlobalSecondaryIndexes"] = [
            {"IndexName": index.name, "KeySchema": _schema(names, index), "Projection": {"ProjectionType": "ALL"}}
            for index in indexes
        ]
    _done(client.create_table, ask, names)
    for _ in range(_ACTIVE_POLLS_MAX):
        if _table(client, names).get("TableStatus") == "ACTIVE":
            break
        pause(_ACTIVE_POLL_S)
    else:
        raise Unavailable(f"table {names.table} is not active after two minutes: look at it in the console")
    if removes_expired:
        said = {"Enabled": True, "AttributeName": names.expiry}
        _done(client.update_time_to_live, {"TableName": names.table, "TimeToLiveSpecification": said}, names)


def require_table(client: DynamoDbClient, names: Names, *, indexes: Sequence[Index] = ()) -> None:
    """Raise unless the table is there with these keys and indexes."""
    table = _table(client, names)
    if _plain(table.get("KeySchema", [])) != _plain(_schema(names, None)):
        raise Unavailable(
            f"table {names.table} has keys {table.get('KeySchema')}, not {names.partition} and {names.sort}: "
            "name its keys in the settings, or make another table"
        )
    kinds = {one["AttributeName"]: one["AttributeType"] for one in table.get("AttributeDefinitions", [])}
    built = {one["IndexName"]: _plain(one["KeySchema"]) for one in table.get("GlobalSecondaryIndexes", [])}
    for index in indexes:
        wanted = {one["AttributeName"]: one["AttributeType"] for one in _attributes(names, [index])}
        if built.get(index.name) != _plain(_schema(names, index)) or not wanted.items() <= kinds.items():
            raise Unavailable(f"table {names.table} lacks {index}: add that index to it, with all attributes projected")


def require_operations(client: DynamoDbClient, names: Names, *, transactions: bool = True) -> None:
    """Raise MissingOperation unless the store has every operation; nothing is written by asking."""
    key = names.key(PROBED)
    terms = Terms(names)
    never = terms.spoken(ConditionExpression=f"attribute_exists({terms.name(names.partition)})")
    here: dict[str, Any] = {"TableName": names.table}
    query = Terms(names)
    equal = f"{query.name(names.partition)} = {query.value({'S': PROBED.partition})}"
    asks: dict[str, tuple[Callable[..., Answered], dict[str, Any]]] = {
        "DescribeTable": (client.describe_table, here),
        "GetItem": (client.get_item, {**here, "Key": key}),
        "Query": (client.query, {**here, **query.spoken(KeyConditionExpression=equal)}),
        "PutItem": (client.put_item, {**here, "Item": key, **never}),
        "UpdateItem": (client.update_item, {**here, "Key": key, **never}),
        "DeleteItem": (client.delete_item, {**here, "Key": key, **never}),
        "BatchWriteItem": (
            client.batch_write_item,
            {"RequestItems": {names.table: [{"DeleteRequest": {"Key": key}}]}},
        ),
        "TransactWriteItems": (
            client.transact_write_items,
            {"TransactItems": [{"ConditionCheck": {**here, "Key": key, **never}}]},
        ),
    }
    for operation, (call, ask) in asks.items():
        if operation != "TransactWriteItems" or transactions:
            _require_known(operation, call, ask, names)


def _require_known(operation: str, call: Callable[..., Answered], ask: dict[str, Any], names: Names) -> None:
    try:
        _done(call, ask, names)
    except (ConditionFailed, ConditionsFailed):
        pass  # It knows the operation, and that there is nothing under the key.
    except (MissingOperation, Unfit) as error:
        raise MissingOperation(
            f"the store of table {names.table} does not do {operation} as DynamoDB does ({error}): "
            "use one that has every operation of docs/formats/table.md"
        ) from error


def _done(call: Callable[..., Answered], ask: dict[str, Any], names: Names) -> Answered:
    try:
        return call(**ask)
    except Exception as error:  # Whatever botocore raises is told in our words; the rest is raised as it is.
        told = in_our_words(error, where=f"table {names.table}")
        if told is None:
            raise
        raise told from error


def _table(client: DynamoDbClient, names: Names) -> dict[str, Any]:
    return _done(client.describe_table, {"TableName": names.table}, names)["Table"]


def _schema(names: Names, index: Index | None) -> list[dict[str, str]]:
    partition, sort = keys_of(names, index)
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def _plain(schema: Sequence[dict[str, str]]) -> set[tuple[str, str]]:
    return {(one["AttributeName"], one["KeyType"]) for one in schema}


def _attributes(names: Names, indexes: Sequence[Index]) -> list[dict[str, str]]:
    kinds = {names.partition: "S", names.sort: "S"}
    for index in indexes:
        partition, sort = keys_of(names, index)
        for name, kind in ((partition, "S"), (sort, "N" if index.numeric else "S")):
            if kinds.setdefault(name, kind) != kind:
                raise Unfit(f"{name!r} is text in one index and a number in another: give one of them another name")
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()]


def names_of_table(client: DynamoDbClient, table: str) -> Names:
    """Return the names that an existing table gives to its keys and its expiry."""
    unnamed = Names(table)
    about = _table(client, unnamed)
    keys = {one["KeyType"]: one["AttributeName"] for one in about.get("KeySchema", [])}
    kinds = {one["AttributeName"]: one["AttributeType"] for one in about.get("AttributeDefinitions", [])}
    if [kinds.get(keys.get(kind, "")) for kind in ("HASH", "RANGE")] != ["S", "S"]:
        raise Unavailable(f"table {table} has keys {about.get('KeySchema')}, not a text partition and a text sort key")
    told = _done(client.describe_time_to_live, {"TableName": table}, unnamed).get("TimeToLiveDescription", {})
    return Names(table, keys["HASH"], keys["RANGE"], told.get("AttributeName") or unnamed.expiry)
