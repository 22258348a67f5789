"""Changes that would take numbers away are refused, with whose they are."""

from typing import Any

import pytest

from footfall.metrics.applying import Wanted, planned
from footfall.metrics.definition import definition_from
from footfall.metrics.errors import ChangeLoses
from footfall.metrics.writing import Saved
from tests.metrics.stage import BRAND, Stage, hybrid, scalar

AVERAGE = {"valueType": "WEIGHTED_AVERAGE"}
HITS: dict[str, Any] = {"source": {"counts": "hits"}, "unit": "hits"}


def staged(*dimensions: str, days: int = 2, users: bool = True) -> Stage:
    """Return a metric with points, and some that are computed from it."""
    stage = Stage()
    stage.define(scalar("reads", *dimensions, unit="hits"), scalar("bare", unit="hits"))
    if users:
        stage.define(hybrid("twice", "reads * 2"), hybrid("mixed", "reads + bare"))
    stage.push("reads", [{"at": f"2026-10-{day + 1:02}", "value": 1} for day in range(days)])
    return stage


def refusal(stage: Stage, document: dict[str, Any]) -> ChangeLoses:
    """Return how a change is refused, and see that nothing was written."""
    before = stage.catalogue.newest(BRAND, document["name"])
    with pytest.raises(ChangeLoses) as refused:
        stage.define(document)
    assert stage.catalogue.newest(BRAND, document["name"]) == before
    return refused.value


def test_the_value_type_of_a_metric_with_points_stays() -> None:
    stage = staged(users=False)
    told = refusal(stage, scalar("reads", unit="hits") | AVERAGE)
    assert (told.field, told.more) == ("valueType", {"users": [], "days": 2})
    assert told.reason == (
        "'reads' has points of 2 days: it is SCALAR and cannot become WEIGHTED_AVERAGE; define another metric, chained "
        "to this one (chainedMetric, chainCutoffDate) where the old numbers should go on"
    )
    assert stage.values("reads", first="2026-10-01", to="2026-10-03") == [1.0, 1.0]


def test_the_value_type_of_a_metric_that_others_use_stays() -> None:
    stage = staged(days=1)
    told = refusal(stage, scalar("reads", unit="hits") | AVERAGE)
    assert told.more == {"users": ["mixed", "twice"], "days": 1}
    assert "is used by mixed, twice and has points of 1 day:" in told.reason
    assert refusal(stage, scalar("bare", unit="hits") | AVERAGE).more == {"users": ["mixed"], "days": 0}


def test_a_formula_that_others_use_is_not_replaced_by_points_that_are_not_there() -> None:
    stage = staged()
    stage.define(hybrid("four", "twice * 2"))
    points = Saved(definition_from(scalar("twice", unit="hits")))
    with pytest.raises(ChangeLoses, match="'twice' is used by four: it is computed, and would be SCALAR without any"):
        stage.catalogue.save(BRAND, points, by="ann")
    stage.catalogue.delete(BRAND, "four")
    assert stage.catalogue.save(BRAND, points, by="ann").number == 2


def test_points_are_not_hidden_behind_footfalls_own_counts() -> None:
    told = refusal(staged(), scalar("reads", **HITS))
    assert (told.field, told.days) == ("source", 2)
    assert "it is SCALAR and cannot become SCALAR of hits" in told.reason


def test_a_dimension_that_points_have_or_users_are_grouped_by_stays() -> None:
    told = refusal(staged("section", "country"), scalar("reads", "country", unit="hits"))
    # One of the users cannot be grouped at all, so it loses nothing.
    assert (told.field, told.more) == ("relatedDimensions", {"users": ["twice"], "days": 2})
    assert "it cannot lose section" in told.reason
    assert refusal(staged("section", days=0), scalar("reads", unit="hits")).more == {"users": ["twice"], "days": 0}


def test_what_takes_nothing_away_is_free() -> None:
    stage = staged("section")
    stage.define(scalar("reads", "section", "country", unit="hits", title="Reads"))  # A dimension more.
    stage.define(hybrid("twice", "reads * 3"))
    free = staged("section", days=0, users=False)
    free.define(scalar("reads", unit="hits"))
    free.define(scalar("reads", unit="hits") | AVERAGE)
    assert free.catalogue.newest(BRAND, "reads").number == 3


def test_a_plan_of_files_is_refused_before_anything_is_written() -> None:
    stage = staged()
    files = [
        Wanted(scalar("new")),
        Wanted(scalar("reads", unit="hits") | AVERAGE),
        Wanted(hybrid("twice", "reads * 2")),
    ]
    (told,) = planned(stage.catalogue, BRAND, files, by="ann").refused
    assert (told.name, told.field_name) == ("reads", "valueType")


def test_a_metric_that_is_chained_to_it_goes_on_with_another_value_type() -> None:
    stage = staged(users=False)
    chain = {"chainedMetric": "reads", "chainCutoffDate": "2026-10-02"}
    stage.define(scalar("better", unit="hits") | AVERAGE | chain)
    stage.push("better", [{"at": "2026-10-02", "value": 7, "weight": 2}])
    assert stage.values("better", first="2026-10-01", to="2026-10-03") == [1.0, 7.0]
