"""The machines of a migration on a real database: what is copied, and what becomes of what cannot be."""

import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from footfall.app.migration_machines import machines
from footfall.app.migration_run import Mover, Plan
from footfall.app.moving import mapping_from, opened
from footfall.app.settings import Settings
from footfall.migrate.copying import Ground
from footfall.migrate.mapping import Moving
from footfall.migrate.moved import Items
from footfall.migrate.reporting import Progress, kept_progress
from footfall.ports.relational import Document, State
from footfall.states.definition import machine_from_json
from footfall.values.clock import SystemClock
from tests.engines.mariadb import MariaDbEngine
from tests.migrate.moving_stage import EXAMPLE, old_database


class Broken:
    """A shape that has a fault for one entity: no reason of ours, but an exception that nobody thought of."""

    def __init__(self, target: Any, key: str) -> None:
        self._target, self._key = target, key

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def items(self, key: str, document: Document) -> Items:
        if key == self._key:
            raise ZeroDivisionError("nobody thought of this")
        return cast("Items", self._target.items(key, document))


def moved(plan: Plan) -> Progress:
    """Run a mover until nothing is left, and return how far it came."""
    seen: list[Progress] = []

    def tell(progress: Progress) -> bool:
        seen.append(progress)
        return bool(progress.left or progress.moving or progress.lag)

    Mover(plan, SystemClock(), time.sleep, Random(1), tell).run()
    return seen[-1]


@pytest.fixture
def plan(mariadb: MariaDbEngine, tmp_path: Path) -> Plan:
    source = old_database(mariadb, metrics=250, versions=2)
    made = Plan(mapping_from(EXAMPLE / "mapping.yaml"), source, Settings(data_dir=str(tmp_path)))
    with opened(source, made.target, SystemClock()) as (relational, _):
        relational.prepare(made.moving.outline)
    return made


def test_the_machines_keep_the_rules_of_the_language() -> None:
    for name, definition in machines().items():
        assert machine_from_json(definition), name


def test_the_invoker_copies_all_and_tells_how_far_it_is(plan: Plan) -> None:
    progress = moved(plan)
    assert (progress.migrated, progress.left, progress.set_aside, progress.lag) == (250, 0, 0, 0)
    with plan.ground(SystemClock()) as ground:
        kept = kept_progress(ground.table, "metric")
        assert kept is not None
        assert kept.migrated == 250


def test_an_entity_that_fails_is_set_aside_with_its_reason_and_the_others_are_moved(plan: Plan) -> None:
    broken = Moving(plan.moving.outline, cast("Any", Broken(plan.moving.target, "7")))
    progress = moved(Plan(broken, plan.source, plan.settings))
    assert (progress.migrated, progress.set_aside, progress.left) == (249, 1, 0)
    with plan.ground(SystemClock()) as ground:
        (problem,) = ground.relational.problems(ground.moving.outline, limit=10)
        assert (problem.key, problem.reason) == ("7", "ZeroDivisionError: nobody thought of this")
        assert states_of(ground)[State.SET_ASIDE] == 1


def test_what_was_set_aside_is_moved_by_its_next_change(plan: Plan, mariadb: MariaDbEngine) -> None:
    broken = Moving(plan.moving.outline, cast("Any", Broken(plan.moving.target, "7")))
    moved(Plan(broken, plan.source, plan.settings))
    connection = mariadb.connected(plan.source.rsplit("/", 1)[1])
    with connection, connection.cursor() as cursor:
        cursor.execute("UPDATE metric_version SET updated_by = 'somebody' WHERE metric_id = 7")
        connection.commit()
    assert moved(plan).set_aside == 0


def states_of(ground: Ground) -> Mapping[State, int]:
    return ground.relational.states(ground.moving.outline)
