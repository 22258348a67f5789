"""Many at once, and processes that are killed: both directions and both counts are there, or none of them."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience import following
from footfall.audience.blocking import block, unblock
from footfall.audience.follows import Blocked, Follows
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.values.clock import SystemClock
from tests.audience.follow_stage import BRAND, member, series
from tests.engines.dynamodb import DynamoDbEngine, table_of

KILLS = 4
THINGS = [series(number) for number in range(4)]
PEOPLE = [member(number) for number in range(12)]


def opened(path: Path) -> tuple[SqliteTable, Follows]:
    clock = SystemClock()
    table = SqliteTable(path, clock=clock, indexes=AUDIENCE_INDEXES, durable=False)
    return table, Follows(table, clock=clock)


def require_whole(follows: Follows) -> None:
    """Assert that whoever follows is a follower, and that the counts say so."""
    forth = {(one, other) for one in PEOPLE for other in following.followed(follows, BRAND, one)}
    back = {
        (found.thing, other)
        for other in (*THINGS, *PEOPLE)
        for found in following.followers(follows, BRAND, other, limit=100).items
    }
    assert forth == back
    for thing in (*THINGS, *PEOPLE):
        wanted = (sum(1 for one, _ in forth if one == thing), sum(1 for _, other in forth if other == thing))
        assert following.counts(follows, BRAND, thing) == following.Counts(*wanted)


def opened_at(engine: DynamoDbEngine, names: Names) -> Follows:
    clock = SystemClock()
    return Follows(table_of(engine.client(), names, clock=clock, indexes=AUDIENCE_INDEXES), clock=clock)


def live(follows: Follows, seed: int, rounds: int) -> None:
    """Follow, unfollow, block and divide at random."""
    chance = random.Random(seed)
    for number in range(rounds):
        one, other = chance.choice(PEOPLE), chance.choice((*THINGS, *PEOPLE[:2]))
        if one == other:
            continue
        try:
            if chance.random() < 0.55:
                follows.follow(BRAND, one, other)
            elif chance.random() < 0.7:
                follows.unfollow(BRAND, one, other)
            else:
                (block if chance.random() < 0.5 else unblock)(follows, BRAND, other, one)
        except Blocked:
            pass
        if number == rounds // 2:
            follows.spread(BRAND, other, followers=20_000)


def live_until_killed(ground: str, name: str, seed: int) -> None:
    """Act on a file or, at the address of an engine, on a table; tell once that it goes on."""
    follows = opened_at(DynamoDbEngine(ground), Names(name)) if name else opened(Path(ground))[1]
    live(follows, seed, 4)
    print("acting", flush=True)
    live(follows, seed, 10**6)


def test_several_at_once_leave_a_whole_graph(tmp_path: Path) -> None:
    path = tmp_path / "audience.db"
    table, follows = opened(path)

    def act(seed: int) -> None:
        mine, theirs = opened(path)
        with closing(mine):
            live(theirs, seed, 60)

    threads = [threading.Thread(target=act, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    require_whole(follows)
    table.close()


def test_one_of_those_who_follow_and_block_at_once_is_right(tmp_path: Path) -> None:
    path = tmp_path / "audience.db"
    table, follows = opened(path)
    barrier = threading.Barrier(2)

    def follow() -> None:
        mine, theirs = opened(path)
        barrier.wait()
        with contextlib.suppress(Blocked):
            theirs.follow(BRAND, member(1), member(2))
        mine.close()

    for _ in range(10):
        other = threading.Thread(target=follow)
        other.start()
        barrier.wait()
        block(follows, BRAND, member(2), member(1))
        other.join()
        assert following.followers(follows, BRAND, member(2), limit=9).items == []
        require_whole(follows)
        unblock(follows, BRAND, member(2), member(1))
    table.close()


def kill_and_look(ground: str, name: str, follows: Follows) -> None:
    """Kill processes at any moment of what they do, and require that each leaves a whole graph."""
    chance = random.Random(11)
    for seed in range(KILLS):
        program = f"live_until_killed({ground!r}, {name!r}, {seed})"
        program = f"from tests.audience.test_follow_races import live_until_killed; {program}"
        command = [sys.executable, "-c", program]
        with subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"acting\n"
            time.sleep(chance.random() / 5)
            os.kill(child.pid, signal.SIGKILL)
            assert child.wait() == -signal.SIGKILL
        time.sleep(0.1)  # What was on its way to an engine is done, or never will be.
        require_whole(follows)
    assert any(following.followers(follows, BRAND, one, limit=1).items for one in THINGS)


def test_a_killed_process_leaves_both_directions_or_neither(tmp_path: Path) -> None:
    path = tmp_path / "audience.db"
    table, follows = opened(path)
    kill_and_look(str(path), "", follows)
    table.close()


def test_a_process_that_is_killed_in_a_request_to_dynamodb_leaves_both_directions_or_neither(
    dynamodb: DynamoDbEngine,
) -> None:
    names = dynamodb.names(dynamodb.shared(), indexes=AUDIENCE_INDEXES)
    kill_and_look(dynamodb.endpoint, names.table, opened_at(dynamodb, names))
