"""The archive on every kind of ground: whatever history it lives through, lists, counts and objects agree."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.archive import finding, queueing, requests
from footfall.archive.captures import State
from footfall.archive.quotas import OverQuota, Quotas
from footfall.ports.table import Table
from footfall.values.clock import SetClock
from tests.archive.archive_histories import ACTS, live_through
from tests.archive.archive_world import World
from tests.contract.conftest import NewTable, on_dynamodb
from tests.engines.dynamodb import DynamoDbEngine

PAGE = "https://a.example/"


@pytest.fixture
def world(new_table: NewTable, clock: SetClock, tmp_path: Path) -> World:
    return World(new_table(clock=clock), FileBlobs(tmp_path), clock)


def test_a_history_ends_with_lists_counts_and_objects_that_agree(world: World) -> None:
    chance = Random(2)
    live_through(world, [(chance.choice(ACTS), chance.randrange(1_000)) for _ in range(35)])


def test_quotas_turns_and_pages_of_lists_are_the_same_everywhere(world: World) -> None:
    world.quotas = Quotas(open_max=2)
    world.ask("ann", "https://a.example/1")
    world.ask("ann", "https://a.example/2")
    world.ask("bob", "https://b.example/1")
    with pytest.raises(OverQuota):
        world.ask("ann", "https://a.example/3")
    assert [one.request.by for one in queueing.waiting(world.table, limit=10)] == ["ann", "bob", "ann"]
    first = requests.of(world.table, "member:ann", limit=1)
    rest = requests.of(world.table, "member:ann", limit=5, after=first.after)
    assert [one.url[-1] for one in (*first.items, *rest.items)] == ["2", "1"]


def test_of_many_who_ask_keep_and_take_at_once_one_does(
    dynamodb: DynamoDbEngine, clock: SetClock, tmp_path: Path
) -> None:
    table: Table = on_dynamodb(dynamodb)(clock=clock)
    world = World(table, FileBlobs(tmp_path), clock)
    asked = [world.new("ann", PAGE) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        opened = list(threads.map(lambda one: requests.ask(table, one, now_ms=clock.now_ms()), asked))
        assert len({one.id for one in opened}) == 1
        assert world.open_count("ann") == 1
        (waiting,) = queueing.waiting(table, limit=10)
        begun = list(threads.map(lambda _: queueing.begin(table, waiting, now_ms=clock.now_ms()), range(8)))
        (request,) = [one for one in begun if one is not None]
        world.store(request, "text")
        ended = list(threads.map(lambda _: world.keep(request), range(8)))
    assert {(one.state, one.capture) for one in ended} == {(State.DONE, request.id)}
    assert [line.id for line in finding.captures(table, ["member:ann"], PAGE).items] == [request.id]
    assert sum(finding.days(table, ["member:ann"], PAGE, year=2026).values()) == 1
    assert world.open_count("ann") == 0
