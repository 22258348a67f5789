"""Values in one parameter: whatever they hold, they come back as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve.several import text_from_value, values_from_text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        ("a,,b,", ["a", "", "b", ""]),
        (r"a\,b,c", ["a,b", "c"]),
        (r"a\\,b", ["a\\", "b"]),
        (r"a\\\,b", [r"a\,b"]),
        (r"C:\dir\n", [r"C:\dir\n"]),
        ("\\", ["\\"]),
    ],
)
def test_a_comma_separates_unless_a_backslash_stands_before_it(text: str, values: list[str]) -> None:
    assert values_from_text(text) == values


@given(st.lists(st.text(st.sampled_from(["a", ",", "\\", "å", "\n"]), max_size=8), min_size=1, max_size=5))
def test_any_values_come_back_from_their_text(values: list[str]) -> None:
    assert values_from_text(",".join(map(text_from_value, values))) == values


@given(st.lists(st.text(st.sampled_from(["a", ",", "\\"]), max_size=6), min_size=1, max_size=4), st.data())
def test_no_two_lists_of_values_have_one_text(values: list[str], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.text(st.sampled_from(["a", ",", "\\"]), max_size=6), min_size=1, max_size=4))
    texts = [",".join(map(text_from_value, one)) for one in (values, others)]
    assert (texts[0] == texts[1]) == (values == others)
