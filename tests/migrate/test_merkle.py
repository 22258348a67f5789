"""Equal sets have one digest, and where two differ is found by going down."""

from hypothesis import given
from hypothesis import strategies as st

from footfall.migrate.merkle import BUCKET_ENTITIES, buckets_for, digest_of, leaf_of, tree_of
from footfall.ports.items import Value
from footfall.ports.table import Key

AT = Key("p", "s")
VALUES: list[Value] = [
    None, True, False, 0, 1, 2, 1.5, "", "1", "true", "null", b"", b"1", frozenset({"1"}), frozenset({1}), ["1"], [1],
    {}, {"1": 1}, ["set", "1"], ["list", "1"], {"set": "1"}, "e\u0301", "\u00e9", "a", "a ",
]  # fmt: skip


def test_no_two_values_that_a_table_tells_apart_have_one_digest() -> None:
    digests = {digest_of({AT: {"x": value}}) for value in VALUES}
    assert len(digests | {digest_of({AT: {}}), digest_of({}), digest_of({Key("p", "t"): {}})}) == len(VALUES) + 3


def test_a_whole_float_is_the_number_that_it_comes_back_as() -> None:
    assert digest_of({AT: {"x": 2.0}}) == digest_of({AT: {"x": 2}})


def test_the_order_of_items_attributes_and_members_does_not_matter() -> None:
    one = {AT: {"a": 1, "b": frozenset({"x", "y"})}, Key("q", "s"): {}}
    other = {Key("q", "s"): {}, AT: {"b": frozenset({"y", "x"}), "a": 1}}
    assert digest_of(one) == digest_of(other)
    assert leaf_of({"1": "a", "2": "b"}) == leaf_of({"2": "b", "1": "a"})


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=70), st.data())
def test_a_tree_finds_just_the_leaves_that_differ(leaves: list[str], data: st.DataObject) -> None:
    changed = data.draw(st.sets(st.integers(0, len(leaves) - 1)))
    other = [f"{leaf}!" if at in changed else leaf for at, leaf in enumerate(leaves)]
    assert tree_of(leaves).differing(tree_of(other)) == sorted(changed)
    assert (tree_of(leaves).root == tree_of(other).root) == (not changed)


def test_buckets_are_as_many_as_entities_need() -> None:
    assert [buckets_for(count) for count in (0, 1, BUCKET_ENTITIES, BUCKET_ENTITIES + 1, 20_000)] == [1, 1, 1, 2, 256]
