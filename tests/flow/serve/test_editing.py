"""An edited list is the plain list with the acts applied: nothing else of it changes, and what was done can be seen."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog import keys
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.edits import Hidden, Pin
from footfall.flow.serve.editing import arranged
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.words import ACTS_KNOWN_MS, Words
from footfall.flow.store.columns import CountKey, columns_from_counts
from footfall.flow.store.cutting import cut
from footfall.ports.table import Delete
from footfall.values.clock import SetClock
from footfall.values.window import Grain
from tests.flow.serve.test_popular import HOURS, board_of, minutes_of

NOW_MS = 1_794_744_000_000
COUNTS: dict[CountKey, int] = {
    ("a", "563", "article", "free"): 9,
    ("b", "563", "article", "free"): 8,
    ("c", "12", "video", "paid"): 7,
    ("d", "12", "video", "paid"): 7,
    ("e", "563", "video", "free"): 5,
}

Item = dict[str, Any]


def pin(asset: str, place: int, *, at_ms: int = NOW_MS, sections: tuple[str, ...] = (), **more: Any) -> Pin:
    return Pin(asset=asset, place=place, by="key", at_ms=at_ms, sections=sections, **more)


def hide(asset: str, until_ms: int | None = None) -> Hidden:
    return Hidden(asset=asset, by="key", at_ms=NOW_MS, until_ms=until_ms)


def words_of(acts: Sequence[Pin | Hidden], assets: Sequence[Asset] = (), clock: SetClock | None = None) -> Words:
    clock = clock or SetClock(NOW_MS)
    catalogue = Catalogue(SqliteTable(":memory:", clock=clock), clock)
    catalogue.put("abc", assets)
    for act in acts:
        catalogue.edits.put("abc", act)
    return Words(lambda: catalogue, now_ms=clock.now_ms)


def body(words: Words, counts: dict[CountKey, int] | None = None, **asked: Any) -> dict[str, Any]:
    return msgspec.json.decode(popular(minutes_of(counts or COUNTS), PopularQuery("abc", **asked), words).body)


def names(words: Words, **asked: Any) -> list[str]:
    return [item["assetId"] for item in body(words, **asked)["items"]]


def test_a_pinned_asset_stands_at_its_place_with_its_rank_and_hits() -> None:
    found = body(words_of([pin("e", 2)]))
    assert [item["assetId"] for item in found["items"]] == ["a", "e", "b", "c", "d"]
    assert [item["rank"] for item in found["items"]] == [1, 5, 2, 3, 4]
    assert [item.get("pinned") for item in found["items"]] == [None, True, None, None, None]
    assert "hidden" not in found
    assert found["exact"]


def test_a_hidden_asset_is_left_out_and_its_rank_is_missing() -> None:
    found = body(words_of([hide("b")]), limit=3)
    assert [(item["rank"], item["assetId"]) for item in found["items"]] == [(1, "a"), (3, "c"), (4, "d")]
    assert found["hidden"] == 1


def test_a_hidden_asset_further_down_changes_nothing() -> None:
    words = words_of([hide("e")])
    assert body(words, limit=3) == body(words, limit=3, edited=False)


def test_the_list_as_counted_is_the_list_of_a_brand_without_edits() -> None:
    words = words_of([hide("a"), pin("e", 1), pin("nobody", 2)])
    assert body(words, edited=False) == body(words_of([]))


def test_of_a_pinned_and_hidden_asset_nothing_is_shown() -> None:
    assert names(words_of([hide("a"), pin("a", 1)])) == ["b", "c", "d", "e"]


def test_of_two_pins_at_one_place_the_later_comes_first() -> None:
    words = words_of([pin("d", 1, at_ms=NOW_MS - 1), pin("e", 1)])
    assert names(words) == ["e", "d", "a", "b", "c"]


def test_a_short_list_has_the_first_places_of_a_long_one() -> None:
    words = words_of([pin("a", 3), pin("e", 1), hide("c")])
    whole = names(words)
    assert whole == ["e", "b", "a", "d"]
    assert [names(words, limit=limit) for limit in (1, 2, 3)] == [whole[:1], whole[:2], whole[:3]]


def test_a_pin_beyond_the_end_comes_last() -> None:
    assert names(words_of([pin("a", 50)])) == ["b", "c", "d", "e", "a"]


def test_a_pinned_asset_that_nobody_came_to_shows_what_the_catalogue_knows() -> None:
    known = Asset("new", title="New", section="563", resource_type="article")
    first = body(words_of([pin("new", 1)], [known]))["items"][0]
    assert first == {
        "rank": None,
        "change": None,
        "assetId": "new",
        "hits": 0,
        "sectionId": 563,
        "resourceType": "article",
        "paidType": None,
        "title": "New",
        "pinned": True,
    }


def test_a_question_s_filters_hold_for_pins() -> None:
    words = words_of([pin("c", 1), pin("new", 2)], [Asset("new", resource_type="video")])
    assert names(words, resource_types=("article",)) == ["a", "b"]
    assert names(words, resource_types=("video",)) == ["c", "new", "d", "e"]
    assert names(words, exclude=("c",)) == ["a", "new", "b", "d", "e"]
    assert names(words, sections=("563",)) == ["a", "b", "e"]


def test_a_pin_for_a_section_stands_in_its_lists_only_be_it_of_another() -> None:
    words = words_of([pin("c", 1, sections=("563", "9"))])
    assert names(words) == ["a", "b", "c", "d", "e"]
    found = body(words, sections=("563",))["items"]
    assert [item["assetId"] for item in found] == ["c", "a", "b", "e"]
    assert (found[0]["rank"], found[0]["hits"], found[0]["sectionId"]) == (None, 0, 12)


def test_a_pin_for_a_period_stands_in_its_lists_only() -> None:
    assert names(words_of([pin("e", 1, periods=("week",))])) == ["a", "b", "c", "d", "e"]
    assert names(words_of([pin("e", 1, periods=("day", "justnow"))]))[0] == "e"


def test_an_act_that_has_ended_is_not_there_and_the_mark_tells() -> None:
    clock = SetClock(NOW_MS)
    words = words_of([hide("a", until_ms=NOW_MS + 5), pin("e", 1, until_ms=NOW_MS + 9)], clock=clock)
    assert names(words) == ["e", "b", "c", "d"]
    words.look("abc")
    marks = {words.mark("abc")}
    clock.advance(5)
    assert names(words) == ["e", "a", "b", "c", "d"]
    marks.add(words.mark("abc"))
    clock.advance(4)
    assert names(words) == ["a", "b", "c", "d", "e"]
    assert len(marks | {words.mark("abc")}) == 3


def test_an_act_that_nobody_told_of_is_found_in_a_minute() -> None:
    clock = SetClock(NOW_MS)
    table = SqliteTable(":memory:", clock=clock)
    catalogue = Catalogue(table, clock)
    catalogue.edits.put("abc", pin("e", 1))
    words = Words(lambda: catalogue, now_ms=clock.now_ms)
    assert names(words)[0] == "e"
    mark = words.mark("abc")
    table.delete(Delete(keys.pin("abc", "e")))  # as by a writer that died before it told
    clock.advance(ACTS_KNOWN_MS - 1)
    words.look("abc")
    assert words.mark("abc") == mark
    clock.advance(1)
    words.look("abc")
    assert names(words)[0] == "a"
    assert words.mark("abc") != mark


def test_a_pin_from_below_a_cut_makes_the_list_say_what_is_not_proven() -> None:
    counts: dict[CountKey, int] = {(f"a{number:03}", "563", "article", "free"): 300 - number for number in range(40)}
    columns = cut(columns_from_counts(counts), 10)
    board = board_of([columns, columns], periods=HOURS, grain=Grain.HOUR)
    words = words_of([pin("a030", 1)])
    plain = msgspec.json.decode(popular(board, PopularQuery("abc", period="hours", limit=3, edited=False), words).body)
    assert plain["exact"]
    found = msgspec.json.decode(popular(board, PopularQuery("abc", period="hours", limit=3), words).body)
    assert not found["exact"]
    assert found["items"][0]["hits"] <= 2 * 270 <= found["items"][0]["hitsAtMost"]


acts = st.lists(
    st.one_of(
        st.builds(
            pin,
            st.sampled_from([f"a{number}" for number in range(15)]),
            st.integers(1, 12),
            at_ms=st.integers(1, 3),
            sections=st.sampled_from([(), ("0",), ("1", "0"), ("2",)]),
        ),
        st.builds(hide, st.sampled_from([f"a{number}" for number in range(15)])),
    ),
    max_size=12,
)


@given(
    hits=st.lists(st.integers(0, 6), min_size=12, max_size=12),
    acts=acts,
    limit=st.integers(1, 14),
    sections=st.sampled_from([(), ("0",), ("1", "2")]),
)
def test_an_edited_list_is_the_plain_list_with_the_acts_applied(
    hits: list[int], acts: list[Pin | Hidden], limit: int, sections: tuple[str, ...]
) -> None:
    counts: dict[CountKey, int] = {
        (f"a{number}", str(number % 3), "article", ""): one for number, one in enumerate(hits) if one
    }
    counts[("z", "0", "", "")] = 1
    words = words_of(acts)
    plain: list[Item] = body(words, counts, limit=100, sections=sections, edited=False)["items"]
    found = body(words, counts, limit=limit, sections=sections)
    hidden = {one.asset for one in acts if isinstance(one, Hidden)}
    pins = meant({one.asset: one for one in acts if isinstance(one, Pin)}, hidden, plain, sections)
    expected = applied([item["assetId"] for item in plain], [one for one in pins if one.asset not in hidden], hidden)
    by_name = {item["assetId"]: item for item in plain}
    pinned = {one.asset for one in pins}
    assert [item["assetId"] for item in found["items"]] == expected[:limit]
    for item in found["items"]:
        assert item.pop("pinned", False) == (item["assetId"] in pinned)
        if item["assetId"] in by_name:
            assert item == by_name[item["assetId"]]
        else:
            assert (item["rank"], item["hits"]) == (None, 0)
    if not pins:
        last = by_name[expected[:limit][-1]]["rank"] if len(expected) >= limit else len(plain) + 1
        assert found.get("hidden", 0) == sum(item["rank"] < last for item in plain if item["assetId"] in hidden)


def meant(pins: dict[str, Pin], hidden: set[str], plain: list[Item], sections: tuple[str, ...]) -> list[Pin]:
    """Return the pins that belong on the list, in the order in which they are put in."""
    counted = {item["assetId"] for item in plain}
    chosen = [
        one
        for one in pins.values()
        if one.asset not in hidden
        and (set(one.sections) & set(sections) if one.sections else not sections or one.asset in counted)
    ]
    return sorted(chosen, key=lambda one: (one.place, -one.at_ms, one.asset))


def applied(plain: list[str], pins: list[Pin], hidden: set[str]) -> list[str]:
    """Return the list with each pin put in at its place, after those that were put in before it."""
    names = [name for name in plain if name not in hidden and name not in {one.asset for one in pins}]
    least = 0
    for one in pins:
        place = min(max(one.place - 1, least), len(names))
        names.insert(place, one.asset)
        least = place + 1
    return names


@pytest.mark.parametrize(
    ("counted", "is_all", "expected"),
    [
        (["h", "x", "y"], True, (["x", "p"], 1)),
        (["x", "h", "y"], True, (["x", "p"], 0)),
        (["h"], False, ([], 1)),
        (["h"], True, (["p"], 1)),
        (["x", "p"], True, (["x", "p"], 0)),
    ],
)
def test_what_is_passed_over_is_counted_up_to_the_last_entry(
    counted: list[str], is_all: bool, expected: tuple[list[str], int]
) -> None:
    assert arranged(counted, [(2, "p")], frozenset({"h"}), limit=2, is_all=is_all) == expected
