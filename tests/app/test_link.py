"""Messages between processes arrive whole and in order, however the bytes are cut."""

import socket

from hypothesis import given
from hypothesis import strategies as st

from footfall.app.link import Link, Message, Unframed, framed

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
messages = st.lists(values, max_size=4)


@given(st.lists(messages, max_size=5), st.lists(st.integers(0, 200), max_size=12))
def test_messages_come_out_whole_however_the_bytes_are_cut(sent: list[Message], cuts: list[int]) -> None:
    data = b"".join(framed(message) for message in sent)
    unframed = Unframed()
    got: list[Message] = []
    at = 0
    for cut in sorted(cuts):
        got += unframed.feed(data[at:cut])
        at = max(at, cut)
    got += unframed.feed(data[at:])
    assert got == sent


def test_a_link_gives_what_has_arrived_and_nothing_after_the_end() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link = Link(theirs)
        assert link.receive(timeout_s=0) == []
        ours.sendall(framed(["one", 1]) + framed(["two"]))
        assert link.receive(timeout_s=1) == [["one", 1], ["two"]]
        link.send(["back", {"a": b"b"}])
        assert Unframed().feed(ours.recv(100)) == [["back", {"a": b"b"}]]
        ours.close()
        assert link.receive(timeout_s=1) is None


def test_half_a_message_waits_for_its_rest() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link = Link(theirs)
        data = framed(["x" * 100])
        ours.sendall(data[:50])
        assert link.receive(timeout_s=1) == []
        ours.sendall(data[50:])
        assert link.receive(timeout_s=1) == [["x" * 100]]
