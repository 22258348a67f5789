"""Watches in a table: each brand's own, one turn at a time, and no more of them than a day has room for."""

import pytest
from msgspec import structs

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.archive.watch_store import WatchStore, new_watch
from footfall.archive.watching import WATCHES_MAX, Turn, UnknownWatch, Watch, next_turn
from footfall.ports.errors import Changed
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS

NOW_MS = 1_794_753_000_000
FRONT = {"kind": "page", "url": "https://example.com/", "everyMinutes": 15}


@pytest.fixture
def store() -> WatchStore:
    return WatchStore(SqliteTable(":memory:", clock=SetClock(NOW_MS)))


def add(store: WatchStore, watch_id: str = "w1", brand: str = "abc") -> Watch:
    new = new_watch(watch_id, brand, by="p_1", now_ms=NOW_MS)
    made = store.planned(new, {"rule": FRONT}, require_address=lambda _: None, periods=())
    store.add(made)
    return made


def test_a_watch_is_its_brands_alone(store: WatchStore) -> None:
    made = add(store)
    other = add(store, "w2", "abcd")
    assert (store.of("abc"), store.of("abcd")) == ([made], [other])
    assert store.all() == [made, other]
    with pytest.raises(UnknownWatch):
        store.one("abcd", made.id)


def test_a_brand_has_no_more_watches_than_can_be_looked_at(store: WatchStore) -> None:
    for number in range(WATCHES_MAX):
        add(store, f"w{number}")
    with pytest.raises(Refused, match="remove those that nobody needs"):
        add(store, "one-more")


def test_of_two_changes_of_one_watch_the_second_finds_out(store: WatchStore) -> None:
    before = add(store)
    store.change(before, structs.replace(before, name="Front"))
    with pytest.raises(Changed):
        store.change(before, structs.replace(before, name="Other"))
    assert store.one("abc", before.id).name == "Front"


def test_of_two_who_take_one_turn_one_has_it(store: WatchStore) -> None:
    watch = add(store)
    after = next_turn(watch, Turn(), now_ms=NOW_MS)
    assert store.take_turn(watch, Turn(), after)
    assert not store.take_turn(watch, Turn(), after)
    assert store.turn_of(watch) == after


def test_another_rule_begins_at_once_and_another_name_does_not(store: WatchStore) -> None:
    watch = add(store)
    store.take_turn(watch, Turn(), next_turn(watch, Turn(), now_ms=NOW_MS))
    named = store.change(watch, structs.replace(watch, name="Front"))
    assert store.turn_of(named).next_at_ms > NOW_MS
    store.change(named, structs.replace(named, rule=structs.replace(watch.rule, every_minutes=30)))
    assert store.turn_of(named).next_at_ms == 0


def test_what_is_gone_leaves_no_turn_behind(store: WatchStore) -> None:
    watch = add(store)
    store.take_turn(watch, Turn(), next_turn(watch, Turn(), now_ms=NOW_MS))
    store.remove(watch)
    assert (store.all(), store.turn_of(watch)) == ([], Turn())


def test_what_a_day_has_spent_is_a_brands_own_and_the_next_day_begins_anew(store: WatchStore) -> None:
    for _ in range(3):
        store.spend("abc", now_ms=NOW_MS)
    spent = [store.spent("abc", now_ms=NOW_MS), store.spent("xyz", now_ms=NOW_MS)]
    assert [*spent, store.spent("abc", now_ms=NOW_MS + DAY_MS)] == [3, 0, 0]
