"""Writers who go on while a database is prepared, read, folded and handed over: nothing is lost, nobody waits."""

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from random import Random
from typing import Any

import psycopg
import pymysql
import pytest

from footfall.ports.relational import Document, Outline, Part, Relational
from tests.contract.old_schemas import OLD, REDESIGNED, Source, run
from tests.contract.relational_asking import clock, leave, refused, seen

METRICS = 6
DATABASE_ERRORS = (psycopg.Error, pymysql.Error)
PAIRS = "dimensions_metric_groups"
UNLESS = f"WHERE NOT EXISTS (SELECT 1 FROM {PAIRS} WHERE metric_group_id = %s AND dimension_id = %s)"
CHAIN = "UPDATE metric_version SET chained_metric = %s WHERE metric_id = %s"
WAIT_S = 30.0  # for what is bound to come; whoever waits longer has failed


@contextmanager
def at_work(*acts: Callable[[Callable[[], bool]], None]) -> Generator[None]:
    """Run each act in a thread of its own until the block ends; what any of them raises is raised here."""
    over, raised = threading.Event(), list[BaseException]()

    def guarded(act: Callable[[Callable[[], bool]], None]) -> None:
        try:
            act(lambda: not over.is_set())
        except BaseException as error:  # noqa: BLE001 - it is raised again by who waits
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(WAIT_S)
    assert not any(thread.is_alive() for thread in threads)
    if raised:
        raise raised[0]


def writer_of(source: Source, number: int, *, pauses_s: Sequence[float] = (0,)) -> Callable[[Callable[[], bool]], None]:
    """Return who changes metrics at random, several in a transaction, always in the same order, taking back a few."""

    def act(goes_on: Callable[[], bool]) -> None:
        chance = Random(number)
        with closing(source.connected()) as connection:
            while goes_on():
                try:
                    for key in sorted(chance.sample(range(1, METRICS + 1), chance.choice((1, 1, 2, 3)))):
                        change(connection, chance, key)
                    time.sleep(chance.choice(pauses_s))
                except DATABASE_ERRORS as error:
                    require_no_fault_of_ours(source, error)
                    connection.rollback()
                if chance.random() < 0.1:
                    connection.rollback()
                else:
                    connection.commit()

    return act


def require_no_fault_of_ours(source: Source, error: Exception) -> None:
    """Raise the error unless a gate refused, or it is a deadlock of the application's own: InnoDB has such."""
    if "footfall: moved" in str(error):
        return
    if getattr(error, "args", [0])[0] != 1213:
        raise error
    with closing(source.connected()) as connection:
        said = run(connection, "SHOW ENGINE INNODB STATUS")[0][2]
    told = said[said.index("LATEST DETECTED DEADLOCK") : said.index("\nTRANSACTIONS\n")]
    assert "footfall_" not in told, told


def change(connection: Any, chance: Random, key: int) -> None:
    """Change one metric, its root or one of its versions."""
    run(connection, "SELECT id FROM metrics WHERE id = %s FOR UPDATE", key)
    match chance.randrange(3):
        case 0:
            run(connection, "UPDATE metrics SET created_by = %s WHERE id = %s", f"by {chance.random()}", key)
        case 1:
            run(connection, "UPDATE metric_version SET updated_by = %s WHERE metric_id = %s", f"{chance.random()}", key)
        case _:
            run(connection, "DELETE FROM metric_version WHERE metric_id = %s AND version > 1", key)
            run(
                connection,
                "INSERT INTO metric_version (metric_id, version, value_type, aggregation_style, updated_at, updated_by)"
                " VALUES (%s, 2, 'SCALAR', 'SUM', '2024-01-01', %s)",
                key, f"{chance.random()}",
            )  # fmt: skip


@pytest.fixture
def relational(source: Source) -> Relational:
    for number in range(1, METRICS + 1):
        source.add_metric(number)
    opened = source.opened()
    opened.prepare(REDESIGNED)
    return opened


def test_the_same_clock_is_the_same_rows(source: Source, relational: Relational) -> None:
    known: dict[tuple[str, int], Document | None] = {}
    highest: dict[str, int] = {}
    keys = [str(number) for number in range(1, METRICS + 1)]
    compactor = source.opened()

    def compact(goes_on: Callable[[], bool]) -> None:
        while goes_on():
            waiting = compactor.waiting(REDESIGNED, limit=50)
            compactor.done(REDESIGNED, [notice.id for notice in waiting])
            compactor.compact(REDESIGNED)

    with at_work(writer_of(source, 1), writer_of(source, 2), writer_of(source, 3), compact):
        ends_at_s = time.monotonic() + WAIT_S
        while len(known) < 400 and time.monotonic() < ends_at_s:
            for one in seen(relational, REDESIGNED, *keys):
                assert known.setdefault((one.key, one.clock), one.document) == one.document
                assert one.clock >= highest.get(one.key, 0)
                highest[one.key] = one.clock
    assert len(known) >= 400
    compact(iter([True, False]).__next__)
    for one in seen(relational, REDESIGNED, *keys):
        assert one.clock >= highest[one.key]


def test_shared_rows_count_up_under_writers(grouped: Source) -> None:
    grouped.run("INSERT INTO metric_groups (id, name) VALUES (1, 'a'), (2, 'b')")
    grouped.run("INSERT INTO dimensions (id, name) VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    for number in (1, 2, 3):
        grouped.add_metric(number, group=1 + number % 2)
    relational = grouped.opened()
    relational.prepare(OLD)

    def share(goes_on: Callable[[], bool]) -> None:
        chance = Random(5)
        with closing(grouped.connected(autocommit=True)) as connection:
            while goes_on():
                group, dimension, metric = chance.randint(1, 2), chance.randint(1, 3), chance.randint(1, 3)
                pair = (group, dimension)
                sql, *values = chance.choice(
                    [
                        ("UPDATE dimensions SET name = %s WHERE id = %s", f"{chance.random()}", dimension),
                        ("UPDATE metrics SET metric_group_id = %s WHERE id = %s", group, metric),
                        ("UPDATE metrics SET name = %s WHERE id = %s", f"{chance.random()}", metric),
                        (f"DELETE FROM {PAIRS} WHERE metric_group_id = %s", group),
                        (CHAIN, chance.randint(1, 3), metric),
                        (f"INSERT INTO {PAIRS} (metric_group_id, dimension_id) SELECT %s, %s {UNLESS}", *pair, *pair),
                    ]
                )
                run(connection, sql, *values)

    known: dict[tuple[str, int], Document | None] = {}
    highest = {"1": 0, "2": 0, "3": 0}
    with at_work(share):
        ends_at_s = time.monotonic() + WAIT_S
        while len(known) < 200 and time.monotonic() < ends_at_s:
            for one in seen(relational, OLD, *highest):
                assert known.setdefault((one.key, one.clock), one.document) == one.document
                assert one.clock >= highest[one.key]
                highest[one.key] = one.clock
    assert len(known) >= 200


def test_what_is_left_under_writers_does_not_change_any_more(source: Source, relational: Relational) -> None:
    """Each is left with the clock that was seen, however often that fails; then its rows are those that were seen."""
    left: dict[str, Document | None] = {}
    with at_work(*(writer_of(source, number, pauses_s=(0, 0.002, 0.01, 0.03)) for number in (1, 2, 3))):
        ends_at_s = time.monotonic() + WAIT_S
        while len(left) < METRICS and time.monotonic() < ends_at_s:
            keys = [str(number) for number in range(1, METRICS + 1) if str(number) not in left]
            found = {one.key: one for one in seen(relational, REDESIGNED, *keys)}
            fences = {key: one.clock for key, one in found.items()}
            left |= {key: found[key].document for key in relational.leave(REDESIGNED, keys, fences=fences)}
        for one in seen(relational, REDESIGNED, *left):
            assert one.document == left[one.key]
    for one in seen(relational, REDESIGNED, *left):
        assert one.document == left[one.key]
    assert len(left) == METRICS


def test_nobody_is_kept_waiting_or_stopped_by_others_because_of_us(source: Source, relational: Relational) -> None:
    """A then B in one transaction, B then A in another, on tables of ours alone, is no deadlock."""
    one, other = source.connected(), source.connected()
    source.add_version(1, 2, by=one)
    source.add_version(2, 2, by=other)
    source.add_version(2, 3, by=one)
    source.add_version(1, 3, by=other)
    source.add_metric(70, by=one)
    source.add_metric(71, by=other)
    source.add_metric(72, by=one)
    # A statement that changes several rows holds nothing of ours that another needs.
    run(one, "UPDATE metric_version SET updated_by = 'x' WHERE metric_id IN (70, 72)")
    run(other, "UPDATE metric_version SET updated_by = 'x' WHERE metric_id IN (71)")
    other.commit()
    one.commit()
    one.close()
    other.close()
    assert clock(relational, REDESIGNED, "1") == 2
    assert clock(relational, REDESIGNED, "2") == 2


def test_a_statement_that_waits_for_a_row_holds_nothing_of_ours(source: Source, relational: Relational) -> None:
    """An update that has changed one row and waits for another lets everybody else write."""
    first, second = source.connected(), source.connected()
    run(second, "UPDATE metrics SET created_by = 'second' WHERE id = 2")

    def wait(_: Callable[[], bool]) -> None:
        run(first, "UPDATE metrics SET created_by = 'first' WHERE id IN (1, 2)")
        first.commit()

    with at_work(wait):
        require(lambda: is_waiting(source))
        run(second, "UPDATE metrics SET created_by = 'second' WHERE id = 3")
        run(second, "DELETE FROM metric_version WHERE metric_id = 3")
        second.commit()
    first.close()
    second.close()
    assert source.run("SELECT created_by FROM metrics WHERE id < 4 ORDER BY id") == [
        ("first",),
        ("first",),
        ("second",),
    ]


def is_waiting(source: Source) -> bool:
    if source.engine.name == "mariadb":
        return source.run("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")[0][0] > 0
    sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    return source.run(sql)[0][0] > 0


def require(holds: Callable[[], bool]) -> None:
    ends_at_s = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < ends_at_s
        time.sleep(0.12)  # InnoDB tells the same of transactions to who asks more often.


def test_preparing_under_writers_loses_no_change(source: Source) -> None:
    for number in range(1, METRICS + 1):
        source.add_metric(number)
    relational, keys = source.opened(), [str(number) for number in range(1, METRICS + 1)]
    with at_work(*(writer_of(source, number) for number in (1, 2, 3))):
        relational.prepare(REDESIGNED)
        before = {one.key: one for one in seen(relational, REDESIGNED, *keys)}
        require(lambda: relational.lag(REDESIGNED, now_ms=0)[0] > 100)
    after = {one.key: one for one in seen(relational, REDESIGNED, *keys)}
    noted = {notice.key for notice in relational.waiting(REDESIGNED, limit=1_000)}
    for key in keys:
        assert before[key].document == after[key].document or before[key].clock < after[key].clock
        assert before[key].clock == after[key].clock or key in noted
    for key in keys:
        assert leave(relational, REDESIGNED, key) is not None


def test_who_began_before_the_routes_were_there_is_gated_all_the_same(source: Source) -> None:
    """A transaction whose moment is older than the routes does not see them, and still nothing of it is lost."""
    source.add_metric(1)
    relational = source.opened()
    relational.prepare(Outline("dimension", "dimensions", "id"))
    begun = source.connected()
    if source.engine.name == "mariadb":
        run(begun, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
    else:
        run(begun, "BEGIN ISOLATION LEVEL REPEATABLE READ")
        run(begun, "SELECT 1 AS moment")
    relational.prepare(REDESIGNED)
    if source.engine.name == "postgres":
        # PostgreSQL tells such a transaction to begin again, which is no loss.
        with pytest.raises(psycopg.errors.SerializationFailure):
            source.add_version(1, 2, by=begun)
        begun.rollback()
    source.add_version(1, 2, by=begun)
    assert leave(relational, REDESIGNED, "1") is None
    begun.commit()
    begun.close()
    assert clock(relational, REDESIGNED, "1") == 1
    assert leave(relational, REDESIGNED, "1") is not None


def test_while_routes_are_filled_in_writers_go_on_and_nobody_leaves(source: Source) -> None:
    source.add_metric(1)
    source.add_metric(2)
    relational = source.opened()
    relational.prepare(REDESIGNED)
    source.run("UPDATE footfall_outlines SET filled = 0")
    source.run("DELETE FROM footfall_routes WHERE entity_key <> '*'")
    one, other = source.connected(), source.connected()
    source.add_version(1, 2, by=one)
    source.add_version(2, 2, by=other)
    source.add_metric(3, by=other)
    source.add_metric(4, by=one)
    assert relational.leave(REDESIGNED, ["1", "2"], fences={"1": 0, "2": 0}) == {}
    relational.prepare(REDESIGNED)
    assert relational.leave(REDESIGNED, ["1", "2"], fences={"1": 0, "2": 0}) == {}
    for connection in (one, other):
        connection.commit()
        connection.close()
    assert relational.leave(REDESIGNED, ["1", "2"], fences={"1": 0, "2": 1}).keys() == {"2"}


def test_parts_without_a_root_are_gated_and_stop_nobody(source: Source) -> None:
    """Whoever inserts the parts first, in two transactions at once, waits for nobody."""
    source.run("CREATE TABLE heads (id BIGINT NOT NULL PRIMARY KEY)")
    source.run("CREATE TABLE tails (head BIGINT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (head, n))")
    outline = Outline("head", "heads", "id", parts=(Part("tails", "tails", "head", "id", ("n",)),))
    relational = source.opened()
    relational.prepare(outline)
    one, other = source.connected(), source.connected()
    run(one, "INSERT INTO tails VALUES (1, 1)")
    run(other, "INSERT INTO tails VALUES (2, 1)")
    run(one, "INSERT INTO heads VALUES (1)")
    run(other, "INSERT INTO heads VALUES (2)")
    for connection in (one, other):
        connection.commit()
        connection.close()
    assert [found.clock for found in seen(relational, outline, "1", "2")] == [2, 2]
    assert leave(relational, outline, "1") is not None
    with refused():
        source.run("INSERT INTO tails VALUES (1, 2)")


def test_a_long_transaction_makes_preparing_wait_and_nobody_else(source: Source) -> None:
    source.add_metric(1)
    source.add_metric(2)
    relational = source.opened()
    long = source.connected()
    source.add_version(1, 2, by=long)
    prepared = threading.Event()

    def prepare(_: Callable[[], bool]) -> None:
        relational.prepare(REDESIGNED)
        prepared.set()

    with at_work(prepare):
        for version in range(2, 40):
            source.add_version(2, version)  # It would wait behind a lock that waits.
        assert not prepared.is_set()
        long.commit()
        assert prepared.wait(WAIT_S)
    long.close()
    source.add_version(1, 3)
    assert clock(relational, REDESIGNED, "1") == 1


def test_what_many_movers_take_is_taken_once(source: Source) -> None:
    for number in range(1, 41):
        source.add_metric(number, versions=0)
    relational = source.opened()
    relational.prepare(REDESIGNED)
    taken = list[str]()

    def take(_: Callable[[], bool]) -> None:
        mover = source.opened()
        while keys := mover.take(REDESIGNED, limit=3, now_ms=1, until_ms=10**13):
            taken.extend(keys)

    with at_work(take, take, take):
        pass
    assert sorted(taken, key=int) == [str(number) for number in range(1, 41)]
