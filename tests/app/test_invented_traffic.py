"""The demo's readers are the same for the same seed, and behave like readers."""

import math
from collections import Counter
from itertools import pairwise

import msgspec
import pytest

from footfall.app.invented_traffic import (
    SURGE_EVERY_MS,
    SURGE_RISE_MS,
    Hit,
    ImpossibleNewsroom,
    Newsroom,
    Surge,
)
from footfall.flow.collect.parse import parse_hits
from footfall.values.source import source_of
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, moment_from_text

NOON_MS = moment_from_text("2026-11-16T12:00Z")  # A Monday.


def newsroom(seed: int = 7, *, assets: int = 400) -> Newsroom:
    return Newsroom(seed, brand="demo", assets=assets)


def ranking(hits: list[Hit]) -> list[str]:
    return [str(asset) for asset, _ in Counter(hit["assetId"] for hit in hits).most_common()]


def test_the_same_seed_and_moment_give_the_same_hits_whatever_was_asked_before() -> None:
    wanderer = newsroom()
    for moment_ms in (NOON_MS + DAY_MS, NOON_MS - 10 * DAY_MS, NOON_MS + 5_000):
        wanderer.hits(moment_ms, 10)
    assert wanderer.hits(NOON_MS, 500) == newsroom().hits(NOON_MS, 500)
    assert wanderer.stories(NOON_MS) == newsroom().stories(NOON_MS)
    assert wanderer.surges(NOON_MS) == newsroom().surges(NOON_MS)


def test_another_seed_brand_or_moment_gives_other_hits() -> None:
    hits = newsroom().hits(NOON_MS, 50)
    assert newsroom(8).hits(NOON_MS, 50) != hits
    assert newsroom().hits(NOON_MS + 1, 50) != hits
    other = Newsroom(7, brand="other").hits(NOON_MS, 50)
    assert [hit["assetId"] for hit in other] != [hit["assetId"] for hit in hits]


def test_a_hit_has_the_fields_and_labels_of_its_story() -> None:
    room = newsroom()
    stories = {story.asset_id: story for story in room.stories(NOON_MS)}
    for hit in room.hits(NOON_MS, 300):
        story = stories[str(hit["assetId"])]
        assert hit.keys() == {
            *("brand", "assetId", "sectionId", "resourceType", "paidType", "url", "referrer", "visitor"),
        }
        assert (hit["brand"], hit["sectionId"], hit["url"]) == ("demo", story.section_id, story.url)
        assert (hit["resourceType"], hit["paidType"]) == (story.resource_type, story.paid_type)


def test_readers_come_from_where_readers_come_from() -> None:
    sources = Counter(source_of(str(hit["referrer"])) for hit in newsroom().hits(NOON_MS, 2_000))
    assert [source for source, _ in sources.most_common(3)] == ["google.com", "direct", "demo.example"]
    assert {"facebook.com", "x.com", "news.google.com"} < sources.keys()
    assert "unknown" not in sources


def test_every_hit_is_one_that_collect_takes() -> None:
    hits = newsroom().hits(NOON_MS, 200)
    parsed = parse_hits(msgspec.json.encode(hits), lines=False, hits_max=1_000)
    assert parsed.count == 200
    assert parsed.refused == []


def test_the_catalogue_is_plausible() -> None:
    stories = newsroom().stories(NOON_MS)
    assert len(stories) == 400
    assert len({story.asset_id for story in stories}) == 400
    assert all(story.asset_id.isdecimal() and story.published_at_ms <= NOON_MS for story in stories)
    assert {story.resource_type for story in stories} == {"article", "video", "recipe", "gallery"}
    assert {story.paid_type for story in stories} == {"free", "metered", "paid"}
    assert len({story.section_id for story in stories}) == 12
    assert len({story.title for story in stories}) > 200


def test_new_stories_appear_and_old_ones_leave() -> None:
    room = newsroom()
    now, later = room.stories(NOON_MS), room.stories(NOON_MS + HOUR_MS)
    assert now[15:] == later[:-15]
    assert all(left.published_at_ms < right.published_at_ms for left, right in pairwise(later))


def test_readers_share_stories_as_zipf_says() -> None:
    counts = sorted(Counter(hit["assetId"] for hit in newsroom().hits(NOON_MS, 100_000)).values(), reverse=True)
    ranks = [math.log(rank) for rank in range(1, 101)]
    hits = [math.log(count) for count in counts[:100]]
    mean_rank, mean_hits = sum(ranks) / 100, sum(hits) / 100
    slope = sum((rank - mean_rank) * (hit - mean_hits) for rank, hit in zip(ranks, hits, strict=True)) / sum(
        (rank - mean_rank) ** 2 for rank in ranks
    )
    assert -1.6 < slope < -0.8
    assert sum(counts[:40]) > 0.5 * 100_000  # A tenth of the stories has most of the readers.
    assert len(counts) > 350


def test_a_story_loses_readers_as_it_ages() -> None:
    young, old = 0.0, 0.0
    room = newsroom()
    for day in range(10):
        at_ms = NOON_MS + day * DAY_MS
        ages = {story.asset_id: at_ms - story.published_at_ms for story in room.stories(at_ms)}
        hits = Counter(ages[str(hit["assetId"])] // (6 * HOUR_MS) for hit in room.hits(at_ms, 5_000))
        young += hits[0]
        old += hits[3]
    assert young > 3 * old


def first_surge(room: Newsroom) -> Surge:
    moments = range(NOON_MS, NOON_MS + 2 * SURGE_EVERY_MS, MINUTE_MS)
    return next(surge for at_ms in moments for surge in room.surges(at_ms) if surge.from_ms > NOON_MS)


@pytest.mark.parametrize("seed", range(5))
def test_a_viral_story_overtakes_within_minutes_and_falls_over_an_hour(seed: int) -> None:
    room = newsroom(seed)
    surge = first_surge(room)
    before = ranking(room.hits(surge.from_ms - MINUTE_MS, 20_000))
    at_height = ranking(room.hits(surge.from_ms + SURGE_RISE_MS, 20_000))
    share = [
        Counter(hit["assetId"] for hit in room.hits(surge.from_ms + minutes * MINUTE_MS, 20_000))[surge.asset_id]
        for minutes in (4, 14, 64)
    ]
    assert at_height.index(surge.asset_id) < 2
    assert surge.asset_id not in before[:1]
    assert share[0] > 1.5 * share[1] > 3 * share[2]


def test_there_is_always_a_surge_to_come() -> None:
    room = newsroom()
    starts = {surge.from_ms for hour in range(24) for surge in room.surges(NOON_MS + hour * HOUR_MS)}
    assert len(starts) >= 24


def rate(text: str, zone: str = "UTC") -> float:
    return newsroom(assets=10).rate_at(moment_from_text(text), mean_per_s=100.0, zone=zone)


def test_nights_are_quiet_and_mornings_noons_and_evenings_busy() -> None:
    night, morning, forenoon, noon, afternoon, evening = [
        rate(f"2026-11-16T{hour}:00Z") for hour in ("04", "08", "10", "12", "15", "20")
    ]
    assert night < 0.25 * forenoon
    assert morning > forenoon < noon > afternoon < evening
    assert evening > 1.5 * 100


def test_weekends_are_softer() -> None:
    for hour in ("08", "12", "20"):
        assert rate(f"2026-11-15T{hour}:00Z") < 0.9 * rate(f"2026-11-16T{hour}:00Z")


def test_the_rhythm_follows_the_readers_clock() -> None:
    assert rate("2026-11-16T12:00+05:45", "Asia/Kathmandu") == rate("2026-11-16T12:00Z")


def test_the_rate_is_the_mean_over_a_week_and_never_jumps() -> None:
    room = newsroom(assets=10)
    rates = [
        room.rate_at(NOON_MS + minute * MINUTE_MS, mean_per_s=40.0, zone="UTC") for minute in range(0, 7 * 24 * 60, 5)
    ]
    assert sum(rates) / len(rates) == pytest.approx(40.0, rel=0.001)
    assert all(abs(left - right) < 4.0 for left, right in pairwise(rates))


@pytest.mark.parametrize("assets", [1, 2, 3, 5_000])
def test_a_newsroom_may_be_small_or_large(assets: int) -> None:
    room = Newsroom(1, brand="demo", assets=assets, sections=min(assets, 30))
    known = {story.asset_id for story in room.stories(NOON_MS)}
    assert len(known) == assets
    assert {str(hit["assetId"]) for hit in room.hits(NOON_MS, 100)} <= known


def test_a_newsroom_of_an_impossible_size_is_refused() -> None:
    with pytest.raises(ImpossibleNewsroom, match="0 stories"):
        Newsroom(1, brand="demo", assets=0)
    with pytest.raises(ImpossibleNewsroom, match="501 sections"):
        Newsroom(1, brand="demo", sections=501)
