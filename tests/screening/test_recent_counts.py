"""Counts of what came lately stay within their room, and what keeps coming is not driven out."""

from footfall.screening.recent_counts import RecentCounts

MINUTE_MS = 60_000


def test_a_key_is_counted_within_its_window_and_anew_in_the_next() -> None:
    counts = RecentCounts(window_ms=MINUTE_MS, entries_max=10)
    assert [counts.add(1, now_ms=at_ms) for at_ms in (0, 1, 59_999, 60_000)] == [1, 2, 3, 1]
    assert counts.add(1, now_ms=60_001, times=5) == 6


def test_a_flood_of_keys_takes_no_more_room_and_drives_out_nobody_who_keeps_coming() -> None:
    counts = RecentCounts(window_ms=MINUTE_MS, entries_max=100)
    seen = 0
    for number in range(20_000):
        counts.add(number + 10, now_ms=number % MINUTE_MS)
        if number % 20 == 0:
            seen = counts.add(1, now_ms=number % MINUTE_MS)
        assert len(counts) <= 101
    assert seen == 1_000


def test_a_flood_in_which_everybody_comes_often_takes_no_more_room_either() -> None:
    counts = RecentCounts(window_ms=MINUTE_MS, entries_max=100)
    for number in range(5_000):
        counts.add(number, now_ms=0, times=1_000)
    assert len(counts) <= 101
