"""Whose turn it is in the answering process: nobody who asks waits for more than a piece of other work."""

import socket
from contextlib import suppress

from footfall.app.link import Link, Unframed, framed
from footfall.app.turns import Turns
from tests.app.stage import Instance
from tests.app.test_answering import DAY_ASKED


def test_a_question_that_comes_in_the_middle_of_a_refresh_is_answered_there_and_others_after_it() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    assert instance.answering.answer("brand=abc") is not None
    instance.send("2")
    instance.count()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(10)
        turns = Turns(instance.answering, Link(theirs), refresh_s=60)
        ours.sendall(framed(["renew", ["brand=abc"]]))
        ours.sendall(framed(["ask", ["brand=abc&limit=9", DAY_ASKED, "brand=new"]]))
        turns._refresh()
        told = Unframed().feed(ours.recv(1 << 18))
        assert [message[0] for message in told] == ["answers", "changed", "rows"]
        assert [one[0] for one in told[0][1]] == ["brand=abc&limit=9"]
        later: set[str] = set()
        unframed = Unframed()
        while later < {DAY_ASKED, "brand=new", "brand=abc"}:
            assert turns.take()
            ours.setblocking(False)
            with suppress(BlockingIOError):
                messages = unframed.feed(ours.recv(1 << 18))
                later |= {one[0] for message in messages if message[0] == "answers" for one in message[1]}


def test_a_question_waits_for_no_more_than_one_renewal() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(10)
        turns = Turns(instance.answering, Link(theirs), refresh_s=60)
        renewals = [f"brand=abc&limit={number}" for number in range(1, 11)]
        ours.sendall(framed(["renew", renewals]))
        assert turns.take()
        ours.sendall(framed(["ask", ["brand=abc&limit=99"]]))
        unframed, told = Unframed(), list[list[str]]()
        while sum(map(len, told)) < 11:
            assert turns.take()
            ours.setblocking(False)
            try:
                told += [[one[0] for one in message[1]] for message in unframed.feed(ours.recv(1 << 18))]
            except BlockingIOError:
                continue
        assert told == [["brand=abc&limit=99"], renewals[:4], renewals[4:8], renewals[8:]]
