"""Entities are handed over and back on real servers, whoever is killed between two steps."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace

import pytest

from footfall.migrate.handing_over import Handovers
from footfall.migrate.keys import next_key
from footfall.migrate.new_side import Held, PlaceTaken
from footfall.migrate.writing_back import NotWrittenBack
from footfall.ports.relational import EVERYTHING, Document, Route, Side
from footfall.ports.table import Put
from footfall.values.errors import Refused
from tests.engines.mariadb import MariaDbEngine
from tests.engines.postgres import PostgresEngine
from tests.migrate.moving_stage import Stage, new_metric, settle, sides, staged, writers_of


@pytest.fixture(params=["mariadb", "postgres"])
def stage(request: pytest.FixtureRequest) -> Generator[Stage]:
    engine: MariaDbEngine | PostgresEngine = request.getfixturevalue(request.param)
    with staged(engine) as made:
        yield made


def test_a_metric_goes_over_and_back_with_all_that_is_written(stage: Stage) -> None:
    both = stage.both()
    assert stage.write(both, "1", "a") == 2
    settle(stage)
    assert stage.handovers.hand_over(["1"]).done == ("1",)
    assert sides(stage, ["1", "2"]) == [("new", "new"), ("old", "old")]
    assert stage.write(both, "1", "b") == 3
    assert stage.read(both, "1") == ["before", "a", "b"]
    assert stage.handovers.hand_back(["1"]).done == ("1",)
    assert sides(stage, ["1"]) == [("old", "old")]
    assert stage.rows("1") == ["before", "a", "b"]
    assert stage.write(both, "1", "c") == 4
    assert stage.read(both, "1") == ["before", "a", "b", "c"]
    settle(stage)
    assert stage.handovers.hand_over(["1"]).done == ("1",)
    assert stage.read(both, "1") == ["before", "a", "b", "c"]


def test_what_is_not_carried_over_yet_is_not_handed_over(stage: Stage) -> None:
    stage.add_version("1", "a")
    assert stage.handovers.hand_over(["1", "2"]).behind == ("1",)
    assert sides(stage, ["1", "2"]) == [("old", "old"), ("new", "new")]


def test_what_somebody_writes_at_this_moment_is_not_waited_for(stage: Stage) -> None:
    with stage.connection.cursor() as cursor:
        cursor.execute("UPDATE metric_version SET updated_by = 'x' WHERE metric_id = 1")
        assert stage.handovers.hand_over(["1", "2"]).busy == ("1",)
        stage.connection.rollback()
    assert stage.handovers.hand_over(["1"]).done == ("1",)


def test_what_another_mover_holds_keeps_nobody_from_writing_back_the_rest(stage: Stage) -> None:
    both = stage.both()
    assert stage.handovers.hand_over(["1", "2"]).done == ("1", "2")
    for key in ("1", "2"):
        stage.write(both, key, "a")
    with stage.connection.cursor() as cursor:  # as one that sleeps in the middle of it
        cursor.execute("SELECT side FROM footfall_routes WHERE entity = 'metric' AND entity_key = '1' FOR UPDATE")
        told = stage.back.write_back_round()
        stage.connection.rollback()
    assert (told.written, stage.new.waiting_back()) == (1, 1)
    assert stage.back.write_back_round().written == 1
    assert (stage.rows("1"), stage.rows("2")) == (["before", "a"], ["before", "a"])


def test_a_program_that_writes_straight_to_the_old_side_is_told_so(stage: Stage) -> None:
    stage.handovers.hand_over(["1"])
    with pytest.raises(Exception, match="footfall: moved"):
        stage.add_version("1", "a")


class Killed(Exception):
    """The mover was killed here."""


class KilledBefore(Handovers):
    """A mover that is killed before it tells the new side."""

    def _told_new(self, key: str, held: Held, route: Route) -> None:
        raise Killed


def test_whoever_writes_finishes_what_a_killed_mover_began(stage: Stage) -> None:
    with pytest.raises(Killed):
        KilledBefore(stage.ground.relational, stage.new, stage.handovers.pause).hand_over(["1"])
    assert sides(stage, ["1"]) == [("doubt", "old")]
    both = stage.both()
    assert stage.read(both, "1") == ["before"]
    assert stage.write(both, "1", "a") == 2
    assert sides(stage, ["1"]) == [("new", "new")]
    assert sum(both.counted.blocked_ms.values()) == 1


class KilledAfter(Handovers):
    """A mover that is killed after it has told the new side, and before it tells the old one."""

    def _tell_new(self, held: Mapping[str, Held], left: Mapping[str, Route]) -> None:
        super()._tell_new(held, left)
        raise Killed


def test_the_next_mover_tells_the_old_side_what_a_killed_one_could_not(stage: Stage) -> None:
    with pytest.raises(Killed):
        KilledAfter(stage.ground.relational, stage.new, stage.handovers.pause).hand_over(["1"])
    assert sides(stage, ["1"]) == [("doubt", "new")]
    assert stage.handovers.hand_over(["1"]).done == ("1",)
    assert sides(stage, ["1"]) == [("new", "new")]


def test_whoever_writes_finishes_a_return_that_a_killed_mover_began(stage: Stage) -> None:
    both = stage.both()
    stage.handovers.hand_over(["1"])
    stage.write(both, "1", "a")
    held = stage.new.held("1")
    assert held is not None
    assert stage.new.turn("1", held, Side.DOUBT, epoch=held.epoch + 1, clock=0)
    assert stage.read(both, "1") == ["before", "a"]
    assert stage.write(both, "1", "b") == 3
    assert sides(stage, ["1"]) == [("old", "old")]
    assert stage.rows("1") == ["before", "a", "b"]


def test_a_return_may_be_taken_back(stage: Stage) -> None:
    both = stage.both()
    stage.handovers.hand_over(["1"])
    held = stage.new.held("1")
    assert held is not None
    assert stage.new.turn("1", held, Side.DOUBT, epoch=held.epoch + 1, clock=0)
    assert stage.handovers.take_back("1") is Side.NEW
    assert stage.write(both, "1", "a") == 2
    settle(stage)
    assert stage.rows("1") == ["before", "a"]


def test_what_the_old_side_does_not_take_stays_on_the_new_one(stage: Stage) -> None:
    both = stage.both()
    stage.handovers.hand_over(["1"])
    stage.write(both, "1", "x" * 150)  # The old column has 100 characters.
    told = stage.handovers.hand_back(["1", "2"])
    assert list(told.refused) == ["1"]
    assert sides(stage, ["1"]) == [("new", "new")]
    assert stage.write(both, "1", "b") == 3


def test_new_metrics_are_made_on_the_new_side_and_stay_when_all_goes_back(stage: Stage) -> None:
    both = stage.both()
    assert not stage.migrator.hand_over_all().refused
    assert sides(stage, [EVERYTHING, "3"]) == [("new", "new"), ("new", "new")]

    first = both.create(old=no_old, make=lambda key: new_metric(key, "made"))
    assert int(first) > 3
    with pytest.raises(PlaceTaken):
        both.create(old=no_old, make=lambda key: new_metric(key, "made"))
    assert stage.write(both, first, "a") == 2
    stage.migrator.hand_back_all()
    assert sides(stage, [EVERYTHING, first]) == [("old", "old"), ("old", "old")]
    assert stage.rows(first) == ["new", "a"]
    with stage.connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO metrics (name, created_at, created_by) VALUES ('later', '2021-01-01', 'x') RETURNING id"
        )
        assert cursor.fetchone()[0] > int(first)
    stage.connection.commit()


def no_old() -> str:
    raise AssertionError("the old side makes none now")


def sql(stage: Stage, *statements: str) -> None:
    with stage.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    stage.connection.commit()


REMOVED = ("DELETE FROM metric_version WHERE metric_id = 3", "DELETE FROM metrics WHERE id = 3")


def test_a_number_that_was_removed_is_not_given_again(stage: Stage) -> None:
    sql(stage, *REMOVED)
    settle(stage)
    assert not stage.migrator.hand_over_all().refused
    assert stage.both().create(old=no_old, make=lambda key: new_metric(key, "made")) == "4"


def test_a_number_that_was_removed_and_not_carried_over_yet_is_not_given_again(stage: Stage) -> None:
    sql(stage, *REMOVED)
    assert stage.handovers.hand_over([EVERYTHING]).done == (EVERYTHING,)
    assert stage.both().create(old=no_old, make=lambda key: new_metric(key, "made")) == "4"


def test_numbers_that_the_table_knows_are_passed_by(stage: Stage) -> None:
    stage.migrator.hand_over_all()
    stage.ground.table.put(Put(next_key(stage.new.outline.entity), {"next": 1}))
    both = stage.both()
    assert both.create(old=no_old, make=lambda key: new_metric(key, "made")) == "4"
    assert both.create(old=no_old, make=lambda key: new_metric(key, "made too")) == "5"


def test_what_was_made_before_a_return_was_taken_back_is_written_back_after_it(stage: Stage) -> None:
    stage.migrator.hand_over_all()
    both, gate = stage.both(), stage.new.held(EVERYTHING)
    assert gate is not None
    good = both.create(old=no_old, make=lambda key: new_metric(key, "good"))
    bad = both.create(old=no_old, make=lambda key: too_long(key, "bad"))
    # As if both were made after all was written back, and before the doubt.
    assert stage.new.turn(EVERYTHING, gate, Side.DOUBT, epoch=gate.epoch + 1, clock=0)
    with pytest.raises(NotWrittenBack) as told:
        stage.handovers.settle(EVERYTHING)
    assert list(told.value.refused) == [bad]
    assert sides(stage, [EVERYTHING, good, bad]) == [("new", "new")] * 3
    later = both.create(old=no_old, make=lambda key: new_metric(key, "later"))
    left = stage.migrator.hand_back_all().refused
    assert sorted(left) == sorted([EVERYTHING, bad])
    assert sides(stage, [EVERYTHING, good, bad, later]) == [
        ("new", "new"), ("old", "old"), ("new", "new"), ("old", "old"),
    ]  # fmt: skip
    both.write(bad, old=no_old, change=lambda found: (new_metric(bad, "bad")[0], str(found)))
    assert not stage.migrator.hand_back_all().refused
    assert sides(stage, [EVERYTHING, good, bad, later]) == [("old", "old")] * 4
    for key in (good, bad, later):
        assert stage.read(stage.both(), key) == stage.rows(key) == ["new"]


def test_nothing_made_before_a_return_that_was_taken_back_is_lost_without_being_refused(stage: Stage) -> None:
    stage.migrator.hand_over_all()
    both, gate = stage.both(), stage.new.held(EVERYTHING)
    assert gate is not None
    made = both.create(old=no_old, make=lambda key: new_metric(key, "made"))
    assert stage.new.turn(EVERYTHING, gate, Side.DOUBT, epoch=gate.epoch + 1, clock=0)
    assert stage.handovers.take_back(EVERYTHING) is Side.NEW
    assert stage.back.write_back(made)
    assert stage.rows(made) == ["new"]
    assert not stage.migrator.hand_back_all().refused
    assert stage.read(stage.both(), made) == ["new"]


def too_long(key: str, name: str) -> tuple[Document, str]:
    """Return a metric that the old side does not take: the column has 100 characters."""
    document, answer = new_metric(key, name)
    return replace(document, root={**document.root, "created_by": "y" * 300}), answer


def test_what_was_removed_on_the_new_side_goes_back_with_everything_and_may_be_made_again(stage: Stage) -> None:
    stage.migrator.hand_over_all()
    both = stage.both()
    both.write("1", old=no_old, change=lambda _: (None, ""))
    made = both.create(old=no_old, make=lambda key: new_metric(key, "made"))
    both.write(made, old=no_old, change=lambda _: (None, ""))
    assert not stage.migrator.hand_back_all().refused
    assert sides(stage, [EVERYTHING, "1", "2", made]) == [("old", "old")] * 4
    insert = "INSERT INTO metrics (id, name, created_at, created_by) VALUES ({}, '{}', '2021-01-01', 'x')"
    sql(stage, insert.format(1, "metric 1"), insert.format(made, "made"))
    assert [stage.add_version(key, "again") for key in ("1", made)] == [1, 1]
    settle(stage)
    assert not stage.migrator.hand_over_all().refused
    assert sides(stage, ["1", made]) == [("new", "new")] * 2


def test_what_was_removed_on_the_old_side_goes_over_with_everything(stage: Stage) -> None:
    sql(stage, *REMOVED)
    assert not stage.migrator.hand_over_all().refused
    assert sides(stage, ["3"]) == [("new", "new")]
    assert stage.read(stage.both(), "3") == []


def test_keys_that_there_are_not_are_told_before_anything_is_done(stage: Stage) -> None:
    for act in (stage.migrator.hand_over_some, stage.migrator.hand_back_some):
        with pytest.raises(Refused, match="no metric 998, 999;"):
            act(["1", "998", "999"])
    assert stage.new.held("999") is None
    assert sides(stage, ["1"]) == [("old", "old")]
    assert not stage.migrator.hand_over_some(["1"]).refused
    assert not stage.migrator.hand_back_some(["1"]).refused


def test_a_metric_that_was_removed_on_the_new_side_is_gone_on_both(stage: Stage) -> None:
    both = stage.both()
    stage.handovers.hand_over(["1"])
    assert both.write("1", old=lambda: None, change=lambda _: (None, None)) is None
    assert stage.read(both, "1") == []
    assert stage.handovers.hand_back(["1"]).done == ("1",)
    assert stage.rows("1") == []
    assert stage.read(both, "1") == []


def test_many_go_back_together_and_only_those_stay_that_the_old_side_does_not_take(stage: Stage) -> None:
    stage.migrator.hand_over_all()
    both = stage.both()
    made = [both.create(old=no_old, make=lambda key: new_metric(key, f"made {key}")) for _ in range(20)]
    for key in made[::2]:
        stage.write(both, key, "a")
    stage.write(both, made[4], "x" * 150)
    told = stage.handovers.hand_back(made)
    assert list(told.refused) == [made[4]]
    assert (told.done, told.busy) == (tuple(key for key in made if key != made[4]), ())
    for key in made:
        assert sides(stage, [key]) == [("new", "new") if key == made[4] else ("old", "old")]
        assert stage.read(both, key) == ["new", *(["a"] if key in made[::2] else []), *(["x" * 150] * (key == made[4]))]
    assert stage.write(both, made[1], "b") == 2


class KilledInReturn(Handovers):
    """A mover that is killed when it has put a batch in doubt on the new side."""

    def _tell_old(self, doubted: Sequence[str]) -> frozenset[str]:
        raise Killed


def test_whoever_writes_finishes_a_batch_of_returns_that_a_killed_mover_began(stage: Stage) -> None:
    stage.migrator.hand_over_all()
    both = stage.both()
    stage.write(both, "1", "a")
    with pytest.raises(Killed):
        KilledInReturn(stage.ground.relational, stage.new, stage.handovers.pause).hand_back(["1", "2"])
    assert sides(stage, ["1", "2"]) == [("new", "doubt")] * 2
    assert [stage.write(both, key, "b") for key in ("1", "2")] == [3, 2]
    assert sides(stage, ["1", "2"]) == [("old", "old")] * 2
    assert stage.rows("1") == ["before", "a", "b"]


def test_ten_rounds_lose_nothing(stage: Stage) -> None:
    both, wanted = stage.both(), ["before"]
    for number in range(10):
        for by in (f"{number}a", f"{number}b"):
            stage.write(both, "2", by)
            wanted.append(by)
            stage.migrator.hand_over_all() if by.endswith("a") else stage.migrator.hand_back_all()
            assert stage.read(both, "2") == wanted
    assert stage.rows("2") == wanted


def test_what_is_written_before_the_table_is_told_of_a_return_is_followed(stage: Stage) -> None:
    stage.handovers.hand_over(["1"])
    held = stage.new.held("1")
    assert held is not None
    assert stage.new.turn("1", held, Side.DOUBT, epoch=2, clock=0)
    outline, source = stage.ground.moving.outline, stage.ground.relational
    route = source.routes(outline, ["1"])["1"]
    assert source.enter(outline, "1", Route(Side.OLD, 2, route.clock, route.written_back), expects=route)
    stage.add_version("1", "a")
    stage.migrator.go_round()  # The table does not take it yet: it is still in doubt.
    assert stage.handovers.settle("1") is Side.OLD
    settle(stage)
    held = stage.new.held("1")
    assert held is not None
    assert writers_of(held.moved.document) == ["before", "a"]
