"""kill -9 at any moment: every task's effect happens, no result that was kept is asked for again, nothing is lost."""

import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from footfall.adapters.embedded.workflow_file import WorkflowFile
from footfall.states.execution import Kind, Status
from footfall.values.clock import SystemClock
from tests.adapters.embedded.workflow_program import ITEMS, KEYS, RUNS

HOUSE = Path(__file__).resolve().parents[3]
ENDS_S_MAX = 120.0


def started(folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.adapters.embedded.workflow_program", str(folder)]
    process = subprocess.Popen(command, cwd=HOUSE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"
    return process


def kept(folder: Path) -> set[str]:
    """Return the tasks whose results are on disk, as keys without their entries."""
    opened = WorkflowFile(folder / "workflows.db", clock=SystemClock())
    found: set[str] = set()
    for number in range(RUNS):
        for event in opened.history("m", name=f"run-{number}"):
            if event.kind is Kind.EXITED:
                found.add(f"m/run-{number}{event.part}:{event.state}")
    opened.close()
    return found


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text(encoding="utf-8").splitlines()


def kill_many_times(folder: Path, *, kills: int, chance: Random) -> None:
    for _ in range(kills):
        process = started(folder)
        try:
            process.wait(chance.uniform(0, 0.12))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        done, before = kept(folder), len(calls(folder))
        following = started(folder)
        time.sleep(chance.uniform(0, 0.05))
        following.kill()
        following.communicate()
        again = {call.rpartition(":")[0] for call in calls(folder)[before:]}
        assert again & done == set()
    last = started(folder)
    last.communicate(timeout=ENDS_S_MAX)
    assert last.returncode == 0


def require_whole(folder: Path) -> None:
    effects = {path.read_text(encoding="utf-8") for path in (folder / "effects").iterdir()}
    assert effects == {f"m/run-{number}{key}" for number in range(RUNS) for key in KEYS}
    assert set(calls(folder)) == effects
    opened = WorkflowFile(folder / "workflows.db", clock=SystemClock())
    for number in range(RUNS):
        standing = opened.describe("m", name=f"run-{number}")
        events = opened.history("m", name=f"run-{number}")
        assert standing.status is Status.SUCCEEDED
        assert standing.output == [{"items": ITEMS}] * 2
        assert [event.number for event in events] == list(range(1, len(events) + 1))
        entered = [(event.part, event.state) for event in events if event.kind is Kind.ENTERED]
        exited = [(event.part, event.state) for event in events if event.kind is Kind.EXITED]
        assert len(entered) == len(set(entered)) == len(exited)
        assert set(entered) == set(exited)
    opened.close()


def test_nothing_is_lost_or_done_twice_when_the_runner_is_killed(tmp_path: Path) -> None:
    kill_many_times(tmp_path, kills=6, chance=Random(3))
    require_whole(tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_lost_in_a_long_campaign_of_kills(tmp_path: Path, seed: int) -> None:
    kill_many_times(tmp_path, kills=25, chance=Random(seed))
    require_whole(tmp_path)
