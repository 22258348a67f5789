"""Hits of a log become entries: old times are trusted, and what cannot be counted is told by its reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts.brands import Brand
from footfall.flow.collect.imported import (
    BARE_HITS_PER_RECORD_MAX,
    FULL_HITS_PER_RECORD_MAX,
    Imported,
    ImportedHits,
    ImportRules,
    UnevenHits,
    imported,
)
from footfall.flow.stream.records import RULES_OF_LOGS, HitKey, Pack, pack_from_record
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import RECORD_BYTES_MAX
from footfall.values.hit import ADDRESS_BYTES_MAX, ASSET_BYTES_MAX, LABEL_BYTES_MAX
from footfall.values.window import DAY_MS

NOON_MS = 1_794_744_000_000
BRAND = Brand("abc")
YEARS_MS = 700 * DAY_MS


def key_of(asset: str, resource_type: str = "article") -> HitKey:
    return asset, "news", resource_type, "free"


def taken(hits: ImportedHits, brand: Brand = BRAND, **rules: int) -> Imported:
    return imported(brand, hits, rules=ImportRules(**rules), arrived_at_ms=NOON_MS)


def packs(done: Imported) -> list[Pack]:
    return [pack_from_record(entry.data) for entry in done.entries]


def test_programs_keep_their_reason_and_are_not_set_aside() -> None:
    keys = [key_of("1"), key_of("2", ""), key_of("3", ""), key_of("4")]
    times = [NOON_MS, NOON_MS, NOON_MS, NOON_MS + DAY_MS]
    hits = ImportedHits(keys, times, screened={0: "bot-agent", 1: "ai-agent", 3: "bot-agent"})
    (pack,) = packs(done := taken(hits, Brand("abc", unlabelled="hold")))
    # Late and future hits are set aside and replayed as they came, so nothing is said of them before.
    assert pack.screened == {0: "bot-agent", 1: "ai-agent", 2: "unlabelled", 3: "future"}
    assert done.set_aside == {"unlabelled": 1, "future": 1}


def test_agents_follow_their_hits_and_the_rules_are_those_of_logs() -> None:
    hits = ImportedHits([key_of("1"), key_of("2")], [NOON_MS] * 2, agents=[7, 0])
    (pack,) = packs(taken(hits))
    assert (pack.agents, pack.rules) == ([7, 0], RULES_OF_LOGS)
    with pytest.raises(UnevenHits):
        taken(ImportedHits([key_of("1")], [NOON_MS], agents=[1, 2]))


def test_reasons_follow_their_hits_to_their_shards() -> None:
    keys = [key_of(str(n)) for n in range(40)]
    reasons = dict.fromkeys(range(0, 40, 3), "bot-agent")
    found = packs(taken(ImportedHits(keys, [NOON_MS] * 40, screened=reasons), shards=4))
    assert len(found) > 1
    said = {pack.keys[at][0]: reason for pack in found for at, reason in (pack.screened or {}).items()}
    assert said == {str(n): "bot-agent" for n in reasons}


def test_a_log_of_years_ago_is_taken_with_its_times() -> None:
    hits = ImportedHits([key_of("1"), key_of("/a")], [NOON_MS - YEARS_MS, NOON_MS - 1], [b"12345678", b""], ["", "/u"])
    (pack,) = packs(done := taken(hits))
    assert (pack.keys, pack.at_ms, pack.trusted) == (hits.keys, hits.at_ms, True)
    assert (pack.arrived_at_ms, pack.screened) == (NOON_MS, None)
    assert (pack.visitors, pack.urls, pack.referrers) == (hits.visitors, hits.urls, None)
    assert (done.hits, done.entries[0].weight, done.entries[0].group) == (2, 2, "abc")


def test_what_is_too_old_for_any_window_or_no_time_at_all_is_left_out_and_told() -> None:
    times = [NOON_MS - 10 * DAY_MS - 1, NOON_MS - 10 * DAY_MS, -5, 2**62]
    done = taken(ImportedHits([key_of(str(n)) for n in range(4)], times), days_kept_ms=10 * DAY_MS)
    assert (done.hits, done.refused) == (1, {"tooOld": 2, "noSuchTime": 1})
    assert [pack.keys for pack in packs(done)] == [[key_of("1")]]


@pytest.mark.parametrize("asset", ["", "x" * (ASSET_BYTES_MAX + 1), "ä" * (ASSET_BYTES_MAX // 2 + 1), "a\nb"])
def test_an_id_that_no_hit_may_have_is_left_out_and_told(asset: str) -> None:
    done = taken(ImportedHits([key_of(asset), key_of("1")], [NOON_MS, NOON_MS]))
    assert (done.hits, done.refused) == (1, {"unfitText": 1})


@pytest.mark.parametrize("label", ["x" * (LABEL_BYTES_MAX + 1), "a\tb", "ä" * 33])
def test_a_label_that_no_hit_may_have_is_left_out_and_told(label: str) -> None:
    assert taken(ImportedHits([key_of("1", label)], [NOON_MS])).refused == {"unfitText": 1}


def test_ids_and_labels_of_the_most_bytes_are_taken() -> None:
    keys = [("x" * ASSET_BYTES_MAX, "y" * LABEL_BYTES_MAX, "ä" * 32, ""), ("é" * 128, "", "", "")]
    assert taken(ImportedHits(keys, [NOON_MS] * 2)).hits == 2


def test_a_time_that_has_not_come_is_set_aside_in_a_log_too() -> None:
    done = taken(ImportedHits([key_of("1"), key_of("2")], [NOON_MS + 300_000, NOON_MS + 300_001]))
    assert (packs(done)[0].screened, done.set_aside, done.hits) == ({1: "future"}, {"future": 1}, 2)


def test_a_brand_that_holds_what_has_no_labels_holds_it_in_a_log_too() -> None:
    hits = ImportedHits([key_of("1", ""), key_of("2")], [NOON_MS - YEARS_MS] * 2)
    done = taken(hits, Brand("abc", unlabelled="hold"))
    assert (packs(done)[0].screened, done.set_aside) == ({0: "unlabelled"}, {"unlabelled": 1})
    assert taken(hits).set_aside == {}


def test_the_catalogue_may_know_the_labels() -> None:
    hits = ImportedHits([key_of("1", "")], [NOON_MS])
    brand = Brand("abc", unlabelled="hold")
    done = imported(
        brand, hits, rules=ImportRules(), arrived_at_ms=NOON_MS, labelled=lambda keys: [key_of(key[0]) for key in keys]
    )
    assert (packs(done)[0].keys, done.set_aside) == ([key_of("1")], {})


def test_an_address_that_is_too_long_is_left_out_and_its_hit_is_not() -> None:
    urls = ["/" + "a" * ADDRESS_BYTES_MAX, "/short"]
    (pack,) = packs(taken(ImportedHits([key_of("1")] * 2, [NOON_MS] * 2, None, urls)))
    assert pack.urls == ["", "/short"]


@pytest.mark.parametrize(("urls", "most"), [(True, FULL_HITS_PER_RECORD_MAX), (False, BARE_HITS_PER_RECORD_MAX)])
def test_no_record_is_larger_than_a_stream_takes(urls: bool, most: int) -> None:
    count = 2 * most + 1
    key = ("x" * ASSET_BYTES_MAX, "y" * LABEL_BYTES_MAX, "z" * LABEL_BYTES_MAX, "w" * LABEL_BYTES_MAX)
    addresses = ["/" * ADDRESS_BYTES_MAX] * count if urls else None
    done = taken(ImportedHits([key] * count, [NOON_MS] * count, [b"12345678"] * count, addresses, addresses))
    assert [entry.weight for entry in done.entries] == [most, most, 1]
    assert all(len(entry.data) <= RECORD_BYTES_MAX for entry in done.entries)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(-20, 5))), st.integers(1, 4))
def test_every_hit_goes_to_its_shard_or_is_told(hits: list[tuple[int, int]], shards: int) -> None:
    keys = [key_of(str(asset)) for asset, _ in hits]
    times = [NOON_MS + day * DAY_MS for _, day in hits]
    done = taken(ImportedHits(keys, times), shards=shards, days_kept_ms=10 * DAY_MS)
    assert done.hits + done.refused.total() == len(hits)
    found = [
        (entry.shard, key, at_ms)
        for entry, pack in zip(done.entries, packs(done), strict=True)
        for key, at_ms in zip(pack.keys, pack.at_ms or [], strict=True)
    ]
    expected = [
        (shard_of("abc", key[0], shards=shards), key, at_ms)
        for key, at_ms in zip(keys, times, strict=True)
        if at_ms >= NOON_MS - 10 * DAY_MS
    ]
    assert sorted(found) == sorted(expected)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(UnevenHits, match="2 hits have a column of 1"):
        taken(ImportedHits([key_of("1")] * 2, [NOON_MS]))
