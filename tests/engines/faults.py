"""What goes wrong between us and DynamoDB, made to go wrong on purpose where the vendor's client sends.

The real engine stays behind it: what the layer lets through takes effect, what it refuses does not.
"""

import json
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError
from botocore.httpsession import URLLib3Session

from footfall.adapters.aws.dynamodb_items import stored_bytes
from footfall.ports.capacity import write_units
from footfall.values.clock import SetClock

ALTERNATOR_LACKS = frozenset({
    "TransactWriteItems", "TransactGetItems", "ExecuteStatement", "ExecuteTransaction", "BatchExecuteStatement",
    "UpdateTable",
})  # fmt: skip
THROTTLED = "ProvisionedThroughputExceededException"


@dataclass
class Bucket:
    """A table's capacity: so many units a second, and no more than a second's worth saved up."""

    clock: SetClock
    units_per_s: float
    saved_s: float = 1.0
    _units: float = field(init=False)
    _filled_at_ms: int = field(init=False)

    def __post_init__(self) -> None:
        self._units = self.units_per_s * self.saved_s
        self._filled_at_ms = self.clock.now_ms()

    def take(self, units: float) -> bool:
        """Take the units if they are there."""
        now_ms = self.clock.now_ms()
        filled = self._units + self.units_per_s * (now_ms - self._filled_at_ms) / 1_000
        self._units, self._filled_at_ms = min(filled, self.units_per_s * self.saved_s), now_ms
        if self._units < units:
            return False
        self._units -= units
        return True


class _Body:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        yield self._data


class Faults:
    """Stands between a client and its engine; counts what is sent and does what it was told to."""

    def __init__(self, client: Any, *, clock: SetClock | None = None, call_ms: int = 0) -> None:
        self._http = URLLib3Session()
        self._clock = clock
        self._call_ms = call_ms
        self._plans: list[tuple[str, str]] = []
        self.bucket: Bucket | None = None
        self.denied: frozenset[str] = frozenset()
        self.batch_items_max: int | None = None
        self.sent: Counter[str] = Counter()
        self.items_sent = 0  # to be written, again and again
        self.items_taken = 0
        self.units_taken = 0
        self._events = client.meta.events
        self._events.register("before-send.dynamodb", self._before_send)

    def close(self) -> None:
        """Stand in nobody's way any more."""
        self._events.unregister("before-send.dynamodb", self._before_send)

    def plan(self, operation: str, faults: Sequence[str]) -> None:
        """Let the next calls of the operation go wrong, one after another.

        `timeout before` and `timeout after` the effect, `dropped before` and `dropped after`, `throttled`, `500`,
        and `well` for one that goes well.
        """
        self._plans += [(operation, fault) for fault in faults]

    def forget_plans(self) -> None:
        """Let whatever was planned and has not happened go well."""
        self._plans.clear()

    def _before_send(self, request: AWSPreparedRequest, **_: object) -> AWSResponse | None:
        operation = _operation(request)
        self.sent[operation] += 1
        if self._clock is not None:
            self._clock.advance(self._call_ms)
        if operation in self.denied:
            return _refusal(request, "UnknownOperationException", f"{operation} is not supported")
        fault = self._planned(operation)
        if fault is not None:
            return self._go_wrong(request, fault)
        if operation == "BatchWriteItem":
            return self._batch(request)
        if operation not in {"PutItem", "UpdateItem", "DeleteItem"}:
            return None
        self.items_sent += 1
        if not self._takes(json.loads(request.body)):
            return _refusal(request, THROTTLED, "the level of provisioned throughput")
        return None

    def _takes(self, write: dict[str, Any]) -> bool:
        units = write_units(_bytes_of(write["Item"])) if "Item" in write else 1
        if self.bucket is not None and not self.bucket.take(units):
            return False
        self.items_taken += 1
        self.units_taken += units
        return True

    def _planned(self, operation: str) -> str | None:
        for place, (planned, fault) in enumerate(self._plans):
            if planned == operation:
                del self._plans[place]
                return None if fault == "well" else fault
        return None

    def _go_wrong(self, request: AWSPreparedRequest, fault: str) -> AWSResponse:
        what, _, when = fault.partition(" ")
        if what == "throttled":
            return _refusal(request, THROTTLED, "the level of provisioned throughput")
        if when == "after" or what == "500":
            self._http.send(request)
        errors: dict[str, Callable[[], Exception]] = {
            "timeout": lambda: ReadTimeoutError(endpoint_url=request.url),
            "dropped": lambda: ConnectionClosedError(endpoint_url=request.url),
        }
        if what in errors:
            raise errors[what]()
        return _refusal(request, "InternalServerError", "try again", status=500)

    def _batch(self, request: AWSPreparedRequest) -> AWSResponse | None:
        asked = json.loads(request.body)
        ((table, writes),) = asked["RequestItems"].items()
        self.items_sent += len(writes)
        taken = [write for write in writes[: self.batch_items_max] if self._takes(write.get("PutRequest", {}))]
        left = [write for write in writes if write not in taken]
        if not left:
            return None
        if not taken:
            return _refusal(request, THROTTLED, "the level of provisioned throughput")
        request.body = json.dumps({**asked, "RequestItems": {table: taken}}).encode()
        request.headers["Content-Length"] = str(len(request.body))
        answer = json.loads(self._http.send(request).content)
        answer["UnprocessedItems"] = {table: left}
        return _response(request, answer, status=200)


def _bytes_of(item: dict[str, Any]) -> int:
    """Return the size that an item is billed by, from the form in which it travels."""
    return stored_bytes({name: _stored(value) for name, value in item.items()})


def _stored(value: dict[str, Any]) -> dict[str, Any]:
    ((kind, inner),) = value.items()
    return {kind: b64decode(inner)} if kind == "B" else value


def _operation(request: AWSPreparedRequest) -> str:
    target: Any = request.headers["X-Amz-Target"]
    return (target.decode() if isinstance(target, bytes) else str(target)).partition(".")[2]


def _refusal(request: AWSPreparedRequest, code: str, message: str, *, status: int = 400) -> AWSResponse:
    return _response(request, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message}, status=status)


def _response(request: AWSPreparedRequest, answer: dict[str, Any], *, status: int) -> AWSResponse:
    headers = {"Content-Type": "application/x-amz-json-1.0", "x-amzn-RequestId": "faults"}
    return AWSResponse(request.url, status, headers, _Body(json.dumps(answer).encode()))
