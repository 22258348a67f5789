"""What other semantic layers are given: SQL that gives the very same numbers, or the reason why there is none."""

import json
import sqlite3
from typing import Any

from footfall.metrics.definition import Counted
from footfall.metrics.interchange import interchange_of
from tests.metrics.stage import Stage, hybrid, scalar

HITS = {"name": "hits", "valueType": "SCALAR", "source": {"counts": "hits"}}
PEOPLE = {"name": "people", "valueType": "SCALAR", "source": {"counts": "visitors"}}


def exported(*documents: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the expressions of metrics by name, and the reasons of those that have none."""
    (model,) = interchange_of("abc", Stage().define(*documents))["semantic_model"]
    made = {one["name"]: one["expression"]["dialects"][0]["expression"] for one in model["metrics"]}
    left = json.loads(model["custom_extensions"][0]["data"])["notExpressible"] if "custom_extensions" in model else []
    return made, {one["name"]: one["reason"] for one in left}


def test_whole_numbers_are_divided_with_their_rest() -> None:
    made, _ = exported(HITS, hybrid("share", "hits / 5"), hybrid("same", "ratio(hits, 5, 0)"))
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE footfall_hits (hits INTEGER)")
    table.execute("INSERT INTO footfall_hits VALUES (3), (5)")
    for name in ("share", "same"):
        assert table.execute(f"SELECT {made[name]} FROM footfall_hits").fetchone() == (1.6,)


def test_a_formula_over_two_datasets_is_not_given_as_a_join_of_both() -> None:
    made, left = exported(HITS, PEOPLE, hybrid("each", "hits / people"), hybrid("twice", "each * 2"))
    assert sorted(made) == ["hits", "people"]
    for name in ("each", "twice"):
        assert left[name] == "it is made of footfall_hits and footfall_visitors, whose rows nothing relates"


def test_all_that_footfall_counts_has_a_dataset_of_its_own_and_only_who_came_is_counted_once() -> None:
    counted = [one.value for one in Counted if one is not Counted.PUSHED]
    model = interchange_of("abc", Stage().define(*(scalar(one, source={"counts": one}) for one in counted)))
    (told,) = model["semantic_model"]
    assert {one["name"] for one in told["datasets"]} == {"footfall_points", *(f"footfall_{one}" for one in counted)}
    made, _ = exported(
        {"name": "new", "valueType": "SCALAR", "source": {"counts": "follows", "where": {"kind": ["series"]}}},
        *(scalar(one, source={"counts": one}) for one in ("playbacks", "completions", "viewers")),
    )
    assert made == {
        "new": "SUM(CASE WHEN footfall_follows.\"kind\" IN ('series') THEN footfall_follows.follows END)",
        "playbacks": "SUM(footfall_playbacks.playbacks)",
        "completions": "SUM(footfall_completions.completions)",
        "viewers": "COUNT(DISTINCT footfall_viewers.viewer)",
    }


def test_formulas_over_points_of_several_metrics_are_of_one_dataset() -> None:
    made, left = exported(scalar("reads"), scalar("users"), hybrid("each", "reads / users"))
    assert (sorted(made), left) == (["each", "reads", "users"], {})


def test_a_percentile_and_rounding_are_listed_and_not_given_another_meaning() -> None:
    middle = {"name": "p50", "valueType": "PERCENTILE", "aggregationStyle": "PERCENTILE", "aggregationParam": 50}
    made, left = exported(middle, scalar("reads"), hybrid("near", "round(reads, 1)"))
    assert sorted(made) == ["reads"]
    assert "sketches" in left["p50"]
    assert "even" in left["near"]


def test_a_constant_is_exported_with_all_its_digits() -> None:
    made, _ = exported(scalar("reads"), hybrid("more", "reads * 0.30000000000000004"))
    assert made["more"].endswith("* 0.30000000000000004)")


def test_a_formula_of_last_days_is_not_given_as_one_of_whole_periods() -> None:
    made, left = exported(scalar("reads"), hybrid("last", "reads * 2", aggregationStyle="LAST_DAY_OF_PERIOD"))
    assert (sorted(made), left) == (["reads"], {"last": "a period has the value of its last day"})
