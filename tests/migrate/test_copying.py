"""A database is copied and followed while its application goes on, and says how far it is."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from footfall.metrics import keys as metric_keys
from footfall.migrate.carrying import Outcome
from footfall.migrate.copying import copy_some, give_back, set_aside, take
from footfall.migrate.reporting import progress_now
from footfall.ports.relational import State
from tests.engines.mariadb import MariaDbEngine
from tests.engines.postgres import PostgresEngine
from tests.migrate.stage import NOW_MS, Stage, filled


@pytest.fixture(params=["mariadb", "postgres"])
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    engine: MariaDbEngine | PostgresEngine = request.getfixturevalue(request.param)
    made = filled(Stage(engine))
    yield made
    made.close()


def names(stage: Stage) -> list[str]:
    return [row.name for row in stage.catalogue.rows("abc")]


def test_all_that_waits_is_copied_and_said_to_be(stage: Stage) -> None:
    copied = stage.copy()
    assert (copied.taken, copied.count(Outcome.CARRIED)) == (8, 8)
    assert stage.relational.states(stage.moving.outline)[State.MIGRATED] == 8
    assert names(stage) == ["Aufrufe früher", "chained", "gone", "p95", "rate", "reads", "twice", "users"]
    rate = list(stage.catalogue.versions("abc", "rate"))
    assert [one.definition.hybrid_formula for one in rate] == ["reads / users", "reads / users * 2", "reads / users"]
    first = stage.catalogue.version("abc", "reads", 1)
    assert (first.updated_at_ms, first.created_at_ms) == (1_546_344_000_500, 1_518_719_025_123)
    assert first.definition.related_dimensions == ("country", "section")
    gone = stage.catalogue.newest("abc", "Aufrufe früher").deprecation
    assert gone is not None
    assert (gone.at_ms, gone.by, gone.reason) == (1_652_780_115_000, "bob", "nobody asks for it")
    assert stage.copy().taken == 0


def test_what_changes_is_followed_however_often(stage: Stage) -> None:
    stage.copy()
    stage.follow()
    assert stage.follow().notices == 0
    stage.add_version(1, 4)
    stage.add_version(1, 5)
    stage.add(9, "new")
    stage.remove(8)
    followed = stage.follow()
    assert (followed.entities, followed.notices >= 5) == (3, True)
    assert stage.catalogue.newest("abc", "reads").number == 5
    assert ("gone" in names(stage), "new" in names(stage)) == (False, True)
    assert stage.follow().notices == 0
    assert stage.relational.lag(stage.moving.outline, now_ms=NOW_MS) == (0, 0)
    assert stage.copy().count(Outcome.CARRIED) == 0, "what was followed was moved by that"


def test_a_row_that_many_share_changes_all_of_them(stage: Stage) -> None:
    stage.copy()
    stage.follow()
    stage.source.run("UPDATE dimensions SET name = 'part' WHERE name = 'section'")
    stage.source.run("UPDATE metrics SET name = 'views' WHERE id = 1")
    stage.follow()
    assert stage.catalogue.newest("abc", "views").definition.related_dimensions == ("country", "part")
    assert stage.catalogue.newest("abc", "users").definition.related_dimensions == ("part",)
    refused = {one.key: one.reason for one in stage.relational.problems(stage.moving.outline, limit=10)}
    assert set(refused) == {"4", "5"}, "their formulas name a metric that has another name now"
    assert "lacks reads" in refused["4"]
    assert "rate" not in names(stage)
    stage.source.run("UPDATE metrics SET name = 'reads' WHERE id = 1")
    stage.follow()
    assert "rate" in names(stage)
    assert stage.relational.problems(stage.moving.outline, limit=10) == []


def test_what_cannot_be_moved_is_set_aside_with_the_reason_and_moved_once_it_can(stage: Stage) -> None:
    stage.source.run("UPDATE metric_version SET hybrid_formula = 'reads /' WHERE metric_id = 4 AND version = 3")
    copied = stage.copy()
    assert (copied.count(Outcome.CARRIED), copied.count(Outcome.REFUSED)) == (7, 1)
    (problem,) = stage.relational.problems(stage.moving.outline, limit=10)
    assert problem.key == "4"
    assert "hybridFormula" in problem.reason
    stage.source.run("UPDATE metric_version SET hybrid_formula = 'reads/users' WHERE metric_id = 4 AND version = 3")
    stage.follow()
    assert stage.relational.problems(stage.moving.outline, limit=10) == []
    assert stage.relational.states(stage.moving.outline)[State.MIGRATED] == 8


def test_whoever_took_entities_and_was_stopped_is_taken_from_later(stage: Stage) -> None:
    taken = take(stage.ground, now_ms=NOW_MS, limit=3)
    assert len(taken) == 3
    assert copy_some(stage.ground, now_ms=NOW_MS).taken == 5
    assert copy_some(stage.ground, now_ms=NOW_MS + 61_000).taken == 3
    assert len(names(stage)) == 8


def test_what_could_not_be_copied_now_waits_again(stage: Stage) -> None:
    give_back(stage.ground, take(stage.ground, now_ms=NOW_MS, limit=3))
    assert stage.copy().taken == 8


def test_what_is_given_up_leaves_nothing_but_the_reason(stage: Stage) -> None:
    stage.copy()
    set_aside(stage.ground, ["8"], reason="tried five times")
    assert "gone" not in names(stage)
    assert [one.reason for one in stage.relational.problems(stage.moving.outline, limit=10)] == ["tried five times"]
    head = stage.table.get(metric_keys.head("abc"))
    assert head is not None
    assert head["metrics"] == 7


def test_progress_is_what_the_source_says(stage: Stage) -> None:
    first = progress_now(stage.ground, now_ms=NOW_MS)
    assert (first.left, first.migrated, first.time_left_ms) == (8, 0, None)
    copy_some(stage.ground, now_ms=NOW_MS, limit=4)
    verified = stage.verify()
    second = progress_now(stage.ground, now_ms=NOW_MS + 2_000, before=first, verified=verified)
    assert (second.migrated, second.left, second.per_second, second.time_left_ms) == (4, 4, 2.0, 2_000)
    assert (second.differences, second.started_at_ms, verified.left) == (0, NOW_MS, 4)
    assert second.brand == "abc"
    anew = progress_now(stage.ground, now_ms=NOW_MS + 9_000, before=replace(second, ended_at_ms=NOW_MS + 3_000))
    assert (anew.started_at_ms, anew.ended_at_ms, anew.differences) == (NOW_MS + 9_000, None, None)


def test_a_chunk_is_waited_for_before_it_is_read(stage: Stage) -> None:
    waited: list[int] = []
    copy_some(stage.ground, now_ms=NOW_MS, before_each=waited.append)
    assert waited == [8]
