"""Units: one way to write each, products and quotients, and what is none is refused at its character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.metrics.units import PLAIN, ImpossibleUnit, Unit, unit_from

BASES = ("hits", "visitors", "minutes", "EUR", "käyntiä")
UNITS = st.lists(st.tuples(st.sampled_from(BASES), st.sampled_from([-3, -2, -1, 1, 2])), max_size=5).map(
    lambda factors: unit_from("*".join(f"{base}^{power}" for base, power in factors))
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("hits", "hits"), ("hit", "hits"), ("hits / visitor", "hits/visitors"), ("1/minute^2", "1/minutes^2"),
        ("", "ratio"), ("1", "ratio"), ("ratio", "ratio"), ("EUR*hits", "EUR*hits"), ("hits*EUR", "EUR*hits"),
        ("hits/hits", "ratio"), ("hits·EUR^2/minute", "EUR^2*hits/minutes"), ("minutes^-1", "1/minutes"),
    ],
)  # fmt: skip
def test_a_unit_has_one_way_to_be_written(text: str, written: str) -> None:
    assert str(unit_from(text)) == written
    assert unit_from(written) == unit_from(text)


@given(UNITS, UNITS)
def test_a_quotient_undoes_a_product(one: Unit, other: Unit) -> None:
    assert one.times(other).per(other) == one
    assert one.times(other) == other.times(one)
    assert one.per(one) == PLAIN
    assert unit_from(str(one)) == one


@pytest.mark.parametrize("text", ["hits//visitors", "^2", "hits^", "2 hits", "hits visitors", "hits+x", "a" * 121])
def test_what_is_no_unit_is_refused(text: str) -> None:
    with pytest.raises(ImpossibleUnit):
        unit_from(text)


def test_a_refusal_points_at_the_character() -> None:
    with pytest.raises(ImpossibleUnit, match=r"'hits/\?' is not a unit; .* \(character 6\)") as refused:
        unit_from("hits/?")
    assert refused.value.more == {"at": 6}


def test_no_unit_is_more_than_anybody_means() -> None:
    with pytest.raises(ImpossibleUnit, match="more than 8 bases"):
        unit_from("*".join("abcdefghi"))
    with pytest.raises(ImpossibleUnit, match="exponent above 9"):
        unit_from("hits^10")
