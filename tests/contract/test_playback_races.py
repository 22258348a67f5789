"""Two hundred who want a place at once: never one too many, on either ground, and everybody is told."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience.playbacks import Policy, TooManyPlaying, Why
from footfall.audience.playbacks_ended import ended_of
from footfall.audience.playbacks_kept import Means, admit, held
from footfall.ports.errors import Throttled, Unavailable
from footfall.ports.table import Table
from footfall.values.clock import SetClock
from tests.audience.history_stage import INDEXES, NOON_MS, ask
from tests.engines.dynamodb import DynamoDbEngine, table_of

RACERS, STOPPING_RACERS, LIMIT = 200, 60, 3


@pytest.fixture(params=["sqlite", "dynamodb"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Table]:
    """Opens one table, again and again, for one thread each."""
    clock = SetClock(NOON_MS)
    if request.param == "sqlite":
        path = tmp_path / "audience.db"
        return lambda: SqliteTable(path, clock=clock, indexes=INDEXES, durable=False)
    engine: DynamoDbEngine = request.getfixturevalue("dynamodb")
    client = engine.shared()
    names = engine.names(client, indexes=INDEXES)
    return lambda: table_of(client, names, clock=clock, indexes=INDEXES)


def asked_again(call: Callable[[], object]) -> None:
    """Ask until there is an answer, as a player does: busy files and lost answers to transactions are none."""
    while True:
        try:
            call()
        except (Throttled, Unavailable):
            continue
        return


def race(opened: Callable[[], Table], racing: int, policy: Policy) -> tuple[list[str], list[TooManyPlaying], int]:
    """Let all begin at once; return who was given a place, who was refused, and the most that ever played."""
    tables = [opened() for _ in range(racing)]
    given, refused, failed, seen = list[str](), list[TooManyPlaying](), list[BaseException](), [0]
    together, is_over = threading.Barrier(racing), threading.Event()

    def run(number: int) -> None:
        means, wanted = Means(Random(number), time.sleep), ask(f"s{number}", limit=LIMIT, policy=policy)
        together.wait()
        try:
            asked_again(lambda: admit(tables[number], "blog", "ann", wanted, now_ms=NOON_MS, means=means))
            given.append(f"s{number}")
        except TooManyPlaying as error:
            refused.append(error)
        except BaseException as error:  # noqa: BLE001 - whatever happens in a thread is told below
            failed.append(error)

    def watch() -> None:
        table = opened()
        while not is_over.wait(0.01):
            seen[0] = max(seen[0], len(held(table, "blog", "ann").leases))

    racers = [threading.Thread(target=run, args=(number,)) for number in range(racing)]
    watcher = threading.Thread(target=watch)
    for thread in (watcher, *racers):
        thread.start()
    for thread in racers:
        thread.join()
    is_over.set()
    watcher.join()
    assert failed == []
    return given, refused, seen[0]


def test_of_two_hundred_three_are_given_a_place_and_the_others_are_told_who_plays(
    opened: Callable[[], Table],
) -> None:
    given, refused, seen = race(opened, RACERS, Policy.REFUSE_NEWEST)
    assert (len(given), len(refused), seen) == (LIMIT, RACERS - LIMIT, LIMIT)
    table = opened()
    assert {lease.session for lease in held(table, "blog", "ann").leases} == set(given)
    assert {lease.session for error in refused for lease in error.playing} == set(given)
    assert ended_of(table, "blog", "ann", limit=100).endings == []


def test_those_who_stop_the_oldest_leave_three_and_a_record_of_each_other(opened: Callable[[], Table]) -> None:
    given, _, seen = race(opened, STOPPING_RACERS, Policy.STOP_OLDEST)
    assert (len(given), seen) == (STOPPING_RACERS, LIMIT)
    table = opened()
    left = {lease.session for lease in held(table, "blog", "ann").leases}
    page = ended_of(table, "blog", "ann", limit=300)
    over = [ending.lease.session for _, ending in page.endings]
    assert len(left) == LIMIT
    assert {*left, *over} == set(given)  # Whose answer was lost asked again, and may have been stopped twice.
    assert {ending.why for _, ending in page.endings} == {Why.STOPPED}
