"""A request that is refused has an id: in its answer, in a header, and in one line of the log."""

import logging
from collections.abc import Iterator
from http import HTTPStatus

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.shells.http.problems import not_allowed, problem
from footfall.shells.http.refusals import LINES_A_SECOND_MAX, Refusals
from footfall.shells.http.wire import response
from footfall.values.clock import SetClock

NOW_MS = 1_794_744_000_000
TRACE = b"4bf92f3577b34da6a3ce929d0e0e4736"


def numbered() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"made-{number}"


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW_MS)


@pytest.fixture
def refusals(clock: SetClock) -> Refusals:
    ids = numbered()
    return Refusals(clock, new_id=lambda: next(ids))


def split(whole: bytes) -> tuple[dict[str, str], bytes]:
    head, _, body = whole.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")[1:]
    return dict(line.split(": ", 1) for line in lines), body


def lines_of(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    return [record.__dict__["fields"] for record in caplog.records]


def test_the_id_is_in_the_document_the_header_and_the_log(refusals: Refusals, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    whole = refusals.told(
        problem(HTTPStatus(400), detail="assetId: is missing", field="assetId"), b"POST", b"/v1/hits", []
    )
    headers, body = split(whole)
    document = msgspec.json.decode(body)
    assert (document["requestId"], headers["x-request-id"], headers["content-length"]) == (
        "made-1",
        "made-1",
        str(len(body)),
    )
    assert document["detail"] == "assetId: is missing"
    (line,) = lines_of(caplog)
    assert line == {
        "requestId": "made-1",
        "status": 400,
        "method": "POST",
        "path": "/v1/hits",
        "field": "assetId",
        "detail": "assetId: is missing",
    }


def test_headers_of_a_refusal_stay(refusals: Refusals) -> None:
    before, _ = split(not_allowed("GET", detail="no"))
    after, _ = split(refusals.told(not_allowed("GET", detail="no"), b"PUT", b"/", []))
    assert {name: value for name, value in after.items() if name not in ("content-length", "x-request-id")} == {
        name: value for name, value in before.items() if name != "content-length"
    }


def test_a_refusal_that_is_no_problem_document_has_the_header_alone(refusals: Refusals) -> None:
    headers, body = split(refusals.told(response(404, b"gone", kind="text/plain"), b"GET", b"/", []))
    assert (headers["x-request-id"], body) == ("made-1", b"gone")


@pytest.mark.parametrize(
    ("headers", "request_id"),
    [
        ([], "made-1"),
        ([(b"x-request-id", b"0123-abcd_EFGH")], "0123-abcd_EFGH"),
        ([(b"traceparent", b"00-" + TRACE + b"-00f067aa0ba902b7-01")], TRACE.decode()),
        (
            [(b"traceparent", b"00-" + TRACE + b"-00f067aa0ba902b7-01"), (b"x-request-id", b"01234567")],
            "01234567",
        ),
        ([(b"traceparent", b"00-" + b"0" * 32 + b"-00f067aa0ba902b7-01")], "made-1"),
        ([(b"x-request-id", b"short")], "made-1"),
        ([(b"x-request-id", b"a" * 65)], "made-1"),
        ([(b"x-request-id", b'quoted"},"admin":true')], "made-1"),
        ([(b"x-request-id", b"203.0.113.201")], "made-1"),
    ],
)
def test_an_id_that_came_along_is_kept_when_it_is_sane(
    refusals: Refusals, headers: list[tuple[bytes, bytes]], request_id: str
) -> None:
    assert refusals.id_of(headers) == request_id


@given(st.binary(max_size=80))
def test_whatever_id_came_along_the_answer_stays_whole(value: bytes) -> None:
    refusals = Refusals(SetClock(NOW_MS))
    headers, body = split(
        refusals.told(problem(HTTPStatus(404), detail="no"), b"GET", b"/", [(b"x-request-id", value)])
    )
    assert msgspec.json.decode(body)["requestId"] == headers["x-request-id"]


def test_the_query_is_never_logged(refusals: Refusals, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    refusals.told(problem(HTTPStatus(401), detail="no"), b"GET", b"/v1/popular?key=ffpub_x&brand=abc", [])
    assert lines_of(caplog)[0]["path"] == "/v1/popular"


def test_a_flood_of_refusals_is_no_flood_of_lines(
    refusals: Refusals, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for _ in range(LINES_A_SECOND_MAX + 30):
        refusals.log(404, b"", request_id="x", method=b"GET", target=b"/")
    assert len(caplog.records) == LINES_A_SECOND_MAX
    clock.advance(1_000)
    refusals.log(404, b"", request_id="x", method=b"GET", target=b"/")
    assert lines_of(caplog)[-1]["unlogged"] == 30
    refusals.log(404, b"", request_id="x", method=b"GET", target=b"/")
    assert "unlogged" not in lines_of(caplog)[-1]


@pytest.mark.parametrize(("status", "level"), [(400, "INFO"), (499, "INFO"), (500, "WARNING"), (503, "WARNING")])
def test_what_the_server_could_not_do_is_graver(
    refusals: Refusals, caplog: pytest.LogCaptureFixture, status: int, level: str
) -> None:
    caplog.set_level(logging.INFO)
    refusals.log(status, b"", request_id="x", method=b"GET", target=b"/")
    assert caplog.records[0].levelname == level
