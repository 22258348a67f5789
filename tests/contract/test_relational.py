"""What every database that is being moved promises: read as of one moment, watched, counted, taken."""

import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from footfall.adapters.relational.opening import open_relational
from footfall.ports.errors import Unavailable
from footfall.ports.relational import EVERYTHING, LookUp, Outline, Part, Route, Side, State
from footfall.values.errors import Refused
from tests.contract.old_schemas import HITS, OLD, REDESIGNED, VERSIONS, Engine, Source, keys_of
from tests.contract.relational_asking import clock, seen

NOW_MS = 1_794_744_000_000


def with_part(of: str, root: str, key: str) -> Outline:
    return Outline("metric", "metrics", "id", parts=(Part("versions", "metric_version", of, root, (key,)),))


def test_an_entity_is_read_with_its_parts_and_what_they_point_at(source: Source) -> None:
    source.add_metric(1, versions=2)
    source.add_metric(2)
    source.add_version(2, 2, chained=1)
    source.run("INSERT INTO dimensions (id, name) VALUES (7, 'country')")
    source.run("INSERT INTO related_dimensions (metric_id, dimension_id) VALUES (2, 7)")
    relational = source.opened()
    relational.prepare(REDESIGNED)
    two, nine, one = seen(relational, REDESIGNED, "2", "9", "1")
    assert (nine.key, nine.clock, nine.document) == ("9", 0, None)
    assert one.document is not None
    assert two.document is not None
    assert one.document.root == {
        "id": 1,
        "name": "metric-1",
        "created_at": "2024-01-02T03:04:05.678901Z",
        "created_by": "ann",
        "deprecated_at": None,
        "deprecated_by": None,
        "deprecated_reason": None,
    }
    assert [row["version"] for row in one.document.parts["versions"]] == [1, 2]
    chained = two.document.parts["versions"][1]
    assert (chained["chained_metric"], chained["chained_metric.name"]) == (1, "metric-1")
    assert (chained["aggregation_param"], chained["chain_cutoff_date"]) == ("1.5000", "2024-03-01")
    assert chained["updated_at"] == "2024-01-02T03:04:05.000000Z"
    assert two.document.parts["dimensions"] == [{"metric_id": 2, "dimension_id": 7, "dimension_id.name": "country"}]
    assert two.document.parts["consumed"] == []


def test_page_hits_are_entities_of_one_row(new_source: Callable[[str], Source]) -> None:
    source = new_source("old_page_hits/schema")
    columns = "id, hit_amount, asset_id, resource_type, section_id, hit_stmp"
    sql = f"INSERT INTO page_hit_day ({columns}) VALUES (%s, 3, 4, 'article', 5, %s)"
    source.run(sql, 1, "2026-11-15 14:00:00")
    relational = source.opened()
    relational.prepare(HITS)
    source.run("UPDATE page_hit_day SET hit_amount = hit_amount + 1 WHERE id = 1")
    (hit,) = seen(relational, HITS, "1")
    assert hit.document is not None
    assert (hit.clock, hit.document.root["hit_amount"]) == (1, 4)
    assert hit.document.root["hit_stmp"] == "2026-11-15T14:00:00.000000Z"
    assert clock(relational, HITS, "1") == 1


def test_keys_come_in_the_order_of_the_column(source: Source) -> None:
    for number in (10, 9, 2, 33):
        source.add_metric(number)
    relational = source.opened()
    with relational.snapshot(REDESIGNED) as snapshot:
        assert snapshot.keys(after=None, limit=3) == ["2", "9", "10"]
        assert snapshot.keys(after="10", limit=3) == ["33"]
        assert snapshot.keys(after="33", limit=3) == []


def test_a_snapshot_does_not_move(source: Source) -> None:
    source.add_metric(1)
    relational = source.opened()
    relational.prepare(REDESIGNED)
    with relational.snapshot(REDESIGNED) as snapshot:
        source.run("UPDATE metrics SET created_by = 'zoe'")
        source.add_metric(2)
        (one,) = snapshot.see(["1"])
        assert one.document is not None
        assert (one.clock, one.document.root["created_by"]) == (0, "ann")
        assert snapshot.keys(after=None, limit=9) == ["1"]
        assert snapshot.routes(["2"])["2"] == Route(Side.OLD, 0)
        # Another snapshot may be open beside it, and what is written meanwhile takes effect.
        assert clock(relational, REDESIGNED, "1") == 1
        relational.settle(REDESIGNED, ["1"], State.MIGRATED)
    assert relational.states(REDESIGNED)[State.MIGRATED] == 1


def test_every_kind_of_change_counts_up(source: Source) -> None:
    relational = source.opened()
    relational.prepare(REDESIGNED)
    source.add_metric(2)
    source.add_metric(1)
    clocks = [clock(relational, REDESIGNED, "1")]
    source.run("INSERT INTO dimensions (id, name) VALUES (7, 'country')")
    for sql in (
        "UPDATE metrics SET created_by = 'zoe' WHERE id = 1",
        "UPDATE metric_version SET updated_by = 'zoe' WHERE metric_id = 1",
        "INSERT INTO related_dimensions (metric_id, dimension_id) VALUES (1, 7)",
        "UPDATE dimensions SET name = 'Country' WHERE id = 7",
        "DELETE FROM related_dimensions WHERE metric_id = 1",
        "INSERT INTO metric_relationships (consumer_metric, consumed_metric) VALUES (1, 2)",
        "UPDATE metrics SET name = 'other' WHERE id = 2",
        "UPDATE metric_version SET metric_id = 2, version = 9 WHERE metric_id = 1",
        "DELETE FROM metric_relationships",
        "DELETE FROM metrics WHERE id = 1",
        "INSERT INTO metrics (id, name, created_at, created_by) VALUES (1, 'again', '2024-01-01', 'x')",
    ):
        source.run(sql)
        clocks.append(clock(relational, REDESIGNED, "1"))
    assert all(before < after for before, after in pairwise(clocks)), clocks


def test_a_key_that_changes_is_noted_as_both(source: Source) -> None:
    source.run("INSERT INTO metrics (id, name, created_at, created_by) VALUES (1, 'a', '2024-01-01', 'x')")
    relational = source.opened()
    relational.prepare(REDESIGNED)
    source.run("UPDATE metrics SET id = 5 WHERE id = 1")
    own = [notice.key for notice in relational.waiting(REDESIGNED, limit=9) if notice.table is None]
    assert sorted(own) == ["1", "5"]
    assert [one.document is None for one in seen(relational, REDESIGNED, "1", "5")] == [True, False]
    assert relational.states(REDESIGNED)[State.NOT_MIGRATED] == 2


def test_a_shared_change_touches_all_who_point_at_the_row(grouped: Source) -> None:
    grouped.run("INSERT INTO metric_groups (id, name) VALUES (1, 'a'), (2, 'b')")
    grouped.run("INSERT INTO dimensions (id, name) VALUES (7, 'country')")
    for number, group in ((1, 1), (2, 1), (3, 2)):
        grouped.add_metric(number, group=group)
    relational = grouped.opened()
    relational.prepare(OLD)
    grouped.run("INSERT INTO dimensions_metric_groups (dimension_id, metric_group_id) VALUES (7, 1)")
    grouped.run("UPDATE dimensions SET name = 'land' WHERE id = 7")
    shared = relational.waiting(OLD, limit=9)
    assert [(notice.table, notice.key) for notice in shared] == [("dimensions_metric_groups", "1"), ("dimensions", "7")]
    with relational.snapshot(OLD) as snapshot:
        assert [snapshot.touched_by(notice) for notice in shared] == [["1", "2"], ["1", "2"]]
        assert snapshot.clocks(["1", "2", "3"]) == {"1": 2, "2": 2, "3": 0}


def test_no_clock_goes_back_when_a_pointer_is_given_up(grouped: Source) -> None:
    grouped.run("INSERT INTO metric_groups (id, name) VALUES (1, 'a'), (2, 'b')")
    grouped.run("INSERT INTO dimensions (id, name) VALUES (7, 'country'), (8, 'device')")
    grouped.run("INSERT INTO dimensions_metric_groups (dimension_id, metric_group_id) VALUES (7, 1), (8, 1)")
    grouped.add_metric(1, group=1)
    relational = grouped.opened()
    relational.prepare(OLD)
    for number in range(10):
        grouped.run("UPDATE dimensions SET name = %s WHERE id = 7", f"country {number}")
    clocks = [clock(relational, OLD, "1")]
    for sql in (
        "UPDATE metrics SET metric_group_id = 2 WHERE id = 1",
        "DELETE FROM dimensions_metric_groups WHERE dimension_id = 7",
        "UPDATE metrics SET metric_group_id = NULL WHERE id = 1",
        "UPDATE metrics SET metric_group_id = 1 WHERE id = 1",
    ):
        grouped.run(sql)
        clocks.append(clock(relational, OLD, "1"))
        relational.compact(OLD)
        assert clock(relational, OLD, "1") == clocks[-1]
    assert clocks == sorted(clocks)
    assert len({*clocks}) >= 4


def test_a_change_that_is_taken_back_is_not_noted(source: Source) -> None:
    source.add_metric(1)
    relational = source.opened()
    relational.prepare(REDESIGNED)
    other = source.connected()
    source.add_metric(2, by=other)
    other.rollback()
    assert relational.waiting(REDESIGNED, limit=9) == []
    assert relational.routes(REDESIGNED, ["2"])["2"] == Route(Side.OLD, 0)
    assert sum(relational.states(REDESIGNED).values()) == 1
    other.close()


def test_notices_wait_until_they_are_done_and_late_ones_come(source: Source) -> None:
    source.add_metric(1)
    source.add_metric(2)
    relational = source.opened()
    relational.prepare(REDESIGNED)
    late = source.connected()
    source.add_version(1, 2, by=late)
    source.add_version(2, 2)
    (first,) = relational.waiting(REDESIGNED, limit=9)
    assert first.key == "2"
    relational.done(REDESIGNED, [first.id])
    late.commit()
    late.close()
    (second,) = relational.waiting(REDESIGNED, limit=9)
    assert second.key == "1"
    assert second.id < first.id
    assert relational.lag(REDESIGNED, now_ms=second.at_ms + 250) == (1, 250)
    assert relational.lag(REDESIGNED, now_ms=second.at_ms - 250) == (1, 0)
    relational.done(REDESIGNED, [second.id])
    assert relational.lag(REDESIGNED, now_ms=NOW_MS) == (0, 0)


def test_folding_keeps_clocks_and_what_is_not_done(source: Source) -> None:
    source.add_metric(1)
    source.add_metric(2)
    relational = source.opened()
    relational.prepare(REDESIGNED)
    for version in range(2, 12):
        source.add_version(1, version)
    source.add_version(2, 2)
    relational.done(REDESIGNED, [notice.id for notice in relational.waiting(REDESIGNED, limit=8)])
    assert relational.compact(REDESIGNED) == 7
    assert relational.compact(REDESIGNED) == 0
    assert clock(relational, REDESIGNED, "1") == 10
    assert [notice.key for notice in relational.waiting(REDESIGNED, limit=99)] == ["1", "1", "2"]


def test_what_was_taken_is_taken_by_nobody_else_until_its_time_is_over(source: Source) -> None:
    for number in range(1, 6):
        source.add_metric(number)
    one, other = source.opened(), source.opened()
    one.prepare(REDESIGNED)
    mine = one.take(REDESIGNED, limit=3, now_ms=NOW_MS, until_ms=NOW_MS + 100)
    others = other.take(REDESIGNED, limit=3, now_ms=NOW_MS, until_ms=NOW_MS + 100)
    assert (len(mine), len(others)) == (3, 2)
    assert {*mine, *others} == {"1", "2", "3", "4", "5"}
    assert one.states(REDESIGNED)[State.IN_MIGRATION] == 5
    one.settle(REDESIGNED, mine, State.MIGRATED)
    one.settle(REDESIGNED, others[:1], State.SET_ASIDE, reason="a formula that nobody understands")
    assert one.take(REDESIGNED, limit=9, now_ms=NOW_MS + 99, until_ms=NOW_MS + 200) == []
    assert one.take(REDESIGNED, limit=9, now_ms=NOW_MS + 100, until_ms=NOW_MS + 200) == others[1:]
    assert [(problem.key, problem.reason) for problem in one.problems(REDESIGNED, limit=9)] == [
        (others[0], "a formula that nobody understands")
    ]
    assert one.states(REDESIGNED) == {
        State.NOT_MIGRATED: 0,
        State.IN_MIGRATION: 1,
        State.MIGRATED: 3,
        State.SET_ASIDE: 1,
    }


def test_preparing_and_withdrawing_again_changes_nothing(source: Source) -> None:
    source.add_metric(1)
    relational = source.opened()
    assert not relational.is_prepared(REDESIGNED)
    relational.prepare(REDESIGNED)
    source.add_version(1, 2)
    relational.prepare(REDESIGNED)
    assert relational.is_prepared(REDESIGNED)
    assert clock(relational, REDESIGNED, "1") == 1
    other = Outline("dimension", "dimensions", "id")
    relational.prepare(other)
    relational.withdraw(REDESIGNED)
    assert (relational.is_prepared(REDESIGNED), relational.is_prepared(other)) == (False, True)
    source.add_version(1, 3)
    relational.withdraw(other)
    relational.withdraw(other)
    left = source.run(
        "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'footfall%%'"
        " AND 1 = %s AND table_schema = " + ("DATABASE()" if source.engine.name == "mariadb" else "current_schema()"),
        1,
    )
    assert left == []
    assert keys_of(relational, REDESIGNED) == ["1"]


def test_an_entity_that_is_prepared_is_not_prepared_in_another_way(source: Source) -> None:
    relational = source.opened()
    relational.prepare(REDESIGNED)
    with pytest.raises(Refused, match="another mapping"):
        relational.prepare(Outline("metric", "metrics", "id", parts=(VERSIONS,)))


@pytest.mark.parametrize(
    ("outline", "told"),
    [
        (Outline("metric", "nothing", "id"), "no table nothing"),
        (Outline("metric", "metrics", "number"), "no column number"),
        (Outline("metric", "metrics", "created_by"), "not unique"),
        (Outline("Metric'", "metrics", "id"), "small letters"),
        (Outline("metric", "metrics", "created_at"), "not unique"),
        (Outline("metric", "metrics", "id", look_ups={"name": LookUp("dimensions", "id", "title")}), "no column title"),
        (with_part("metric_id", "id", "updated_by"), "not unique"),
        (with_part("metric_id", "ids", "version"), "no column ids"),
        (with_part("metric", "id", "version"), "no column metric"),
    ],
)  # fmt: skip
def test_an_outline_that_does_not_fit_is_refused(source: Source, outline: Outline, told: str) -> None:
    with pytest.raises(Refused, match=told):
        source.opened().require(outline)


def test_what_triggers_could_not_see_is_refused(source: Source) -> None:
    source.run("CREATE TABLE notes (id BIGINT NOT NULL PRIMARY KEY, metric_id BIGINT NOT NULL, said VARCHAR(100))")
    part = Part("notes", "notes", "metric_id", "id", ("id",))
    outline = Outline("metric", "metrics", "id", parts=(part,))
    source.opened().require(outline)
    source.run(
        "ALTER TABLE notes ADD CONSTRAINT gone FOREIGN KEY (metric_id) REFERENCES metrics (id) ON DELETE CASCADE"
    )
    if source.engine.name == "mariadb":
        with pytest.raises(Refused, match="without firing triggers"):
            source.opened().require(outline)
    else:
        relational = source.opened()
        relational.prepare(outline)
        source.run("INSERT INTO metrics (id, name, created_at, created_by) VALUES (1, 'a', '2024-01-01', 'x')")
        source.run("INSERT INTO notes VALUES (1, 1, 'seen')")
        source.run("DELETE FROM metrics")
        assert clock(relational, outline, "1") == 4


def test_text_keys_and_odd_names_are_taken_as_they_are(source: Source) -> None:
    name = '"odd ""name"' if source.engine.name == "postgres" else '`odd "name`'
    key = '"the key"' if source.engine.name == "postgres" else "`the key`"
    source.run(f"CREATE TABLE {name} ({key} VARCHAR(50) NOT NULL PRIMARY KEY, n DECIMAL(5, 2), b INT)")
    outline = Outline("odd", 'odd "name', "the key")
    relational = source.opened()
    relational.prepare(outline)
    for text in ("it's 100%", "a'b\\c", "*é"):
        source.run(f"INSERT INTO {name} VALUES (%s, 1.5, 1)", text)
    source.run(f"UPDATE {name} SET b = 2")
    found = seen(relational, outline, "it's 100%", "a'b\\c", "*é")
    assert [one.clock for one in found] == [2, 2, 2]
    assert [one.document.root["the key"] for one in found if one.document] == ["it's 100%", "a'b\\c", "*é"]
    with relational.snapshot(outline) as snapshot:
        assert {*snapshot.keys(after=None, limit=9)} == {"it's 100%", "a'b\\c", "*é"}


def test_a_server_that_is_not_there_is_unavailable(engine: Engine) -> None:
    address = engine.new_database().replace("127.0.0.1:", "127.0.0.1:1")
    with pytest.raises((Unavailable, Refused)):
        open_relational(address, pause=time.sleep).latency_ms()


def test_a_connection_that_was_lost_is_made_anew(source: Source) -> None:
    relational = source.opened()
    relational.prepare(REDESIGNED)
    if source.engine.name == "mariadb":
        sql = "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND db = DATABASE()"
        for (number,) in source.run(sql):
            source.run(f"KILL {number}")
    else:
        source.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
    with pytest.raises(Unavailable):
        relational.states(REDESIGNED)
    assert sum(relational.states(REDESIGNED).values()) == 0
    assert relational.latency_ms() > 0


@pytest.mark.parametrize("address", ["sqlite://a@b/c", "mysql://host/db", "postgresql://u@h", "mysql://u@h:x/db"])
def test_an_address_of_no_database_is_refused(address: str) -> None:
    with pytest.raises(Refused, match="source"):
        open_relational(address, pause=time.sleep)


def test_everything_has_a_route_from_the_start(source: Source) -> None:
    relational = source.opened()
    relational.prepare(REDESIGNED)
    assert relational.routes(REDESIGNED, [EVERYTHING, "1"]) == {EVERYTHING: Route(Side.OLD, 0), "1": Route(Side.OLD, 0)}
