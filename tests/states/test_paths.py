"""What paths select, and where results are put."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.states.failing import StateFailed
from footfall.states.path_grammar import path_from_text, reference_from_text
from footfall.states.paths import Missing, found, placed
from footfall.states.scanning import Unreadable

STORE: Any = {
    "a": {"b": [1, 2, 3, 4, 5], "with space": "s", "ü-x": True, "null": None},
    "books": [
        {"title": "Moby", "price": 9, "kind": "fiction", "tags": ["sea"]},
        {"title": "Sayings", "price": 8.5, "kind": "reference"},
        {"title": "Rings", "price": 23, "kind": "fiction", "isbn": "x"},
    ],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$", STORE),
        ("$.a.b", [1, 2, 3, 4, 5]),
        ("$.a.b[0]", 1),
        ("$.a.b[-1]", 5),
        ("$['a']['b'][2]", 3),
        ('$["a"]["with space"]', "s"),
        ("$.a.ü-x", True),
        ("$.a.null", None),
        ("$.a.b[*]", [1, 2, 3, 4, 5]),
        ("$.a.b[1:3]", [2, 3]),
        ("$.a.b[:2]", [1, 2]),
        ("$.a.b[-2:]", [4, 5]),
        ("$.a.b[::2]", [1, 3, 5]),
        ("$.a.b[0,2]", [1, 3]),
        ("$.books[*].price", [9, 8.5, 23]),
        ("$.books[*].isbn", ["x"]),
        ("$..price", [9, 8.5, 23]),
        ("$.books..tags[0]", ["sea"]),
        ("$.books[0]['title','price']", ["Moby", 9]),
        ("$.books[?(@.price < 10)].title", ["Moby", "Sayings"]),
        ("$.books[?(@.price>=9)].title", ["Moby", "Rings"]),
        ("$.books[?(@.kind=='fiction' && @.price > 10)].title", ["Rings"]),
        ('$.books[?(@.kind=="reference" || @.price > 20)].title', ["Sayings", "Rings"]),
        ("$.books[?(@.isbn)].title", ["Rings"]),
        ("$.books[?(!(@.isbn))].title", ["Moby", "Sayings"]),
        ("$.books[?(@.kind != 'fiction')].price", [8.5]),
        ("$.books[?(@.price > $.a.b[4])].price", [9, 8.5, 23]),
        ("$.books[?(@.price == 'nine')].title", []),
        ("$.a.b[?(@ > 3)]", [4, 5]),
    ],
)
def test_a_path_selects(path: str, value: Any) -> None:
    assert found(path, STORE, None) == value


@pytest.mark.parametrize("path", ["$.c", "$.a.b[5]", "$.a.b.c", "$.missing[*]", "$.a[0]", "$.books.title"])
def test_a_path_that_leads_nowhere_says_so(path: str) -> None:
    with pytest.raises(Missing):
        found(path, STORE, None)


def test_two_dollars_look_into_the_context() -> None:
    assert found("$$.State.Name", STORE, {"State": {"Name": "here"}}) == "here"


@pytest.mark.parametrize(
    "text",
    ["", "a", "$.", "$a", "$.a[", "$.a[x]", "$.a['b]", "$.a[?(@.b]", "$.a[?(1)]", "$.a[1:2:3:4]", "$.a[::0]", "$.a b"],
)
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        path_from_text(text)


@pytest.mark.parametrize("text", ["$$.a", "$.a[*]", "$..a", "$.a[0:1]", "$.a[?(@.b)]", "$.a[-1]", "$['a','b']"])
def test_a_reference_path_names_one_place(text: str) -> None:
    path_from_text(text)
    with pytest.raises(Unreadable):
        reference_from_text(text)


@pytest.mark.parametrize(
    ("path", "data", "result"),
    [
        ("$", {"a": 1}, 9),
        ("$.b", {"a": 1}, {"a": 1, "b": 9}),
        ("$.a", {"a": 1}, {"a": 9}),
        ("$.x.y.z", {"a": 1}, {"a": 1, "x": {"y": {"z": 9}}}),
        ("$.a[1]", {"a": [1, 2]}, {"a": [1, 9]}),
        ("$['b c']", {}, {"b c": 9}),
        ("$.a[0].b", {"a": [{}]}, {"a": [{"b": 9}]}),
    ],
)
def test_a_result_is_put_where_its_path_says(path: str, data: Any, result: Any) -> None:
    assert placed(path, data, 9) == result


@pytest.mark.parametrize(
    ("path", "data"), [("$.a", "text"), ("$.a", [1]), ("$[0]", {}), ("$.a[2]", {"a": [1]}), ("$.a.b", {"a": 3})]
)
def test_a_result_that_has_no_place_fails(path: str, data: Any) -> None:
    with pytest.raises(StateFailed) as failed:
        placed(path, data, 9)
    assert failed.value.error == "States.ResultPathMatchFailure"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text("ab", min_size=1, max_size=2), VALUES, max_size=3), VALUES)
def test_what_was_put_is_found_and_the_rest_stays(data: dict[str, Any], value: Any) -> None:
    changed = placed("$.new.place", data, value)
    assert found("$.new.place", changed, None) == value
    assert isinstance(changed, dict)
    assert {name: one for name, one in changed.items() if name != "new"} == data


@given(st.text("$.[]*?()@'ab01:,<>=!&| ", max_size=20))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        path = path_from_text(text)
    except Unreadable:
        return
    assert isinstance(path.steps, tuple)
