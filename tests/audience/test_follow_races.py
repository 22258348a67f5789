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

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience import following
from footfall.audience.blocking import block, unblock
from footfall.audience.follows import Blocked, Follows
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.values.clock import SystemClock
from tests.audience.follow_stage import BRAND, member, series

KILLS = 5
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


def live(path: Path, seed: int, rounds: int) -> None:
    """Follow, unfollow, block and divide at random."""
    chance = random.Random(seed)
    table, follows = opened(path)
    with closing(table):
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


def test_several_at_once_leave_a_whole_graph(tmp_path: Path) -> None:
    path = tmp_path / "audience.db"
    table, follows = opened(path)
    threads = [threading.Thread(target=live, args=(path, seed, 60)) for seed in range(3)]
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


def test_a_killed_process_leaves_both_directions_or_neither(tmp_path: Path) -> None:
    path, chance = tmp_path / "audience.db", random.Random(11)
    table, follows = opened(path)
    for kill in range(KILLS):
        program = f"live(pathlib.Path({str(path)!r}), {kill}, 10**6)"
        program = f"import pathlib; from tests.audience.test_follow_races import live; {program}"
        child = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[2])
        before, waits_until = _written(path), time.monotonic() + 60
        while _written(path) == before and time.monotonic() < waits_until and child.poll() is None:
            time.sleep(0.01)
        time.sleep(chance.random() / 5)
        os.kill(child.pid, signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL
        require_whole(follows)
    assert any(following.followers(follows, BRAND, one, limit=1).items for one in THINGS)
    table.close()


def _written(path: Path) -> tuple[int, int]:
    log = path.with_name(path.name + "-wal")
    return (log.stat().st_size, log.stat().st_mtime_ns) if log.exists() else (0, 0)
