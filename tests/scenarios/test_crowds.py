"""Too many, too slow, too much at once: everybody is answered, and memory stays bounded."""

import contextlib
import http.client
import json
import resource
import socket
import threading
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.scenarios.instance import Instance, Starter, hit, raw_exchange, received, until

CONNECTIONS = 10_000
FILES_NEEDED = CONNECTIONS + 500
RSS_BYTES_MAX = 400_000_000
SENDERS = 24
LOCK = threading.Lock()
HEAD = b"POST /v1/hits HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


def raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FILES_NEEDED:
        with contextlib.suppress(ValueError, PermissionError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (FILES_NEEDED, FILES_NEEDED))
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < FILES_NEEDED:
        pytest.skip(f"this machine allows {hard} open files; `ulimit -Hn {FILES_NEEDED}` lets this test run")
    if soft < FILES_NEEDED:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES_NEEDED, hard))


def test_ten_thousand_connections_are_all_answered(starter: Starter, data: Path) -> None:
    raise_file_limit()
    instance = starter.start(data, "--set", "http_header_ms_max=60000")
    body = json.dumps(hit("crowd", "crowd")).encode()
    with contextlib.ExitStack() as stack:
        began = time.monotonic()
        lines = [stack.enter_context(connected(instance.port)) for _ in range(CONNECTIONS)]
        idle_bytes = instance.rss_bytes()
        assert instance.get("/healthz").status == 200  # There is room for one more.
        for line in lines:
            line.sendall(HEAD % len(body) + body)
        answers = Counter(line.recv(4_096)[:12] for line in lines)
        took_s = time.monotonic() - began
        print(f"{CONNECTIONS:,} connections answered in {took_s:.1f} s; memory {idle_bytes / 1e6:.0f} MB idle,")
        print(f"{instance.rss_bytes() / 1e6:.0f} MB after")
    assert answers == {b"HTTP/1.1 202": CONNECTIONS}
    assert instance.rss_bytes() < RSS_BYTES_MAX
    assert instance.drained("crowd")["counted"] == CONNECTIONS
    instance.terminate()


def test_connections_beyond_the_limit_are_told_so(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--set", "http_connections_max=16")
    with contextlib.ExitStack() as stack:
        for _ in range(16):
            stack.enter_context(connected(instance.port))
        refused = raw_exchange(instance.port, b"")
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after" in refused.lower()
    until(lambda: raw_exchange(instance.port, b"GET /healthz HTTP/1.0\r\n\r\n")[:12], _is_fine, seconds=5)
    instance.terminate()


def test_slow_senders_are_let_go_and_nobody_else_waits(starter: Starter, data: Path) -> None:
    limits = ("--set", "http_header_ms_max=1000", "--set", "http_body_ms_max=1000")
    instance = starter.start(data, *limits)
    body = json.dumps(hit("slow", "slow")).encode()
    whole = HEAD % len(body) + body
    in_the_head, in_the_body = 20, whole.index(b"\r\n\r\n") + 8
    ends: list[bytes] = []
    slow = [
        threading.Thread(target=lambda at=at: ends.append(dripped(instance.port, whole, at)))
        for at in (in_the_head, in_the_body) * 10
    ]
    for thread in slow:
        thread.start()
    meanwhile = 0
    while any(thread.is_alive() for thread in slow):
        assert instance.post(hit("quick", "quick")).status == 202
        meanwhile += not ends  # All of the slow ones are still at it.
        time.sleep(0.02)
    assert meanwhile > 0
    assert len(ends) == len(slow)
    assert all(end == b"" or end.startswith(b"HTTP/1.1 408 ") for end in ends)
    assert sum(end.startswith(b"HTTP/1.1 408 ") for end in ends) >= 10
    assert instance.ledger("slow")["accepted"] == 0
    instance.terminate()


def test_a_body_that_is_cut_off_counts_for_nothing(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    body = json.dumps([hit("half", "half")] * 100).encode()
    for cut in (10, len(body) // 2, len(body) - 1):
        with connected(instance.port) as line:
            line.sendall(HEAD % len(body) + body[:cut])
        with connected(instance.port) as line:
            line.sendall(HEAD % len(body) + body[:cut])
            line.shutdown(socket.SHUT_WR)
            answer = received(line)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
    assert instance.post(hit("whole", "half")).status == 202
    assert instance.listed("half") == {"whole": 1}
    instance.terminate()


def test_too_much_at_once_gets_429_and_every_2xx_is_counted(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--set", "http_pending_bytes_max=1048576")
    body = json.dumps([hit(f"{'a' * 120}{number}", "flood") for number in range(3_500)]).encode()
    assert 700_000 < len(body) < 1_048_576
    tally: Counter[object] = Counter()
    all_half_way = threading.Barrier(SENDERS)
    senders = [threading.Thread(target=flood, args=(instance, body, tally, all_half_way)) for _ in range(SENDERS)]
    for thread in senders:
        thread.start()
    highest = 0
    while any(thread.is_alive() for thread in senders):
        highest = max(highest, instance.rss_bytes())
        time.sleep(0.05)
    print(f"{dict(tally)}, memory {highest / 1e6:.0f} MB at most")
    assert tally[202] > 0
    assert tally[429] > 0
    assert tally["without Retry-After"] == 0
    assert highest < RSS_BYTES_MAX
    accepted = instance.drained("flood", seconds=30)["counted"]
    assert tally[202] * 3_500 <= accepted <= (tally[202] + tally[None]) * 3_500
    instance.terminate()


def flood(instance: Instance, body: bytes, tally: Counter[object], all_half_way: threading.Barrier) -> None:
    """Post a large batch when everybody else has sent half of one, then some more; note how each was answered."""

    def halves() -> Generator[bytes]:
        yield body[: len(body) // 2]
        with contextlib.suppress(threading.BrokenBarrierError):
            all_half_way.wait(5)
        yield body[len(body) // 2 :]

    for number in range(4):
        status, retry_after = None, ""
        line = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=30)
        try:
            line.request("POST", "/v1/hits", body if number else halves(), {"Content-Length": str(len(body))})
            answer = line.getresponse()
            status, retry_after = answer.status, answer.getheader("Retry-After", "")
        except (OSError, http.client.HTTPException):
            pass  # Cut off while sending: it knows nothing.
        finally:
            line.close()
        with LOCK:
            tally[status] += 1
            tally["without Retry-After"] += status == 429 and not retry_after.isdigit()


def dripped(port: int, request: bytes, start: int) -> bytes:
    """Send the beginning at once and the rest a byte at a time; return what came back when the line was cut."""
    with connected(port) as line:
        line.sendall(request[:start])
        line.settimeout(0.1)
        for place in range(start, len(request) - 1):
            with contextlib.suppress(TimeoutError, ConnectionError):
                line.sendall(request[place : place + 1])
                return line.recv(4_096)
        line.settimeout(5)
        return received(line)


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def _is_fine(start: bytes) -> bool:
    return start == b"HTTP/1.1 200"
