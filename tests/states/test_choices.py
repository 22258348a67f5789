"""Every comparison of a Choice state."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.states.choices import holds, is_like
from footfall.states.failing import StateFailed
from footfall.states.templates import Chance, Sight

DATA: Any = {
    "s": "abc", "t": "abd", "n": 3, "m": 3.0, "big": 4, "yes": True, "no": False, "null": None, "list": [],
    "at": "2026-11-17T12:00:00Z", "same": "2026-11-17T13:00:00+01:00", "later": "2026-11-17T12:00:00.5Z",
}  # fmt: skip


def holding(rule: Any) -> bool:
    return holds(rule, Sight(DATA, {"State": {"Name": "abc"}}, Chance("1")))


@pytest.mark.parametrize(
    ("variable", "comparison", "value", "is_true"),
    [
        ("$.s", "StringEquals", "abc", True),
        ("$.s", "StringEquals", "abd", False),
        ("$.n", "StringEquals", "3", False),
        ("$.s", "StringLessThan", "abd", True),
        ("$.s", "StringGreaterThan", "abc", False),
        ("$.s", "StringLessThanEquals", "abc", True),
        ("$.s", "StringGreaterThanEquals", "abd", False),
        ("$.s", "StringEqualsPath", "$.t", False),
        ("$.s", "StringEqualsPath", "$$.State.Name", True),
        ("$.s", "StringLessThanPath", "$.t", True),
        ("$.t", "StringGreaterThanPath", "$.s", True),
        ("$.s", "StringLessThanEqualsPath", "$.s", True),
        ("$.s", "StringGreaterThanEqualsPath", "$.t", False),
        ("$.s", "StringMatches", "a*c", True),
        ("$.s", "StringMatches", "a*d", False),
        ("$.n", "NumericEquals", 3, True),
        ("$.n", "NumericEquals", 3.0, True),
        ("$.yes", "NumericEquals", 1, False),
        ("$.s", "NumericEquals", 3, False),
        ("$.n", "NumericLessThan", 4, True),
        ("$.n", "NumericGreaterThan", 2.5, True),
        ("$.n", "NumericLessThanEquals", 3, True),
        ("$.n", "NumericGreaterThanEquals", 4, False),
        ("$.n", "NumericEqualsPath", "$.m", True),
        ("$.n", "NumericLessThanPath", "$.big", True),
        ("$.n", "NumericGreaterThanPath", "$.big", False),
        ("$.n", "NumericLessThanEqualsPath", "$.m", True),
        ("$.n", "NumericGreaterThanEqualsPath", "$.s", False),
        ("$.yes", "BooleanEquals", True, True),
        ("$.yes", "BooleanEquals", False, False),
        ("$.n", "BooleanEquals", True, False),
        ("$.yes", "BooleanEqualsPath", "$.no", False),
        ("$.at", "TimestampEquals", "2026-11-17T12:00:00.000Z", True),
        ("$.at", "TimestampLessThan", "2026-11-17T12:00:00.001Z", True),
        ("$.at", "TimestampGreaterThan", "2026-11-17T11:59:59Z", True),
        ("$.at", "TimestampLessThanEquals", "2026-11-17T12:00:00Z", True),
        ("$.at", "TimestampGreaterThanEquals", "2027-01-01T00:00:00Z", False),
        ("$.at", "TimestampEqualsPath", "$.same", True),
        ("$.at", "TimestampLessThanPath", "$.later", True),
        ("$.at", "TimestampGreaterThanPath", "$.later", False),
        ("$.at", "TimestampLessThanEqualsPath", "$.s", False),
        ("$.later", "TimestampGreaterThanEqualsPath", "$.at", True),
        ("$.null", "IsNull", True, True),
        ("$.s", "IsNull", True, False),
        ("$.s", "IsNull", False, True),
        ("$.s", "IsPresent", True, True),
        ("$.gone", "IsPresent", True, False),
        ("$.gone", "IsPresent", False, True),
        ("$.null", "IsPresent", True, True),
        ("$.n", "IsNumeric", True, True),
        ("$.yes", "IsNumeric", True, False),
        ("$.s", "IsString", True, True),
        ("$.n", "IsString", False, True),
        ("$.no", "IsBoolean", True, True),
        ("$.null", "IsBoolean", True, False),
        ("$.at", "IsTimestamp", True, True),
        ("$.s", "IsTimestamp", True, False),
    ],
)
def test_a_comparison_holds(variable: str, comparison: str, value: Any, is_true: bool) -> None:
    assert holding({"Variable": variable, comparison: value}) is is_true
    assert holding({"Not": {"Variable": variable, comparison: value}}) is not is_true


def test_rules_are_joined() -> None:
    yes, no = {"Variable": "$.n", "NumericEquals": 3}, {"Variable": "$.n", "NumericEquals": 4}
    assert holding({"And": [yes, yes]})
    assert not holding({"And": [yes, no]})
    assert holding({"Or": [no, yes]})
    assert not holding({"Or": [no, no]})
    assert holding({"And": [{"Or": [no, yes]}, {"Not": no}]})
    # What comes after a rule that decided is not looked at, so that presence can be asked first.
    assert not holding({"And": [{"Variable": "$.gone", "IsPresent": True}, {"Variable": "$.gone", "IsNull": True}]})


@pytest.mark.parametrize(
    "rule", [{"Variable": "$.gone", "NumericEquals": 1}, {"Variable": "$.n", "NumericEqualsPath": "$.gone"}]
)
def test_a_variable_that_is_not_there_fails(rule: Any) -> None:
    with pytest.raises(StateFailed) as failed:
        holding(rule)
    assert failed.value.error == "States.Runtime"


@pytest.mark.parametrize(
    ("text", "pattern", "is_true"),
    [
        ("log-2026.txt", "log-*.txt", True), ("log-.txt", "log-*.txt", True), ("alog-1.txt", "log-*.txt", False),
        ("a*b", r"a\*b", True), ("axb", r"a\*b", False), ("a\\b", r"a\\b", True), ("", "*", True), ("", "", True),
        ("aba", "a*b*a", True), ("aa", "a*a", True), ("a", "a*a", False), ("abcabc", "*bc*bc", True),
        ("foobar", "*o*r", True),
    ],
)  # fmt: skip
def test_a_star_stands_for_any_text(text: str, pattern: str, is_true: bool) -> None:
    assert is_like(text, pattern) is is_true


@given(st.text("ab", max_size=30), st.lists(st.text("ab", max_size=3), min_size=1, max_size=5))
def test_a_pattern_fits_what_was_made_from_it(filling: str, parts: list[str]) -> None:
    assert is_like(filling.join(parts), "*".join(parts))
