"""Handing entities over: left when nobody writes them, entered where nothing changed, written back once."""

import threading
from dataclasses import replace

import pytest

from footfall.adapters.relational.sessions import Busy
from footfall.ports.errors import Changed
from footfall.ports.relational import EPOCH_STEP, EVERYTHING, Document, Relational, Route, Side, State
from footfall.values.errors import Refused
from tests.contract.old_schemas import OLD, REDESIGNED, Source
from tests.contract.relational_asking import clock, leave, refused, seen


@pytest.fixture
def relational(source: Source) -> Relational:
    """A catalogue of two metrics, prepared."""
    source.add_metric(1, versions=2)
    source.add_metric(2)
    opened = source.opened()
    opened.prepare(REDESIGNED)
    return opened


def given(relational: Relational, key: str) -> Route:
    """Hand an entity over to the other side."""
    doubt = leave(relational, REDESIGNED, key)
    assert doubt is not None
    route = replace(doubt, side=Side.NEW)
    assert relational.enter(REDESIGNED, key, route, expects=doubt)
    return route


def document(relational: Relational, key: str) -> Document:
    (found,) = seen(relational, REDESIGNED, key)
    assert found.document is not None
    return found.document


def test_an_entity_that_was_left_takes_no_write(source: Source, relational: Relational) -> None:
    source.add_version(1, 3)
    assert leave(relational, REDESIGNED, "1") == Route(Side.DOUBT, 1, 1)
    for sql in (
        "UPDATE metrics SET created_by = 'zoe' WHERE id = 1",
        "UPDATE metric_version SET updated_by = 'zoe' WHERE metric_id = 1",
        "UPDATE metric_version SET metric_id = 1, version = 9 WHERE metric_id = 2",
        "DELETE FROM metric_version WHERE metric_id = 1",
        "INSERT INTO metric_relationships (consumer_metric, consumed_metric) VALUES (1, 2)",
    ):
        with refused():
            source.run(sql)
    source.run("UPDATE metrics SET created_by = 'zoe' WHERE id = 2")
    source.run("INSERT INTO metric_relationships (consumer_metric, consumed_metric) VALUES (2, 1)")
    assert clock(relational, REDESIGNED, "1") == 1


def test_an_entity_whose_clock_went_on_is_not_left(source: Source, relational: Relational) -> None:
    source.add_version(1, 3)
    assert relational.leave(REDESIGNED, ["1", "2"], fences={"1": 0, "2": 0}) == {"2": Route(Side.DOUBT, 1, 0)}
    assert relational.routes(REDESIGNED, ["1"])["1"] == Route(Side.OLD, 0)
    source.add_version(1, 4)


def test_a_fence_of_an_earlier_epoch_is_not_enough(source: Source, relational: Relational) -> None:
    source.add_version(1, 3)
    new = given(relational, "1")
    assert relational.enter(REDESIGNED, "1", Route(Side.OLD, 2, 1), expects=new)
    assert relational.leave(REDESIGNED, ["1"], fences={"1": EPOCH_STEP + 1}) == {}
    assert relational.leave(REDESIGNED, ["1"], fences={"1": 2 * EPOCH_STEP + 1}) == {"1": Route(Side.DOUBT, 3, 1)}


def test_a_writer_is_not_waited_for_and_not_kept_waiting(source: Source, relational: Relational) -> None:
    writer = source.connected()
    source.add_version(1, 3, by=writer)
    assert leave(relational, REDESIGNED, "1") is None
    assert leave(relational, REDESIGNED, "2") is not None
    source.add_version(1, 4, by=writer)
    writer.commit()
    writer.close()
    assert leave(relational, REDESIGNED, "1") == Route(Side.DOUBT, 1, 2)


def test_new_entities_have_a_route_that_is_left_on_its_own(source: Source, relational: Relational) -> None:
    writer = source.connected()
    source.add_metric(3, by=writer)
    assert leave(relational, REDESIGNED, EVERYTHING) is None
    writer.commit()
    writer.close()
    assert leave(relational, REDESIGNED, EVERYTHING) == Route(Side.DOUBT, 1, 0)
    with refused():
        source.add_metric(4)
    source.add_version(3, 2)
    routes = relational.routes(REDESIGNED, ["3", "4"])
    assert (routes["3"], routes["4"]) == (Route(Side.OLD, 0), Route(Side.DOUBT, 1))
    assert relational.enter(REDESIGNED, EVERYTHING, Route(Side.OLD, 2), expects=Route(Side.DOUBT, 1))
    source.add_metric(4)
    assert relational.routes(REDESIGNED, ["4"])["4"] == Route(Side.OLD, 2)


def test_a_route_is_set_only_where_it_is_as_expected(relational: Relational) -> None:
    assert not relational.enter(REDESIGNED, "1", Route(Side.NEW, 2), expects=Route(Side.OLD, 1))
    assert not relational.enter(REDESIGNED, "1", Route(Side.NEW, 2), expects=Route(Side.NEW, 0))
    assert relational.enter(REDESIGNED, "1", Route(Side.NEW, 2, 5, 6), expects=Route(Side.OLD, 0))
    assert relational.routes(REDESIGNED, ["1"])["1"] == Route(Side.NEW, 2, 5, 6)
    assert relational.enter(REDESIGNED, "77", Route(Side.NEW, 1), expects=Route(Side.OLD, 0))


def test_a_route_that_a_writer_holds_is_busy(source: Source, relational: Relational) -> None:
    writer = source.connected()
    source.add_version(1, 3, by=writer)
    with pytest.raises(Busy):
        relational.enter(REDESIGNED, "1", Route(Side.DOUBT, 1), expects=Route(Side.OLD, 0))
    writer.rollback()
    writer.close()
    assert relational.enter(REDESIGNED, "1", Route(Side.DOUBT, 1), expects=Route(Side.OLD, 0))


def test_rows_are_written_back_as_they_differ_and_once(source: Source, relational: Relational) -> None:
    new = given(relational, "1")
    before = document(relational, "1")
    fence = EPOCH_STEP + 1
    first, second = before.parts["versions"]
    wanted = Document(
        {**before.root, "deprecated_at": "2025-01-02T03:04:05.000006Z", "deprecated_by": "it's \\ 100%"},
        {
            **before.parts,
            "versions": [
                {**second, "hybrid_formula": "a / b"},
                {**first, "version": 3, "chained_metric": None, "chained_metric.name": "metric-2"},
            ],
        },
    )
    assert relational.write_back(REDESIGNED, "1", wanted, epoch=1, fence=fence)
    assert not relational.write_back(REDESIGNED, "1", before, epoch=1, fence=fence)
    after = document(relational, "1")
    assert after.root == wanted.root
    assert [row["version"] for row in after.parts["versions"]] == [2, 3]
    assert after.parts["versions"][0]["hybrid_formula"] == "a / b"
    assert after.parts["versions"][1]["chained_metric"] == 2
    assert relational.routes(REDESIGNED, ["1"])["1"] == replace(new, written_back=fence)
    assert [one.key for one in relational.waiting(REDESIGNED, limit=9)] == []
    assert clock(relational, REDESIGNED, "1") == 0
    with refused():
        source.run("UPDATE metrics SET created_by = 'zoe' WHERE id = 1")


def test_an_entity_is_removed_and_made_by_writing_back(source: Source, relational: Relational) -> None:
    given(relational, "1")
    rows = document(relational, "1")
    assert relational.write_back(REDESIGNED, "1", None, epoch=1, fence=EPOCH_STEP + 1)
    assert seen(relational, REDESIGNED, "1")[0].document is None
    assert source.run("SELECT COUNT(*) FROM metric_version WHERE metric_id = 1") == [(0,)]
    assert relational.write_back(REDESIGNED, "1", rows, epoch=1, fence=EPOCH_STEP + 2)
    assert document(relational, "1") == rows
    given(relational, EVERYTHING)
    made = Document(
        {**rows.root, "id": 50, "name": "made"}, {"versions": [{**rows.parts["versions"][0], "metric_id": 50}]}
    )
    assert relational.write_back(REDESIGNED, "50", made, epoch=1, fence=EPOCH_STEP + 1)
    assert relational.routes(REDESIGNED, ["50"])["50"] == Route(Side.NEW, 1, 0, EPOCH_STEP + 1)
    assert relational.states(REDESIGNED)[State.MIGRATED] == 1
    assert relational.enter(REDESIGNED, EVERYTHING, Route(Side.OLD, 2), expects=Route(Side.NEW, 1))
    # Numbers that were given are not handed out again.
    source.run("INSERT INTO metrics (name, created_at, created_by) VALUES ('next', '2024-01-01', 'x')")
    assert source.run("SELECT id FROM metrics WHERE name = 'next'")[0][0] > 50


def test_nothing_is_written_back_in_another_epoch(relational: Relational) -> None:
    given(relational, "1")
    with pytest.raises(Changed, match="epoch 1"):
        relational.write_back(REDESIGNED, "1", None, epoch=3, fence=3 * EPOCH_STEP)
    assert seen(relational, REDESIGNED, "1")[0].document is not None


def test_what_does_not_fit_is_refused_and_nothing_of_it_stays(source: Source, relational: Relational) -> None:
    given(relational, "1")
    before = document(relational, "1")
    unknown = {**before.parts["versions"][0], "chained_metric": None, "chained_metric.name": "nobody"}
    with pytest.raises(Refused, match="nobody"):
        relational.write_back(
            REDESIGNED,
            "1",
            Document({**before.root, "name": "x"}, {"versions": [unknown]}),
            epoch=1,
            fence=EPOCH_STEP + 1,
        )
    wanted = Document({**before.root, "name": "metric-2"}, before.parts)
    with pytest.raises(Refused, match="row"):
        relational.write_back(REDESIGNED, "1", wanted, epoch=1, fence=EPOCH_STEP + 1)
    assert document(relational, "1") == before
    # The session that wrote back notices and gates others as before, and is gated itself no less.
    source.add_version(2, 2)
    assert clock(relational, REDESIGNED, "2") == 1


def test_who_shares_rows_with_what_is_written_back_is_told(grouped: Source) -> None:
    grouped.run("INSERT INTO metric_groups (id, name) VALUES (1, 'a')")
    grouped.run("INSERT INTO dimensions (id, name) VALUES (7, 'country'), (8, 'device')")
    grouped.run("INSERT INTO dimensions_metric_groups (dimension_id, metric_group_id) VALUES (7, 1)")
    grouped.add_metric(1, group=1)
    grouped.add_metric(2, group=1)
    relational = grouped.opened()
    relational.prepare(OLD)
    doubt = leave(relational, OLD, "1")
    assert doubt is not None
    (before,) = seen(relational, OLD, "1")
    assert before.document is not None
    dimensions = [{"dimension_id": 8, "metric_group_id": 1}]
    wanted = Document(before.document.root, {**before.document.parts, "dimensions": dimensions})
    assert relational.write_back(OLD, "1", wanted, epoch=1, fence=EPOCH_STEP + 1)
    (other,) = seen(relational, OLD, "2")
    assert other.document is not None
    assert [row["dimension_id.name"] for row in other.document.parts["dimensions"]] == ["device"]
    assert other.clock > 0
    notices = relational.waiting(OLD, limit=9)
    with relational.snapshot(OLD) as snapshot:
        assert {key for notice in notices for key in snapshot.touched_by(notice)} == {"1", "2"}


def test_two_who_leave_at_once_never_both_have_it(source: Source, relational: Relational) -> None:
    others = [source.opened() for _ in range(4)]
    had: list[Route] = []
    begin = threading.Barrier(4)

    def try_it(one: Relational) -> None:
        begin.wait()
        had.extend(one.leave(REDESIGNED, ["1"], fences={"1": 0}).values())

    threads = [threading.Thread(target=try_it, args=(one,)) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert had == [Route(Side.DOUBT, 1, 0)]
