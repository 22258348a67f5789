"""How a migration ends, for the application that still asks both sides."""

import time
from collections.abc import Generator

import pytest

from footfall.app.migrating import Migrator
from footfall.app.migration_acts import Acts
from footfall.migrate.ending import ended_on
from footfall.ports.relational import Side
from footfall.values.clock import SystemClock
from tests.engines.mariadb import MariaDbEngine
from tests.engines.postgres import PostgresEngine
from tests.migrate.moving_stage import Stage, staged


@pytest.fixture(params=["mariadb", "postgres"])
def stage(request: pytest.FixtureRequest) -> Generator[Stage]:
    engine: MariaDbEngine | PostgresEngine = request.getfixturevalue(request.param)
    with staged(engine) as made:
        yield made


def acts_of(stage: Stage) -> Acts:
    return Acts(stage.ground, SystemClock(), time.sleep)


def test_after_the_end_on_the_new_side_the_table_alone_answers(stage: Stage) -> None:
    acts = acts_of(stage)
    acts.switch([], to=Side.NEW)
    assert stage.write(stage.both(), "1", "a") == 2
    assert acts.end() is Side.NEW
    assert ended_on(stage.ground.table, "metric") is Side.NEW
    both = stage.both()
    assert stage.read(both, "1") == ["before", "a"]
    assert stage.write(both, "1", "b") == 3
    assert stage.read(stage.both(), "1") == ["before", "a", "b"]


def test_after_the_end_on_the_old_side_the_database_answers_and_the_table_is_empty(stage: Stage) -> None:
    acts = acts_of(stage)
    acts.switch([], to=Side.NEW)
    assert stage.write(stage.both(), "1", "a") == 2
    acts.switch([], to=Side.OLD)
    assert acts.end() is Side.OLD
    assert stage.new.held("1") is None
    both = stage.both()
    assert stage.read(both, "1") == ["before", "a"]
    assert stage.write(both, "1", "b") == 3
    assert stage.rows("1") == ["before", "a", "b"]


def test_another_migration_after_one_that_was_given_up_carries_what_changed_meanwhile(stage: Stage) -> None:
    acts = acts_of(stage)
    assert acts.end() is Side.OLD
    stage.add_version("1", "meanwhile")
    assert acts.prepare() == 3
    while stage.migrator.go_round():
        pass
    verified = acts.verify(run="again")
    assert (verified.is_sound, verified.entities, verified.left) == (True, 3, 0)
    acts.switch([], to=Side.NEW)
    assert stage.read(stage.both(), "1") == ["before", "meanwhile"]


def test_a_switch_begins_although_somebody_writes_all_the_time(stage: Stage) -> None:
    class AmongWriters(Migrator):
        """Finds something to do in every round."""

        def go_round(self) -> int:
            stage.write(stage.both(), "1", "once more")
            return Migrator.go_round(self)

    assert not AmongWriters(stage.ground, SystemClock(), time.sleep).hand_over_all().refused
    assert {route.side for route in stage.ground.relational.routes(stage.ground.moving.outline, "123").values()} == {
        Side.NEW
    }
