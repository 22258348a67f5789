"""What every table promises, asked with arbitrary items and arbitrary histories against a plain dictionary."""

from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from footfall.ports.errors import Changed
from footfall.ports.items import Unfit, map_bytes, whole_or_float
from footfall.ports.table import (
    Absent,
    Delete,
    Equals,
    Item,
    Key,
    Present,
    Put,
    Table,
    Update,
    Value,
    everything,
)
from footfall.values.clock import SetClock
from tests.contract.conftest import INDEXES, NOON_MS, NewTable

pytestmark = pytest.mark.hypothesis  # Each asks within itself, where nobody would look for it.
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(-(10**38) + 1, 10**38 - 1) | st.floats(-1e125, 1e125).filter(lambda n: n == 0 or abs(n) >= 1e-130)
sets = (
    st.frozensets(text, min_size=1, max_size=4)
    | st.frozensets(st.integers(-(10**20), 10**20), min_size=1, max_size=4)
    | st.frozensets(st.binary(max_size=8), min_size=1, max_size=4)
)
scalars = st.none() | st.booleans() | text | st.binary(max_size=40) | numbers
names = text.filter(bool)
values: st.SearchStrategy[Value] = st.recursive(
    cast("st.SearchStrategy[Value]", scalars | sets),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
items = st.dictionaries(names, values, max_size=6)


def as_read(value: Value) -> Value:
    """Return the value as a table gives it back, written again without looking at any adapter."""
    if isinstance(value, dict):
        return {name: as_read(inner) for name, inner in cast("Item", value).items()}
    if isinstance(value, list):
        return [as_read(inner) for inner in value]
    return whole_or_float(value) if isinstance(value, float) else value


def kinds(value: Value) -> object:
    """Return the value with the type of everything in it, because 1, 1.0 and True are equal in Python."""
    if isinstance(value, dict):
        return {name: kinds(inner) for name, inner in cast("Item", value).items()}
    if isinstance(value, list):
        return [kinds(inner) for inner in value]
    return type(value), value


@pytest.fixture(scope="module")
def shared(new_table: NewTable) -> Table:
    return new_table(clock=SetClock(NOON_MS))


def test_every_item_comes_back_as_it_was(shared: Table, examples: int) -> None:
    @settings(max_examples=examples)
    @given(partition=names, sort=names, item=items)
    def holds(partition: str, sort: str, item: dict[str, Value]) -> None:
        key = Key(partition, sort)
        shared.put(Put(key, item))
        assert kinds(cast("Value", shared.get(key))) == kinds(as_read(item))
        (found,) = shared.query(partition, at_least=sort, at_most=sort).items
        assert found.key == key
        assert kinds(cast("Value", found.item)) == kinds(as_read(item))
        shared.put(Put(key, item, expects=[Equals(name, value) for name, value in item.items()]))
        shared.delete(Delete(key))

    holds()


def test_equals_holds_exactly_for_equal_values(shared: Table, examples: int) -> None:
    @settings(max_examples=examples)
    @given(before=values, after=values)
    def holds(before: Value, after: Value) -> None:
        shared.put(Put(Key("equals", "s"), {"a": before}))
        equal = kinds(as_read(before)) == kinds(as_read(after))
        try:
            shared.put(Put(Key("equals", "s"), {}, expects=[Equals("a", after)]))
        except Changed:
            assert not equal
        else:
            assert equal

    holds()


def test_a_number_is_either_kept_exactly_or_refused(shared: Table, examples: int) -> None:
    @settings(max_examples=examples)
    @given(value=st.integers() | st.floats())
    def holds(value: int | float) -> None:
        key = Key("numbers", "s")
        try:
            map_bytes({"n": value})
        except Unfit:
            with pytest.raises(Unfit):
                shared.put(Put(key, {"n": value}))
        else:
            shared.put(Put(key, {"n": value}))
            item = shared.get(key)
            assert item is not None
            assert type(value)(cast("int", item["n"])) == value

    holds()


def test_a_range_holds_what_lies_between_its_ends(shared: Table, examples: int) -> None:
    @settings(max_examples=examples)
    @given(wanted=st.lists(names, max_size=12, unique=True), low=names, high=names, backwards=st.booleans())
    def holds(wanted: list[str], low: str, high: str, backwards: bool) -> None:
        for found in list(everything(shared, "range")):
            shared.delete(Delete(found.key))
        shared.write([Put(Key("range", sort), {}) for sort in wanted])
        page = shared.query("range", at_least=low, at_most=high, backwards=backwards)
        between = [sort for sort in wanted if low.encode() <= sort.encode() <= high.encode()]
        assert [found.key.sort for found in page.items] == sorted(between, key=str.encode, reverse=backwards)

    holds()


SORTS = st.sampled_from(["a", "b", "é", "🦌"])
PARTITIONS = st.sampled_from(["p", "q"])
KEYS = st.builds(Key, PARTITIONS, SORTS)
AUTHORED = st.fixed_dictionaries(
    {}, optional={"author": PARTITIONS, "title": SORTS, "at": st.integers(-3, 3), "n": st.integers(-9, 9)}
)
EXPIRIES = st.none() | st.integers(0, 30)


class History(RuleBasedStateMachine):
    """A table and a dictionary that are told the same things."""

    def __init__(self, new_table: NewTable) -> None:
        super().__init__()
        self.clock = SetClock(NOON_MS)
        self.table = new_table(clock=self.clock, indexes=INDEXES)
        self.oracle: dict[Key, tuple[dict[str, Value], int | None]] = {}

    def seen(self) -> dict[Key, dict[str, Value]]:
        now_ms = self.clock.now_ms()
        return {key: item for key, (item, ends) in self.oracle.items() if ends is None or ends > now_ms}

    def at(self, after_ms: int | None) -> int | None:
        return None if after_ms is None else self.clock.now_ms() + after_ms

    @rule(key=KEYS, item=AUTHORED, after_ms=EXPIRIES)
    def put(self, key: Key, item: dict[str, Value], after_ms: int | None) -> None:
        self.table.put(Put(key, item, expires_at_ms=self.at(after_ms)))
        self.oracle[key] = item, self.at(after_ms)

    @rule(key=KEYS, item=AUTHORED, expected=st.sampled_from([Absent(), Present(), Equals("n", 1), Equals("n", None)]))
    def put_on_a_condition(self, key: Key, item: dict[str, Value], expected: Absent | Present | Equals) -> None:
        before = self.seen().get(key)
        match expected:
            case Absent():
                holds = before is None
            case Present():
                holds = before is not None
            case Equals():
                holds = (before or {}).get("n") == expected.value
        if holds:
            self.table.put(Put(key, item, expects=[expected]))
            self.oracle[key] = item, None
        else:
            with pytest.raises(Changed):
                self.table.put(Put(key, item, expects=[expected]))

    @rule(
        key=KEYS, changes=AUTHORED, amount=st.integers(-3, 3), after_ms=EXPIRIES, gone=st.frozensets(SORTS, max_size=1)
    )
    def update(
        self, key: Key, changes: dict[str, Value], amount: int, after_ms: int | None, gone: frozenset[str]
    ) -> None:
        item = dict(self.seen().get(key, {}))
        ends = self.oracle[key][1] if key in self.seen() else None
        item = {name: value for name, value in {**item, **changes}.items() if name not in gone}
        item["count"] = cast("int", item.get("count", 0)) + amount
        update = Update(key, set=changes, add={"count": amount}, remove=gone, expires_at_ms=self.at(after_ms))
        assert self.table.update(update) == item
        self.oracle[key] = item, ends if after_ms is None else self.at(after_ms)

    @rule(key=KEYS)
    def delete(self, key: Key) -> None:
        self.table.delete(Delete(key))
        self.oracle.pop(key, None)

    @rule(batch=st.dictionaries(KEYS, st.none() | AUTHORED, max_size=5), whole=st.booleans(), fails=st.booleans())
    def write_many(self, batch: dict[Key, dict[str, Value] | None], whole: bool, fails: bool) -> None:
        actions = [Delete(key) if item is None else Put(key, item) for key, item in batch.items()]
        if whole and fails:
            with pytest.raises(Changed):
                self.table.transact([*actions, Put(Key("never", "there"), {}, expects=[Present()])])
            return
        write: Callable[[list[Put | Delete]], None] = self.table.transact if whole else self.table.write
        write(actions)
        for key, item in batch.items():
            self.oracle.pop(key, None)
            if item is not None:
                self.oracle[key] = item, None

    @rule(by_ms=st.integers(1, 20))
    def let_time_pass(self, by_ms: int) -> None:
        self.clock.advance(by_ms)

    @precondition(lambda self: len(self.oracle) > 0)
    @rule(limit=st.integers(1, 4), backwards=st.booleans(), partition=PARTITIONS)
    def read_by_pages(self, limit: int, backwards: bool, partition: str) -> None:
        page, keys = self.table.query(partition, limit=limit, backwards=backwards), list[Key]()
        while True:
            keys += [found.key for found in page.items]
            if page.after is None:
                break
            page = self.table.query(partition, limit=limit, backwards=backwards, after=page.after)
        assert keys == sorted([key for key in self.seen() if key.partition == partition], reverse=backwards)

    @invariant()
    def both_tell_the_same(self) -> None:
        seen = self.seen()
        for partition in ("p", "q"):
            found = {one.key: one.item for one in everything(self.table, partition)}
            assert found == {key: item for key, item in seen.items() if key.partition == partition}
            for index in INDEXES:
                entries = list(everything(self.table, partition, index=index.name))
                held = {key: item for key, item in seen.items() if item.get(index.partition) == partition}
                assert {one.key: one.item for one in entries} == {k: i for k, i in held.items() if index.sort in i}
                positions = [one.item[index.sort] for one in entries]
                assert positions == sorted(cast("list[int]", positions))


def test_a_table_and_a_dictionary_tell_the_same_history(new_table: NewTable, histories: int) -> None:
    run_state_machine_as_test(
        lambda: History(new_table),  # pyright: ignore[reportArgumentType] - any maker of machines does
        settings=settings(max_examples=histories, stateful_step_count=25, deadline=None),
    )
