"""Hits are sent in the background: in batches, again when it failed, and never at the program's cost."""

import logging
import threading
from datetime import UTC, datetime

import pytest

from footfall.accounts.signatures import signature_from_header, signer_of
from footfall.client import Options, Refusal
from footfall.client.calls import retry_after_ms
from tests.client.conftest import QUICK, Opening
from tests.client.listener import Listener, Told

BUSY = Told(503, {"detail": "the disk is full"}, {"Retry-After": "0"})


def test_a_hit_is_sent_with_all_that_was_said(opened: Opening, listener: Listener) -> None:
    client = opened(key="ffsec_x")
    client.hit(
        42,
        section=563,
        type="article",
        paid="free",
        url="https://news.example/a",
        referrer="https://news.example/",
        at=datetime(2026, 11, 15, 14, 30, tzinfo=UTC),
        visitor="m-7",
        id="h-1",
        agent="Mozilla/5.0",
    )
    assert client.flush()
    (heard,) = listener.heard
    assert (heard.method, heard.target) == ("POST", "/v1/hits")
    assert heard.headers["authorization"] == "Bearer ffsec_x"
    assert heard.hits() == [
        {
            "brand": "abc",
            "assetId": 42,
            "sectionId": 563,
            "resourceType": "article",
            "paidType": "free",
            "url": "https://news.example/a",
            "referrer": "https://news.example/",
            "at": "2026-11-15T14:30:00+00:00",
            "visitor": "m-7",
            "id": "h-1",
            "agent": "Mozilla/5.0",
        }
    ]


def test_every_try_is_signed_anew_over_the_bytes_that_travel(opened: Opening, listener: Listener) -> None:
    listener.told = [BUSY]
    client = opened(key="ffsec_x", signing_key="ffsig_c_d", options=Options(linger_ms=200))
    for number in range(100):
        client.hit(f"asset {number}")
    assert client.flush()
    signatures = [signature_from_header(heard.headers["footfall-signature"]) for heard in listener.heard]
    assert len({one.nonce for one in signatures}) == len(listener.heard) >= 2
    for heard, signature in zip(listener.heard, signatures, strict=True):
        assert heard.headers["content-encoding"] == "gzip"
        assert signer_of(signature, ["ffsig_c_d"], heard.body) == 0


def test_a_hit_keeps_the_moment_it_was_handed_over(opened: Opening, listener: Listener) -> None:
    moments = iter(range(1_800_000_000_000, 1_800_000_000_100))
    client = opened(clock=lambda: next(moments))
    client.hit("a")
    assert client.flush()
    assert listener.heard[0].hits() == [{"brand": "abc", "assetId": "a", "at": 1_800_000_000_000}]


def test_hits_travel_in_batches_and_compressed(opened: Opening, listener: Listener) -> None:
    client = opened(options=Options(batch_hits_max=100, linger_ms=60_000))
    listener.gate.clear()
    for number in range(250):
        client.hit(number)
    listener.gate.set()
    assert client.flush()
    assert [len(heard.hits()) for heard in listener.heard] == [100, 100, 50]
    assert listener.heard[0].headers["content-encoding"] == "gzip"
    assert len({heard.headers["idempotency-key"] for heard in listener.heard}) == 3


@pytest.mark.parametrize("trouble", [BUSY, Told(429, {}, {"Retry-After": "0"}), Told(0), Told(408, {})])
def test_what_failed_is_sent_again_as_it_was(opened: Opening, listener: Listener, trouble: Told) -> None:
    client = opened()
    listener.told = [trouble, trouble]
    client.hit("a")
    assert client.flush(10)
    first, *others = listener.heard
    assert len(others) >= 2
    assert all(other.body == first.body for other in others)
    assert {other.headers["idempotency-key"] for other in others} == {first.headers["idempotency-key"]}
    assert client.counts().sent == 1


def test_the_server_says_how_long_to_wait() -> None:
    now_ms = 1_800_000_000_000
    assert retry_after_ms("2", now_ms=now_ms) == 2_000
    assert retry_after_ms("Fri, 15 Jan 2027 08:00:05 GMT", now_ms=now_ms) == 5_000
    assert retry_after_ms("999999", now_ms=now_ms) == 60_000
    assert retry_after_ms("Fri, 15 Jan 2016 08:00:05 GMT", now_ms=now_ms) == 0
    assert retry_after_ms("soon", now_ms=now_ms) == 0


def test_a_refused_hit_is_reported_and_the_others_are_in(opened: Opening, listener: Listener) -> None:
    refused: list[Refusal] = []
    client = opened(on_refused=refused.append)
    body = {"accepted": 1, "duplicates": 0, "refused": [{"index": 1, "field": "assetId", "reason": "is empty"}]}
    listener.told = [Told(202, body)]
    client.hit("a")
    client.hit("")
    assert client.flush()
    assert [(one.field, one.reason) for one in refused] == [("assetId", "is empty")]
    assert (client.counts().sent, client.counts().refused) == (1, 1)


def test_a_refused_batch_is_not_sent_again(opened: Opening, listener: Listener) -> None:
    refused: list[Refusal] = []
    client = opened(on_refused=refused.append)
    listener.told = [Told(403, {"title": "Forbidden", "detail": "the key may not write"})]
    client.hit("a")
    assert client.flush()
    assert len(listener.heard) == 1
    assert [one.reason for one in refused] == ["The server refused (403): the key may not write."]


@pytest.mark.parametrize(
    "told", [Told(200, b"<html>Welcome</html>"), Told(301, b"", {"Location": "https://x.example"})]
)
def test_whatever_is_no_footfall_has_taken_nothing(opened: Opening, listener: Listener, told: Told) -> None:
    client = opened()
    listener.told = [told]
    client.hit("a")
    assert client.flush()
    assert (client.counts().sent, client.counts().refused) == (0, 1)


def test_a_hit_that_is_no_hit_costs_only_itself(opened: Opening, listener: Listener) -> None:
    refused: list[Refusal] = []
    client = opened(on_refused=refused.append)
    client.hit("good")
    client.hit(object())  # pyright: ignore[reportArgumentType] - a program's mistake
    client.hit(float("nan"))  # pyright: ignore[reportArgumentType]
    client.hit("also good")
    assert client.flush()
    assert [one["assetId"] for heard in listener.heard for one in heard.hits()] == ["good", "also good"]
    assert len(refused) == 2


def test_a_batch_that_is_too_large_goes_in_halves(opened: Opening, listener: Listener) -> None:
    client = opened(options=Options(batch_hits_max=3, linger_ms=60_000))
    too_large = Told(413, {"detail": "too large"})
    listener.told = [too_large, Told(202, {"accepted": 1}), too_large]
    for name in ("a", "b", "c"):
        client.hit(name)
    assert client.flush()
    assert [[one["assetId"] for one in heard.hits()] for heard in listener.heard] == [
        ["a", "b", "c"],
        ["a"],
        ["b", "c"],
        ["b"],
        ["c"],
    ]
    assert client.counts().sent == 3


def test_a_full_queue_drops_counts_and_tells(
    opened: Opening, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    client = opened(options=Options(queue_hits_max=5, batch_hits_max=1, linger_ms=20))
    listener.gate.clear()
    with caplog.at_level(logging.WARNING, "footfall.client"):
        for number in range(100):
            client.hit(number)
    # One batch may be in hand beside the five that wait.
    assert client.counts().dropped in (94, 95)
    assert caplog.messages == ["hits dropped: 1, the last because the queue is full"]
    listener.gate.set()
    assert client.flush()
    counts = client.counts()
    assert (counts.handed, counts.sent + counts.dropped) == (100, 100)


def test_a_flush_waits_for_what_was_queued_although_later_hits_are_dropped(opened: Opening, listener: Listener) -> None:
    client = opened(options=Options(queue_hits_max=3, batch_hits_max=10, linger_ms=60_000))
    listener.gate.clear()
    for number in range(3):
        client.hit(number)
    assert not client.flush(0.05)
    for number in range(50):
        client.hit(number)
    assert client.counts().dropped >= 40
    assert not client.flush(0.05)
    listener.gate.set()
    assert client.flush()
    assert client.counts().waiting == 0


def test_the_failure_of_the_function_for_refusals_stops_nothing(opened: Opening, listener: Listener) -> None:
    def fail(_: Refusal) -> None:
        raise RuntimeError("the program's own")

    client = opened(on_refused=fail)
    listener.told = [Told(400, {"detail": "no"})]
    client.hit("a")
    assert client.flush()
    client.hit("b")
    assert client.flush()
    assert client.counts().sent == 1


def test_closing_sends_what_is_queued_and_takes_no_more(opened: Opening, listener: Listener) -> None:
    with opened(options=Options(linger_ms=60_000)) as client:
        client.hit("a")
    client.hit("b")
    client.close()
    assert [heard.hits()[0]["assetId"] for heard in listener.heard] == ["a"]
    assert (client.counts().sent, client.counts().dropped) == (1, 1)


def test_closing_does_not_wait_for_a_server_that_is_away(opened: Opening, listener: Listener) -> None:
    client = opened(options=Options(linger_ms=20, batch_hits_max=1))
    listener.told = [BUSY] * 1_000
    client.hit("a")
    client.hit("b")
    client.close(0.3)
    assert client.counts().dropped >= 1
    assert client.counts().sent == 0


def test_a_flush_tells_that_it_was_not_in_time(opened: Opening, listener: Listener) -> None:
    client = opened()
    listener.gate.clear()
    client.hit("a")
    assert not client.flush(0.05)
    listener.gate.set()
    assert client.flush()


def test_many_threads_hand_over_and_nothing_is_lost(opened: Opening, listener: Listener) -> None:
    client = opened(options=QUICK)

    def hand_over() -> None:
        for number in range(500):
            client.hit(number)

    threads = [threading.Thread(target=hand_over) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.flush(10)
    assert sum(len(heard.hits()) for heard in listener.heard) == 4_000
    assert client.counts().sent == 4_000
