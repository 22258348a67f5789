"""What a metric looks up in another, such as its name, is not left stale by a handover."""

from collections.abc import Generator
from dataclasses import replace

import pytest

from footfall.migrate.verifying import Verifier
from footfall.ports.relational import Document
from tests.engines.mariadb import MariaDbEngine
from tests.engines.postgres import PostgresEngine
from tests.migrate.moving_stage import Stage, settle, sides, staged


@pytest.fixture(params=["mariadb", "postgres"])
def stage(request: pytest.FixtureRequest) -> Generator[Stage]:
    """Three metrics, of which the second is chained to the first."""
    engine: MariaDbEngine | PostgresEngine = request.getfixturevalue(request.param)
    with staged(engine) as made:
        run(made, "UPDATE metric_version SET chained_metric = 1, chain_cutoff_date = '2020-01-01' WHERE metric_id = 2")
        settle(made)
        yield made


def run(stage: Stage, *statements: str) -> None:
    try:
        with stage.connection.cursor() as cursor:
            for sql in statements:
                cursor.execute(sql)
        stage.connection.commit()
    except BaseException:
        stage.connection.rollback()
        raise


def never() -> None:
    raise AssertionError("the old side was asked")


def rename(stage: Stage, key: str, name: str) -> None:
    def change(found: Document | None) -> tuple[Document, None]:
        assert found is not None
        return replace(found, root={**found.root, "name": name}), None

    stage.both().write(key, old=never, change=change)


def chained(stage: Stage) -> object:
    """Return the name that the table has of what the second metric is chained to."""
    held = stage.new.held("2")
    assert held is not None
    assert held.moved.document is not None
    return held.moved.document.parts["versions"][0]["chained_metric.name"]


def differing(stage: Stage) -> int:
    return Verifier(stage.ground, "run").verify(now_ms=0).differing


def test_whoever_comes_back_has_what_was_renamed_meanwhile(stage: Stage) -> None:
    assert set(stage.handovers.hand_over(["1", "2"]).done) == {"1", "2"}
    rename(stage, "1", "renamed")
    assert stage.back.write_back("1")
    for keys in (["2"], ["1"]):
        assert stage.handovers.hand_back(keys).done == tuple(keys)
    settle(stage)
    assert sides(stage, ["1", "2"]) == [("old", "old")] * 2
    assert chained(stage) == "renamed"
    assert differing(stage) == 0
    assert stage.handovers.hand_over(["2"]).done == ("2",)


def test_a_name_that_changes_on_the_new_side_is_looked_up_again_there(stage: Stage) -> None:
    assert set(stage.handovers.hand_over(["1", "2"]).done) == {"1", "2"}
    stage.write(stage.both(), "2", "a")
    rename(stage, "1", "renamed")
    settle(stage)
    assert chained(stage) == "renamed"
    assert stage.read(stage.both(), "2") == ["before", "a"]
    assert stage.rows("2") == ["before", "a"]
    held = stage.new.held("2")
    settle(stage)
    assert stage.new.held("2") == held


def test_a_name_that_changes_on_the_old_side_is_looked_up_again_on_the_new_one(stage: Stage) -> None:
    assert stage.handovers.hand_over(["2"]).done == ("2",)
    run(stage, "UPDATE metrics SET name = 'renamed' WHERE id = 1")
    settle(stage)
    assert chained(stage) == "renamed"
    assert stage.handovers.hand_back(["2"]).done == ("2",)
    settle(stage)
    assert differing(stage) == 0


def test_whoever_comes_back_unchanged_is_not_carried_again(stage: Stage) -> None:
    assert stage.handovers.hand_over(["1"]).done == ("1",)
    assert stage.handovers.hand_back(["1"]).done == ("1",)
    held = stage.new.held("1")
    settle(stage)
    assert stage.new.held("1") == held


def test_a_dimension_that_meets_a_handover_is_refused_and_written_on_the_new_side(stage: Stage) -> None:
    run(
        stage,
        "INSERT INTO metric_groups (id, name) VALUES (9, 'g')",
        "INSERT INTO dimensions (id, name) VALUES (1, 'country'), (2, 'section')",
        "UPDATE metrics SET metric_group_id = 9 WHERE id = 1",
        "INSERT INTO dimensions_metric_groups (dimension_id, metric_group_id) VALUES (1, 9)",
    )
    settle(stage)
    both = stage.both()

    def old() -> str:
        stage.handovers.hand_over(["1"])  # between the look at the route and the statement
        run(stage, "INSERT INTO dimensions_metric_groups (dimension_id, metric_group_id) VALUES (2, 9)")
        return "old"

    def change(found: Document | None) -> tuple[Document, str]:
        assert found is not None
        row = {"dimension_id": 2, "dimension_id.name": "section", "metric_group_id": 9}
        return replace(found, parts={**found.parts, "dimensions": [*found.parts["dimensions"], row]}), "new"

    def names(found: Document | None) -> list[object]:
        assert found is not None
        return [row["dimension_id.name"] for row in found.parts["dimensions"]]

    assert both.write("1", old=old, change=change) == "new"
    assert both.read("1", old=list, new=names) == ["country", "section"]
    assert stage.handovers.hand_back(["1"]).done == ("1",)
    settle(stage)
    held = stage.new.held("1")
    assert held is not None
    assert names(held.moved.document) == ["country", "section"]
    assert differing(stage) == 0


def test_a_name_that_changes_in_the_midst_of_a_handover_is_looked_up_after_it(stage: Stage) -> None:
    relational, outline = stage.ground.relational, stage.ground.moving.outline
    held = stage.new.held("2")
    assert held is not None
    assert "2" in relational.leave(outline, ["2"], fences={"2": held.moved.fence})  # and the mover is killed
    run(stage, "UPDATE metrics SET name = 'renamed' WHERE id = 1")
    settle(stage)
    assert sides(stage, ["2"]) == [("new", "new")]
    assert chained(stage) == "renamed"
