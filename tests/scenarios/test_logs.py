"""The log of an instance that is sent keys, addresses and odd headers holds none of them, and every refusal's id."""

import json
import socket
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.scenarios.instance import Starter, raw_exchange, until

SECRETS = ["ffsec_0a1b2c3d4e5f60718293", "ffpub_9f8e7d6c5b4a39281706"]
ADDRESSES = ["203.0.113.201", "2001:db8:7a7a::beef", "198.51.100.77"]
ODD = "Zyxwvut-Odd-Header"


@pytest.fixture
def supervisor(tmp_path: Path) -> Generator[socket.socket]:
    """Listen as a service supervisor does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(15)
        yield listening


def test_the_log_holds_ids_and_no_secrets_and_the_supervisor_is_told(
    starter: Starter, data: Path, supervisor: socket.socket
) -> None:
    told = {"NOTIFY_SOCKET": supervisor.getsockname(), "WATCHDOG_USEC": "1000000"}
    instance = starter.start(data, "--log-level", "debug", "--set", "log_format=json", env=told)
    headers = {
        "Authorization": f"Bearer {SECRETS[0]}",
        "X-Forwarded-For": f"{ADDRESSES[0]}, {ADDRESSES[1]}",
        "User-Agent": ODD,
        "X-Odd": ODD,
        "Cookie": f"session={SECRETS[0]}",
    }
    answers = [
        instance.call("POST", f"/v1/hits?key={SECRETS[1]}", b'{"brand": "abc"}', headers),
        instance.call("POST", "/v1/hits", json.dumps({"brand": ADDRESSES[2], "assetId": 1}).encode(), headers),
        instance.call("POST", "/v1/hits", json.dumps({"brand": SECRETS[0], "assetId": 1}).encode(), headers),
        instance.call("GET", f"/v1/popular?brand=abc&key={SECRETS[0]}&period=never", headers=headers),
        instance.call("GET", f"/{ADDRESSES[0]}/{SECRETS[0]}?key={SECRETS[1]}", headers=headers),
        instance.call("DELETE", "/v1/popular", headers={**headers, "X-Request-Id": "0123-given-by-a-proxy"}),
        instance.call("GET", "/v1/ledger", headers={**headers, "X-Request-Id": ADDRESSES[0]}),
    ]
    assert all(answer.status >= 400 for answer in answers), [answer.status for answer in answers]
    raw_exchange(instance.port, f"GARBAGE {SECRETS[0]} {ADDRESSES[0]}\r\n\r\n".encode())
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert ids == [answer.json()["requestId"] for answer in answers]
    assert ids[5] == "0123-given-by-a-proxy"
    assert len(set(ids)) == len(ids)
    instance.terminate()
    assert supervisor.recv(100) == b"READY=1"
    assert until(lambda: supervisor.recv(100), lambda told: told != b"WATCHDOG=1", seconds=10) == b"STOPPING=1"

    said = instance.said()
    told = ("footfall is on ", "nobody owns it yet: ")  # to whoever started it
    lines = [json.loads(line) for line in said.splitlines() if not line.startswith(told)]
    by_id = {line["requestId"]: line for line in lines if "requestId" in line}
    assert [by_id[one]["status"] for one in ids] == [answer.status for answer in answers]
    assert {"time", "level", "process", "event"} <= set.intersection(*(set(line) for line in lines))
    assert [text for text in (*SECRETS, *ADDRESSES, ODD) if text in said] == []
