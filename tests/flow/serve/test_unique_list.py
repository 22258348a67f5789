"""The assets with the most visitors are those of a plain count over all assets, however few of them were looked at."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve import unique_candidates as module
from footfall.flow.serve.query import PopularQuery
from footfall.flow.store.columns import CountKey
from tests.flow.serve.visits import NO_WORDS, Visited, hour, list_of

HOURS = [hour(2), hour(1), hour(0)]
ALL = PopularQuery("abc", period="", from_ms=HOURS[0].from_ms, to_ms=HOURS[-1].to_ms, sort="uniques", limit=3)
VISITS = st.lists(
    st.tuples(
        st.sampled_from(HOURS),
        st.integers(0, 11),  # asset
        st.sampled_from(["12", "13"]),  # section
        st.one_of(st.none(), st.integers(0, 30)),  # visitor
        st.integers(1, 4),  # hits
    ),
    max_size=120,
)


def key_of(asset: object, section: str = "12") -> CountKey:
    return (str(asset), section, "article", "free")


def store_of(visits: list[tuple[Any, ...]], *, keep: int = 0) -> Visited:
    store = Visited(keep=keep)
    for window, asset, section, visitor, hits in visits:
        store.visit(window, key_of(asset, str(section)), visitor, hits=hits)
    return store


@given(VISITS, st.sampled_from([(), ("12",)]), st.integers(1, 5))
def test_the_list_is_that_of_a_plain_count_over_all_assets(
    visits: list[tuple[Any, ...]], sections: tuple[str, ...], limit: int
) -> None:
    store = store_of([(window, asset, "12" if asset % 2 else "13", *rest) for window, asset, _, *rest in visits])
    query = replace(ALL, sections=sections, limit=limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH_FIRST", 2)
        patch.setattr(module, "BATCH_GROWTH", 1)
        found = list_of(store, query, HOURS).found
    assert found is not None
    truth = {asset: len(people) for asset, people in store.truth(HOURS, query).items()}
    hits = {
        asset: sum(store.hits[one][key] for one in HOURS for key in list(store.hits[one]) if key[0] == asset)
        for asset in truth
    }
    ranked = sorted(truth, key=lambda asset: (-truth[asset], -hits[asset], asset))[:limit]
    assert [(one.name, one.visitors.uniques) for one in found.assets] == [(name, truth[name]) for name in ranked]
    assert found.is_proven


@given(VISITS, st.sampled_from([(), ("12",)]), st.integers(0, 3))
def test_whatever_is_cut_or_seen_under_several_labels_the_truth_lies_between_the_bounds(
    visits: list[tuple[Any, ...]], sections: tuple[str, ...], keep: int
) -> None:
    store = store_of(visits, keep=keep)
    query = replace(ALL, sections=sections)
    found = list_of(store, query, HOURS).found
    assert found is not None
    truth = {asset: len(people) for asset, people in store.truth(HOURS, query).items()}
    for one in found.assets:
        assert one.visitors.at_least <= truth.get(one.name, 0) <= one.visitors.at_most
        assert one.visitors.at_least <= one.visitors.uniques <= one.visitors.at_most
    if found.is_proven:
        listed = {one.name for one in found.assets}
        least = min((truth[name] for name in listed), default=0)
        others = [people for name, people in truth.items() if name not in listed]
        assert max(others, default=0) <= (least if len(listed) == query.limit else 0)


def test_reloads_do_not_make_a_reader_many() -> None:
    store = Visited()
    store.visit(HOURS[0], key_of("reloaded"), 1, hits=500)
    for visitor in range(20):
        store.visit(HOURS[1], key_of("read"), visitor)
    found = list_of(store, ALL, HOURS).found
    assert found is not None
    assert [(one.name, one.visitors.uniques, one.hits) for one in found.assets] == [
        ("read", 20, 20),
        ("reloaded", 1, 500),
    ]


def test_only_as_many_assets_are_looked_at_as_can_be_on_the_list() -> None:
    store = Visited()
    for asset in range(1_000):
        for visitor in range(20 if asset < 5 else 1):
            store.visit(HOURS[0], key_of(asset), visitor)
    list_of(store, ALL, HOURS)
    assert len(store.asked_for) == len(HOURS)  # The first batch was enough.


def test_a_large_estimate_lies_within_its_bounds_and_never_above_the_hits() -> None:
    store = Visited()
    for visitor in range(5_000):
        store.visit(HOURS[0], key_of("large"), visitor)
    found = list_of(store, ALL, HOURS).found
    assert found is not None
    large = found.assets[0].visitors
    assert large.at_least <= 5_000 <= large.at_most
    assert large.uniques <= 5_000
    assert large.at_least > 4_700


def test_the_answer_says_what_its_uniques_are_and_what_is_proven() -> None:
    store = Visited()
    store.visit(HOURS[0], key_of("1"), 1, hits=2)
    reading = list_of(store, ALL, HOURS)
    body = msgspec.json.decode(reading.answer(NO_WORDS).body)
    assert (body["sort"], body["uniquesAre"], body["membersProven"], body["exact"]) == (
        "uniques",
        "visitors",
        True,
        True,
    )
    assert body["items"] == [
        {
            "rank": 1,
            "assetId": "1",
            "uniques": 1,
            "uniquesAtLeast": 1,
            "uniquesAtMost": 1,
            "hits": 2,
            "sectionId": 12,
            "resourceType": "article",
            "paidType": "free",
        }
    ]


def test_a_span_of_two_days_counts_visitors_of_days() -> None:
    store = Visited()
    windows = [hour(13), hour(12), hour(11)]
    store.visit(windows[0], key_of("1"), 1)
    query = replace(ALL, from_ms=windows[0].from_ms, to_ms=windows[-1].to_ms)
    body = msgspec.json.decode(list_of(store, query, windows).answer(NO_WORDS).body)
    assert body["uniquesAre"] == "visitorDays"


def test_where_nobody_is_known_the_list_is_empty_and_proven() -> None:
    store = Visited()
    store.visit(HOURS[0], key_of("1"), None, hits=9)
    found = list_of(store, ALL, HOURS).found
    assert found is not None
    assert (found.assets, found.is_proven) == ([], True)
