"""Definitions: one way to write each, a hash of what they mean, and what makes no sense is refused by its field."""

from typing import Any

import msgspec
import pytest

from footfall.metrics.definition import DIMENSIONS_MAX, definition_from, require_metric_name
from footfall.values.errors import Refused
from tests.metrics.stage import hybrid, scalar

PERCENTILE = {"name": "p", "valueType": "PERCENTILE", "aggregationStyle": "PERCENTILE", "aggregationParam": 95}


def test_what_means_the_same_has_the_same_hash_whatever_it_is_called() -> None:
    one = definition_from(hybrid("a", "x+ (y*2)", title="A", description="words", owner="ann"))
    other = definition_from(hybrid("b", "x + y * 2"))
    assert one.hybrid_formula == "x + y * 2"
    assert one.hash == other.hash
    assert definition_from(hybrid("b", "x + y * 3")).hash != one.hash
    assert definition_from(scalar("s", "b", "a", "b")).hash == definition_from(scalar("s", "a", "b")).hash


def test_a_definition_read_again_is_itself() -> None:
    for document in (scalar("s", "section", unit="hit"), hybrid("h", "s / 2"), PERCENTILE):
        found = definition_from(document)
        assert definition_from(msgspec.to_builtins(found)) == found


def test_consumed_metrics_are_told_by_the_formula() -> None:
    found = definition_from(hybrid("h", "b + a + b", chainedMetric="c", chainCutoffDate="2026-01-01"))
    assert found.consumed_metrics == ("a", "b")
    assert found.needed_metrics == ("a", "b", "c")
    assert definition_from({**hybrid("h", "b + a"), "consumedMetrics": ["a", "b"]}).consumed_metrics == ("a", "b")
    with pytest.raises(Refused, match="consumedMetrics: are told by the formula: a, b"):
        definition_from({**hybrid("h", "b + a"), "consumedMetrics": ["a"]})


def test_counts_have_their_own_units_and_dimensions() -> None:
    found = definition_from(
        {**scalar("reads", "section"), "source": {"counts": "hits", "where": {"paidType": ["paid", "free", "paid"]}}}
    )
    assert found.unit == "hits"
    assert found.source is not None
    assert found.source.where == {"paidType": ("free", "paid")}


@pytest.mark.parametrize(
    ("document", "field"),
    [
        (None, "body"),
        ([], "body"),
        ({"name": "x"}, "body"),
        (scalar(""), "name"),
        (scalar(" x"), "name"),
        (scalar("x\n"), "name"),
        (scalar("\ud800"), "name"),
        (scalar("x" * 201), "name"),
        (scalar("x", unit="hits//"), "unit"),
        (scalar("x", "1a"), "relatedDimensions"),
        (scalar("x", *(f"d{n}" for n in range(DIMENSIONS_MAX + 1))), "relatedDimensions"),
        (scalar("x", aggregationStyle="PERCENTILE"), "aggregationStyle"),
        (scalar("x", aggregationParam=5), "aggregationParam"),
        ({**PERCENTILE, "aggregationParam": None}, "aggregationParam"),
        ({**PERCENTILE, "aggregationParam": 101}, "aggregationParam"),
        ({**PERCENTILE, "aggregationStyle": "SUM"}, "aggregationStyle"),
        (scalar("x", hybridFormula="a"), "hybridFormula"),
        ({"name": "x", "valueType": "HYBRID"}, "hybridFormula"),
        (hybrid("x", "1 + 1"), "hybridFormula"),
        (hybrid("x", " + ".join(f"m{n}" for n in range(41))), "hybridFormula"),
        (hybrid("x", "a", relatedDimensions=["b"]), "relatedDimensions"),
        (hybrid("x", "a", source={"counts": "hits"}), "source"),
        (scalar("x", chainedMetric="y"), "chainCutoffDate"),
        (scalar("x", chainCutoffDate="2026-01-01"), "chainedMetric"),
        (scalar("x", chainedMetric="y", chainCutoffDate="2026-02-30"), "chainCutoffDate"),
        (scalar("x", chainedMetric="x", chainCutoffDate="2026-01-01"), "chainedMetric"),
        (scalar("x", source={"counts": "pushed", "where": {"a": ["b"]}}), "source.where"),
        (scalar("x", source={"counts": "hits"}, unit="EUR"), "unit"),
        (scalar("x", "country", source={"counts": "hits"}), "relatedDimensions"),
        (scalar("x", source={"counts": "visitors", "where": {"paidType": ["paid"]}}), "relatedDimensions"),
        (scalar("x", source={"counts": "hits", "where": {"section": []}}), "source.where.section"),
        ({**PERCENTILE, "source": {"counts": "hits"}}, "valueType"),
        (scalar("x", title="t" * 201), "title"),
        (scalar("x", colour="red"), "body"),
        ({"name": "x", "valueType": "NUMBER"}, "valueType"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(document: Any, field: str) -> None:
    with pytest.raises(Refused) as refused:
        definition_from(document)
    assert refused.value.field == field


def test_names_are_of_any_script_in_one_form() -> None:
    assert require_metric_name("cafe\u0301") == "café"
    assert require_metric_name("日本 #1 / 'x'") == "日本 #1 / 'x'"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("9007199254740991", "9007199254740991"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("5e-324", "5e-324"),
        ("1000000000000000", "1000000000000000"),
        ("2.50", "2.5"),
        ("60[seconds/minutes]", "60[seconds/minutes]"),
    ],
)
def test_a_number_in_a_formula_is_kept_to_its_last_digit(written: str, kept: str) -> None:
    document = {"name": "x", "valueType": "HYBRID", "hybridFormula": f"reads * {written}"}
    once = definition_from(document)
    assert once.hybrid_formula == f"reads * {kept}"
    assert definition_from({**document, "hybridFormula": once.hybrid_formula}).hash == once.hash


def test_two_numbers_that_differ_in_the_last_digit_give_two_hashes() -> None:
    document = {"name": "x", "valueType": "HYBRID", "hybridFormula": "reads * 0.3"}
    other = {**document, "hybridFormula": "reads * 0.30000000000000004"}
    assert definition_from(document).hash != definition_from(other).hash
