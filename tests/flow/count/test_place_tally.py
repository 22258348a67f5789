"""Hits come to the same counts in the same order, whether their keys come as texts or packed."""

from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count.place_tally import PlaceTally
from footfall.flow.store.columns import CountKey, is_same
from footfall.flow.store.known_keys import KnownKeys, sum_of_counts
from footfall.flow.store.merging import EMPTY, Limits, admit
from footfall.native import IS_BUILT

ASSETS = [str(number) for number in range(8)] + ["a story", "über", "x" * 40]
KEYS = st.sampled_from([(asset, section, "article", "") for asset in ASSETS for section in ("news", "sport", "")])
WHOSE = st.sampled_from([bytes([number]) * 8 for number in range(4)] + [b""])
HITS = st.lists(st.tuples(KEYS, WHOSE), min_size=1, max_size=30)
# Hits as they come together, whether they have visitors, and whether the way for packed keys is open to them.
RUNS = st.lists(st.tuples(HITS, st.booleans(), st.booleans()), max_size=12)
Run = tuple[list[tuple[CountKey, bytes]], bool, bool]


def packed(keys: Sequence[CountKey]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(keys))


def plainly(runs: Sequence[Run]) -> PlaceTally:
    tally = PlaceTally()
    for hits, has_visitors, _ in runs:
        tally.count([key for key, _ in hits], [whose for _, whose in hits] if has_visitors else None)
    return tally


def by_bytes(runs: Sequence[Run], known: KnownKeys) -> PlaceTally:
    tally = PlaceTally(known)
    for hits, has_visitors, is_packed in runs:
        keys, visitors = [key for key, _ in hits], [whose for _, whose in hits] if has_visitors else None
        if not (is_packed and tally.count_packed(packed(keys), hits=len(keys), visitors=visitors)):
            tally.count(keys, visitors)
    return tally


@given(RUNS, RUNS)
def test_packed_keys_come_to_the_same_counts_in_the_order_of_their_coming(before: list[Run], runs: list[Run]) -> None:
    known = KnownKeys()
    by_bytes(before, known).counts()  # What was known before says nothing of the order now.
    found, expected = by_bytes(runs, known), plainly(runs)
    assert list(found.counts().items()) == list(expected.counts().items())
    assert found.has_visitors == expected.has_visitors


@given(RUNS, RUNS, st.integers(0, 6), st.integers(0, 3))
def test_a_window_that_is_full_lets_in_the_same_keys(
    first: list[Run], second: list[Run], assets_max: int, slices_max: int
) -> None:
    limits, known = Limits(assets_max=assets_max, slices_max=slices_max), KnownKeys()
    found = expected = EMPTY
    for runs in (first, second):
        found = admit(found, by_bytes(runs, known).counts(), limits)
        expected = admit(expected, plainly(runs).counts(), limits)
    assert is_same(found, expected)


@given(st.lists(RUNS, min_size=1, max_size=4))
def test_counts_of_several_places_add_up_in_the_order_of_their_coming(places: list[list[Run]]) -> None:
    known = KnownKeys()
    found = sum_of_counts([by_bytes(runs, known).counts() for runs in places])
    expected = sum_of_counts([plainly(runs).counts() for runs in places])
    assert list(found.items()) == list(expected.items())
    assert is_same(admit(EMPTY, found, Limits()), admit(EMPTY, expected, Limits()))


@given(HITS)
def test_visitors_are_met_under_the_same_keys(hits: list[tuple[CountKey, bytes]]) -> None:
    runs: list[Run] = [(hits, True, True), (hits[:3], False, True), (hits, True, False)]
    found, expected = by_bytes(runs, KnownKeys()), plainly(runs)
    columns = admit(EMPTY, expected.counts(), Limits())
    one, two = found.sketches(hash, columns), expected.sketches(hash, columns)
    assert one.groups.tolist() == two.groups.tolist()


def test_native_code_is_built_where_tests_run() -> None:
    assert IS_BUILT
    assert PlaceTally(KnownKeys()).count_packed(packed([("1", "", "", "")]), hits=1)


def test_what_is_no_pack_of_so_many_keys_is_counted_nowhere() -> None:
    tally = PlaceTally(KnownKeys())
    keys = [("1", "news", "article", "free"), ("2", "news", "article", "free")]
    whole = bytes(packed(keys))
    for bad in (whole[:-1], whole + b"\xc0", b"", b"\xc0", b"\xdd\xff\xff\xff\xff"):
        assert not tally.count_packed(msgspec.Raw(bad), hits=2)
    assert not tally.count_packed(packed(keys), hits=3)
    assert not tally.count_packed(packed(keys), hits=2, visitors=[bytes(8)])
    assert not tally.counts()
