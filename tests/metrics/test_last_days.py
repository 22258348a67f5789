"""Formulas whose style is the last day of a period: one day, the same for all that they are computed from."""

from datetime import date, timedelta
from typing import Any

import pytest

from footfall.values.errors import Refused
from tests.metrics.stage import Stage, hybrid, scalar

LAST = {"aggregationStyle": "LAST_DAY_OF_PERIOD"}
MAY: dict[str, Any] = {"first": "2026-05-01", "to": "2026-06-01", "grain": "month"}


def pushed(stage: Stage, name: str, first: str, *values: float, **dimensions: str) -> None:
    """Push a value for every day from one on."""
    start = date.fromisoformat(first)
    days = [(start + timedelta(number)).isoformat() for number in range(len(values))]
    rows = [{"at": day, "dimensions": dimensions, "value": value} for day, value in zip(days, values, strict=True)]
    stage.push(name, rows)


def test_a_formula_of_last_days_gives_that_of_the_last_day_and_not_the_sum() -> None:
    stage = Stage()
    stage.define(scalar("reads"), hybrid("last", "reads * 2", **LAST), hybrid("all", "reads * 2"))
    pushed(stage, "reads", "2026-05-01", *range(1, 32))
    assert stage.values("last", **MAY) == [62.0]
    assert stage.values("all", **MAY) == [2.0 * sum(range(1, 32))]
    weeks = stage.values("last", first="2026-05-01", to="2026-06-01", grain="week")
    assert weeks == [6.0, 20.0, 34.0, 48.0, 62.0]
    assert stage.values("last", first="2026-05-30", to="2026-06-01") == [60.0, 62.0]


def test_all_operands_are_of_the_same_day_the_last_on_which_the_formula_has_a_value() -> None:
    stage = Stage()
    stage.define(scalar("reads"), scalar("people"), hybrid("each", "reads / people", **LAST))
    pushed(stage, "reads", "2026-05-01", 10, 20, 30)
    pushed(stage, "people", "2026-05-01", 5, 4)  # The third day's have not come yet.
    assert stage.values("each", **MAY) == [5.0]
    coverage = stage.ask("each", **MAY)["coverage"]
    assert (coverage["days"], coverage["withData"], coverage["metrics"]["people"]["withData"]) == (31, 2, 2)


def test_a_default_does_not_make_a_day_that_has_no_data_the_last() -> None:
    stage = Stage()
    stage.define(scalar("reads"), hybrid("filled", "coalesce(reads, 0) - shift(coalesce(reads, 0), 1 week)", **LAST))
    pushed(stage, "reads", "2026-05-01", 10, 20, 35)
    pushed(stage, "reads", "2026-04-24", 1, 2, 3)
    assert stage.values("filled", **MAY) == [32.0]
    assert stage.values("filled", first="2026-08-01", to="2026-09-01", grain="month") == [0.0]  # No day has any.


def test_the_last_day_is_that_of_all_groups_and_not_of_those_who_fulfil_a_condition() -> None:
    stage = Stage()
    stage.define(scalar("reads", "section"), hybrid("last", "reads + 0", **LAST))
    pushed(stage, "reads", "2026-05-01", 1, 2, 3, section="news")
    pushed(stage, "reads", "2026-05-01", 7, 8, section="sport")
    assert stage.values("last", **MAY) == [3.0]
    assert stage.values("last", **MAY, by=["section"]) == [3.0]
    assert stage.values("last", **MAY, where={"section": ["sport"]}) == [None]


def test_a_chain_of_last_days_takes_the_last_day_of_the_side_that_has_it() -> None:
    stage = Stage()
    stage.define(scalar("old", **LAST), scalar("new"))
    stage.define(hybrid("one", "new * 1", **LAST, chainedMetric="old", chainCutoffDate="2026-05-10"))
    pushed(stage, "old", "2026-05-01", *range(1, 20))
    assert stage.values("one", **MAY) == [9.0]
    pushed(stage, "new", "2026-05-10", 100, 200)
    assert stage.values("one", **MAY) == [200.0]


def test_a_span_with_more_days_than_are_looked_at_is_refused() -> None:
    stage = Stage()
    stage.define(scalar("reads"), hybrid("last", "reads * 2", **LAST))
    with pytest.raises(Refused, match="at most 40,000 days are looked at"):
        stage.ask("last", first="1970-01-02", to="2090-01-01", grain="year")
