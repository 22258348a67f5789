"""Events of an HTTP API as requests, and responses as its answers."""

import asyncio
import base64
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

import pytest

from footfall.shells.http.problems import problem
from footfall.shells.http.refusals import Refusals
from footfall.shells.http.wire import response
from footfall.shells.lambdas.http_event import EventLine, NotHttp, answer_from_whole, exchange_from_event, peer_of
from footfall.values.clock import SetClock
from tests.shells.lambdas.api import event_of

T = TypeVar("T")


def on_a_loop(work: Callable[[EventLine], T]) -> T:
    async def working() -> T:
        return work(EventLine("192.0.2.7", Refusals(SetClock(0), new_id=lambda: "0123456789")))

    return asyncio.run(working())


def request(event: dict[str, Any]) -> tuple[bytes, bytes, bytes]:
    def taken(line: EventLine) -> tuple[bytes, bytes, bytes]:
        exchange = exchange_from_event(event, line)
        return exchange.method, exchange.target, exchange.body

    return on_a_loop(taken)


def test_a_request_is_what_was_sent() -> None:
    event = event_of("POST", "/v1/hits?brand=a%20b&x=1", body=b'{"assetId": "\xc3\xa9"}')
    assert request(event) == (b"POST", b"/v1/hits?brand=a%20b&x=1", b'{"assetId": "\xc3\xa9"}')


def test_a_body_that_is_no_text_comes_as_base64() -> None:
    event = event_of("POST", "/v1/hits", body=b"\x1f\x8b\x00\xff")
    assert event["isBase64Encoded"]
    assert request(event)[2] == b"\x1f\x8b\x00\xff"


def test_a_body_that_is_said_to_be_base64_and_is_not_is_no_request() -> None:
    with pytest.raises(NotHttp, match="base64"):
        request({**event_of("POST", "/v1/hits"), "body": "{?}", "isBase64Encoded": True})


@pytest.mark.parametrize(
    ("path", "stage", "target"),
    [
        ("/v1/hits", "$default", b"/v1/hits"),
        ("/prod/v1/hits", "prod", b"/v1/hits"),
        ("/prod", "prod", b"/"),
        ("/production/v1", "prod", b"/production/v1"),
        ("/v1/assets/été 50%", "$default", b"/v1/assets/%C3%A9t%C3%A9%2050%25"),
        ("/v1/assets/a%2Fb", "$default", b"/v1/assets/a%2Fb"),
        ("", "$default", b"/"),
    ],
)
def test_a_path_is_as_a_client_sends_it_and_without_the_stage(path: str, stage: str, target: bytes) -> None:
    event = event_of("GET", "/")
    event["rawPath"], event["requestContext"]["stage"] = path, stage
    assert request(event)[1] == target


def test_headers_are_in_small_letters_and_cookies_are_one_of_them() -> None:
    def headers(line: EventLine) -> dict[bytes, bytes]:
        event = event_of("GET", "/", headers={"X-Forwarded-For": "192.0.2.1,192.0.2.2", "cookie": "a=1; b=2"})
        return dict(exchange_from_event({**event, "headers": {**event["headers"], "X-Odd": "é €"}}, line).headers)

    found = on_a_loop(headers)
    assert found[b"x-forwarded-for"] == b"192.0.2.1,192.0.2.2"
    assert found[b"cookie"] == b"a=1; b=2"
    assert found[b"x-odd"] == "é €".encode()


def test_the_other_end_is_whoever_asked_the_api() -> None:
    assert peer_of(event_of("GET", "/", source_ip="203.0.113.9")) == "203.0.113.9"


@pytest.mark.parametrize("event", [{}, {"version": "1.0", "requestContext": {}}, {"Records": []}])
def test_what_is_no_request_is_refused_by_name(event: dict[str, Any]) -> None:
    with pytest.raises(NotHttp, match=r"PayloadFormatVersion to 2\.0"):
        peer_of(event)


def test_an_answer_is_text_where_it_can_be_and_leaves_length_and_date_to_the_api() -> None:
    whole = response(200, '{"a":"é"}'.encode(), headers={"date": "now", "etag": '"1"'})
    assert answer_from_whole(whole) == {
        "statusCode": 200,
        "headers": {"content-type": "application/json", "etag": '"1"'},
        "isBase64Encoded": False,
        "body": '{"a":"é"}',
    }


def test_an_answer_that_is_no_text_goes_as_base64() -> None:
    answer = answer_from_whole(response(200, b"GIF89a\xff", kind="image/gif"))
    assert answer["isBase64Encoded"]
    assert base64.b64decode(answer["body"]) == b"GIF89a\xff"


def test_a_header_that_stands_twice_is_told_once() -> None:
    whole = b"HTTP/1.1 200 OK\r\nvary: origin\r\nvary: authorization\r\n\r\n"
    assert answer_from_whole(whole)["headers"] == {"vary": "origin, authorization"}


def test_a_refusal_has_the_id_of_the_invocation() -> None:
    def refused(line: EventLine) -> bytes:
        exchange = exchange_from_event(event_of("GET", "/"), line)
        exchange.reply(problem(HTTPStatus.BAD_REQUEST, detail="no"))
        exchange.reply(response(200, b"{}"))  # The first answer counts.
        return line.answered.result()

    answer = answer_from_whole(on_a_loop(refused))
    assert answer["statusCode"] == 400
    assert '"requestId":"0123456789"' in answer["body"]
    assert answer["headers"]["x-request-id"] == "0123456789"


def test_the_answer_to_head_has_no_body() -> None:
    def asked(line: EventLine) -> bytes:
        exchange_from_event(event_of("HEAD", "/"), line).reply(response(200, b"{}"))
        return line.answered.result()

    assert answer_from_whole(on_a_loop(asked))["body"] == ""
