"""Who is next: members in turns, and watches that get their share however much people ask for."""

from pathlib import Path

import pytest

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.archive import queueing
from footfall.archive.queueing import PEOPLE, PEOPLE_PER_WATCH, WATCHES
from footfall.values.clock import SetClock
from tests.archive.archive_world import World

MINUTE_MS = 60_000


@pytest.fixture
def world(tmp_path: Path) -> World:
    clock = SetClock(1_794_753_000_000)
    return World(SqliteTable(":memory:", clock=clock), FileBlobs(tmp_path), clock)


def begun(world: World) -> int | None:
    """Begin the next, one place being free, and return whose kind it is."""
    request = world.begin()
    return None if request is None else request.priority


def test_a_watch_waits_for_some_people_and_not_for_all_of_them(world: World) -> None:
    # For ten hours, people ask for a little more than there are places for, and a watch for a page every 15 minutes.
    waited_ms: list[int] = []
    asked_at_ms: list[int] = []
    served = {PEOPLE: 0, WATCHES: 0}
    for minute in range(600):
        for number in range(3):
            world.ask(("ann", "bob", "cay")[number], f"https://a.example/{minute}/{number}")
        if minute % 15 == 0:
            world.ask("watch:w", f"https://w.example/{minute}", priority=WATCHES)
            asked_at_ms.append(world.clock.now_ms())
        for _ in range(2):
            kind = begun(world)
            assert kind is not None
            served[kind] += 1
            if kind == WATCHES:
                waited_ms.append(world.clock.now_ms() - asked_at_ms[len(waited_ms)])
        world.clock.advance(MINUTE_MS)
    assert len(waited_ms) == len(asked_at_ms)
    assert max(waited_ms) <= 3 * MINUTE_MS
    assert served[PEOPLE] == 1_200 - len(asked_at_ms)


def test_many_watches_take_no_more_than_their_share_from_people(world: World) -> None:
    for number in range(20):
        world.ask("watch:w", f"https://w.example/{number}", priority=WATCHES)
        world.ask("ann", f"https://a.example/{number}")
    one_by_one = [begun(world) for _ in range(25)]
    assert one_by_one == [*[PEOPLE] * PEOPLE_PER_WATCH, WATCHES] * 5
    assert [begun(world) for _ in range(16)] == [WATCHES] * 15 + [None]


def test_several_places_are_shared_as_one_place_after_the_other(world: World) -> None:
    for number in range(20):
        world.ask("watch:w", f"https://w.example/{number}", priority=WATCHES)
        world.ask("ann", f"https://a.example/{number}")
    kinds = [one.request.priority for one in queueing.waiting(world.table, limit=10)]
    assert kinds == [*[PEOPLE] * PEOPLE_PER_WATCH, WATCHES] * 2
    assert [one.request.priority for one in queueing.waiting(world.table, limit=3)] == [PEOPLE] * 3
