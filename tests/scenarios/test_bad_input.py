"""What strangers send: each gets a problem that names the field, and nobody else loses anything."""

import gzip
import json
import time
import zlib
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.scenarios.instance import Answer, Instance, Starter, hit, raw_exchange, rss_bytes_of

MIB = 1_048_576
GOOD = json.dumps(hit("good", "bad"))
MEMORY_BYTES_MAX = 100_000_000  # What one hostile request may cost at most, and that is generous.

# Text of one hit, and the field that its refusal names.
BAD_HITS = {
    "asset is an array": ('{"brand":"bad","assetId":[1]}', "assetId"),
    "asset is an object": ('{"brand":"bad","assetId":{"a":1}}', "assetId"),
    "asset is true": ('{"brand":"bad","assetId":true}', "assetId"),
    "asset is a fraction": ('{"brand":"bad","assetId":1.5}', "assetId"),
    "asset is null": ('{"brand":"bad","assetId":null}', "assetId"),
    "asset is missing": ('{"brand":"bad"}', "assetId"),
    "asset is empty": ('{"brand":"bad","assetId":""}', "assetId"),
    "asset is too long": ('{"brand":"bad","assetId":"%s"}' % ("a" * 257), "assetId"),
    "asset is 2^63": ('{"brand":"bad","assetId":9223372036854775808}', "assetId"),
    "asset is negative": ('{"brand":"bad","assetId":-1}', "assetId"),
    "asset has 5,000 digits": ('{"brand":"bad","assetId":%s}' % ("9" * 5_000), "assetId"),
    "asset is NaN": ('{"brand":"bad","assetId":NaN}', "assetId"),
    "asset is Infinity": ('{"brand":"bad","assetId":Infinity}', "assetId"),
    "asset has a lone surrogate": ('{"brand":"bad","assetId":"\\ud800"}', "assetId"),
    "asset has a zero byte": ('{"brand":"bad","assetId":"a\\u0000b"}', "assetId"),
    "brand is a number": ('{"brand":7,"assetId":1}', "brand"),
    "brand is missing": ('{"assetId":1}', "brand"),
    "brand is no name": ('{"brand":"no such/brand#","assetId":1}', "brand"),
    "section is an object": ('{"brand":"bad","assetId":1,"sectionId":{}}', "sectionId"),
    "type is a number": ('{"brand":"bad","assetId":1,"resourceType":5}', "resourceType"),
    "type is too long": ('{"brand":"bad","assetId":1,"resourceType":"%s"}' % ("t" * 65), "resourceType"),
    "paid type is an array": ('{"brand":"bad","assetId":1,"paidType":[]}', "paidType"),
    "time is a word": ('{"brand":"bad","assetId":1,"at":"yesterday"}', "at"),
    "time is a fraction": ('{"brand":"bad","assetId":1,"at":1.5}', "at"),
    "time is in seconds": ('{"brand":"bad","assetId":1,"at":1800000000}', "at"),
    "time is after the year 9998": ('{"brand":"bad","assetId":1,"at":253370764800000}', "at"),
    "url is a number": ('{"brand":"bad","assetId":1,"url":7}', "url"),
    "id is too long": ('{"brand":"bad","assetId":1,"id":"%s"}' % ("i" * 129), "id"),
    "visitor is false": ('{"brand":"bad","assetId":1,"visitor":false}', "visitor"),
    "a key stands twice": ('{"brand":"bad","assetId":1,"assetId":2}', "assetId"),
    "nested 10,000 deep": ('{"brand":"bad","assetId":' + "[" * 10_000 + "1" + "]" * 10_000 + "}", "body"),
    "not an object": ("7", "body"),
    "not JSON": ('{"brand":"bad","assetId"', "body"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Instance]:
    folder = tmp_path_factory.mktemp("bad-input")
    starter = Starter(folder)
    yield starter.start(folder / "data")
    starter.end_all()


def sent(server: Instance, body: bytes, **headers: str) -> Answer:
    return server.call("POST", "/v1/hits", body, {name.replace("_", "-"): value for name, value in headers.items()})


def require_problem(answer: Answer, status: int, field: str = "") -> None:
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem.get("field", "")) == (status, field), problem
    assert problem["title"]
    assert problem["detail"]


@pytest.mark.parametrize("name", BAD_HITS)
def test_a_bad_hit_gets_a_problem_that_names_its_field(server: Instance, name: str) -> None:
    text, field = BAD_HITS[name]
    if text[0] == "{":
        require_problem(sent(server, text.encode()), 400, field)


@pytest.mark.parametrize("name", [name for name in BAD_HITS if name != "not JSON"])
def test_the_rest_of_a_batch_is_taken(server: Instance, name: str) -> None:
    text, field = BAD_HITS[name]
    lines = "\n".join([GOOD, text, GOOD])
    for body, kind in ((f"[{GOOD},{text},{GOOD}]", "application/json"), (lines, "application/x-ndjson")):
        before = server.ledger("bad")["accepted"]
        answer = sent(server, body.encode(), content_type=kind)
        assert answer.status == 202, answer.body
        result = answer.json()
        assert (result["accepted"], result["refusedCount"]) == (2, 1)
        assert (result["refused"][0]["index"], result["refused"][0]["field"]) == (1, field)
        assert result["refused"][0]["reason"]
        assert server.ledger("bad")["accepted"] == before + 2


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"", {}),
        (b"   ", {}),
        (b"hello", {}),
        (b"null", {}),
        (b'[{"brand":"bad","assetId":1}', {}),
        (b"[" * 10_000, {}),
        (b'{"brand":"bad","assetId":"\xff"}', {}),
        (b"\xef\xbb\xbf{}", {}),
        (b"not gzip", {"content-encoding": "gzip"}),
        (gzip.compress(GOOD.encode())[:-9], {"content-encoding": "gzip"}),
        (b"not zstd", {"content-encoding": "zstd"}),
        (b"x", {"content-encoding": "brotli"}),
        (b"[" + b",".join([b'{"brand":"bad","assetId":1}'] * 5_001) + b"]", {}),
        (GOOD.encode(), {"idempotency-key": "k" * 256}),
    ],
    ids=range(14),
)
def test_a_bad_body_gets_a_problem(server: Instance, body: bytes, headers: dict[str, str]) -> None:
    answer = server.call("POST", "/v1/hits", body, headers)
    assert answer.status in (400, 413, 415), answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["field"]


def test_the_same_key_with_another_body_is_refused_and_with_the_same_counts_once(server: Instance) -> None:
    headers = {"Idempotency-Key": "one"}
    assert server.post([hit(1, "keyed"), hit(2, "keyed")], headers).json() == {"accepted": 2, "duplicates": 0}
    assert server.post([hit(1, "keyed"), hit(2, "keyed")], headers).json() == {"accepted": 2, "duplicates": 2}
    require_problem(server.post([hit(3, "keyed")], headers), 422, "Idempotency-Key")
    assert server.listed("keyed") == {"1": 1, "2": 1}
    assert server.ledger("keyed")["duplicate"] == 2


def test_a_gigabyte_from_a_megabyte_is_refused_and_costs_little(server: Instance) -> None:
    one = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = one.compress(bytes(MIB)) + one.flush(zlib.Z_FULL_FLUSH)
    piece = one.compress(bytes(MIB)) + one.flush(zlib.Z_FULL_FLUSH)  # It stands for itself, so it can be repeated.
    single = b"\x1f\x8b\x08\0\0\0\0\0\0\3" + head + piece * 998
    members = gzip.compress(bytes(MIB), 9) * 980
    before = rss_bytes_of(server.process.pid)
    for bomb in (single, members):
        assert 900_000 < len(bomb) < MIB
        began = time.monotonic()
        require_problem(sent(server, bomb, content_encoding="gzip"), 413)
        assert time.monotonic() - began < 5
    grown = rss_bytes_of(server.process.pid) - before
    print(f"two bombs made the server grow by {grown / 1e6:.1f} MB")
    assert grown < MEMORY_BYTES_MAX


def test_a_body_over_the_limit_is_refused_by_its_length_and_by_its_bytes(server: Instance) -> None:
    require_problem(sent(server, bytes(2 * MIB)), 413)
    head = b"POST /v1/hits HTTP/1.1\r\nHost: x\r\n"
    promised = raw_exchange(server.port, head + b"Content-Length: 99999999999\r\n\r\n")
    assert promised.startswith(b"HTTP/1.1 413 ")
    chunk = b"%x\r\n%b\r\n" % (65_536, bytes(65_536))
    chunked = raw_exchange(server.port, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 40)
    assert chunked.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"\x16\x03\x01\x02\x00hello TLS", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: %b\r\n\r\n" % (b"x" * 20_000), 431),
        (b"POST /v1/hits HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n", 400),
        (b"POST /v1/hits HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        (b"DELETE /v1/hits HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405),
        (b"GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404),
        (b"GET /v1/popular?brand=%ff&period=eternity HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400),
    ],
    ids=range(7),
)
def test_a_request_that_makes_no_sense_is_refused(server: Instance, request_: bytes, status: int) -> None:
    assert raw_exchange(server.port, request_).startswith(b"HTTP/1.1 %d " % status)
    assert server.get("/healthz").status == 200


def test_future_and_ancient_times_are_accepted_and_have_lines_of_their_own(server: Instance) -> None:
    now_ms = int(time.time() * 1_000)
    hour_ms = 3_600_000
    times = [now_ms, now_ms - 2 * hour_ms, now_ms + hour_ms, now_ms - 72 * hour_ms, "1999-12-31T23:59:59Z"]
    answer = server.post([hit(1, "times", at=at) for at in times])
    assert (answer.status, answer.json()["accepted"]) == (202, 5)
    book = server.drained("times")
    assert (book["counted"], book["future"], book["late"]) == (2, 1, 2)


def test_the_server_has_survived_all_of_it(server: Instance) -> None:
    book = server.drained("bad")
    assert book["counted"] == book["accepted"] > 0
    assert "Traceback" not in server.said()
    server.terminate()


def test_an_unknown_brand_is_refused_by_name(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--brand", "known", dev=False)
    answer = instance.post(hit(1, "unknown"))
    assert answer.status in (400, 404)
    assert answer.json()["field"] == "brand"
    both = instance.post([hit(1, "unknown"), hit(1, "known")])
    assert (both.status, both.json()["accepted"]) == (202, 1)
    instance.terminate()
