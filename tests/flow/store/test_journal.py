"""The journal tells a reader what changed since it last looked, or that it cannot tell."""

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.store import keys
from footfall.flow.store.journal import KEPT_MS, WINDOWS_MAX, News, Touched, read_journal, write_journal
from footfall.ports.errors import Corrupt
from footfall.ports.table import Put
from footfall.values.clock import SetClock
from footfall.values.window import MINUTE_MS, Grain, Window

NOW_MS = 1_794_744_000_000


def touched(number: int, brand: str = "abc") -> Touched:
    start_ms = NOW_MS + number * MINUTE_MS
    return Touched(brand, Window(Grain.MINUTE, start_ms, start_ms + MINUTE_MS))


def table_with(*entries: list[Touched], clock: SetClock | None = None) -> SqliteTable:
    table = SqliteTable(":memory:", clock=clock or SetClock(NOW_MS))
    for number, windows in enumerate(entries, start=1):
        write_journal(table, 0, number, windows, now_ms=NOW_MS)
    return table


def test_a_reader_gets_each_window_once_in_order() -> None:
    table = table_with([touched(2), touched(1)], [touched(1, "xyz"), touched(1)], [])
    assert read_journal(table, 0, after=0, now_number=3) == News(3, [touched(1), touched(2), touched(1, "xyz")])
    assert read_journal(table, 0, after=1, now_number=2) == News(2, [touched(1), touched(1, "xyz")])
    assert read_journal(table, 0, after=2, now_number=3) == News(3, [])


def test_a_reader_that_is_up_to_date_reads_nothing() -> None:
    assert read_journal(table_with(), 0, after=7, now_number=7) == News(7, ())


def test_entries_after_the_checkpoint_that_was_read_are_left_for_later() -> None:
    table = table_with([touched(1)], [touched(2)])
    assert read_journal(table, 0, after=0, now_number=1) == News(1, [touched(1)])


def test_each_shard_has_its_own() -> None:
    table = table_with([touched(1)])
    assert not read_journal(table, 1, after=0, now_number=1).is_whole


@pytest.mark.parametrize(("after", "now_number"), [(0, 3), (5, 2)])
def test_a_reader_is_told_when_entries_are_missing_or_the_store_is_older_than_it(after: int, now_number: int) -> None:
    assert not read_journal(table_with([touched(1)], [touched(2)]), 0, after=after, now_number=now_number).is_whole


def test_entries_are_kept_for_an_hour() -> None:
    clock = SetClock(NOW_MS)
    table = table_with([touched(1)], clock=clock)
    clock.set(NOW_MS + KEPT_MS - 1)
    assert read_journal(table, 0, after=0, now_number=1).is_whole
    clock.advance(1)
    assert not read_journal(table, 0, after=0, now_number=1).is_whole


def test_more_windows_than_fit_are_not_listed_and_the_reader_is_told() -> None:
    brand = "b" * 64
    table = table_with([touched(number, brand) for number in range(WINDOWS_MAX)], [touched(1)])
    assert read_journal(table, 0, after=0, now_number=2).is_whole
    write_journal(table, 0, 3, [touched(number, brand) for number in range(WINDOWS_MAX + 1)], now_ms=NOW_MS)
    news = read_journal(table, 0, after=2, now_number=3)
    assert (len(news.touched), news.is_whole) == (WINDOWS_MAX, False)


@pytest.mark.parametrize("item", [{}, {"windows": "all"}, {"windows": [["abc", "M", "x", 1]]}])
def test_an_entry_that_makes_no_sense_is_said_to_be_corrupt(item: dict[str, object]) -> None:
    table = table_with()
    table.put(Put(keys.journal(0, 1), item))  # pyright: ignore[reportArgumentType]
    with pytest.raises(Corrupt, match="journal"):
        read_journal(table, 0, after=0, now_number=1)
