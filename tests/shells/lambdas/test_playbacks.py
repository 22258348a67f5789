"""A function that answered players from memory writes it when it is next asked anything, and says how much waits."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from footfall.app.settings import Settings
from footfall.ports.errors import Unavailable
from footfall.shells.lambdas.audience import CATCHING_UP_S, TOLD_AGAIN_MS, FunctionAudience
from tests.app.playing_stage import Ground
from tests.audience.history_stage import ask
from tests.shells.lambdas.sites import Staged, staged


@dataclass(slots=True)
class Function:
    """A function whose threads stand still, as between requests, and the table of its audience."""

    ground: Ground
    stage: Staged

    def play(self, member: str) -> bool:
        """Have a player ask for a place; return whether the table has it."""
        told = self.stage.site.audience.playing().admit("blog", member, ask("a")).waited()
        return told.is_recorded

    def asked(self) -> None:
        """Be asked something that has nothing to do with players."""
        assert self.stage.call("GET", "/healthz").status == 200


@pytest.fixture
def function(tmp_path: Path) -> Generator[Function]:
    ground = Ground(tmp_path)
    with staged(Settings(data_dir=str(tmp_path)), ground.clock) as stage:
        stage.site.audience = FunctionAudience(stage.site.audience._open, lambda: ground.playing, ground.clock)  # pyright: ignore[reportPrivateUsage]
        yield Function(ground, stage)
    ground.table.fault = None
    ground.table.may_answer.set()
    ground.playing.stop()


def told(capsys: pytest.CaptureFixture[str]) -> list[int]:
    lines = capsys.readouterr().out.splitlines()
    return [json.loads(line)["PlaybacksUnrecorded"] for line in lines if "PlaybacksUnrecorded" in line]


def test_what_was_answered_from_memory_is_written_when_anything_is_asked_next(
    function: Function, capsys: pytest.CaptureFixture[str]
) -> None:
    assert function.play("ann")
    function.asked()
    assert told(capsys) == []
    function.ground.table.fault = Unavailable("gone")
    assert [function.play(member) for member in ("bob", "eve")] == [False, False]
    function.asked()
    assert told(capsys) == [2]
    function.ground.back()
    function.asked()
    assert told(capsys) == [0]
    assert (function.ground.leases("bob"), function.ground.leases("eve")) == (["a"], ["a"])


def test_how_much_waits_is_told_once_a_minute(function: Function, capsys: pytest.CaptureFixture[str]) -> None:
    function.ground.table.fault = Unavailable("gone")
    assert not function.play("bob")
    function.asked()
    function.asked()
    assert told(capsys) == [1]
    function.ground.clock.advance(TOLD_AGAIN_MS)
    function.asked()
    assert told(capsys) == [1]


def test_a_table_that_does_not_answer_takes_a_moment_from_a_request_and_nothing_from_the_next(
    function: Function,
) -> None:
    function.ground.table.fault = Unavailable("gone")
    assert not function.play("bob")
    function.ground.back()
    function.ground.table.may_answer.clear()
    began_s = function.stage.runner.get_loop().time()
    function.asked()
    took_s = function.stage.runner.get_loop().time() - began_s
    assert CATCHING_UP_S <= took_s < 10 * CATCHING_UP_S
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function.ground.playing, "catch_up", pytest.fail)
        function.asked()
