"""How much of a span has data, how fresh they are, and what was asked for that is nowhere."""

import json
from typing import Any

from tests.metrics.stage import Stage, hybrid, scalar
from tests.metrics.test_last_days import pushed

MARCH: dict[str, Any] = {"first": "2026-03-01", "to": "2026-04-01", "grain": "month"}


def counted(answer: dict[str, Any]) -> tuple[int, int]:
    """Return how many days were asked for, and how many have data."""
    return answer["coverage"]["days"], answer["coverage"]["withData"]


def test_days_are_those_of_the_span_whatever_lies_on_which_side_of_a_cutoff() -> None:
    stage = Stage()
    stage.define(scalar("old"), scalar("reads"), scalar("people"))
    stage.define(hybrid("each", "reads / people", chainedMetric="old", chainCutoffDate="2026-03-15"))
    for name in ("reads", "people"):
        pushed(stage, name, "2026-03-15", *[4.0] * 17)
    pushed(stage, "old", "2026-03-01", *[1.0] * 14)
    answer = stage.ask("each", **MARCH)
    assert counted(answer) == (31, 31)
    assert answer["items"][0]["value"] is None  # All days have data, and the seam tells why there is no number.
    assert answer["seams"][0]["missing"] == ["2026-03-01"]
    assert answer["coverage"]["metrics"]["old"] == {"days": 14, "withData": 14, "last": "2026-03-14"}


def test_a_day_that_any_source_lacks_is_one_without_data() -> None:
    stage = Stage()
    stage.define(scalar("reads"), scalar("people"), hybrid("each", "reads / people + shift(reads / people, 1 month)"))
    pushed(stage, "reads", "2026-02-01", *[4.0] * 50)
    pushed(stage, "people", "2026-02-01", *[4.0] * 58)
    pushed(stage, "people", "2026-03-31", 1.0)
    assert counted(stage.ask("each", **MARCH)) == (31, 22)
    assert counted(stage.ask("each", first="2026-06-01", to="2026-07-01")) == (30, 0)


def test_a_source_that_never_had_data_is_not_fresh() -> None:
    stage = Stage()
    stage.define(scalar("reads"), scalar("people"), hybrid("each", "reads / people"))
    pushed(stage, "reads", "2026-03-01", 4.0)
    assert stage.ask("reads", **MARCH)["freshness"] == "2026-11-15T12:00Z"
    assert stage.ask("each", **MARCH)["freshness"] is None
    pushed(stage, "people", "2026-03-01", 4.0)
    assert stage.ask("each", **MARCH)["freshness"] == "2026-11-15T12:00Z"


def test_the_last_day_with_data_tells_what_a_push_of_older_days_does_not() -> None:
    stage = Stage()
    stage.define(scalar("reads"))
    pushed(stage, "reads", "2026-03-20", 4.0)
    stage.clock.advance(86_400_000)
    pushed(stage, "reads", "2026-03-02", 4.0)
    answer = stage.ask("reads", **MARCH)
    assert answer["freshness"] == "2026-11-16T12:00Z"
    assert answer["coverage"]["metrics"]["reads"]["last"] == "2026-03-20"
    assert stage.ask("reads", first="2026-05-01", to="2026-05-02")["coverage"]["metrics"]["reads"]["last"] is None


def test_a_value_that_no_point_has_is_told_from_a_metric_without_points() -> None:
    stage = Stage()
    stage.define(scalar("reads", "section", "country"))
    wanted = {"section": ["news", "nwes"], "country": ["fi"]}
    empty = stage.ask("reads", **MARCH, where=wanted)
    assert (empty["unmatched"], counted(empty)) == ({"country": ["fi"], "section": ["news", "nwes"]}, (31, 0))
    stage.push("reads", [{"at": "2026-03-02", "dimensions": {"section": "news", "country": "se"}, "value": 1}])
    answer = stage.ask("reads", **MARCH, where=wanted)
    assert (answer["unmatched"], counted(answer)) == ({"country": ["fi"], "section": ["nwes"]}, (31, 1))
    assert json.dumps(answer["items"][0]["value"]) == "null"


def test_groups_are_those_that_the_span_has_also_where_a_formula_has_a_default() -> None:
    stage = Stage()
    stage.define(scalar("reads", "section"), hybrid("filled", "coalesce(reads, 0)"))
    pushed(stage, "reads", "2026-03-01", 5.0, section="news")
    span: dict[str, Any] = {"first": "2026-03-01", "to": "2026-03-03"}
    assert stage.values("filled", **span, by=["section"]) == [5.0, 0.0]
    assert stage.values("filled", first="2026-05-01", to="2026-05-02") == [0.0]
    assert stage.values("filled", first="2026-05-01", to="2026-05-02", by=["section"]) == []
