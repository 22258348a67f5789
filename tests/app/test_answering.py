"""The answering side reads what changed, answers as bytes, and lets go of what nobody asks for."""

import json
import socket
from typing import Any, cast
from urllib.parse import quote

import pytest

from footfall.accounts.brands import Brand
from footfall.app.answering import ASKED_WITHIN_MS, BOARDS_MAX
from footfall.app.counting import Counting, recounted
from footfall.app.link import Link, Unframed, framed
from footfall.app.past_reading import READ_AGAIN_MS_MIN
from footfall.app.settings import Settings
from footfall.app.turns import Told, Turns
from footfall.catalog.asset import Asset
from footfall.flow.collect.imported import ImportedHits, ImportRules, imported
from footfall.flow.serve.words import Words
from footfall.flow.store import keys
from footfall.ports.table import Delete, Put
from footfall.values.period import JUSTNOW, Period
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, instant_text, window_of
from tests.app.stage import NOON_MS, Instance


def body_of(instance: Instance, query: str) -> dict[str, Any]:
    told = instance.answering.answer(query)
    assert told is not None
    canonical, version, why_not, etag, max_age_s, body = told
    assert (canonical, why_not) == (query, "")
    assert version
    assert etag
    assert max_age_s
    return json.loads(bytes(body))  # pyright: ignore[reportArgumentType]


def version_of(instance: Instance, brand: str) -> object:
    told = instance.answering.answer(f"brand={brand}")
    assert told is not None
    return told[1]


def hits_of(instance: Instance, query: str = "brand=abc") -> dict[str, int]:
    return {item["assetId"]: item["hits"] for item in body_of(instance, query)["items"]}


def test_an_answer_holds_what_was_counted() -> None:
    instance = Instance()
    instance.send("1", "1", "2")
    instance.count()
    assert hits_of(instance) == {"1": 2, "2": 1}
    body = body_of(instance, "brand=abc&limit=1&period=day")
    assert (body["period"], body["exact"], len(body["items"])) == ("day", True, 1)


def test_a_refresh_tells_whose_answers_may_differ() -> None:
    instance = Instance()
    instance.send("1", brand="abc")
    instance.send("1", brand="xyz")
    instance.count()
    versions = {brand: version_of(instance, brand) for brand in ("abc", "xyz")}
    instance.answering.refresh()
    instance.send("1", brand="xyz")
    instance.count()
    (told,) = instance.answering.refresh()
    assert told[0] == "xyz"
    assert told[1] == version_of(instance, "xyz") != versions["xyz"]
    assert hits_of(instance, "brand=xyz") == {"1": 2}


def test_answers_follow_the_windows_as_they_are_built_folded_and_finished() -> None:
    instance = Instance()
    instance.send("1", "2")
    instance.count()
    assert hits_of(instance, "brand=abc&period=week") == {"1": 1, "2": 1}
    sent = 1
    for hours in (2, 3, 13, 14, 26, 60):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        if hours < 24:
            instance.send("1", at_ms=NOON_MS + hours)
        instance.count()
        instance.answering.refresh()
        sent += hours < 24
        assert hits_of(instance, "brand=abc&period=week") == {"1": sent, "2": 1}


def test_a_recount_is_told_to_readers() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    hits_of(instance)
    instance.answering.refresh()
    minute = window_of(NOON_MS, Grain.MINUTE, "UTC")
    instance.table.delete(Delete(keys.head("abc", minute, keys.shard_name(0))))
    instance.counting = Counting(instance.settings, instance.stream, instance.table, clock=instance.clock)
    recounted(instance.counting, "abc", NOON_MS, NOON_MS + MINUTE_MS, on_progress=lambda _: None)
    assert instance.answering.refresh()
    assert hits_of(instance) == {"1": 1}


def test_a_reader_that_was_away_for_longer_than_the_journal_starts_anew() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    hits_of(instance)
    instance.answering.refresh()
    for _ in range(3):
        instance.clock.advance(HOUR_MS)
        instance.send("2")
        instance.count()
    instance.answering.refresh()
    assert hits_of(instance, "brand=abc&period=day") == {"1": 1, "2": 3}


def test_a_store_that_is_another_one_is_read_anew() -> None:
    instance = Instance()
    for _ in range(3):
        instance.send("1")
        instance.count()
    hits_of(instance)
    instance.answering.refresh()
    instance.table.delete(Delete(keys.checkpoint(0)))
    assert hits_of(instance) == {"1": 3}
    instance.answering.refresh()
    assert hits_of(instance) == {"1": 3}


def test_boards_that_nobody_asks_for_are_let_go() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    hits_of(instance)
    instance.clock.advance(ASKED_WITHIN_MS + 1)
    instance.count()
    assert instance.answering.refresh() == []
    instance.clock.advance(DAY_MS)
    assert instance.answering.refresh() == []


def test_boards_are_bounded_in_number() -> None:
    instance = Instance(settings=Settings(dev=True, periods={"justnow": JUSTNOW}))
    instance.count()
    for number in range(BOARDS_MAX + 5):
        instance.answering.answer(f"brand=b{number}")
    assert len(instance.answering._kept) == BOARDS_MAX


def test_a_question_that_makes_no_sense_is_refused() -> None:
    told = Instance().answering.answer("brand=abc&period=never")
    assert told is not None
    assert "'never' is not a period" in str(told[2])


FROM, TO = NOON_MS - 12 * HOUR_MS, NOON_MS + 12 * HOUR_MS
DAY_ASKED = f"brand=abc&from={quote(instant_text(FROM))}&to={quote(instant_text(TO))}"


def read_past(instance: Instance, query: str) -> Told:
    """Ask for a span and let it be read."""
    told = instance.answering.answer(query)
    while told is None:
        found = instance.answering.read_some()
        told = next((one for one in found if one[0] == query), None)
    return told


def past_hits(instance: Instance, query: str = DAY_ASKED) -> dict[str, int]:
    told = read_past(instance, query)
    assert told[2] == ""
    return {item["assetId"]: item["hits"] for item in json.loads(cast(bytes, told[5]))["items"]}


def test_a_past_span_is_read_when_it_is_asked_for_and_kept() -> None:
    instance = Instance()
    instance.send("1", "1", "2")
    instance.count()
    assert instance.answering.answer(DAY_ASKED) is None
    assert instance.answering.is_reading
    assert past_hits(instance) == {"1": 2, "2": 1}
    assert not instance.answering.is_reading
    # Another filter of the same span needs no reading.
    told = instance.answering.answer(DAY_ASKED.replace("abc", "abc&exclude=1"))
    assert told is not None
    assert b'"assetId":"1"' not in cast(bytes, told[5])


def test_a_past_span_is_told_to_differ_when_hits_come_and_read_again_after_a_while() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    instance.answering.refresh()
    first = read_past(instance, DAY_ASKED)
    instance.send("1")
    instance.count()
    ((brand, version),) = instance.answering.refresh()
    assert brand == "abc"
    old = instance.answering.answer(DAY_ASKED)
    assert old is not None
    assert old[5] == first[5]
    assert cast(int, old[1]) >= version  # It may be sent as it is for so long,
    assert instance.answering.refresh() == []
    instance.clock.advance(READ_AGAIN_MS_MIN)
    ((brand, later),) = instance.answering.refresh()  # and is told to differ when that is over.
    assert (brand, later > cast(int, old[1])) == ("abc", True)
    assert past_hits(instance) == {"1": 2}
    again = instance.answering.answer(DAY_ASKED)
    assert again is not None
    assert cast(int, again[1]) >= later
    assert instance.answering.refresh() == []


def test_hits_outside_a_past_span_do_not_touch_it() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    past_hits(instance)
    instance.answering.refresh()
    instance.clock.set(NOON_MS + 3 * DAY_MS)
    for _ in range(2):  # Built, then finished.
        instance.count()
    instance.answering.refresh()
    instance.clock.advance(READ_AGAIN_MS_MIN)
    past_hits(instance)
    instance.answering.refresh()
    instance.send("1")
    instance.count()
    assert instance.answering.refresh() == []
    assert past_hits(instance) == {"1": 1}


def test_a_past_span_becomes_final_without_another_hit() -> None:
    instance = Instance()
    instance.count()
    assert b'"final":false' in cast(bytes, read_past(instance, DAY_ASKED)[5])
    instance.clock.set(TO + 25 * HOUR_MS)
    instance.count()
    assert [brand for brand, _ in instance.answering.refresh()] == ["abc"]
    assert b'"final":true' in cast(bytes, read_past(instance, DAY_ASKED)[5])


def test_a_store_that_fails_fails_the_questions_that_wait_for_a_span() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    minute = window_of(NOON_MS, Grain.MINUTE, "UTC")
    head = keys.head("abc", minute, keys.shard_name(0))
    item = instance.table.get(head)
    assert item is not None
    instance.table.put(Put(head, {**item, "checksum": "wrong"}))
    assert "count the window again" in str(read_past(instance, DAY_ASKED)[2])
    assert not instance.answering.is_reading


def test_series_asked_one_after_the_other_while_hits_flow_are_never_refused() -> None:
    instance = Instance()
    series = [f"/v1/assets/{number}/series?brand=abc&grain=hour" for number in range(40)]
    for number, question in enumerate(series):
        instance.send(*map(str, range(40)))
        instance.count()
        instance.clock.advance(READ_AGAIN_MS_MIN)
        instance.answering.refresh()
        for asked_before in series[:number]:  # As the front does it after every change.
            told = instance.answering.renew(asked_before)
            assert told is None or not told[2]
        told = read_past(instance, question)
        assert told[2] == ""
        assert json.loads(cast(bytes, told[5]))["hits"] == number + 1


def test_what_is_renewed_is_told_when_it_was_read_and_only_what_fails_for_somebody_is_said_to_fail() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    assert instance.answering.renew(DAY_ASKED) is None
    told: list[Told] = []
    while instance.answering.is_reading:
        told += instance.answering.read_some()
    assert [one[0] for one in told] == [DAY_ASKED]
    assert instance.answering.renew("brand=abc&period=never") is None


def test_answers_follow_the_catalogue() -> None:
    instance = Instance()
    instance.send("1", "2")
    instance.count()
    assert "title" not in body_of(instance, "brand=abc")["items"][0]
    past_hits(instance)
    instance.answering.refresh()
    instance.catalogue.put("abc", [Asset("1", title="One", tags=("t",))])
    assert [brand for brand, _ in instance.answering.refresh()] == ["abc"]
    assert body_of(instance, "brand=abc")["items"][0]["title"] == "One"
    assert hits_of(instance, "brand=abc&tag=t") == {"1": 1}
    assert past_hits(instance, DAY_ASKED + "&tag=t") == {"1": 1}
    assert instance.answering.refresh() == []


def test_a_brand_has_periods_of_its_own_and_learns_new_ones() -> None:
    hours = Period("hours", count=3, grain=Grain.HOUR, cache_s=60)
    brands = {"abc": Brand("abc", periods={"hours": hours})}
    instance = Instance(settings=Settings(brands=brands, dev=True))
    instance.send("1")
    instance.count()
    assert hits_of(instance, "brand=abc&period=hours") == {"1": 1}
    told = instance.answering.answer("brand=xyz&period=hours")
    assert told is not None
    assert "is not a period" in str(told[2])
    board = instance.answering._kept["abc"].board
    board.periods = {"hours": hours}  # as if the others had come later
    assert [brand for brand, _ in instance.answering.refresh()] == ["abc"]
    assert hits_of(instance, "brand=abc&period=day") == {"1": 1}


def test_whose_board_was_let_go_is_told() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    version = version_of(instance, "abc")
    instance.clock.advance(ASKED_WITHIN_MS + 1)
    assert instance.answering.refresh() == []
    ((brand, dropped),) = instance.answering.take_dropped()
    assert brand == "abc"
    assert dropped > cast(int, version)
    assert instance.answering.take_dropped() == []


def test_turns_answer_and_tell_until_they_are_stopped() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(10)
        turns = Turns(instance.answering, Link(theirs), refresh_s=60)
        for kind in ("ask", "renew"):
            ours.sendall(framed([kind, ["brand=abc"]]))
            assert turns.take()
            answers = next(message for message in Unframed().feed(ours.recv(65_536)) if message[0] == "answers")
            assert [(answer[0], json.loads(answer[5])["brand"]) for answer in answers[1]] == [("brand=abc", "abc")]
        ours.sendall(framed(["ask", [DAY_ASKED]]))
        told: list[Any] = []
        unframed = Unframed()
        while not told:
            assert turns.take()
            told = [
                one for message in unframed.feed(ours.recv(65_536)) if message[0] == "answers" for one in message[1]
            ]
        assert json.loads(told[0][5])["items"][0]["assetId"] == "1"
        ours.sendall(framed(["stop"]))
        assert not turns.take()
        assert Unframed().feed(ours.recv(65_536)) == [["stopped"]]


def test_an_hour_that_has_gone_stays_unknown_when_a_hit_of_it_is_imported() -> None:
    instance = Instance()
    hour_ms = NOON_MS - 12 * HOUR_MS
    instance.clock.set(hour_ms + 30 * MINUTE_MS)
    instance.send("old", "old")
    instance.count()
    # The hour is built, folded and finished; at last it expires, while later hours of its day do not.
    for later_ms in (DAY_MS, 2 * DAY_MS, 3 * DAY_MS, 60 * DAY_MS + 12 * HOUR_MS):
        instance.clock.set(hour_ms + later_ms)
        instance.count()
        instance.count()
    hits = ImportedHits([("new", "news", "article", "free")] * 2, [hour_ms + 20 * MINUTE_MS, hour_ms + 15 * HOUR_MS])
    got = imported(Brand("abc"), hits, rules=ImportRules(), arrived_at_ms=instance.clock.now_ms())
    instance.stream.append(got.entries)

    def list_of(from_ms: int, to_ms: int) -> dict[str, Any]:
        span = f"brand=abc&from={quote(instant_text(from_ms))}&to={quote(instant_text(to_ms))}"
        return json.loads(cast(bytes, read_past(instance, span)[5]))

    for _ in range(2):
        instance.count()
        instance.clock.advance(HOUR_MS)
        instance.answering.refresh()
        gone = list_of(hour_ms, hour_ms + HOUR_MS)
        assert (gone["exact"], gone["keptSince"], gone["items"]) == (False, instant_text(hour_ms + HOUR_MS), [])
        kept = list_of(hour_ms + 15 * HOUR_MS, hour_ms + 16 * HOUR_MS)
        assert (kept["exact"], [item["hits"] for item in kept["items"]]) == (True, [1])
        day = list_of(hour_ms, hour_ms + DAY_MS)
        assert (day["exact"], {item["assetId"]: item["hits"] for item in day["items"]}) == (True, {"old": 2, "new": 2})
    done = recounted(instance.counting, "abc", hour_ms, hour_ms + DAY_MS, on_progress=lambda _: None)
    assert (done["hits"], done["changed"]) == (4, 0)


def test_the_catalogue_is_looked_at_once_for_many_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = Instance()
    looks: list[str] = []

    def counted(words: Words, brand: str) -> int:
        looks.append(brand)
        return look(words, brand)

    look = Words.look
    monkeypatch.setattr(Words, "look", counted)
    for limit in range(1, 6):
        assert instance.answering.answer(f"brand=abc&limit={limit}") is not None
    assert looks == ["abc"]
