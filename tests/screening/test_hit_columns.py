"""Texts and visitors as numbers, and hits as columns of them."""

from hypothesis import given
from hypothesis import strategies as st

from footfall.screening.hit_columns import code_of, codes, joined, no_hits, visitor_bytes, visitor_code
from tests.screening.made_hits import START_MS, hits


@given(st.lists(st.text(max_size=5)))
def test_texts_have_the_same_numbers_one_by_one_and_together(texts: list[str]) -> None:
    assert codes(texts).tolist() == [code_of(text) for text in texts]


@given(st.text())
def test_only_no_text_has_no_number(text: str) -> None:
    assert (code_of(text) == 0) == (text == "")


@given(st.binary(min_size=8, max_size=8).filter(any))
def test_a_visitors_number_stands_for_its_hash(visitor: bytes) -> None:
    assert visitor_bytes(visitor_code(visitor)) == visitor


def test_no_visitor_has_no_number() -> None:
    assert visitor_code(b"") == 0
    assert visitor_bytes(0) == b""


def test_parts_are_joined_in_their_order() -> None:
    both = joined([hits([START_MS], asset=1), hits([START_MS], asset=2), no_hits()])
    assert both.asset.tolist() == [1, 2]
    assert len(joined([])) == 0
