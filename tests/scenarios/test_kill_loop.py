"""Killed at any moment, again and again: every hit that got a 2xx is counted once, and the ledger balances.

The check is worth something only if it catches builds that do not keep the promise, so two such builds are run too.
"""

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.scenarios.instance import ANSWERING, COUNTING, Instance, Starter, free_port
from tests.scenarios.witness import Caught, Witness

KILLS_IN_EVERY_RUN = 20
KILLS_IN_A_CAMPAIGN = 1_000
CHECKED_EVERY = 20  # kills: a check takes about as long as two of them
KILLS_UNTIL_CAUGHT = 15  # A broken build betrays itself in every second kill or so.
PLENTY = ("--set", "log_level=error", "--set", "shutdown_ms_max=2000")

# A build that acknowledges hits first and writes them afterwards.
ACKNOWLEDGES_EARLY = """
import time
from footfall.ports.stream import Appended
from footfall.shells.http.commits import Committer

commit = Committer._commit

class Promised:
    def __init__(self, stream):
        self._stream = stream
        self.entries = ()
    def __getattr__(self, name):
        return getattr(self._stream, name)
    def append(self, entries):
        self.entries = entries
        return [Appended(1) for _ in entries]

def commit_early(self, stream):
    promised = Promised(stream)
    commit(self, promised)
    time.sleep(0.05)
    if promised.entries:
        stream.append(promised.entries)

Committer._commit = commit_early
"""

# A build that commits counts first and the checkpoint later, and does not look at which records a summary holds.
COMMITS_APART = """
import time
from footfall.flow.count import held, worker

save_checkpoint = worker.save_checkpoint

def save_checkpoint_later(table, shard, checkpoint, *, replaces):
    table._connection.execute("COMMIT")
    time.sleep(0.4)
    table._connection.execute("BEGIN IMMEDIATE")
    save_checkpoint(table, shard, checkpoint, replaces=replaces)

worker.save_checkpoint = save_checkpoint_later
held.Throughs.counted = property(lambda self: 0)
"""


class Killer:
    """Starts a server on one directory and one port over and over, and kills it at moments of chance."""

    def __init__(self, starter: Starter, data: Path, chance: random.Random, env: dict[str, str] | None = None) -> None:
        self.port = free_port()
        self.kills: Counter[str] = Counter()
        self.starts_s: list[float] = []
        self._starter = starter
        self._data = data
        self._chance = chance
        self._env = env
        self._instance: Instance | None = None

    def kill_once(self) -> None:
        """Let the server be for a moment and kill it, a part of it, or one that is only starting."""
        way = self._chance.choices(("all", "front", "counting", "answering", "starting"), (24, 5, 35, 30, 6))[0]
        if way == "starting":
            self._end_all()
            starting = self._starter.begin(self._data, *PLENTY, port=self.port, env=self._env)
            time.sleep(self._chance.uniform(0.0, 0.5))
            starting.kill()
            self._instance = None
        else:
            instance = self.up()
            time.sleep(self._chance.uniform(0.0, 0.15))
            way = self._kill(instance, way)
        self.kills[way] += 1

    def up(self) -> Instance:
        """Return a server that runs, a new one if the last was killed."""
        if self._instance is None:
            began = time.monotonic()
            self._instance = self._starter.start(self._data, *PLENTY, port=self.port, env=self._env)
            self.starts_s.append(time.monotonic() - began)
        return self._instance

    def _kill(self, instance: Instance, way: str) -> str:
        # A child that was killed a moment ago may not be there yet; then it is the other one's turn.
        victims = {"counting": (COUNTING, ANSWERING), "answering": (ANSWERING, COUNTING)}.get(way, ())
        for module in victims:
            victim = instance.child(module)
            if victim is not None:
                os.kill(victim, signal.SIGKILL)
                return module.rpartition(".")[2]
        if way == "front":
            os.kill(instance.process.pid, signal.SIGKILL)
            instance.process.wait(5)
            self._instance = None
            return way
        self._end_all()
        return "all"

    def kill_all(self) -> None:
        """Kill every process of the instance at once."""
        self._end_all()
        self.kills["all"] += 1

    def _end_all(self) -> None:
        if self._instance is not None:
            self._instance.kill()
            self._instance = None


def killed_under_load(starter: Starter, data: Path, *, kills: int, seed: int) -> None:
    killer = Killer(starter, data, random.Random(seed))
    killer.up()
    witness = Witness(killer.port)
    with witness.sending():
        for number in range(1, kills + 1):
            killer.kill_once()
            if number % CHECKED_EVERY == 0:
                killer.up()
                witness.check()
        killer.up()
        witness.check()
    starts = sorted(killer.starts_s)
    print(f"seed {seed}: {dict(killer.kills)}, {witness.books.acknowledged.total():,} hits acknowledged,")
    print(f"{witness.books.unanswered.total():,} unanswered, {witness.ledgers_read:,} ledgers read,")
    print(f"{len(starts)} starts, median {starts[len(starts) // 2]:.2f} s, longest {starts[-1]:.2f} s")
    assert killer.kills.total() == kills
    assert witness.books.acknowledged.total() > 50 * kills  # Kills of an idle server prove nothing.


def kill_and_check(killer: Killer, witness: Witness, chance: random.Random) -> None:
    for _ in range(KILLS_UNTIL_CAUGHT):
        time.sleep(chance.uniform(0.2, 1.0))
        killer.kill_all()
        killer.up()
        witness.check()


def test_twenty_kills_under_load_lose_nothing_and_count_nothing_twice(starter: Starter, data: Path) -> None:
    killed_under_load(starter, data, kills=KILLS_IN_EVERY_RUN, seed=20_261_115)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_kills_under_load_lose_nothing_and_count_nothing_twice(
    starter: Starter, data: Path, seed: int
) -> None:
    killed_under_load(starter, data, kills=KILLS_IN_A_CAMPAIGN // 4, seed=seed)


@pytest.mark.parametrize("source", [ACKNOWLEDGES_EARLY, COMMITS_APART], ids=["acknowledges early", "commits apart"])
def test_a_build_that_breaks_the_promise_is_caught(starter: Starter, data: Path, tmp_path: Path, source: str) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    # Every process of the instance runs this before anything else.
    (broken / "sitecustomize.py").write_text(source)
    path = os.pathsep.join([str(broken), *filter(None, [os.environ.get("PYTHONPATH")])])
    chance = random.Random(7)
    killer = Killer(starter, data, chance, env={"PYTHONPATH": path})
    killer.up()
    witness = Witness(killer.port)
    with witness.sending(), pytest.raises(Caught) as caught:
        kill_and_check(killer, witness, chance)
    print(f"caught after {killer.kills.total()} kills: {caught.value}")
