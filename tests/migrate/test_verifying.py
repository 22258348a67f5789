"""A verification finds every fault that is planted, reports none where there is none, and goes on where it stopped."""

from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.metrics import keys as metric_keys
from footfall.migrate import keys
from footfall.migrate.copying import Ground, carry_now
from footfall.migrate.following import follow_some
from footfall.migrate.merkle import bucket_of
from footfall.migrate.repairing import repair
from footfall.migrate.verifying import Verified, Verifier
from footfall.ports.relational import Outline
from footfall.ports.table import Put, Table, everything
from footfall.values.clock import SystemClock
from tests.contract.conftest import NewTable
from tests.contract.conftest import new_table as new_table
from tests.engines.mariadb import MariaDbEngine
from tests.migrate.corruptions import CORRUPTIONS, READS_2
from tests.migrate.stage import NOW_MS, Stage, filled


@pytest.fixture(scope="module")
def stage(mariadb: MariaDbEngine) -> Iterator[Stage]:
    made = moved(filled(Stage(mariadb)))
    yield made
    made.close()


@pytest.fixture
def own_stage(mariadb: MariaDbEngine) -> Iterator[Stage]:
    made = moved(filled(Stage(mariadb)))
    yield made
    made.close()


def moved(stage: Stage) -> Stage:
    stage.copy()
    stage.remove(8)
    stage.follow()
    return stage


def table_like(stage: Stage, fresh: Table) -> Table:
    """Return a table with all that lies in the stage's."""
    assert isinstance(stage.table, SqliteTable)
    for partition, sort in stage.table._connection.execute("SELECT partition, sort FROM items").fetchall():
        key = metric_keys.Key(str(partition), str(sort))
        fresh.put(Put(key, stage.table.get(key) or {}))
    return fresh


@pytest.fixture
def table(stage: Stage) -> Table:
    return table_like(stage, SqliteTable(":memory:", clock=stage.clock))


def told(verified: Verified) -> list[str]:
    return [f"{one.key} {one.sort} {one.attribute}: {one.expected} {one.actual}" for one in verified.differences]


def test_nothing_is_reported_of_a_sound_table(stage: Stage, table: Table) -> None:
    verified = stage.verify(table=table)
    assert told(verified) == []
    assert (verified.entities, verified.behind, verified.left, verified.set_aside) == (7, 0, 0, 0)
    assert verified.source_root == verified.table_root
    assert verified.is_sound


def test_there_are_fifty_corruptions_and_more() -> None:
    assert len(CORRUPTIONS) >= 80


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_what_is_planted_is_found(stage: Stage, table: Table, name: str) -> None:
    CORRUPTIONS[name](table)
    assert not stage.verify(table=table).is_sound


def test_what_is_planted_after_a_verification_is_found_by_the_next(stage: Stage, table: Table) -> None:
    stage.verify("first", table=table)
    for number, name in enumerate(CORRUPTIONS):
        broken = table_like_again(table, stage)
        CORRUPTIONS[name](broken)
        assert not stage.verify(f"run {number}", table=broken).is_sound, name


def table_like_again(table: Table, stage: Stage) -> Table:
    assert isinstance(table, SqliteTable)
    fresh = SqliteTable(":memory:", clock=stage.clock)
    for partition, sort in table._connection.execute("SELECT partition, sort FROM items").fetchall():
        key = metric_keys.Key(str(partition), str(sort))
        fresh.put(Put(key, table.get(key) or {}))
    return fresh


def test_a_difference_says_entity_item_attribute_and_both_values(stage: Stage, table: Table) -> None:
    item = table.get(READS_2)
    assert item is not None
    table.put(Put(READS_2, {**item, "updatedBy": "eve"}))
    (found,) = stage.verify(table=table).differences
    assert (found.key, found.partition, found.sort) == ("1", "metric#abc#reads", "v0000000002")
    assert (found.attribute, found.expected, found.actual) == ("updatedBy", '"editor 2"', '"eve"')


def test_what_was_verified_is_not_read_from_the_source_again(stage: Stage, table: Table) -> None:
    stage.verify("first", table=table)
    seen: list[str] = []
    relational = stage.relational

    class Counting:
        """The source, which notes which entities are read."""

        def __getattr__(self, name: str) -> Any:
            return getattr(relational, name)

        @contextmanager
        def snapshot(self, outline: Outline) -> Generator[Any]:
            with relational.snapshot(outline) as snapshot:
                see = snapshot.see
                yield SimpleNamespace(
                    keys=snapshot.keys, clocks=snapshot.clocks, routes=snapshot.routes, touched_by=snapshot.touched_by,
                    see=lambda keys: seen.extend(keys) or see(keys),
                )  # fmt: skip

    ground = Ground(Counting(), table, stage.moving)  # pyright: ignore[reportArgumentType] - it hands through
    assert Verifier(ground, "second").verify(now_ms=NOW_MS).is_sound
    assert seen == ["8"], "only of those that are gone it is asked whether they still are"


def test_a_run_that_was_stopped_goes_on_behind_the_last_bucket(stage: Stage, table: Table) -> None:
    verifier = Verifier(Ground(stage.relational, table, stage.moving), "run")
    (members,) = verifier.buckets()
    verifier.check(0, members, buckets=1)
    assert verifier.is_done(0, buckets=1)
    item = table.get(READS_2)
    assert item is not None
    table.put(Put(READS_2, {**item, "updatedBy": "eve"}))
    assert stage.verify("run", table=table).is_sound, "this run has finished that bucket before"
    assert not stage.verify("next", table=table).is_sound


def test_what_waits_to_be_carried_over_is_behind_and_no_difference(own_stage: Stage) -> None:
    own_stage.add_version(1, 4)
    own_stage.add(9, "new")
    own_stage.remove(3)
    verified = own_stage.verify("first")
    assert told(verified) == []
    assert (verified.behind, verified.left) == (1, 1), "one has changed, one is new"
    own_stage.follow()
    after = own_stage.verify("second")
    assert (told(after), after.behind, after.entities) == ([], 0, 7)


def test_what_is_said_to_be_done_and_is_not_there_is_found(own_stage: Stage) -> None:
    own_stage.add_version(1, 4)
    outline = own_stage.moving.outline
    own_stage.relational.done(outline, [one.id for one in own_stage.relational.waiting(outline, limit=100)])
    found = own_stage.verify()
    assert {one.key for one in found.differences} == {"1"}
    assert "fence" in {one.attribute for one in found.differences}


def test_an_entity_that_is_set_aside_is_counted_and_no_difference(own_stage: Stage) -> None:
    own_stage.source.run("UPDATE metric_version SET hybrid_formula = 'reads /' WHERE metric_id = 4 AND version = 3")
    own_stage.follow()
    verified = own_stage.verify()
    assert (told(verified), verified.set_aside) == ([], 1)


REPAIRED = (
    "another formula", "a version more", "a line that is dropped", "an edge that is dropped",
    "a metric that was revived",
    "a line of a metric that is not there", "two versions swapped", "a digest of other rows",
    "a document that is cut short",
)  # fmt: skip


def test_whoever_repairs_makes_it_sound(own_stage: Stage) -> None:
    for name in REPAIRED:
        CORRUPTIONS[name](own_stage.table)
    broken = own_stage.verify("broken")
    repaired = repair(own_stage.ground, broken)
    assert (repaired.carried, repaired.not_ours) == (2, ())
    assert told(own_stage.verify("repaired")) == []
    CORRUPTIONS["a side that is new"](own_stage.table)
    assert repair(own_stage.ground, own_stage.verify("other")).not_ours == ("1",), "whoever says so has to be asked"


@pytest.mark.parametrize("name", ["a head that counts one metric more", "a head that is dropped"])
def test_whoever_repairs_counts_again(own_stage: Stage, name: str) -> None:
    CORRUPTIONS[name](own_stage.table)
    (found,) = own_stage.verify("broken").differences
    assert (found.partition, found.attribute, found.expected) == ("metric-head#abc", "metrics", "7")
    repair(own_stage.ground, own_stage.verify("broken"))
    assert told(own_stage.verify("repaired")) == []
    own_stage.add(9, "later")
    own_stage.follow()
    assert own_stage.catalogue.newest("abc", "later").number == 2


def write_much(stage: Stage) -> None:
    """Change old metrics, and make and remove others."""
    chance = Random(1)
    for number in range(40):
        stage.add_version(chance.choice([1, 2, 3]), 4 + number % 20, version=10 + number)
        if number % 8 == 0:
            stage.add(100 + number, versions=1)
        if number % 8 == 4:
            stage.remove(100 + number - 4)


def test_nothing_is_reported_while_both_sides_are_written(own_stage: Stage, tmp_path: Path) -> None:
    path, clock = tmp_path / "metrics.db", SystemClock()
    table = table_like(own_stage, SqliteTable(path, clock=clock, durable=False))
    ground = Ground(own_stage.source.opened(), SqliteTable(path, clock=clock, durable=False), own_stage.moving)

    def follow(writer: Future[None]) -> None:
        while not writer.done() or follow_some(ground).notices:
            follow_some(ground)

    with ThreadPoolExecutor(2) as threads:
        writer = threads.submit(write_much, own_stage)
        follower, run = threads.submit(follow, writer), 0
        while not follower.done() or run == 0:
            run += 1
            assert told(own_stage.verify(f"run {run}", table=table)) == []
    for one in (writer, follower):
        one.result()
    after = own_stage.verify("after", table=table)
    assert (told(after), after.behind, after.left) == ([], 0, 0)


def test_a_table_is_verified_on_every_ground(own_stage: Stage, new_table: NewTable) -> None:
    other = table_like(own_stage, new_table(clock=own_stage.clock))
    assert own_stage.verify("first", table=other).is_sound
    CORRUPTIONS["a hash of another version"](other)
    CORRUPTIONS["a line of a metric that is gone"](other)
    assert len(own_stage.verify("second", table=other).differences) == 2


def test_entities_are_spread_over_buckets_by_their_keys() -> None:
    spread = [bucket_of(str(number), buckets=16) for number in range(1_600)]
    assert min(spread.count(number) for number in range(16)) > 60


def test_nothing_of_a_verification_lies_among_the_metrics(own_stage: Stage) -> None:
    before = list(everything(own_stage.table, metric_keys.rows("abc")))
    own_stage.verify()
    assert list(everything(own_stage.table, metric_keys.rows("abc"))) == before
    assert own_stage.table.get(keys.bucket("metric", 0)) is not None
    assert carry_now(own_stage.ground, ["1"])[0].outcome == "unchanged"
