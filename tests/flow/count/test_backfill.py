"""Hits of long ago are counted once into the windows that are kept, whatever order and however often they come."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.flow.count import worker as worker_module
from footfall.flow.store import keys
from footfall.flow.store.columns import CountKey
from footfall.flow.store.cutting import most_missed
from footfall.flow.store.journal import read_journal
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, window_of
from tests.flow.count.stage import NOON_MS, Side, Stage, go_on_until, key_of, rules
from tests.simulation.grounds import Killed, KilledTable

YEARS_AGO_MS = NOON_MS - 700 * DAY_MS
WEEKS_AGO_MS = NOON_MS - 21 * DAY_MS
GRAINS = (Grain.MINUTE, Grain.HOUR, Grain.DAY)


@dataclass(frozen=True)
class OldHit:
    """A hit of a log."""

    asset: str
    at_ms: int


def bring_in(stage: Stage, hits: Sequence[OldHit], brand: str = "abc") -> None:
    """Append hits with times that are trusted, as an import does."""
    keys_of = [key_of(hit.asset) for hit in hits]
    stage.send_pack(keys_of, brand=brand, at_ms=[hit.at_ms for hit in hits], trusted=True)


def truth(hits: Sequence[OldHit], zone: str = "UTC") -> dict[Window, Counter[CountKey]]:
    """Return what a plain recount of the log gives for its days."""
    found: dict[Window, Counter[CountKey]] = {}
    for hit in hits:
        found.setdefault(window_of(hit.at_ms, Grain.DAY, zone), Counter())[key_of(hit.asset)] += 1
    return found


def days(stage: Stage) -> dict[Window, Counter[CountKey]]:
    return {window: counts for window, counts in stage.everything().items() if window.grain is Grain.DAY}


def grains(stage: Stage) -> set[Grain]:
    return {window.grain for window in stage.windows()}


def test_a_hit_of_years_ago_goes_straight_to_its_day() -> None:
    stage = Stage()
    bring_in(stage, [OldHit("1", YEARS_AGO_MS), OldHit("1", YEARS_AGO_MS + HOUR_MS)])
    stage.side().count()
    assert stage.everything() == {window_of(YEARS_AGO_MS, Grain.DAY, "UTC"): {key_of("1"): 2}}
    assert grains(stage) == {Grain.DAY}
    assert (stage.lines().counted, stage.ledger_total()) == (2, 2)


def test_a_hit_of_weeks_ago_goes_to_its_hour_and_its_day() -> None:
    stage = Stage(shards=2)
    bring_in(stage, [OldHit("1", WEEKS_AGO_MS), OldHit("x", WEEKS_AGO_MS)])
    stage.side().count()
    assert grains(stage) == {Grain.HOUR, Grain.DAY}
    for grain in (Grain.HOUR, Grain.DAY):
        assert stage.counts(WEEKS_AGO_MS, grain) == {key_of("1"): 1, key_of("x"): 1}


def test_a_hit_of_yesterday_goes_to_its_minute_as_well() -> None:
    stage = Stage()
    bring_in(stage, [OldHit("1", NOON_MS - 30 * HOUR_MS)])
    stage.side().count()
    for grain in GRAINS:
        assert stage.counts(NOON_MS - 30 * HOUR_MS, grain) == {key_of("1"): 1}


def test_old_hits_do_not_make_a_brand_look_alive() -> None:
    stage = Stage()
    bring_in(stage, [OldHit("1", YEARS_AGO_MS), OldHit("1", WEEKS_AGO_MS)])
    stage.side().count()
    assert stage.lines().last_hit_ms == WEEKS_AGO_MS


def test_readers_are_told_which_old_windows_changed() -> None:
    stage = Stage()
    side = stage.side()
    bring_in(stage, [OldHit("1", WEEKS_AGO_MS)])
    side.workers[0].drain()
    news = read_journal(stage.table, 0, after=0, now_number=side.workers[0].checkpoint.number)
    expected = {window_of(WEEKS_AGO_MS, grain, "UTC") for grain in (Grain.HOUR, Grain.DAY)}
    assert {one.window for one in news.touched} >= expected


def test_a_window_stays_whole_until_a_day_after_the_last_old_hit_and_is_cut_then() -> None:
    stage = Stage(keep_rows=1)
    side = stage.side()
    bring_in(stage, [OldHit("1", YEARS_AGO_MS)] * 3 + [OldHit("2", YEARS_AGO_MS)])
    side.count()
    go_on_until(stage, side, NOON_MS + 20 * HOUR_MS)
    bring_in(stage, [OldHit("2", YEARS_AGO_MS)] * 4)
    side = stage.side()
    side.count()
    go_on_until(stage, side, NOON_MS + 43 * HOUR_MS)
    assert stage.counts(YEARS_AGO_MS, Grain.DAY) == {key_of("1"): 3, key_of("2"): 5}
    go_on_until(stage, side, NOON_MS + 46 * HOUR_MS)
    (head,) = stage.parts(YEARS_AGO_MS, Grain.DAY).values()
    assert (head.part, head.final) == (keys.ALL, True)
    assert stage.counts(YEARS_AGO_MS, Grain.DAY) == {key_of("2"): 5}
    assert most_missed(stage.columns(YEARS_AGO_MS, Grain.DAY).cuts) == 3
    assert side.workers[0].rollup.final_windows(passed_ms=stage.clock.now_ms(), lateness_ms=0) == []


def test_an_asset_that_was_cut_away_and_comes_again_makes_bounds_and_no_wrong_claim() -> None:
    stage = Stage(keep_rows=1)
    side = stage.side()
    bring_in(stage, [OldHit("1", YEARS_AGO_MS)] * 5 + [OldHit("2", YEARS_AGO_MS)] * 4)
    side.count()
    go_on_until(stage, side, NOON_MS + 2 * DAY_MS)
    bring_in(stage, [OldHit("2", YEARS_AGO_MS)] * 3)
    side.count()
    for _ in range(2):
        columns = stage.columns(YEARS_AGO_MS, Grain.DAY)
        found = stage.counts(YEARS_AGO_MS, Grain.DAY)
        assert columns.cuts.reaches_kept
        missed = most_missed(columns.cuts)
        for asset, hits in (("1", 5), ("2", 7)):
            assert found[key_of(asset)] <= hits <= found[key_of(asset)] + missed
        go_on_until(stage, side, NOON_MS + 5 * DAY_MS)  # And so it stays when it is finished once more.


def test_an_old_hour_that_is_still_to_be_built_takes_in_what_came_beside_it() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1", "2")
    side.workers[0].drain()
    stage.clock.set(NOON_MS + 4 * DAY_MS)  # The instance stood still.
    bring_in(stage, [OldHit("2", NOON_MS + 1), OldHit("3", NOON_MS + HOUR_MS)])
    side = stage.side()
    side.workers[0].drain()
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("2"): 1}
    side.build()
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): 1, key_of("2"): 2}
    assert stage.counts(NOON_MS, Grain.DAY) == {key_of("1"): 1, key_of("2"): 2, key_of("3"): 1}


def test_no_more_is_taken_in_at_once_than_memory_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "TALLY_ROWS_MAX", 50)
    stage = Stage()
    side = stage.side()
    hits = [OldHit(f"a{number}", YEARS_AGO_MS + number % 7 * DAY_MS) for number in range(2_000)]
    for start in range(0, len(hits), 10):
        bring_in(stage, hits[start : start + 10])
    worker = side.workers[0]
    worker.step()
    assert 0 < worker.checkpoint.through <= 2 * worker_module.LOOK_AT_ROWS_EVERY
    worker.drain()
    assert days(stage) == truth(hits)


def scattered(count: int = 60) -> list[OldHit]:
    """Return hits of every age, some of them in windows that have others already."""
    ages = (30 * HOUR_MS, 21 * DAY_MS, 21 * DAY_MS + HOUR_MS, 80 * DAY_MS, 700 * DAY_MS)
    return [OldHit(str(number % 4), NOON_MS - ages[number % 5] - number * 1_000) for number in range(count)]


@pytest.mark.parametrize("is_ordered", [True, False])
def test_counting_old_hits_that_was_cut_short_anywhere_is_done_again(is_ordered: bool) -> None:
    reference = with_old_windows()
    bring_in_the_rest(reference)
    count_and_fold(reference, reference.side())
    for writes in range(1_000):
        stage = with_old_windows()
        bring_in_the_rest(stage)
        try:
            count_and_fold(stage, stage.side(KilledTable(stage.table, writes=writes, is_ordered=is_ordered)))
        except Killed:
            count_and_fold(stage, stage.side())
            assert stage.everything() == reference.everything()
            assert (stage.lines(), stage.ledger_total()) == (reference.lines(), reference.ledger_total())
        else:
            assert writes > 15
            return


LOG = [OldHit(str(number % 3), NOON_MS - age_ms) for number in range(4) for age_ms in (21 * DAY_MS, 80 * DAY_MS)]


def with_old_windows() -> Stage:
    """Return a stage on which one old day is final, and another still open."""
    stage = Stage(how=rules(fold_ms=1_000))
    bring_in(stage, LOG[:3])
    side = stage.side()
    side.count()
    stage.clock.advance(26 * HOUR_MS)
    side.build()
    side.finish()
    bring_in(stage, [OldHit("7", NOON_MS - 300 * DAY_MS)])
    side.count()
    return stage


def bring_in_the_rest(stage: Stage) -> None:
    bring_in(stage, LOG[3:6])
    bring_in(stage, [*LOG[6:], OldHit("1", NOON_MS - 300 * DAY_MS), OldHit("1", NOON_MS - 400 * DAY_MS)])


def count_and_fold(stage: Stage, side: Side) -> None:
    side.count()
    stage.clock.advance(2_000)
    side.build()


@st.composite
def logs(draw: st.DrawFn) -> list[OldHit]:
    """Return a log whose hits gather in a few days of long ago, of weeks ago and of yesterday."""
    days_ago = st.sampled_from((1, 2, 3, 20, 21, 59, 60, 61, 62, 800, 801))
    one = st.builds(
        OldHit,
        st.sampled_from(["1", "2", "3", "/a", "/b"]),
        st.builds(lambda day, ms: NOON_MS - day * DAY_MS - ms, days_ago, st.integers(0, DAY_MS)),
    )
    return draw(st.lists(one, min_size=1, max_size=40))


@settings(max_examples=12, deadline=None)
@given(
    log=logs(),
    cuts=st.lists(st.integers(0, 40), max_size=5),
    chance=st.randoms(use_true_random=False),
    again=st.sampled_from([(802, 801), (63, 60), (21, 20), (3, 2)]),
)
@pytest.mark.parametrize(("zone", "shards"), [("UTC", 1), ("Asia/Kathmandu", 3)])
def test_any_split_and_order_of_a_log_gives_what_a_plain_recount_gives(
    zone: str, shards: int, log: list[OldHit], cuts: list[int], chance: Random, again: tuple[int, int]
) -> None:
    shuffled = list(log)
    chance.shuffle(shuffled)
    stage = Stage(zone=zone, shards=shards, keep_rows=1)
    side = stage.side()
    bounds = sorted({0, *(cut for cut in cuts if cut < len(log)), len(log)})
    for start, end in pairwise(bounds):
        bring_in(stage, shuffled[start:end])
        side.count()
        stage.clock.advance(11 * MINUTE_MS)  # What waits is folded in.
        side.build()
    assert days(stage) == truth(log, zone)
    before, lines = stage.everything(), stage.lines()
    done = side.recount(NOON_MS - again[0] * DAY_MS, NOON_MS - again[1] * DAY_MS)
    assert done.changed == 0
    assert (stage.everything(), stage.lines()) == (before, lines)


@pytest.mark.parametrize(("then_ms", "keep_rows"), [(0, 0), (DAY_MS, 1), (3 * DAY_MS, 0), (50 * DAY_MS, 1)])
def test_counting_again_finds_old_hits_wherever_they_went_and_gives_the_same_bytes(
    then_ms: int, keep_rows: int
) -> None:
    stage = Stage(shards=2, keep_rows=keep_rows)
    side = stage.side()
    stage.send("1", "2", "9")
    bring_in(stage, scattered())
    side.count()
    go_on_until(stage, side, NOON_MS + then_ms + 11 * MINUTE_MS, every_ms=DAY_MS)
    side.build()
    side.finish()
    before, lines = stage.checksums(), stage.lines()
    for from_days, to_days in ((701, 700), (82, 79), (23, -then_ms // DAY_MS)):
        done = side.recount(NOON_MS - from_days * DAY_MS, min(NOON_MS - to_days * DAY_MS, stage.clock.now_ms()))
        assert (done.windows > 0, done.changed) == (True, 0)
    side.build()
    side.finish()
    assert (stage.checksums(), stage.lines()) == (before, lines)


def test_a_range_is_refused_when_old_hits_of_it_may_have_been_trimmed() -> None:
    stage = Stage()
    side = stage.side()
    bring_in(stage, [OldHit("1", YEARS_AGO_MS)])
    stage.clock.advance(DAY_MS)
    stage.send("2")
    side.count()
    stage.stream.trim(0, through=1)
    with pytest.raises(Refused, match="needs raw hits from"):
        side.recount(YEARS_AGO_MS, YEARS_AGO_MS + 1)
    assert side.recount(NOON_MS + DAY_MS, NOON_MS + DAY_MS + 1).changed == 0
    assert stage.counts(YEARS_AGO_MS, Grain.DAY) == {key_of("1"): 1}
