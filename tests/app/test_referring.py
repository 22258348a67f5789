"""Where readers came from is counted once, hour by hour, whatever happens to the process that counts it."""

from pathlib import Path

import pytest

from footfall.app.referring import OVER_MS
from footfall.flow.store import referrers
from footfall.flow.store.referrers import name_of
from footfall.flow.stream.records import RULES, RULES_OF_LOGS, VERSION, Pack
from footfall.ports.blobs import everything
from footfall.values.window import DAY_MS, HOUR_MS
from tests.app.referred_stage import KEEP_MS, Referred, counted, finished
from tests.app.stage import NOON_MS

GOOGLE, SEARCH, OWN, SOCIAL = (
    "https://www.google.fi/search?q=x",
    "https://search.example/?q=y",
    "https://www.abc.example/front",
    "https://t.co/z",
)


@pytest.fixture
def stage(tmp_path: Path) -> Referred:
    return Referred(tmp_path)


def test_an_answer_tells_sources_with_their_shares(stage: Referred) -> None:
    stage.came("one", GOOGLE, GOOGLE, "", OWN)
    stage.came("two", SOCIAL, section="sports")
    stage.count()
    finished(stage.referring())
    told = stage.told(asset="one")
    assert told["sources"] == [
        {"source": "google.com", "hits": 2, "share": 0.5},
        {"source": "direct", "hits": 1, "share": 0.25},
        {"source": "internal", "hits": 1, "share": 0.25},
    ]
    assert (told["hits"], told["other"], told["exact"], told["asset"]) == (4, 0, True, "one")
    assert str(told["until"]) >= "2026-11-15T12:00"
    assert counted(stage.told()) == {"google.com": 2, "direct": 1, "internal": 1, "x.com": 1}
    assert counted(stage.told(section="sports")) == {"x.com": 1}
    assert counted(stage.told(asset="three")) == {}


def test_an_instance_that_has_not_begun_says_so(stage: Referred) -> None:
    told = stage.told()
    assert (told["hits"], told["since"], told["until"], told["exact"]) == (0, None, None, False)


def test_only_hits_of_persons_are_counted_each_once(stage: Referred) -> None:
    now_ms = stage.clock.now_ms()
    keys = [("one", "news", "", "")] * 4
    late = now_ms - 2 * DAY_MS
    stage.append(
        Pack(
            *(VERSION, RULES, now_ms, keys),
            at_ms=[now_ms, now_ms, late, now_ms],
            weights=[5, 1, 1, 1],
            screened={1: "bot-agent", 3: "reload"},
            referrers=[GOOGLE] * 4,
        )
    )
    stage.count()
    finished(stage.referring())
    assert counted(stage.told()) == {"google.com": 5}


def test_nothing_is_told_before_it_is_counted(stage: Referred) -> None:
    stage.came("one", GOOGLE)
    referring = stage.referring()
    finished(referring)
    assert counted(stage.told()) == {}
    stage.count()
    finished(referring)
    assert counted(stage.told()) == {"google.com": 1}


def test_hours_are_those_of_the_brand_and_of_when_it_happened(stage: Referred) -> None:
    now_ms = stage.clock.now_ms()
    keys = [("one", "", "", "")] * 2
    half_ms = NOON_MS - HOUR_MS // 2  # Where an hour of Kolkata begins.
    pack = Pack(*(VERSION, RULES, now_ms, keys), at_ms=[half_ms - 1, half_ms], referrers=[GOOGLE, SOCIAL])
    stage.append(pack, brand="xyz")
    stage.count()
    finished(stage.referring())
    assert stage.sums("xyz", from_ms=half_ms, to_ms=half_ms + HOUR_MS).sources == {"x.com": 1}
    assert stage.sums("xyz", from_ms=half_ms - HOUR_MS, to_ms=half_ms).sources == {"google.com": 1}


def test_brands_know_nothing_of_each_other(stage: Referred) -> None:
    stage.came("one", GOOGLE, OWN)
    stage.came("one", SOCIAL, OWN, brand="xyz")
    stage.count()
    finished(stage.referring())
    assert counted(stage.told(asset="one")) == {"google.com": 1, "internal": 1}
    assert counted(stage.told("xyz", asset="one")) == {"x.com": 1, "abc.example": 1}


def test_the_site_of_a_page_is_its_own_brand_s(stage: Referred) -> None:
    now_ms = stage.clock.now_ms()
    keys = [("one", "", "", ""), ("https://m.page.example/b", "", "", "")]
    pages = ["https://www.page.example/a", ""]
    came_from = ["https://page.example/", "https://page.example/"]
    stage.append(Pack(*(VERSION, RULES, now_ms, keys), urls=pages, referrers=came_from), brand="xyz")
    stage.append(Pack(*(VERSION, RULES, now_ms, keys[1:]), referrers=came_from[1:]), brand="xyz")
    stage.append(Pack(*(VERSION, RULES, now_ms, keys[:1]), referrers=came_from[:1]), brand="xyz")
    stage.count()
    finished(stage.referring())
    assert counted(stage.told("xyz")) == {"internal": 3, "page.example": 1}


def test_hits_that_were_held_are_counted_when_they_come_again_and_no_second_time(stage: Referred) -> None:
    now_ms = stage.clock.now_ms()
    keys = [("one", "", "", ""), ("two", "", "", "")]
    stage.append(Pack(*(VERSION, RULES, now_ms, keys), screened={0: "unlabelled"}, referrers=[GOOGLE, SOCIAL]))
    for _ in range(2):
        labelled = [("one", "", "article", "")]
        again = Pack(*(VERSION, RULES, now_ms, labelled), replays=(1, "unlabelled"), referrers=[GOOGLE], places=[0])
        stage.append(again)
    stage.count()
    finished(stage.referring())
    assert counted(stage.told()) == {"google.com": 1, "x.com": 1}


def test_an_imported_log_is_counted_at_its_times_as_far_back_as_hours_are_kept(stage: Referred) -> None:
    now_ms = stage.clock.now_ms()
    keys = [("one", "", "", "")] * 2
    times = [now_ms - 5 * DAY_MS, now_ms - KEEP_MS - DAY_MS]
    stage.append(Pack(*(VERSION, RULES_OF_LOGS, now_ms, keys), at_ms=times, trusted=True, referrers=[GOOGLE, SOCIAL]))
    stage.count()
    finished(stage.referring())
    assert stage.sums(from_ms=now_ms - 6 * DAY_MS, to_ms=now_ms).sources == {"google.com": 1}
    assert len(list(everything(stage.blobs, "referrers/abc/"))) == 1


def test_sources_beyond_the_bounds_are_in_other_and_the_answer_says_so(
    stage: Referred, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referrers, "SOURCES_MAX", {"b": 3, "s": 3, "a": 2})
    monkeypatch.setattr(referrers, "PAIRS_MAX", 7)
    stage.came("one", GOOGLE, GOOGLE, "", SEARCH, section="")
    for number in range(9):
        stage.came(f"asset-{number}", GOOGLE, section="")
    stage.count()
    finished(stage.referring())
    told = stage.told(asset="one")
    assert (counted(told), told["other"], told["hits"], told["exact"]) == (
        {"google.com": 2, "direct": 1},
        1,
        4,
        False,
    )
    assert stage.told(asset="asset-8")["exact"] is False  # There was no room for it: nobody knows.
    assert stage.told()["hits"] == 13


def test_an_hour_that_is_over_keeps_its_largest_sources(stage: Referred, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referrers, "KEPT_MAX", {"b": 2, "s": 1, "a": 1})
    stage.came("one", GOOGLE, GOOGLE, SEARCH, "")
    stage.count()
    stage.clock.advance(HOUR_MS + OVER_MS)
    finished(stage.referring())
    told = stage.told(asset="one")
    assert (counted(told), told["other"], told["exact"]) == ({"google.com": 2}, 2, False)
    assert (stage.told()["hits"], stage.told()["other"]) == (4, 1)


def test_hours_go_with_their_time(stage: Referred) -> None:
    stage.came("one", GOOGLE)
    stage.came("one", GOOGLE, brand="xyz")
    stage.count()
    finished(stage.referring())
    assert len(list(everything(stage.blobs, "referrers/"))) == 2
    stage.clock.advance(KEEP_MS + 2 * DAY_MS)
    finished(stage.referring())
    assert list(everything(stage.blobs, "referrers/")) == []


def test_a_damaged_hour_begins_anew(stage: Referred) -> None:
    stage.came("one", GOOGLE)
    stage.count()
    finished(stage.referring())
    stage.blobs.put(name_of("abc", NOON_MS), b"ffrf and no more")
    stage.came("one", SOCIAL)
    stage.count()
    finished(stage.referring())
    assert counted(stage.told()) == {"x.com": 1}


def test_what_somebody_else_has_counted_since_is_not_overwritten(stage: Referred) -> None:
    stage.came("one", GOOGLE)
    stage.count()
    first, second = stage.referring(), stage.referring()
    finished(first)
    finished(second)
    stage.came("one", SOCIAL)
    stage.count()
    finished(second)
    first.refresh()
    stage.came("one", "")
    stage.count()
    finished(first)
    assert counted(stage.told()) == {"google.com": 1, "x.com": 1, "direct": 1}
