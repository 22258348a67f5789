"""Lists are asked for once per cache time, and the last good one is there when the server is not."""

import threading
from datetime import UTC, datetime

import pytest

from footfall.client import Footfall, NotAnAddress, RefusedByServer, Unreachable
from footfall.client.lists import canonical_query
from footfall.flow.serve.query import canonical, popular_query
from footfall.values.period import DEFAULT_PERIODS
from tests.client.conftest import Opening
from tests.client.listener import Listener, Told

ITEM = {
    "rank": 1,
    "change": 2,
    "assetId": "132141398",
    "hits": 258,
    "sectionId": 563,
    "resourceType": "article",
    "paidType": None,
    "title": "A title",
    "somethingNew": [1],
}
LIST = {
    "brand": "abc",
    "period": "day",
    "from": "2026-11-14T16:00:00Z",
    "to": "2026-11-15T16:32:10Z",
    "exact": True,
    "items": [ITEM],
}
FRESH = {"Cache-Control": "public, max-age=60, stale-if-error=600", "ETag": '"1"'}
OLD = {"Cache-Control": "public, max-age=0, stale-if-error=600", "ETag": '"1"'}


def test_a_list_has_types(opened: Opening, listener: Listener) -> None:
    listener.told = [Told(200, LIST, FRESH)]
    found = opened().popular(period="day")
    (item,) = found
    assert (item.rank, item.change, item.asset, item.hits, item.section) == (1, 2, "132141398", 258, "563")
    assert (item.type, item.paid, item.title, item.hits_at_most) == ("article", "", "A title", None)
    assert item.more == {"somethingNew": [1]}
    assert (found.starts, found.exact, found.is_stale) == (datetime(2026, 11, 14, 16, tzinfo=UTC), True, False)


def test_a_list_by_visitors_says_what_they_are_and_how_far_they_are_known(opened: Opening, listener: Listener) -> None:
    item = ITEM | {"uniques": 90, "uniquesAtLeast": 88, "uniquesAtMost": None}
    listener.told = [Told(200, LIST | {"sort": "uniques", "uniquesAre": "visitorDays", "items": [item]}, FRESH)]
    found = opened().popular(period="day", sort="uniques")
    assert found.uniques_are == "visitorDays"
    assert (found.items[0].uniques, found.items[0].uniques_at_least, found.items[0].uniques_at_most) == (90, 88, None)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "brand=abc&period=justnow"),
        ({"period": "day", "section": 563, "limit": 5}, "brand=abc&limit=5&period=day&section=563"),
        ({"section": [9, "7", 9], "type": "article", "limit": 100}, "brand=abc&resourceType=article&section=7,9"),
        (
            {"paid": ("free", "a b&c"), "closed": True, "brand": "other"},
            "brand=other&closed=true&paidType=a b%26c,free",
        ),
        (
            {"starts": datetime(2026, 11, 1, tzinfo=UTC), "ends": "2026-11-02T00:00Z"},
            "brand=abc&from=2026-11-01T00:00Z&to=2026-11-02T00:00Z",
        ),
    ],
)
def test_a_question_is_asked_in_the_words_of_the_cache_key(
    opened: Opening, listener: Listener, asked: dict[str, object], said: str
) -> None:
    listener.told = [Told(200, LIST, FRESH)]
    opened().popular(**asked)  # pyright: ignore[reportArgumentType]
    target = listener.heard[0].target.removeprefix("/v1/popular?")
    assert target == canonical(popular_query(said, periods=DEFAULT_PERIODS))


def test_other_filters_are_passed_on() -> None:
    assert canonical_query({"tag": ["b", "a"], "author": "Ann Lee", "exclude": None}) == "author=Ann%20Lee&tag=a,b"


def test_a_fresh_list_is_not_asked_for_again(opened: Opening, listener: Listener) -> None:
    client = opened()
    listener.told = [Told(200, LIST, FRESH), Told(200, LIST, FRESH)]
    assert client.popular(period="day") == client.popular(period="day")
    assert len(listener.heard) == 1
    client.popular(period="week")
    assert len(listener.heard) == 2


@pytest.mark.parametrize("age", [{"Age": "60"}, {"Age": "3600"}])
def test_the_age_that_a_cache_states_is_counted(opened: Opening, listener: Listener, age: dict[str, str]) -> None:
    client = opened()
    listener.told = [Told(200, LIST, {**FRESH, **age})] * 2
    client.popular()
    client.popular()
    assert len(listener.heard) == 2


def test_without_an_age_the_date_tells_how_old_a_list_is(opened: Opening, listener: Listener) -> None:
    # The listener states today's date, which for this clock is far in the past.
    client = opened(clock=lambda: 4_000_000_000_000)
    listener.told = [Told(200, LIST, FRESH)] * 2
    client.popular()
    client.popular()
    assert len(listener.heard) == 2


def test_an_old_list_is_asked_for_by_its_etag(opened: Opening, listener: Listener) -> None:
    client = opened()
    listener.told = [Told(200, LIST, OLD), Told(304, b"", FRESH)]
    first = client.popular()
    assert client.popular() == first
    assert listener.heard[1].headers["if-none-match"] == '"1"'
    assert client.popular() == first
    assert len(listener.heard) == 2  # The 304 made it fresh.


@pytest.mark.parametrize("trouble", [Told(503, {"detail": "later"}), Told(0), Told(200, b"<html>"), Told(429, {})])
def test_the_last_good_list_is_there_when_the_server_fails(opened: Opening, listener: Listener, trouble: Told) -> None:
    client = opened()
    listener.told = [Told(200, LIST, OLD), trouble, trouble]
    good = client.popular()
    stale = client.popular()
    assert stale.items == good.items
    assert stale.is_stale
    asked = len(listener.heard)
    assert client.popular().is_stale
    assert len(listener.heard) == asked  # A server that fails is not asked at every call.


def test_without_a_good_list_the_failure_is_raised(opened: Opening, listener: Listener) -> None:
    client = opened()
    listener.told = [Told(503, {"detail": "the lists are being read"})]
    with pytest.raises(RefusedByServer, match=r"\(503\): the lists are being read"):
        client.popular()


def test_a_list_that_may_not_be_kept_is_not(opened: Opening, listener: Listener) -> None:
    client = opened()
    listener.told = [Told(200, LIST, {"Cache-Control": "no-store"}), Told(0), Told(0)]
    client.popular()
    with pytest.raises(Unreachable):
        client.popular()


def test_a_question_that_cannot_be_asked_is_refused_with_its_field(opened: Opening, listener: Listener) -> None:
    client = opened()
    listener.told = [Told(400, {"detail": "period: 'x' is not a period", "field": "period"})]
    with pytest.raises(RefusedByServer) as refused:
        client.popular(period="x")
    assert (refused.value.status, refused.value.field) == (400, "period")


def test_threads_that_ask_at_once_share_one_call(opened: Opening, listener: Listener) -> None:
    client = opened()
    listener.told = [Told(200, LIST, FRESH)]
    listener.gate.clear()
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(len(client.popular()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    listener.gate.set()
    for thread in threads:
        thread.join()
    assert found == [1] * 8
    assert len(listener.heard) == 1


def test_threads_that_wait_for_one_answer_share_its_failure(opened: Opening, listener: Listener) -> None:
    client = opened()
    listener.told = [Told(503, {"detail": "later"})] * 8
    listener.gate.clear()
    failed: list[int] = []

    def ask() -> None:
        try:
            client.popular()
        except RefusedByServer as error:
            failed.append(error.status)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    listener.gate.set()
    for thread in threads:
        thread.join()
    assert failed == [503] * 8
    assert len(listener.heard) < 8


def test_the_ledger_has_types(opened: Opening, listener: Listener) -> None:
    lines = ("accepted", "counted", "duplicate", "late", "future", "unlabelled", "dead", "inFlight")
    listener.told = [Told(200, {"brand": "abc", "screened": {"bot": 2}, **dict.fromkeys(lines, 3)})]
    book = opened().ledger()
    assert (book.brand, book.accepted, book.in_flight, book.screened) == ("abc", 3, 3, {"bot": 2})


@pytest.mark.parametrize("url", ["footfall.example.com", "ftp://footfall.example.com", "http://", "http://a:b:c/"])
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(NotAnAddress):
        Footfall(url)


def test_where_nobody_listens_asking_says_so() -> None:
    with Footfall("http://127.0.0.1:9", brand="abc") as client, pytest.raises(Unreachable, match=r"127\.0\.0\.1:9"):
        client.popular()
