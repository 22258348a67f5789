"""The counting side of an instance: its steps, its chores, its re-counts and what it says to its parent."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.database import rows
from footfall.app.counting import Counting, count_rules, recounted, serve_link
from footfall.app.link import Link, Message, Unframed, framed
from footfall.app.settings import Settings
from footfall.flow.count.recount import Asked, Done
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import load_checkpoint
from footfall.flow.store.summaries import Summaries
from footfall.ports.errors import Throttled
from footfall.values.period import Period
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, window_of
from tests.app.stage import NOON_MS, Instance
from tests.simulation.grounds import TroubledTable


class Busy(TroubledTable):
    """A table that is throttled while it is told to be."""

    is_busy = False

    def before(self) -> None:
        if self.is_busy:
            raise Throttled("too much at once")


def hits_counted(instance: Instance) -> int:
    checkpoint = load_checkpoint(instance.table, 0)
    return 0 if checkpoint is None else sum(lines.counted for lines in checkpoint.lines.values())


def parts(instance: Instance, grain: Grain) -> set[str]:
    summaries = Summaries(instance.table, instance.clock)
    return {head.part for head in summaries.heads("abc", window_of(NOON_MS, grain, "UTC"))}


def test_settings_become_rules() -> None:
    hourly = Period("hourly", count=3, grain=Grain.HOUR, cache_s=9)
    settings = Settings(count_lateness_hours=3, count_future_ms=7, count_fold_ms=9, periods={"hourly": hourly})
    how = count_rules(settings)
    assert (how.rules.lateness_ms, how.rules.future_ms, how.fold_ms) == (3 * HOUR_MS, 7, 9)
    assert how.periods == (hourly,)
    assert how.aside_ms == settings.stream_keep_days * DAY_MS


def test_a_step_counts_builds_and_finishes_what_is_due() -> None:
    instance = Instance()
    instance.send("1", "2")
    instance.count()
    assert hits_counted(instance) == 2
    assert parts(instance, Grain.MINUTE) == {"s00"}
    instance.clock.set(NOON_MS + 13 * HOUR_MS)
    instance.count()
    assert parts(instance, Grain.HOUR) == parts(instance, Grain.DAY) == {"s00"}
    instance.clock.set(NOON_MS + 26 * HOUR_MS)
    instance.count()
    assert parts(instance, Grain.HOUR) == {keys.ALL}


def test_chores_are_done_however_many_hits_come() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    instance.clock.set(NOON_MS + 13 * HOUR_MS)
    instance.count()
    instance.clock.set(NOON_MS + 26 * HOUR_MS)
    for _ in range(100):
        instance.send("1")
        assert instance.counting.step()
        instance.clock.advance(100)
    assert parts(instance, Grain.HOUR) == {keys.ALL}


def test_expired_items_leave_the_file() -> None:
    instance = Instance()
    instance.send("1")
    instance.count()
    assert any(partition.startswith("abc#") for partition in partitions(instance))
    instance.clock.advance(7_500 * DAY_MS)
    for _ in range(5):
        instance.count()
    # The reasons of the day that has begun are noted, whoever was here.
    assert {partition for partition in partitions(instance) if partition.startswith("abc#")} == {"abc#reasons"}


def partitions(instance: Instance) -> set[str]:
    return {str(partition) for (partition,) in rows(instance.table._connection, "SELECT partition FROM items")}


def test_chores_that_fail_are_tried_again_later_and_counting_goes_on() -> None:
    instance = Instance()
    table = Busy(instance.table)
    counting = Counting(instance.settings, instance.stream, table, clock=instance.clock)
    table.is_busy = True
    with pytest.raises(Throttled):
        counting.step()
    table.is_busy = False
    instance.send("1")
    instance.clock.advance(1_000)
    counting.step()
    assert hits_counted(instance) == 1


def test_nothing_is_finished_while_a_recount_is_in_hand() -> None:
    instance = Instance()
    instance.send("1", "2")
    instance.count()
    instance.clock.set(NOON_MS + 13 * HOUR_MS)
    instance.count()
    instance.clock.set(NOON_MS + 38 * HOUR_MS)
    instance.count()
    for number in range(1_200):
        instance.send(str(number))
    instance.count()
    instance.counting.begin_recount(Asked("abc", NOON_MS, NOON_MS + HOUR_MS))
    progress: list[float | Done | None] = []
    while not progress or not isinstance(progress[-1], Done):
        progress.append(instance.counting.recount_step())
        instance.clock.advance(3_000)
        instance.counting.step()
    assert len(progress) > 3  # Over the stream, and for several parts of the day.
    assert progress[-1] == Done(windows=3, changed=0, hits=2)
    assert instance.counting.recount_step() is None
    instance.count()
    assert parts(instance, Grain.HOUR) == parts(instance, Grain.DAY) == {keys.ALL}
    day = Summaries(instance.table, instance.clock).live("abc", window_of(NOON_MS, Grain.DAY, "UTC"))
    assert sum(int(part.columns.hits.sum()) for part in day) == 2


def test_a_recount_in_one_go_says_how_far_it_is() -> None:
    instance = Instance()
    for number in range(2_500):
        instance.send(str(number))
    instance.count()
    told: list[float] = []
    report = recounted(instance.counting, "abc", NOON_MS, NOON_MS + MINUTE_MS, on_progress=told.append)
    covered = {"from_ms": NOON_MS, "to_ms": NOON_MS + HOUR_MS}  # A minute was asked for; hours are counted.
    assert report == {"windows": 1, "changed": 0, "hits": 2_500, **covered}
    assert told == sorted(told)
    assert told
    assert all(0 <= one <= 1 for one in told)


@contextmanager
def parent_of(instance: Instance) -> Generator["Parent"]:
    """Run the counting side as its process does, in a thread, and give the other end of its link."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(10)
        thread = threading.Thread(target=serve_link, args=(instance.counting, Link(theirs)))
        thread.start()
        try:
            yield Parent(ours)
        finally:
            ours.close()
            thread.join(10)
        assert not thread.is_alive()


class Parent:
    """The parent's end of a link."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._unframed = Unframed()
        self._messages: list[Message] = []

    def send(self, message: Message) -> None:
        self._end.sendall(framed(message))

    def heard(self) -> Message:
        while not self._messages:
            self._messages += self._unframed.feed(self._end.recv(65_536))
        return self._messages.pop(0)


def test_the_process_counts_what_there_is_before_it_stops() -> None:
    instance = Instance()
    instance.send("1", "2", "3")
    with parent_of(instance) as parent:
        parent.send(["stop"])
        assert parent.heard() == ["stopped"]
    assert hits_counted(instance) == 3


def test_the_process_stops_even_when_the_store_takes_nothing() -> None:
    instance = Instance()
    table = Busy(instance.table)
    instance.counting = Counting(instance.settings, instance.stream, table, clock=instance.clock)
    instance.send("1")
    table.is_busy = True
    with parent_of(instance) as parent:
        parent.send(["stop"])
        assert parent.heard() == ["stopped"]
    table.is_busy = False
    instance.counting.drain()
    assert hits_counted(instance) == 1


def test_the_process_recounts_and_says_what_it_cannot_do() -> None:
    instance = Instance(settings=Settings(brands={"abc": Brand("abc")}))
    instance.send("1")
    instance.count()
    with parent_of(instance) as parent:
        parent.send(["recount", "abc", NOON_MS, NOON_MS + 1])
        covered = {"from_ms": NOON_MS, "to_ms": NOON_MS + HOUR_MS}
        assert parent.heard() == ["done", {"windows": 1, "changed": 0, "hits": 1, **covered}]
        parent.send(["recount", "abc", NOON_MS, NOON_MS])
        assert parent.heard()[0] == "failed"
        parent.send(["dance"])
        assert parent.heard() == ["failed", "the counting process does not know 'dance'"]


def test_the_process_ends_when_its_parent_is_gone() -> None:
    with parent_of(Instance()):
        pass
