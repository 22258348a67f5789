"""Formulas are read as people mean them, written in one way, and refused with the character where they go wrong."""

import time
from random import Random

import numpy as np
import pytest
from hypothesis import given

from footfall.metrics.checking import UnknownMetric, checked_unit
from footfall.metrics.computing import computed, steps_of
from footfall.metrics.definition import Definition, ValueType, definition_from, normal
from footfall.metrics.formula import Metric, Node, metrics_in, renamed, text_of, walk
from footfall.metrics.grammar import DEPTH_MAX, FORMULA_CHARACTERS_MAX, MalformedFormula, formula_from
from footfall.metrics.units import unit_from
from footfall.values.errors import Refused
from tests.metrics.formulas import NAMES, TREES, text_by_chance
from tests.metrics.stage import BRAND, Stage, hybrid, scalar

FUZZED = 20_000
SOAKED = 1_000_000
MOST_S = 0.010  # of a processor for one text


def evaluated(formula: Node) -> float:
    """Return what a formula gives where each metric has a number of its own, and shifted ones another."""
    numbers = {name: float(number + 2) for number, name in enumerate(NAMES)}
    cells = computed(
        steps_of(formula),
        lambda name, shifts: np.full((1, 1), numbers.get(name, 1.0) + sum(count for count, _ in shifts)),
        (1, 1),
    )
    return float(cells[0, 0])


@given(TREES)
def test_a_formula_that_is_written_and_read_again_is_the_same(formula: Node) -> None:
    text = text_of(formula)
    if len(text) > FORMULA_CHARACTERS_MAX:
        return
    read = formula_from(text)
    assert text_of(read) == text
    assert text_of(formula_from(text_of(read))) == text
    before, after = evaluated(formula), evaluated(read)
    assert before == after or (before != before and after != after)
    assert metrics_in(read) == metrics_in(formula)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a+b*c", "a + b * c"),
        ("(a+b)*c", "(a + b) * c"),
        ("((a))-(b-c)", "a - (b - c)"),
        ("a/b/c", "a / b / c"),
        ("a ÷ (b × c)", "a / (b * c)"),  # noqa: RUF001 - what people type and others mistake
        ("−a", "-a"),  # noqa: RUF001 - what people type and others mistake
        ("a – b", "a - b"),  # noqa: RUF001 - what people type and others mistake
        ("--a", "--a"),
        ('"a"', "a"),
        ('"paid reads" / visits', '"paid reads" / visits'),
        ("shift( a , 1 months )", "shift(a, 1 month)"),
        ("shift(a, -2 day)", "shift(a, -2 day)"),
        ("1.50[hits/visitor]", "1.5[hits/visitors]"),
        ("round(a, 2)", "round(a, 2)"),
    ],
)
def test_formulas_have_one_text(text: str, written: str) -> None:
    assert text_of(formula_from(text)) == written


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        ("", 1, "is empty"),
        ("aa +* / 2 )(", 5, "where a value should stand"),
        ("a b", 3, "where a sign or the end should stand"),
        ("a +", 4, "ends too early"),
        ("a ? b", 3, "no part of a formula"),
        ('a + "b', 5, "quote that does not end"),
        ("foo(a)", 1, "calls 'foo'"),
        ("ratio(a)", 1, "gives ratio 1 values"),
        ("a + round(b, 1.5)", 5, "digits"),
        ("shift(a, 1 fortnight)", 12, "shifts by 'fortnight'"),
        ("shift(a, 1.5 day)", 10, "must be whole"),
        ("1e999 + a", 1, "too large"),
        ("a + 1[?]", 7, "not a unit"),
        ("60[seconds//minutes] * a", 12, "'seconds//minutes' is not a unit; write"),
        ("SHIFT(a, 1 day)", 1, r"calls 'SHIFT' \(write shift\)"),
        ('"x(" + a + Lag(b, 1 day)', 12, "calls 'Lag'; there are"),
        ("Min(a)", 1, r"calls 'Min' \(write min\)"),
        ("a" * (FORMULA_CHARACTERS_MAX + 1), FORMULA_CHARACTERS_MAX + 1, "at most 1,000"),
        ("-" * DEPTH_MAX + "a", DEPTH_MAX + 1, "in each other"),
        ("-" * 500 + "a", DEPTH_MAX + 1, "in each other"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_character(text: str, at: int, reason: str) -> None:
    with pytest.raises(MalformedFormula, match=reason) as refused:
        formula_from(text)
    assert refused.value.at == at
    assert refused.value.field == "hybridFormula"


def test_a_formula_can_name_its_metrics_otherwise() -> None:
    told = renamed(formula_from("min(a, -b) + shift(a, 1 day) * 2"), lambda name: f"team.{name}")
    assert text_of(told) == "min(team.a, -team.b) + shift(team.a, 1 day) * 2"
    assert sorted(one.name for one in walk(told) if isinstance(one, Metric)) == ["team.a", "team.a", "team.b"]


METRICS: dict[str, Definition] = {
    one.name: one
    for one in (
        definition_from(scalar("hits", unit="hits")), definition_from(scalar("visits", unit="visitors")),
        definition_from(scalar("a.b", unit="EUR")), definition_from(hybrid("paid reads", "hits * 2", unit="hits")),
    )
}  # fmt: skip


def fuzz(count: int, seed: int) -> tuple[float, int]:
    """Have so many texts be read or refused; return how long the slowest took of the processor, and how many were read.

    A text goes the whole way of a formula: the parser, the definition with its one text, the names, circles and units.
    """
    chance, slowest, read = Random(seed), 0.0, 0
    for _ in range(count):
        text = text_by_chance(chance)
        took_s, is_read = defined_or_refused(text)
        read += is_read
        if took_s > slowest:  # What else the interpreter did meanwhile, such as collecting garbage, comes once.
            slowest = max(slowest, min(took_s, *(defined_or_refused(text)[0] for _ in range(4))))
    return slowest, read


def defined_or_refused(text: str) -> tuple[float, bool]:
    """Define a metric by a text, or have it refused at a character; return how long that took, and whether it was."""
    started = time.thread_time()
    try:
        formula = formula_from(text)
        definition = normal(Definition(name="h", value_type=ValueType.HYBRID, hybrid_formula=text))
        unit = checked_unit(definition, METRICS.get, written=formula)
    except Refused as error:
        took_s = time.thread_time() - started
        at = error.more.get("at", 1) if isinstance(error, (MalformedFormula, UnknownMetric)) else 1
        assert isinstance(at, int)
        assert 1 <= at <= len(text) + 1  # The character is in the text, or right behind it.
        assert error.field == "hybridFormula"  # noqa: PT017 - whatever is refused is so by its field
        return took_s, False
    took_s = time.thread_time() - started
    assert definition.hybrid_formula is not None
    assert text_of(formula_from(definition.hybrid_formula)) == definition.hybrid_formula
    assert unit_from(str(unit)) == unit
    return took_s, True


def require_fuzzed(count: int, seed: int) -> None:
    slowest, read = fuzz(count, seed)
    print(f"of {count:,} texts {read:,} were read; the slowest took {slowest * 1_000:.1f} ms")
    assert slowest <= MOST_S
    assert read >= count // 1_000, "texts by chance are formulas now and then"


def test_no_text_does_more_than_be_defined_or_refused() -> None:
    require_fuzzed(FUZZED, 8)


@pytest.mark.soak
def test_no_text_of_a_million_does_more_than_be_defined_or_refused() -> None:
    require_fuzzed(SOAKED, 9)


def test_texts_by_chance_go_through_the_catalogue_and_leave_it_as_it_was() -> None:
    stage, chance = Stage(), Random(10)
    stage.define(*METRICS.values())
    kept = {one.name: one for one in stage.catalogue.rows(BRAND)}
    for number in range(400):
        text, name = text_by_chance(chance), f"h{number}"
        try:
            stage.define(hybrid(name, text))
        except Refused:
            assert stage.catalogue.known(BRAND, name) is None
        else:
            stage.catalogue.delete(BRAND, name)
    assert {one.name: one for one in stage.catalogue.rows(BRAND)} == kept
