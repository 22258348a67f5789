"""The queue is worked by state, kind and cause, page by page, and many at once."""

import msgspec
import pytest

from footfall.accounts import verdict_queue
from footfall.accounts.audit import Trail
from footfall.accounts.verdict_queue import DECIDED_MAX, Sought, decided_on, document_of_page, require_ids, sought
from footfall.accounts.verdict_store import VerdictStore
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from footfall.values.clock import SetClock
from footfall.values.errors import Refused

NOON_MS, HOUR_MS = 1_794_744_000_000, 3_600_000
ONE = Verdict(SubjectKind.ASSET, "0", NOON_MS - HOUR_MS, NOON_MS, Cause.FEW_AGENTS, State.HELD, NOON_MS)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_MS)


@pytest.fixture
def table(clock: SetClock) -> SqliteTable:
    return SqliteTable(":memory:", clock=clock)


@pytest.fixture
def store(clock: SetClock, table: SqliteTable) -> VerdictStore:
    made = VerdictStore(table, Trail(table, clock=clock), clock=clock)
    found = [
        msgspec.structs.replace(
            ONE,
            subject=str(number),
            from_ms=ONE.from_ms + number,
            cause=Cause.CLOCKWORK if number % 3 == 0 else Cause.FEW_AGENTS,
            state=State.FOUND if number % 4 == 0 else State.HELD,
        )
        for number in range(24)
    ]
    made.find("abc", found, since={})
    return made


@pytest.mark.parametrize("at_once", [1, 5, 500])
@pytest.mark.parametrize("limit", [1, 4, 100])
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Sought(), [n for n in range(24) if n % 4]),
        (Sought("waiting"), [n for n in range(24) if n % 4]),
        (Sought("found"), list(range(0, 24, 4))),
        (Sought("held", "asset", "clockwork"), [n for n in range(0, 24, 3) if n % 4]),
        (Sought("held", "visitor"), []),
        (Sought("settled"), []),
    ],
)
def test_pages_tell_all_that_is_sought_once_and_the_newest_first(
    store: VerdictStore, monkeypatch: pytest.MonkeyPatch, wanted: Sought, expected: list[int], limit: int, at_once: int
) -> None:
    monkeypatch.setattr(verdict_queue, "_AT_ONCE", at_once)
    told: list[int] = []
    after = ""
    while True:
        page = document_of_page(store, "abc", wanted, limit=limit, after=after)
        assert len(page["items"]) <= limit
        told += [int(one["subject"]) for one in page["items"]]
        after = page.get("after", "")
        if not after:
            break
    assert told == expected[::-1]


def test_a_page_looks_at_no_more_than_so_many(store: VerdictStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict_queue, "_AT_ONCE", 5)
    monkeypatch.setattr(verdict_queue, "LOOKED_AT_MAX", 5)
    page = document_of_page(store, "abc", Sought("held", "visitor"), limit=10)
    assert (page["items"], "after" in page) == ([], True)


def test_each_is_decided_on_by_itself(store: VerdictStore) -> None:
    ids = [one.id for one in store.standing("abc") if one.state is State.HELD][:3]
    told = decided_on(store, "abc", [ids[0], "no such", *ids[1:]], State.RELEASED, by="key", raw_since_ms=0)
    assert (told["decided"], store.waiting("abc")) == (3, 15)
    assert ["problem" in one for one in told["items"]] == [False, True, False, False]


@pytest.mark.parametrize("ids", [None, [], "1", [1], ["1"] * (DECIDED_MAX + 1)])
def test_ids_are_a_list_of_some(ids: object) -> None:
    with pytest.raises(Refused, match="ids"):
        require_ids(ids)


@pytest.mark.parametrize("wrong", [("all", "", ""), ("held", "people", ""), ("held", "", "greed")])
def test_what_there_is_none_of_is_refused(wrong: tuple[str, str, str]) -> None:
    with pytest.raises(Refused, match="is none of"):
        sought(*wrong)


def test_what_ended_too_long_ago_to_act_on_anything_is_not_read(
    clock: SetClock, table: SqliteTable, store: VerdictStore
) -> None:
    brief = VerdictStore(table, Trail(table, clock=clock), clock=clock, standing_ms=HOUR_MS)
    assert len(brief.standing("abc")) == len(store.standing("abc")) == 24
    clock.advance(HOUR_MS)
    assert (len(brief.standing("abc")), len(store.standing("abc"))) == (0, 24)
