"""The client library asks whoever answers, compares when it is told to, and never fails for a side that does not."""

from collections.abc import Generator

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.migrate.new_side import Held, NewSide
from footfall.migrate.routing import BothSides, Mode
from footfall.ports.errors import Unavailable
from footfall.ports.items import Item
from footfall.ports.relational import Side
from footfall.ports.table import Key
from footfall.values.clock import SystemClock
from tests.engines.mariadb import MariaDbEngine
from tests.migrate.checker import Act, Kind, State, faults
from tests.migrate.moving_stage import Stage, settle, staged


@pytest.fixture
def stage(mariadb: MariaDbEngine) -> Generator[Stage]:
    with staged(mariadb) as made:
        yield made


def test_shadow_reads_find_a_planted_difference_and_answer_what_the_old_side_has(stage: Stage) -> None:
    both = stage.both(Mode.SHADOW)
    assert stage.read(both, "1") == ["before"]
    assert both.counted.events["shadow.same"] == 1
    with stage.connection.cursor() as cursor:
        cursor.execute("SET @footfall_applying = 1")  # As if nothing had been noted.
        cursor.execute("UPDATE metric_version SET updated_by = 'planted' WHERE metric_id = 1")
        cursor.execute("SET @footfall_applying = 0")
    stage.connection.commit()
    assert stage.read(both, "1") == ["planted"]
    assert list(both.counted.differences) == ["1"]


def test_what_is_not_carried_over_yet_is_behind_and_no_difference(stage: Stage) -> None:
    both = stage.both(Mode.SHADOW)
    stage.add_version("1", "a")
    assert stage.read(both, "1") == ["before", "a"]
    assert both.counted.events["shadow.behind"] == 1
    assert both.counted.events["differences"] == 0
    settle(stage)
    stage.read(both, "1")
    assert both.counted.events["shadow.same"] == 1


class Down(SqliteTable):
    """A table that does not answer."""

    def get(self, key: Key) -> Item | None:
        raise Unavailable("the table does not answer")


@pytest.mark.parametrize("mode", list(Mode))
def test_a_new_side_that_does_not_answer_fails_nobody_while_the_old_one_does(stage: Stage, mode: Mode) -> None:
    down = NewSide(Down(":memory:", clock=SystemClock()), stage.new.outline, stage.new.target)
    both = BothSides(stage.ground.relational, down, SystemClock(), stage.handovers.pause, mode)
    both._likely_new.add("1")  # Even if it was believed to be there.
    assert stage.read(both, "1") == ["before"]
    assert stage.write(both, "2", "a") == 2
    assert both.counted.events["shadow.failed"] == (1 if mode is Mode.SHADOW else 0)


def test_an_error_of_the_applications_own_is_passed_on(stage: Stage) -> None:
    with pytest.raises(ZeroDivisionError):
        stage.both().write("1", old=lambda: 1 // 0, change=lambda found: (found, 0))


def seen_by(stage: Stage, *writes: tuple[BothSides, str]) -> list[Act]:
    """Write one after the other and read at the end, with a clock that only counts."""
    acts: list[Act] = []
    for number, (both, token) in enumerate(writes):
        version = stage.write(both, "1", token)
        acts.append(Act(Kind.UPDATE, "1", number, number + 0.5, token=token, version=version))
    for both, _ in writes:
        now = len(acts)
        acts.append(Act(Kind.READ, "1", now, now + 0.5, state=State(tuple(stage.read(both, "1")))))
    return acts


def test_the_checker_finds_a_build_without_a_doubt(stage: Stage) -> None:
    one, other = stage.both(), stage.both()
    other._likely_new.add("1")
    held = stage.new.held("1")
    assert held is not None
    assert stage.new.turn("1", held, Side.NEW, epoch=1, clock=0)  # The source was never left.
    assert faults(seen_by(stage, (one, "a"), (other, "b"))) != []


class Trusting(BothSides):
    """Believes for ever where an entity was."""

    def _read_routed(self, key: str) -> Held | Side:
        return Side.OLD


def test_the_checker_finds_a_build_that_believes_a_flag(stage: Stage) -> None:
    right = stage.both()
    wrong = Trusting(stage.ground.relational, stage.new, SystemClock(), stage.handovers.pause)
    stage.handovers.hand_over(["1"])
    acts = seen_by(stage, (right, "a"))
    assert faults(acts) == []
    late = Act(Kind.READ, "1", 9, 10, state=State(tuple(stage.read(wrong, "1"))))
    assert faults([*acts, late]) != []
