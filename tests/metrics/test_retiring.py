"""A deprecated metric goes on answering, and whoever uses it is told each time."""

from typing import Any

from footfall.metrics.applying import Wanted, planned
from tests.metrics.stage import BRAND, Stage, hybrid, scalar

SPAN: dict[str, Any] = {"first": "2026-10-01", "to": "2026-10-02"}


def retired() -> Stage:
    """Return a catalogue in which one metric should not be used any more."""
    stage = Stage()
    stage.define(scalar("old"), scalar("new"), hybrid("twice", "old * 2"))
    stage.catalogue.deprecate(BRAND, "old", reason="counts prefetched pages", replacement="new", by="ann")
    return stage


def test_an_answer_says_which_of_its_metrics_are_deprecated_and_what_to_use() -> None:
    stage = retired()
    gone = {"reason": "counts prefetched pages", "replacement": "new"}
    assert stage.ask("old", **SPAN)["versions"]["old"]["deprecated"] == gone
    versions = stage.ask("twice", **SPAN)["versions"]
    assert versions["old"]["deprecated"] == gone
    assert "deprecated" not in versions["twice"]
    stage.catalogue.restore(BRAND, "old", reason="", by="ann")
    assert "deprecated" not in stage.ask("old", **SPAN)["versions"]["old"]


def test_a_plan_warns_of_what_is_new_and_needs_a_deprecated_metric() -> None:
    stage = retired()
    files = [Wanted(hybrid("fresh", "old / new"), "f.yaml:1"), Wanted(hybrid("twice", "old * 2"), "t.yaml:1")]
    plan = planned(stage.catalogue, BRAND, files, by="ann")
    reason = "'old' is deprecated: counts prefetched pages; use 'new' instead"
    assert (plan.refused, plan.warnings) == ([], [{"place": "f.yaml:1", "name": "fresh", "reason": reason}])
    assert plan.document()["warnings"] == plan.warnings
