"""Faults between the client and Kinesis: calls that fail before their effect, after it, in part, or too late."""

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError
from botocore.httpsession import URLLib3Session

PUT_FAULTS = ("throttled", "lost", "answer lost", "late", "in part", "in part, stored all the same")
GET_FAULTS = ("throttled", "lost", "outdated")
THROTTLED = "ProvisionedThroughputExceededException"


class _Raw:
    """A body that was received, as botocore reads it."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, *_: Any, **__: Any) -> list[bytes]:
        return [self._body]


class Faults:
    """Does to a client's calls what a plan says; counts what it did."""

    def __init__(self, client: Any, plan: Callable[[str], str]) -> None:
        self._session = URLLib3Session()
        self._plan = plan
        self._held: list[AWSPreparedRequest] = []
        self._fails: Callable[[int], bool] = lambda place: place % 2 == 0
        self.done: Counter[str] = Counter()
        client.meta.events.register("before-send.kinesis.PutRecords", self._put)
        client.meta.events.register("before-send.kinesis.GetRecords", self._get)

    def deliver_late(self) -> None:
        """Let every put take effect that was held back."""
        for request in self._held:
            self._session.send(request)
        self._held.clear()

    def _get(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        fault = self._plan("GetRecords")
        self._count(fault)
        if fault == "lost":
            raise ConnectionClosedError(endpoint_url=request.url)
        codes = {"throttled": THROTTLED, "outdated": "ExpiredIteratorException"}
        return refusal(request, codes[fault]) if fault else None

    def _put(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        fault = self._plan("PutRecords")
        self._count(fault)
        if fault == "":
            return None
        if fault == "throttled":
            return refusal(request, THROTTLED)
        if fault == "late":
            self._held.append(request)
        if fault == "answer lost":
            self._session.send(request)
        if fault in ("lost", "late", "answer lost"):
            raise ReadTimeoutError(endpoint_url=request.url)
        return self._in_part(request, is_stored=fault == "in part, stored all the same")

    def _count(self, fault: str) -> None:
        if fault:
            self.done[fault] += 1

    def _in_part(self, request: AWSPreparedRequest, *, is_stored: bool) -> AWSResponse:
        asked = json.loads(request.body)
        records = asked["Records"]
        taken = [place for place in range(len(records)) if is_stored or not self._fails(place)]
        answers: list[dict[str, Any]] = [{"ErrorCode": THROTTLED, "ErrorMessage": "slow down"} for _ in records]
        if taken:
            asked["Records"] = [records[place] for place in taken]
            body = json.dumps(asked).encode()
            headers = {**dict(request.headers.items()), "Content-Length": str(len(body))}
            sent = self._session.send(
                AWSPreparedRequest(request.method, request.url, headers, body, request.stream_output)
            )
            for place, answer in zip(taken, json.loads(sent.content)["Records"], strict=True):
                if not self._fails(place):
                    answers[place] = answer
        failed = sum("ErrorCode" in answer for answer in answers)
        return answered(request, 200, {"FailedRecordCount": failed, "Records": answers})


def refusal(request: AWSPreparedRequest, code: str) -> AWSResponse:
    """Return Kinesis' answer to a call that it does not do."""
    return answered(request, 400, {"__type": code, "message": "injected"})


def answered(request: AWSPreparedRequest, status: int, body: dict[str, Any]) -> AWSResponse:
    """Return an answer as it comes off the wire."""
    headers = {"Content-Type": "application/x-amz-json-1.1"}
    return AWSResponse(request.url, status, headers, _Raw(json.dumps(body).encode()))


def at_random(chance: Random, share: float) -> Callable[[str], str]:
    """Return a plan that makes a share of the calls fail, in any way."""

    def plan(call: str) -> str:
        return chance.choice(PUT_FAULTS if call == "PutRecords" else GET_FAULTS) if chance.random() < share else ""

    return plan
