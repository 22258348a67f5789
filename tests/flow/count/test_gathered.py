"""What is counted of a place in many parts is what a counter of all of them has, whichever way each part came."""

from collections import Counter
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count import gathered as gathered_module
from footfall.flow.count.gathered import Gathered
from footfall.flow.store.columns import CountKey, columns_from_counts, is_same
from footfall.flow.store.known_keys import CountedKeys, KnownKeys
from footfall.flow.stream.records import HitKey
from tests.flow.store.counts import persons

# Each part by key, or by the numbers of one of two tables.
parts = st.lists(st.tuples(st.sampled_from([None, 0, 1]), st.lists(persons, max_size=30)), max_size=6)


def counted(known: KnownKeys, keys: Sequence[HitKey]) -> CountedKeys:
    numbers = known.numbers(msgspec.Raw(msgspec.msgpack.encode(keys)), hits=len(keys))
    assert numbers is not None
    return CountedKeys(known, numbers)


@pytest.mark.parametrize("waiting", [0, 40, 100_000])
@given(parts=parts)
def test_parts_add_up_to_a_counter_in_the_order_of_coming(
    waiting: int, parts: list[tuple[int | None, list[HitKey]]]
) -> None:
    tables, one, plain = (KnownKeys(), KnownKeys()), Gathered(), Counter[CountKey]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathered_module, "WAITING_BYTES_MIN", waiting)
        patch.setattr(gathered_module, "BYTES_PER_ROW", 4)
        for number, keys in parts:
            one.add(Counter[CountKey](keys) if number is None else counted(tables[number], keys))
            plain.update(keys)
            assert len(plain) <= one.rows <= sum(plain.values())
    assert list(one.counts().items()) == list(plain.items())
    assert is_same(columns_from_counts(one.counts()), columns_from_counts(plain))


def test_hits_of_the_same_keys_take_no_more_than_the_keys_do() -> None:
    known, one = KnownKeys(), Gathered()
    keys: list[HitKey] = [(str(number), "12", "article", "free") for number in range(1_000)]
    for _ in range(300):
        one.add(counted(known, keys))
    assert one.rows < 1_000 + 1_000
    assert one.counts() == dict.fromkeys(keys, 300)
