"""Lists against a plain recount in dictionaries: members, order, counts, and what is said to be proven."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve.board import Board
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.shown import OTHERS
from footfall.flow.store.columns import Columns, CountKey, Slice, columns_from_counts, rows, screened_key
from footfall.flow.store.cutting import cut, most_missed
from footfall.flow.store.summaries import Summary
from footfall.values.period import DEFAULT_PERIODS, Period
from footfall.values.window import Grain, Window, moment_from_text, previous_window, window_of
from tests.flow.serve.counting import is_asked, plain_list, plain_totals

NOW = moment_from_text("2026-11-15T16:32:20Z")
HOURS = {"hours": Period("hours", count=3, grain=Grain.HOUR, cache_s=120)}


def windows(count: int, grain: Grain) -> list[Window]:
    """Return windows, the open one first."""
    found = [window_of(NOW, grain, "UTC")]
    while len(found) < count:
        found.append(previous_window(found[-1], "UTC"))
    return found


def board_of(columns: Sequence[Columns], *, periods: Mapping[str, Period], grain: Grain) -> Board:
    """Return a board of these windows, the open one first."""
    store = dict(zip(windows(len(columns), grain), columns, strict=True))

    def read(window: Window) -> list[Summary]:
        if window not in store:
            return []
        return [Summary(window, "s00", 1, {}, store[window], final=False, rules=1)]

    board = Board("abc", zone="UTC", periods=periods)
    board.refresh(read, now_ms=NOW, closed_until_ms=NOW, changed=())
    return board


def minutes_of(*counts: Mapping[CountKey, int]) -> Board:
    return board_of([columns_from_counts(one) for one in counts], periods=DEFAULT_PERIODS, grain=Grain.MINUTE)


def items_of(board: Board, query: PopularQuery) -> list[dict[str, Any]]:
    return msgspec.json.decode(popular(board, query).body)["items"]


def assets_of(board: Board, query: PopularQuery) -> list[str]:
    return [item["assetId"] for item in items_of(board, query)]


def test_an_answer_reads_as_promised() -> None:
    board = minutes_of({("132141398", "563", "article", "free"): 258, ("/å", "", "", ""): 2})
    answer = popular(board, PopularQuery("abc"))
    assert answer.body.decode() == (
        '{"brand":"abc","period":"justnow","from":"2026-11-15T16:27Z","to":"2026-11-15T16:33Z","exact":true,"items":['
        '{"rank":1,"change":null,"assetId":"132141398","hits":258,'
        '"sectionId":563,"resourceType":"article","paidType":"free"},'
        '{"rank":2,"change":null,"assetId":"/å","hits":2,"sectionId":null,"resourceType":null,"paidType":null}]}'
    )
    assert (answer.max_age_s, answer.exact) == (30, True)


def test_an_etag_changes_with_the_bytes_and_only_with_them() -> None:
    one, same, other = (minutes_of({("7", "", "", ""): hits}) for hits in (1, 1, 2))
    etags = [popular(board, PopularQuery("abc")).etag for board in (one, same, other)]
    assert etags[0] == etags[1] != etags[2]
    assert etags[0].startswith('"')
    assert etags[0].endswith('"')


def test_a_section_is_a_number_only_if_its_text_is_exactly_a_number() -> None:
    texts = ["563", "0", "0563", "-1", "1.0", "٣", str(2**53 - 1), str(2**53), "9" * 40, "news"]
    board = minutes_of({(str(at), text, "", ""): 1 for at, text in enumerate(texts)})
    shown = [item["sectionId"] for item in items_of(board, PopularQuery("abc"))]
    assert shown == [563, 0, "0563", "-1", "1.0", "٣", 2**53 - 1, str(2**53), "9" * 40, "news"]


def test_equal_hits_are_ordered_by_the_bytes_of_the_id() -> None:
    ids = ["10", "9", "100", "b", "B", "é", "a", "a\u0000", "01", "1", "~", str(2**63)]
    board = minutes_of({(one, "", "", ""): 5 for one in ids})
    assert assets_of(board, PopularQuery("abc")) == sorted(ids, key=str.encode)


def test_a_tie_of_many_at_the_limit_is_cut_by_id() -> None:
    ids = [f"https://www.example.com/news/2026/11/{number}" for number in range(4_000)]
    ids += [str(number) for number in range(95_000, 104_000)]
    random.Random(5).shuffle(ids)
    counts: dict[CountKey, int] = {(one, "", "", ""): 1 for one in ids}
    counts[("winner", "", "", "")] = 2
    board = minutes_of(counts)
    assert assets_of(board, PopularQuery("abc")) == ["winner", *sorted(ids, key=str.encode)[:99]]
    assert assets_of(board, PopularQuery("abc", limit=1)) == ["winner"]


def test_ids_that_came_later_find_their_place_in_a_tie() -> None:
    minute = window_of(NOW, Grain.MINUTE, "UTC")
    ids = [f"{number:07d}x" for number in range(0, 40_000, 10)]
    numbers = random.Random(6)
    board = Board("abc", zone="UTC", periods=DEFAULT_PERIODS)
    for new in (0, 3, 600, 200, 900):
        ids += [f"{numbers.randrange(40_000):07d}y{numbers.randrange(10**6)}" for _ in range(new)]
        columns = columns_from_counts({(one, "", "", ""): 1 for one in ids})
        found = {minute: [Summary(minute, "s00", 1, {}, columns, final=False, rules=1)]}
        board.refresh(
            lambda window, found=found: found.get(window, []), now_ms=NOW, closed_until_ms=0, changed=[minute]
        )
        assert assets_of(board, PopularQuery("abc")) == sorted(set(ids), key=str.encode)[:100]


def test_change_compares_with_the_list_one_window_earlier_whatever_the_limit() -> None:
    # The open minute makes the difference: without it the order was c, b, a, and d was not there.
    board = minutes_of(
        {("a", "", "", ""): 10, ("d", "", "", ""): 1},
        {("a", "", "", ""): 1, ("b", "", "", ""): 2, ("c", "", "", ""): 3},
    )
    changes = {item["assetId"]: item["change"] for item in items_of(board, PopularQuery("abc"))}
    assert changes == {"a": 2, "c": -1, "b": -1, "d": None}
    assert items_of(board, PopularQuery("abc", limit=1))[0]["change"] == 2


def test_an_asset_under_several_labels_is_one_entry_with_the_labels_of_its_largest_row() -> None:
    board = minutes_of(
        {("7", "1", "article", "free"): 5, ("7", "2", "video", "free"): 9, ("8", "1", "article", "free"): 13},
        {("7", "1", "article", "free"): 3, ("7", "3", "video", "free"): 8},
    )
    first, second = items_of(board, PopularQuery("abc"))
    assert (first["assetId"], first["hits"], first["sectionId"], first["resourceType"]) == ("7", 25, 2, "video")
    assert second["assetId"] == "8"
    only = items_of(board, PopularQuery("abc", sections=("1", "3")))
    assert [(item["assetId"], item["hits"], item["sectionId"]) for item in only] == [("7", 16, 1), ("8", 13, 1)]


def test_a_filter_that_matches_nothing_gives_an_empty_list_that_is_proven() -> None:
    answer = popular(minutes_of({("7", "1", "", ""): 5}), PopularQuery("abc", sections=("2",)))
    assert answer.exact
    assert msgspec.json.decode(answer.body)["items"] == []


def test_a_closed_list_has_the_same_bytes_for_the_same_revision() -> None:
    query = PopularQuery("abc", closed=True)
    bodies = {popular(minutes_of({}, {("7", "", "", ""): hits}), query).body for hits in (1, 2, 1, 3, 2)}
    assert len({msgspec.json.decode(body)["revision"] for body in bodies}) == len(bodies) == 3
    body = msgspec.json.decode(min(bodies))
    assert list(body) == ["brand", "period", "from", "to", "exact", "revision", "final", "items"]
    assert body["final"] is False


def test_two_ids_with_one_ident_are_told_apart() -> None:
    def coarse(encoded: bytes) -> int:
        return len(encoded)

    columns = [
        columns_from_counts({(one, "", "", ""): 3}, text_hash=coarse) for one in ("/one", "/two", "/one", "/three")
    ]
    board = board_of(columns, periods=DEFAULT_PERIODS, grain=Grain.MINUTE)
    answer = popular(board, PopularQuery("abc"))
    found = {item["assetId"]: (item["hits"], item["hitsAtMost"]) for item in msgspec.json.decode(answer.body)["items"]}
    assert not answer.exact
    # Which of the two came first is no matter of time: what counts is that nothing is added to the wrong one.
    assert found in ({"/one": (6, 9), "/three": (3, 6)}, {"/two": (3, 9), "/three": (3, 9)})


persons = st.tuples(
    st.sampled_from(["1", "2", "3", "10", "a", "b", "c", "d", "e", "f"]),
    st.sampled_from(["563", "563", "12"]),
    st.sampled_from(["", "", "article"]),
    st.just("free"),
)
# Half of all windows have persons only, so that both ways through a list are met.
screened = st.builds(screened_key, persons, st.sampled_from(["bot", "suspected", "ai"]))
counts_of_windows = st.sampled_from([persons, persons | screened]).flatmap(
    lambda keys: st.dictionaries(keys, st.integers(1, 6) | st.integers(20, 40), min_size=6, max_size=20)
)
# A window: its counts, how many rows of each slice are kept (0: all), and what of it found no row.
cut_windows = st.tuples(
    counts_of_windows,
    st.integers(0, 2),
    st.sampled_from(
        [
            dict[CountKey, int](),
            dict[CountKey, int](),
            {("9", "12", "", "free"): 1},
            {("9", "12", "", "free", "bot"): 1},
        ]
    ),
)
queries = st.builds(
    PopularQuery,
    brand=st.just("abc"),
    period=st.just("hours"),
    sections=st.sampled_from([(), ("563",), ("12", "563"), ("9",)]),
    resource_types=st.sampled_from([(), ("article",)]),
    limit=st.integers(1, 6),
    include=st.sampled_from([(), (), ("bot",), ("ai", "suspected"), OTHERS]),
    shows_suspected=st.booleans(),
)


def key_of(asset: str, labels: Slice) -> CountKey:
    return screened_key((asset, *labels[:3]), labels.label)


def plain_uncertainty(kept: Sequence[Columns], query: PopularQuery, asset: str | None) -> int:
    """Return how many hits an asset may have beside those of its rows, None being one that has no row anywhere."""
    total = 0
    for columns in kept:
        total += columns.other + (columns.other_screened if len(query.labels) > 1 else 0)
        if asset not in {row.asset for row in rows(columns)}:
            asked = [one for one in columns.cuts.per_slice if is_asked(key_of("", one), query)]
            total += most_missed(columns.cuts, asked)
    return total


def plain_is_exact(kept: Sequence[Columns], query: PopularQuery) -> bool:
    """Apply the rule word by word."""
    counts = Counter[CountKey]()
    for columns in kept:
        counts.update({key_of(row.asset, row.slice): row.hits for row in rows(columns)})
    listed = plain_list(counts, query, query.limit)
    unseen = plain_uncertainty(kept, query, None)
    if unseen == 0:
        return True
    if len(listed) < query.limit or unseen >= listed[-1][1]:
        return False
    if any(plain_uncertainty(kept, query, asset) for asset, _ in listed):
        return False
    unlisted = plain_totals(counts, query).keys() - dict(listed).keys()
    for asset in unlisted:
        uncertainty = plain_uncertainty(kept, query, asset)
        if uncertainty and plain_totals(counts, query)[asset] + uncertainty >= listed[-1][1]:
            return False
    return True


@given(st.lists(cut_windows, min_size=4, max_size=4), st.lists(queries, min_size=1, max_size=5))
def test_exact_means_proven_and_the_bounds_always_hold(
    made: list[tuple[dict[CountKey, int], int, dict[CountKey, int]]], asked: list[PopularQuery]
) -> None:
    truth = Counter[CountKey]()
    kept: list[Columns] = []
    for counts, keep, lost in made:
        truth.update(counts)
        truth.update(lost)
        columns = cut(columns_from_counts(counts), keep)
        without_row = columns_from_counts(lost)
        is_screened = any(one.label for one in without_row.slices)
        kept.append(replace(columns, **{"other_screened" if is_screened else "other": sum(lost.values())}))
    board = board_of(kept, periods=HOURS, grain=Grain.HOUR)
    for query in asked:
        answer = popular(board, query)
        items = msgspec.json.decode(answer.body)["items"]
        totals = plain_totals(truth, query)
        assert answer.exact == plain_is_exact(kept, query)
        if answer.exact:
            assert [(item["assetId"], item["hits"]) for item in items] == plain_list(truth, query, query.limit)
            assert all("hitsAtMost" not in item for item in items)
        else:
            assert all(item["hits"] <= totals[item["assetId"]] <= item["hitsAtMost"] for item in items)


def hours_cut_to_one(*counts: Mapping[tuple[str, str], int]) -> Board:
    """Return a board of hours in which each section keeps its highest row; a key is an asset and a section."""
    columns = [
        cut(columns_from_counts({(asset, section, "", ""): hits for (asset, section), hits in one.items()}), 1)
        for one in counts
    ]
    return board_of(columns, periods=HOURS, grain=Grain.HOUR)


def test_a_list_is_proven_when_what_was_cut_cannot_reach_it() -> None:
    board = hours_cut_to_one({("a", "x"): 9, ("b", "x"): 2}, {("a", "x"): 7, ("b", "x"): 6})
    assert popular(board, PopularQuery("abc", "hours", limit=1)).exact
    assert not popular(board, PopularQuery("abc", "hours", limit=2)).exact


def test_a_list_is_not_proven_when_an_unseen_asset_can_have_as_many_hits_as_its_last() -> None:
    board = hours_cut_to_one({("b", "x"): 2, ("c", "y"): 2, ("a", "x"): 1, ("a", "y"): 1})
    assert not popular(board, PopularQuery("abc", "hours", limit=2)).exact
    assert popular(board, PopularQuery("abc", "hours", sections=("x",), limit=1)).exact


def test_a_list_is_not_proven_when_a_listed_asset_is_missing_from_a_cut_window() -> None:
    board = hours_cut_to_one({("a", "x"): 9, ("b", "x"): 1}, {("c", "x"): 3, ("a", "x"): 2})
    answer = popular(board, PopularQuery("abc", "hours", limit=1))
    assert not answer.exact
    item = msgspec.json.decode(answer.body)["items"][0]
    assert (item["assetId"], item["hits"], item["hitsAtMost"]) == ("a", 9, 11)


def test_a_list_is_not_proven_when_an_asset_behind_it_may_have_caught_up() -> None:
    both = columns_from_counts({("b", "x", "", ""): 9, ("a", "x", "", ""): 10})
    lower = cut(columns_from_counts({("b", "x", "", ""): 9, ("a", "x", "", ""): 8}), 1)
    board = board_of([both, lower], periods=HOURS, grain=Grain.HOUR)
    answer = popular(board, PopularQuery("abc", "hours", limit=1))
    assert not answer.exact
    assert msgspec.json.decode(answer.body)["items"][0]["assetId"] == "b"


def test_no_asset_lost_more_than_the_most_that_any_one_lost() -> None:
    board = hours_cut_to_one({("a", "x"): 5, ("c", "y"): 5, ("b", "x"): 3, ("d", "y"): 3})
    assert popular(board, PopularQuery("abc", "hours", limit=2)).exact


def test_a_cut_that_reaches_kept_assets_makes_all_of_them_uncertain() -> None:
    columns = cut(columns_from_counts({("a", "", "", ""): 9, ("b", "", "", ""): 2}), 1)
    columns = replace(columns, cuts=replace(columns.cuts, reaches_kept=True))
    board = board_of([columns], periods=DEFAULT_PERIODS, grain=Grain.MINUTE)
    answer = popular(board, PopularQuery("abc", limit=1))
    assert not answer.exact
    assert msgspec.json.decode(answer.body)["items"][0]["hitsAtMost"] == 11


def test_how_long_a_filter_takes_that_was_never_asked_before() -> None:
    chance = np.random.default_rng(7)
    labels = [(str(section), kind, paid) for section in range(50) for kind in "abc" for paid in "xyz"]
    assets, drawn = 50_000, chance.integers(0, len(labels), 50_000).tolist()
    one = columns_from_counts({(str(10**8 + 7 * at), *labels[drawn[at]]): 1 for at in range(assets)})
    hours = [replace(one, hits=chance.zipf(1.5, assets).clip(max=10**6).astype(np.uint64)) for _ in range(25)]
    board = board_of(hours, periods=DEFAULT_PERIODS, grain=Grain.HOUR)
    choice = random.Random(8)
    took_ms: list[float] = []
    for _ in range(300):
        sections = {str(choice.randrange(50)) for _ in range(choice.choice([0, 1, 25]))}
        query = PopularQuery("abc", "day", sections=tuple(sorted(sections)), limit=choice.randrange(1, 101))
        started = perf_counter()
        answer = popular(board, query)
        took_ms.append((perf_counter() - started) * 1_000)
        assert answer.exact
    p50, p99 = np.percentile(took_ms, [50, 99])
    print(f"50,000 assets, 450 slices, 25 windows: p50 {p50:.2f} ms, p99 {p99:.2f} ms")
