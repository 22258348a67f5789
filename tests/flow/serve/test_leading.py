"""Lists picked from sorted rows are those that a plain sort gives, whatever the labels and the filter."""

from collections.abc import Mapping

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve import leading as module
from footfall.flow.serve.directory import Directory
from footfall.flow.serve.leading import leading, picked
from footfall.flow.serve.shown import PERSONS
from footfall.flow.serve.wanted import Wanted
from footfall.flow.store.columns import CountKey, columns_from_counts, screened_key

ASSETS = st.sampled_from([str(number) for number in range(40)] + ["a", "b", "ä", "https://example.org/one", "z" * 60])
KEYS = st.tuples(ASSETS, st.sampled_from(["1", "2", "3"]), st.sampled_from(["article", "video"]), st.just("free"))


def entered(counts: Mapping[CountKey, int]) -> tuple[Directory, np.ndarray]:
    directory = Directory()
    found = directory.enter(columns_from_counts(counts))
    totals = np.zeros(directory.rows, np.uint32)
    totals[found.rows] = found.hits
    return directory, totals


def plainly(counts: Mapping[CountKey, int], sections: set[str], limit: int) -> list[tuple[str, int]]:
    sums: dict[str, int] = {}
    for (asset, section, *_), hits in counts.items():
        if section in sections:
            sums[asset] = sums.get(asset, 0) + hits
    return sorted(sums.items(), key=lambda one: (-one[1], one[0].encode()))[:limit]


@given(st.dictionaries(KEYS, st.integers(1, 4), max_size=120), st.sets(st.sampled_from("123")), st.integers(1, 30))
def test_what_is_picked_is_what_a_plain_sort_gives(counts: dict[CountKey, int], sections: set[str], limit: int) -> None:
    directory, totals = entered(counts)
    is_asked = np.array([directory.slices[number].section in sections for number in range(len(directory.slices))], bool)
    lead = leading(directory, totals)
    assert lead is not None
    found = picked(directory, lead, totals, Wanted(is_asked, None, None), limit)
    assert found is not None
    named = [directory.asset_text(asset).decode() for asset in found.assets]
    assert list(zip(named, found.hits.tolist(), strict=True)) == plainly(counts, sections, limit)


SCREENED = st.builds(screened_key, KEYS, st.sampled_from(["", "bot", "ai"]))


@given(st.dictionaries(SCREENED, st.integers(1, 4), max_size=120), st.sets(st.sampled_from("123")), st.integers(1, 30))
def test_rows_that_are_not_shown_make_no_difference(
    counts: dict[CountKey, int], sections: set[str], limit: int
) -> None:
    directory, totals = entered(counts)
    every = [directory.slices[number] for number in range(len(directory.slices))]
    shown = np.array([one.label == "" for one in every], bool)
    is_asked = shown & np.array([one.section in sections for one in every], bool)
    lead = leading(directory, totals, shown)
    assert lead is not None
    found = picked(directory, lead, totals, Wanted(is_asked, None, None), limit)
    assert found is not None
    named = [directory.asset_text(asset).decode() for asset in found.assets]
    persons: dict[CountKey, int] = {key: hits for key, hits in counts.items() if len(key) == 4}
    assert list(zip(named, found.hits.tolist(), strict=True)) == plainly(persons, sections, limit)


def test_assets_that_bots_come_to_as_well_are_picked_from_the_front() -> None:
    counts: dict[CountKey, int] = {}
    for number in range(module.SHARED_ROWS_MAX):
        counts[str(number), "1", "", ""] = number + 1
        counts[str(number), "1", "", "", "bot"] = 1
    directory, totals = entered(counts)
    shown = directory.slices.shown(PERSONS)
    lead = leading(directory, totals, shown)
    assert lead is not None
    assert not len(lead.shared_rows)
    found = picked(directory, lead, totals, Wanted(shown, None, None), 3)
    assert found is not None
    assert found.hits.tolist() == [5_000, 4_999, 4_998]


def test_a_filter_that_the_sorted_rows_do_not_serve_is_left_to_the_long_way() -> None:
    counts: dict[CountKey, int] = {(str(number), "1", "", ""): 100 - number for number in range(50)}
    counts |= {(str(number), "2", "", ""): 1 for number in range(50, 60)}
    directory, totals = entered(counts)
    before, module.ROWS_MAX = module.ROWS_MAX, 20
    try:
        lead = leading(directory, totals)
    finally:
        module.ROWS_MAX = before
    assert lead is not None
    assert not lead.is_whole
    is_rare = np.array([directory.slices[number].section == "2" for number in range(len(directory.slices))], bool)
    assert picked(directory, lead, totals, Wanted(is_rare, None, None), 5) is None
    first = picked(directory, lead, totals, Wanted(None, None, None), 5)
    assert first is not None
    assert first.hits.tolist() == [100, 99, 98, 97, 96]


def test_many_assets_under_several_labels_are_left_to_the_long_way() -> None:
    counts: dict[CountKey, int] = {}
    for number in range(module.SHARED_ROWS_MAX):
        counts[str(number), "1", "", ""] = counts[str(number), "2", "", ""] = 1
    directory, totals = entered(counts)
    assert leading(directory, totals) is None
