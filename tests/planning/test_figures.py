"""Numbers that say where they come from."""

from decimal import Decimal

import pytest

from footfall.planning.figures import Origin, assumed, derived, documented, found, given, measured, total, tree, walked
from footfall.values.errors import Refused

HITS = given("traffic.hits", 100, "hits", "What was typed.")
SIZE = measured("size.hit", 20, "bytes", "What was packed.", "bench")
BYTES = derived("bytes", 2_000, "bytes", "Hits times their size.", HITS, SIZE)


def test_a_number_can_be_walked_down_to_what_it_is_made_of() -> None:
    assert [figure.name for figure in walked([BYTES])] == ["bytes", "traffic.hits", "size.hit"]
    assert [(level, figure.name) for level, figure in tree(BYTES)] == [
        (0, "bytes"),
        (1, "traffic.hits"),
        (1, "size.hit"),
    ]


def test_what_was_told_before_is_not_told_again() -> None:
    twice = derived("both", 1, "", "Twice the same.", BYTES, BYTES)
    assert [figure.name for _, figure in tree(twice)] == ["both", "bytes", "traffic.hits", "size.hit", "bytes"]


def test_a_name_that_is_none_is_refused_with_names_that_are_like_it() -> None:
    with pytest.raises(Refused, match=r"'size.hits'.*size.hit"):
        found([BYTES], "size.hits")
    assert found([BYTES], "size.hit") is SIZE


def test_each_origin_is_told() -> None:
    assert [one.origin for one in (HITS, SIZE, BYTES)] == [Origin.GIVEN, Origin.MEASURED, Origin.DERIVED]
    assert assumed("a", 1, "s", "Nobody knows.").origin is Origin.ASSUMED
    assert documented("d", 1, "s", "The vendor says so.", "a page").source == "a page"


def test_money_is_added_up_exactly() -> None:
    lines = [derived(str(n), Decimal("0.1"), "USD", "A tenth.") for n in range(3)]
    assert total("sum", "USD", "All.", lines).value == Decimal("0.3")
    assert total("none", "USD", "None.", []).value == 0
