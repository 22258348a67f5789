"""Lists that native code writes have the bytes that Python writes, and numbers out of bounds are refused."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve import popular as module
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import PopularQuery
from footfall.flow.store.columns import CountKey
from footfall.native import list_rows
from tests.flow.serve.test_popular import minutes_of
from tests.native.without import without_native_code

IDS = st.sampled_from([str(number) for number in range(30)] + ["0", str(2**63 - 1), str(2**64), "a", "ä", "/one"])
ODD_IDS = st.text(min_size=1, max_size=12) | st.sampled_from(['"', "\\", "\x00", "\x1f", "\x7f", "\u2028", "😀"])
KEYS = st.tuples(IDS, st.sampled_from(["", "1", "007", '"']), st.sampled_from(["", "article"]), st.just("free"))
ODD_KEYS = st.tuples(ODD_IDS, st.sampled_from(["1", "ä"]), st.just(""), st.just(""))
COUNTS = st.dictionaries(KEYS, st.integers(1, 5), max_size=40)
QUERIES = st.builds(
    PopularQuery,
    st.just("abc"),
    sections=st.sampled_from([(), ("1",), ("007", "1"), ("none",)]),
    limit=st.integers(1, 100),
    closed=st.booleans(),
    exclude=st.sampled_from([(), ("7",)]),
)


@given(COUNTS, COUNTS, QUERIES)
def test_a_list_has_the_same_bytes_both_ways(
    now: dict[CountKey, int], before: dict[CountKey, int], query: PopularQuery
) -> None:
    natively = popular(minutes_of(now, before), query)
    with without_native_code():
        assert popular(minutes_of(now, before), query) == natively


@given(st.dictionaries(ODD_KEYS, st.integers(1, 5), max_size=10))
def test_ids_of_any_kind_are_written_as_json(counts: Mapping[CountKey, int]) -> None:
    natively = popular(minutes_of(counts), PopularQuery("abc"))
    assert {item["assetId"] for item in msgspec.json.decode(natively.body)["items"]} == {key[0] for key in counts}
    with without_native_code():
        assert popular(minutes_of(counts), PopularQuery("abc")) == natively


def test_a_list_of_counts_alone_is_written_by_native_code(monkeypatch: pytest.MonkeyPatch) -> None:
    board = minutes_of({("7", "1", "article", "free"): 5, ("/å", "", "", ""): 2}, {("/å", "", "", ""): 1})
    expected = popular(board, PopularQuery("abc"))
    monkeypatch.setattr(module, "_items", None)  # So nobody else can have written it.
    assert popular(board, PopularQuery("abc")) == expected


@given(st.lists(st.integers(0, 4), max_size=50), st.lists(st.booleans(), min_size=5, max_size=5), st.integers(-1, 60))
def test_the_first_places_are_those_that_a_plain_look_gives(slices: list[int], asked: list[bool], limit: int) -> None:
    assert list_rows is not None
    found = list_rows.first(np.array(slices, np.uint32), np.array(asked, bool), limit)
    expected = [place for place, one in enumerate(slices) if asked[one]][: max(0, limit)]
    assert np.frombuffer(found, np.uint32).tolist() == expected


def columns(**other: Any) -> list[Any]:
    given: dict[str, Any] = {
        "assets": np.array([0], np.uint32), "hits": np.array([5], np.int64), "slices": np.array([0], np.uint32),
        "before": np.array([], np.uint32), "idents": np.array([2**63], np.uint64), "ends": np.array([0, 1], np.int64),
        "texts": b"a", "tails": [b"}"],
    }  # fmt: skip
    return list((given | other).values())


@pytest.mark.parametrize(
    ("other", "error"),
    [
        ({"assets": np.array([1], np.uint32)}, IndexError),
        ({"slices": np.array([1], np.uint32)}, IndexError),
        ({"ends": np.array([0], np.int64)}, IndexError),
        ({"ends": np.array([0, 2], np.int64)}, IndexError),
        ({"ends": np.array([1, 0], np.int64)}, IndexError),
        ({"ends": np.array([-1, 1], np.int64)}, IndexError),
        ({"hits": np.array([], np.int64)}, ValueError),
        ({"slices": np.array([0, 0], np.uint32)}, ValueError),
        ({"tails": (b"}",)}, ValueError),
        ({"tails": ["}"]}, TypeError),
    ],
)
def test_numbers_that_mean_nothing_are_refused(other: dict[str, Any], error: type[Exception]) -> None:
    assert list_rows is not None
    assert list_rows.items(*columns()) == b'{"rank":1,"change":null,"assetId":"a","hits":5}'
    with pytest.raises(error):
        list_rows.items(*columns(**other))


def test_a_slice_without_a_number_is_refused() -> None:
    assert list_rows is not None
    with pytest.raises(IndexError):
        list_rows.first(np.array([0, 3], np.uint32), np.array([False], bool), 5)
