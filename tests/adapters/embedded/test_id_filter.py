"""The filter before a table of ids: never wrong about one that is there, and seldom about one that is not."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.id_filter import IdFilter

IDS = st.lists(st.binary(max_size=20))


@given(there=IDS, asked=IDS)
def test_an_id_that_was_added_is_always_possible(there: list[bytes], asked: list[bytes]) -> None:
    ids = IdFilter(is_complete=True)
    ids.add(there)
    assert ids.possible(there) == there
    assert set(ids.possible(asked)) >= set(asked) & set(there)


@given(there=IDS, asked=IDS, taken=st.integers(0, 20))
def test_what_is_not_filled_in_yet_is_possible(there: list[bytes], asked: list[bytes], taken: int) -> None:
    ids = IdFilter(is_complete=False)
    assert ids.possible(asked) == asked
    in_order = sorted(set(there))
    some = in_order[: taken + 1]
    ids.go_on(some, are_last=some == in_order)
    assert ids.possible(in_order) == in_order
    assert (ids.missing_from is None) == (some == in_order)


def test_of_many_ids_nearly_none_that_is_not_there_is_possible() -> None:
    chance = Random(1)
    ids = IdFilter(is_complete=True)
    ids.add(chance.randbytes(16) for _ in range(100_000))
    assert len(ids.possible([chance.randbytes(16) for _ in range(10_000)])) < 30
