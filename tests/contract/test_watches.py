"""Watches on every kind of table: made, changed and taken in turns by one at a time, and counted by the day."""

import pytest
from msgspec import structs

from footfall.archive.watch_store import WatchStore, new_watch
from footfall.archive.watching import Turn, next_turn
from footfall.ports.errors import Changed
from footfall.values.clock import SetClock
from tests.contract.conftest import NewTable

FRONT = {"kind": "page", "url": "https://a.example/", "everyMinutes": 15, "onlyChanged": True}
TOP = {"kind": "popular", "period": "day", "top": 3, "section": "news", "everyMinutes": 60}


def test_watches_and_their_turns_are_the_same_everywhere(new_table: NewTable, clock: SetClock) -> None:
    store, now_ms = WatchStore(new_table(clock=clock)), clock.now_ms()
    made = [
        store.planned(
            new_watch(f"wa_{number}", "abc", by="Eve (p_1)", now_ms=now_ms + number),
            {"rule": rule, "alert": {"places": ["al_1"]}}, require_address=lambda _: None, periods=("day",),
        )
        for number, rule in enumerate((FRONT, TOP))
    ]  # fmt: skip
    for watch in made:
        store.add(watch)
    assert (store.of("abc"), store.all(), store.of("ab")) == (made, made, [])
    turn = structs.replace(next_turn(made[0], Turn(), now_ms=now_ms), waiting=("r1", "r2"), says="Asked for 2 pages.")
    assert store.take_turn(made[0], Turn(), turn)
    assert not store.take_turn(made[0], Turn(), turn)
    assert store.turn_of(made[0]) == turn
    off = store.change(made[0], structs.replace(made[0], is_on=False))
    with pytest.raises(Changed):
        store.change(made[0], structs.replace(made[0], name="late"))
    store.change(off, structs.replace(off, is_on=True))
    begun = store.turn_of(made[0])
    assert (begun.next_at_ms, begun.version, begun.waiting) == (0, turn.version + 1, turn.waiting)
    store.spend("abc", now_ms=now_ms)
    store.spend("abc", now_ms=now_ms)
    assert (store.spent("abc", now_ms=now_ms), store.spent("abc", now_ms=now_ms + 86_400_000)) == (2, 0)
    store.remove(made[0])
    assert (store.of("abc"), store.turn_of(made[0])) == (made[1:], Turn())
