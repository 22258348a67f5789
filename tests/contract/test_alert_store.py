"""Alerts on every table: what is told and what is on its way is stored as one, and only one of two rivals wins."""

import pytest

from footfall.accounts.alert_evaluation import Raised, State, Step
from footfall.accounts.alert_memory import Memory, Totals, remembered
from footfall.accounts.alert_outbox import CLAIM_MS, DELIVERED, document_of_event
from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import Alert, UnknownAlert
from footfall.accounts.audit import Trail
from footfall.ports.errors import Changed
from footfall.values.clock import SetClock
from tests.accounts.alert_stage import HOOK, added, store_on
from tests.contract.conftest import NOON_MS, NewTable

MINUTE_MS = 60_000


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_MS)


@pytest.fixture
def store(new_table: NewTable, clock: SetClock) -> AlertStore:
    return store_on(new_table(clock=clock), clock)


def raised(key: str = "a") -> Raised:
    return Raised("asset-passes", key, NOON_MS, f"{key} has 10 hits.", {"asset": key, "share": 0.25})


def told(store: AlertStore, alert: Alert, key: str = "a") -> None:
    state, version = store.state_of(alert)
    state = State(told=(*state.told, (key, NOON_MS + MINUTE_MS)), silent=0, spiking=None)
    assert store.take(alert, Step(state, raised(key)), version=version)


def test_an_alert_comes_back_as_it_was_made_and_its_brand_alone_has_it(store: AlertStore) -> None:
    made = added(store, kind="drops-spike", minutes=5, share=0.25, atLeast=7, times=1.5, emails=["a@b.de"])
    added(store, "abcd")
    assert store.one("abc", made.id) == made
    assert [one.id for one in store.of("abc")] == [made.id]
    assert {brand: len(found) for brand, found in store.all().items()} == {"abc": 1, "abcd": 1}
    with pytest.raises(UnknownAlert):
        store.one("abcd", made.id)
    with pytest.raises(UnknownAlert):
        store.remove("abcd", made.id)


def test_a_change_keeps_the_id_the_secret_and_what_was_told(store: AlertStore, clock: SetClock) -> None:
    made = added(store)
    told(store, made)
    clock.advance(1_000)
    document = {"name": "Other", "kind": "asset-passes", "hits": 7, "webhooks": [HOOK], "isOn": False}
    after = store.change("abc", made.id, document, require_webhook=lambda _url: None, has_mail=False)
    assert (after.id, after.secret, after.hits, after.is_on) == (made.id, made.secret, 7, False)
    assert store.one("abc", made.id).hits == 7
    assert store.state_of(after)[1] == 1
    rotated = store.rotate("abc", made.id)
    assert rotated.secrets(now_ms=clock.now_ms()) == (rotated.secret, made.secret)
    assert rotated.secrets(now_ms=clock.now_ms() + 86_400_000) == (rotated.secret,)


def test_one_of_two_rivals_tells_and_the_other_nothing(store: AlertStore) -> None:
    alert = added(store)
    state = State(told=(("a", NOON_MS),))
    assert store.take(alert, Step(state, raised()), version=0)
    assert not store.take(alert, Step(state, raised()), version=0)
    assert store.state_of(alert) == (state, 1)
    assert not store.take(alert, Step(State(), raised("b")), version=2)
    assert len(store.outbox.page("abc", limit=10)[0]) == 1
    assert len(store.outbox.due(limit=10)) == 1


def test_a_removed_alert_tells_nothing_more(store: AlertStore) -> None:
    alert = added(store)
    store.remove("abc", alert.id)
    assert not store.take(alert, Step(State(), raised()), version=0)
    assert store.outbox.due(limit=10) == []


def test_a_delivery_is_claimed_by_one_and_comes_back_when_it_is_not_heard_of(
    store: AlertStore, clock: SetClock
) -> None:
    told(store, added(store))
    (due,) = store.outbox.due(limit=10)
    ours = store.outbox.claimed(due)
    assert ours is not None
    assert ours.attempts == 1
    assert store.outbox.claimed(due) is None
    assert store.outbox.due(limit=10) == []
    clock.advance(CLAIM_MS)
    (again,) = store.outbox.due(limit=10)
    assert again == ours


def test_the_history_tells_what_became_of_each_delivery(store: AlertStore, clock: SetClock) -> None:
    told(store, added(store, emails=["a@b.de"]))
    claimed = [store.outbox.claimed(one) for one in store.outbox.due(limit=10)]
    first, second = (one for one in claimed if one is not None)
    store.outbox.settle(first, DELIVERED, said="200 OK")
    store.outbox.retry(second, due_ms=NOON_MS + MINUTE_MS, said="503")
    (event,), after = store.outbox.page("abc", limit=10)
    assert after == ""
    document = document_of_event(event, shown=str.upper)
    assert [(one["to"], one["state"], one["said"]) for one in document["deliveries"]] == [
        (HOOK.upper(), "delivered", "200 OK"), ("A@B.DE", "retrying", "503"),
    ]  # fmt: skip
    assert document["deliveries"][1]["next"] == "2026-11-15T12:01Z"
    assert document["about"] == {"asset": "a", "share": 0.25}
    assert store.outbox.due(limit=10) == []
    clock.advance(MINUTE_MS)
    assert [(one.place, one.attempts) for one in store.outbox.due(limit=10)] == [("a@b.de", 1)]
    assert store.outbox.page("ab", limit=10)[0] == []


def test_the_history_is_read_a_page_at_a_time_the_newest_first(store: AlertStore, clock: SetClock) -> None:
    alert = added(store)
    for key in "abc":
        told(store, alert, key)
        clock.advance(1)
    first, after = store.outbox.page("abc", limit=2)
    second, end = store.outbox.page("abc", limit=2, after=after)
    texts = [str(one["text"])[0] for one in (*first, *second)]
    assert texts == ["c", "b", "a"]
    assert end == ""


def test_a_place_that_is_turned_off_is_told_of_and_the_alert_ends_with_its_last(
    store: AlertStore, clock: SetClock
) -> None:
    alert = added(store, emails=["a@b.de"])
    store.turn_off(alert, HOOK, why="it answers that it is gone (410)")
    clock.advance(1)
    one = store.one("abc", alert.id)
    assert (one.is_on, one.places) == (True, ("a@b.de",))
    store.turn_off(alert, "a@b.de", why="nothing was taken")
    store.turn_off(alert, "a@b.de", why="once more")
    assert store.one("abc", alert.id).is_on is False
    events = store.outbox.page("abc", limit=10)[0]
    assert [event["type"] for event in events] == ["turned-off", "turned-off"]
    document = {"name": "Up", "kind": "asset-passes", "hits": 1, "webhooks": [HOOK]}
    again = store.change("abc", alert.id, document, require_webhook=lambda _url: None, has_mail=True)
    assert (again.is_on, again.places) == (True, (HOOK,))


def test_two_changes_at_once_do_not_undo_each_other(store: AlertStore) -> None:
    alert = added(store, emails=["a@b.de"])
    stale = store.one("abc", alert.id)
    store.rotate("abc", alert.id)
    with pytest.raises(Changed):
        store._table.transact([store._changed(stale, stale)])


def test_every_change_is_in_the_trail(store: AlertStore, clock: SetClock) -> None:
    alert = added(store)
    clock.advance(1)
    store.rotate("abc", alert.id)
    clock.advance(1)
    store.remove("abc", alert.id)
    trail = Trail(store._table, clock=clock)
    acts = [(one.act, one.by, one.subject) for one in trail.page("abc", limit=10)[0]]
    assert acts == [(act, "ann", alert.id) for act in ("alert-removed", "alert-rotated", "alert-added")]


def test_a_memory_comes_back_as_it_was(store: AlertStore) -> None:
    memory = Memory()
    for minute in range(300):
        totals = Totals(minute * 10, minute, NOON_MS + minute * MINUTE_MS)
        memory = remembered(memory, totals, now_ms=NOON_MS + minute * MINUTE_MS)
    store.keep_memory("abc", memory)
    assert store.memory_of("abc") == memory
    store.forget_brand("abc")
    assert store.memory_of("abc") == Memory()


def test_a_brand_that_goes_takes_its_alerts_and_their_history_along(store: AlertStore) -> None:
    told(store, added(store))
    told(store, added(store, "abcd"))
    store.forget_brand("abc")
    assert list(store.of("abc")) == []
    assert store.outbox.page("abc", limit=10)[0] == []
    assert len(store.outbox.page("abcd", limit=10)[0]) == 1
    assert len(store.of("abcd")) == 1
