"""The catalogue and its data on every kind of ground: the same versions, the same conflicts, the same bytes."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from footfall.metrics import keys
from footfall.metrics.day_points import Row
from footfall.metrics.definition import definition_from
from footfall.metrics.errors import ChangedMeanwhile, MetricInUse, NoSuchMetric
from footfall.metrics.removing import tombstone_of
from footfall.metrics.writing import Saved
from footfall.ports.table import Delete, Table, everything
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.contract.conftest import NewTable, on_dynamodb
from tests.engines.dynamodb import DynamoDbEngine
from tests.metrics.stage import BRAND, Stage, hybrid, scalar

SPAN: dict[str, Any] = {"first": "2026-10-01", "to": "2026-11-01"}


@pytest.fixture
def stage(new_table: NewTable, clock: SetClock) -> Stage:
    return Stage(clock=clock, table=new_table(clock=clock))


def point(value: float, at: str = "2026-10-01", **dimensions: str) -> dict[str, Any]:
    return {"at": at, "dimensions": dimensions, "value": value}


def test_versions_conflicts_and_users_are_the_same_everywhere(stage: Stage) -> None:
    catalogue = stage.catalogue
    stage.define(scalar("a", "section", unit="hits"), hybrid("h", "a * 2"))
    for number in range(2, 12):
        stage.define(scalar("a", "section", unit="hits", title=str(number)))
    assert [one.number for one in catalogue.versions(BRAND, "a")] == list(range(11, 0, -1))
    assert catalogue.newest(BRAND, "a") == catalogue.version(BRAND, "a", 11)
    with pytest.raises(ChangedMeanwhile):
        catalogue.save(BRAND, Saved(definition_from(scalar("a", unit="hits")), based_on=3), by="bob")
    with pytest.raises(MetricInUse):
        catalogue.delete(BRAND, "a")
    catalogue.delete(BRAND, "h")
    catalogue.delete(BRAND, "a")
    assert list(catalogue.rows(BRAND)) == []
    assert list(everything(stage.table, keys.versions(BRAND, "a"))) == []


def test_a_metric_that_is_removed_takes_its_points_along(stage: Stage) -> None:
    stage.define(scalar("a"), scalar("b"))
    for name in ("a", "b"):
        stage.push(name, [point(1, f"2026-{month:02d}-{day:02d}") for month in (8, 9) for day in range(1, 29)])
    stage.define(hybrid("h", "a * 2"))
    with pytest.raises(MetricInUse):
        stage.catalogue.delete(BRAND, "a")
    stage.catalogue.delete(BRAND, "h")
    stage.catalogue.rehearsal().delete(BRAND, "a")
    left = [one for one in everything(stage.table, keys.points(BRAND, "a")) if one.key.sort != "head"]
    assert len(left) == 56, "whoever rehearses removes nothing"
    stage.catalogue.delete(BRAND, "a")
    assert [one.key.sort for one in everything(stage.table, keys.points(BRAND, "a"))] == ["head"]
    assert len(list(everything(stage.table, keys.points(BRAND, "b")))) == 57
    with pytest.raises(NoSuchMetric):
        stage.catalogue.delete(BRAND, "a")


def test_whoever_was_stopped_while_removing_a_metric_removes_its_points_by_doing_it_again(stage: Stage) -> None:
    stage.define(scalar("a"))
    stage.push("a", [point(1)])
    newest = stage.catalogue.newest(BRAND, "a")
    stage.table.transact([tombstone_of(BRAND, newest, 2), Delete(keys.row(BRAND, "a"))])  # and there it was stopped
    with pytest.raises(Refused):
        stage.points.push(BRAND, newest.definition, {738_000: {(): Row(1.0)}})
    with pytest.raises(NoSuchMetric):
        stage.catalogue.delete(BRAND, "a")
    assert [one.key.sort for one in everything(stage.table, keys.points(BRAND, "a"))] == ["head"]
    assert list(everything(stage.table, keys.versions(BRAND, "a"))) == []


def test_whoever_adds_a_name_again_finishes_its_removal_first(stage: Stage) -> None:
    stage.define(scalar("a", title="old"), scalar("b"))
    stage.define(scalar("a", title="older"))
    stage.push("a", [point(1)])
    stage.table.transact([tombstone_of(BRAND, stage.catalogue.newest(BRAND, "a"), 3), Delete(keys.row(BRAND, "a"))])
    stage.define(scalar("a", title="new"))
    assert [(one.number, one.definition.title) for one in stage.catalogue.versions(BRAND, "a")] == [(1, "new")]
    assert set(stage.values("a", **SPAN)) == {None}


def test_answers_are_the_same_bytes_everywhere(stage: Stage) -> None:
    stage.define(
        scalar("a", "section", "country"), scalar("b", "section", aggregationStyle="LAST_DAY_OF_PERIOD"),
        hybrid("h", "ratio(a, b) - shift(a, 1 week)"),
        scalar("c", "section", chainedMetric="a", chainCutoffDate="2026-10-15"),
    )  # fmt: skip
    days = [f"2026-10-{day:02d}" for day in range(1, 31)]
    stage.push("a", [point(n + 0.1, at, section=f"s{n % 3}", country="fi") for n, at in enumerate(days)])
    stage.push("b", [point(n + 0.3, at, section=s) for n, at in enumerate(days) for s in ("s0", "s1")])
    stage.push("c", [point(7, at, section="s0") for at in days])
    reference = Stage()
    for name in ("a", "b", "h", "c"):
        reference.define(stage.catalogue.newest(BRAND, name).definition)
    reference.push("a", [point(n + 0.1, at, section=f"s{n % 3}", country="fi") for n, at in enumerate(days)])
    reference.push("b", [point(n + 0.3, at, section=s) for n, at in enumerate(days) for s in ("s0", "s1")])
    reference.push("c", [point(7, at, section="s0") for at in days])
    for name in ("a", "b", "h", "c"):
        for grain in ("day", "week", "month"):
            asked: dict[str, Any] = {**SPAN, "grain": grain, "by": ["section"]}
            assert json.dumps(stage.ask(name, **asked)) == json.dumps(reference.ask(name, **asked))


def test_a_push_replaces_counts_up_and_is_forgotten(stage: Stage) -> None:
    stage.define(scalar("a", "section"))
    assert stage.push("a", [point(1, section="x"), point(2, "2026-10-02")]).revision == 1
    assert stage.push("a", [point(1, section="x")]).revision == 1
    assert stage.push("a", [point(5, section="y")]).revision == 2
    assert stage.values("a", **SPAN)[:3] == [6.0, 2.0, None]
    assert stage.points.forget(BRAND, "a") == 2
    assert stage.values("a", **SPAN)[:3] == [None] * 3
    definition = stage.catalogue.newest(BRAND, "a").definition
    stage.catalogue.delete(BRAND, "a")
    with pytest.raises(NoSuchMetric):
        stage.push("a", [point(1)])
    with pytest.raises(Refused, match="removed meanwhile"):
        stage.points.push(BRAND, definition, {739_000: {("",): Row(1.0)}})


def test_a_day_in_pieces_is_read_whole(stage: Stage) -> None:
    percentile = {"valueType": "PERCENTILE", "aggregationStyle": "PERCENTILE", "aggregationParam": 50}
    stage.define({"name": "p", **percentile, "relatedDimensions": ["section"]})
    rows = [
        {"at": "2026-10-01", "dimensions": {"section": str(n)}, "values": [n + m / 997 for m in range(300)]}
        for n in range(250)
    ]
    stage.push("p", rows)
    found = stage.values("p", first="2026-10-01", to="2026-10-02", by=["section"])
    assert len(found) == 250
    assert all(one is not None for one in found)


def test_pushers_at_once_lose_no_row_on_dynamodb(dynamodb: DynamoDbEngine, clock: SetClock) -> None:
    # One thread uses a SqliteTable; tests/metrics/test_points.py has several on one file.
    stage = Stage(clock=clock, table=on_dynamodb(dynamodb)(clock=clock))
    stage.define(scalar("a", "section"))

    def push(number: int) -> None:
        Stage(clock=clock, table=stage.table).push("a", [point(1, section=str(number)), point(1, "2026-10-02")])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(push, range(12)))
    assert stage.values("a", first="2026-10-01", to="2026-10-03") == [12.0, 1.0]


def test_what_is_stored_is_the_same_everywhere(stage: Stage) -> None:
    def stored(table: Table) -> list[tuple[str, Any]]:
        return [(one.key.sort, dict(one.item)) for one in everything(table, keys.points(BRAND, "a"))]

    reference = Stage(clock=stage.clock)
    for one in (stage, reference):
        one.define(scalar("a", "section"))
        one.push("a", [point(n, section=str(n)) for n in range(20)])
    assert stored(stage.table) == stored(reference.table)
