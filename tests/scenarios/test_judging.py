"""The judge on a running instance: people and a program came, the program is told, and a kill -9 changes nothing."""

import os
import re
import signal
from contextlib import closing
from pathlib import Path

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.screening.verdicts import State, Verdict
from footfall.values.clock import SystemClock
from tests.app.judged_stage import BRAND, MINUTE_MS, people_and_a_program
from tests.scenarios.instance import Instance, Starter, until

JUDGING = "footfall.app.judging"
PEOPLE_MINUTES = 30


def changes(data: Path) -> list[list[Verdict]]:
    """Return what was ever stored, change by change."""
    with closing(wiring.open_accounts(Settings(data_dir=str(data)), SystemClock(), read_only=True)) as accounts:
        return [list(change.verdicts) for change in accounts.register.verdicts.changes(BRAND)]


def judged_all(instance: Instance) -> bool:
    """Tell whether the judge has come to the last minute that is over."""
    told = re.search(r"footfall_judging_behind_seconds ([0-9.e+]+)", instance.get("/metrics").body.decode())
    return told is not None and float(told[1]) == 0


def restarted(instance: Instance, before: int) -> int:
    found = until(lambda: instance.child(JUDGING), lambda found: found not in (None, before), seconds=15)
    assert found is not None
    return found


def test_a_program_is_told_and_a_killed_judge_tells_nothing_twice(starter: Starter) -> None:
    data = starter.folder / "data"
    data.mkdir()
    now_ms = SystemClock().now_ms()
    with closing(wiring.open_stream(Settings(data_dir=str(data)), SystemClock())) as stream:
        people_and_a_program(stream, start_ms=now_ms - (PEOPLE_MINUTES + 1) * MINUTE_MS, minutes=PEOPLE_MINUTES)
    instance = starter.start(data)
    pid = restarted(instance, 0)
    assert until(lambda: os.getpriority(os.PRIO_PROCESS, pid), lambda nice: nice == 19, seconds=15) == 19
    until(lambda: changes(data), bool, seconds=30)  # It has begun to tell, and may be anywhere in its hour.
    os.kill(pid, signal.SIGKILL)
    pid = restarted(instance, pid)
    until(lambda: judged_all(instance), bool, seconds=30)
    told = changes(data)
    subjects = {(one.subject, one.state) for change in told for one in change}
    assert subjects == {("story", State.HELD)}
    ends = [(one.id, one.to_ms) for change in told for one in change]
    assert len(set(ends)) == len(ends) > 1
    os.kill(pid, signal.SIGKILL)
    restarted(instance, pid)
    until(lambda: judged_all(instance), bool, seconds=30)
    assert changes(data)[: len(told)] == told
    later = [(one.id, one.to_ms) for change in changes(data) for one in change]
    assert len(set(later)) == len(later)
    instance.terminate()


def test_judging_can_be_switched_off(starter: Starter) -> None:
    instance = starter.start(starter.folder / "data", env={"FOOTFALL_SCREENING_JUDGING": "false"})
    assert b"footfall_judging" not in instance.get("/metrics").body
    assert instance.child(JUDGING) is None
    instance.terminate()
