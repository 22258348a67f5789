"""nginx in front, as docs/caching.md has it: lists from the cache and never too old, hits straight through."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass

import pytest

from bench.client import Client
from bench.nginx import Nginx, share_of_cache
from bench.queries import Questions
from tests.scenarios.instance import Answer, Instance, Starter, hit, until
from tests.scenarios.test_proxies import visitors_of

BRAND = "bench"  # whose lists the questions of the benchmark ask for
QUICK_S = 1  # the cache time of a period that is made for this test
SETTINGS = ("--set", f"periods=quick=5m/1m/{QUICK_S}s", "--set", "http_trusted_proxies=127.0.0.1/32")


@dataclass(frozen=True, slots=True)
class House:
    """A footfall and the nginx before it. The tests share one, each with a brand of its own."""

    origin: Instance
    front: Nginx
    starter: Starter


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    place = tmp_path_factory.mktemp("house")
    starter = Starter(place)
    try:
        origin = starter.start(place / "data", *SETTINGS)
        with Nginx(place / "nginx", origin_port=origin.port) as front:
            yield House(origin, front, starter)
    finally:
        starter.end_all()


def asked(front: Nginx, query: str, *, path: str = "/v1/popular", **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=30)
    with contextlib.closing(connection):
        connection.request("GET", f"{path}?{query}", headers=headers)
        answer = connection.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())


def said(answer: Answer) -> str:
    return answer.headers["x-cache"]


def listed(answer: Answer) -> list[tuple[str, int]]:
    return [(item["assetId"], item["hits"]) for item in answer.json()["items"]]


def test_the_thesis_mix_is_served_by_the_cache(house: House) -> None:
    assert house.origin.post([hit(number, BRAND) for number in range(100)]).status == 202
    house.origin.drained(BRAND)
    before = house.front.statuses().total()
    targets, order = Questions(seed=5).mix(20, length=3_000)
    for begin in range(0, len(order), 500):  # nginx ends a connection after a thousand requests.
        client = Client(house.front.port)
        for place in order[begin : begin + 500]:
            assert client.get(targets[place]).status == 200
        client.close()
    statuses = statuses_after(house.front, before, len(order))
    assert statuses["MISS"] <= len(targets)
    assert share_of_cache(statuses) >= 0.99, statuses


def test_one_question_is_one_entry_and_no_spelling_gets_another_questions_list(house: House) -> None:
    hits = [hit(number, "spelled", sectionId=number % 5) for number in range(50)]
    assert house.origin.post(hits).status == 202
    house.origin.listed("spelled", period="week")
    plain = "brand=spelled&period=day"
    same = [f"{plain}&section=1", "section=1&period=day&brand=spelled", f"limit=100&section=1&{plain}"]
    assert [said(asked(house.front, query)) for query in same] == ["MISS", "HIT", "HIT"]
    ends = ("from=2026-10-01T00:00Z", "to=2026-11-01T00:00Z")
    same = [f"brand=spelled&{ends[0]}&{ends[1]}", f"{ends[1]}&brand=spelled&limit=100&{ends[0]}"]
    assert [said(asked(house.front, query)) for query in same] == ["MISS", "HIT"]
    for query in (f"{same[0]}&period=justnow", f"brand=spelled&{ends[0]}"):
        assert asked(house.front, query).status == 400, query
    others = [
        f"{plain}&section=1&section=2",  # repeated: nginx alone would see the first only
        f"{plain}&sec%74ion=2",  # escaped: nginx alone would see none
        f"{plain}&section=1&limit=3",
        f"{plain}&section=2",
        plain,
        "brand=spelled&period=week&section=1",
        "brand=spelled&from=2026-10-01T00:00Z&to=2026-10-02T00:00Z",
    ]
    for query in [*others, *others]:
        assert listed(asked(house.front, query)) == listed(house.origin.get(f"/v1/popular?{query}")), query
    for query in (f"Section=2&{plain}&section=1", f"{plain}&section=1&other=2", "brand=spelled&period="):
        assert [asked(house.front, query).status for _ in range(2)] == [400, 400], query


def test_errors_and_what_needs_a_key_are_not_kept(house: House) -> None:
    refused = [asked(house.front, "brand=keyed&period=x") for _ in range(2)]
    assert [(one.status, said(one)) for one in refused] == [(400, "MISS")] * 2
    with_key = [asked(house.front, "brand=keyed", Authorization="Bearer ffsec_x") for _ in range(2)]
    assert [said(one) for one in with_key] == ["BYPASS", "BYPASS"]
    assert said(asked(house.front, "brand=keyed")) == "MISS"  # What was answered to a key is not given to others.


def test_those_who_ask_at_once_for_a_new_list_cost_one_call(house: House) -> None:
    assert house.origin.post(hit(1, "crowd")).status == 202
    before = house.front.statuses().total()
    threads = [threading.Thread(target=asked, args=(house.front, "brand=crowd&period=week")) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses_after(house.front, before, len(threads)) == Counter(HIT=19, MISS=1)


def test_no_list_is_older_than_its_cache_time_while_counts_move(house: House) -> None:
    fetched_at_s: dict[str, float] = {}  # of each version of the list: when it was surely in the cache
    seen = Counter[str]()
    sent = 0
    give_up_at_s = time.monotonic() + 20
    while (not seen["EXPIRED"] or seen["HIT"] < 20) and time.monotonic() < give_up_at_s:
        sent += 1
        assert house.origin.post(hit(sent, "moving")).status == 202
        asked_at_s = time.monotonic()
        answer = asked(house.front, "brand=moving&period=quick")
        version = answer.headers["etag"] + answer.headers["date"]
        seen[said(answer)] += 1
        fetched_at_s.setdefault(version, time.monotonic())
        # nginx counts in whole seconds, so a list may be a second older at most.
        assert asked_at_s - fetched_at_s[version] <= QUICK_S + 1, seen
        time.sleep(0.02)
    assert seen["EXPIRED"] >= 1
    assert set(seen) == {"MISS", "HIT", "EXPIRED"}
    everything = min(sent, 100)
    until(
        lambda: len(asked(house.front, "brand=moving&period=quick").json()["items"]),
        lambda it: it == everything,
        seconds=10,
    )


def test_a_box_is_kept_like_its_list_and_an_error_is_not(house: House) -> None:
    assert house.origin.post(hit("https://www.example.com/1", "boxed")).status == 202
    title = b'[{"assetId": "https://www.example.com/1", "title": "One"}]'
    assert house.origin.call("PUT", "/v1/assets?brand=boxed", title).status == 200
    house.origin.drained("boxed")
    query = "brand=boxed&limit=3"
    until(lambda: house.origin.call("GET", f"/v1/widget?{query}").body, lambda body: b">One</a>" in body, seconds=10)
    first, second = (asked(house.front, query, path="/v1/widget") for _ in range(2))
    assert (said(first), said(second), first.body) == ("MISS", "HIT", second.body)
    assert b">One</a>" in first.body
    assert said(asked(house.front, f"{query}&title=Other", path="/v1/widget")) == "MISS"
    for _ in range(2):
        refused = asked(house.front, "brand=boxed&limit=99", path="/v1/widget")
        assert (refused.status, refused.body, said(refused)) == (400, b"", "MISS")


def test_hits_pass_through_with_the_address_that_nginx_saw(house: House) -> None:
    for source, forged in (("127.0.0.2", ""), ("127.0.0.3", ""), ("127.0.0.2", "198.51.100.1")):
        headers = f"X-Forwarded-For: {forged}\r\n" if forged else ""
        assert posted(house.front, source, headers) == 202
    first, other, forging = visitors_of(house.origin.data)[-3:]
    assert first != other
    assert first == forging
    assert house.front.access_log.read_text(encoding="utf-8") == ""  # It has seen the addresses and kept none.


def test_the_last_good_list_is_served_while_footfall_is_away(house: House) -> None:
    origin, front = house.origin, house.front
    assert origin.post([hit(1, "away"), hit(2, "away")]).status == 202
    origin.listed("away", period="quick")
    good = asked(front, "brand=away&period=quick")
    assert len(good.json()["items"]) == 2
    origin.kill()
    stale = until(lambda: asked(front, "brand=away&period=quick"), lambda it: said(it) == "STALE", seconds=10)
    assert (stale.status, stale.body) == (200, good.body)
    assert stale.headers["date"] == good.headers["date"]  # A browser can tell that it is an old one.
    assert asked(front, "brand=away&period=quick&limit=9").status == 502  # never asked before
    # It comes back on its own port, so that the house is whole again.
    again = house.starter.start(origin.data, *SETTINGS, port=origin.port)
    assert again.post(hit(3, "away")).status == 202
    fresh = until(
        lambda: asked(front, "brand=away&period=quick"),
        lambda it: len(it.json()["items"]) == 3,
        seconds=15,
    )
    assert said(fresh) in ("EXPIRED", "HIT")


def statuses_after(front: Nginx, before: int, count: int) -> Counter[str]:
    """Return what the cache said to that many requests; it writes its log just after it has answered."""
    return until(lambda: front.statuses(after=before), lambda it: it.total() == count, seconds=5)


def posted(front: Nginx, source: str, headers: str) -> int:
    """Send one hit from an address of this machine and return the status."""
    body = json.dumps(hit(1))
    head = f"POST /v1/hits HTTP/1.1\r\nHost: x\r\nUser-Agent: Reader/1.0\r\nConnection: close\r\n{headers}"
    with socket.create_connection(("127.0.0.1", front.port), timeout=20, source_address=(source, 0)) as line:
        line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        with line.makefile("rb") as answer:
            return int(answer.readline().split()[1])
