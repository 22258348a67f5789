"""The answering side reads what changed, answers as bytes, and lets go of what nobody asks for."""

import json
import socket
from typing import Any

import pytest

from footfall.app.answering import ASKED_WITHIN_MS, BOARDS_MAX, Turns
from footfall.app.counting import Counting, recounted
from footfall.app.link import Link, Unframed, framed
from footfall.app.settings import Settings
from footfall.flow.store import keys
from footfall.ports.table import Delete
from footfall.values.errors import Refused
from footfall.values.period import JUSTNOW
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, window_of
from tests.app.stage import NOON_MS, Instance


def body_of(instance: Instance, query: str) -> dict[str, Any]:
    canonical, version, why_not, etag, max_age_s, body = instance.answering.answer(query)
    assert (canonical, why_not) == (query, "")
    assert version
    assert etag
    assert max_age_s
    return json.loads(bytes(body))  # pyright: ignore[reportArgumentType]


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
    versions = {brand: instance.answering.answer(f"brand={brand}")[1] for brand in ("abc", "xyz")}
    instance.answering.refresh()
    instance.send("1", brand="xyz")
    instance.count()
    (told,) = instance.answering.refresh()
    assert told[0] == "xyz"
    assert told[1] == instance.answering.answer("brand=xyz")[1] != versions["xyz"]
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
    with pytest.raises(Refused, match="period"):
        Instance().answering.answer("brand=abc&period=never")


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
        ours.sendall(framed(["stop"]))
        assert not turns.take()
        assert Unframed().feed(ours.recv(65_536)) == [["stopped"]]
