"""Definitions: one way to write each, a hash of what they mean, and what makes no sense is refused by its field."""

from typing import Any

import msgspec
import pytest

from footfall.metrics.definition import COUNTED_DIMENSIONS, COUNTED_UNITS, DIMENSIONS_MAX, Counted, definition_from
from footfall.metrics.errors import RESERVED_ENDS
from footfall.metrics.grammar import MalformedFormula
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
        ({"name": "x"}, "valueType"),
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
        (scalar("x", source={"counts": "visitors", "where": {"country": ["fi"]}}), "source.where"),
        (scalar("x", source={"counts": "hits", "where": {"1a": ["b"]}}), "source.where"),
        (scalar("x", source={"counts": "watchTime"}), "source.counts"),
        (scalar("x", source={"counts": "hits", "where": {"section": []}}), "source.where.section"),
        ({**PERCENTILE, "source": {"counts": "hits"}}, "valueType"),
        (scalar("x", title="t" * 201), "title"),
        (scalar("x", colour="red"), "colour"),
        (scalar("x", source={"what": 1}), "source.what"),
        (scalar("x", relatedDimensions=[7]), "relatedDimensions"),
        (hybrid("x", "a / 0"), "hybridFormula"),
        (hybrid("x", "ratio(a, -0)"), "hybridFormula"),
        ({"name": "x", "valueType": "NUMBER"}, "valueType"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(document: Any, field: str) -> None:
    with pytest.raises(Refused) as refused:
        definition_from(document)
    assert refused.value.field == field


@pytest.mark.parametrize("end", RESERVED_ENDS)
def test_what_stands_behind_names_in_addresses_is_no_name_itself(end: str) -> None:
    for name in (end, f"team/{end}"):
        with pytest.raises(Refused, match="cannot be in an address") as refused:
            definition_from({"name": name, "valueType": "SCALAR"})
        assert refused.value.field == "name"
    assert definition_from({"name": f"{end}/team", "valueType": "SCALAR"}).name == f"{end}/team"


def test_what_footfall_does_not_count_is_refused_with_what_to_do_instead() -> None:
    for counts in ("watchTime", "orders"):
        with pytest.raises(Refused, match=f"'{counts}'; there are pushed, hits, .*, unfollows; what is counted else"):
            definition_from(scalar("x", source={"counts": counts}))


def test_what_footfall_counts_has_its_own_unit_and_dimensions() -> None:
    assert set(COUNTED_UNITS) == set(COUNTED_DIMENSIONS) == set(Counted) - {Counted.PUSHED}
    for counts, unit, known in (
        ("playbacks", "playbacks", ["paidType", "resourceType", "section"]),
        ("completions", "completions", ["paidType", "resourceType", "section"]),
        ("follows", "follows", ["followerKind", "kind"]),
        ("unfollows", "follows", ["followerKind", "kind"]),  # so that a formula may subtract them
    ):
        made = definition_from(scalar("x", source={"counts": counts}, relatedDimensions=known))
        assert (made.unit, list(made.related_dimensions)) == (unit, known)
    for counts, dimension in (("playbacks", "kind"), ("follows", "section"), ("unfollows", "paidType")):
        with pytest.raises(Refused, match=f"'{dimension}' is not kept of {counts}"):
            definition_from(scalar("x", source={"counts": counts, "where": {dimension: ["a"]}}))


def test_what_does_not_fit_is_told_in_words_and_with_what_could_stand_there() -> None:
    for document, told in (
        (scalar("x", aggregationParam=True), "aggregationParam: has to be a number, and is true or false"),
        (scalar("x", title=7), "title: has to be a text, and is a whole number"),
        (
            {"name": "x", "valueType": "NUMBER"},
            "valueType: .*NUMBER.*; there are SCALAR, WEIGHTED_AVERAGE, HYBRID, PER",
        ),
        (scalar("x", colour="red"), "colour: is not a field here; there are name, valueType, "),
        (scalar("x", source={"what": 1}), "source.what: is not a field here; there are counts, where"),
        ({"valueType": "SCALAR"}, "name: is missing"),
    ):
        with pytest.raises(Refused, match=f"^{told}"):
            definition_from(document)


def test_a_formula_that_never_has_a_value_is_refused_at_its_zero() -> None:
    for text, at in (("a / 0", 5), ("a + ratio(b, -0, c)", 15), ("a / --0.0", 7)):
        with pytest.raises(MalformedFormula, match="divides by 0") as refused:
            definition_from(hybrid("x", text))
        assert refused.value.at == at
    assert definition_from(hybrid("x", "a / (b * 0)")).hybrid_formula == "a / (b * 0)"
    with pytest.raises(MalformedFormula, match="names no metric") as refused:
        definition_from(hybrid("x", "1 + 1"))
    assert refused.value.at == 1


def test_a_percentile_has_its_one_style_without_being_told() -> None:
    told = {name: value for name, value in PERCENTILE.items() if name != "aggregationStyle"}
    assert definition_from(told) == definition_from(PERCENTILE)


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


def test_the_unit_of_unfollows_is_that_of_follows_and_the_refusal_says_why() -> None:
    with pytest.raises(Refused) as refused:
        definition_from(scalar("x", source={"counts": "unfollows"}, unit="unfollows"))
    assert (refused.value.field, refused.value.reason) == (
        "unit",
        "is follows: that is what is counted, not unfollows; what has ended is subtracted from what began",
    )
