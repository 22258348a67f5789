"""Quantities as people type and read them."""

from decimal import Decimal

import pytest

from footfall.planning.quantities import data_size, money, quantity_from_text, short
from footfall.values.errors import Refused


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("50M", 50_000_000),
        ("100k", 100_000),
        ("1.5B", 1_500_000_000),
        ("250,000", 250_000),
        ("2_000", 2_000),
        ("3G", 3 * 10**9),
        ("0.5k", 500),
        ("7", 7),
    ],
)
def test_scales_are_read(text: str, number: int) -> None:
    assert quantity_from_text("hits", text) == number


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not a quantity"),
        ("many", "is not a quantity"),
        ("1e9", "'e'|is not a quantity"),
        ("50MM", "'MM' in '50MM' is no scale"),
        ("-5M", "below zero"),
        ("1.5", "not a whole number"),
        ("9999999T", "more than there will ever be"),
        ("0", "too few: 1 at least"),
        ("nan", "is not a quantity"),
    ],
)
def test_what_is_no_quantity_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(Refused, match=says):
        quantity_from_text("hits", text, least=1)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1_000, "1k"), (1_234_567, "1.23M"), (0.004, "0.004"), (5e10, "50B"), (99.96, "100")],
)
def test_numbers_are_written_short(number: float, text: str) -> None:
    assert short(number) == text


def test_money_and_sizes_have_their_units() -> None:
    assert money(Decimal("12.345")) == "$12.35" or money(Decimal("12.345")) == "$12.34"
    assert money(Decimal(4019)) == "$4,019"
    assert money(Decimal("0.0012")) == "$0.0012"
    assert money(0.0) == "$0.00"
    assert data_size(1_500_000_000) == "1.5 GB"
    assert data_size(12) == "12 bytes"
