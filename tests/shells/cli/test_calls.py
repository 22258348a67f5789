"""Calls to a server: a kept connection, a dead one, patience."""

from contextlib import closing
from typing import Any

import pytest

from footfall.shells.cli.calls import Caller, Reply, Unreachable, call_patiently, retry_after_s


def test_two_calls_share_one_connection(server: Any) -> None:
    server.answer({})
    with closing(Caller(server.url)) as caller:
        caller.call("GET", "/a")
        caller.call("GET", "/b")
    assert len({asked.connection for asked in server.asked}) == 1


def test_a_kept_connection_that_has_died_is_opened_again(server: Any) -> None:
    server.answer({})
    server.answer(b"", status=0)
    server.answer({"fine": True})
    with closing(Caller(server.url)) as caller:
        caller.call("GET", "/a")
        assert caller.call("POST", "/b", body=b"x").table() == {"fine": True}
    assert [asked.path for asked in server.asked] == ["/a", "/b", "/b"]
    assert len({asked.connection for asked in server.asked}) == 2


def test_a_fresh_connection_that_dies_is_unreachable(server: Any) -> None:
    server.answer(b"", status=0)
    with closing(Caller(server.url)) as caller, pytest.raises(Unreachable, match="Cannot reach"):
        caller.call("GET", "/a")


def test_a_server_that_does_not_answer_in_time_is_unreachable() -> None:
    import socket

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with closing(Caller(url, timeout_s=0.05)) as caller, pytest.raises(Unreachable, match="no answer in time"):
            caller.call("GET", "/a")


def test_patience_waits_longer_each_time_and_follows_retry_after() -> None:
    replies = [Reply(503, {}, b""), Reply(429, {"retry-after": "3"}, b""), Reply(503, {}, b""), Reply(200, {}, b"")]
    pauses: list[float] = []
    said: list[str] = []
    reply = call_patiently(lambda: replies.pop(0), pause=pauses.append, tries_max=None, on_wait=said.append)
    assert reply.status == 200
    assert pauses == [0.25, 3.0, 1.0]
    assert said[0] == "The server is busy (503)."


def test_patience_ends_with_the_last_answer() -> None:
    pauses: list[float] = []
    reply = call_patiently(lambda: Reply(503, {}, b""), pause=pauses.append, tries_max=3, on_wait=lambda _why: None)
    assert reply.status == 503
    assert len(pauses) == 2


def test_patience_ends_with_the_last_error() -> None:
    def call() -> Reply:
        raise Unreachable("gone")

    with pytest.raises(Unreachable, match="gone"):
        call_patiently(call, pause=lambda _seconds: None, tries_max=2, on_wait=lambda _why: None)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2", 2.0), ("0", 0.0), ("-5", 0.0), ("99999", 60.0), ("", None), ("nan", None), ("Sun, 15 Nov 2026", None)],
)
def test_retry_after_is_followed_within_reason(text: str, seconds: float | None) -> None:
    assert retry_after_s(text) == seconds
