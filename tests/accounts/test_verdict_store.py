"""Verdicts are stored version by version on both grounds: found, extended, settled, listed, and told as they stood."""

from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.accounts.audit import Trail
from footfall.accounts.verdict_store import CHANGED_MAX, KEEP_MS, UnknownVerdict, VerdictsContended, VerdictStore
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.table import Table
from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import JUDGE, State, Verdict, as_of
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.engines.dynamodb import DynamoDbEngine, table_of

NOW_MS = 1_794_753_000_000
BRAND = "abc"
NOTE = FeatureNote("hits", 9.5, 2.5, "high", 1.0)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW_MS)


@pytest.fixture(params=["sqlite", "dynamodb"])
def table(request: pytest.FixtureRequest, clock: SetClock) -> Iterator[Table]:
    if request.param == "sqlite":
        yield SqliteTable(":memory:", clock=clock)
    else:
        engine: DynamoDbEngine = request.getfixturevalue("dynamodb")
        client = engine.shared()
        yield table_of(client, engine.names(client), clock=clock)


@pytest.fixture
def store(table: Table, clock: SetClock) -> VerdictStore:
    return VerdictStore(table, Trail(table, clock=clock), clock=clock)


def verdict(subject: str = "a", start_ms: int = 100, *, to_ms: int = 500, state: State = State.HELD) -> Verdict:
    kind, cause = SubjectKind.ASSET, Cause.FEW_AGENTS
    return Verdict(kind, subject, start_ms, to_ms, cause, state, NOW_MS, 0, 2.5, "why", (NOTE,), changed_at_ms=NOW_MS)


def test_a_brand_without_verdicts_has_version_0(store: VerdictStore) -> None:
    assert store.version(BRAND) == 0
    assert store.as_of(BRAND, 0) == []
    assert store.page(BRAND, is_settled=False, limit=10) == ([], "")


def test_what_was_found_comes_back_as_it_was(store: VerdictStore) -> None:
    assert store.find(BRAND, [verdict()], since={"s0": 17}) == 1
    expected = msgspec.structs.replace(verdict(), version=1)
    assert store.verdict(BRAND, verdict().id) == expected
    (change,) = store.changes(BRAND)
    assert (change.version, change.by, change.verdicts, change.since) == (1, JUDGE, (expected,), {"s0": 17})
    assert store.page("other", is_settled=False, limit=10) == ([], "")


def test_a_case_that_goes_on_is_one_verdict_with_a_later_end(store: VerdictStore, clock: SetClock) -> None:
    store.find(BRAND, [verdict()], since={})
    clock.set(NOW_MS + 60_000)
    ended = msgspec.structs.replace(verdict(to_ms=900), notes=(), words="over", found_at_ms=NOW_MS + 60_000)
    store.find(BRAND, [ended], since={})
    (standing,), _ = store.page(BRAND, is_settled=False, limit=10)
    assert (standing.to_ms, standing.version, standing.found_at_ms) == (900, 2, NOW_MS)
    assert (standing.words, standing.notes) == ("why", (NOTE,))
    assert [one.to_ms for one in store.as_of(BRAND, 1)] == [500]
    assert [one.to_ms for one in store.as_of(BRAND, 2)] == [900]


@pytest.mark.parametrize("state", [State.CONFIRMED, State.RELEASED])
def test_an_operator_settles_a_verdict_and_it_stays_so(store: VerdictStore, table: Table, state: State) -> None:
    store.find(BRAND, [verdict()], since={})
    after = store.settle(BRAND, verdict().id, state, by="key-1", since={"s0": 30})
    assert (after.state, after.by, after.version) == (state, "key-1", 2)
    assert store.page(BRAND, is_settled=False, limit=10)[0] == []
    assert store.page(BRAND, is_settled=True, limit=10)[0] == [after]
    store.find(BRAND, [verdict(to_ms=900)], since={})
    standing = store.verdict(BRAND, verdict().id)
    assert (standing.state, standing.by, standing.to_ms) == (state, "key-1", 900)
    (entry,), _ = Trail(table, clock=SetClock(NOW_MS)).page(BRAND, limit=10)
    assert entry.act == f"verdict-{state.value}"
    assert (entry.by, entry.subject, entry.details["cause"]) == ("key-1", "asset a", "few-agents")


def test_a_decision_can_be_taken_back(store: VerdictStore) -> None:
    store.find(BRAND, [verdict()], since={})
    store.settle(BRAND, verdict().id, State.CONFIRMED, by="key-1", since={})
    store.settle(BRAND, verdict().id, State.RELEASED, by="key-2", since={})
    (standing,), _ = store.page(BRAND, is_settled=True, limit=10)
    assert (standing.state, standing.by) == (State.RELEASED, "key-2")
    assert [one.state for version in (1, 2, 3) for one in store.as_of(BRAND, version)] == [
        State.HELD,
        State.CONFIRMED,
        State.RELEASED,
    ]


def test_pages_go_from_the_newest_on(store: VerdictStore) -> None:
    store.find(BRAND, [verdict("a", 100 + at) for at in range(5)], since={})
    first, after = store.page(BRAND, is_settled=False, limit=3)
    rest, end = store.page(BRAND, is_settled=False, limit=3, after=after)
    assert [one.from_ms for one in (*first, *rest)] == [104, 103, 102, 101, 100]
    assert end == ""


def test_many_verdicts_are_several_changes(store: VerdictStore) -> None:
    count = 2 * CHANGED_MAX + 1
    assert store.find(BRAND, [verdict(str(at)) for at in range(count)], since={}) == 3
    assert len(store.as_of(BRAND, 3)) == count
    assert [change.version for change in store.changes(BRAND, after_version=1)] == [2, 3]


def test_those_that_wait_are_counted_and_those_that_only_tell_are_not(store: VerdictStore) -> None:
    assert (store.versions(), store.waiting(BRAND)) == ({}, 0)
    first, other = verdict(start_ms=1), verdict(start_ms=2)
    told = msgspec.structs.replace(verdict(start_ms=3), state=State.FOUND)
    store.find(BRAND, [first, other, told], since={})
    store.find(BRAND, [first], since={})
    assert (store.versions(), store.waiting(BRAND)) == ({BRAND: 2}, 2)
    store.settle(BRAND, first.id, State.CONFIRMED, by="key", since={})
    store.settle(BRAND, first.id, State.RELEASED, by="key", since={})
    store.settle(BRAND, told.id, State.CONFIRMED, by="key", since={})
    assert (store.versions(), store.waiting(BRAND)) == ({BRAND: 5}, 1)
    assert {one.id: one.state for one in store.standing(BRAND)} == {
        first.id: State.RELEASED,
        other.id: State.HELD,
        told.id: State.CONFIRMED,
    }


def test_what_was_held_waits_no_more_when_the_brand_filters(store: VerdictStore) -> None:
    store.find(BRAND, [verdict()], since={})
    store.find(BRAND, [msgspec.structs.replace(verdict(to_ms=900), state=State.CONFIRMED)], since={})
    assert (store.waiting(BRAND), store.page(BRAND, is_settled=False, limit=10)) == (0, ([], ""))
    (standing,) = store.standing(BRAND)
    assert (standing.state, standing.by, standing.to_ms) == (State.CONFIRMED, JUDGE, 900)


def test_a_change_says_which_event_times_have_another_label(store: VerdictStore) -> None:
    store.find(BRAND, [verdict(start_ms=100, to_ms=500)], since={})
    store.find(BRAND, [verdict(start_ms=100, to_ms=900)], since={})
    store.find(BRAND, [verdict(start_ms=100, to_ms=900)], since={})
    one = store.settle(BRAND, verdict(start_ms=100).id, State.RELEASED, by="key", since={})
    store.find(BRAND, [verdict(start_ms=100, to_ms=990)], since={})
    store.settle(BRAND, one.id, State.CONFIRMED, by="key", since={})
    ranges = [change.ranges for change in store.changes(BRAND)]
    assert ranges == [((100, 500),), ((500, 900),), (), ((100, 900),), (), ((100, 990),)]


def test_an_asset_that_is_told_of_and_held_has_two_verdicts(store: VerdictStore) -> None:
    held = verdict()
    told = msgspec.structs.replace(held, cause=Cause.UNUSUAL_ASSET, state=State.FOUND)
    store.find(BRAND, [held, told], since={})
    store.find(BRAND, [msgspec.structs.replace(told, to_ms=900)], since={})
    assert store.verdict(BRAND, held.id).state is State.HELD
    assert store.waiting(BRAND) == 1


def test_a_case_that_is_told_twice_at_once_stands_as_it_was_told_last(store: VerdictStore) -> None:
    store.find(BRAND, [verdict(), verdict(to_ms=900)], since={})
    assert [one.to_ms for one in store.as_of(BRAND, 1)] == [900]


def test_an_unknown_verdict_is_said_so(store: VerdictStore) -> None:
    for verdict_id in (verdict().id, "../etc", ""):
        with pytest.raises(UnknownVerdict, match="no verdict of 'abc'"):
            store.settle(BRAND, verdict_id, State.RELEASED, by="key-1", since={})


def test_a_cursor_and_a_limit_that_nobody_gave_are_refused(store: VerdictStore) -> None:
    with pytest.raises(Refused, match="after"):
        store.page(BRAND, is_settled=False, limit=1, after="x")
    with pytest.raises(Refused, match="limit"):
        store.page(BRAND, is_settled=False, limit=0)


def test_verdicts_expire_with_the_audit_trail(store: VerdictStore, clock: SetClock) -> None:
    store.find(BRAND, [verdict()], since={})
    clock.set(NOW_MS + KEEP_MS)
    assert store.page(BRAND, is_settled=False, limit=10) == ([], "")
    assert store.version(BRAND) == 1
    assert store.find(BRAND, [verdict("b")], since={}) == 2


class _Meddled(VerdictStore):
    """A store in which another changes something before each write."""

    rival: VerdictStore
    rivals_left = 0

    def version(self, brand: str) -> int:
        found = super().version(brand)
        if self.rivals_left:
            self.rivals_left -= 1
            self.rival.find(brand, [verdict(f"rival {self.rivals_left}")], since={})
        return found


def meddled(store: VerdictStore, table: Table, clock: SetClock, times: int) -> _Meddled:
    mine = _Meddled(table, Trail(table, clock=clock), clock=clock)
    mine.rival, mine.rivals_left = store, times
    return mine


def test_two_at_once_lose_nothing(store: VerdictStore, table: Table, clock: SetClock) -> None:
    mine = meddled(store, table, clock, 2)
    mine.find(BRAND, [verdict()], since={})
    assert {one.subject for one in store.as_of(BRAND, store.version(BRAND))} == {"a", "rival 0", "rival 1"}
    assert [change.version for change in store.changes(BRAND)] == [1, 2, 3]


def test_whoever_never_comes_first_is_told_to_try_again(store: VerdictStore, table: Table, clock: SetClock) -> None:
    mine = meddled(store, table, clock, 100)
    with pytest.raises(VerdictsContended, match="try once more"):
        mine.find(BRAND, [verdict()], since={})


acts = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(1, 2), st.sampled_from(["find", "confirmed", "released"])), max_size=12
)


@settings(max_examples=40, deadline=None)
@given(acts)
def test_what_stands_is_what_the_changes_come_to(told: list[tuple[str, int, str]]) -> None:
    clock = SetClock(NOW_MS)
    table = SqliteTable(":memory:", clock=clock)
    store = VerdictStore(table, Trail(table, clock=clock), clock=clock)
    for subject, start_ms, act in told:
        clock.set(clock.now_ms() + 1)
        one = verdict(subject, start_ms, to_ms=500 + clock.now_ms() - NOW_MS)
        if act == "find":
            store.find(BRAND, [one], since={})
        elif any(one.id == found.id for found in store.as_of(BRAND, store.version(BRAND))):
            store.settle(BRAND, one.id, State(act), by="key-1", since={})
    pages = [store.page(BRAND, is_settled=is_settled, limit=100)[0] for is_settled in (False, True)]
    standing = {found.id: found for page in pages for found in page}
    assert len(standing) == sum(len(page) for page in pages)
    last = store.version(BRAND)
    assert {found.id: found for found in store.as_of(BRAND, last)} == standing
    assert {found.id: found for found in as_of(store.changes(BRAND), last)} == standing
