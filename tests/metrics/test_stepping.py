"""A plan that is right as a whole is applied as a whole, and the catalogue is right after each of its transactions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.metrics.applying import Plan, Wanted, carry_out, planned
from footfall.metrics.checking import is_sound
from footfall.metrics.definition import Definition
from footfall.metrics.errors import MetricInUse
from footfall.ports.errors import Unavailable
from footfall.values.clock import SetClock
from tests.metrics.stage import BRAND, NOON_MS, Stage, Stopping, hybrid, scalar


def stopping() -> tuple[Stage, Stopping]:
    table = Stopping(":memory:", clock=SetClock(NOON_MS))
    return Stage(table=table), table


def plan_of(stage: Stage, *documents: dict[str, Any], prune: bool = False) -> Plan:
    return planned(
        stage.catalogue, BRAND, [Wanted(one, f"{one['name']}.yaml") for one in documents], by="x", prune=prune
    )


def unsound(stage: Stage) -> list[str]:
    """Return the metrics that could not be saved as they are."""

    def lookup(name: str) -> Definition | None:
        found = stage.catalogue.known(BRAND, name)
        return None if found is None else found.definition

    return [row.name for row in stage.catalogue.rows(BRAND) if not is_sound(lookup(row.name), lookup)]


def names(plan: Plan) -> list[list[str]]:
    return [[one.definition.name for one in step] for step in plan.steps]


def test_a_unit_changes_together_with_those_who_use_it() -> None:
    stage, _ = stopping()
    stage.define(scalar("a", unit="hits"), hybrid("b", "a + 1[hits]"), hybrid("c", "b / a"), scalar("z"))
    plan = plan_of(stage, scalar("a", unit="reads"), hybrid("b", "a + 1[reads]"), scalar("z", title="Z"))
    assert plan.refused == []
    assert sorted(names(plan)) == [["a", "b"], ["z"]]
    carry_out(stage.catalogue, BRAND, plan, by="x")
    assert [stage.catalogue.newest(BRAND, one).definition.unit for one in "abc"] == ["reads", "reads", "ratio"]
    assert unsound(stage) == []


def test_users_that_no_file_changes_are_named() -> None:
    stage, _ = stopping()
    stage.define(scalar("a", unit="hits"), hybrid("b", "a + 1[hits]"), hybrid("c", "a / a"))
    plan = plan_of(stage, scalar("a", unit="reads"))
    assert [(one.name, one.more) for one in plan.refused] == [("a", {"users": ["b"]})]
    assert "change them with it in one folder" in plan.refused[0].reason
    # One that still uses it as it was is refused itself.
    plan = plan_of(stage, scalar("a", unit="reads"), hybrid("b", "a + 1[hits]"))
    assert [(one.name, one.field_name) for one in plan.refused] == [("b", "hybridFormula")]


def test_a_style_that_a_chain_cannot_go_on_with_is_refused_unless_the_chain_changes_too() -> None:
    stage, _ = stopping()
    stage.define(scalar("old"), scalar("new", chainedMetric="old", chainCutoffDate="2026-11-01"))
    last = {"aggregationStyle": "LAST_DAY_OF_PERIOD"}
    with pytest.raises(MetricInUse, match="it cannot be aggregated by LAST_DAY_OF_PERIOD"):
        stage.define(scalar("old", **last))
    plan = plan_of(
        stage, scalar("old", **last), scalar("new", chainedMetric="old", chainCutoffDate="2026-11-01", **last)
    )
    assert (plan.refused, names(plan)) == ([], [["old", "new"]])
    carry_out(stage.catalogue, BRAND, plan, by="x")
    assert unsound(stage) == []


def test_what_leaves_a_metric_is_written_before_the_metric_changes() -> None:
    stage, _ = stopping()
    stage.define(scalar("a", unit="hits"), scalar("n", unit="hits"), hybrid("b", "a + n"))
    plan = plan_of(stage, scalar("a", unit="reads"), hybrid("b", "n * 2"))
    assert (plan.refused, names(plan)) == ([], [["b"], ["a"]])


def test_metrics_that_turn_round_over_one_that_no_file_has_are_applied() -> None:
    stage, _ = stopping()
    stage.define(scalar("s"), scalar("a"), hybrid("b", "a * 2"), hybrid("n", "b * 2"))
    # What b needed is computed from b now, by way of n, which stays as it is.
    plan = plan_of(stage, hybrid("a", "n * 2"), hybrid("b", "s * 2"))
    assert (plan.refused, names(plan)) == ([], [["b"], ["a"]])
    carry_out(stage.catalogue, BRAND, plan, by="x")
    assert unsound(stage) == []


def test_more_than_a_transaction_holds_cannot_change_at_once() -> None:
    stage, _ = stopping()
    users = [f"u{n:02d}" for n in range(30)]
    stage.define(scalar("a", unit="hits"), *(hybrid(one, "a + 1[hits]") for one in users))
    plan = plan_of(stage, scalar("a", unit="reads"), *(hybrid(one, "a + 1[reads]") for one in users))
    assert [(one.name, one.field_name) for one in plan.refused] == [("a", "unit")]
    assert "this and 30 other metrics would have to change at once" in plan.refused[0].reason
    fewer, _ = stopping()
    fewer.define(scalar("a", unit="hits"), *(hybrid(one, "a + 1[hits]") for one in users[:23]))
    plan = plan_of(fewer, scalar("a", unit="reads"), *(hybrid(one, "a + 1[reads]") for one in users[:23]))
    carry_out(fewer.catalogue, BRAND, plan, by="x")
    assert unsound(fewer) == []


@st.composite
def catalogues(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw metrics of which each adds some of those before it in an order of its own, all of one unit."""
    unit = draw(st.sampled_from(["hits", "reads"]))
    order = draw(st.permutations(range(6)))
    documents: list[dict[str, Any]] = []
    for at, number in enumerate(order):
        needs = draw(st.sets(st.sampled_from(order[:at]), max_size=2)) if at else set[int]()
        formula = " + ".join([*(f"m{one}" for one in sorted(needs)), f"1[{unit}]"])
        documents.append(hybrid(f"m{number}", formula) if needs else scalar(f"m{number}", unit=unit))
    return documents


@given(catalogues(), catalogues(), st.integers(0, 6))
def test_wherever_a_plan_is_stopped_all_metrics_are_sound_and_it_is_finished_by_applying_again(
    before: list[dict[str, Any]], after: list[dict[str, Any]], left: int
) -> None:
    stage, table = stopping()
    stage.define(*before)
    plan = plan_of(stage, *after)
    assert plan.refused == []
    table.left = left
    for step in plan.steps:  # Each in a transaction of its own, as in a catalogue of thousands.
        try:
            stage.catalogue.save_steps(BRAND, [step], by="x")
        except Unavailable:
            break
        assert unsound(stage) == []
    table.left = 1_000
    carry_out(stage.catalogue, BRAND, plan_of(stage, *after), by="x")
    assert plan_of(stage, *after).is_empty
    assert unsound(stage) == []
