"""What a change of the follow graph becomes in the stream, and what is not in there."""

from collections import Counter

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.audience import keys
from footfall.audience.follow_feed import CHANGES_MAX, MARK_NAME, marked_entries, named_entries
from footfall.audience.things import ID_BYTES_MAX, Thing
from footfall.flow.count.recount import Asked, Done
from footfall.flow.stream.records import pack_from_record
from footfall.ports.changes import Change
from footfall.ports.stream import RECORD_BYTES_MAX
from footfall.ports.table import Key
from footfall.values.clock import SetClock
from footfall.values.groups import follows_name, unfollows_name
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain
from tests.audience.followed_windows import by_window, followed, in_all

NOON_MS = 1_794_744_000_000
MEMBER, DARK = Thing("member", "jane"), Thing("series", "dark")


def came(place: int, *, at_ms: int = NOON_MS, follower: Thing = MEMBER, target: Thing = DARK) -> Change:
    key = keys.follow("abc", follower, target)
    item = {"to": keys.followers("abc", target, 0), "at_us": at_ms * 1_000 + 417}
    return Change(place, place.to_bytes(16, "big"), key, at_ms + 5, item)


def went(place: int, *, at_ms: int = NOON_MS, follower: Thing = MEMBER, target: Thing = DARK) -> Change:
    return Change(place, place.to_bytes(16, "big"), keys.follow("abc", follower, target), at_ms, None)


def test_a_follow_is_counted_at_its_own_moment_and_an_unfollow_at_that_of_the_change() -> None:
    follow, unfollow = named_entries([came(1), went(2, at_ms=NOON_MS + 9)], shards=1, arrived_at_ms=NOON_MS + 900)
    assert (follow.group, unfollow.group) == ("abc~follows", "abc~unfollows")
    packs = [pack_from_record(entry.data) for entry in (follow, unfollow)]
    assert [pack.keys for pack in packs] == [[("series", "series", "member", "")]] * 2
    assert [pack.at_ms for pack in packs] == [[NOON_MS], [NOON_MS + 9]]
    assert follow.ids == ((0, (1).to_bytes(16, "big")),)
    assert (follow.weight, follow.mark, follow.arrived_at_ms) == (1, None, NOON_MS + 900)
    assert b"jane" not in follow.data + unfollow.data
    assert b"dark" not in follow.data + unfollow.data


def test_a_moment_that_is_ahead_of_the_relays_clock_is_taken_as_now() -> None:
    (entry,) = named_entries([came(1, at_ms=NOON_MS + DAY_MS)], shards=1, arrived_at_ms=NOON_MS)
    assert pack_from_record(entry.data).at_ms == [NOON_MS]


def test_a_follow_that_somebody_wrote_without_a_moment_is_counted_when_it_came() -> None:
    bare = Change(1, b"x" * 16, keys.follow("abc", MEMBER, DARK), NOON_MS - 7, {})
    (entry,) = named_entries([bare], shards=1, arrived_at_ms=NOON_MS)
    assert pack_from_record(entry.data).at_ms == [NOON_MS - 7]


def test_a_kind_is_spread_over_all_shards_and_an_edge_has_one_of_them() -> None:
    edges = [Thing("series", f"{number}") for number in range(40)]
    entries = named_entries([came(place, target=one) for place, one in enumerate(edges)], shards=4, arrived_at_ms=1)
    assert sorted(entry.shard for entry in entries) == [0, 1, 2, 3]
    for one in edges[:8]:
        again = named_entries([came(1, target=one), came(2, target=one)], shards=4, arrived_at_ms=1)
        assert [entry.weight for entry in again] == [2]


def test_all_entries_are_parts_of_one_step_of_the_mark() -> None:
    changes = [came(place, target=Thing("series", f"{place % 7}")) for place in range(1, 60)]
    entries = marked_entries(changes, begins=3, shards=4, arrived_at_ms=NOON_MS)
    marks = [entry.mark for entry in entries if entry.mark is not None]
    assert [(one.name, one.begins, one.ends, one.part) for one in marks] == [
        (MARK_NAME, 3, 59, part) for part in range(len(entries))
    ]
    assert all(entry.ids == () for entry in entries)


def test_changes_that_are_no_follows_move_the_mark_and_store_nothing() -> None:
    other = Change(9, b"x" * 16, Key("abc#q#member:1", "series:dark"), NOON_MS, None)
    clock = SetClock(NOON_MS)
    stream = SqliteStream(":memory:", clock=clock)
    stream.append(marked_entries([other], begins=0, shards=1, arrived_at_ms=NOON_MS))
    assert (stream.mark(MARK_NAME), stream.tip(0)) == (9, 0)
    assert named_entries([other], shards=1, arrived_at_ms=NOON_MS) == []


def test_the_largest_kinds_fit_into_a_record() -> None:
    names = [Thing("k" * 32, f"{number:04}" + "é" * ((ID_BYTES_MAX - 4) // 2)) for number in range(CHANGES_MAX)]
    changes = [came(number + 1, target=name) for number, name in enumerate(names)]
    for entries in (
        marked_entries(changes, begins=0, shards=1, arrived_at_ms=NOON_MS),
        named_entries(changes, shards=1, arrived_at_ms=NOON_MS),
    ):
        (entry,) = entries
        assert len(entry.data) + 16 * len(entry.ids) < RECORD_BYTES_MAX


def counting_of(clock: SetClock, shards: int = 1) -> tuple[SqliteStream, SqliteTable, Counting]:
    stream = SqliteStream(":memory:", clock=clock, shards=shards)
    store = SqliteTable(":memory:", clock=clock)
    return stream, store, Counting(Settings(stream_shards=shards), stream, store, clock=clock)


def test_what_waited_for_days_is_counted_at_its_own_time_and_is_not_late() -> None:
    clock = SetClock(NOON_MS + 3 * DAY_MS)
    stream, store, counting = counting_of(clock)
    stream.append(marked_entries([came(1), came(2), went(3)], begins=0, shards=1, arrived_at_ms=clock.now_ms()))
    counting.drain()
    lines = counting.workers[0].checkpoint.lines
    assert (lines["abc~follows"].counted, lines["abc~unfollows"].counted) == (2, 1)
    assert lines["abc~follows"].late == 0
    ends_ms = NOON_MS + MINUTE_MS
    hour = by_window(store, clock, follows_name("abc"), from_ms=NOON_MS, to_ms=ends_ms, grain=Grain.HOUR)
    assert in_all(hour) == {followed(MEMBER, DARK): 2}


def test_hours_and_days_of_follows_are_built_of_their_minutes() -> None:
    clock = SetClock(NOON_MS)
    stream, store, counting = counting_of(clock)
    expected: Counter[int] = Counter()
    mark = 0
    for minute in range(0, 26 * 60, 7):
        clock.set(NOON_MS + minute * MINUTE_MS)
        changes = [came(mark + 1, at_ms=clock.now_ms()), went(mark + 2, at_ms=clock.now_ms())]
        stream.append(marked_entries(changes, begins=mark, shards=1, arrived_at_ms=clock.now_ms()))
        mark += 2
        expected[clock.now_ms() // HOUR_MS * HOUR_MS] += 1
    clock.advance(2 * HOUR_MS)
    counting.drain()
    for _ in range(2_000):
        if not counting.step():
            break
    for name in (follows_name("abc"), unfollows_name("abc")):
        hours = by_window(store, clock, name, from_ms=NOON_MS, to_ms=clock.now_ms(), grain=Grain.HOUR)
        assert {at: count for (at, _), count in hours.items()} == expected
        first = NOON_MS // DAY_MS * DAY_MS
        days = by_window(store, clock, name, from_ms=first, to_ms=first + DAY_MS, grain=Grain.DAY)
        assert days.total() == sum(count for at, count in expected.items() if at < first + DAY_MS)


def test_counting_a_brand_again_leaves_its_follows_as_they_are() -> None:
    clock = SetClock(NOON_MS)
    stream, store, counting = counting_of(clock)
    stream.append(marked_entries([came(1), came(2), went(3)], begins=0, shards=1, arrived_at_ms=NOON_MS))
    counting.drain()

    def minutes() -> list[int]:
        names = (follows_name("abc"), unfollows_name("abc"))
        return [by_window(store, clock, one, from_ms=NOON_MS, to_ms=NOON_MS + MINUTE_MS).total() for one in names]

    assert minutes() == [2, 1]
    clock.advance(2 * HOUR_MS)
    counting.begin_recount(Asked("abc", NOON_MS - HOUR_MS, NOON_MS + HOUR_MS))
    while not isinstance(done := counting.recount_step(), Done):
        pass
    assert (done.hits, done.changed) == (0, 0)
    assert minutes() == [2, 1]
