"""A member's history on both grounds: two updates for a write, one query for a read, nothing left once erased."""

from collections.abc import Callable

import pytest

from footfall.audience import history_keys as keys
from footfall.audience import history_reading
from footfall.audience import history_removing as removing
from footfall.audience.history import record
from footfall.audience.history_next import episodes_of, keep_episodes, next_up
from footfall.audience.history_reading import (
    Place,
    Recent,
    all_of,
    going_on,
    latest_of,
    place_from,
    recent,
    resume_point,
)
from footfall.audience.history_rule import USUAL_RULE, State
from footfall.audience.kept_lists import all_rows
from footfall.ports.table import Put, item_bytes
from footfall.values.clock import SetClock
from tests.audience.history_stage import HOUR_MS, INDEXES, MINUTE_MS, NOON_MS, CountedTable, watched
from tests.contract.conftest import NewTable

NASTY = 'ids # with / and é and " and 映画 \U0010ffff'


@pytest.fixture
def counted(new_table: NewTable, clock: SetClock) -> CountedTable:
    return CountedTable(new_table(clock=clock, indexes=INDEXES))


def test_a_write_is_two_updates_and_every_read_is_one_call(counted: CountedTable) -> None:
    record(counted, "blog", watched("e1", 40, NOON_MS, series=NASTY), now_ms=NOON_MS)
    assert counted.taken_calls() == ["update", "update"]
    record(counted, "blog", watched("e1", 95, NOON_MS + 1, series=NASTY), now_ms=NOON_MS + 1)
    assert counted.taken_calls() == ["update", "update", "update"]  # It is counted, once for a full watch.
    record(counted, "blog", watched("e1", 96, NOON_MS + 2, series=NASTY), now_ms=NOON_MS + 2)
    assert counted.taken_calls() == ["update", "update"]
    record(counted, "blog", watched("e1", 2, NOON_MS + 3, series=NASTY), now_ms=NOON_MS + 3)
    assert counted.taken_calls() == []  # What was hardly begun is ignored.
    point = resume_point(counted, "blog", "ann", series=NASTY, asset="e1")
    assert point is not None
    assert (point.state(USUAL_RULE), point.times_watched(USUAL_RULE)) == (State.WATCHED, 1)
    assert counted.taken_calls() == ["get"]
    assert [one.asset for one in all_of(counted, "blog", "ann", series=NASTY)] == ["e1"]
    assert counted.taken_calls() == ["query"]
    last = latest_of(counted, "blog", "ann", series=NASTY)
    assert last is not None
    assert (last.series, last.asset) == (NASTY, "e1")
    assert counted.taken_calls() == ["get"]
    assert [one.series for one in recent(counted, "blog", "ann", limit=5).entries] == [NASTY]
    assert counted.taken_calls() == ["query recent"]
    assert going_on(counted, "blog", "ann", limit=5, rule=USUAL_RULE).entries == []
    assert counted.taken_calls() == ["query recent"]


def test_the_newest_by_event_time_stays_and_a_clock_that_is_ahead_does_not_win_for_ever(counted: CountedTable) -> None:
    record(counted, "blog", watched("film", 50, NOON_MS), now_ms=NOON_MS)
    late = record(counted, "blog", watched("film", 30, NOON_MS - HOUR_MS), now_ms=NOON_MS)
    assert not late.is_newest
    same = record(counted, "blog", watched("film", 51, NOON_MS, sequence=1), now_ms=NOON_MS)
    assert same.is_newest
    ahead = record(counted, "blog", watched("film", 60, NOON_MS + 365 * 24 * HOUR_MS), now_ms=NOON_MS + 5)
    assert (ahead.is_newest, ahead.at_ms) == (True, NOON_MS + 5)
    right = record(counted, "blog", watched("film", 70, NOON_MS + 6), now_ms=NOON_MS + 6)
    assert right.is_newest
    ten_years_old = record(counted, "blog", watched("older", 70, NOON_MS - 87_600 * HOUR_MS), now_ms=NOON_MS)
    assert ten_years_old.is_newest


def test_recent_series_come_newest_first_with_one_entry_each_and_hidden_ones_are_left_out(
    counted: CountedTable,
) -> None:
    for number in range(12):  # Three series, and four episodes of each within some minutes.
        told = watched(f"e{number}", 40, NOON_MS + number * MINUTE_MS, series=f"s{number % 3}")
        record(counted, "blog", told, now_ms=told.at_ms)
    now_ms = NOON_MS + HOUR_MS

    def listed() -> list[tuple[str, str]]:
        return [(one.series, one.asset) for one in recent(counted, "blog", "ann", limit=3).entries]

    assert listed() == [("s2", "e11"), ("s1", "e10"), ("s0", "e9")]
    assert removing.hide(counted, "blog", "ann", series="s1", now_ms=now_ms)
    record(counted, "blog", watched("e13", 41, now_ms - MINUTE_MS, series="s1"), now_ms=now_ms)  # It arrives late.
    assert listed() == [("s2", "e11"), ("s0", "e9")]
    assert len(all_of(counted, "blog", "ann", series="s1")) == 5  # It is hidden, and kept.
    record(counted, "blog", watched("e10", 50, now_ms + 1, series="s1"), now_ms=now_ms + 1)
    assert listed()[0] == ("s1", "e10")  # Whoever goes on with it sees it again.
    assert removing.hide(counted, "blog", "ann", series="s2", now_ms=now_ms)
    assert removing.show(counted, "blog", "ann", series="s2")
    assert ("s2", "e11") in listed()
    assert not removing.hide(counted, "blog", "ann", series="never seen", now_ms=now_ms)


def paged(read: Callable[[Place | None], Recent]) -> list[list[str]]:
    """Return the series of all pages, page by page, each as an address carries its beginning."""
    pages, after = list[list[str]](), None
    while True:
        page = read(after)
        pages.append([one.series for one in page.entries])
        if page.after is None:
            return pages
        after = place_from(page.after.text)


def test_series_that_were_told_within_ten_minutes_are_all_paged_and_in_their_order(counted: CountedTable) -> None:
    names = [f"{NASTY} {number * 37 % 60:02}" for number in range(60)]  # The index does not have them in this order.
    for number, name in enumerate(names):
        record(counted, "blog", watched("e", 40, NOON_MS + number, series=name), now_ms=NOON_MS + number)
    record(counted, "blog", watched("e", 40, NOON_MS - HOUR_MS, series="before"), now_ms=NOON_MS + 100)
    pages = paged(lambda after: recent(counted, "blog", "ann", limit=7, after=after))
    assert [name for page in pages for name in page] == [*reversed(names), "before"]
    assert {len(page) for page in pages[:-1]} == {7}


def test_of_more_series_than_are_put_in_order_none_is_lost(
    counted: CountedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_reading, "ORDERED_MAX", 8)
    names = [f"s{number:02}" for number in range(30)]
    for number, name in enumerate(names):
        record(counted, "blog", watched("e", 40, NOON_MS + number * 37 % 30, series=name), now_ms=NOON_MS + 100)
    record(counted, "blog", watched("e", 40, NOON_MS - HOUR_MS, series="before"), now_ms=NOON_MS + 100)
    pages = paged(lambda after: recent(counted, "blog", "ann", limit=3, after=after))
    seen = [name for page in pages for name in page]
    assert (sorted(seen[:-1]), seen[-1]) == (names, "before")


def test_what_goes_on_is_found_behind_much_that_is_finished(counted: CountedTable) -> None:
    for number in range(40):
        percent = 99 if number < 30 else 40
        at_ms = NOON_MS - number * HOUR_MS
        record(counted, "blog", watched(f"e{number}", percent, at_ms, series=f"s{number}"), now_ms=NOON_MS)
    counted.taken_calls()
    first = going_on(counted, "blog", "ann", limit=5, rule=USUAL_RULE)
    assert [one.series for one in first.entries] == [f"s{number}" for number in range(30, 35)]
    assert set(counted.taken_calls()) == {"query recent"}
    pages = paged(lambda after: going_on(counted, "blog", "ann", limit=5, rule=USUAL_RULE, after=after))
    assert [name for page in pages for name in page] == [f"s{number}" for number in range(30, 40)]


def test_a_question_looks_at_so_many_series_and_the_next_goes_on(
    counted: CountedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_reading, "LOOKED_AT_MAX", 6)
    for number in range(10):
        told = watched("e", 40 if number == 9 else 99, NOON_MS - number * HOUR_MS, series=f"s{number}")
        record(counted, "blog", told, now_ms=NOON_MS)
    pages = paged(lambda after: going_on(counted, "blog", "ann", limit=2, rule=USUAL_RULE, after=after))
    assert pages == [[], ["s9"]]


def test_a_hidden_series_stays_hidden_when_its_last_episode_is_removed(counted: CountedTable) -> None:
    for number in range(3):
        record(counted, "blog", watched(f"e{number}", 40, NOON_MS + number, series="s"), now_ms=NOON_MS + number)
    removing.hide(counted, "blog", "ann", series="s", now_ms=NOON_MS + 10)
    removing.remove_asset(counted, "blog", "ann", series="s", asset="e2", now_ms=NOON_MS + 11)
    last = latest_of(counted, "blog", "ann", series="s")
    assert last is not None
    assert (last.asset, last.is_hidden) == ("e1", True)
    assert recent(counted, "blog", "ann", limit=3).entries == []
    record(counted, "blog", watched("e1", 50, NOON_MS + 20, series="s"), now_ms=NOON_MS + 20)
    assert [one.asset for one in recent(counted, "blog", "ann", limit=3).entries] == ["e1"]
    removing.remove_asset(counted, "blog", "ann", series="s", asset="e1", now_ms=NOON_MS + 21)
    assert recent(counted, "blog", "ann", limit=3).entries == []  # What is left of it was hidden.
    assert removing.show(counted, "blog", "ann", series="s")
    assert [one.asset for one in recent(counted, "blog", "ann", limit=3).entries] == ["e0"]


def test_what_was_removed_does_not_come_back_by_a_late_device(counted: CountedTable) -> None:
    for number in range(3):
        record(counted, "blog", watched(f"e{number}", 40, NOON_MS + number, series="s"), now_ms=NOON_MS + number)
    removing.remove_asset(counted, "blog", "ann", series="s", asset="e2", now_ms=NOON_MS + 10)
    last = latest_of(counted, "blog", "ann", series="s")
    assert last is not None
    assert last.asset == "e1"
    assert [one.asset for one in recent(counted, "blog", "ann", limit=3).entries] == ["e1"]
    assert not record(counted, "blog", watched("e2", 60, NOON_MS + 9, series="s"), now_ms=NOON_MS + 11).is_newest
    assert_last_of_s(counted, "e1", NOON_MS + 1)
    removing.remove_asset(counted, "blog", "ann", series="s", asset="e0", now_ms=NOON_MS + 12)  # It is not the last.
    assert not record(counted, "blog", watched("e0", 60, NOON_MS + 9, series="s"), now_ms=NOON_MS + 13).is_newest
    assert_last_of_s(counted, "e1", NOON_MS + 1)
    # What was not removed is told, however late: also where a crash has left it between the two updates.
    assert record(counted, "blog", watched("e1", 60, NOON_MS + 8, series="s"), now_ms=NOON_MS + 14).is_newest
    assert_last_of_s(counted, "e1", NOON_MS + 8)
    removing.remove_series(counted, "blog", "ann", series="s", now_ms=NOON_MS + 20)
    assert all_of(counted, "blog", "ann", series="s") == []
    assert recent(counted, "blog", "ann", limit=3).entries == []
    assert latest_of(counted, "blog", "ann", series="s") is None
    assert record(counted, "blog", watched("e2", 60, NOON_MS + 21, series="s"), now_ms=NOON_MS + 21).is_newest
    assert [one.asset for one in all_of(counted, "blog", "ann", series="s")] == ["e2"]


def assert_last_of_s(table: CountedTable, asset: str, at_ms: int) -> None:
    last = latest_of(table, "blog", "ann", series="s")
    assert last is not None
    assert (last.asset, last.at_ms) == (asset, at_ms)
    assert [(one.asset, one.at_ms) for one in recent(table, "blog", "ann", limit=3).entries] == [(asset, at_ms)]
    assert [one.asset for one in going_on(table, "blog", "ann", limit=3, rule=USUAL_RULE).entries] == [asset]


def test_a_write_that_was_cut_short_before_a_removal_is_repaired_by_its_repetition(counted: CountedTable) -> None:
    for number in range(2):
        record(counted, "blog", watched(f"e{number}", 40, NOON_MS + number, series="s"), now_ms=NOON_MS + number)
    before = counted.get(keys.latest("blog", "ann", series="s"))
    assert before is not None
    record(counted, "blog", watched("e0", 50, NOON_MS + 5, series="s"), now_ms=NOON_MS + 5)
    counted.put(Put(keys.latest("blog", "ann", series="s"), before))  # As if only the first update had been made.
    removing.remove_asset(counted, "blog", "ann", series="s", asset="e9", now_ms=NOON_MS + 10)
    assert not record(counted, "blog", watched("e0", 50, NOON_MS + 5, series="s"), now_ms=NOON_MS + 11).is_newest
    assert_last_of_s(counted, "e0", NOON_MS + 5)


def test_many_assets_of_a_series_may_be_removed_and_its_item_stays_small(counted: CountedTable) -> None:
    for number in range(40):
        record(counted, "blog", watched(f"e{number}", 40, NOON_MS + number, series="s"), now_ms=NOON_MS + number)
    for number in range(1, 40):
        at_ms = NOON_MS + 100 + number
        removing.remove_asset(counted, "blog", "ann", series="s", asset=f"e{number}", now_ms=at_ms)
    for number in range(1, 40):
        late = watched(f"e{number}", 60, NOON_MS + 90, series="s")
        assert not record(counted, "blog", late, now_ms=NOON_MS + 200).is_newest
        assert_last_of_s(counted, "e0", NOON_MS)
    key = keys.latest("blog", "ann", series="s")
    item = counted.get(key)
    assert item is not None
    assert item_bytes(key, item) < 800  # A unit of writing is 1,024 bytes; ids may be longer than these.
    record(counted, "blog", watched("e3", 60, NOON_MS + 300, series="s"), now_ms=NOON_MS + 300)
    assert_last_of_s(counted, "e3", NOON_MS + 300)
    exported = [dict(row) for row in all_rows([removing.kept(counted, "blog", "ann")])]
    assert {name for row in exported for name in row} <= {
        "kind", "asset", "series", "at_ms", "position_ms", "duration_ms", "credits_ms", "ended", "device",
    }  # fmt: skip


def test_a_history_is_exported_whole_and_erased_whole(counted: CountedTable) -> None:
    for number in range(30):
        record(counted, "blog", watched(f"film {number}", 40, NOON_MS + number), now_ms=NOON_MS + number)
    record(counted, "blog", watched("film", 40, NOON_MS, member="bob"), now_ms=NOON_MS)
    lines = list(all_rows([removing.kept(counted, "blog", "ann")]))
    assert sum(line["kind"] == "episode" for line in lines) == 30
    assert {str(line["asset"]) for line in lines} == {f"film {number}" for number in range(30)}
    assert removing.erase_history(counted, "blog", "ann") == 60
    assert list(all_rows([removing.kept(counted, "blog", "ann")])) == []
    assert recent(counted, "blog", "ann", limit=9).entries == []
    assert len(list(all_rows([removing.kept(counted, "blog", "bob")]))) == 2


def test_next_up_needs_one_query_and_the_order_that_is_kept_once_for_all(counted: CountedTable) -> None:
    episodes = [f"e{number}" for number in range(5)]
    keep_episodes(counted, "blog", "s", episodes)
    record(counted, "blog", watched("e2", 99, NOON_MS, series="s"), now_ms=NOON_MS)
    record(counted, "blog", watched("e3", 40, NOON_MS + 1, series="s"), now_ms=NOON_MS + 1)
    counted.taken_calls()
    order = episodes_of(counted, "blog", "s")
    known = {entry.asset: entry for entry in all_of(counted, "blog", "ann", series="s")}
    assert counted.taken_calls() == ["get", "query"]
    assert next_up(order, known, rule=USUAL_RULE) == "e3"  # Not e0, the first that was not watched.
    assert next_up(order, known, rule=USUAL_RULE, skip_in_progress=True) == "e4"
    assert next_up(order, known, rule=USUAL_RULE, rewatching=True) is None
