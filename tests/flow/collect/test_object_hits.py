"""Hits of objects on their way into the stream: their claims stay the same, and their times are the object's."""

import msgspec
import pytest

from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect import object_hits
from footfall.flow.collect.accept import Acceptance
from footfall.flow.collect.object_hits import RUN_HITS, ObjectHits, Source, Taken, runs_of
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.flow.collect.senders import Salts
from footfall.flow.stream.records import pack_from_record
from footfall.values.clock import SetClock

NOW_MS = 1_794_000_000_000
WRITTEN_MS = NOW_MS - 3 * 86_400_000  # Three days before it is read.
HOUR_MS = 3_600_000


BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def hits() -> ObjectHits:
    return new_hits()


def new_hits(screen: Screen | None = None) -> ObjectHits:
    brands = Brands({"abc": Brand("abc")}, any_brand=False)
    brands.take_stored([Brand("stored"), Brand("holding", unlabelled="hold")])
    table = SqliteTable(":memory:", clock=SetClock(NOW_MS))
    salts = Salts(table, random_bytes=lambda size: b"s" * size)
    acceptance = Acceptance(brands, salts, shards=4)
    if screen is not None:
        acceptance.screen_with(screen)
    return ObjectHits(brands, acceptance)


def taken(hits: ObjectHits, *sent: object, brand: str = "", name: str = "b\0k\0v", run: int = 0) -> Taken:
    pieces = [one if isinstance(one, bytes) else msgspec.json.encode(one) for one in sent]
    return hits.run(pieces, run, source=Source(name, WRITTEN_MS, brand), now_ms=NOW_MS)


def claims(done: Taken) -> list[tuple[str, int, bytes, int]]:
    found = []
    for entry in done.entries:
        assert entry.claim is not None
        found.append((entry.group, entry.shard, entry.claim.key, entry.claim.part))
    return found


def test_the_same_object_makes_the_same_claims_and_another_makes_others(hits: ObjectHits) -> None:
    sent = [{"brand": "abc", "assetId": number} for number in range(100)]
    first = claims(taken(hits, *sent))
    assert len(set(first)) == len(first) == 4
    assert claims(taken(hits, *sent)) == first
    assert not set(claims(taken(hits, *sent, name="b\0k\0other"))) & set(first)


def test_claims_stay_when_a_brand_is_added_between_two_deliveries(hits: ObjectHits) -> None:
    sent = [{"brand": brand, "assetId": 1} for brand in ("late", "abc", "stored")]
    first = claims(taken(hits, *sent))
    hits._brands.take_stored([Brand("late")])
    assert [claim for claim in claims(taken(hits, *sent)) if claim[0] != "late"] == first


def test_hits_with_and_without_a_name_and_page_hits_of_one_brand_have_claims_of_their_own(hits: ObjectHits) -> None:
    done = taken(hits, {"brand": "abc", "assetId": 1}, {"assetId": 1}, {"assetId": 1, "hits": 7}, brand="abc")
    assert len({key for _, _, key, _ in claims(done)}) == 3
    assert (done.hits, sum(entry.weight for entry in done.entries)) == (9, 9)


def test_a_stored_brand_needs_no_key_because_whoever_writes_the_bucket_is_trusted(hits: ObjectHits) -> None:
    done = taken(hits, {"brand": "stored", "assetId": 1})
    assert [entry.group for entry in done.entries] == ["stored"]


def test_times_are_judged_by_when_the_object_was_written_and_hold_however_late_it_is_read(hits: ObjectHits) -> None:
    times = [None, WRITTEN_MS - 23 * HOUR_MS, WRITTEN_MS - 25 * HOUR_MS, WRITTEN_MS + HOUR_MS]
    (entry,) = taken(hits, *({"brand": "abc", "assetId": 1, "at": at} for at in times)).entries
    pack = pack_from_record(entry.data)
    assert (entry.arrived_at_ms, pack.arrived_at_ms, pack.trusted) == (NOW_MS, NOW_MS, True)
    assert pack.at_ms == [WRITTEN_MS, *times[1:]]
    assert pack.screened == {2: "late", 3: "future"}


def test_hits_without_any_time_are_of_the_moment_the_object_was_written(hits: ObjectHits) -> None:
    lean = {"brand": "abc", "assetId": 1, "sectionId": 2, "resourceType": "a", "paidType": "b"}
    for sent in (lean, {"brand": "abc", "assetId": 1, "hits": 3}):
        (entry,) = taken(hits, sent).entries
        pack = pack_from_record(entry.data)
        assert (pack.at_ms, pack.trusted) == ([WRITTEN_MS], True)


def test_what_is_wrong_is_told_with_its_place_and_stops_nothing(hits: ObjectHits) -> None:
    done = taken(
        hits,
        {"brand": "abc", "assetId": 1},
        b"not json",
        {"brand": "nobody", "assetId": 1},
        {"assetId": 1},
        {"brand": "abc", "assetId": 1, "hits": -1},
        {"brand": "abc", "assetId": 2, "hits": 2},
    )
    assert (done.hits, dict(done.refused)) == (3, {"body": 1, "brand": 2, "hits": 1})
    assert [shown.partition(":")[0] for shown in done.shown] == ["hit 2", "hit 3", "hit 4", "hit 5"]


def test_an_object_is_cut_into_runs(hits: ObjectHits, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [runs_of([b"{}"] * number) for number in (0, 1, RUN_HITS, RUN_HITS + 1)] == [0, 1, 1, 2]
    monkeypatch.setattr(object_hits, "RUN_HITS", 2)
    sent = [{"brand": "abc", "assetId": number} for number in range(5)]
    found = [
        key[0]
        for run in range(3)
        for entry in taken(hits, *sent, run=run).entries
        for key in pack_from_record(entry.data).keys
    ]
    assert sorted(found) == ["0", "1", "2", "3", "4"]


def test_a_hit_keeps_its_own_id_beside_the_claim(hits: ObjectHits) -> None:
    (entry,) = taken(hits, {"brand": "abc", "assetId": 1, "id": "x"}).entries
    assert (len(entry.ids), entry.claim is not None) == (1, True)


def test_a_brand_that_wants_labels_first_holds_the_hits_of_objects_too(hits: ObjectHits) -> None:
    (entry,) = taken(hits, {"brand": "holding", "assetId": 1}).entries
    assert pack_from_record(entry.data).screened == {0: "unlabelled"}


def test_hits_are_judged_by_what_they_say_of_their_readers_and_a_record_that_says_nothing_is_taken() -> None:
    hits = new_hits(Screen(ScreenLimits(), secret=b"k" * 32))
    said: list[dict[str, str]] = [
        {},
        {"agent": BROWSER},
        {"agent": "curl/8.5.0"},
        {"agent": "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"},
        {"agent": BROWSER, "purpose": "prefetch;prerender"},
        {"client": "driven"},
        {"referrer": "https://semalt.com/x"},
    ]
    (entry,) = taken(hits, *({"brand": "abc", "assetId": 1, **one} for one in said)).entries
    found = {2: "bot-agent", 3: "ai-agent", 4: "prefetch", 5: "headless", 6: "referrer-spam"}
    assert pack_from_record(entry.data).screened == found
    assert BROWSER.encode() not in entry.data


def test_a_day_of_a_readers_hits_in_one_object_is_no_flood() -> None:
    hits = new_hits(Screen(ScreenLimits(repeats_max=2, visitor_per_minute_max=2), secret=b"k" * 32))
    sent = [{"brand": "abc", "assetId": 1, "visitor": "m-7", "at": WRITTEN_MS - HOUR_MS * hour} for hour in range(9)]
    (entry,) = taken(hits, *sent).entries
    assert pack_from_record(entry.data).screened is None


def test_a_late_hit_of_a_program_is_late() -> None:
    hits = new_hits(Screen(ScreenLimits(), secret=b"k" * 32))
    late = {"brand": "abc", "assetId": 1, "agent": "curl/8.5.0", "at": WRITTEN_MS - 25 * HOUR_MS}
    (entry,) = taken(hits, late).entries
    assert pack_from_record(entry.data).screened == {0: "late"}
