"""Lists made ahead: those of other sections once somebody asked for one, within a share of the time."""

import socket

from footfall.app.ahead import SAVED_S_MAX, SECTIONS_MAX, SHARE, Ahead
from footfall.app.link import Link, Unframed, framed
from footfall.app.turns import Turns
from tests.app.stage import Instance


def ahead(*sections: str) -> Ahead:
    return Ahead(lambda _canonical: sections, now_s=0.0)


def taken(lists: Ahead, *, now_s: float = 0.0) -> list[str]:
    found: list[str] = []
    while (one := lists.next(now_s)) is not None:
        found.append(one)
    return found


def test_the_same_list_of_every_other_section_is_next() -> None:
    lists = ahead("1", "2", "", "a b")
    lists.note("brand=abc&period=day&section=1&sort=hits", 7)
    assert taken(lists) == ["brand=abc&period=day&section=2&sort=hits", "brand=abc&period=day&section=a%20b&sort=hits"]


def test_a_question_without_a_section_has_none_beside_it() -> None:
    lists = ahead("1", "2")
    lists.note("brand=abc&period=day", 7)
    assert not lists.is_waiting


def test_lists_are_made_ahead_once_for_each_version() -> None:
    lists = ahead("1", "2")
    for version, expected in ((7, ["brand=abc&section=2"]), (7, []), (8, ["brand=abc&section=2"])):
        lists.note("brand=abc&section=1", version)
        assert taken(lists) == expected


def test_what_somebody_asked_for_is_not_made_again() -> None:
    lists = ahead("1", "2", "3")
    lists.note("brand=abc&section=1", 7)
    lists.leave("brand=abc&section=2")
    assert taken(lists) == ["brand=abc&section=3"]


def test_no_more_is_made_than_there_is_time_for() -> None:
    lists = ahead("1", "2", "3")
    lists.note("brand=abc&section=1", 7)
    assert lists.next(0.0) is not None
    lists.use(2 * SAVED_S_MAX)
    assert lists.next(0.0) is None
    assert not lists.is_waiting
    lists.note("brand=abc&section=1", 8)
    assert lists.next(0.9 * SAVED_S_MAX / SHARE) is None
    lists.note("brand=abc&section=1", 9)
    assert lists.next(1.1 * SAVED_S_MAX / SHARE) is not None


def test_a_brand_of_very_many_sections_has_some_of_them_made() -> None:
    lists = ahead(*map(str, range(10 * SECTIONS_MAX)))
    lists.note("brand=abc&section=0", 7)
    assert len(taken(lists)) == SECTIONS_MAX - 1


def test_the_process_makes_lists_ahead_when_nobody_waits() -> None:
    instance = Instance()
    for section in "123":
        instance.send(section, section=section)
    instance.count()
    assert instance.answering.answer("brand=abc") is not None
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(10)
        turns = Turns(instance.answering, Link(theirs), refresh_s=60)
        ours.sendall(framed(["ask", ["brand=abc&section=2"]]))
        unframed, told = Unframed(), list[list[str]]()
        while sum(map(len, told)) < 5:
            assert turns.take()
            ours.setblocking(False)
            try:
                messages = unframed.feed(ours.recv(1 << 18))
            except BlockingIOError:
                continue
            lists = [message for message in messages if message[0] in ("answers", "ahead")]
            told += [[message[0], *(one[0] for one in message[1])] for message in lists]
        assert told == [["answers", "brand=abc&section=2"], ["ahead", "brand=abc&section=1", "brand=abc&section=3"]]
