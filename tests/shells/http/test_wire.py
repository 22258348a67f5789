"""Responses as bytes: every one is whole, and those without a body say nothing of its length."""

import pytest

from footfall.shells.http.wire import closing, date_line, dated, response, response_head

NOON_MS = 1_794_744_000_000


def test_a_response_says_its_kind_and_its_length() -> None:
    assert response(200, b"{}") == b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    whole = response(202, b"x", kind="text/plain", headers={"a": "1", "b": "2"})
    assert whole == b"HTTP/1.1 202 Accepted\r\ncontent-type: text/plain\r\ncontent-length: 1\r\na: 1\r\nb: 2\r\n\r\nx"


@pytest.mark.parametrize("status", [204, 304])
def test_a_response_that_never_has_a_body_names_no_length(status: int) -> None:
    whole = response(status, b"", headers={"etag": '"1"'})
    assert b"content-" not in whole
    assert whole.endswith(b'\r\netag: "1"\r\n\r\n')


def test_the_date_goes_right_after_the_status() -> None:
    line = date_line(NOON_MS)
    assert line == b"date: Sun, 15 Nov 2026 12:00:00 GMT\r\n"
    assert dated(response(200, b"\r\n"), line) == response(200, b"\r\n").replace(b"OK\r\n", b"OK\r\n" + line)


def test_a_last_response_says_so_once_and_leaves_the_body_alone() -> None:
    whole = closing(response(200, b"a\r\nb"))
    assert whole.startswith(b"HTTP/1.1 200 OK\r\nconnection: close\r\n")
    assert whole.endswith(b"\r\n\r\na\r\nb")
    assert whole.count(b"connection: close") == 1


def test_a_head_alone_has_its_date_and_its_headers() -> None:
    head = response_head(404, [(b"x", b"1")], b"date: d\r\n")
    assert head == b"HTTP/1.1 404 Not Found\r\ndate: d\r\nx: 1\r\n\r\n"
