"""A metric is removed whole, whoever is stopped while doing it and whoever adds the name again meanwhile."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from footfall.metrics import keys
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.day_points import Row
from footfall.metrics.errors import NoSuchMetric
from footfall.metrics.points import Points
from footfall.ports.errors import Unavailable
from footfall.ports.table import Action, Delete, everything
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.metrics.stage import BRAND, NOON_MS, Stage, Stopping, hybrid, scalar

DAYS = [f"2026-{month:02d}-{day:02d}" for month in range(1, 11) for day in range(1, 29)]
SPAN = {"first": "2026-01-01", "to": "2026-11-01", "grain": "year"}


class Meanwhile(Stopping):
    """A ground where something else happens before a transaction that is told."""

    meanwhile: Callable[[], None] | None = None
    is_due: Callable[[Sequence[Action]], bool] = staticmethod(lambda _: False)

    def transact(self, actions: Sequence[Action]) -> None:
        if self.meanwhile is not None and self.is_due(actions):
            act, self.meanwhile = self.meanwhile, None
            act()
        super().transact(actions)

    def delete(self, delete: Delete) -> None:
        self.transact([delete])


def staged(kind: type[Stopping] = Stopping) -> tuple[Stage, Stopping]:
    clock = SetClock(NOON_MS)
    table = kind(":memory:", clock=clock)
    stage = Stage(clock=clock, table=table)
    stage.define(scalar("need"), scalar("m", unit="hits"))
    stage.define(scalar("m", unit="hits", title="old2"))
    stage.define(scalar("m", unit="minutes", title="old3"))
    stage.push("m", [{"at": day, "value": 5} for day in DAYS])
    return stage, table


def require_new(stage: Stage) -> None:
    """Require that a metric that was added again has nothing of the one before."""
    newest = stage.catalogue.newest(BRAND, "m")
    assert [(one.number, one.definition.title) for one in stage.catalogue.versions(BRAND, "m")] == [(1, "brand new")]
    assert stage.catalogue.as_of(BRAND, "m", stage.clock.now_ms()) == newest
    assert stage.values("m", **SPAN) == [None]
    assert [row.name for row in stage.catalogue.rows(BRAND)] == ["m", "need"]


@pytest.mark.parametrize("transactions", range(1, 7))
def test_whoever_adds_a_name_again_after_a_removal_that_was_stopped_finds_nothing_of_the_old_one(
    transactions: int,
) -> None:
    stage, table = staged()
    table.left = transactions
    with pytest.raises(Unavailable):
        stage.catalogue.delete(BRAND, "m")
    table.left = 1_000
    for read in (
        lambda: stage.catalogue.newest(BRAND, "m"),
        lambda: stage.catalogue.version(BRAND, "m", 2),
        lambda: stage.catalogue.as_of(BRAND, "m", stage.clock.now_ms()),
    ):
        with pytest.raises(NoSuchMetric):
            read()
    assert list(stage.catalogue.versions(BRAND, "m")) == []
    stage.define(scalar("m", unit="EUR", title="brand new"))
    require_new(stage)
    stage.define(scalar("m", unit="EUR", title="again"))
    assert [one.number for one in stage.catalogue.versions(BRAND, "m")] == [2, 1]


@pytest.mark.parametrize("at", range(6))
def test_a_removal_that_is_overtaken_by_somebody_who_adds_the_name_again_leaves_the_new_one_alone(at: int) -> None:
    stage, table = staged(Meanwhile)
    assert isinstance(table, Meanwhile)
    later, head = iter(range(100)), keys.head(BRAND)
    table.is_due = lambda actions: all(one.key != head for one in actions) and next(later) == at
    other = Stage(clock=stage.clock, table=table)

    def again() -> None:
        other.define(scalar("m", unit="EUR", title="brand new"))
        other.push("m", [{"at": DAYS[0], "value": 7}])

    table.meanwhile = again
    stage.catalogue.delete(BRAND, "m")
    if table.meanwhile is not None:  # The removal had fewer transactions.
        again()
    assert [one.definition.title for one in stage.catalogue.versions(BRAND, "m")] == ["brand new"]
    assert stage.values("m", **SPAN) == [7]
    assert [row.name for row in stage.catalogue.rows(BRAND)] == ["m", "need"]
    stage.define(scalar("m", unit="EUR", title="goes on"))
    assert stage.catalogue.newest(BRAND, "m").number == 2


def test_whoever_was_stopped_while_removing_a_metric_removes_the_rest_by_doing_it_again() -> None:
    stage, table = staged()
    table.left = 2
    with pytest.raises(Unavailable):
        stage.catalogue.delete(BRAND, "m")
    table.left = 1_000
    with pytest.raises(NoSuchMetric):
        stage.catalogue.delete(BRAND, "m")
    assert list(everything(table, keys.versions(BRAND, "m"))) == []
    assert [one.key.sort for one in everything(table, keys.points(BRAND, "m"))] == ["head"]


def test_points_are_not_taken_for_a_metric_that_is_being_removed_or_has_become_another() -> None:
    stage, table = staged()
    before = stage.catalogue.newest(BRAND, "m").definition
    stage.define(scalar("m", "section", unit="minutes"))
    points = Points(table, clock=stage.clock)
    day = {738_000: {(): Row(4.0)}}
    with pytest.raises(Refused, match="was changed meanwhile"):
        points.push(BRAND, before, day)
    after = stage.catalogue.newest(BRAND, "m").definition
    table.left = 1
    with pytest.raises(Unavailable):
        stage.catalogue.delete(BRAND, "m")
    table.left = 1_000
    with pytest.raises(Refused, match="was removed meanwhile"):
        points.push(BRAND, after, {738_000: {("news",): Row(4.0)}})


def test_whoever_needs_no_more_what_another_needs_again_meanwhile_does_not_forget_that() -> None:
    clock = SetClock(NOON_MS)
    table = Meanwhile(":memory:", clock=clock)
    stage, other = Stage(clock=clock, table=table), MetricCatalogue(table, clock=clock)
    stage.define(scalar("a"), scalar("b"), hybrid("h", "a * 2"))
    edge = keys.user(BRAND, "a", "h")
    table.is_due = lambda actions: any(isinstance(one, Delete) and one.key == edge for one in actions)
    table.meanwhile = partial(_define, stage, hybrid("h", "a * 3"))
    stage.define(hybrid("h", "b * 2"))
    assert table.meanwhile is None
    assert list(other.users(BRAND, "a")) == ["h"]


def _define(stage: Stage, document: dict[str, Any]) -> None:
    stage.define(document)
