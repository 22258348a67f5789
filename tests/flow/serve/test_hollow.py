"""What a refresh of a board costs others: empty hours are looked through once, and questions are let in between."""

from dataclasses import replace
from itertools import groupby

from footfall.flow.serve.hollow import Hollow
from footfall.flow.serve.query import PopularQuery
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain, window_of
from tests.flow.serve.counting import Counting
from tests.flow.serve.test_board import NOW, PASSED_MS, board_of, body_of

ONE, TWO = ("1", "563", "article", "free"), ("2", "563", "article", "free")
HOURS = PopularQuery(brand="abc", period="hours", limit=10)


def test_hours_in_which_nobody_came_are_looked_through_once_and_again_when_something_is_written_there() -> None:
    counting = Counting("UTC")
    board = board_of(counting, NOW)
    assert len(counting.reads) > 3 * 60  # Nothing is built, so that every minute has to be looked at.
    held = len(board._loaded._held)
    for minute in (1, 2):
        now_ms = NOW + minute * MINUTE_MS
        counting.reads.clear()
        board.refresh(counting.read, now_ms=now_ms, closed_until_ms=now_ms - PASSED_MS, changed=())
        assert len(counting.reads) < 10
    assert len(board._loaded._held) < held - 2 * 60  # The minutes of empty hours are not even remembered.
    counting.hit(ONE, now_ms - 2 * HOUR_MS, shard=0, hits=3, is_late=False)
    changed = counting.take_changed()
    board.refresh(counting.read, now_ms=now_ms, closed_until_ms=now_ms - PASSED_MS, changed=changed)
    assert [item["hits"] for item in body_of(board, HOURS)["items"]] == [3]


def test_questions_are_answered_in_the_middle_of_a_refresh_from_whole_sums() -> None:
    counting = Counting("UTC")
    counting.hit(ONE, NOW, shard=0, hits=3, is_late=False)
    board = board_of(counting, NOW)
    counting.take_changed()
    counting.hit(ONE, NOW, shard=0, hits=2, is_late=False)
    counting.hit(TWO, NOW, shard=0, hits=1, is_late=False)
    seen: list[list[int]] = []

    def ask() -> None:
        seen.append([item["hits"] for item in body_of(board, HOURS)["items"]])
        body_of(board, replace(HOURS, closed=True))  # Its sheet is made here, for the first time.

    changed = counting.take_changed()
    board.refresh(counting.read, now_ms=NOW, closed_until_ms=NOW - PASSED_MS, changed=changed, between=ask)
    assert [one for one, _ in groupby(seen)] == [[3], [5, 1]]


def test_what_is_written_in_a_minute_fills_the_windows_around_it() -> None:
    hollow = Hollow("UTC")
    hours = [window_of(NOW - hours * HOUR_MS, Grain.HOUR, "UTC") for hours in (1, 2, 3)]
    for hour in hours:
        hollow.add(hour)
    assert hollow.fill([window_of(NOW - HOUR_MS, Grain.MINUTE, "UTC")])
    assert [hour in hollow for hour in hours] == [False, True, True]
    assert not hollow.fill([window_of(NOW, Grain.MINUTE, "UTC")])
    hollow.forget_all_but(hours[:2])
    assert [hour in hollow for hour in hours] == [False, True, False]
