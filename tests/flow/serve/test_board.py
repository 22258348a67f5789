"""The board after any history answers as one that was built a moment ago, and both tell the truth."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.flow.serve.board import Board, BoardRules, NotReady
from footfall.flow.serve.loaded import BoardLimits
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import PopularQuery
from footfall.flow.store.retention import KeptFor
from footfall.flow.store.summaries import Summary
from footfall.ports.errors import Corrupt
from footfall.values.period import DEFAULT_PERIODS, Period
from footfall.values.window import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    SECOND_MS,
    Grain,
    Window,
    moment_from_text,
    next_window,
    previous_window,
    window_of,
)
from tests.flow.serve.counting import Counting, plain_labels, plain_list, plain_totals

NOW = moment_from_text("2026-11-15T16:32:20Z")
PASSED_MS = 35 * SECOND_MS
KATHMANDU = "Asia/Kathmandu"
SHORT = {
    "now": Period("now", count=3, grain=Grain.MINUTE, cache_s=30),
    "fives": Period("fives", count=2, grain=Grain.FIVE, cache_s=30),
    "hours": Period("hours", count=3, grain=Grain.HOUR, cache_s=120),
    "days": Period("days", count=2, grain=Grain.DAY, cache_s=300),
}
TWO_SHARDS = BoardRules(
    shards=frozenset({"s00", "s01"}),
    kept_ms={Grain.MINUTE: 6 * HOUR_MS, Grain.FIVE: 6 * HOUR_MS, Grain.HOUR: 60 * DAY_MS, Grain.DAY: 760 * DAY_MS},
)


def body_of(board: Board, query: PopularQuery) -> dict[str, Any]:
    return msgspec.json.decode(popular(board, query).body)


def board_of(counting: Counting, now_ms: int, periods: Mapping[str, Period] = SHORT) -> Board:
    board = Board("abc", zone=counting.zone, periods=periods, rules=TWO_SHARDS)
    board.refresh(counting.read, now_ms=now_ms, closed_until_ms=now_ms - PASSED_MS, changed=())
    return board


def require_true(counting: Counting, board: Board, query: PopularQuery) -> None:
    body = body_of(board, query)
    counts = counting.counts(from_ms=moment_from_text(body["from"]), to_ms=moment_from_text(body["to"]))
    truth = plain_totals(counts, query)
    listed = [(item["assetId"], item["hits"]) for item in body["items"]]
    if body["exact"]:
        assert listed == plain_list(counts, query, query.limit)
    for item in body["items"]:
        assert item["hits"] <= truth[item["assetId"]] <= item.get("hitsAtMost", item["hits"])
        if not counting.final:
            labels = plain_labels(counts, query, item["assetId"])
            assert (str(item["sectionId"] or ""), item["resourceType"] or "", item["paidType"] or "") == labels


keys = st.tuples(
    st.sampled_from(["1", "10", "9", "b", "ba", "story-7"]),
    st.sampled_from(["", "563", "12"]),
    st.sampled_from(["", "article"]),
    st.just("free"),
)
queries = st.builds(
    PopularQuery,
    brand=st.just("abc"),
    period=st.sampled_from(sorted(SHORT)),
    sections=st.sampled_from([(), ("563",), ("12", "563"), ("9",)]),
    resource_types=st.sampled_from([(), ("article",)]),
    limit=st.sampled_from([1, 2, 3, 100]),
    closed=st.booleans(),
)
steps = st.one_of(
    st.tuples(st.just("hit"), keys, st.integers(0, 2), st.integers(0, 1), st.integers(1, 5)),
    st.tuples(st.just("late"), keys, st.integers(3, 3_000), st.integers(0, 1), st.integers(1, 5)),
    st.tuples(st.just("wait"), st.sampled_from([10 * SECOND_MS, MINUTE_MS, 7 * MINUTE_MS, HOUR_MS, 30 * HOUR_MS])),
    st.tuples(st.just("build"), st.sampled_from([Grain.HOUR, Grain.DAY]), st.integers(0, 3), st.integers(0, 1)),
    st.tuples(st.just("fold")),
    st.tuples(st.just("finish"), st.integers(0, 2)),
    st.tuples(st.just("refresh")),
)


def act(counting: Counting, now_ms: int, step: tuple[Any, ...]) -> int:
    """Let one thing happen and return the moment after it."""
    match step:
        case ("hit" | "late", key, minutes, shard, hits):
            at_ms = now_ms - minutes * MINUTE_MS
            counting.hit(key, at_ms, shard=shard, hits=hits, is_late=step[0] == "late")
        case ("wait", wait_ms):
            now_ms += wait_ms
        case ("build", grain, back, shard):
            counting.build(window_back(window_of(now_ms, grain, counting.zone), back + 1, counting.zone), shard)
        case ("fold",):
            for window in list(counting.parts):
                counting.fold(window)
        case ("finish", keep):
            counting.finish_what_is_final(now_ms, keep=keep)
        case _:
            pass
    counting.build_what_is_due(now_ms, (0, 1))
    return now_ms


def window_back(window: Window, count: int, zone: str) -> Window:
    for _ in range(count):
        window = previous_window(window, zone)
    return window


@settings(max_examples=40)
@given(
    st.lists(steps, min_size=5, max_size=40),
    st.lists(queries, min_size=3, max_size=6),
    st.sampled_from(["UTC", KATHMANDU]),
)
def test_a_refreshed_board_answers_as_a_new_one_and_tells_the_truth(
    history: list[tuple[Any, ...]], asked: list[PopularQuery], zone: str
) -> None:
    counting = Counting(zone)
    now_ms = NOW
    board = board_of(counting, now_ms)
    for step in [*history, ("refresh",)]:
        now_ms = act(counting, now_ms, step)
        if step[0] == "refresh":
            changed = counting.take_changed()
            board.refresh(counting.read, now_ms=now_ms, closed_until_ms=now_ms - PASSED_MS, changed=changed)
            new = board_of(counting, now_ms)
            for query in asked:
                assert popular(board, query).body == popular(new, query).body
                require_true(counting, board, query)


def test_only_the_open_minute_is_read_again_when_only_it_has_changed() -> None:
    counting = Counting("UTC")
    for minutes in range(300):
        counting.hit(("1", "", "", ""), NOW - minutes * MINUTE_MS, shard=0, hits=1, is_late=False)
    board = board_of(counting, NOW, DEFAULT_PERIODS)
    counting.take_changed()
    counting.reads.clear()
    counting.hit(("1", "", "", ""), NOW, shard=0, hits=5, is_late=False)
    changed = counting.take_changed()
    assert board.refresh(counting.read, now_ms=NOW + 1_000, closed_until_ms=NOW - PASSED_MS, changed=changed)
    assert counting.reads == [window_of(NOW, Grain.MINUTE, "UTC")]
    assert body_of(board, PopularQuery("abc"))["items"][0]["hits"] == 11


def test_nothing_is_read_and_nothing_differs_when_nothing_has_changed() -> None:
    counting = Counting("UTC")
    counting.hit(("1", "", "", ""), NOW, shard=0, hits=1, is_late=False)
    board = board_of(counting, NOW)
    counting.reads.clear()
    assert not board.refresh(counting.read, now_ms=NOW + 1_000, closed_until_ms=NOW - PASSED_MS, changed=[])
    elsewhere = window_of(NOW - 90 * DAY_MS, Grain.MINUTE, "UTC")
    assert not board.refresh(counting.read, now_ms=NOW + 2_000, closed_until_ms=NOW - PASSED_MS, changed=[elsewhere])
    assert counting.reads == []


def test_a_new_minute_reads_only_windows_that_came_into_sight() -> None:
    counting = Counting("UTC")
    board = board_of(counting, NOW, DEFAULT_PERIODS)
    counting.reads.clear()
    assert board.refresh(counting.read, now_ms=NOW + MINUTE_MS, closed_until_ms=NOW, changed=[])
    assert len(counting.reads) <= 2


def test_an_hour_takes_the_place_of_its_minutes_shard_by_shard() -> None:
    counting = Counting("UTC")
    an_hour_ago = NOW - HOUR_MS
    for shard in (0, 1):
        counting.hit(("7", "", "", ""), an_hour_ago, shard=shard, hits=10, is_late=False)
    board = board_of(counting, NOW)
    query = PopularQuery("abc", "hours")
    for shard in (0, 1):
        counting.build(window_of(an_hour_ago, Grain.HOUR, "UTC"), shard)
        changed = counting.take_changed()
        board.refresh(counting.read, now_ms=NOW, closed_until_ms=NOW - PASSED_MS, changed=changed)
        assert body_of(board, query)["items"][0]["hits"] == 20


def test_an_hour_of_one_shard_is_not_added_to_final_minutes_that_have_its_hits() -> None:
    counting = Counting("UTC")
    an_hour_ago = NOW - HOUR_MS
    counting.hit(("7", "", "", ""), an_hour_ago, shard=0, hits=10, is_late=False)
    counting.build(window_of(an_hour_ago, Grain.HOUR, "UTC"), 0)
    counting.finish(window_of(an_hour_ago, Grain.MINUTE, "UTC"), keep=1)
    # The other shard may still have minutes, so they are looked at; but these have nothing of it.
    counting.hit(("8", "", "", ""), an_hour_ago + MINUTE_MS, shard=1, hits=4, is_late=False)
    items = body_of(board_of(counting, NOW), PopularQuery("abc", "hours"))["items"]
    assert [(item["assetId"], item["hits"]) for item in items] == [("7", 10), ("8", 4)]


def test_late_hits_of_an_hour_that_is_not_built_are_counted_once() -> None:
    counting = Counting("UTC")
    an_hour_ago = NOW - HOUR_MS
    counting.hit(("7", "", "", ""), an_hour_ago, shard=0, hits=5, is_late=False)
    counting.hit(("7", "", "", ""), an_hour_ago, shard=0, hits=10, is_late=True)
    counting.parts[window_of(an_hour_ago, Grain.HOUR, "UTC")] = {"s00#late": Counter({("7", "", "", ""): 10})}
    assert body_of(board_of(counting, NOW), PopularQuery("abc", "hours"))["items"][0]["hits"] == 15


def test_a_hit_a_little_ahead_of_the_clock_is_in_the_open_hour() -> None:
    counting = Counting("UTC")
    counting.hit(("7", "", "", ""), NOW + 4 * MINUTE_MS, shard=0, hits=3, is_late=False)
    assert body_of(board_of(counting, NOW), PopularQuery("abc", "hours"))["items"][0]["hits"] == 3


def test_a_closed_day_at_half_past_four_covers_yesterday_four_to_today_three() -> None:
    counting = Counting("UTC")
    hour = window_of(NOW, Grain.HOUR, "UTC")
    for back in range(26):
        counting.hit(("7", "", "", ""), hour.from_ms + MINUTE_MS, shard=0, hits=2**back, is_late=False)
        hour = previous_window(hour, "UTC")
    counting.build_what_is_due(NOW, (0, 1))
    board = board_of(counting, NOW, DEFAULT_PERIODS)
    body = body_of(board, PopularQuery("abc", "day", closed=True))
    assert (body["from"], body["to"]) == ("2026-11-14T16:00Z", "2026-11-15T16:00Z")
    assert body["items"][0]["hits"] == sum(2**back for back in range(1, 25))


def test_a_closed_list_waits_for_the_shards_and_not_for_the_clock() -> None:
    board = Board("abc", zone="UTC", periods=DEFAULT_PERIODS)
    board.refresh(lambda _: [], now_ms=NOW, closed_until_ms=NOW - 2 * HOUR_MS, changed=())
    assert body_of(board, PopularQuery("abc", "day", closed=True))["to"] == "2026-11-15T14:00Z"


def test_a_closed_list_can_be_asked_for_before_anything_was_closed() -> None:
    board = Board("abc", zone=KATHMANDU, periods=DEFAULT_PERIODS)
    board.refresh(lambda _: [], now_ms=NOW, closed_until_ms=0, changed=())
    assert body_of(board, PopularQuery("abc", "week", closed=True))["items"] == []


def test_hours_of_a_brand_in_kathmandu_start_at_a_quarter_past() -> None:
    board = board_of(Counting(KATHMANDU), NOW)
    body = body_of(board, PopularQuery("abc", "hours"))
    assert (body["from"], body["to"]) == ("2026-11-15T13:15Z", "2026-11-15T17:15Z")


def test_a_list_is_final_when_the_lateness_limit_has_passed_its_end() -> None:
    board = Board("abc", zone="UTC", periods=SHORT, rules=BoardRules(lateness_ms=MINUTE_MS))
    query = PopularQuery("abc", "fives", closed=True)
    board.refresh(lambda _: [], now_ms=NOW, closed_until_ms=moment_from_text("2026-11-15T16:30:59Z"), changed=())
    assert body_of(board, query)["final"] is False
    assert board.refresh(lambda _: [], now_ms=NOW, closed_until_ms=moment_from_text("2026-11-15T16:31Z"), changed=())
    assert body_of(board, query)["final"] is True


def test_a_board_that_was_never_refreshed_says_so() -> None:
    with pytest.raises(NotReady, match="abc"):
        popular(Board("abc", zone="UTC", periods=SHORT), PopularQuery("abc", "now"))


def test_a_read_that_fails_leaves_the_old_answers_and_the_next_refresh_catches_up() -> None:
    counting = Counting("UTC")
    counting.hit(("7", "", "", ""), NOW, shard=0, hits=1, is_late=False)
    board = board_of(counting, NOW)
    before = popular(board, PopularQuery("abc", "now")).body
    counting.take_changed()
    later = NOW + MINUTE_MS
    counting.hit(("7", "", "", ""), later, shard=0, hits=2, is_late=False)
    counting.hit(("7", "", "", ""), NOW, shard=1, hits=2, is_late=False)
    changed = counting.take_changed()

    def failing(window: Window) -> list[Summary]:
        if window == window_of(later, Grain.MINUTE, "UTC"):
            raise Corrupt("blocks are missing")
        return counting.read(window)

    with pytest.raises(Corrupt):
        board.refresh(failing, now_ms=later, closed_until_ms=NOW, changed=changed)
    assert popular(board, PopularQuery("abc", "now")).body == before
    assert board.refresh(counting.read, now_ms=later, closed_until_ms=NOW, changed=changed)
    assert body_of(board, PopularQuery("abc", "now"))["items"][0]["hits"] == 5


def test_rows_that_nobody_has_any_more_are_forgotten() -> None:
    counting = Counting("UTC")
    for number in range(5_000):
        counting.hit((str(number), str(number % 40), "", ""), NOW, shard=0, hits=1, is_late=False)
    board = board_of(counting, NOW)
    later = NOW + 5 * DAY_MS
    counting.hit(("7", "new", "", ""), later, shard=0, hits=1, is_late=False)
    board.refresh(counting.read, now_ms=later, closed_until_ms=later - PASSED_MS, changed=counting.take_changed())
    assert (board.directory.rows, board.directory.assets, len(board.directory.slices)) == (1, 1, 1)
    assert body_of(board, PopularQuery("abc", "days"))["items"][0]["sectionId"] == "new"


def test_memory_is_bounded_whatever_is_sent_and_the_lists_say_that_they_are_not_proven() -> None:
    limits = BoardLimits(window_rows_max=16_000, rows_max=20_000, distinct_rows_max=12_000, text_bytes_max=200_000)
    counting = Counting("UTC")
    minute = window_of(NOW, Grain.MINUTE, "UTC")
    for at in range(4):
        for number in range(5_000):
            hits = 1_000 if number < 10 else 1 + number % 3
            key = (f"{'flood' if number >= 10 else 'story'}-{number + at * 5_000 * (number >= 10)}", "", "", "")
            counting.hit(key, minute.from_ms, shard=0, hits=hits, is_late=False)
        minute = next_window(minute, "UTC")
    board = Board("abc", zone="UTC", periods=SHORT, rules=BoardRules(limits=limits))
    board.refresh(counting.read, now_ms=minute.from_ms, closed_until_ms=NOW, changed=())
    assert board.directory.rows <= limits.distinct_rows_max
    assert board.directory.text_bytes <= limits.text_bytes_max
    body = body_of(board, PopularQuery("abc", "hours", limit=10))
    assert [item["hits"] for item in body["items"]] == [4_000] * 10
    assert body["exact"]
    body = body_of(board, PopularQuery("abc", "hours", limit=100))
    assert not body["exact"]
    for query in (PopularQuery("abc", "hours"), PopularQuery("abc", "now", limit=3)):
        require_true(counting, board, query)


def test_long_ids_are_bounded_as_well() -> None:
    limits = BoardLimits(window_rows_max=4_000, text_bytes_max=1_000_000)
    counting = Counting("UTC")
    for number in range(12_000):
        key = (f"{number:0200d}", "", "", "")
        counting.hit(key, NOW - number % 20 * MINUTE_MS, shard=0, hits=1 + number % 7, is_late=False)
    board = Board("abc", zone="UTC", periods=SHORT, rules=BoardRules(limits=limits))
    board.refresh(counting.read, now_ms=NOW, closed_until_ms=NOW, changed=())
    assert 0 < board.directory.text_bytes <= limits.text_bytes_max
    require_true(counting, board, PopularQuery("abc", "hours"))


def test_a_closed_list_that_was_never_made_waits_when_reading_fails() -> None:
    board = board_of(Counting("UTC"), NOW)

    def failing(window: Window) -> list[Summary]:
        raise Corrupt(f"blocks of {window} are missing")

    with pytest.raises(Corrupt):
        board.refresh(failing, now_ms=NOW + DAY_MS, closed_until_ms=NOW + DAY_MS, changed=())
    assert body_of(board, PopularQuery("abc", "now"))["items"] == []
    with pytest.raises(NotReady):
        popular(board, PopularQuery("abc", "now", closed=True))


def long_board(*, kept_days: int, history: tuple[KeptFor, ...] = ()) -> Board:
    """Return a board of eight days by the hour with a hit in each of the last three, on a store that keeps so many."""
    counting = Counting("UTC")
    for hours in range(72):
        counting.hit(("7", "1", "", ""), NOW - hours * HOUR_MS, shard=0, hits=1, is_late=False)
    counting.build_what_is_due(NOW, (0,))
    rules = BoardRules(kept_ms={**TWO_SHARDS.kept_ms, Grain.HOUR: kept_days * DAY_MS})
    board = Board(
        "abc", zone="UTC", periods={"long": Period("long", count=192, grain=Grain.HOUR, cache_s=60)}, rules=rules
    )
    board.keep_in_mind(history)
    board.refresh(counting.read, now_ms=NOW, closed_until_ms=NOW, changed=())
    return board


def test_a_period_longer_than_windows_are_kept_is_not_said_to_be_exact() -> None:
    body = body_of(long_board(kept_days=5), PopularQuery("abc", "long"))
    assert body["exact"] is False
    assert moment_from_text(body["keptSince"]) == window_of(NOW - 5 * DAY_MS, Grain.HOUR, "UTC").from_ms
    assert "hitsAtMost" not in body["items"][0]
    assert body["items"][0]["change"] is None  # What it would be compared with is gone as well.
    body = body_of(long_board(kept_days=20), PopularQuery("abc", "long"))
    assert (body["exact"], "keptSince" in body, body["items"][0]["change"]) == (True, False, 0)


def test_windows_that_expired_before_they_were_kept_for_longer_are_not_taken_for_empty() -> None:
    lately, long_ago = (
        (KeptFor(0, dict.fromkeys(Grain, 4 * DAY_MS)), KeptFor(NOW - ago * DAY_MS, dict.fromkeys(Grain, 90 * DAY_MS)))
        for ago in (1, 80)
    )
    assert not body_of(long_board(kept_days=90, history=lately), PopularQuery("abc", "long"))["exact"]
    assert body_of(long_board(kept_days=90, history=long_ago), PopularQuery("abc", "long"))["exact"]
